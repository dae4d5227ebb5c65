"""What a datapack says beyond the rules: refused or reported by the caller's choice, and never passed over."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packs import DIRT, MCMETA, VANILLA, dropping, item, pack, shapeless, smelting, under

from mirrorcraft.core.errors import OutsideError, PackError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Crafted
from mirrorcraft.datapack import Datapack, build, overlay

# --- what lies outside of the rules

FUNCTION = "mine:functions/x.mcfunction"
OUTSIDE: dict[str, tuple[str, Any]] = {
    "stonecutting": ("recipes/x.json", {"type": "stonecutting", "ingredient": {"item": "dirt"}, "result": "stone", "count": 1}),
    "a special recipe": ("recipes/x.json", {"type": "minecraft:crafting_special_armordye"}),
    "more than a stack": ("recipes/x.json", shapeless("egg", "dirt", count=17)),
    "a smithing count": ("recipes/x.json", {"type": "smithing", "base": {"item": "dirt"}, "addition": {"item": "dirt"}, "result": {"item": "egg", "count": 2}}),
    "cooking in no time": ("recipes/x.json", smelting("stone", "dirt", cookingtime=0)),
    "a function with commands": (FUNCTION, "# gives\ngive @a diamond\n"),
    "a predicate": ("mine:predicates/x.json", {"condition": "minecraft:survives_explosion"}),
    "an item modifier": ("mine:item_modifiers/x.json", []),
    "a biome": ("worldgen/biome/plains.json", {}),
    "a structure": ("mine:structures/x.nbt", b"\x0a"),
    "tags of entities": ("tags/entity_types/skeletons.json", {"values": []}),
    "an unknown folder": ("mine:recipies/x.json", {}),
    "a file of another ending": ("recipes/x.txt", b""),
    "damage": ("loot_tables/blocks/dirt.json", dropping(item("bow", {"function": "set_damage", "damage": 0.5}))),
    "a reference condition": (DIRT, dropping(item("bow"), conditions=[{"condition": "reference", "name": "a:b"}])),
    "weather": (DIRT, dropping(item("bow"), conditions=[{"condition": "weather_check", "raining": True}])),
    "an entity condition of its own": (DIRT, dropping(item("bow"), conditions=[{"condition": "entity_properties", "entity": "this", "predicate": {"flags": {"is_baby": True}}}])),
    "a sequence": (DIRT, dropping({"type": "sequence", "children": []})),
    "half an item": (DIRT, dropping(item("bow", {"function": "set_count", "count": 1.5}))),
    "a score": (DIRT, dropping(item("bow", {"function": "set_count", "count": {"type": "score", "target": "this", "score": "x"}}))),
    "a million rolls": (DIRT, {"pools": [{"rolls": 1000, "entries": [item("bow")]}]}),
    "too many outcomes": (DIRT, {"pools": [{"rolls": 30, "entries": [item(i) for i in ("bow", "egg", "apple", "dirt", "stick", "coal", "bone")]}]}),
    "the state of another block": (DIRT, dropping(item("bow"), conditions=[{"condition": "block_state_property", "block": "wheat", "properties": {"age": "7"}}])),
    "a tool by its nbt": (DIRT, dropping(item("bow"), conditions=[{"condition": "match_tool", "predicate": {"nbt": "{a:1}"}}])),
    "an unknown field": (DIRT, dropping(item("bow", quantity=3))),
    "a table of chests": (DIRT, dropping({"type": "loot_table", "name": "chests/village"})),
    "a table type of its own": (DIRT, {"type": "minecraft:chest", "pools": []}),
    "another trigger": ("mine:advancements/x.json", {"criteria": {"a": {"trigger": "minecraft:tick"}}}),
    "a count of items": ("mine:advancements/x.json", {"criteria": {"a": {"trigger": "minecraft:inventory_changed", "conditions": {"items": [{"items": ["dirt"], "count": 5}]}}}}),
    "two requirements": ("mine:advancements/x.json", {"criteria": {c: {"trigger": "minecraft:enchanted_item", "conditions": {}} for c in "ab"}}),
    "a reward": ("mine:advancements/x.json", {"criteria": {"a": {"trigger": "minecraft:enchanted_item", "conditions": {}}}, "rewards": {"experience": 5}}),
}  # fmt: skip


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_lies_outside_is_refused_or_reported_by_file(kind: str):
    path, content = OUTSIDE[kind]
    made = pack({path: content, "recipes/stick.json": shapeless("stick", "dirt")})
    file = next(f for f in made if f.endswith(path.rpartition(":")[2]))
    with pytest.raises(OutsideError) as caught:
        VANILLA.overlay(made)
    assert caught.value.file == file
    rules, reports = overlay(VANILLA, [made], "report")
    assert [report.file for report in reports] == [file]
    assert reports[0].reason
    assert rules.craft([["dirt"]]) == Crafted("stick", "stick", 1)
    assert rules.loot == VANILLA.loot
    assert VANILLA.overlay(made, strict=False) == rules


def test_a_recipe_left_out_still_hides_what_it_overrides_and_counts_in_the_order():
    made = pack({"recipes/stick.json": {"type": "minecraft:crafting_special_armordye"}})
    rules = VANILLA.overlay(made, strict=False)
    assert "stick" not in rules.recipes
    assert "stick" in rules.other_recipes
    with pytest.raises(PackError, match="no recipes beside vanilla's"):
        build(rules)


def test_a_table_that_refers_to_one_left_out_is_left_out_with_it():
    bad = dropping(item("bow", {"function": "set_damage", "damage": 1}))
    made = pack(
        {DIRT: dropping({"type": "loot_table", "name": "mine:a"}), "mine:loot_tables/a.json": bad}
    )
    rules, reports = overlay(VANILLA, [made], "report")
    assert len(reports) == 2
    assert rules == VANILLA


def test_a_pack_with_counts_lies_over_rules_that_have_counts_of_their_own():
    counted = {
        "id": "two",
        "op": "processing_count",
        "inputs": "potato",
        "stations": "furnace",
        "count": 2,
    }
    head = {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": "T01",
        "title": "T",
        "game_version": "1.19",
    }
    manifest = RuleManifest.from_json(json.dumps({**head, "changes": [counted]}))
    m01 = VANILLA.apply(RuleManifest.load("M01"))
    assert m01.overlay(build(VANILLA.apply(manifest))) == m01.apply(manifest)


def test_a_function_without_commands_and_files_outside_of_data_do_no_harm():
    made = Datapack(
        {
            "pack.mcmeta": MCMETA,
            "pack.png": b"\x89PNG",
            "README.md": b"hello",
            "data/mine/functions/x.mcfunction": "# nothing\n\n",
            "data/minecraft/tags/functions/load.json": {"values": ["mine:x"]},
        }
    )
    assert VANILLA.overlay(made) == VANILLA


def test_our_own_functions_count_only_while_they_are_word_for_word_ours():
    m01 = build(VANILLA.apply(RuleManifest.load("M01")))
    top_up = "data/mirrorcraft/functions/top_up.mcfunction"
    with pytest.raises(OutsideError, match="top_up"):
        VANILLA.overlay(Datapack({**m01, top_up: m01[top_up] + "give @a diamond\n"}))


# --- what the game would refuse

REFUSED: dict[str, tuple[str, Any, str]] = {
    "a recipe that is a list": ("recipes/x.json", [], "type"),
    "an unknown recipe type": ("recipes/x.json", {"type": "crafting_shape"}, "crafting_shaped"),
    "an unknown item": ("recipes/x.json", shapeless("papyrus", "dirt"), "an item of 1.19; did you mean"),
    "an unknown ingredient": ("recipes/x.json", shapeless("stick", "dirtt"), "did you mean dirt"),
    "an unknown tag": ("recipes/x.json", shapeless("stick", "#plankses"), "did you mean #planks"),
    "a cooking count": ("recipes/x.json", smelting({"item": "stick", "count": 2}, "dirt"), "has no count"),
    "a count of none": ("recipes/x.json", shapeless("stick", "dirt", count=0), "above 0"),
    "a result as text": ("recipes/x.json", {**shapeless("stick", "dirt"), "result": "stick"}, "object"),
    "no ingredients": ("recipes/x.json", shapeless("stick"), "1 to 9"),
    "a tag without values": ("tags/items/planks.json", {}, "values"),
    "a tag of unknown members": ("tags/items/planks.json", {"values": ["oak_plonks"]}, "a known id"),
    "a tag in itself": ("tags/items/planks.json", {"values": ["#planks"]}, "does not contain itself"),
    "a tag entry of null": ("tags/items/planks.json", {"values": [None]}, "an id"),
    "a pool without rolls": (DIRT, {"pools": [{"entries": []}]}, "the field rolls"),
    "a pool that is text": (DIRT, {"pools": ["x"]}, "an object"),
    "pools that are text": (DIRT, {"pools": "x"}, "a list"),
    "a table that is null": (DIRT, None, "an object"),
    "an unknown drop": (DIRT, dropping(item("dimond")), "did you mean diamond"),
    "a formula of no name": (DIRT, dropping(item("bow", {"function": "apply_bonus"})), "formula"),
    "a table in a circle": (DIRT, dropping({"type": "loot_table", "name": "blocks/dirt"}), "refer to itself"),
    "no criteria": ("mine:advancements/x.json", {}, "at least one criterion"),
    "requirements of nothing": ("mine:advancements/x.json", {"criteria": {"a": {"trigger": "x"}}, "requirements": [["b"]]}, "every criterion"),
    "an extension of counts of nothing": ("mirrorcraft:extension/cooking_counts.json", {"format": 1, "counts": {"stick": 2}}, "a smelting"),
    "an extension of too many": ("mirrorcraft:extension/cooking_counts.json", {"format": 1, "counts": {"charcoal": 65}}, "2 to 64"),
    "an extension of a later format": ("mirrorcraft:extension/cooking_counts.json", {"format": 2, "counts": {}}, '"format": 1'),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_the_game_would_refuse_is_refused_and_never_only_reported(kind: str):
    path, content, expected = REFUSED[kind]
    with pytest.raises(PackError) as caught:
        overlay(VANILLA, [pack({path: content})], "report")
    assert not isinstance(caught.value, OutsideError)
    assert expected in str(caught.value)
    assert path.rpartition(":")[2] in caught.value.file


WORDS = [
    "type",
    "pools",
    "rolls",
    "entries",
    "name",
    "functions",
    "conditions",
    "values",
    "item",
    "count",
]
junk = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["item", "tag", "minecraft:dirt", "#planks"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(WORDS),
        inner,
    ),
    max_leaves=10,
)  # fmt: skip


@given(
    st.sampled_from(["recipes/x.json", DIRT, "tags/items/planks.json", "advancements/x.json"]), junk
)
def test_any_json_is_laid_over_or_refused_in_our_words(path: str, content: Any):
    with contextlib.suppress(PackError):  # any other exception fails the test
        assert sum(under({path: content}).drops("dirt").values()) == 1


@given(st.sampled_from(sorted(VANILLA.loot)), st.data())
def test_a_vanilla_table_with_one_value_spoilt_is_evaluated_or_refused(name: str, data: Any):
    table = json.loads(json.dumps(VANILLA.loot[name]))
    places = [
        (node, key)
        for node in nodes(table)
        for key in (node if isinstance(node, dict) else range(len(node)))
    ]
    node, key = data.draw(st.sampled_from(places), label="place")
    node[key] = data.draw(junk, label="value")
    try:
        rules = under({f"loot_tables/{name}.json": table})
    except PackError:
        return
    if name.startswith("blocks/"):
        assert sum(rules.drops(name[7:], "netherite_pickaxe", {"fortune": 3}).values()) == 1


def nodes(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(node for part in inner for node in nodes(part))] if value else []
