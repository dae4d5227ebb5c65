"""The protocol: agents, conditions and runs over tasks, and one record an attempt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.agents import Engineer, Help, attempt_seed
from mirrorcraft.tracks.circuits.book import DEFAULT, FORMATS, STRUCTURED, Book
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.physics import VANILLA, Physics, physics_for
from mirrorcraft.tracks.circuits.record import Record, attempt_id
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


def condition(name: str) -> Condition:
    """Return a condition by name: ``both``, or ``both:reports`` for another format of the book.

    Raises:
        InputError: there is no such condition or format.
    """
    base, _, format = name.partition(":")
    if base not in CONDITIONS:
        raise InputError("condition", "", name, f"one of {', '.join(CONDITIONS)}")
    if format and format not in FORMATS:
        raise InputError("condition", "format", format, f"one of {', '.join(FORMATS)}")
    return replace(CONDITIONS[base], name=name, format=format or CONDITIONS[base].format)


class Chain(NamedTuple):
    """Tasks one after another by one engineer: a run of a condition.

    Attributes:
        agent: how records call the agent; part of its luck.
        suite: the rules of the world, a name or a file.
        case: the help given.
        run: number of the run.
    """

    agent: str
    suite: str
    case: Condition
    run: int

    def record_id(self, task: CircuitTask) -> str:
        """Return the id of the record of its attempt at a task."""
        return attempt_id(self.agent, self.case.name, self.suite, self.run, task.task_id)


class Attempt(NamedTuple):
    """What an attempt leaves behind: its record, the build that stands, the calls of its model."""

    record: Record
    build: Build
    calls: list[dict[str, Any]]


def attempt(
    chain: Chain, task: CircuitTask, engineer: Engineer, help: Help, physics: Physics
) -> Attempt:
    """Let an engineer work on a task in a fresh laboratory, and judge what stands at the end."""
    lab, before = Laboratory(task, physics), help.book.copy()
    effort = engineer.attempt(lab, help, attempt_seed(chain.agent, task.task_id, chain.run))
    build = lab.build()
    verdict = judge(task, build, physics)
    record = Record(
        agent=chain.agent,
        condition=chain.case.name,
        suite=chain.suite,
        run=chain.run,
        task=task.task_id,
        passed=verdict.passed,
        why=verdict.why,
        trials=lab.trials,
        scientist_trials=effort.scientist_trials,
        rebuilds=effort.rebuilds,
        tokens=effort.tokens,
        blocks=len(build.blocks),
        lit=verdict.lit,
        lamps=verdict.lamps,
        skew_gt=verdict.skew_gt,
        notes=effort.notes,
        learned=help.book.since(before),
        usage=effort.usage,
    )
    return Attempt(record, build, effort.calls)


def play_chain(
    chain: Chain,
    make: Callable[[], Engineer],
    tasks: Sequence[CircuitTask],
    *,
    curriculum: bool = True,
    known: Mapping[str, Record] | None = None,
) -> Iterator[Attempt]:
    """Yield the attempts of a chain that are not known yet; from those that are, it goes on.

    Args:
        chain: who, where, with which help.
        make: makes an engineer, one for each task.
        tasks: in the order in which they are attempted.
        curriculum: whether book and experience go on from task to task, or every task starts anew.
        known: id -> record of attempts made before.
    """
    physics, known = physics_for(chain.suite), known or {}
    book, experience = Book(chain.case.format), []
    for task in tasks:
        if not curriculum:
            book, experience = Book(chain.case.format), []
        record = known.get(chain.record_id(task))
        if record is None:
            hint = task.hint if chain.case.hint else None
            help = Help(hint, chain.case.scientist, book, tuple(experience))
            made = attempt(chain, task, make(), help, physics)
            record = made.record
            yield made
        else:
            book.take(record.learned)
        experience.append(_remembered(task, record))


def _remembered(task: CircuitTask, record: Record) -> str:
    """Return what an engineer knows of an earlier task: nothing that it could not see, so no verdict."""
    line = f"- {task.task_name}: {record.trials} presses, {record.blocks} blocks stand"
    return f"{line}. Your notes: {record.notes}" if record.notes else line


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
    """Yield the records of an agent, one an attempt; see ``play_chain``."""
    for case in conditions:
        for run in range(runs):
            chain = Chain(agent, str(suite), case, run)
            for made in play_chain(chain, make, tasks, curriculum=curriculum):
                yield made.record
