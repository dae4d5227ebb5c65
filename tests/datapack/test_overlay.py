"""Any datapack over the rules: what counts, in which order, and which changes it makes."""

from dataclasses import replace
from typing import Any

import pytest
from oracle import oracle
from packs import DIAMONDS, DIRT, VANILLA, dropping, hiding, item, pack, shapeless, smelting, under

from mirrorcraft.core.encounters import Encounters, Event
from mirrorcraft.core.errors import PackError
from mirrorcraft.core.facts import Advancement
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Crafted
from mirrorcraft.datapack import build, load_order, overlay
from mirrorcraft.sim.tables import compile_tables

# --- what a pack changes


def test_a_new_recipe_crafts_and_its_change_is_named_by_its_place():
    rules = under({"mine:recipes/gem.json": shapeless("diamond", "dirt", "dirt", count=3)})
    assert rules.craft([["dirt", "dirt"]]) == Crafted("mine:gem", "diamond", 3)
    (change,) = rules.changes
    assert (change.id, change.op, change.recipes) == (
        "pack.mine:recipes/gem",
        "pack_recipe",
        ("mine:gem",),
    )
    assert rules.describe() == ("Recipe gem: 2 x dirt give 3 x diamond.",)


def test_each_kind_of_recipe_can_be_overridden():
    smithing = {"type": "smithing", "base": {"item": "stick"}, "addition": {"item": "stone"}}
    rules = under(
        {
            "recipes/stick.json": {
                "type": "minecraft:crafting_shaped",
                "pattern": ["#"],
                "key": {"#": [{"item": "dirt"}, {"tag": "minecraft:planks"}]},
                "result": {"item": "minecraft:stick", "count": 5},
            },
            "recipes/furnace.json": shapeless("furnace", "cobblestone"),
            "recipes/charcoal.json": smelting("diamond", "oak_log", experience=1, cookingtime=20),
            "recipes/netherite_sword_smithing.json": {**smithing, "result": {"item": "apple"}},
        }
    )
    assert rules.craft([["dirt"]]) == Crafted("stick", "stick", 5)
    assert rules.craft([["cobblestone"]]) == Crafted("furnace", "furnace", 1)
    cooked = rules.cook("furnace", "oak_log")
    assert cooked
    assert (cooked.result, cooked.cookingtime, cooked.experience) == ("diamond", 20, 1)
    assert rules.cook("furnace", "birch_log") is None
    assert rules.recipes["netherite_sword_smithing"].result == "apple"


def test_a_pack_file_equal_to_the_games_own_changes_nothing():
    recipe, table = VANILLA.recipes["stick"].to_json(), VANILLA.loot["blocks/gravel"]
    rules = under({"recipes/stick.json": recipe, "loot_tables/blocks/gravel.json": table})
    assert rules == VANILLA
    assert rules.changes == ()


def test_all_of_the_games_own_recipes_tables_and_tags_overlay_to_vanilla():
    loot, tags = oracle("vanilla_119_loot.json"), oracle("tags_119.json")
    own = {
        **{f"recipes/{i[10:]}": r for i, r in oracle("vanilla_119_recipes.json")["recipes"].items()},
        **{f"loot_tables/{i[10:]}": t for part in ("blocks", "entities") for i, t in loot[part].items()},
        **{f"advancements/{i[10:]}": a for i, a in oracle("advancements_119.json")["advancements"].items()},
        **{f"tags/{k}/{i[10:]}": {"values": v} for k in ("items", "blocks") for i, v in tags[k].items()},
    }  # fmt: skip
    found = overlay(
        VANILLA, [pack({f"{path}.json": content for path, content in own.items()})], "report"
    )
    assert found.rulebook == VANILLA
    stonecutting_and_special = 201 + 13
    assert len(found.reports) == stonecutting_and_special
    assert all("/recipes/" in report.file for report in found.reports)


def test_a_loot_table_of_a_pack_drops_and_is_met():
    rules = under({DIRT: DIAMONDS})
    assert rules.drops("dirt") == {(("diamond", 1),): 1}
    (change,) = rules.changes
    assert (change.id, change.blocks) == ("pack.loot_tables/blocks/dirt", ("dirt",))
    assert Encounters(VANILLA, rules).of(Event("break", "dirt", None, ())) == (change.id,)


