"""A run folder and how it is read: the study as given, its plan, the episodes and faults.

    study.toml       the study file, byte for byte
    plan.jsonl       one line an episode: id, spec, digests of its rules and world
    episodes.jsonl   one line a finished episode
    faults.jsonl     one line an attempt that the infrastructure broke
    lock             held by the one runner that may write

A line counts once its line end is written. A runner killed in mid-write leaves a torn last
line, which readers leave out and the next runner cuts off; the episode is then played again.
"""

import gc
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.plan import StudyConfig, parse_study
from mirrorcraft.study.record import EpisodeRecord

STUDY, PLAN, EPISODES, FAULTS, LOCK = (
    "study.toml",
    "plan.jsonl",
    "episodes.jsonl",
    "faults.jsonl",
    "lock",
)


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
    specs = _specs(folder / PLAN)
    names = {spec.agent for spec in specs}
    config = parse_study(study.read_text(encoding="utf-8"), study, names)
    order = {spec.id: i for i, spec in enumerate(specs)}
    found = read_records(folder / EPISODES, order, compact) if episodes else {}
    torn = [n for f in (EPISODES, FAULTS) if (n := _torn_note(folder / f))]
    return Stored(config, specs, list(found.values()), read_json_lines(folder / FAULTS), torn)


def _specs(path: Path) -> list[EpisodeSpec]:
    specs = []
    for number, line in enumerate(read_json_lines(path), 1):
        try:
            specs.append(EpisodeSpec(**line["spec"]))
        except (KeyError, TypeError) as e:
            expected = f"the id and spec of an episode ({e})"
            raise StudyError(path, f"line {number}", line, expected) from None
    return specs


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
def read_records(path: Path, order: dict[str, int], compact: bool) -> dict[str, EpisodeRecord]:
    """Return the episodes of a file by id, in the order of a plan.

    Args:
        path: of ``episodes.jsonl``.
        order: id to its place in the plan.
        compact: leave out what metrics do not need.

    Raises:
        StudyError: a line is no record, or none of the plan.
    """
    records: dict[str, EpisodeRecord] = {}
    for number, line in enumerate(read_lines(path).lines, 1):
        try:
            record = EpisodeRecord.from_line(line, compact=compact)
        except ValueError as e:
            raise StudyError(path, f"line {number}", line, f"an episode record ({e})") from None
        id_ = record.spec.id  # a hash, thus taken once
        if id_ not in order:
            raise StudyError(path, f"line {number}", id_, "an id of plan.jsonl")
        records.setdefault(id_, record)
    return dict(sorted(records.items(), key=lambda r: order[r[0]]))


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the values of the whole lines of a file; a file that is not there has none.

    Raises:
        StudyError: a line is not JSON.
    """
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
