"""Proof that a task can be finished under a rulebook: a short plan in semantic actions, or what has no source."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from mirrorcraft.core.action import Action
from mirrorcraft.core.routes.methods import Catalog, Method, catalog
from mirrorcraft.core.routes.order import arranged
from mirrorcraft.core.routes.problem import NoSuchGoal, Prices, Problem, problem
from mirrorcraft.core.routes.sources import NATURAL, Sources
from mirrorcraft.core.routes.walk import Op, Stuck, Walk
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

PROOF_EFFORT = 24  # walks that the search for a shorter plan may try
REPLAN_EFFORT = 6
OPTIONS = 6  # options of one decision that are tried


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One semantic action of a plan.

    Attributes:
        skill: one of the thirteen skills.
        args: its arguments.
        makes: item id to the number that the plan counts on.
        uses: item id to the number used up.
        station: the block that must stand near, or None.
    """

    skill: str
    args: Mapping[str, Any]
    makes: Mapping[str, int] = field(default_factory=dict)
    uses: Mapping[str, int] = field(default_factory=dict)
    station: str | None = None

    @property
    def action(self) -> Action:
        """The step as an action."""
        return Action(self.skill, dict(self.args))

    def __str__(self) -> str:
        if self.skill == "craft_grid":
            return f"craft {_counted(self.makes)} from {_counted(self.uses)}" + (
                " at a crafting_table" if self.station else ""
            )
        what = next(v for v in self.args.values() if isinstance(v, str))
        count = f" x{self.args['count']}" if "count" in self.args else ""
        near = f" in a {self.station}" if self.skill == "smelt" else ""
        used = f", using {_counted(self.uses)}" if self.skill in ("smelt", "enchant") else ""
        made = f" -> {_counted(self.makes)}" if self.makes else ""
        return f"{self.skill} {what}{count}{near}{used}{made}"


