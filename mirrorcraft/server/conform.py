"""Conformance: the same cases on a server and in the simulator, and every difference named with both answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from mirrorcraft import agents
from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Backend, Step
from mirrorcraft.core.data import names_in
from mirrorcraft.core.episode import DISCLOSED, VANILLA, EpisodeSpec
from mirrorcraft.core.errors import Fault
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.server.cases import Case, Draw, cases, draws
from mirrorcraft.server.chances import by_content, chi_square
from mirrorcraft.server.stage import ServerStage, SimStage, Stage
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.plan import rules_for

SAMPLES = 80  # draws of a distribution
LUCKY_SIDES = ("ok", "reason", "broken")  # what is compared where drops are drawn

# Steps that no suite changes anything about; the worlds of a pair must look the same after each.
NEUTRAL = (
    Action("wait", {"ticks": 20}),
    Action("mine", {"block": "grass_block"}),
    Action("craft_grid", {"station": "inventory", "grid": [["dirt"]]}),
    Action("place", {"block": "dirt"}),
    Action("equip", {"item": "dirt"}),
    Action("smelt", {"input": "dirt"}),
    Action("collect", {"item": "feather"}),
    Action("mine", {"block": "no_such_block"}),
    Action("mine", {"block": "grass_block", "count": 2}),
    Action("ascend", {"height": 1}),
)


@dataclass
class Result:
    """What was compared, and what differs.

    Attributes:
        server: kind of server.
        cases: how many comparisons were made, by kind.
        differences: ``{"case", "rules", "server", "simulator"}``: both answers. Of a ``pair`` the
            second is ``vanilla``: the same server under its own rules.
        skipped: ``{"case", "rules", "why"}``.
    """

    server: str
    cases: Counter[str] = field(default_factory=Counter)
    differences: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, kind: str, case: str, rules: str, server: Any, other: Any, who: str = "simulator"
    ) -> None:
        """Count one comparison, and note it if the two sides differ."""
        self.cases[kind] += 1
        if server != other:
            self.differences.append({"case": case, "rules": rules, "server": server, who: other})

    def skip(self, case: str, rules: str, why: Fault) -> None:
        """Note a comparison that could not be made."""
        self.skipped.append({"case": case, "rules": rules, "why": str(why)})

    def merge(self, other: "Result") -> None:
        """Take in the result of another part."""
        self.cases.update(other.cases)
        self.differences += other.differences
        self.skipped += other.skipped

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready values."""
        total = sum(self.cases.values())
        return {
            "server": self.server,
            "cases": total,
            "agree": total - len(self.differences),
            "by_kind": dict(sorted(self.cases.items())),
            "differences": self.differences,
            "skipped": self.skipped,
        }


@dataclass(frozen=True)
class Servers:
    """How servers are made.

    Attributes:
        kind: ``squid`` or ``vanilla``.
        stage: makes a stage for scenes; its stations may cook faster than in real time.
        backend: makes a backend for sequences and episodes.
    """

    kind: str
    stage: Callable[[], ServerStage]
    backend: Callable[[], Backend]


def suites() -> tuple[str, ...]:
    """Return the rule sets that are compared: vanilla, and every suite."""
    return (VANILLA, *names_in("suites"))


def conform(
    servers: Servers,
    *,
    quick: bool = False,
    worlds: Iterable[str] = ("plains-a",),
    parts: Iterable[str] = ("cases", "sequences", "episodes"),
    only: Iterable[str] = (),
    jobs: int = 2,
    told: Callable[[str], None] = lambda line: None,
) -> Result:
    """Compare a server with the simulator.

    Args:
        servers: how servers are made.
        quick: fewer cases.
        worlds: worlds of the sequences and episodes; scenes are set in the first.
        parts: ``cases``, ``sequences``, ``episodes``.
        only: rule sets; all when empty.
        jobs: how many servers run side by side.
        told: is given a line about every part that is done.

    Raises:
        Fault: a server cannot be started. One that fails later costs the case, which is skipped.
    """
    places, chosen = tuple(worlds), tuple(only) or suites()
    work: list[Callable[[], Result]] = []
    if "cases" in parts:
        work += [lambda s=s: compare_cases(servers, places[0], s, quick=quick) for s in chosen]
    if "sequences" in parts:
        work += [lambda w=w: compare_sequences(servers, w, chosen) for w in places]
    if "episodes" in parts:
        work += [
            lambda w=w, s=s, t=t: compare_episode(servers, w, s, t)
            for w in places
            for s in chosen
            for t in Task.names()
        ]
    total = Result(servers.kind)
    with ThreadPoolExecutor(jobs) as pool:
        for n, part in enumerate(pool.map(lambda do: do(), work), 1):
            total.merge(part)
            made, differ = sum(part.cases.values()), len(part.differences)
            told(f"part {n} of {len(work)}: {made} comparisons, {differ} differences")
    return total