def test_a_block_that_shares_a_table_of_the_pack_is_among_the_targets():
    shared = {"type": "loot_table", "name": "mine:shared"}
    rules = under({DIRT: dropping(shared), "mine:loot_tables/shared.json": DIAMONDS})
    assert rules.drops("dirt") == {(("diamond", 1),): 1}
    later = rules.overlay(pack({"mine:loot_tables/shared.json": dropping(item("apple"))}))
    assert later.drops("dirt") == {(("apple", 1),): 1}
    (change,) = [c for c in later.changes if "mine:" in c.id]
    assert change.blocks == ("dirt",)


def test_the_rule_sheet_of_a_pack_has_a_line_for_each_file_that_makes_a_difference():
    trigger = {"trigger": "minecraft:enchanted_item", "conditions": {}}
    files = {
        "recipes/stick.json": VANILLA.recipes["stick"].to_json(),
        DIRT: DIAMONDS,
        "loot_tables/entities/cow.json": {"type": "entity", "pools": []},
        "mine:loot_tables/x.json": DIAMONDS,
        "mine:advancements/x.json": {"criteria": {"a": trigger}},
        "tags/items/coals.json": {"values": ["dirt"]},
    }
    assert under(files, filter=hiding("^recipes/paper", "story/root")).describe() == (
        "Recipe paper: it makes nothing; before, 3 x sugar cane give 3 x paper.",
        "Breaking dirt drops 1 x diamond; before, 1 x dirt.",
        "Killing a cow drops nothing; before, 1 to 3 x beef and 0 to 2 x leather.",
        "The loot table mine:x is new.",
        "The advancement mine:x is new.",
        "The advancement story/root is gone.",
        "Tag coals (items): dirt added, nothing taken out.",
    )


def test_the_simulator_plays_by_a_pack():
    one, other = (compile_tables(rules) for rules in (VANILLA, under({DIRT: DIAMONDS})))
    assert one.tobytes() == compile_tables(VANILLA).tobytes()
    assert one.tobytes() != other.tobytes()


def test_tags_merge_and_replace_as_in_the_game():
    merged = under({"tags/items/planks.json": {"values": ["minecraft:dirt"]}})
    assert merged.tag("items", "planks") == VANILLA.tag("items", "planks") | {"dirt"}
    assert merged.craft([["dirt"], ["dirt"]]) == Crafted("stick", "stick", 4)
    replaced = under({"tags/items/planks.json": {"replace": True, "values": ["dirt"]}})
    assert replaced.tag("items", "planks") == {"dirt"}
    assert replaced.craft([["oak_planks"], ["oak_planks"]]) is None


def test_the_recipes_that_a_tag_reaches_are_its_targets():
    rules = under({"tags/items/planks.json": {"values": ["minecraft:dirt"]}})
    (change,) = rules.changes
    assert change.id == "pack.tags/items/planks"
    assert {"stick", "crafting_table", "chest"} <= set(change.recipes)
    assert "furnace" not in change.recipes
    grid = (("dirt",), ("dirt",))
    assert Encounters(VANILLA, rules).of(Event("craft", grid)) == (change.id,)


def test_what_follows_from_tags_follows_the_packs_tags():
    logs = {"values": ["minecraft:dirt"]}
    assert under({"tags/items/logs.json": logs}).fuels["dirt"] == 300
    tools = {"replace": True, "values": []}
    rules = under({"tags/blocks/needs_iron_tool.json": tools})
    assert rules.harvestable("diamond_ore", "wooden_pickaxe")
    assert not VANILLA.harvestable("diamond_ore", "wooden_pickaxe")
    assert any("diamond_ore" in change.blocks for change in rules.changes)


def test_an_optional_tag_member_that_does_not_exist_is_left_out():
    values = [{"id": "mod:plank", "required": False}, {"id": "dirt", "required": True}]
    rules = under({"tags/items/planks.json": {"values": values}})
    assert rules.tag("items", "planks") == VANILLA.tag("items", "planks") | {"dirt"}


