"""The strict reading of a pack's loot table: what ``core.loot`` may evaluate, every field accounted for.

The game ignores fields that it does not know; here they are refused, for a misspelt one would change the rules without
a word. A table that the game itself would reject is a PackError, one that ``core.loot`` cannot say an OutsideError.
"""

import json
from collections.abc import Callable, Collection, Iterator
from functools import cache
from math import comb, prod
from typing import Any

from mirrorcraft.core.errors import OutsideError, PackError, did_you_mean
from mirrorcraft.core.ids import strip
from mirrorcraft.core.loot import TABLE_TYPES
from mirrorcraft.core.loot_terms import BONUSES, CONDITIONS, FUNCTIONS
from mirrorcraft.core.rulebook import Rulebook

MAX_OUTCOMES = (
    300_000  # of one pool, of which a distribution lists each; the game's witch has 204,156
)
MAX_COUNT = 4096

_BEST_FORTUNE = 3
_OPEN_FUNCTIONS = ("copy_name", "copy_nbt", "copy_state", "set_contents", "set_potion")
_PARAMETERS = {
    "ore_drops": (),
    "uniform_bonus_count": ("bonusMultiplier",),
    "binomial_with_bonus_count": ("extra", "probability"),
}
# ``core.loot`` knows these by the forms in which the game's own tables have them.
_AS_VANILLA = ("entity_properties", "location_check", "damage_source_properties")


def check_loot(table: Any, file: str, name: str, rules: Rulebook) -> None:
    """Hold a pack's loot table to what can be evaluated exactly; ``loot_references`` are not followed.

    Args:
        table: the parsed file.
        file: its path, for errors.
        name: the table's name, such as ``blocks/iron_ore``.
        rules: the rules with the pack's tags.

    Raises:
        PackError: the game would reject the table, or it names something that does not exist.
        OutsideError: it holds something that ``core.loot`` does not evaluate.
    """
    _Check(file, name, rules).table(table)


def loot_references(table: Any) -> frozenset[str]:
    """Return the names of the loot tables that a table refers to."""
    return frozenset(
        strip(node["name"])
        for node in _nodes(table)
        if strip(str(node.get("type", ""))) == "loot_table" and "function" not in node
    )


