"""Loops that create items: crafting, cooking, placing and mining again that give back all they took, and more.

Every conversion is a vector of what it takes and gives. A loop that gains is a mixture of conversions, each run zero
times or more, of which the sum takes nothing and gives something. Whether there is one is decided exactly: all items of
a loop turn into each other, so it is looked for in each strongly connected part of the graph "is used to make".
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm

from mirrorcraft.core import routes
from mirrorcraft.core.apply_loot import proper_tool
from mirrorcraft.core.routes import Method
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.simplex import maximise

Amounts = Mapping[str, Fraction]


@dataclass(frozen=True, eq=False)
class Conversion:
    """One thing to do with items, as the rules play it.

    Attributes:
        words: what is done, such as ``craft 1 iron_block -> 9 iron_ingot``.
        takes: item to how many are used up.
        gives: item to how many come of it, on average where luck plays a part.
    """

    words: str
    takes: Amounts
    gives: Amounts

    def net(self) -> dict[str, Fraction]:
        """Return item to what there is more of afterwards; below zero is less."""
        items = {*self.takes, *self.gives}
        sums = {i: self.gives.get(i, Fraction(0)) - self.takes.get(i, Fraction(0)) for i in items}
        return {item: n for item, n in sorted(sums.items()) if n}


@dataclass(frozen=True, slots=True)
class Gain:
    """A loop that creates items.

    Attributes:
        runs: each conversion and how often it is run in one round.
        surplus: item to how many there are more after a round; nothing is fewer.
        multiplies: a surplus item turns back into what the loop runs on, so the loop feeds itself; else the
            loop keeps what it runs on and gives byproducts.
        placing: a block is placed and mined again in it.
    """

    runs: tuple[tuple[Conversion, int], ...]
    surplus: dict[str, Fraction]
    multiplies: bool
    placing: bool

    def __str__(self) -> str:
        rounds = "; ".join(f"{n} x {c.words}" for c, n in self.runs)
        return f"{rounds}: all that went in is back, and {_counted(self.surplus)} more"


def gains(rules: Rulebook) -> Iterator[Gain]:
    """Yield a loop that creates items for each part of the rules that has one.

    Loops of crafting and cooking come first; then those that also place blocks and mine them again, with the proper
    tool, plain, with Silk Touch and with Fortune III, as the mean over luck. Fuel counts as free. Not looked at is what
    no skill does: smithing, stonecutting, campfires, growing plants, breeding.
    """
    found: set[frozenset[str]] = set()
    for placing in (False, True):
        for part, conversions in _parts(rules, placing):
            if any(items <= part for items in found):
                continue
            gain = _gain(part, conversions, placing)
            if gain:
                found.add(frozenset(i for c, _ in gain.runs for i in c.takes))
                yield gain


def _gain(part: frozenset[str], conversions: list[Conversion], placing: bool) -> Gain | None:
    """Return a loop within some items that gains: one that multiplies them if there is one, else byproducts."""
    for multiplies in (True, False):
        shares = _shares(part, conversions, multiplies)
        for conversion in list(shares):  # the fewest conversions that still gain
            fewer = [c for c in shares if c is not conversion]
            shares = _shares(part, fewer, multiplies) or shares
        if shares:
            return _round(shares, multiplies, placing)
    return None


def _shares(
    part: frozenset[str], conversions: list[Conversion], multiplies: bool
) -> dict[Conversion, Fraction]:
    """Return how much of each conversion makes up a loop that gains; empty if there is no such loop."""
    nets = [c.net() for c in conversions]
    rows = [{j: -net[item] for j, net in enumerate(nets) if item in net} for item in sorted(part)]
    goal = {
        j: sum((n for i, n in net.items() if i in part or not multiplies), Fraction(0))
        for j, net in enumerate(nets)
    }
    return {conversions[j]: share for j, share in maximise(goal, rows).items()}


def _round(shares: Mapping[Conversion, Fraction], multiplies: bool, placing: bool) -> Gain:
    """Return a gain with its conversions run whole numbers of times."""
    factor = lcm(*(share.denominator for share in shares.values()))
    counts = {conversion: int(share * factor) for conversion, share in shares.items()}
    divisor = gcd(*counts.values())
    runs = tuple((conversion, n // divisor) for conversion, n in counts.items())
    surplus: dict[str, Fraction] = {}
    for conversion, n in runs:
        for item, more in conversion.net().items():
            surplus[item] = surplus.get(item, Fraction(0)) + n * more
    return Gain(runs, {i: n for i, n in sorted(surplus.items()) if n}, multiplies, placing)


# --- what turns into what


def _parts(rules: Rulebook, placing: bool) -> Iterator[tuple[frozenset[str], list[Conversion]]]:
    """Yield the sets of items that turn into each other, each with the conversions that stay within it."""
    methods = list(routes.catalog(rules).recipes.values())
    placed = list(_placing(rules)) if placing else []
    edges: dict[str, set[str]] = {}
    for method in methods:
        for item in {i for pool in _pools(method) for i in pool}:
            rest = rules.items[item].remainder
            edges.setdefault(item, set()).update(method.gives, [rest] if rest else [])
    for conversion in placed:
        for item in conversion.takes:
            edges.setdefault(item, set()).update(conversion.gives)
    for part in components(edges):
        if len(part) == 1 and not part & edges.get(next(iter(part)), set()):
            continue
        inside = [c for method in methods for c in _within(method, part, rules)]
        inside += [c for c in placed if c.takes.keys() <= part and c.gives.keys() & part]
        if inside:
            yield part, inside


def _within(method: Method, part: frozenset[str], rules: Rulebook) -> Iterator[Conversion]:
    """Yield what a method does with inputs of one part only, as the rules play it.

    Equal pools are filled alike: a mixture takes the average of what the pure grids take.
    """
    pools = _pools(method)
    choices = [sorted(part.intersection(pool)) for pool in pools]
    if not all(choices):
        return
    for members in product(*choices):
        chosen = dict(zip(pools, members, strict=True))
        if method.skill == "smelt":
            yield from _cooked(method.target, str(method.station), rules)
        else:
            yield from _crafted(
                [[chosen[c] if c else None for c in row] for row in method.cells], rules
            )


def _pools(method: Method) -> tuple[tuple[str, ...], ...]:
    return tuple(pool for pool, _ in method.takes)


def _crafted(grid: list[list[str | None]], rules: Rulebook) -> Iterator[Conversion]:
    made = rules.craft(grid)
    if made is None:
        return
    takes = Counter(cell for row in grid for cell in row if cell)
    gives = Counter({made.item: made.count})
    for item, n in takes.items():
        if rest := rules.items[item].remainder:
            gives[rest] += n
    yield _conversion("craft", takes, gives)


def _cooked(item: str, station: str, rules: Rulebook) -> Iterator[Conversion]:
    recipe = rules.cook(station, item)
    if recipe is not None:
        yield _conversion(f"cook in a {station}", {item: 1}, {recipe.result: recipe.count})


def _placing(rules: Rulebook) -> Iterator[Conversion]:
    """Yield what placing a block and mining it again gives, where that is more than the block's own item."""
    from mirrorcraft.sim.loot_tables import STANDING  # late: it brings numba along

    for item, facts in rules.items.items():
        block = facts.block
        if block is None or rules.blocks[block].hardness < 0:
            continue
        tool = proper_tool(block, rules) or "iron_pickaxe"
        for name, levels in (
            ("", {}),
            ("silk_touch", {"silk_touch": 1}),
            ("fortune", {"fortune": 3}),
        ):
            gives: dict[str, Fraction] = {}
            for stacks, p in rules.drops(block, tool, levels, STANDING).items():
                for dropped, n in stacks:
                    gives[dropped] = gives.get(dropped, Fraction(0)) + n * p
            if gives.keys() - {item} or gives.get(item, 0) > 1:
                yield _conversion(f"place and mine{name and f' with {name}'}", {item: 1}, gives)


