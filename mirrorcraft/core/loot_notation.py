"""The short notation of ``rules/vanilla`` for loot tables, and its expansion to the JSON that the game reads.

A table is a list of pools, each a string::

    pool         [conditions |] entries [=> functions of the pool]
    entries      entry ; entry ; ...             one of them, by weight
    entry        choice / choice / ...           the first whose conditions hold
    choice       what [*weight] [if conditions] [: functions]      or  ( entry ) [if conditions]
    what         item, $ (the block itself), #tag (one item of it), @table, nothing
    conditions   condition & condition & ...
    functions    function, function, ...         each may end in  if conditions

A pool that is only ``=> functions`` gives functions of the whole table. ``rolls 1..3`` among the conditions of a pool
is its number of rolls. Conditions and functions are the words of the tables at the end of this file; ``age=3`` asks for
a block state; other words are named in the ``conditions`` of the data file.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full

Json = dict[str, Any]


class LootNotation:
    """A reader of the notation.

    Args:
        source: the data file, for errors.
        conditions: conditions of the data file by name, as JSON.
    """

    def __init__(self, source: object, conditions: Mapping[str, Json]):
        self.source, self._named = source, conditions
        self._block = ""

    def table(self, kind: str, pools: list[str], name: str) -> Json:
        """Return the loot table in JSON.

        Args:
            kind: ``block``, ``entity`` or ``fishing``.
            pools: the pools in the notation; none for a table that gives nothing.
            name: the block, or the entity, that the table belongs to.

        Raises:
            InputError: a word is not part of the notation; names the file, the table and the word.
        """
        self._block = full(name)
        table: Json = {"type": full(kind)}
        for pool in pools:
            try:
                if pool.startswith("=> "):
                    table["functions"] = self._functions(pool[3:])
                else:
                    table.setdefault("pools", []).append(self._pool(pool))
            except ValueError as e:
                raise InputError(self.source, self._block, pool, f"another number ({e})") from None
        return table

    def _pool(self, text: str) -> Json:
        pool: Json = {"rolls": 1, "bonus_rolls": 0}
        text, functions = _halves(text, " => ")
        if " | " in text:
            words, text = text.split(" | ", 1)
            wanted = words.split(" & ")
            rolls = [w for w in wanted if w.startswith("rolls ")]
            if rolls:
                wanted.remove(rolls[0])
                pool["rolls"] = _number(rolls[0][6:])
            if wanted:
                pool["conditions"] = [self._condition(w) for w in wanted]
        pool["entries"] = [self._entry(e) for e in _split(text, " ; ")]
        if functions:
            pool["functions"] = self._functions(functions)
        return pool

    def _entry(self, text: str) -> Json:
        choices = _split(text, " / ")
        if len(choices) == 1:
            return self._choice(text)
        return {
            "type": "minecraft:alternatives",
            "children": [self._choice(choice) for choice in choices],
        }

    def _choice(self, text: str) -> Json:
        if text.startswith("("):
            inner, _, rest = text[1:].rpartition(")")
            entry, functions = self._entry(inner.strip()), ""
            words = rest.strip().removeprefix("if ")
        else:
            text, functions = _halves(text, " : ")
            what, words = _halves(text, " if ")
            entry = self._what(what)
        if words:
            entry["conditions"] = self._conditions(words)
        if functions:
            entry["functions"] = self._functions(functions)
        return entry

    def _what(self, text: str) -> Json:
        name, _, weight = text.partition(" *")
        extra = {"weight": int(weight)} if weight else {}
        if name == "nothing":
            return {"type": "minecraft:empty", **extra}
        if name == "$":
            return {"type": "minecraft:item", "name": self._block, **extra}
        if name[0] == "#":
            return {"type": "minecraft:tag", "name": full(name[1:]), "expand": True, **extra}
        if name[0] == "@":
            return {"type": "minecraft:loot_table", "name": full(name[1:]), **extra}
        return {"type": "minecraft:item", "name": full(name), **extra}

    def _conditions(self, text: str) -> list[Json]:
        return [self._condition(word) for word in text.split(" & ")]

    def _condition(self, text: str) -> Json:
        if text.startswith("not "):
            return {"condition": "minecraft:inverted", "term": self._condition(text[4:])}
        if text in self._named:
            return self._named[text]
        word, _, rest = text.partition(" ")
        if word in _CONDITIONS:
            name, fields = _CONDITIONS[word]
            return {"condition": full(name), **self._fields(fields, text, rest)}
        key, equals, value = text.partition("=")
        if not equals:
            known = ", ".join((*_CONDITIONS, *self._named, "not", "state=value"))
            raise InputError(self.source, self._block, text, f"a condition: {known}")
        return {
            "condition": "minecraft:block_state_property",
            "block": self._block,
            "properties": {key: value},
        }

    def _functions(self, text: str) -> list[Json]:
        return [self._function(part) for part in text.split(", ")]

    def _function(self, text: str) -> Json:
        text, words = _halves(text, " if ")
        word, _, rest = text.partition(" ")
        if word not in _FUNCTIONS:
            known = ", ".join(_FUNCTIONS)
            raise InputError(self.source, self._block, text, f"a function: {known}")
        name, fields = _FUNCTIONS[word]
        function = {"function": full(name), **self._fields(fields, text, rest)}
        if word == "copy_state":
            function["block"] = self._block
        if words:
            function["conditions"] = self._conditions(words)
        return function

    def _fields(self, fields: "Fields", text: str, rest: str) -> Json:
        """Return the fields of a word: fixed ones, or those that it reads from the rest of the text."""
        if callable(fields):
            return fields(rest)
        if rest:
            raise InputError(self.source, self._block, text, "a word that stands alone")
        return fields


def _halves(text: str, separator: str) -> tuple[str, str]:
    first, _, second = text.partition(separator)
    return first, second


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator outside parentheses."""
    parts, depth = [""], 0
    for piece in text.split(separator):
        parts[-1] += separator + piece if depth else piece
        depth += piece.count("(") - piece.count(")")
        if not depth:
            parts.append("")
    return parts[:-1]


