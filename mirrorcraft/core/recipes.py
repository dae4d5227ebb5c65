"""Recipes of 1.19 as values: four kinds, their JSON form in both directions, and the order in which the game tries them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full, strip

Ingredient = tuple[str, ...]  # alternatives, each an item id or "#tag"

COOKING_TICKS = {"smelting": 200, "blasting": 100, "smoking": 100, "campfire_cooking": 600}


@dataclass(frozen=True, slots=True)
class ShapedRecipe:
    """A crafting recipe with a pattern.

    Attributes:
        id: the recipe's id without ``minecraft:``.
        pattern: 1 to 3 rows of equal width; a space is an empty slot.
        key: pattern character to ingredient; never changed after construction.
        result: item id.
        count: items made at once.
        group: recipe-book group; no effect on play.
    """

    id: str
    pattern: tuple[str, ...]
    key: Mapping[str, Ingredient] = field(
        hash=False
    )  # a dict has no hash; equality still looks at it
    result: str
    count: int = 1
    group: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the recipe file as the game writes it."""
        return {
            "type": "minecraft:crafting_shaped",
            **({"group": self.group} if self.group else {}),
            "pattern": list(self.pattern),
            "key": {char: _ingredient_json(i) for char, i in self.key.items()},
            "result": _stack_json(self.result, self.count),
        }


@dataclass(frozen=True, slots=True)
class ShapelessRecipe:
    """A crafting recipe without a pattern: one slot for each ingredient, in any order."""

    id: str
    ingredients: tuple[Ingredient, ...]
    result: str
    count: int = 1
    group: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the recipe file as the game writes it."""
        return {
            "type": "minecraft:crafting_shapeless",
            **({"group": self.group} if self.group else {}),
            "ingredients": [_ingredient_json(i) for i in self.ingredients],
            "result": _stack_json(self.result, self.count),
        }


@dataclass(frozen=True, slots=True)
class CookingRecipe:
    """What a furnace, blast furnace, smoker or campfire makes of one item.

    Attributes:
        kind: ``smelting``, ``blasting``, ``smoking`` or ``campfire_cooking``.
        ingredient: the input.
        result: item id.
        count: items made at once; always 1 in vanilla, whose format has no place for more.
        cookingtime: ticks for one item.
        experience: points for one item, paid when a player takes it out.
        group: recipe-book group; no effect on play.
    """

    id: str
    kind: str
    ingredient: Ingredient
    result: str
    count: int
    cookingtime: int
    experience: float
    group: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the recipe file as the game writes it.

        With a ``count`` above 1 the result is an object, which the 1.19 game itself refuses: whoever builds a
        datapack has to express the count by other means.
        """
        result = full(self.result) if self.count == 1 else _stack_json(self.result, self.count)
        return {
            "type": full(self.kind),
            **({"group": self.group} if self.group else {}),
            "ingredient": _ingredient_json(self.ingredient),
            "result": result,
            "experience": self.experience,
            "cookingtime": self.cookingtime,
        }


@dataclass(frozen=True, slots=True)
class SmithingRecipe:
    """A smithing-table recipe: ``base`` and ``addition`` make ``result``, which keeps the base's NBT."""

    id: str
    base: Ingredient
    addition: Ingredient
    result: str

    def to_json(self) -> dict[str, Any]:
        """Return the recipe file as the game writes it."""
        return {
            "type": "minecraft:smithing",
            "base": _ingredient_json(self.base),
            "addition": _ingredient_json(self.addition),
            "result": {"item": full(self.result)},
        }


Recipe = ShapedRecipe | ShapelessRecipe | CookingRecipe | SmithingRecipe


def recipe_from_json(ident: str, data: Any) -> Recipe:
    """Read a 1.19 recipe file.

    Args:
        ident: the recipe's id, with or without ``minecraft:``.
        data: the parsed file.

    Raises:
        InputError: the file has a kind that is not supported, or one that the game's loader would refuse.
    """
    ident = strip(ident)
    kind = strip(_get(data, "type", str, ident))
    group = _get(data, "group", str, ident, "")
    if kind == "crafting_shaped":
        pattern = tuple(_get(data, "pattern", list, ident))
        chars = _get(data, "key", dict, ident)
        key = {char: _ingredient(v, ident, f"key.{char}") for char, v in chars.items()}
        check_pattern(pattern, key, ident)
        return ShapedRecipe(ident, pattern, key, *_stack(data, ident), group)
    if kind == "crafting_shapeless":
        given = _get(data, "ingredients", list, ident)
        if not 1 <= len(given) <= 9:
            raise InputError(ident, "ingredients", given, "1 to 9 ingredients")
        parts = tuple(_ingredient(v, ident, f"ingredients[{i}]") for i, v in enumerate(given))
        return ShapelessRecipe(ident, parts, *_stack(data, ident), group)
    if kind in COOKING_TICKS:
        ingredient = _ingredient(data.get("ingredient"), ident, "ingredient")
        ticks = _get(data, "cookingtime", int, ident, COOKING_TICKS[kind])
        xp = _get(data, "experience", (int, float), ident, 0)
        return CookingRecipe(ident, kind, ingredient, *_stack(data, ident), ticks, xp, group)
    if kind == "smithing":
        base, addition = (_ingredient(data.get(k), ident, k) for k in ("base", "addition"))
        return SmithingRecipe(ident, base, addition, _stack(data, ident)[0])
    known = ", ".join(("crafting_shaped", "crafting_shapeless", *COOKING_TICKS, "smithing"))
    raise InputError(ident, "type", kind, f"one of {known}")