def _conversion(
    words: str, takes: Mapping[str, int], gives: Mapping[str, int | Fraction]
) -> Conversion:
    exact = [{i: Fraction(n) for i, n in sorted(part.items())} for part in (takes, gives)]
    return Conversion(f"{words} {_counted(exact[0])} -> {_counted(exact[1])}", *exact)


def _counted(amounts: Amounts) -> str:
    return ", ".join(f"{_number(n)} {item}" for item, n in amounts.items()) or "nothing"


def _number(n: Fraction) -> str:
    return str(n) if n.denominator == 1 else f"{float(n):.3g}"


# --- graphs


def components(edges: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """Return the strongly connected parts of a graph, in a fixed order (Kosaraju: two searches, one backwards)."""
    back: dict[str, set[str]] = {}
    for start, ends in edges.items():
        for end in ends:
            back.setdefault(end, set()).add(start)
    seen: set[str] = set()
    order = [n for start in sorted({*edges, *back}) for n in _finished(start, edges, seen)]
    seen = set()
    parts = (frozenset(_finished(start, back, seen)) for start in reversed(order))
    return [part for part in parts if part]


def _finished(start: str, edges: Mapping[str, set[str]], seen: set[str]) -> list[str]:
    """Return the nodes reached for the first time, each after all that it leads to."""
    if start in seen:
        return []
    seen.add(start)
    done: list[str] = []
    path = [(start, iter(sorted(edges.get(start, ()))))]
    while path:
        node, ends = path[-1]
        for end in ends:
            if end not in seen:
                seen.add(end)
                path.append((end, iter(sorted(edges.get(end, ())))))
                break
        else:
            done.append(node)
            path.pop()
    return done
