"""The words of loot tables: number providers, item functions and conditions, each as an exact distribution.

A function takes the roll, its own JSON, an item and a count and gives the stacks it may become; a condition takes the
roll and its JSON and gives the probability that it holds.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import comb, floor
from typing import TYPE_CHECKING, Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import strip

if TYPE_CHECKING:
    from mirrorcraft.core.loot import Roll

ONE = Fraction(1)
Counts = dict[int, Fraction]
Outcomes = list[tuple[tuple[str, int], Fraction]]


def _fraction(value: float) -> Fraction:
    """Return a table's decimal as a fraction; the tables round numbers such as 1/12 to 7 digits or so."""
    return Fraction(value).limit_denominator(10**7)


def _binomial(n: int, p: Fraction) -> Counts:
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def number(value: Any) -> Counts:
    """Return the distribution of a number provider that gives integers."""
    if isinstance(value, (int, float)):
        return {int(value): ONE}
    kind = strip(value.get("type", "minecraft:uniform"))
    if kind == "constant":
        return {int(value["value"]): ONE}
    if kind == "binomial":
        return _binomial(int(value["n"]), _fraction(value["p"]))
    if kind == "uniform":
        low, high = int(value["min"]), int(value["max"])
        return {n: Fraction(1, high - low + 1) for n in range(low, high + 1)}
    raise InputError("loot table", "number", kind, "constant, uniform or binomial")


