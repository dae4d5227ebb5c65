"""The one writer of a run folder: its lock, its plan, and lines that are whole or not there."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.files import write_whole
from mirrorcraft.study.plan import StudyConfig
from mirrorcraft.study.provenance import provenance
from mirrorcraft.study.store import (
    EPISODES,
    FAULTS,
    LOCK,
    PLAN,
    STUDY,
    read_json_lines,
    read_lines,
    read_records,
    read_run,
)

_SYNC_EVERY = 64  # lines; a process that is killed loses none, a machine that loses power these


class Writer:
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
            stored = read_records(folder / EPISODES, order, compact=True)
            self.done = set(stored)
            self.cost_usd = sum(e.usage.cost_usd or 0.0 for e in stored.values() if e.usage)
            faults = read_json_lines(folder / FAULTS)
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

    def __enter__(self) -> "Writer":
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
        _refuse_changed_plan(plan, read_json_lines(plan), lines)
        return
    # The plan is written last and in one move: a folder that has one is complete.
    write_whole(study, text, sync=True)
    write_whole(plan, "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), sync=True)


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
    for field, (old, new) in stored.differences(given).items():
        expected = f"{old!r} as in this run folder; use another --out for a changed study"
        raise StudyError(file, field, new, expected)


def _refuse_changed_plan(
    file: Path, stored: list[dict[str, Any]], given: list[dict[str, Any]]
) -> None:
    if len(stored) != len(given):
        expected = f"the {len(given)} episodes of the study; use another --out"
        raise StudyError(file, "number of lines", len(stored), expected)
    for number, (old, new) in enumerate(zip(stored, given, strict=True), 1):
        for field in ("id", "version", "rules", "world"):
            if old.get(field) != new[field]:
                spec = new["spec"]
                what = f"line {number}: {field} of {spec['world']}, {spec['suite']}"
                expected = f"{old.get(field)!r} as when the run began; use another --out"
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


def missing(specs: Iterable[EpisodeSpec], done: set[str]) -> list[EpisodeSpec]:
    """Return the episodes that are still to be played, in the order of the plan."""
    return [spec for spec in specs if spec.id not in done]
