"""A search for grids that only a mixture of things shows: planks of two woods, say. The same on every run."""

from collections.abc import Collection, Iterator

from mirrorcraft.core.recipes import Ingredient, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.outcomes import Difference, Grid, Slots, Target, crafting, filled, slots

TRIES = 40  # grids of a recipe that differs; of the others one


def mixed_grid(before: Rulebook, after: Rulebook, owned: Collection[Target]) -> Difference | None:
    """Return a grid that comes out otherwise without a change that declares it, or None if none was found.

    Each slot of each recipe is filled by lot with something it accepts. What is found is made plain: slot by slot the
    first thing accepted takes the place of the one drawn, as long as the grid still shows it.
    """

    def undeclared(grid: Grid) -> bool:
        found = crafting(grid, before, after)
        return found is not None and not any(target in owned for target in found.targets)

    for rules, cells, grid in _drawn(before, after):
        if undeclared(grid):
            for y, x in ((y, x) for y, row in enumerate(cells) for x in range(len(row))):
                plainer = [list(row) for row in grid]
                slot = cells[y][x]
                plainer[y][x] = rules.expand(slot)[0] if slot else None
                candidate = tuple(map(tuple, plainer))
                grid = candidate if undeclared(candidate) else grid
            return crafting(grid, before, after)
    return None


def _drawn(before: Rulebook, after: Rulebook) -> Iterator[tuple[Rulebook, Slots, Grid]]:
    """Yield grids filled by lot, with the slots they fill and the rules these are expanded by."""
    for rules, other in ((before, after), (after, before)):
        for recipe in rules.recipes.values():
            if isinstance(recipe, ShapedRecipe | ShapelessRecipe):
                cells = slots(recipe)
                if all(rules.expand(slot) for row in cells for slot in row if slot):
                    tries = TRIES if other.recipes.get(recipe.id) != recipe else 1
                    for n in range(tries):
                        yield rules, cells, _filled(cells, rules, seed_from("grid", recipe.id, n))


def _filled(cells: Slots, rules: Rulebook, seed: int) -> Grid:
    drawn = iter(range(9))

    def choose(slot: Ingredient) -> str:
        options = rules.expand(slot)
        return options[below(len(options), seed, next(drawn), 0)]

    return filled(cells, choose)
