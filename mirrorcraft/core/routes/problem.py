"""A goal with the methods that can serve it, and what each item is estimated to cost in actions."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from mirrorcraft.core.ids import strip
from mirrorcraft.core.routes.methods import ENCHANTED, Catalog, Method, Pool
from mirrorcraft.core.routes.sources import Sources
from mirrorcraft.core.rulebook import Rulebook

# A tool or station serves many times: one use is charged this share of what it costs to make.
SHARE = 0.3
# What costs more than this many times the cheapest alternative, plus the slack, is never looked at.
FACTOR, SLACK = 2.5, 2.0
FRESH: Mapping[str, float] = {}

T = TypeVar("T")


class NoSuchGoal(Exception):
    """An advancement that no skill can complete; the message names its trigger."""


def goal_pools(rulebook: Rulebook, advancement: str) -> tuple[tuple[Pool, ...], ...]:
    """Return what completes an advancement, read from its criteria.

    Returns:
        one entry for each requirement group; each holds alternatives; each alternative is a pool of items of
        which one must enter the inventory (``ENCHANTED`` stands for enchanting).

    Raises:
        NoSuchGoal: a group has no criterion that the skills can meet.
    """
    facts = rulebook.advancements[advancement]
    groups = []
    for group in facts.requirements:
        pools = [p for name in group for p in _criterion(rulebook, facts.criteria[name])]
        if not pools:
            triggers = sorted({strip(facts.criteria[name]["trigger"]) for name in group})
            raise NoSuchGoal(f"{advancement}: no skill triggers {' or '.join(triggers)}")
        groups.append(tuple(pools))
    return tuple(groups)


def _criterion(rulebook: Rulebook, criterion: Any) -> list[Pool]:
    """Return the pool of a criterion; no pool when it asks for more than one stack of one of some items."""
    if criterion["trigger"] == "minecraft:enchanted_item" and not criterion.get("conditions"):
        return [(ENCHANTED,)]
    predicates = criterion.get("conditions", {}).get("items", [])
    if criterion["trigger"] != "minecraft:inventory_changed" or len(predicates) != 1:
        return []
    predicate = predicates[0]
    if set(predicate) == {"items"}:
        return [tuple(sorted(strip(i) for i in predicate["items"]))]
    if set(predicate) == {"tag"}:
        return [rulebook.expand(("#" + strip(predicate["tag"]),))]
    return []


class Problem:
    """What a goal may need under a catalog, from the named sources: reachable methods only.

    Attributes:
        goal: as ``goal_pools`` returns it.
        makers: item to the methods worth a look.
        uses: the same with all methods: what is owned already may serve a way that would be too dear to take.
        base: item to its cost when every source is at hand; an item that is not in it cannot be had.
        methods: all methods of ``makers``, each after what it first became reachable by.
    """

    def __init__(self, book: Catalog, advancement: str, names: tuple[Pool, Pool]):
        self.catalog, self.advancement = book, advancement
        self.goal = goal_pools(book.rulebook, advancement)
        self.makers: dict[str, list[Method]] = {}
        self.uses: dict[str, list[Method]] = {}
        self.fuels = book.fuels
        self.fuels_worth_making: list[str] = []
        gathered = [m for b in names[0] if (m := book.mine(b))]
        gathered += [m for e in names[1] if (m := book.attack(e))]
        self._collect(gathered)
        blocks, entities = (dict.fromkeys(n, 0.0) for n in names)
        self.methods = self._reachable()
        start = self.prices(Sources(blocks, entities))
        self.base = start.costs
        self._prune(start)

    def _collect(self, gathered: Iterable[Method]) -> None:
        """Fill ``makers`` with all methods that the goal may need, reachable or not."""
        by_item: dict[str, list[Method]] = {}
        for method in gathered:
            for item in method.gives:
                by_item.setdefault(item, []).append(method)
        queue = [item for group in self.goal for pool in group for item in pool]
        seen = dict.fromkeys(queue)
        while queue:
            item = queue.pop()
            found = by_item.get(item, []) + self.catalog.makers.get(item, [])
            found += self.catalog.replaced(item)
            self.makers[item] = [self.catalog.enchanting] if item == ENCHANTED else found
            for method in self.makers[item]:
                wanted = [i for pool in method.needs for i in pool]
                wanted += list(self.fuels) if method.fuel_ticks else []
                fresh = [i for i in dict.fromkeys(wanted) if i not in seen]
                seen |= dict.fromkeys(fresh)
                queue += fresh

    def _reachable(self) -> list[Method]:
        """Return the methods whose needs can be met, in rounds from the sources up."""
        waiting = list(dict.fromkeys(m for found in self.makers.values() for m in found))
        have: set[str] = set()
        order: list[Method] = []
        while True:
            ready = [m for m in waiting if self._ready(m, have)]
            if not ready:
                return order
            order += ready
            have.update(item for m in ready for item in m.gives)
            done = set(ready)
            waiting = [m for m in waiting if m not in done]

    def _ready(self, method: Method, have: set[str]) -> bool:
        fueled = not method.fuel_ticks or not have.isdisjoint(self.fuels)
        return fueled and all(not have.isdisjoint(pool) for pool in method.needs)

    def _prune(self, price: "Prices") -> None:
        """Keep what a sensible plan could use, from the goal down; the rest is hopelessly dear.

        What was reached first is always kept: estimated costs may run in circles, the order of reaching does not.
        """
        made, costs = self.makers, price.costs
        self.uses = made
        first = {m: i for i, m in enumerate(self.methods)}
        reached: dict[str, int] = {}
        for method, i in first.items():
            for item in method.gives:
                reached.setdefault(item, i)
        burnt = [f for f in self.fuels if f in costs]
        self.fuels_worth_making = _sensible(burnt, lambda f: costs[f] / self.fuels[f], reached)
        self.makers = {}
        queue = [i for group in self.goal for pool in group for i in pool if i in costs]
        while queue:
            item = queue.pop()
            if item in self.makers:
                continue
            found = [m for m in made[item] if m in first]
            self.makers[item] = _sensible(
                found, lambda m, item=item: price.equipped(m, item), first
            )
            for method in self.makers[item]:
                for pool in method.needs:
                    queue += _sensible([i for i in pool if i in costs], costs.__getitem__, reached)
                queue += self.fuels_worth_making if method.fuel_ticks else []
        kept = {m for found in self.makers.values() for m in found}
        self.methods = [m for m in self.methods if m in kept]

    def far(self, sources: Sources) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Return the blocks and the mobs worth a look, each with what reaching it costs."""
        worth = {(m.skill, m.target) for m in self.methods}
        return tuple(
            tuple((name, cost) for name, cost in costs.items() if (skill, name) in worth)
            for skill, costs in (("mine", sources.blocks), ("attack", sources.entities))
        )

    def prices(self, sources: Sources, ready: Mapping[str, float] = FRESH) -> "Prices":
        """Return the estimated costs in actions.

        Args:
            sources: what there is, and how far.
            ready: what the first use of tools and stations costs that are owned (1 action for a station that is
                still to be placed) or placed (0).
        """
        costs: dict[str, float] = {}
        price = Prices(self, costs, sources, ready)
        for _ in range(
            12
        ):  # a rule that multiplies items may lower costs for ever: enough is enough
            changed = False
            for method in self.methods:
                for item in method.gives:
                    cost = price.method(method, item)
                    if cost < costs.get(item, float("inf")) - 1e-6:
                        costs[item] = cost
                        changed = True
            price.forget()
            if not changed:
                break
        return price