def recipe_order(ids: Iterable[str]) -> list[str]:
    """Return recipe ids in the order in which the game tries them; the first that matches wins.

    The order is the iteration of a ``java.util.HashMap`` keyed by id over all recipe files, filled in order of path:
    it depends on the whole set of ids, so one more recipe can change which of two old ones wins.
    """
    keys = []
    for ident in ids:
        namespace, path = full(ident).split(":", 1)
        keys.append(
            (path + ".json", namespace, ident, _java_hash(namespace) * 31 + _java_hash(path))
        )
    keys.sort()
    size = 16
    while len(keys) > size * 3 // 4:
        size *= 2
    buckets: list[list[str]] = [[] for _ in range(size)]
    for _, _, ident, raw in keys:
        code = raw & 0xFFFFFFFF
        buckets[(code ^ code >> 16) & (size - 1)].append(ident)
    return [ident for bucket in buckets for ident in bucket]


def _java_hash(text: str) -> int:
    """Return Java's ``String.hashCode`` before it is cut to 32 bits."""
    code = 0
    for char in text.encode("utf-16-be")[1::2]:
        code = 31 * code + char & 0xFFFFFFFF
    return code


def _ingredient_json(ingredient: Ingredient) -> Any:
    one = [{"tag": full(i[1:])} if i[0] == "#" else {"item": full(i)} for i in ingredient]
    return one[0] if len(one) == 1 else one


def _stack_json(item: str, count: int) -> dict[str, Any]:
    return {"item": full(item)} if count == 1 else {"count": count, "item": full(item)}


def _get(
    data: Any, name: str, kind: type | tuple[type, ...], ident: str, default: Any = None
) -> Any:
    value = data.get(name, default) if isinstance(data, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = " or ".join(k.__name__ for k in kinds)
        raise InputError(ident, name, value, f"a value of type {expected}")
    return value


def _ingredient(data: Any, ident: str, place: str) -> Ingredient:
    options = data if isinstance(data, list) else [data]
    result = []
    for option in options:
        match option:
            case {"item": str(name)} if len(option) == 1:
                result.append(strip(name))
            case {"tag": str(name)} if len(option) == 1:
                result.append("#" + strip(name))
            case _:
                raise InputError(
                    ident, place, option, 'an object with exactly one of "item" and "tag"'
                )
    if not result:
        raise InputError(ident, place, data, "at least one alternative")
    return tuple(result)


def _stack(data: dict[str, Any], ident: str) -> tuple[str, int]:
    match data.get("result"):
        case str(name):
            return strip(name), 1
        case {"item": str(name), **rest} if isinstance(rest.get("count", 1), int):
            return strip(name), rest.get("count", 1)
        case other:
            raise InputError(ident, "result", other, "an item id, or an object with item and count")


def check_pattern(pattern: tuple[Any, ...], key: Mapping[str, Ingredient], ident: str) -> None:
    """Hold a pattern to the rules of the game's loader."""
    rows = [row for row in pattern if isinstance(row, str) and 1 <= len(row) <= 3]
    if not 1 <= len(pattern) <= 3 or len(rows) != len(pattern):
        raise InputError(ident, "pattern", pattern, "1 to 3 rows of 1 to 3 characters")
    if len({len(row) for row in rows}) > 1:
        raise InputError(ident, "pattern", pattern, "rows of equal width")
    used = set("".join(rows)) - {" "}
    if not used:
        raise InputError(ident, "pattern", pattern, "at least one ingredient")
    if used != set(key):
        odd = "".join(sorted(used ^ set(key)))
        raise InputError(
            ident, "key", odd, "every character of the pattern defined and used, space excepted"
        )
