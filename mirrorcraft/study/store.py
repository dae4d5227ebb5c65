"""A run folder: the study as given, its plan, and the append-only episodes and faults.

    study.toml       the study file, byte for byte
    plan.jsonl       one line an episode: id, spec, digests of its rules and world
    episodes.jsonl   one line a finished episode
    faults.jsonl     one line an attempt that the infrastructure broke
    lock             held by the one runner that may write

A line counts once its line end is written. A runner killed in mid-write leaves a torn last
line, which the next runner cuts off; the episode is then simply played again.
"""

import fcntl
import gc
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.plan import StudyConfig, parse_study
from mirrorcraft.study.record import EpisodeRecord, provenance

STUDY, PLAN, EPISODES, FAULTS, LOCK = (
    "study.toml",
    "plan.jsonl",
    "episodes.jsonl",
    "faults.jsonl",
    "lock",
)
_SYNC_EVERY = 64  # lines; a process that is killed loses none, a machine that loses power these


class Lines(NamedTuple):
    """The whole lines of a file.

    Attributes:
        lines: without line ends.
        whole: bytes they take up.
        torn: bytes after the last line end.
    """

    lines: list[str]
    whole: int
    torn: int


class Stored(NamedTuple):
    """Everything a run folder holds.

    Attributes:
        config: the study.
        specs: its plan, in order.
        episodes: the finished ones, in the order of the plan.
        faults: attempts that broke: ``{"id", "attempt", "error"}``.
        torn: notes on torn last lines that were left out; empty as a rule.
    """

    config: StudyConfig
    specs: list[EpisodeSpec]
    episodes: list[EpisodeRecord]
    faults: list[dict[str, Any]]
    torn: list[str]


def read_lines(path: Path) -> Lines:
    """Return the whole lines of a file; a file that is not there has none."""
    data = path.read_bytes() if path.exists() else b""
    whole = data.rfind(b"\n") + 1
    text = data[:whole].decode("utf-8", "replace")
    return Lines(text.split("\n")[:-1], whole, len(data) - whole)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Leave the garbage collector out of a ``with`` block that parses many records.

    They hold no cycles, and it would walk all of them again and again: half of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_run(folder: Path, *, compact: bool = False, episodes: bool = True) -> Stored:
    """Read a run folder, finished or not; safe while a runner writes to it.

    Args:
        folder: the run folder.
        compact: leave out of the episodes what metrics do not need.
        episodes: read them; without, ``Stored.episodes`` is empty.

    Raises:
        StudyError: it is no run folder, or a line other than a torn last one cannot be read.
    """
    study = folder / STUDY
    if not study.is_file() or not (folder / PLAN).is_file():
        raise StudyError(folder, "", "no study.toml and plan.jsonl", "a run folder of a study")
    plan = _read_json_lines(folder / PLAN)
    specs = [EpisodeSpec(**line["spec"]) for line in plan]
    names = {spec.agent for spec in specs}
    config = parse_study(study.read_text(encoding="utf-8"), study, names)
    order = {spec.id: i for i, spec in enumerate(specs)}
    found = _read_episodes(folder / EPISODES, order, compact) if episodes else {}
    torn = [n for f in (EPISODES, FAULTS) if (n := _torn_note(folder / f))]
    return Stored(config, specs, list(found.values()), _read_json_lines(folder / FAULTS), torn)


def read_episodes(folder: Path, ids: Sequence[str]) -> list[EpisodeRecord]:
    """Return the full records of some episodes, in the order of ``ids``.

    Raises:
        StudyError: an episode is not there, or its line cannot be read.
    """
    wanted, found = set(ids), {}
    for number, line in enumerate(read_lines(folder / EPISODES).lines, 1):
        if not any(id_ in line for id_ in wanted):
            continue  # most lines; parsing them all would take seconds
        try:
            record = EpisodeRecord.from_line(line)
        except ValueError as e:
            place, expected = f"line {number}", f"an episode record ({e})"
            raise StudyError(folder / EPISODES, place, line, expected) from None
        found.setdefault(record.spec.id, record)
    for id_ in ids:
        if id_ not in found:
            raise StudyError(folder / EPISODES, "id", id_, "the id of a finished episode")
    return [found[id_] for id_ in ids]


@collector_paused()
def _read_episodes(path: Path, order: dict[str, int], compact: bool) -> dict[str, EpisodeRecord]:
    records: dict[str, EpisodeRecord] = {}
    for number, line in enumerate(read_lines(path).lines, 1):
        try:
            record = EpisodeRecord.from_line(line, compact=compact)
        except ValueError as e:
            raise StudyError(path, f"line {number}", line, f"an episode record ({e})") from None
        if record.spec.id not in order:
            raise StudyError(path, f"line {number}", record.spec.id, "an id of plan.jsonl")
        records.setdefault(record.spec.id, record)
    return dict(sorted(records.items(), key=lambda r: order[r[0]]))


def _read_json_lines(path: Path) -> list[dict[str, Any]]:
    values = []
    for number, line in enumerate(read_lines(path).lines, 1):
        try:
            values.append(json.loads(line))
        except ValueError as e:
            raise StudyError(path, f"line {number}", line, f"a JSON object ({e})") from None
    return values


def _torn_note(path: Path) -> str | None:
    torn = read_lines(path).torn
    return f"{path}: {torn} bytes of a torn last line left out" if torn else None


