"""What the kernels read off a compiled Rulebook equals what the Rulebook says: grids, furnaces, digging, tools."""

from functools import cache
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.recipes import ShapelessRecipe
from mirrorcraft.core.rng import below
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.kernels.actions import encode
from mirrorcraft.sim.kernels.crafting import match
from mirrorcraft.sim.kernels.inventory import give
from mirrorcraft.sim.kernels.tools import NEVER, break_ticks
from mirrorcraft.sim.layout import ACTION, MAX_RECIPES, NONE, STATE, Skill, rows
from mirrorcraft.sim.tables import COOKERS, compile_tables
from mirrorcraft.study.plan import rules_for
from mirrorcraft.testing.strategies import grids, recipe_grids, rulebooks

Grid = tuple[tuple[str | None, ...], ...]
VANILLA = Rulebook.vanilla("1.19")
SUITES = ("vanilla", "M01", "M02", "M03", "M04", "M05", "M06")
ITEMS, BLOCKS = list(VANILLA.items), list(VANILLA.blocks)
NUMBER = {name: i for i, name in enumerate(ITEMS)}


@cache
def recipe_ids(rules: Rulebook) -> list[str]:
    """Return the crafting recipes in the order of the tables."""
    return [r.id for r in rules.ordered_recipes if hasattr(r, "group") and _crafts(r)]


def _crafts(recipe: Any) -> bool:
    return hasattr(recipe, "pattern") or isinstance(recipe, ShapelessRecipe)


def matched(rules: Rulebook, grid: Grid) -> tuple[str, str, int] | None:
    """Return (recipe, item, count) that the kernel makes of a grid."""
    table, actions = compile_tables(rules), rows(1, ACTION)
    cells = np.full(9, NONE, np.int64)
    flat = [NONE if cell is None else NUMBER[cell] for row in grid for cell in row]
    cells[: len(flat)] = flat
    encode(actions, 0, int(Skill.CRAFT_GRID), NONE, 1, NONE, cells, len(grid[0]), len(grid))
    r = match(table, actions[0])
    if r == NONE:
        return None
    return recipe_ids(rules)[r], ITEMS[table.result[r]], int(table.result_count[r])


def told(rules: Rulebook, grid: Grid) -> tuple[str, str, int] | None:
    made = rules.craft(grid)
    return made and (made.recipe, made.item, made.count)


def occupied(grid: Grid) -> bool:
    return any(cell is not None for row in grid for cell in row)


@st.composite
def moved(draw: Any, source: st.SearchStrategy[Grid]) -> Grid:
    """Move a grid about: mirrored, upside down, laid into a corner of a larger one."""
    grid = draw(source)
    if draw(st.booleans()):
        grid = tuple(row[::-1] for row in grid)
    if draw(st.integers(0, 3)) == 0:
        grid = grid[::-1]
    down, right = 3 - len(grid), 3 - len(grid[0])
    top, left = draw(st.integers(0, down)), draw(st.integers(0, right))
    wide = [(None,) * left + row + (None,) * (right - left) for row in grid]
    return tuple([(None,) * 3] * top + wide + [(None,) * 3] * (down - top))


@pytest.mark.parametrize("suite", SUITES)
@given(grid=moved(grids()).filter(occupied))
@settings(max_examples=150)
def test_a_grid_makes_in_the_kernel_what_the_rulebook_says(suite: str, grid: Grid):
    rules = rules_for(suite)
    assert matched(rules, grid) == told(rules, grid)


@given(rules=rulebooks(), moved_grids=st.lists(moved(grids()).filter(occupied), min_size=4))
@settings(max_examples=15)
def test_that_holds_for_any_rulebook(rules: Rulebook, moved_grids: list[Grid]):
    for grid in moved_grids:
        assert matched(rules, grid) == told(rules, grid)


@cache
def plain_recipes(suite: str) -> dict[str, Any]:
    return {i: r.to_json() for i, r in rules_for(suite).recipes.items()}


@given(suite=st.sampled_from(SUITES), grid=moved(grids()).filter(occupied))
@settings(max_examples=60)
def test_a_grid_makes_in_the_kernel_what_the_naive_twin_finds(suite: str, grid: Grid):
    rules = rules_for(suite)
    found = naive.crafting_matches(plain_recipes(suite), grid, rules.item_tags)
    made = matched(rules, grid)
    assert len(found) <= 1
    assert found == ([made[0]] if made else [])


