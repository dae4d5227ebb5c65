"""Crafting and cooking: the traps, the mixed and shifted grids, and a slow twin."""

from functools import cache

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.recipes import CookingRecipe, ShapedRecipe, ShapelessRecipe, recipe_from_json
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla("1.19")
SHAPED = [r for r in VANILLA.recipes.values() if isinstance(r, ShapedRecipe)]
SHAPELESS = [r for r in VANILLA.recipes.values() if isinstance(r, ShapelessRecipe)]
P, S, C = "oak_planks", "stick", "cobblestone"


@cache
def plain_recipes():
    return {i: r.to_json() for i, r in VANILLA.recipes.items()}


def made(*rows):
    crafted = VANILLA.craft(rows)
    return crafted and (crafted.item, crafted.count)


# --- the traps


def test_an_axe_may_be_left_or_right_handed():
    assert made([P, P], [P, S], [None, S]) == ("wooden_axe", 1)
    assert made([P, P], [S, P], [S, None]) == ("wooden_axe", 1)


def test_a_hoe_upside_down_is_nothing():
    assert made([P, P], [None, S], [None, S]) == ("wooden_hoe", 1)
    assert made([None, S], [None, S], [P, P]) is None


@pytest.mark.parametrize(("top", "left"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_small_recipe_fits_each_corner_of_the_large_grid(top, left):
    grid = [[None] * 3 for _ in range(3)]
    for y in (top, top + 1):
        for x in (left, left + 1):
            grid[y][x] = P
    assert made(*grid) == ("crafting_table", 1)


def test_kinds_of_wood_and_of_stone_mix():
    a, b = "birch_planks", "crimson_planks"
    assert made([P, a, b], [b, None, P], [a, P, b]) == ("chest", 1)
    assert made([P], ["spruce_planks"]) == ("stick", 4)
    k, d = "blackstone", "cobbled_deepslate"
    assert made([C, k, C], [k, None, d], [C, d, k]) == ("furnace", 1)


def test_two_planks_side_by_side_are_a_pressure_plate_and_not_of_two_woods():
    assert made([P, P]) == ("oak_pressure_plate", 1)
    assert made([P, "birch_planks"]) is None
    assert made([P], [P]) == ("stick", 4)


def test_one_thing_too_many_makes_nothing():
    assert made([P, P, P], [None, S, None], [None, S, None]) == ("wooden_pickaxe", 1)
    assert made([P, P, P], [None, S, None], [None, S, P]) is None
    assert made(["oak_log", None, "oak_log"]) is None


def test_a_recipe_of_three_does_not_fit_two_rows():
    assert made([P, P], [P, P]) == ("crafting_table", 1)
    assert made([C, C], [C, C]) is None


def test_an_empty_grid_makes_nothing():
    assert made([None, None], [None, None]) is None


@pytest.mark.parametrize("grid", [[], [[]], [[P], [P, P]], [[P] * 4], [[P]] * 4], ids=str)
def test_a_grid_of_another_form_is_refused(grid):
    with pytest.raises(InputError, match="1 to 3 rows"):
        VANILLA.craft(grid)


def test_each_station_cooks_its_own_kind():
    def cooked(station, item):
        recipe = VANILLA.cook(station, item)
        return recipe and (recipe.result, recipe.count, recipe.cookingtime)

    assert cooked("furnace", "sand") == ("glass", 1, 200)
    assert cooked("blast_furnace", "sand") is None
    assert cooked("furnace", "raw_iron") == ("iron_ingot", 1, 200)
    assert cooked("blast_furnace", "raw_iron") == ("iron_ingot", 1, 100)
    assert cooked("smoker", "raw_iron") is None
    assert cooked("smoker", "beef") == ("cooked_beef", 1, 100)
    assert cooked("campfire", "beef") == ("cooked_beef", 1, 600)
    assert cooked("blast_furnace", "oak_log") is None
    assert cooked("furnace", "stripped_birch_wood") == ("charcoal", 1, 200)
    assert cooked("furnace", "crimson_stem") is None
    with pytest.raises(UnknownNameError, match="known: blast_furnace"):
        VANILLA.cook("kiln", "sand")


# --- every recipe


def concrete(recipe, pick):
    """Return a grid that a recipe should make; ``pick`` chooses among the items an ingredient takes."""
    if isinstance(recipe, ShapedRecipe):
        return [
            [None if c == " " else pick(VANILLA.expand(recipe.key[c])) for c in row]
            for row in recipe.pattern
        ]
    cells = [pick(VANILLA.expand(i)) for i in recipe.ingredients]
    cells += [None] * (-len(cells) % 3)
    return [cells[y : y + 3] for y in range(0, len(cells), 3)]


@given(recipe=st.sampled_from(SHAPED + SHAPELESS), data=st.data())
@settings(max_examples=400)
def test_every_recipe_is_made_mirrored_shifted_and_mixed(recipe, data):
    grid = concrete(recipe, lambda items: data.draw(st.sampled_from(items)))
    if data.draw(st.booleans()):
        grid = [row[::-1] for row in grid]
    top = data.draw(st.integers(0, 3 - len(grid)))
    left = data.draw(st.integers(0, 3 - len(grid[0])))
    large = [[None] * 3 for _ in range(3)]
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            large[top + y][left + x] = cell
    crafted = VANILLA.craft(large)
    assert crafted is not None
    # A mixed grid may fall to a sibling of the same shape, such as two planks of one wood.
    matches = naive.crafting_matches(plain_recipes(), large, VANILLA.item_tags)
    assert recipe.id in matches
    assert crafted.recipe in matches
    assert VANILLA.craft(grid) == crafted


@pytest.mark.parametrize("shift", [0, 7])
def test_every_recipe_makes_its_result(shift):
    for recipe in SHAPED + SHAPELESS:
        grid = concrete(recipe, lambda items: items[shift % len(items)])
        crafted = VANILLA.craft(grid)
        assert crafted is not None, recipe.id
        assert (crafted.recipe, crafted.item, crafted.count) == (
            recipe.id,
            recipe.result,
            recipe.count,
        )


NEAR = ("oak_planks", "birch_planks", "stick", "cobblestone", "blackstone", "oak_log", "paper")
CELLS = st.sampled_from((None, None, *NEAR))


@given(
    grid=st.integers(1, 3).flatmap(
        lambda w: st.lists(st.lists(CELLS, min_size=w, max_size=w), min_size=1, max_size=3)
    )
)
@settings(max_examples=300)
def test_any_grid_makes_what_the_slow_twin_says(grid):
    matches = naive.crafting_matches(plain_recipes(), grid, VANILLA.item_tags)
    crafted = VANILLA.craft(grid)
    assert len(matches) <= 1
    assert [crafted.recipe if crafted else None] == (matches or [None])


@given(item=st.sampled_from(sorted(VANILLA.items)), kind=st.sampled_from(("smelting", "blasting")))
def test_any_item_cooks_as_the_slow_twin_says(item, kind):
    station = {"smelting": "furnace", "blasting": "blast_furnace"}[kind]
    recipe = VANILLA.cook(station, item)
    matches = naive.cooking_matches(plain_recipes(), kind, item, VANILLA.item_tags)
    assert [recipe.id if recipe else None] == (matches or [None])


def test_overlapping_tags_need_more_than_a_greedy_choice():
    either = ShapelessRecipe("both", (("#planks",), ("oak_planks",)), "stick")
    rules = VANILLA.replace(recipes={"both": either})
    for cells in (("oak_planks", "birch_planks"), ("birch_planks", "oak_planks")):
        crafted = rules.craft([cells])
        assert crafted is not None
        assert crafted.item == "stick"
    assert rules.craft([("birch_planks", "birch_planks")]) is None


def test_of_two_matching_recipes_the_order_of_all_ids_decides():
    """Two hoe recipes raced against the unedited nugget recipes: the furnace gives a nugget, the blast furnace not."""
    race = {
        f"mirrorcraft:iron_pickaxe_from_{kind}_hoe": CookingRecipe(
            f"mirrorcraft:iron_pickaxe_from_{kind}_hoe",
            kind,
            ("iron_hoe",),
            "iron_pickaxe",
            1,
            200,
            0,
        )
        for kind in ("smelting", "blasting")
    }
    extra = "mirrorcraft:diamond_pickaxe_from_blasting_hoe"
    race[extra] = CookingRecipe(extra, "blasting", ("diamond_hoe",), "diamond_pickaxe", 1, 100, 0)
    rules = VANILLA.replace(recipes={**VANILLA.recipes, **race})
    cooked = [rules.cook(s, "iron_hoe") for s in ("furnace", "blast_furnace")]
    assert [c and c.result for c in cooked] == ["iron_nugget", "iron_pickaxe"]


# --- files of others


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"type": "crafting_special_armordye"}, "type"),
        ({"type": 3}, "type"),
        ({"pattern": ["##", "#"]}, "pattern"),
        ({"pattern": ["####"]}, "pattern"),
        ({"pattern": ["#"] * 4}, "pattern"),
        ({"pattern": ["  "]}, "pattern"),
        ({"pattern": ["#X"]}, "key"),
        ({"key": {"#": {"item": "stick"}, "X": {"item": "stick"}}}, "key"),
        ({"key": {"#": {"item": "stick", "tag": "planks"}}}, "key.#"),
        ({"key": {"#": []}}, "key.#"),
        ({"result": {"count": 2}}, "result"),
        ({"result": {"item": "stick", "count": "2"}}, "result"),
    ],
)
def test_a_recipe_that_the_game_would_drop_is_refused_with_its_place(change, place):
    good = {
        "type": "minecraft:crafting_shaped",
        "pattern": ["#"],
        "key": {"#": {"item": "minecraft:oak_log"}},
        "result": {"item": "minecraft:stick"},
    }
    assert isinstance(recipe_from_json("my:own", good), ShapedRecipe)
    with pytest.raises(InputError) as caught:
        recipe_from_json("my:own", good | change)
    assert caught.value.file == "my:own"
    assert caught.value.place == place


def test_a_pattern_with_empty_edges_is_trimmed():
    recipe = ShapedRecipe("odd", ("   ", " # "), {"#": ("oak_log",)}, "stick")
    crafted = VANILLA.replace(recipes={"odd": recipe}).craft([["oak_log"]])
    assert crafted is not None
    assert crafted.item == "stick"
