"""A folder of attempts that a stopped run goes on from.

plan.json              what is played
attempts.jsonl         one line a finished attempt
attempts/<id>.json.gz  the build that stood at its end, and every request and reply of its model
spent.json             what the models have cost, where a cap is set
lock                   held by the one process that may write
"""

import fcntl
import gzip
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.files import write_whole
from mirrorcraft.study.store import read_lines
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.record import Record, read_records

PLAN, ATTEMPTS, DETAILS, SPENT, LOCK = (
    "plan.json",
    "attempts.jsonl",
    "attempts",
    "spent.json",
    "lock",
)


class Folder:
    """The one writer of a folder of attempts. Use it in a ``with`` block.

    Args:
        path: the folder; made if absent, gone on with if it holds the same plan.
        plan: what is played, JSON-ready.

    Attributes:
        records: id -> record of what it holds.

    Raises:
        InputError: it holds another plan or what cannot be read, cannot be written, or is in use.
    """

    def __init__(self, path: Path, plan: Mapping[str, Any]):
        self.path, self._guard = path, threading.Lock()
        try:
            (path / DETAILS).mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as e:
            raise InputError(path, "", e.strerror, "a folder that can be written") from None
        try:
            self._claim()
            self._same_plan(json.loads(json.dumps(plan)))
            self.records = self._stored()
        except BaseException:
            os.close(self._lock)
            raise

    def _claim(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # freed when we die, however
        except BlockingIOError:
            expected = "no other run in this folder; wait for it, or use another --out"
            raise InputError(self.path / LOCK, "", "a lock that is held", expected) from None

    def _same_plan(self, plan: dict[str, Any]) -> None:
        file = self.path / PLAN
        if not file.exists():
            write_whole(file, json.dumps(plan, indent=1).encode())
            return
        stored = json.loads(file.read_text(encoding="utf-8"))
        for name in {**stored, **plan}:
            if stored.get(name) != plan.get(name):
                expected = (
                    f"{stored.get(name)!r} as in this folder; use another --out for another plan"
                )
                raise InputError(file, name, plan.get(name), expected)

    def _stored(self) -> dict[str, Record]:
        file = self.path / ATTEMPTS
        lines = read_lines(file)
        if lines.torn:  # a process was killed in mid-write; that attempt is made again
            os.truncate(file, lines.whole)
        file.touch()
        return {record.id: record for record in read_records(file)}

    def add(self, record: Record, build: Build, calls: Sequence[Mapping[str, Any]]) -> None:
        """Keep a finished attempt: its details first, then its line.

        Raises:
            InputError: the disk is full or gone; what was there before stays whole.
        """
        details = json.dumps({"build": build.to_data(), "calls": calls}, ensure_ascii=False)
        try:
            packed = gzip.compress(details.encode(), 6, mtime=0)
            write_whole(self.path / DETAILS / f"{record.id}.json.gz", packed)
            with self._guard, (self.path / ATTEMPTS).open("a", encoding="utf-8") as file:
                file.write(record.to_line())
        except OSError as e:
            expected = "a disk with room; run the same command again to go on"
            raise InputError(self.path, "", e.strerror, expected) from None
        self.records[record.id] = record

    def close(self) -> None:
        """Let others write."""
        os.close(self._lock)

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_details(folder: Path, attempt: str) -> tuple[Build, list[dict[str, Any]]]:
    """Return the build that stood at the end of an attempt, and its model's calls.

    Raises:
        InputError: there is no such attempt, or its file cannot be read.
    """
    path = folder / DETAILS / f"{attempt}.json.gz"
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        calls = data["calls"]
    except (OSError, EOFError, ValueError, KeyError) as e:
        raise InputError(path, "", str(e), "the details of a finished attempt") from None
    return Build.from_data(data["build"], path, pressable=False), calls