@pytest.mark.parametrize("suite", SUITES)
def test_every_recipe_is_made_from_a_grid_of_its_own(suite: str):
    rules = rules_for(suite)
    for i, recipe in enumerate(r for r in rules.ordered_recipes if _crafts(r)):
        grid = some_grid(recipe, rules, i)
        assert matched(rules, grid) == (recipe.id, recipe.result, getattr(recipe, "count", 1))


def some_grid(recipe: Any, rules: Rulebook, seed: int) -> Grid:
    """Return a grid of a recipe with a different accepted item in every slot."""

    def pick(slot: Any, k: int) -> str:
        options = rules.expand(slot)
        return options[below(len(options), seed, k, 0)]

    if isinstance(recipe, ShapelessRecipe):
        cells = [pick(slot, k) for k, slot in enumerate(recipe.ingredients)]
        padded = [*cells, *[None] * (-len(cells) % 3)]
        return tuple(tuple(padded[k : k + 3]) for k in range(0, len(padded), 3))
    return tuple(
        tuple(None if c == " " else pick(recipe.key[c], 3 * y + x) for x, c in enumerate(line))
        for y, line in enumerate(recipe.pattern)
    )


@given(grid=moved(recipe_grids()), data=st.data())
@settings(max_examples=60)
def test_one_item_more_or_another_item_is_seen(grid: Grid, data: st.DataObject):
    y, x = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    item = data.draw(st.sampled_from([None, *ITEMS]))
    spoiled = tuple(
        tuple(item if (y, x) == (j, i) else cell for i, cell in enumerate(row))
        for j, row in enumerate(grid)
    )
    if occupied(spoiled):
        assert matched(VANILLA, spoiled) == told(VANILLA, spoiled)


# ---- furnaces


def cooked(rules: Rulebook) -> dict[tuple[str, str], tuple[str, int, int]]:
    """Return all that the tables say of stations: (station, input) to (result, count, ticks)."""
    t = compile_tables(rules)
    return {
        (station, ITEMS[i]): (
            ITEMS[t.cook_result[s, i]],
            int(t.cook_count[s, i]),
            int(t.cook_ticks[s, i]),
        )
        for s, station in enumerate(COOKERS)
        for i in np.flatnonzero(t.cook_result[s, : len(ITEMS)] != NONE)
    }


def told_of_cooking(rules: Rulebook) -> dict[tuple[str, str], tuple[str, int, int]]:
    told = {(s, i): rules.cook(s, i) for s in COOKERS for i in ITEMS}
    return {pair: (r.result, r.count, r.cookingtime) for pair, r in told.items() if r}


@pytest.mark.parametrize("suite", SUITES)
def test_every_item_cooks_in_every_station_as_the_rulebook_says(suite: str):
    assert cooked(rules_for(suite)) == told_of_cooking(rules_for(suite))


@given(rules=rulebooks())
@settings(max_examples=10)
def test_that_holds_for_any_rulebook_too(rules: Rulebook):
    assert cooked(rules) == told_of_cooking(rules)


def test_fuels_burn_as_long_as_the_rulebook_says():
    t = compile_tables(VANILLA)
    burning = {ITEMS[i]: int(t.fuel[i]) for i in np.flatnonzero(t.fuel)}
    assert burning == dict(VANILLA.fuels)


# ---- digging

TOOLS = [name for name, item in VANILLA.items.items() if item.tool]


@pytest.mark.parametrize("tool", [None, "oak_log", *TOOLS])
@pytest.mark.parametrize("efficiency", [0, 3])
def test_breaking_takes_the_ticks_that_the_rulebook_says(tool: str | None, efficiency: int):
    t, state = compile_tables(VANILLA), rows(1, STATE)[0]
    entry = NONE
    if tool and VANILLA.items[tool].durability:
        assert give(t, state, np.int64(NUMBER[tool]), np.int64(1)) == 1
        entry = 0
        state.tool_enchants[0, 0] = (int(t.efficiency) + 1) << 4 | efficiency if efficiency else 0
    elif efficiency:
        tool, efficiency = None, 0  # a hand has no enchantments
    for b, block in enumerate(BLOCKS):
        expected = VANILLA.break_ticks(block, tool, haste=2, efficiency=efficiency)
        ticks = break_ticks(t, state, np.int64(b), np.int64(entry))
        assert ticks == (NEVER if expected is None else expected), block


# ---- what does not fit


def test_more_recipes_than_the_record_holds_are_refused_by_name():
    stick = VANILLA.recipes["stick"]
    many = {f"stick_{i}": stick for i in range(MAX_RECIPES + 1)}
    with pytest.raises(InputError, match=r"recipes: got .* at most 1024 crafting recipes"):
        compile_tables(VANILLA.replace(recipes=many))
