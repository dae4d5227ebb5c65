"""The recipes of rules/vanilla/1.19 against the game's own files."""

from collections import Counter

import pytest
from oracle import oracle, reading

from mirrorcraft.core.recipes import recipe_from_json, recipe_order
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla("1.19")
SPECIAL = {
    "armor_dye",
    "banner_duplicate",
    "book_cloning",
    "firework_rocket",
    "firework_star",
    "firework_star_fade",
    "map_cloning",
    "map_extending",
    "repair_item",
    "shield_decoration",
    "shulker_box_coloring",
    "suspicious_stew",
    "tipped_arrow",
}


def game_recipes():
    return oracle("vanilla_119_recipes.json")["recipes"]


def test_every_recipe_has_the_json_of_the_game():
    ours = {"minecraft:" + i: r.to_json() for i, r in VANILLA.recipes.items()}
    theirs = {i: r for i, r in game_recipes().items() if i in ours}
    assert ours == theirs


def test_the_counts_by_kind_are_those_of_the_game():
    kinds = Counter(
        r.to_json()["type"].removeprefix("minecraft:") for r in VANILLA.recipes.values()
    )
    assert kinds == {
        "crafting_shaped": 556,
        "crafting_shapeless": 198,
        "smelting": 70,
        "blasting": 24,
        "smoking": 9,
        "campfire_cooking": 9,
        "smithing": 9,
    }


def test_what_is_left_out_is_stonecutting_and_thirteen_special_recipes():
    """No skill reaches a stonecutter; special recipes read the NBT of their inputs."""
    left_out = {i: r for i, r in game_recipes().items() if i[10:] not in VANILLA.recipes}
    special = {i[10:] for i, r in left_out.items() if "special" in r["type"]}
    cut = {i[10:] for i, r in left_out.items() if r["type"] == "minecraft:stonecutting"}
    assert special == SPECIAL
    assert len(cut) == 201
    assert special | cut == {i[10:] for i in left_out} == set(VANILLA.other_recipes)


def test_a_recipe_file_reads_back_to_the_same_recipe():
    for ident, recipe in VANILLA.recipes.items():
        assert recipe_from_json("minecraft:" + ident, recipe.to_json()) == recipe


def test_recipes_are_tried_in_the_order_of_the_game():
    theirs = reading().recipe_order(game_recipes())
    assert recipe_order([*VANILLA.recipes, *VANILLA.other_recipes]) == [i[10:] for i in theirs]
    more = [*theirs, *(f"mirrorcraft:extra_{n}" for n in range(600))]
    assert recipe_order(more) == reading().recipe_order(more)


def test_no_item_or_tag_in_a_recipe_is_unknown():
    for recipe in VANILLA.recipes.values():
        data = recipe.to_json()
        result = data["result"] if isinstance(data["result"], str) else data["result"]["item"]
        assert result[10:] in VANILLA.items
        for ingredient in _ingredients(recipe):
            assert VANILLA.expand(ingredient)
            assert set(VANILLA.expand(ingredient)) <= set(VANILLA.items)


def _ingredients(recipe):
    for name in ("ingredient", "base", "addition"):
        if hasattr(recipe, name):
            yield getattr(recipe, name)
    yield from getattr(recipe, "ingredients", ())
    yield from getattr(recipe, "key", {}).values()


@pytest.mark.parametrize("kind", ["smelting", "blasting", "smoking", "campfire_cooking"])
def test_every_item_cooks_as_an_independent_reading_says(kind):
    world = reading().World()
    station = {
        "smelting": "furnace",
        "blasting": "blast_furnace",
        "smoking": "smoker",
        "campfire_cooking": "campfire",
    }[kind]
    cookable = {i for r in VANILLA.recipes.values() if hasattr(r, "kind") for i in r_inputs(r)}
    for item in sorted(cookable):
        theirs = world.cook(kind, item)
        ours = VANILLA.cook(station, item)
        assert (theirs and theirs[0]) == (ours and "minecraft:" + ours.id), item
    assert all(VANILLA.cook(station, item) is None for item in set(VANILLA.items) - cookable)


def r_inputs(recipe):
    return VANILLA.expand(recipe.ingredient)