# ---- scenes
def compare_cases(servers: Servers, world: str, suite: str, *, quick: bool = False) -> Result:
    """Run all cases of a rule set on both stages."""
    rules, result = rules_for(suite), Result(servers.kind)
    ours, theirs = SimStage(), servers.stage()
    try:
        for stage in (ours, theirs):
            stage.open(World.load(world), rules)
        for case in (*cases(rules, quick=quick), *draws(rules, quick=quick)):
            try:
                if isinstance(case, Draw):
                    result.add("draw", case.id, suite, _differs(theirs, case, rules), None)
                else:
                    answers = [_answer_on(stage, case) for stage in (theirs, ours)]
                    result.add(case.kind, case.id, suite, answers[0], answers[1])
            except Fault as e:  # the other cases are tried on a new server
                result.skip(case.id, suite, e)
                theirs.open(World.load(world), rules)
    finally:
        theirs.close()
        ours.close()
    return result


def _answer_on(stage: Stage, case: Case) -> dict[str, Any]:
    stage.set_up(case.scene)
    return answer(stage.act(case.action), case)


def answer(step: Step, case: Case) -> dict[str, Any]:
    """Return what is compared of a case's step: all of it but the time, or what no draw decides."""
    outcome = step.outcome
    whole: dict[str, Any] = {
        "ok": outcome.ok,
        "reason": outcome.reason and outcome.reason.value,
        "result": outcome.result,
        "delta": dict(sorted(outcome.delta.items())),
        "advancements": list(step.audit.advancements),
        "encounters": list(step.audit.encounters),
        "broken": outcome.result.get("broken"),
        "equipped": step.observation.equipped,
        "level": step.observation.experience["level"],
    }
    if case.lucky:
        return {side: whole[side] for side in LUCKY_SIDES}
    if case.action.skill == "enchant":  # what an offer costs and gives is luck as well
        luck = ("enchantments", "detail")
        whole["result"] = {k: v for k, v in outcome.result.items() if k not in luck}
    return whole


def _differs(stage: ServerStage, draw: Draw, rules: Rulebook) -> dict[str, Any] | None:
    """Draw from the server's loot; return how that differs from the rulebook's distribution, None if it does not."""
    seen: Counter[tuple[tuple[str, int], ...]] = Counter()
    for found in stage.draw(draw, SAMPLES):
        seen[tuple(sorted(found.items()))] += 1
    if draw.block is not None:
        wanted = rules.drops(draw.block, draw.tool, dict(draw.enchantments))
    else:
        entity, _, variant = (draw.animal or "").partition("/")
        wanted = rules.kill(entity, by_player=False, variant=variant or None)
    expected = by_content(wanted)
    impossible = [dict(stacks) for stacks in seen if stacks not in expected]
    if impossible:
        return {"impossible": impossible}
    value, bound = chi_square(seen, expected, SAMPLES)
    return {"chi_square": round(value, 1), "bound": round(bound, 1)} if value > bound else None


# ---- sequences
def compare_sequences(servers: Servers, world: str, chosen: Iterable[str]) -> Result:
    """Play steps that trigger no changed rule: Vanilla and Mirror look the same, and as in the simulator."""
    result = Result(servers.kind)
    reference: list[str] = []
    for suite in dict.fromkeys((VANILLA, *chosen)):
        try:
            seen = list(_neutral(servers.backend(), world, suite))
        except Fault as e:
            result.skip(f"sequence-{world}", suite, e)
            continue
        ours = list(_neutral(SimBackend(), world, suite))
        for n, (theirs, mine) in enumerate(zip(seen, ours, strict=True)):
            name = f"sequence-{world}-step-{n}"
            result.add("targets", name, suite, theirs[0].targets, mine[0].targets)
            result.add("triggered", name, suite, list(theirs[1]), [])
        texts = [without_time(observation) for observation, _ in seen]
        if suite == VANILLA:
            reference = texts
        if not reference:  # vanilla's own was skipped
            continue
        for n, (text, first) in enumerate(zip(texts, reference, strict=True)):
            result.add("pair", f"pair-{world}-step-{n}", suite, text, first, VANILLA)
    return result


def _neutral(
    backend: Backend, world: str, suite: str
) -> Iterator[tuple[Observation, tuple[str, ...]]]:
    task = Task.load("iron_armor")
    try:
        yield backend.reset(World.load(world), rules_for(suite), task, seed=11), ()
        for action in NEUTRAL:
            step = backend.step(action)
            yield step.observation, step.audit.encounters
    finally:
        backend.close()


def without_time(observation: Observation) -> str:
    """Return an observation's text without the ticks of the last action: a server's are measured."""
    if observation.last is None:
        return observation.to_json()
    return replace(observation, last={**observation.last, "ticks": 0}).to_json()


# ---- episodes
def compare_episode(servers: Servers, world: str, suite: str, task: str) -> Result:
    """Play one episode of the planner on both sides: Score 100, and the milestones in the same order."""
    budget = Task.load(task).budget
    spec = EpisodeSpec(world, suite, task, "planner", None, budget, DISCLOSED, 0)
    result, sides = Result(servers.kind), []
    for backend in (servers.backend(), SimBackend()):
        try:
            record = run_episode(spec, backend, agents.make("planner"))
        except Fault as e:
            result.skip(f"episode-{world}-{task}", suite, e)
            return result
        finally:
            backend.close()
        order = [a for step in record.steps for a in step.advancements]
        wanted = [m.id for m in Task.load(task).milestones]
        sides.append({"score": record.score, "milestones": [a for a in order if a in wanted]})
    result.add("episode", f"episode-{world}-{task}", suite, *sides)
    return result
