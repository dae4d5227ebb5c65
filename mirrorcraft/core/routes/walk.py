"""One plan for a problem: obtain what the goal needs, one thing after the other, with an inventory in hand."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.core.routes.methods import BATCH, Method, Pool
from mirrorcraft.core.routes.problem import Prices, Problem

EFFORT = 3000  # calls of ``obtain`` in one walk; a sane plan needs well under 200
RETRIES = 4  # rounds of getting again what burning fuel took away
Grid = tuple[tuple[str | None, ...], ...]
Choice = Mapping[Hashable, Any]


class Stuck(Exception):
    """This walk cannot go on; another choice may."""


@dataclass(slots=True)
class Op:
    """``count`` applications of a method, with the very items that it uses and makes."""

    method: Method
    count: int
    uses: dict[str, int]
    makes: dict[str, int]
    target: str
    grid: Grid = ()


@dataclass
class Walk:
    """A forward simulation that obtains things one after the other.

    Attributes:
        choice: for an item, a pool or ``"fuel"``: which of its options to take instead of the cheapest.
        decisions: the options met on the way, the cheapest first, for whoever wants to choose otherwise.
        sure: every yield that the plan counts on is guaranteed.
    """

    problem: Problem
    prices: Prices
    have: dict[str, int]
    placed: set[str]
    carried: set[str] = field(default_factory=set)  # stations set aside to be put down
    choice: Choice = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    held: dict[str, int] = field(default_factory=dict)
    busy: list[str] = field(default_factory=list)
    decisions: dict[Hashable, list[Any]] = field(default_factory=dict)
    sure: bool = True
    effort: int = EFFORT

    def run(self) -> None:
        """Reach every requirement group of the goal by its cheapest alternative.

        Raises:
            Stuck: these choices lead nowhere.
        """
        for number, group in enumerate(self.problem.goal):
            pools = sorted(group, key=self.prices.pool)
            self.pool(self._choose(("goal", number), pools), 1)

    def free(self, item: str) -> int:
        """Return how many of an item are owned and not set aside."""
        return self.have.get(item, 0) - self.held.get(item, 0)

    def hold(self, items: Mapping[str, int], sign: int = 1) -> None:
        """Set items aside, or with sign -1 give them free again."""
        for item, n in items.items():
            self.held[item] = self.held.get(item, 0) + sign * n

    def pool(self, pool: Pool, n: int) -> dict[str, int]:
        """Obtain ``n`` items of a pool and set them aside."""
        got: dict[str, int] = {}
        while n > 0:
            item = max(pool, key=self.free)
            k = min(self.free(item), n)
            if k <= 0:
                self._obtain_any(pool, n)
                continue
            self.hold({item: k})
            got[item] = got.get(item, 0) + k
            n -= k
        return got

    def _obtain_any(self, pool: Pool, n: int) -> None:
        """Make some of ``n`` items of a pool free to take."""
        if self._makeable(pool, n):
            return
        costs = self.prices.costs
        members = sorted((i for i in pool if i in costs), key=lambda i: costs[i])
        self._first_that_works(pool, members, lambda item: self.obtain(item, n))

    def _first_that_works(
        self, key: Hashable, options: list[Any], do: Callable[[Any], None]
    ) -> None:
        """Do the chosen option, else the cheapest one that does not get stuck; a failed try leaves no trace."""
        if len(options) > 1:
            first = self._choose(key, options)
            options = [first, *(o for o in options if o is not first)]
        for option in options:
            kept = dict(self.have), dict(self.held), set(self.placed), set(self.carried)
            done = len(self.ops)
            try:
                do(option)
                return
            except Stuck:
                self.have, self.held, self.placed, self.carried = kept
                del self.ops[done:]
        raise Stuck

    def _makeable(self, pool: Pool, n: int) -> bool:
        """Make what can be made at once from what is owned; say whether anything was."""
        for item in pool:
            for method in self.problem.uses.get(item, ()):
                sure = method.takes and method.gives[item].least
                if sure and self.choice.get((item, "now"), True):
                    possible = self._possible(method)
                    if possible:
                        made = method.gives[item].least
                        self.decisions.setdefault((item, "now"), [True, False])
                        self.apply(method, min(possible, math.ceil(n / made)), item)
                        return True
        return False

    def _possible(self, method: Method) -> int:
        """Return how often a method can be applied with free items and no new station or tool."""
        if method.station and method.station not in self.placed:
            return 0
        if method.tools and not any(self.have.get(t) for t in method.tools):
            return 0
        return min(sum(max(0, self.free(i)) for i in pool) // n for pool, n in method.takes)

    def obtain(self, item: str, n: int) -> None:
        """Make ``n`` of an item free to take, by its best method that leads somewhere."""
        self.effort -= 1
        if item in self.busy or self.effort < 0:
            raise Stuck
        self.busy.append(item)
        try:
            options = self.prices.ranked(item)
            self._first_that_works(item, options, lambda method: self._make(method, item, n))
        finally:
            self.busy.pop()

    def _make(self, method: Method, item: str, n: int) -> None:
        while (missing := n - self.free(item)) > 0:
            made = method.gives[item]
            times = math.ceil(missing / (made.least or made.mean))
            if not made.least:
                # A full batch takes no more actions than one, and makes bad luck rare.
                self.sure = False
                times = math.ceil(times / method.batch) * method.batch
            self.apply(method, times, item)

    def _choose(self, key: Hashable, options: Sequence[Any]) -> Any:
        self.decisions.setdefault(key, list(options))
        chosen = self.choice.get(key)
        return chosen if chosen in options else options[0]

    def apply(self, method: Method, times: int, want: str) -> None:
        """Get what a method needs, then do it ``times`` times."""
        self._carry(method.station)
        by_price = sorted(method.takes, key=lambda t: -t[1] * self.prices.pool(t[0]))
        for _ in range(RETRIES):
            parts = [(pool, self.pool(pool, n * times)) for pool, n in by_price]
            fuel = self._fuel(method, times)
            if method.tools and not any(self.have.get(t) for t in method.tools):
                self._obtain_any(method.tools, 1)
            self._place(method.station)
            for part in (*(p for _, p in parts), fuel):
                self.hold(part, -1)
            total = added(*(p for _, p in parts))
            if all(self.have.get(i, 0) >= k for i, k in total.items()):
                self._emit(method, times, want, parts)
                return
        raise Stuck

    def _carry(self, station: str | None) -> None:
        """Have the station's item early, where its makings are; it is put down where it is first needed."""
        if station and station not in self.placed and station not in self.carried:
            self.pool((station,), 1)
            self.carried.add(station)

    def _place(self, station: str | None) -> None:
        if not station or station in self.placed:
            return
        self._carry(station)
        self.carried.remove(station)
        self.hold({station: 1}, -1)
        self.placed.add(station)
        put = Method("place", station, {}, (((station,), 1),))
        self._record(Op(put, 1, {station: 1}, {}, station))

    def _fuel(self, method: Method, times: int) -> dict[str, int]:
        """Set aside free fuel for a cooking method, obtaining what is short."""
        if not method.fuel_ticks:
            return {}
        fuels, got = self.problem.fuels, {}
        batches = [method.batch] * (times // method.batch) + [times % method.batch]
        for ticks in (n * method.fuel_ticks for n in batches if n):
            while ticks > 0:
                item = next((f for f in self.have if f in fuels and self.free(f) > 0), None)
                if item is None:
                    self._obtain_fuel(ticks)
                    continue
                n = min(self.free(item), math.ceil(ticks / fuels[item]))
                self.hold({item: n})
                got[item] = got.get(item, 0) + n
                ticks -= n * fuels[item]
        return got

    def _obtain_fuel(self, ticks: int) -> None:
        costs, fuels = self.prices.costs, self.problem.fuels

        def price(fuel: str) -> float:
            return costs[fuel] * math.ceil(ticks / fuels[fuel])

        made = self.problem.fuels_worth_making
        options = sorted((f for f in made if f in costs and f not in self.busy), key=price)
        if not options:
            raise Stuck
        fuel = self._choose("fuel", options)
        self.obtain(fuel, math.ceil(ticks / fuels[fuel]))

    def _emit(
        self, method: Method, times: int, want: str, parts: list[tuple[Pool, dict[str, int]]]
    ) -> None:
        size = {"craft_grid": 1, "place": 1, "smelt": BATCH["smelt"]}.get(method.skill, times)
        stacks = [(pool, [i for i, k in part.items() for _ in range(k)]) for pool, part in parts]
        per = dict(method.takes)
        while times > 0:
            n = min(size, times)
            times -= n
            picked = {pool: [items.pop() for _ in range(per[pool] * n)] for pool, items in stacks}
            uses = added(*({i: 1} for items in picked.values() for i in items))
            if method.fuel_ticks:
                burnt = burn(self.problem.fuels, less(self.have, uses), n * method.fuel_ticks)
                if burnt is None:
                    raise Stuck
                uses = added(uses, burnt)
            makes = {i: y.least * n for i, y in method.gives.items() if y.least}
            if want not in makes:
                makes[want] = math.floor(method.gives[want].mean * n + 1e-9)
            grid = tuple(
                tuple(None if c is None else picked[c].pop() for c in row) for row in method.cells
            )
            target = method.target
            if method.skill == "enchant":
                target = next(t for t in method.tools if self.have.get(t))
            self._record(Op(method, n, uses, makes, target, grid))

    def _record(self, op: Op) -> None:
        self.ops.append(op)
        if not apply(self.have, op):
            raise Stuck


def burn(fuels: Mapping[str, int], have: Mapping[str, int], ticks: int) -> dict[str, int] | None:
    """Return the fuel that the body burns for some ticks, in its order; None when there is too little."""
    burnt: dict[str, int] = {}
    for item, worth in fuels.items():
        n = min(have.get(item, 0), math.ceil(ticks / worth))
        if n > 0:
            burnt[item] = n
            ticks -= n * worth
        if ticks <= 0:
            return burnt
    return None


def apply(have: dict[str, int], op: Op) -> bool:
    """Change what is owned as an op does; return whether all that it uses was there."""
    for item, n in op.uses.items():
        have[item] = have.get(item, 0) - n
        if have[item] < 0:
            return False
    for item, n in op.makes.items():
        have[item] = have.get(item, 0) + n
    return True


def added(*parts: Mapping[str, int]) -> dict[str, int]:
    """Return the sum of some heaps of items."""
    total: dict[str, int] = {}
    for part in parts:
        for item, n in part.items():
            total[item] = total.get(item, 0) + n
    return total


def less(have: Mapping[str, int], used: Mapping[str, int]) -> dict[str, int]:
    """Return a heap of items with another one taken away."""
    return {i: n - used.get(i, 0) for i, n in have.items()}
