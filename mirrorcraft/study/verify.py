"""Plays a run again from its actions and names every number that does not come out the same.

Records cannot be signed by those who make them. What can be checked is that the recorded actions,
in the recorded world under the recorded rules, lead to the recorded outcomes and Scores.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import StudyConfig, plan, rules_for
from mirrorcraft.study.play import named
from mirrorcraft.study.provenance import SIMULATOR, digest, provenance
from mirrorcraft.study.record import EpisodeRecord, step_record
from mirrorcraft.study.store import EPISODES, PLAN, read_json_lines, read_lines, read_run

_ELSEWHERE = ("code", "commit", "dirty", "python", "numba", "version")  # allowed to differ


class Finding(NamedTuple):
    """Something in a run folder that is not what it should be.

    Attributes:
        line: of ``episodes.jsonl``, from 1; 0 for the plan.
        id: the episode's, as far as it can be read.
        place: what differs, such as ``steps[3].outcome``.
        stored: what the file says.
        expected: what playing it again gives.
    """

    line: int
    id: str
    place: str
    stored: Any
    expected: Any

    def __str__(self) -> str:
        """Return the finding in one line."""
        where = f"line {self.line}" if self.line else PLAN
        stored, expected = (json.dumps(v)[:100] for v in (self.stored, self.expected))
        return f"{where}: episode {self.id}: {self.place} is {stored}; played again: {expected}"


class Verdict(NamedTuple):
    """What came of verifying a run.

    Attributes:
        played: episodes played again.
        elsewhere: episodes of another backend than the simulator, of which only the scores are
            computed again.
        other_code: episodes made by another version of the code or its libraries.
        findings: what was tampered with, or no longer comes out the same.
        missing: ids of the plan that no line holds: not played yet, given up, or deleted.
    """

    played: int
    elsewhere: int
    other_code: int
    findings: list[Finding]
    missing: list[str]


def verify(
    folder: Path,
    backend: str = "mirrorcraft.sim.backend:SimBackend",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Play every simulator episode of a run again and compare all that its record says.

    Args:
        folder: a run folder.
        backend: ``module:name`` of what makes the simulator.
        on_progress: called with the episodes compared and their number.

    Raises:
        StudyError: it is no run folder.
    """
    stored = read_run(folder, episodes=False)
    planned = {spec.id: spec for spec in stored.specs}
    lines = read_lines(folder / EPISODES).lines
    findings = list(_plan_findings(folder, stored.config))
    seen: set[str] = set()
    counts = {"played": 0, "elsewhere": 0, "other_code": 0}
    world: Backend = named(backend)()
    try:
        for number, line in enumerate(lines, 1):
            findings += _check_line(number, line, planned, seen, counts, world)
            on_progress(number, len(lines))
    finally:
        world.close()
    missing = [id_ for id_ in planned if id_ not in seen]
    return Verdict(**counts, findings=findings, missing=missing)


def _plan_findings(folder: Path, config: StudyConfig) -> Iterator[Finding]:
    """Yield the lines of the plan that are not as the study file makes them."""
    rows = [(row.get("id"), EpisodeSpec(**row["spec"])) for row in read_json_lines(folder / PLAN)]
    for id_, spec in rows:
        if id_ != spec.id:
            yield Finding(0, str(id_), "id", id_, spec.id)
    stored, made = ({spec.id for _, spec in rows}, {spec.id: None for spec in plan(config)})
    for id_ in [*made, *(i for i in stored if i not in made)]:
        if (id_ in stored) != (id_ in made):
            there = ["absent", "present"]
            yield Finding(0, id_, "line", there[id_ in stored], there[id_ in made])


def _check_line(
    number: int,
    line: str,
    planned: dict[str, EpisodeSpec],
    seen: set[str],
    counts: dict[str, int],
    world: Backend,
) -> list[Finding]:
    try:
        record = EpisodeRecord.from_line(line)
    except ValueError as e:
        return [Finding(number, "?", "line", line[:60], f"an episode record ({e})")]
    id_ = record.spec.id
    if id_ not in planned:
        return [Finding(number, id_, "id", id_, "an id of the plan")]
    if id_ in seen:
        return [Finding(number, id_, "id", id_, "each episode once")]
    seen.add(id_)
    here = provenance(record.spec)
    counts["other_code"] += any(
        getattr(record.provenance, f) != getattr(here, f) for f in _ELSEWHERE
    )
    stored = json.loads(line)
    if record.provenance.backend == SIMULATOR:
        counts["played"] += 1
        expected = _played_again(record, world)
    else:
        counts["elsewhere"] += 1
        expected = _scored_again(record)
    kept = {f: getattr(record.provenance, f) for f in _ELSEWHERE}
    made_with = record.provenance._replace(rules=here.rules, world=here.world, **kept)
    wanted = expected.content() | {
        "provenance": made_with._asdict(),
        "elapsed_s": record.elapsed_s,
    }
    wanted = json.loads(json.dumps(wanted))
    return [Finding(number, id_, *found) for found in differences(stored, wanted)]


def _played_again(record: EpisodeRecord, world: Backend) -> EpisodeRecord:
    """Return the record that the recorded actions lead to; compact if the given one is."""
    spec = record.spec
    task = Task.load(spec.task).with_budget(spec.budget)
    rules = rules_for(spec.suite)
    observation = world.reset(World.load(spec.world), rules, task, seed=spec.world_seed)
    start, steps, completed = digest(observation.to_json()), [], set()
    ending: Ending | None = None
    for stored in record.steps:
        if ending is not None:
            break  # more actions than the world allows: the step counts will differ
        step = world.step(stored.action)
        ending = step.ending
        completed.update(step.audit.advancements)
        steps.append(
            step_record(
                stored.action,
                step.outcome,
                step.observation,
                task.score(completed),
                step.audit,
                compact=stored.outcome is None,
            )
        )
    return EpisodeRecord(
        spec=spec,
        score=task.score(completed),
        actions=len(steps),
        ending=(ending or Ending.NO_ACTION).value,
        start=start,
        steps=tuple(steps),
        provenance=record.provenance,
        elapsed_s=record.elapsed_s,
        usage=record.usage,
    )


def _scored_again(record: EpisodeRecord) -> EpisodeRecord:
    """Return the record with its Scores computed again from the advancements it holds."""
    task, completed, steps = Task.load(record.spec.task), set(), []
    for step in record.steps:
        completed.update(step.advancements)
        steps.append(step._replace(score=task.score(completed)))
    return EpisodeRecord(
        spec=record.spec,
        score=task.score(completed),
        actions=len(steps),
        ending=record.ending,
        start=record.start,
        steps=tuple(steps),
        provenance=record.provenance,
        elapsed_s=record.elapsed_s,
        usage=record.usage,
    )


def differences(stored: Any, expected: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield place, stored and expected value wherever two JSON values differ, deepest first."""
    if isinstance(stored, dict) and isinstance(expected, dict):
        for key in dict.fromkeys((*stored, *expected)):
            inner = f"{place}.{key}" if place else key
            yield from differences(stored.get(key), expected.get(key), inner)
    elif isinstance(stored, list) and isinstance(expected, list) and len(stored) == len(expected):
        for i, (old, new) in enumerate(zip(stored, expected, strict=True)):
            yield from differences(old, new, f"{place}[{i}]")
    elif isinstance(stored, list) and isinstance(expected, list):
        yield f"number of {place}", len(stored), len(expected)
    elif stored != expected or type(stored) is not type(expected):
        yield place, stored, expected
