"""A slow twin of recipe lookup, written from the game's rules over plain recipe JSON, with no index and no cache."""

from collections.abc import Mapping, Sequence
from typing import Any

Grid = Sequence[Sequence[str | None]]
Tags = Mapping[str, Sequence[str]]


def full(name: str) -> str:
    return name if ":" in name else "minecraft:" + name


def in_tag(item: str, tag: str, tags: Tags) -> bool:
    for member in tags[tag.removeprefix("minecraft:")]:
        if member.startswith("#"):
            if in_tag(item, member[1:], tags):
                return True
        elif full(member) == full(item):
            return True
    return False


def takes(ingredient: Any, item: str, tags: Tags) -> bool:
    if isinstance(ingredient, list):
        return any(takes(option, item, tags) for option in ingredient)
    if "tag" in ingredient:
        return in_tag(item, ingredient["tag"], tags)
    return ingredient["item"] == full(item)


def fits_shaped(recipe: Any, grid: Grid, tags: Tags) -> bool:
    """Lay the pattern at every place of the grid, as it is and mirrored left to right."""
    height, width = len(grid), len(grid[0])
    pattern = recipe["pattern"]
    for rows in (pattern, [row[::-1] for row in pattern]):
        for top in range(height - len(rows) + 1):
            for left in range(width - len(rows[0]) + 1):
                if all(
                    _cell_fits(recipe, rows, y - top, x - left, grid[y][x], tags)
                    for y in range(height)
                    for x in range(width)
                ):
                    return True
    return False


def _cell_fits(
    recipe: Any, rows: Sequence[str], y: int, x: int, item: str | None, tags: Tags
) -> bool:
    inside = 0 <= y < len(rows) and 0 <= x < len(rows[0])
    char = rows[y][x] if inside else " "
    if char == " ":
        return item is None
    return item is not None and takes(recipe["key"][char], item, tags)


def fits_shapeless(recipe: Any, grid: Grid, tags: Tags) -> bool:
    """Try every way to give each ingredient an item of its own."""
    items = [cell for row in grid for cell in row if cell is not None]
    if len(items) != len(recipe["ingredients"]):
        return False

    def assign(ingredients: list[Any], left: list[str]) -> bool:
        if not ingredients:
            return True
        return any(
            takes(ingredients[0], item, tags) and assign(ingredients[1:], left[:i] + left[i + 1 :])
            for i, item in enumerate(left)
        )

    return assign(recipe["ingredients"], items)


def crafting_matches(recipes: Mapping[str, Any], grid: Grid, tags: Tags) -> list[str]:
    """Return the ids of all crafting recipes that a grid makes."""
    fits = {
        "minecraft:crafting_shaped": fits_shaped,
        "minecraft:crafting_shapeless": fits_shapeless,
    }
    return [i for i, r in recipes.items() if r["type"] in fits and fits[r["type"]](r, grid, tags)]


def cooking_matches(recipes: Mapping[str, Any], kind: str, item: str, tags: Tags) -> list[str]:
    """Return the ids of all recipes of a kind that take an item."""
    return [
        i
        for i, r in recipes.items()
        if r["type"] == "minecraft:" + kind and takes(r["ingredient"], item, tags)
    ]