def loot_tags(table: Any) -> frozenset[str]:
    """Return the names of the item tags that a table refers to, in entries and conditions on the tool."""
    nodes = list(_nodes(table))
    entries = [node["name"] for node in nodes if strip(str(node.get("type", ""))) == "tag"]
    tools = [
        n["predicate"]["tag"]
        for n in nodes
        if n.get("condition") and "tag" in n.get("predicate", ())
    ]
    return frozenset(map(strip, entries + tools))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object inside a JSON value."""
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            yield node
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)


class _Check:
    """One walk over a table. Methods that count return an upper bound of the outcomes below a node."""

    def __init__(self, file: str, name: str, rules: Rulebook):
        self.file, self.name, self.rules = file, name, rules

    def bad(self, place: str, given: object, expected: str) -> PackError:
        return PackError(self.file, place, given, expected)

    def outside(self, place: str, given: object, expected: str) -> OutsideError:
        return OutsideError(self.file, place, given, expected)

    # --- shapes

    def fields(self, node: Any, place: str, needed: str = "", allowed: str = "") -> None:
        """Check an object's fields, each list given as words."""
        if not isinstance(node, dict):
            raise self.bad(place, node, "an object")
        if missing := [f for f in needed.split() if f not in node]:
            raise self.bad(place, node, f"the field {missing[0]}")
        if extra := sorted(node.keys() - {*needed.split(), *allowed.split()}):
            known = ", ".join((*needed.split(), *allowed.split())) or "none"
            raise self.outside(f"{place}.{extra[0]}", node[extra[0]], f"fields {known}")

    def each(self, node: Any, field: str, place: str) -> Iterator[tuple[Any, str]]:
        """Yield the members of a list field, none if the field is absent, with their places."""
        values = node.get(field, [])
        if not isinstance(values, list):
            raise self.bad(f"{place}.{field}", values, "a list")
        for i, value in enumerate(values):
            yield value, f"{place}.{field}[{i}]".removeprefix(".")

    def word(self, node: Any, field: str, place: str) -> str:
        """Return an id field without its namespace."""
        value = node.get(field) if isinstance(node, dict) else None
        if not isinstance(value, str):
            raise self.bad(place, node, f"an object with the text field {field}")
        return strip(value)

    def known(self, value: Any, place: str, kind: str, names: Collection[str]) -> str:
        if not isinstance(value, str) or strip(value) not in names:
            close = did_you_mean(strip(value), names) if isinstance(value, str) else ""
            raise self.bad(place, value, f"{kind} of {self.rules.version}{close}")
        return strip(value)

    def real(self, value: Any, place: str, low: float, high: float) -> float:
        if type(value) not in (int, float):
            raise self.bad(place, value, "a number")
        if not low <= value <= high:
            raise self.outside(place, value, f"a number from {low} to {high}")
        return value

    def whole(self, value: Any, place: str, low: int = -MAX_COUNT, high: int = MAX_COUNT) -> int:
        number = self.real(value, place, low, high)
        if number != int(number):
            raise self.outside(place, value, "a whole number")
        return int(number)

    def number(self, value: Any, place: str, low: int = -MAX_COUNT) -> tuple[int, int]:
        """Return the least and the most that a number provider gives."""
        if not isinstance(value, dict):
            value = self.whole(value, place, low)
            return value, value
        kind = strip(str(value.get("type", "uniform")))
        if kind == "constant":
            self.fields(value, place, "type value")
            number = self.whole(value["value"], f"{place}.value", low)
            return number, number
        if kind == "binomial":
            self.fields(value, place, "type n p")
            self.real(value["p"], f"{place}.p", 0, 1)
            return 0, self.whole(value["n"], f"{place}.n", 0)
        if kind != "uniform":
            raise self.outside(place, kind, "constant, uniform or binomial")
        self.fields(value, place, "min max", "type")
        ends = [self.whole(value[end], f"{place}.{end}", low) for end in ("min", "max")]
        if ends[0] > ends[1]:
            raise self.bad(place, value, "min not above max")
        return ends[0], ends[1]

    # --- tables, pools, entries

    def table(self, table: Any) -> None:
        self.fields(table, "", "", "type pools functions")
        if "type" in table and self.word(table, "type", "") not in TABLE_TYPES:
            raise self.outside("type", table["type"], f"one of {', '.join(TABLE_TYPES)}")
        for function, place in self.each(table, "functions", ""):
            self.function(function, place)
        for pool, place in self.each(table, "pools", ""):
            self.pool(pool, place)

    def pool(self, pool: Any, place: str) -> None:
        self.fields(pool, place, "rolls entries", "bonus_rolls conditions functions")
        self.conditions(pool, place)
        spans = [self.function(f, where) for f, where in self.each(pool, "functions", place)]
        once = sum(self.entry(e, where) for e, where in self.each(pool, "entries", place))
        _, rolls = self.number(pool["rolls"], f"{place}.rolls", 0)
        outcomes = comb(once * prod(spans) + rolls, rolls)
        if rolls > 64 or outcomes > MAX_OUTCOMES:
            expected = f"at most 64 rolls, and {MAX_OUTCOMES} outcomes of a pool"
            raise self.outside(place, pool["rolls"], expected)

    def entry(self, entry: Any, place: str) -> int:
        kind = self.word(entry, "type", place)
        common = "type weight quality conditions functions"
        self.conditions(entry, place)
        self.whole(entry.get("weight", 1), f"{place}.weight", 1)
        spans = prod(self.function(f, where) for f, where in self.each(entry, "functions", place))
        if kind in ("group", "alternatives"):
            self.fields(entry, place, "type children", "conditions weight quality")
            return sum(self.entry(c, where) for c, where in self.each(entry, "children", place))
        if kind == "item":
            self.fields(entry, place, "name", common)
            self.known(entry["name"], f"{place}.name", "an item", self.rules.items)
        elif kind == "tag":
            self.fields(entry, place, "name expand", common)
            tag = self.known(entry["name"], f"{place}.name", "an item tag", self.rules.item_tags)
            if type(entry["expand"]) is not bool:
                raise self.bad(f"{place}.expand", entry["expand"], "true or false")
            return max(1, len(self.rules.tag("items", tag)) * spans)
        elif kind == "loot_table":
            self.fields(entry, place, "name", common)
            self.word(entry, "name", place)
        elif kind in ("empty", "dynamic"):
            self.fields(entry, place, "", f"{common} name")
        else:
            raise self.outside(
                f"{place}.type",
                kind,
                "item, tag, loot_table, empty, dynamic, group or alternatives",
            )
        return spans

    # --- functions

    def function(self, function: Any, place: str) -> int:
        """Check an item function; return how many counts it may make of one."""
        name = self.word(function, "function", place)
        if name not in FUNCTIONS:
            raise self.outside(place, name, f"a function that is one of {', '.join(FUNCTIONS)}")
        self.conditions(function, place)
        if name in _OPEN_FUNCTIONS:  # what they say never decides what drops
            return 1
        head = "function conditions"
        if name == "set_count":
            self.fields(function, place, "count", f"{head} add")
            low, high = self.number(function["count"], f"{place}.count")
            return high - low + 1
        if name == "looting_enchant":
            self.fields(function, place, "count", f"{head} limit")
            return self._looting(function, place)
        if name == "limit_count":
            self.fields(function, place, "limit", head)
            limit = function["limit"]
            if isinstance(limit, dict):
                self.fields(limit, f"{place}.limit", "", "min max")
            for value in limit.values() if isinstance(limit, dict) else [limit]:
                self.whole(value, f"{place}.limit")
            return 1
        if name == "apply_bonus":
            return self._bonus(function, place)
        self.fields(function, place, "", head)
        return 1

    def _looting(self, function: Any, place: str) -> int:
        count = function["count"]
        if isinstance(count, dict):
            self.fields(count, f"{place}.count", "min max", "type")
            if strip(str(count.get("type", "uniform"))) != "uniform":
                raise self.outside(f"{place}.count", count, "a number, or min and max")
        ends = [count["min"], count["max"]] if isinstance(count, dict) else [count, count]
        low, high = (self.real(end, f"{place}.count", 0, MAX_COUNT) for end in ends)
        if low > high:
            raise self.bad(f"{place}.count", count, "min not above max")
        self.whole(function.get("limit", 0), f"{place}.limit", 0)
        return int(_BEST_FORTUNE * (high - low)) + 2

    def _bonus(self, function: Any, place: str) -> int:
        formula = self.word(function, "formula", place)
        if formula not in BONUSES:
            raise self.bad(f"{place}.formula", formula, f"one of {', '.join(BONUSES)}")
        self.fields(function, place, "enchantment formula", "function conditions parameters")
        enchantments = self.rules.enchantments
        self.known(function["enchantment"], f"{place}.enchantment", "an enchantment", enchantments)
        given = function.get("parameters", {})
        self.fields(given, f"{place}.parameters", " ".join(_PARAMETERS[formula]))
        if "probability" in given:
            self.real(given["probability"], f"{place}.parameters.probability", 0, 1)
        sizes = [
            self.whole(given[k], f"{place}.parameters.{k}", 0) for k in given if k != "probability"
        ]
        return _BEST_FORTUNE * max([1, *sizes]) + 1

    # --- conditions

    def conditions(self, node: Any, place: str, field: str = "conditions") -> None:
        for condition, where in self.each(node, field, place):
            self.condition(condition, where)

    def condition(self, condition: Any, place: str) -> None:
        name = self.word(condition, "condition", place)
        if name in _AS_VANILLA:
            if _canonical(condition) not in _vanilla_conditions(self.rules.version):
                raise self.outside(place, condition, f"{name} in a form that vanilla's tables have")
        elif name in CONDITIONS:
            _FORMS[name](self, condition, place)
        else:
            raise self.outside(place, name, f"a condition that is one of {', '.join(CONDITIONS)}")

    def plain(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition")

    def inverted(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition term")
        self.condition(condition["term"], f"{place}.term")

    def alternative(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition terms")
        self.conditions(condition, place, "terms")

    def chance(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition chance")
        self.real(condition["chance"], f"{place}.chance", 0, 1)

    def chance_with_looting(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition chance looting_multiplier")
        for field in ("chance", "looting_multiplier"):
            self.real(condition[field], f"{place}.{field}", 0, 1)

    def table_bonus(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition enchantment chances")
        name, names = condition["enchantment"], self.rules.enchantments
        self.known(name, f"{place}.enchantment", "an enchantment", names)
        chances = list(self.each(condition, "chances", place))
        if not chances:
            raise self.bad(f"{place}.chances", [], "at least one chance")
        for chance, where in chances:
            self.real(chance, where, 0, 1)

    def block_state(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition block", "properties")
        block = self.known(condition["block"], f"{place}.block", "a block", self.rules.blocks)
        if self.name != f"blocks/{block}":  # the state that is known is that of the broken block
            raise self.outside(f"{place}.block", block, "the block that the table belongs to")
        properties = condition.get("properties", {})
        if not isinstance(properties, dict):
            raise self.bad(f"{place}.properties", properties, "an object")
        for name, value in properties.items():
            if not isinstance(value, str):
                raise self.outside(f"{place}.properties.{name}", value, "one value as text")

    def match_tool(self, condition: Any, place: str) -> None:
        self.fields(condition, place, "condition predicate")
        predicate, place = condition["predicate"], f"{place}.predicate"
        self.fields(predicate, place, "", "items tag enchantments")
        if not predicate:
            raise self.outside(place, predicate, "items, tag or enchantments")
        for item, where in self.each(predicate, "items", place):
            self.known(item, where, "an item", self.rules.items)
        if "tag" in predicate:
            self.known(predicate["tag"], f"{place}.tag", "an item tag", self.rules.item_tags)
        for wanted, where in self.each(predicate, "enchantments", place):
            self.fields(wanted, where, "enchantment", "levels")
            names = self.rules.enchantments
            self.known(wanted["enchantment"], f"{where}.enchantment", "an enchantment", names)
            levels = wanted.get("levels", {})
            if not isinstance(levels, dict) or levels.keys() - {"min"}:
                raise self.outside(f"{where}.levels", levels, "an object with min")
            self.whole(levels.get("min", 1), f"{where}.levels.min", 1)


_FORMS: dict[str, Callable[[_Check, Any, str], None]] = {
    "survives_explosion": _Check.plain,
    "killed_by_player": _Check.plain,
    "inverted": _Check.inverted,
    "alternative": _Check.alternative,
    "random_chance": _Check.chance,
    "random_chance_with_looting": _Check.chance_with_looting,
    "table_bonus": _Check.table_bonus,
    "block_state_property": _Check.block_state,
    "match_tool": _Check.match_tool,
}


def _canonical(node: Any) -> str:
    return json.dumps(node, sort_keys=True)


@cache
def _vanilla_conditions(version: str) -> frozenset[str]:
    """Return the conditions on entities, surroundings and causes of death in vanilla's tables, as sorted JSON."""
    tables = list(Rulebook.vanilla(version).loot.values())
    return frozenset(
        _canonical(n) for n in _nodes(tables) if strip(n.get("condition", "")) in _AS_VANILLA
    )
