"""The index behind ``Rulebook.craft`` and ``Rulebook.cook``: which recipe a grid or an input matches."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from mirrorcraft.core.recipes import (
    CookingRecipe,
    Ingredient,
    Recipe,
    ShapedRecipe,
    ShapelessRecipe,
)

T = TypeVar("T")
Cells = tuple[str | None, ...]
_CACHED_GRIDS = (
    8192  # an agent repeats a few grids; random grids must not grow the memory without bound
)


class _Candidate(NamedTuple):
    """A recipe as the matcher sees it: what each slot accepts, in grid order if ``shaped``."""

    rank: int
    shaped: bool
    slots: tuple[frozenset[str] | None, ...]
    recipe: ShapedRecipe | ShapelessRecipe


class CraftingIndex:
    """Crafting recipes by the occupied cells of the trimmed grid, so that a lookup tries only what can match.

    Args:
        recipes: recipes in the order in which the game tries them.
        accepted: returns the set of items an ingredient accepts.
    """

    def __init__(self, recipes: Iterable[Recipe], accepted: Callable[[Ingredient], frozenset[str]]):
        self._shaped: dict[tuple[int, tuple[bool, ...]], list[_Candidate]] = {}
        self._shapeless: dict[int, list[_Candidate]] = {}
        self._merged: dict[tuple[int, tuple[bool, ...]], list[_Candidate]] = {}
        self._found: dict[tuple[int, Cells], ShapedRecipe | ShapelessRecipe | None] = {}
        for rank, recipe in enumerate(recipes):
            if isinstance(recipe, ShapelessRecipe):
                slots = tuple(accepted(i) for i in recipe.ingredients)
                self._shapeless.setdefault(len(slots), []).append(
                    _Candidate(rank, False, slots, recipe)
                )
            elif isinstance(recipe, ShapedRecipe):
                self._add_shaped(rank, recipe, accepted)

    def _add_shaped(
        self, rank: int, recipe: ShapedRecipe, accepted: Callable[[Ingredient], frozenset[str]]
    ) -> None:
        rows = [
            [accepted(recipe.key[c]) if c != " " else None for c in row] for row in recipe.pattern
        ]
        width, slots = trim(rows)
        mirrored = tuple(
            slot for y in range(0, len(slots), width) for slot in reversed(slots[y : y + width])
        )
        for cells in dict.fromkeys((slots, mirrored)):  # a symmetric pattern is tried once
            mask = tuple(slot is not None for slot in cells)
            self._shaped.setdefault((width, mask), []).append(_Candidate(rank, True, cells, recipe))

    def find(self, grid: Sequence[Sequence[str | None]]) -> ShapedRecipe | ShapelessRecipe | None:
        """Return the recipe that the grid makes, or None. Rows are of equal width; a cell is an item id or None."""
        width, cells = trim(grid)
        if not cells:
            return None
        place = (width, cells)
        if place not in self._found:
            if len(self._found) >= _CACHED_GRIDS:
                self._found.clear()
            self._found[place] = self._search(width, cells)
        return self._found[place]

    def _search(self, width: int, cells: Cells) -> ShapedRecipe | ShapelessRecipe | None:
        items = [cell for cell in cells if cell is not None]
        for candidate in self._candidates(width, tuple(cell is not None for cell in cells)):
            if candidate.shaped:
                fits = all(s is None or c in s for s, c in zip(candidate.slots, cells, strict=True))
            else:
                fits = _assign(items, candidate.slots)
            if fits:
                return candidate.recipe
        return None

    def _candidates(self, width: int, mask: tuple[bool, ...]) -> list[_Candidate]:
        found = self._merged.get((width, mask))
        if found is None:
            both = self._shaped.get((width, mask), []) + self._shapeless.get(sum(mask), [])
            found = self._merged[width, mask] = sorted(both, key=lambda c: c.rank)
        return found


def trim(rows: Sequence[Sequence[T | None]]) -> tuple[int, tuple[T | None, ...]]:
    """Return the width and the cells, row by row, of a grid without its empty outer rows and columns."""
    filled = [y for y, row in enumerate(rows) if any(cell is not None for cell in row)]
    if not filled:
        return 0, ()
    columns = [x for x in range(len(rows[0])) if any(row[x] is not None for row in rows)]
    left, right = columns[0], columns[-1] + 1
    inner = rows[filled[0] : filled[-1] + 1]
    return right - left, tuple(cell for row in inner for cell in row[left:right])


def _assign(items: list[str], slots: Sequence[frozenset[str] | None]) -> bool:
    """Return whether each item can be given an ingredient of its own.

    A greedy choice fails where tags overlap, so this looks for augmenting paths.
    """
    if not all(any(s is not None and item in s for s in slots) for item in items):
        return False
    owner: dict[int, int] = {}

    def place(item: int, seen: set[int]) -> bool:
        for i, slot in enumerate(slots):
            if i not in seen and slot is not None and items[item] in slot:
                seen.add(i)
                if i not in owner or place(owner[i], seen):
                    owner[i] = item
                    return True
        return False

    return all(place(item, set()) for item in range(len(items)))


def cooking_index(
    recipes: Iterable[Recipe], accepted: Callable[[Ingredient], frozenset[str]]
) -> dict[str, dict[str, CookingRecipe]]:
    """Return kind -> input item -> the first recipe, in the game's order, that accepts it."""
    index: dict[str, dict[str, CookingRecipe]] = {}
    for recipe in recipes:
        if isinstance(recipe, CookingRecipe):
            of_kind = index.setdefault(recipe.kind, {})
            for item in accepted(recipe.ingredient):
                of_kind.setdefault(item, recipe)
    return index
