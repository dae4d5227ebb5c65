"""Applying a manifest changes what it names and nothing else, or fails and changes nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import ManifestError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.recipes import CookingRecipe
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.strategies import grids, manifests, rulebooks

VANILLA = Rulebook.vanilla("1.19")


def mirror(*changes: dict[str, Any], id: str = "T01", rules: Rulebook = VANILLA) -> Rulebook:
    head = {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": id,
        "title": "t",
        "game_version": "1.19",
    }
    entries = [{"id": f"c{i}", **change} for i, change in enumerate(changes)]
    return rules.apply(RuleManifest.from_json(json.dumps({**head, "changes": entries})))


def cooked(rules: Rulebook, station: str, item: str) -> tuple[str, int] | None:
    recipe = rules.cook(station, item)
    return recipe and (recipe.result, recipe.count)


def test_an_empty_manifest_leaves_the_vanilla_rules():
    rules = mirror()
    assert rules == VANILLA
    assert rules.changes == ()
    assert rules.name == "T01"


@pytest.mark.parametrize("suite", ["M01", "M02", "M03", "M04", "M05", "M06"])
def test_applying_twice_gives_equal_rules_and_leaves_vanilla_alone(suite: str):
    before = VANILLA.digest
    one, two = (VANILLA.apply(RuleManifest.load(suite)) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one.digest == two.digest != before == VANILLA.digest
    assert one != VANILLA
    assert one.name == suite


@settings(max_examples=40, deadline=None)
@given(manifests())
def test_rules_that_no_change_names_equal_vanilla(manifest: RuleManifest):
    rules = VANILLA.apply(manifest)
    named = {target for change in rules.changes for target in change.targets()}
    for ident, recipe in VANILLA.recipes.items():
        if ("recipe", ident) not in named and not isinstance(recipe, CookingRecipe):
            assert rules.recipes[ident] == recipe
    stations = ("furnace", "blast_furnace", "smoker")
    for station, item in ((s, i) for s in stations for i in VANILLA.items):
        if ("cooking", station, item) not in named:
            assert cooked(rules, station, item) == cooked(VANILLA, station, item)
    for table, value in VANILLA.loot.items():
        kind, _, name = table.partition("/")
        owner = ({"blocks": "block", "entities": "entity"}.get(kind, ""), name.partition("/")[0])
        if owner not in named:
            assert rules.loot[table] == value
    assert rules.loot.keys() == VANILLA.loot.keys()
    assert rules.item_tags == VANILLA.item_tags
    assert rules.fuels == VANILLA.fuels


@settings(max_examples=40, deadline=None)
@given(manifests(max_changes=4).filter(lambda m: m.changes))
def test_every_change_changes_something_and_has_its_own_rule_id(manifest: RuleManifest):
    rules = VANILLA.apply(manifest)
    assert [c.id for c in rules.changes] == [f"{manifest.id}.{e.id}" for e in manifest.changes]
    assert all(list(change.targets()) for change in rules.changes)
    for i in range(len(manifest.changes)):
        rest = manifest.model_copy(
            update={"changes": manifest.changes[:i] + manifest.changes[i + 1 :]}
        )
        less = VANILLA.apply(rest)
        assert (less.recipes, less.loot) != (rules.recipes, rules.loot)


@settings(max_examples=30, deadline=None)
@given(rulebooks(), st.lists(grids(), min_size=5, max_size=10))
def test_a_grid_of_an_untouched_recipe_crafts_as_in_vanilla(rules: Rulebook, some: list):
    named = {recipe for change in rules.changes for recipe in change.recipes}
    for grid in some:
        made = VANILLA.craft(grid)
        if made is None or made.recipe not in named:
            assert rules.craft(grid) == made


@settings(max_examples=30, deadline=None)
@given(manifests(), manifests())
def test_a_manifest_that_fails_halfway_leaves_the_rulebook_as_it_was(
    first: RuleManifest, second: RuleManifest
):
    rules = VANILLA.apply(first)
    before = (rules.digest, rules.changes)
    clash = second.model_copy(update={"changes": (*second.changes, *first.changes)})
    if first.changes:
        with pytest.raises(ManifestError):
            rules.apply(clash)
    assert (rules.digest, rules.changes) == before


def test_two_manifests_add_up_when_their_targets_differ():
    a = {"op": "recipe_count", "recipes": "stick", "count": 1}
    b = {"op": "recipe_count", "recipes": "paper", "count": 1}
    both = mirror(b, id="B", rules=mirror(a, id="A"))
    assert both == mirror(a, b, id="AB")
    assert [c.id for c in both.changes] == ["A.c0", "B.c0"]
    assert both.name == "A+B"
    with pytest.raises(ManifestError, match="an earlier manifest"):
        mirror(a, id="C", rules=both)


def test_a_manifest_of_another_game_version_is_refused():
    rules = replace(VANILLA, version="1.16.5")
    with pytest.raises(ManifestError, match=r"game_version: got '1\.19'; expected 1\.16\.5"):
        rules.apply(RuleManifest.load("M01"))


def test_silk_touch_keeps_the_block_whatever_tool_it_needs():
    for block, tool in (
        ("glass", "iron_axe"),
        ("stone", "iron_pickaxe"),
        ("grass_block", "iron_shovel"),
    ):
        rules = mirror(
            {
                "op": "block_drops_replaced",
                "blocks": block,
                "drops": [{"item": "stick"}, {"item": "bone"}],
                "silk_touch": "keeps_vanilla",
            }
        )
        assert rules.drops(block, tool, {"silk_touch": 1}) == {((block, 1),): 1}
        assert rules.drops(block, tool) == {(("bone", 1), ("stick", 1)): 1}


def test_a_new_result_comes_once_unless_a_count_is_given():
    one = mirror({"op": "recipe_result", "recipes": "paper", "result": "book"})
    three = mirror({"op": "recipe_result", "recipes": "paper", "result": "book", "count": 3})
    grid = (("sugar_cane",) * 3,)
    assert [(c := r.craft(grid)) and (c.item, c.count) for r in (one, three)] == [
        ("book", 1),
        ("book", 3),
    ]


def test_a_removed_recipe_makes_nothing():
    rules = mirror({"op": "recipe_removed", "recipes": ["paper", "stick"]})
    assert rules.craft((("sugar_cane",) * 3,)) is None
    assert rules.craft((("oak_planks",), ("oak_planks",))) is None


def test_one_input_of_a_recipe_of_many_changes_alone():
    rules = mirror(
        {
            "op": "processing_result",
            "inputs": ["iron_hoe", "oak_log"],
            "stations": "furnace",
            "result": "paper",
            "count": 5,
        }
    )
    assert cooked(rules, "furnace", "iron_hoe") == ("paper", 5)
    assert cooked(rules, "furnace", "iron_sword") == ("iron_nugget", 1)
    assert cooked(rules, "blast_furnace", "iron_hoe") == ("iron_nugget", 1)
    assert cooked(rules, "furnace", "oak_log") == ("paper", 5)
    assert cooked(rules, "furnace", "birch_log") == ("charcoal", 1)
    new = [i for i in rules.recipes if i.startswith("mirrorcraft:")]
    assert sorted(new) == [
        "mirrorcraft:paper_from_smelting_iron_hoe",
        "mirrorcraft:paper_from_smelting_oak_log",
    ]


def test_no_two_recipes_compete_for_one_input_even_when_changes_share_a_recipe():
    names = ["iron_hoe", "iron_sword", "iron_axe"]
    rules = mirror(
        *(
            {"op": "processing_result", "inputs": n, "stations": "furnace", "result": "stick"}
            for n in names
        ),
        {"op": "processing_removed", "inputs": "iron_helmet", "stations": "furnace"},
    )
    smelting = [
        r for r in rules.recipes.values() if isinstance(r, CookingRecipe) and r.kind == "smelting"
    ]
    for item in [*names, "iron_helmet", "iron_boots"]:
        accepting = [r.id for r in smelting if rules.accepts(r.ingredient, item)]
        assert len(accepting) == (0 if item == "iron_helmet" else 1)


def test_a_recipe_whose_inputs_are_all_named_keeps_its_file():
    rules = mirror({"op": "processing_count", "inputs": "#sand", "stations": "furnace", "count": 3})
    old = VANILLA.recipes["glass"]
    assert isinstance(old, CookingRecipe)
    assert rules.recipes["glass"] == replace(old, count=3)
    assert rules.recipes.keys() == VANILLA.recipes.keys()


def test_an_added_processing_has_the_time_of_its_station():
    rules = mirror(
        {
            "op": "processing_added",
            "inputs": "dirt",
            "stations": ["furnace", "smoker"],
            "result": "clay",
            "experience": 1.5,
        }
    )
    made = [rules.cook(station, "dirt") for station in ("furnace", "smoker", "blast_furnace")]
    assert [r and (r.cookingtime, r.experience) for r in made] == [(200, 1.5), (100, 1.5), None]


def test_drops_may_be_ranges_and_removed():
    rules = mirror(
        {
            "op": "block_drops_replaced",
            "blocks": "dirt",
            "drops": [{"item": "clay", "count": {"min": 0, "max": 1}}, {"item": "stick"}],
        },
        {"op": "block_drops_removed", "blocks": "sand"},
        {"op": "entity_loot_removed", "entities": "cow"},
    )
    assert rules.drops("dirt") == {(("stick", 1),): 0.5, (("clay", 1), ("stick", 1)): 0.5}
    assert rules.drops("sand") == {(): 1}
    assert rules.kill("cow") == {(): 1}


def test_the_tool_that_a_block_needs_stays_as_in_vanilla():
    rules = mirror({"op": "block_drops_replaced", "blocks": "stone", "drops": [{"item": "stick"}]})
    assert rules.drops("stone") == {(): 1}
    assert rules.drops("stone", "wooden_pickaxe") == {(("stick", 1),): 1}


def test_a_white_sheep_follows_the_loot_of_sheep():
    replaced = mirror(
        {"op": "entity_loot_replaced", "entities": "sheep", "drops": [{"item": "stick"}]}
    )
    added = mirror({"op": "entity_loot_added", "entities": "sheep", "drops": [{"item": "stick"}]})
    assert replaced.kill("sheep", variant="white") == {(("stick", 1),): 1}
    assert all(
        ("stick", 1) in outcome and ("white_wool", 1) in outcome
        for outcome in added.kill("sheep", variant="white")
    )


def test_base_counts_replace_the_count_and_leave_looting():
    rules = mirror(
        {
            "op": "entity_loot_added",
            "entities": "cow",
            "drops": [{"item": "stick"}],
            "base_counts": {"leather": 7},
        }
    )
    assert {dict(o)["leather"] for o in rules.kill("cow")} == {7}
    assert {dict(o)["leather"] for o in rules.kill("cow", looting=3)} == {7, 8, 9, 10}
    assert {dict(o)["beef"] for o in rules.kill("cow")} == {1, 2, 3}