def _sensible(options: list[T], cost: Callable[[T], float], reached: Mapping[T, int]) -> list[T]:
    """Return the option reached first, and those that do not cost many times as much as the cheapest."""
    costs = [cost(o) for o in options]
    limit = min(costs, default=0.0) * FACTOR + SLACK
    first = min(options, key=reached.__getitem__, default=None)
    return [o for o, c in zip(options, costs, strict=True) if c <= limit or o is first]


class Prices:
    """Estimated costs in actions of items (``costs``; what cannot be had is not in it), pools and methods."""

    def __init__(
        self,
        problem: Problem,
        costs: dict[str, float],
        sources: Sources,
        ready: Mapping[str, float],
    ):
        self.problem, self.costs, self.sources, self.ready = problem, costs, sources, ready
        self._ranked: dict[str, list[Method]] = {}
        self._fuel: float | None = None

    def pool(self, pool: Pool) -> float:
        """Return the cost of the cheapest item of a pool."""
        return min((self.costs[i] for i in pool if i in self.costs), default=float("inf"))

    def method(self, method: Method, item: str) -> float:
        """Return what one ``item`` costs when made by ``method``."""
        shared = self._tool(method.tools) if method.tools else 0.0
        if method.station:
            placed = self.ready.get(method.station)
            shared += 1.0 + self.pool((method.station,)) if placed is None else placed
        return self.equipped(method, item) + SHARE * shared

    def equipped(self, method: Method, item: str) -> float:
        """Return what one ``item`` costs when made by ``method`` with tools and station at hand."""
        flow = (1.0 + self.far(method)) / method.batch + (method.skill == "place")
        for pool, n in method.takes:
            flow += n * self.pool(pool)
        if method.fuel_ticks:
            flow += method.fuel_ticks * self.fuel()
        made = method.gives[item]
        return flow / (made.least or made.mean)

    def _tool(self, tools: Pool) -> float:
        return 0.0 if any(t in self.ready for t in tools) else self.pool(tools)

    def far(self, method: Method) -> float:
        """Return the extra actions that reaching the method's source costs."""
        if method.skill == "mine":
            return self.sources.blocks.get(method.target, 0.0)
        return self.sources.entities.get(method.target, 0.0) if method.skill == "attack" else 0.0

    def fuel(self) -> float:
        """Return the cost of one tick of burn time."""
        if self._fuel is None:
            fuels = self.problem.fuels
            prices = (c / fuels[f] for f, c in self.costs.items() if f in fuels)
            self._fuel = min(prices, default=float("inf"))
        return self._fuel

    def forget(self) -> None:
        """Drop what was derived from costs that have changed."""
        self._fuel = None
        self._ranked.clear()

    def ranked(self, item: str) -> list[Method]:
        """Return the methods that make an item, the cheapest first."""
        if item not in self._ranked:
            found = self.problem.makers.get(item, [])
            self._ranked[item] = sorted(found, key=lambda m: self.method(m, item))
        return self._ranked[item]


@lru_cache(maxsize=512)
def problem(book: Catalog, advancement: str, names: tuple[Pool, Pool]) -> Problem:
    """Return the problem of reaching an advancement; the same one for equal arguments."""
    return Problem(book, advancement, names)
