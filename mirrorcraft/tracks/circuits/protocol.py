"""The protocol: agents, conditions and runs over tasks, and one record an attempt."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.agents import Engineer, Help, attempt_seed
from mirrorcraft.tracks.circuits.book import DEFAULT, FORMATS, STRUCTURED, Book
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.physics import VANILLA, Physics, physics_for
from mirrorcraft.tracks.circuits.tasks import CircuitTask

RUNS = 8
"""Independent runs of each condition (paper, 5.2)."""


@dataclass(frozen=True)
class Condition:
    """Which help an engineer gets.

    Attributes:
        name: how records call it.
        hint: whether it is told the area of missing knowledge.
        scientist: whether it may have questions investigated.
        format: how findings are consolidated.
    """

    name: str
    hint: bool = False
    scientist: bool = False
    format: str = STRUCTURED


CONDITIONS = {
    c.name: c
    for c in (
        Condition("baseline"),
        Condition("hint", hint=True),
        Condition("scientist", scientist=True),
        Condition("both", hint=True, scientist=True),
        Condition("both-default", hint=True, scientist=True, format=DEFAULT),
    )
}
"""The conditions of the paper; ``both`` consolidates in the structured format."""


@dataclass(frozen=True)
class Record:
    """One attempt.

    Attributes:
        agent, condition, suite, run, task: what was attempted by whom.
        passed: whether the contract is kept.
        why: the verdict in words.
        trials: presses, the scientist's included.
        scientist_trials: presses of the scientist.
        rebuilds: presses of the engineer after it had changed what it pressed before.
        tokens: of all model calls.
        lit: lamps that were lit.
        lamps: lamps that stand.
        skew_gt: game ticks from the first lamp to the last.
    """

    agent: str
    condition: str
    suite: str
    run: int
    task: str
    passed: bool
    why: str
    trials: int
    scientist_trials: int
    rebuilds: int
    tokens: int
    lit: int
    lamps: int
    skew_gt: int | None

    @property
    def family(self) -> str:
        """The family of the task."""
        return self.task[0]

    @property
    def level(self) -> str:
        """The level of the task."""
        return self.task.partition("_")[2]


def condition(name: str, format: str | None = None) -> Condition:
    """Return a condition by name, with another format of the book if one is given.

    Raises:
        InputError: there is no such condition or format.
    """
    if name not in CONDITIONS:
        raise InputError("condition", "", name, f"one of {', '.join(CONDITIONS)}")
    if format is not None and format not in FORMATS:
        raise InputError("format", "", format, f"one of {', '.join(FORMATS)}")
    found = CONDITIONS[name]
    return found if format is None else Condition(name, found.hint, found.scientist, format)


def attempt(
    task: CircuitTask, engineer: Engineer, help: Help, seed: int, physics: Physics
) -> tuple[Laboratory, dict[str, Any]]:
    """Let an engineer work on a task in a fresh laboratory; return it and what a record says."""
    lab = Laboratory(task, physics)
    effort = engineer.attempt(lab, help, seed)
    verdict = judge(task, lab.build(), physics)
    return lab, {
        "passed": verdict.passed,
        "why": verdict.why,
        "trials": lab.trials,
        "scientist_trials": effort.scientist_trials,
        "rebuilds": effort.rebuilds,
        "tokens": effort.tokens,
        "lit": verdict.lit,
        "lamps": verdict.lamps,
        "skew_gt": verdict.skew_gt,
    }


def play(
    agent: str,
    make: Callable[[], Engineer],
    tasks: Sequence[CircuitTask],
    conditions: Sequence[Condition],
    *,
    runs: int = RUNS,
    suite: str = VANILLA,
    curriculum: bool = True,
) -> Iterator[Record]:
    """Yield the records of an agent, one an attempt.

    Args:
        agent: how records call it; part of its luck.
        make: makes the engineer, one for each run.
        tasks: in the order in which they are attempted.
        conditions: the help given.
        runs: independent runs of each condition.
        suite: the rules of the world, a name or a file.
        curriculum: whether engineer and book go on from task to task, or every task starts anew.
    """
    physics = physics_for(suite)
    for case in conditions:
        for run in range(runs):
            engineer, book = make(), Book(case.format)
            for task in tasks:
                if not curriculum:
                    engineer, book = make(), Book(case.format)
                help = Help(task.hint if case.hint else None, case.scientist, book)
                seed = attempt_seed(agent, task.task_id, run)
                _, found = attempt(task, engineer, help, seed, physics)
                yield Record(agent, case.name, str(suite), run, task.task_id, **found)


def write(path: Path, records: Sequence[Record]) -> None:
    """Write records as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(record)) + "\n" for record in records]
    path.write_text("".join(lines), encoding="utf-8")


def read(path: Path) -> list[Record]:
    """Read records from JSON lines.

    Raises:
        InputError: the file cannot be read, or a line is no record.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(path, "", str(e), "a readable file of JSON lines") from None
    records = []
    for i, text in enumerate(lines, 1):
        try:
            records.append(Record(**json.loads(text)))
        except (ValueError, TypeError) as e:
            raise InputError(path, f"line {i}", text, f"a record of an attempt ({e})") from None
    return records