class Store:
    """The writer of a run folder; at most one exists per folder. Use it in a ``with`` block.

    Attributes:
        folder: the run folder.
        done: ids of the episodes that it holds.
        cost_usd: what their models cost as far as prices are known, US dollars.
        repaired: notes on torn last lines that were cut off.

    Raises:
        StudyError: the folder holds another study, its rules or worlds have changed since, or
            another runner is writing to it.
    """

    def __init__(self, folder: Path, text: str, config: StudyConfig, specs: list[EpisodeSpec]):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _take_lock(folder / LOCK)
        try:
            _open_plan(folder, text, config, specs)
            notes = [_repair(folder / name) for name in (EPISODES, FAULTS)]
            self.repaired = [n for n in notes if n]
            order = {spec.id: i for i, spec in enumerate(specs)}
            stored = _read_episodes(folder / EPISODES, order, compact=True)
            self.done = set(stored)
            self.cost_usd = sum(e.usage.cost_usd or 0.0 for e in stored.values() if e.usage)
            faults = _read_json_lines(folder / FAULTS)
            self._attempts = Counter(fault["id"] for fault in faults)
            self._episodes = _open_append(folder / EPISODES)
        except BaseException:
            os.close(self._lock)
            raise
        self._unsynced = 0

    def add(self, record_id: str, line: str) -> None:
        """Append the line of a finished episode; one that is there already stays as it is.

        Raises:
            StudyError: the disk is full or gone; what was stored before stays whole.
        """
        if record_id in self.done:
            return
        self._append(self._episodes, self.folder / EPISODES, line)
        self.done.add(record_id)
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY:
            self._sync()

    def add_fault(self, spec_id: str, error: str) -> None:
        """Append an attempt that the infrastructure broke; those of an episode count from 1.

        Raises:
            StudyError: the disk is full or gone.
        """
        self._attempts[spec_id] += 1
        fault = {"id": spec_id, "attempt": self._attempts[spec_id], "error": error}
        file = _open_append(self.folder / FAULTS)
        try:
            self._append(file, self.folder / FAULTS, json.dumps(fault, sort_keys=True))
            os.fsync(file)
        finally:
            os.close(file)

    def _append(self, file: int, path: Path, line: str) -> None:
        size = os.fstat(file).st_size
        try:
            _write_all(file, (line + "\n").encode())
        except OSError as e:
            os.ftruncate(file, size)  # half a line is of no use to the next run
            expected = "a disk that can be written; make room and run the same command again"
            raise StudyError(path, "", e.strerror, expected) from None

    def close(self) -> None:
        """Bring everything to the disk and let other runners in."""
        self._sync()
        os.close(self._episodes)
        os.close(self._lock)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sync(self) -> None:
        os.fsync(self._episodes)
        self._unsynced = 0


def _take_lock(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel frees it when we die
    except BlockingIOError:
        os.close(file)
        raise StudyError(
            path, "", "a lock that is held", "no other runner in this folder; wait or use --out"
        ) from None
    return file


def _open_plan(folder: Path, text: str, config: StudyConfig, specs: list[EpisodeSpec]) -> None:
    study, plan = folder / STUDY, folder / PLAN
    lines = [_plan_line(spec) for spec in specs]
    if plan.exists():
        stored = read_run(folder, episodes=False)
        _refuse_another_study(study, stored.config, config)
        _refuse_changed_plan(plan, _read_json_lines(plan), lines)
        return
    # The plan is written last and in one move: a folder that has one is complete.
    _write_file(study, text)
    _write_file(plan, "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines))


def _plan_line(spec: EpisodeSpec) -> dict[str, Any]:
    made_with = provenance(spec)
    return {
        "id": spec.id,
        "spec": asdict(spec),
        "version": made_with.version,
        "rules": made_with.rules,
        "world": made_with.world,
    }


def _refuse_another_study(file: Path, stored: StudyConfig, given: StudyConfig) -> None:
    old, new = stored.identity(), given.identity()
    for field in old:
        if old[field] != new[field]:
            expected = (
                f"{old[field]!r} as in this run folder; use another --out for a changed study"
            )
            raise StudyError(file, field, new[field], expected)


def _refuse_changed_plan(
    file: Path, stored: list[dict[str, Any]], given: list[dict[str, Any]]
) -> None:
    for number, (old, new) in enumerate(zip(stored, given, strict=True), 1):
        for field in ("id", "version", "rules", "world"):
            if old[field] != new[field]:
                spec = new["spec"]
                what = f"line {number}: {field} of {spec['world']}, {spec['suite']}"
                expected = f"{old[field]!r} as when the run began; use another --out"
                raise StudyError(file, what, new[field], expected)


def _repair(path: Path) -> str | None:
    lines = read_lines(path)
    if not lines.torn:
        return None
    with path.open("r+b") as file:
        file.truncate(lines.whole)
        os.fsync(file.fileno())
    return f"{path}: {lines.torn} bytes of a torn last line cut off"


def _open_append(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _write_file(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".part")
    with partial.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def missing(specs: Iterable[EpisodeSpec], done: set[str]) -> list[EpisodeSpec]:
    """Return the episodes that are still to be played, in the order of the plan."""
    return [spec for spec in specs if spec.id not in done]
