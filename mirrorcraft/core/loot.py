"""Loot tables of 1.19: the exact distribution of what a table gives, as fractions.

A table is the plain JSON value that the game reads, ids with their namespace. What is not supported is refused by
name (``check_table``), never guessed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple, Protocol

from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.ids import strip
from mirrorcraft.core.loot_terms import BONUSES, CONDITIONS, FUNCTIONS, ONE, number

Stacks = tuple[tuple[str, int], ...]  # ((item, count), ...), sorted, counts above 0; () is nothing
Distribution = dict[Stacks, Fraction]
Table = dict[str, Any]

NOTHING: Distribution = {(): ONE}


_ENTRIES = ("item", "empty", "dynamic", "loot_table", "tag", "group", "alternatives")
TABLE_TYPES = ("block", "entity", "gift", "fishing", "barter", "empty", "generic")


class LootContext(NamedTuple):
    """The circumstances that a table may ask for.

    Attributes:
        tool: item in the hand that breaks a block, or None for the bare hand.
        enchantments: levels on that tool.
        looting: level of Looting on the weapon that kills.
        on_fire: the killed entity burned.
        killed_by_player: a player hit the entity within the last five seconds.
        state: block-state properties known of the broken block; a condition on any other property fails.
    """

    tool: str | None = None
    enchantments: Mapping[str, int] = {}
    looting: int = 0
    on_fire: bool = False
    killed_by_player: bool = True
    state: Mapping[str, str] = {}


class LootRules(Protocol):
    """What a table needs of the rules around it; a Rulebook is one."""

    @property
    def loot(self) -> Mapping[str, Table]: ...
    def tag(self, kind: str, name: str) -> frozenset[str]: ...
    def cook(self, station: str, item: str) -> Any: ...


def distribution(table: Table, context: LootContext, rules: LootRules) -> Distribution:
    """Return every possible yield of a table with its probability.

    Raises:
        InputError: the table holds something that ``check_table`` lists.
    """
    return Roll(context, rules).table(table)


def combine(first: Distribution, second: Distribution) -> Distribution:
    """Return the distribution of the sum of two independent yields."""
    if first == NOTHING:
        return second
    result: defaultdict[Stacks, Fraction] = defaultdict(Fraction)
    for (a, p), (b, q) in product(first.items(), second.items()):
        counts: defaultdict[str, int] = defaultdict(int)
        for item, n in a + b:
            counts[item] += n
        result[tuple(sorted(counts.items()))] += p * q
    return dict(result)


def check_table(table: Table) -> list[str]:
    """Return the names of the entries, functions, conditions and counts in a table that are not supported."""
    found: set[str] = set()
    todo: list[Any] = [table]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
            continue
        if not isinstance(node, dict):
            continue
        for key in ("pools", "entries", "children", "functions", "conditions", "terms", "term"):
            if key in node and node.get("function") != "minecraft:set_contents":
                todo.append(node[key])
        found.update(_unsupported(node))
    return sorted(found)


def _unsupported(node: dict[str, Any]) -> Iterable[str]:
    if "function" in node:
        name = strip(node["function"])
        if name not in FUNCTIONS:
            yield f"function {name}"
        if name == "apply_bonus" and strip(node["formula"]) not in BONUSES:
            yield f"formula {strip(node['formula'])}"
    elif "condition" in node:
        if (name := strip(node["condition"])) not in CONDITIONS:
            yield f"condition {name}"
    elif "type" in node and "pools" not in node and "rolls" not in node:
        name = strip(node["type"])
        if name not in _ENTRIES and name not in TABLE_TYPES:
            yield f"entry {name}"
    for key in ("count", "rolls"):
        kind = strip(node[key].get("type", "uniform")) if isinstance(node.get(key), dict) else ""
        if kind and kind not in ("constant", "uniform", "binomial"):
            yield f"number {kind}"


class Roll:
    """One evaluation of tables under one context."""

    def __init__(self, context: LootContext, rules: LootRules):
        self.context, self.rules = context, rules

    def table(self, table: Table) -> Distribution:
        """Return the sum over the pools, after the functions of the table itself."""
        result = NOTHING
        for pool in table.get("pools", ()):
            result = combine(result, self._pool(pool, table.get("functions", [])))
        return result

    def _pool(self, pool: Table, table_functions: list[Any]) -> Distribution:
        chance = self.chance(pool)
        if not chance:
            return NOTHING
        once = self._pick(pool["entries"], pool.get("functions", []) + table_functions)
        result: defaultdict[Stacks, Fraction] = defaultdict(Fraction)
        result[()] += 1 - chance
        for rolls, p in number(pool["rolls"]).items():
            rolled = NOTHING
            for _ in range(rolls):
                rolled = combine(rolled, once)
            for stacks, q in rolled.items():
                result[stacks] += chance * p * q
        return {stacks: p for stacks, p in result.items() if p}

    def _pick(self, entries: list[Any], outer: list[Any]) -> Distribution:
        """Return what one roll gives: one of the entries that are eligible, by weight."""
        result: defaultdict[Stacks, Fraction] = defaultdict(Fraction)
        for eligible, p in self._eligible(entries):
            if not eligible:
                result[()] += p
            weight = sum(e.get("weight", 1) for e in eligible)
            for entry in eligible:
                share = p * Fraction(entry.get("weight", 1), weight)
                for stacks, q in self._entry(entry, outer).items():
                    result[stacks] += share * q
        return dict(result)

    def _eligible(self, entries: list[Any]) -> list[tuple[list[Any], Fraction]]:
        """Return every list that the entries may expand to, with its probability."""
        ways: list[tuple[list[Any], Fraction]] = [([], ONE)]
        for entry in entries:
            own = self._expand(entry)
            ways = [(left + right, p * q) for left, p in ways for right, q in own]
        return ways

    def _expand(self, entry: Any) -> list[tuple[list[Any], Fraction]]:
        chance = self.chance(entry)
        ways: list[tuple[list[Any], Fraction]] = [([], 1 - chance)] if chance < 1 else []
        if chance:
            ways += [(eligible, chance * p) for eligible, p in self._open(entry)]
        return ways

    def _open(self, entry: Any) -> list[tuple[list[Any], Fraction]]:
        """Return what an entry whose own conditions hold expands to."""
        kind = strip(entry["type"])
        if kind == "group":
            return self._eligible(entry["children"])
        if kind != "alternatives":
            return [([entry], ONE)]
        ways: list[tuple[list[Any], Fraction]] = []
        left = ONE
        for child in entry["children"]:
            # The first child whose conditions hold is taken. If that is a list of choices of which none holds, the
            # game looks further; it takes an unknown block state to get there, and nothing is then the honest answer.
            chance = self.chance(child)
            if chance and left:
                ways += [(eligible, left * chance * p) for eligible, p in self._open(child)]
            left *= 1 - chance
        return [*ways, ([], left)] if left else ways

    def _entry(self, entry: Any, outer: list[Any]) -> Distribution:
        kind = strip(entry["type"])
        functions = entry.get("functions", []) + outer
        if kind == "item":
            return self._stack(strip(entry["name"]), functions)
        if kind in ("empty", "dynamic"):  # dynamic: what a container holds drops by itself
            return NOTHING
        if kind == "loot_table":
            return self._reference(strip(entry["name"]), functions)
        if kind == "tag":
            items = sorted(self.rules.tag("items", strip(entry["name"])))
            stacks = [self._stack(item, functions) for item in items]
            if entry.get("expand"):
                return _mix((s, Fraction(1, len(items))) for s in stacks)
            result = NOTHING
            for s in stacks:
                result = combine(result, s)
            return result
        raise InputError("loot table", "type", kind, f"one of {', '.join(_ENTRIES)}")

    def _reference(self, name: str, functions: list[Any]) -> Distribution:
        if name not in self.rules.loot:
            raise UnknownNameError("loot table", name, self.rules.loot)
        whole = self.table(self.rules.loot[name])
        if not functions:
            return whole
        parts = []
        for stacks, p in whole.items():
            changed = NOTHING
            for item, n in stacks:
                changed = combine(changed, self._stack(item, functions, n))
            parts.append((changed, p))
        return _mix(parts)

    def _stack(self, item: str, functions: list[Any], count: int = 1) -> Distribution:
        """Return one stack after its functions, in their order."""
        stacks: dict[tuple[str, int], Fraction] = {(item, count): ONE}
        for function in functions:
            name = strip(function["function"])
            if name not in FUNCTIONS:
                raise InputError("loot table", "function", name, f"one of {', '.join(FUNCTIONS)}")
            chance = self.chance(function)
            after: defaultdict[tuple[str, int], Fraction] = defaultdict(Fraction)
            for (kind, n), p in stacks.items():
                if chance < 1:
                    after[kind, n] += p * (1 - chance)
                if chance:
                    for stack, q in FUNCTIONS[name](self, function, kind, n):
                        after[stack] += p * q * chance
            stacks = after
        return _mix(({((kind, n),) if n > 0 else (): ONE}, p) for (kind, n), p in stacks.items())

    def chance(self, node: Any) -> Fraction:
        """Return the probability that all conditions of an entry, pool or function hold."""
        result = ONE
        for condition in node.get("conditions", ()):
            result *= self.condition(condition)
        return result

    def condition(self, condition: Any) -> Fraction:
        """Return the probability that one condition holds."""
        name = strip(condition["condition"])
        if name not in CONDITIONS:
            raise InputError("loot table", "condition", name, f"one of {', '.join(CONDITIONS)}")
        return CONDITIONS[name](self, condition)

    def level(self, enchantment: str) -> int:
        """Return the level of an enchantment on the tool."""
        return self.context.enchantments.get(strip(enchantment), 0) if self.context.tool else 0


def _mix(parts: Iterable[tuple[Distribution, Fraction]]) -> Distribution:
    result: defaultdict[Stacks, Fraction] = defaultdict(Fraction)
    for part, p in parts:
        for stacks, q in part.items():
            result[stacks] += p * q
    return dict(result)