@dataclass(frozen=True, slots=True)
class Route:
    """Whether and how an advancement can be reached.

    Attributes:
        goal: the advancement, such as ``story/obtain_armor``.
        ok: there is a plan.
        plan: the steps in order; empty when there is none, or nothing is left to do.
        missing: from the goal down to the requirement that has no source; empty when ``ok``.
        sure: no step of the plan counts on a yield that is only likely.
        choice: what the search settled on, to start the next search from.
    """

    goal: str
    ok: bool
    plan: tuple[PlanStep, ...] = ()
    missing: tuple[str, ...] = ()
    sure: bool = True
    choice: Mapping[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def actions(self) -> int:
        """The number of semantic actions."""
        return len(self.plan)

    def __str__(self) -> str:
        if not self.ok:
            return f"{self.goal}: no route; " + " <- ".join(self.missing)
        lines = (f"{i:3}. {step}" for i, step in enumerate(self.plan, 1))
        return "\n".join((f"{self.goal}: {self.actions} actions", *lines))


def check(rulebook: Rulebook, task: Task) -> Route:
    """Prove that the final milestone of a task can be reached from nothing, or say what has no source.

    The plan counts on the blocks and mobs of the benchmark worlds and on guaranteed yields; where a yield is only
    likely (vanilla leather from cows), it counts on the mean, and ``Route.sure`` is False.
    """
    return _checked(rulebook, task.goal.id)


@lru_cache(maxsize=512)
def _checked(rulebook: Rulebook, goal: str) -> Route:
    return search(catalog(rulebook), goal, effort=PROOF_EFFORT)


def plan(
    rulebook: Rulebook,
    task: Task,
    *,
    inventory: Mapping[str, int] | None = None,
    facilities: Collection[str] = (),
    sources: Sources = NATURAL,
) -> Route:
    """Plan the rest of a task from where an agent stands.

    Args:
        rulebook: the rules to plan under.
        task: its final milestone is the goal.
        inventory: items owned.
        facilities: stations that stand in reach.
        sources: blocks and mobs that there are, with what reaching them costs.
    """
    start = check(rulebook, task).choice
    return search(
        catalog(rulebook), task.goal.id, inventory or {}, facilities, sources, start, REPLAN_EFFORT
    )


def search(
    book: Catalog,
    goal: str,
    inventory: Mapping[str, int] | None = None,
    facilities: Collection[str] = (),
    sources: Sources = NATURAL,
    start: Mapping[Hashable, Any] | None = None,
    effort: int = REPLAN_EFFORT,
) -> Route:
    """Find a short plan for an advancement: a first walk by estimated costs, then changes of one choice at a time.

    Args:
        book: the methods to plan with.
        goal: an advancement id.
        inventory: items owned.
        facilities: stations in reach.
        sources: blocks and mobs that there are.
        start: choices to begin with, from an earlier route.
        effort: walks to try.

    An answer depends on nothing but the arguments, their order included, and is kept: twins and repetitions of an
    episode ask the same until their luck or their rules part them.
    """
    try:
        task = problem(book, goal, sources.names)
    except NoSuchGoal as e:
        return Route(goal, False, missing=(str(e),))
    have = tuple((i, n) for i, n in (inventory or {}).items() if n > 0)
    far = task.far(sources)
    return _searched(task, have, tuple(facilities), far, tuple((start or {}).items()), effort)


@lru_cache(maxsize=1024)
def _searched(
    task: Problem,
    have: tuple[tuple[str, int], ...],
    placed: tuple[str, ...],
    far: tuple[tuple[tuple[str, float], ...], ...],
    start: tuple[tuple[Hashable, Any], ...],
    effort: int,
) -> Route:
    goal = task.advancement
    trial = _Trial(task, Sources(*map(dict, far)), dict(have), set(placed))
    best = trial.walk({})
    warm = trial.walk(dict(start)) if start else None
    best = min((w for w in (best, warm) if w), key=lambda w: w.cost, default=None)
    if best is None:
        return Route(goal, False, missing=_missing(task))
    best = _improved(trial, best, effort)
    ops = arranged(task, best.ops, trial.have, trial.placed)
    steps = tuple(s for op in ops for s in _steps(op))
    return Route(goal, True, steps, (), best.sure, best.choice)


def forget() -> None:
    """Drop the answers that ``search`` keeps, as whoever measures it must."""
    _searched.cache_clear()


@dataclass(frozen=True, slots=True)
class _Found:
    """A walk that reached the goal."""

    ops: list[Op]
    cost: float
    sure: bool
    choice: Mapping[Hashable, Any]
    decisions: Mapping[Hashable, list[Any]]


class _Trial:
    """Walks from one start under one set of prices."""

    def __init__(self, task: Problem, sources: Sources, have: dict[str, int], placed: set[str]):
        self.task, self.sources, self.have, self.placed = task, sources, have, placed
        self.prices = task.prices(
            sources, {**dict.fromkeys(have, 1.0), **dict.fromkeys(placed, 0.0)}
        )

    def walk(self, choice: Mapping[Hashable, Any]) -> _Found | None:
        """Return what these choices lead to, or None when they lead nowhere."""
        walk = Walk(self.task, self.prices, dict(self.have), set(self.placed), choice=choice)
        try:
            walk.run()
        except Stuck:
            return None
        units: dict[Method, int] = {}
        for op in walk.ops:
            units[op.method] = units.get(op.method, 0) + op.count
        # Trips of one kind will be joined, so the sum over a method counts.
        actions = sum(-(-n // m.batch) * (2 if _is_replacing(m) else 1) for m, n in units.items())
        far = sum(self.prices.far(m) for m in units)
        work = sum(units.values())  # among equally short plans, the one with less to do
        return _Found(walk.ops, actions + far + 0.001 * work, walk.sure, choice, walk.decisions)


def _improved(trial: _Trial, best: _Found, effort: int) -> _Found:
    """Return the best plan found by changing one choice at a time, first improvement first."""
    tried: set[tuple[Hashable, int]] = set()
    while True:
        for key, option in _alternatives(best):
            if (key, id(option)) in tried:
                continue
            if effort <= 0:
                return best
            tried.add((key, id(option)))
            effort -= 1
            found = trial.walk({**best.choice, key: option})
            if found and found.cost < best.cost - 1e-9:
                best = found
                break
        else:
            return best


def _alternatives(found: _Found) -> Iterator[tuple[Hashable, Any]]:
    for key, options in found.decisions.items():
        taken = found.choice.get(key, options[0])
        for option in options[:OPTIONS]:
            if option is not taken:
                yield key, option


def _is_replacing(method: Method) -> bool:
    return method.skill == "place" and bool(method.gives)


def _steps(op: Op) -> Iterator[PlanStep]:
    """Yield the actions of an op."""
    skill, station = op.method.skill, op.method.station
    if skill == "craft_grid":
        grid = [list(row) for row in op.grid]
        place = station or "inventory"
        yield PlanStep(skill, {"station": place, "grid": grid}, op.makes, op.uses, station)
    elif skill == "smelt":
        args = {"input": op.target, "station": station, "count": op.count}
        yield PlanStep(skill, args, op.makes, op.uses, station)
    elif skill == "enchant":
        yield PlanStep(skill, {"item": op.target, "option": "lowest"}, {}, op.uses, station)
    elif skill == "place":
        yield PlanStep(skill, {"block": op.target}, {}, op.uses)
        if op.makes:
            yield PlanStep("mine", {"block": op.target, "count": 1}, op.makes)
    else:
        yield from _batches(op, "block" if skill == "mine" else "target")


def _batches(op: Op, name: str) -> Iterator[PlanStep]:
    left, owed = op.count, dict(op.makes)
    while left:
        n = min(left, op.method.batch)
        # Rounded towards the earlier actions, so that the parts sum up to the whole.
        part = {i: -(-k * n // left) for i, k in owed.items() if k}
        owed = {i: k - part.get(i, 0) for i, k in owed.items()}
        left -= n
        yield PlanStep(op.method.skill, {name: op.target, "count": n}, part)


def _missing(task: Problem) -> tuple[str, ...]:
    """Return the chain from the goal down to the first thing that nothing gives, along the vanilla route."""
    vanilla = catalog(Rulebook.vanilla(task.catalog.rulebook.version))
    usual = problem(vanilla, task.advancement, NATURAL.names)
    price = usual.prices(NATURAL)
    pools = [p for group in task.goal if not _had(task, group) for p in group]
    if not pools:
        return (task.advancement, "every way that was tried runs in a circle")
    item = min((i for p in pools for i in p), key=lambda i: price.costs.get(i, float("inf")))
    chain = [item]
    while True:
        lacking = [i for m in price.ranked(item)[:1] for i in _lacking(task, price, m)]
        lacking = [i for i in lacking if i not in chain]
        if not lacking:
            return (*chain, f"nothing gives {item}")
        item = lacking[0]
        chain.append(item)


def _lacking(task: Problem, price: Prices, method: Method) -> Iterator[str]:
    """Yield, for every need of a method that cannot be met, the item that usually meets it."""
    for pool in method.needs:
        if not any(i in task.base for i in pool):
            yield min(pool, key=lambda i: price.costs.get(i, float("inf")))


def _had(task: Problem, group: tuple[tuple[str, ...], ...]) -> bool:
    return any(i in task.base for pool in group for i in pool)


def _counted(items: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {item}" for item, n in items.items()) or "nothing"