def _same(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    return [((item, n), ONE)]


def _set_count(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    base = n if function.get("add") else 0
    return [((item, base + k), p) for k, p in number(function["count"]).items()]


def _limit_count(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    limit = function["limit"]
    bounds = limit if isinstance(limit, dict) else {"min": limit, "max": limit}
    n = max(n, int(bounds.get("min", n)))
    return [((item, min(n, int(bounds.get("max", n)))), ONE)]


def _apply_bonus(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    level, formula = roll.level(function["enchantment"]), strip(function["formula"])
    if formula not in BONUSES:
        raise InputError("loot table", "formula", formula, f"one of {', '.join(BONUSES)}")
    counts = BONUSES[formula](level, n, function.get("parameters", {}))
    return [((item, k), p) for k, p in counts.items()]


def _ore_drops(level: int, n: int, parameters: Any) -> Counts:
    """Multiply by max(1, U{0..level+1})."""
    counts = {n: Fraction(2, level + 2) if level else ONE}
    for factor in range(2, level + 2):
        counts[n * factor] = Fraction(1, level + 2)
    return counts


def _uniform_bonus(level: int, n: int, parameters: Any) -> Counts:
    high = parameters["bonusMultiplier"] * level
    return {n + k: Fraction(1, high + 1) for k in range(high + 1)}


def _binomial_bonus(level: int, n: int, parameters: Any) -> Counts:
    """Add Binomial(level + extra, p): with ``extra`` the bare hand rolls too."""
    counts = _binomial(level + parameters["extra"], _fraction(parameters["probability"]))
    return {n + k: p for k, p in counts.items()}


def _looting(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    """Add round(level * U(low, high)), U a real number: the two ends have half the weight."""
    level, count = roll.context.looting, function["count"]
    if not level:
        return [((item, n), ONE)]
    both = (count, count) if isinstance(count, (int, float)) else (count["min"], count["max"])
    low, high = (Fraction(c) * level for c in both)
    half = Fraction(1, 2)
    limit = function.get("limit", 0) or float("inf")
    outcomes: defaultdict[int, Fraction] = defaultdict(Fraction)
    if low == high:
        outcomes[int(min(n + floor(low + half), limit))] = ONE
    else:
        for bonus in range(floor(low + half), floor(high + half) + 1):
            part = min(high, bonus + half) - max(low, bonus - half)
            outcomes[int(min(n + bonus, limit))] += part / (high - low)
    return [((item, k), p) for k, p in outcomes.items() if p]


def _furnace_smelt(roll: "Roll", function: Any, item: str, n: int) -> Outcomes:
    """Turn the stack into what the smelting recipes make of it: changed recipes change fire drops."""
    recipe = roll.rules.cook("furnace", item)
    return [((recipe.result if recipe else item, n), ONE)]


FUNCTIONS: dict[str, Callable[["Roll", Any, str, int], Outcomes]] = {
    "set_count": _set_count,
    "limit_count": _limit_count,
    "apply_bonus": _apply_bonus,
    "looting_enchant": _looting,
    "furnace_smelt": _furnace_smelt,
    # These change names, NBT or what an explosion leaves, never which items a player gets.
    **dict.fromkeys(("explosion_decay", "copy_name", "copy_nbt", "copy_state"), _same),
    **dict.fromkeys(("set_contents", "set_potion"), _same),
}
BONUSES: dict[str, Callable[[int, int, Any], Counts]] = {
    "ore_drops": _ore_drops,
    "uniform_bonus_count": _uniform_bonus,
    "binomial_with_bonus_count": _binomial_bonus,
}


def _always(roll: "Roll", condition: Any) -> Fraction:
    return ONE


def _any_term(roll: "Roll", condition: Any) -> Fraction:
    none = ONE
    for term in condition["terms"]:
        none *= 1 - roll.condition(term)
    return 1 - none


def _match_tool(roll: "Roll", condition: Any) -> Fraction:
    predicate, tool = condition["predicate"], roll.context.tool
    if tool is None:
        return Fraction(0)
    fits = "items" not in predicate or tool in map(strip, predicate["items"])
    if "tag" in predicate:
        fits &= tool in roll.rules.tag("items", strip(predicate["tag"]))
    for wanted in predicate.get("enchantments", ()):
        level = roll.level(wanted["enchantment"])
        fits &= level >= wanted.get("levels", {}).get("min", 1)
    return Fraction(fits)


def _table_bonus(roll: "Roll", condition: Any) -> Fraction:
    chances = condition["chances"]
    return _fraction(chances[min(roll.level(condition["enchantment"]), len(chances) - 1)])


def _chance_with_looting(roll: "Roll", condition: Any) -> Fraction:
    bonus = roll.context.looting * Fraction(condition["looting_multiplier"])
    return min(ONE, (Fraction(condition["chance"]) + bonus).limit_denominator(10**7))


def _block_state(roll: "Roll", condition: Any) -> Fraction:
    wanted = condition.get("properties", {})
    return Fraction(all(roll.context.state.get(k) == v for k, v in wanted.items()))


def _entity(roll: "Roll", condition: Any) -> Fraction:
    """Know of an entity that it is there, that it burns, and that a slime is a small one; a player killed it."""
    match condition:
        case {"predicate": predicate} if not predicate:
            return ONE
        case {"entity": "this", "predicate": {"flags": {"is_on_fire": True}}}:
            return Fraction(roll.context.on_fire)
        case {"entity": "this", "predicate": {"type_specific": {"type": "slime", "size": 1}}}:
            return ONE
    return Fraction(0)


def _location(roll: "Roll", condition: Any) -> Fraction:
    """Know of the surroundings that a plant of two blocks is whole: its other half stands where it belongs."""
    match condition:
        case {"offsetY": 1, "predicate": {"block": {"state": {"half": "upper"}}}}:
            return Fraction(roll.context.state.get("half") == "lower")
        case {"offsetY": -1, "predicate": {"block": {"state": {"half": "lower"}}}}:
            return Fraction(roll.context.state.get("half") == "upper")
    return Fraction(0)


def _never(roll: "Roll", condition: Any) -> Fraction:
    """Causes of death that no skill brings about: lightning, frogs."""
    return Fraction(0)


CONDITIONS: dict[str, Callable[["Roll", Any], Fraction]] = {
    "survives_explosion": _always,
    "inverted": lambda roll, c: 1 - roll.condition(c["term"]),
    "alternative": _any_term,
    "match_tool": _match_tool,
    "table_bonus": _table_bonus,
    "random_chance": lambda roll, c: _fraction(c["chance"]),
    "random_chance_with_looting": _chance_with_looting,
    "killed_by_player": lambda roll, c: Fraction(roll.context.killed_by_player),
    "block_state_property": _block_state,
    "entity_properties": _entity,
    "location_check": _location,
    "damage_source_properties": _never,
}