def test_advancements_of_the_story_and_simple_ones_of_the_pack_count():
    changed = {"trigger": "minecraft:inventory_changed"}
    dirt = {**changed, "conditions": {"items": [{"items": ["minecraft:dirt"]}]}}
    coals = {**changed, "conditions": {"items": [{"tag": "minecraft:coals"}]}}
    rules = under(
        {
            "advancements/story/mine_stone.json": {"criteria": {"a": dirt}},
            "mine:advancements/coal.json": {
                "parent": "minecraft:story/root",
                "criteria": {"a": coals},
            },
        }
    )
    assert rules.triggered_by("dirt") == ("story/mine_stone",)
    assert rules.triggered_by("cobblestone") == ()
    assert rules.triggered_by("charcoal") == ("mine:coal",)
    assert rules.advancements["mine:coal"].parent == "story/root"


def test_an_advancement_that_only_unlocks_recipes_changes_nothing():
    unlock = {
        "criteria": {
            "a": {"trigger": "minecraft:recipe_unlocked", "conditions": {"recipe": "mine:x"}}
        },
        "rewards": {"recipes": ["mine:x"]},
    }
    assert under({"mine:advancements/recipes/x.json": unlock}) == VANILLA


def test_the_suites_of_the_benchmark_can_be_laid_over_each_other():
    first, second = (build(VANILLA.apply(RuleManifest.load(s))) for s in ("M02", "M05"))
    both = VANILLA.apply(RuleManifest.load("M02")).apply(RuleManifest.load("M05"))
    assert VANILLA.overlay(first, second) == both
    assert VANILLA.overlay(first).overlay(second) == both


# --- filters and load order


def test_a_filter_hides_recipes_tables_tags_and_advancements_of_the_game():
    paths = ["^recipes/stick(_from_.*)?[.]json$", "blocks/dirt", "items/planks", "story/mine_stone"]
    rules = under({}, filter=hiding(*paths))
    assert rules.craft([["oak_planks"], ["oak_planks"]]) is None
    assert VANILLA.recipes.keys() - rules.recipes.keys() == {"stick", "stick_from_bamboo_item"}
    assert rules.drops("dirt") == {(): 1}
    assert rules.tag("items", "planks") == frozenset()
    assert "story/mine_stone" not in rules.advancements
    assert VANILLA.overlay(build(rules)) == rules


def test_a_filter_hides_packs_below_and_not_its_own_or_those_above():
    gem = {"mine:recipes/gem.json": shapeless("diamond", "dirt")}
    every = {"block": [{"path": "^recipes/"}]}
    below, above = pack(gem), pack({}, filter=every)
    assert VANILLA.overlay(below, above).recipes == {}
    assert list(VANILLA.overlay(above, below).recipes) == ["mine:gem"]
    assert list(under(gem, filter=every).recipes) == ["mine:gem"]
    assert VANILLA.overlay(above, below).craft([["dirt"]]) == Crafted("mine:gem", "diamond", 1)


def test_a_hidden_tag_takes_only_the_values_of_the_packs_above():
    rules = under(
        {"tags/items/planks.json": {"values": ["dirt"]}}, filter=hiding("^tags/items/planks")
    )
    assert rules.tag("items", "planks") == {"dirt"}


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(?=a)", "[", "a{2}", "\\Qa\\E", ".*.*.*.*", "a" * 301, 7, None, "[a&&b]"]
)
def test_a_filter_that_java_and_python_may_read_differently_is_refused(pattern: Any):
    with pytest.raises(PackError, match=r"pack\.mcmeta: filter\.block\[0\]\.path"):
        under({}, filter={"block": [{"path": pattern}]})


def test_a_server_loads_upper_case_before_lower_and_the_last_pack_wins():
    named = [
        pack({DIRT: dropping(item(i))}, n)
        for i, n in (("apple", "b.zip"), ("stick", "Z.zip"), ("bow", "_.zip"))
    ]
    assert [p.name for p in load_order(named)] == ["Z.zip", "_.zip", "b.zip"]
    found = overlay(VANILLA, named).rulebook
    assert found.drops("dirt") == {(("apple", 1),): 1}
    assert found.name == "Z+_+b"
    assert VANILLA.overlay(*named).drops("dirt") == {(("bow", 1),): 1}


def test_an_overlay_of_changed_advancements_can_be_built_and_read_back():
    gem = Advancement(
        "mine:gem", None, VANILLA.advancements["story/root"].criteria, (("crafting_table",),)
    )
    rules = replace(VANILLA, advancements={**VANILLA.advancements, "mine:gem": gem})
    assert VANILLA.overlay(build(rules)) == rules