def _decimal(text: str) -> int | float:
    """Read 1 as an integer, as the game's files have it: equal tables then have equal texts."""
    return float(text) if "." in text else int(text)


def _number(text: str) -> Any:
    """Read ``2``, ``0..2`` (uniform) or ``3x0.5`` (binomial)."""
    if ".." in text:
        low, high = text.split("..")
        return {"type": "minecraft:uniform", "min": int(low), "max": int(high)}
    if "x" in text:
        n, p = text.split("x")
        return {"type": "minecraft:binomial", "n": int(n), "p": _decimal(p)}
    return int(text)


def _limit(text: str) -> Json:
    """Read ``1..4``, ``..9`` or ``0..``."""
    low, high = text.split("..")
    return {"limit": {k: int(v) for k, v in (("min", low), ("max", high)) if v}}


def _looting(text: str) -> Json:
    limit = {"limit": int(text.removeprefix("limit "))} if text else {}
    return {"count": {"type": "minecraft:uniform", "min": 0, "max": 1}, **limit}


def _copy_nbt(text: str) -> Json:
    """Read ``A>B`` pairs; a source without a target goes to the same name in BlockEntityTag."""
    pairs = [word.partition(">") for word in text.split()]
    ops = [
        {"op": "replace", "source": source, "target": target or f"BlockEntityTag.{source}"}
        for source, _, target in pairs
    ]
    return {"source": "block_entity", "ops": ops}


def _chance_by_looting(text: str) -> Json:
    chance, each = map(_decimal, text.split())
    return {"chance": chance, "looting_multiplier": each}


def _fortune(formula: str, **parameters: Any) -> Json:
    bonus = {"enchantment": "minecraft:fortune", "formula": full(formula)}
    return {**bonus, "parameters": parameters} if parameters else bonus


Fields = Json | Callable[[str], Json]  # fixed fields, or a reader of the text after the word

_SILK_TOUCH = {
    "predicate": {"enchantments": [{"enchantment": "minecraft:silk_touch", "levels": {"min": 1}}]}
}
_SHEARS = {"predicate": {"items": ["minecraft:shears"]}}
_BURNING = {"entity": "this", "predicate": {"flags": {"is_on_fire": True}}}
_CONDITIONS: dict[str, tuple[str, Fields]] = {
    "survives": ("survives_explosion", {}),
    "silk_touch": ("match_tool", _SILK_TOUCH),
    "shears": ("match_tool", _SHEARS),
    "tool": ("match_tool", lambda text: {"predicate": {"tag": full(text.removeprefix("#"))}}),
    "shears_or_silk_touch": (
        "alternative",
        {"terms": [{"condition": "minecraft:match_tool", **t} for t in (_SHEARS, _SILK_TOUCH)]},
    ),
    "fortune": (
        "table_bonus",
        lambda text: {
            "enchantment": "minecraft:fortune",
            "chances": [_decimal(chance) for chance in text.split()],
        },
    ),
    "chance": ("random_chance", lambda text: {"chance": _decimal(text)}),
    "chance_looting": ("random_chance_with_looting", _chance_by_looting),
    "by_player": ("killed_by_player", {}),
    "burning": ("entity_properties", _BURNING),
    "by_entity": ("entity_properties", {"entity": "this", "predicate": {}}),
}
_FUNCTIONS: dict[str, tuple[str, Fields]] = {
    "count": ("set_count", lambda text: {"count": _number(text), "add": False}),
    "add": ("set_count", lambda text: {"count": _number(text), "add": True}),
    "limit": ("limit_count", _limit),
    "looting": ("looting_enchant", _looting),
    "decay": ("explosion_decay", {}),
    "ore_drops": ("apply_bonus", _fortune("ore_drops")),
    "bonus": (
        "apply_bonus",
        lambda text: _fortune("uniform_bonus_count", bonusMultiplier=int(text)),
    ),
    "crop_bonus": (
        "apply_bonus",
        _fortune("binomial_with_bonus_count", extra=3, probability=0.5714286),
    ),
    "smelted": (
        "furnace_smelt",
        {"conditions": [{"condition": "minecraft:entity_properties", **_BURNING}]},
    ),
    "copy_name": ("copy_name", {"source": "block_entity"}),
    "copy_nbt": ("copy_nbt", _copy_nbt),
    "copy_state": ("copy_state", lambda text: {"properties": text.split()}),
    "contents": (
        "set_contents",
        lambda text: {
            "type": full(text),
            "entries": [{"type": "minecraft:dynamic", "name": "minecraft:contents"}],
        },
    ),
    "potion": ("set_potion", lambda text: {"id": full(text)}),
}
