"""A manifest is read whole, or refused with one error that says where and what was expected."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import ManifestError, UnknownNameError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.operators import OPERATORS
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.strategies import manifest_values, manifests

Entry = dict[str, Any]


def manifest(*changes: Entry, **head: Any) -> str:
    """Return a manifest of these changes as text; each gets an id, ``head`` replaces fields."""
    return json.dumps(
        {
            "schema_version": "1.0",
            "kind": "mirror",
            "id": "T01",
            "title": "Test",
            "game_version": "1.19",
            "changes": [{"id": f"c{i}", **change} for i, change in enumerate(changes)],
            **head,
        }
    )


def count(recipes: Any, n: Any) -> Entry:
    return {"op": "recipe_count", "recipes": recipes, "count": n}


def result(recipe: str, item: str, **more: Any) -> Entry:
    return {"op": "recipe_result", "recipes": recipe, "result": item, **more}


def cook(op: str, inputs: Any, stations: Any, **more: Any) -> Entry:
    return {"op": f"processing_{op}", "inputs": inputs, "stations": stations, **more}


def drops(op: str, blocks: Any, item: str = "stick", n: Any = 1, **more: Any) -> Entry:
    entry: Entry = {"op": f"block_drops_{op}", "blocks": blocks, **more}
    return entry if op == "removed" else {**entry, "drops": [{"item": item, "count": n}]}


def loot(op: str, entities: Any, item: str = "stick", **more: Any) -> Entry:
    return {"op": f"entity_loot_{op}", "entities": entities, "drops": [{"item": item}], **more}


GOOD = count("stick", 1)

# what is wrong -> (the text, the place named, words that the message must hold)
BAD: dict[str, tuple[str, str, list[str]]] = {
    "not JSON": ("{", "line 1, column 2", ["valid JSON"]),
    "a key twice": ('{"kind": "mirror", "kind": "mirror"}', "kind", ["once"]),
    "not an object": ("[]", "", ["an object"]),
    "NaN": (manifest(GOOD).replace('"count": 1', '"count": NaN'), "", ["finite number"]),
    "another schema": (manifest(GOOD, schema_version="2.0"), "schema_version", ["2.0", '"1.0"']),
    "a number as schema": (manifest(GOOD, schema_version=1.0), "schema_version", ['"1.0"']),
    "another kind": (manifest(GOOD, kind="biome"), "kind", ['"mirror"']),
    "another game": (manifest(GOOD, game_version="1.20"), "game_version", ['"1.19"']),
    "no changes field": ('{"kind": "mirror"}', "schema_version", ["the field schema_version"]),
    "an empty title": (manifest(GOOD, title=""), "title", ["at least one"]),
    "an id with a slash": (manifest(GOOD, id="../M01"), "id", ["form"]),
    "an unknown field": (manifest(GOOD, author="x"), "author", ["another field"]),
    "changes not a list": (manifest(changes={}), "changes", ["a list"]),
    "a change that is text": (manifest(changes=["stick"]), "changes[0]", ["an object"]),
    "no operator": (manifest({"recipes": "stick"}), "changes[0].op", ["recipe_count"]),
    "an unknown operator": (
        manifest(GOOD, {"op": "recipe_cuont"}),
        "changes[1].op",
        ["recipe_cuont", "did you mean recipe_count"],
    ),
    "an operator that is a list": (manifest({"op": []}), "changes[0].op", ["recipe_count"]),
    "a field of another operator": (
        manifest({**GOOD, "result": "paper"}),
        "changes[0].result",
        ["another field", "count"],
    ),
    "a misspelt field": (
        manifest({"op": "recipe_count", "recipes": "stick", "cuont": 1}),
        "changes[0].cuont",
        ["did you mean count"],
    ),
    "an unknown field of a drop": (
        manifest(
            {"op": "block_drops_added", "blocks": "dirt", "drops": [{"item": "clay", "n": 1}]}
        ),
        "changes[0].drops[0].n",
        ["another field", "count, item"],
    ),
    "count 0": (manifest(count("stick", 0)), "changes[0].count", ["an integer from 1 to 64"]),
    "count 1000": (
        manifest(count("stick", 1000)),
        "changes[0].count",
        ["an integer from 1 to 64"],
    ),
    "a negative count": (manifest(count("stick", -3)), "changes[0].count", ["-3"]),
    "a fraction": (manifest(count("stick", 1.5)), "changes[0].count", ["an integer from 1 to 64"]),
    "a whole float": (
        manifest(count("stick", 2.0)),
        "changes[0].count",
        ["an integer from 1 to 64"],
    ),
    "a count in quotes": (
        manifest(count("stick", "2")),
        "changes[0].count",
        ["an integer from 1 to 64"],
    ),
    "true as a count": (
        manifest(count("stick", True)),
        "changes[0].count",
        ["an integer from 1 to 64"],
    ),
    "no drop count": (
        manifest(drops("added", "dirt", n=0)),
        "changes[0].drops[0].count",
        ["an integer from 1 to 64"],
    ),
    "a range upside down": (
        manifest(drops("added", "dirt", n={"min": 5, "max": 2})),
        "changes[0].drops[0].count",
        ["min below max"],
    ),
    "a range too high": (
        manifest(drops("added", "dirt", n={"min": 5, "max": 200})),
        "changes[0].drops[0].count.max",
        ["less than or equal to 64"],
    ),
    "a range without end": (
        manifest(drops("added", "dirt", n={"min": 5})),
        "changes[0].drops[0].count.max",
        ["the field max"],
    ),
    "no targets": (manifest(count([], 1)), "changes[0].recipes", ["at least one"]),
    "no drops": (
        manifest({"op": "block_drops_added", "blocks": "dirt", "drops": []}),
        "changes[0].drops",
        ["at least one"],
    ),
    "a target that is a number": (manifest(count([7], 1)), "changes[0].recipes[0]", ["text"]),
    "an id in capitals": (manifest(count("Stick", 1)), "changes[0].recipes[0]", ["form"]),
    "more than a stack": (
        manifest(count("iron_pickaxe", 2)),
        "changes[0].count",
        ["at most 1", "iron_pickaxe"],
    ),
    "the vanilla count": (manifest(count("stick", 4)), "changes[0].count", ["other", "stick"]),
    "the vanilla result": (manifest(result("book", "book")), "changes[0].recipes[0]", ["already"]),
    "an unknown recipe": (
        manifest(GOOD, count(["paper", "stik"], 1)),
        "changes[1].recipes[1]",
        ["stik", "did you mean stick"],
    ),
    "an unknown item": (
        manifest(result("book", "enchanted_table")),
        "changes[0].result",
        ["did you mean", "enchanting_table"],
    ),
    "an unknown tag": (
        manifest(drops("added", "#log")),
        "changes[0].blocks[0]",
        ["a tag of blocks", "did you mean #logs"],
    ),
    "a tag without recipes": (
        manifest(count("#fishes", 1)),
        "changes[0].recipes[0]",
        ["result of a crafting recipe"],
    ),
    "a cooking recipe as crafting": (
        manifest(count("charcoal", 2)),
        "changes[0].recipes[0]",
        ["processing"],
    ),
    "a smithing count": (
        manifest(count("netherite_pickaxe_smithing", 2)),
        "changes[0].recipes[0]",
        ["smithing"],
    ),
    "no such station": (
        manifest(cook("result", "raw_iron", "oven", result="iron_nugget")),
        "changes[0].stations[0]",
        ["furnace", "blast_furnace", "smoker"],
    ),
    "an input refused in vanilla": (
        manifest(cook("count", "raw_iron", ["furnace", "smoker"], count=2)),
        "changes[0].inputs[0]",
        ["smoker"],
    ),
    "a new input that is processed": (
        manifest(cook("added", "raw_iron", "furnace", result="iron_nugget")),
        "changes[0].inputs[0]",
        ["processing_result"],
    ),
    "the vanilla processing": (
        manifest(cook("count", "raw_iron", "furnace", count=1)),
        "changes[0].inputs[0]",
        ["another outcome"],
    ),
    "an unbreakable block": (
        manifest(drops("added", "bedrock")),
        "changes[0].blocks[0]",
        ["can be broken"],
    ),
    "a block without drops": (manifest(drops("added", "air")), "changes[0].blocks[0]", ["drops"]),
    "an unknown block": (
        manifest(drops("replaced", "iron_orr")),
        "changes[0].blocks[0]",
        ["did you mean iron_ore"],
    ),
    "an item as block": (manifest(drops("replaced", "stick")), "changes[0].blocks[0]", ["block"]),
    "an unknown dropped item": (
        manifest(drops("replaced", "dirt", "dirtt")),
        "changes[0].drops[0].item",
        ["did you mean dirt"],
    ),
    "wood of a stone": (
        manifest(drops("replaced", "stone", "{wood}_planks")),
        "changes[0].drops[0].item",
        ["stone has no wood family"],
    ),
    "wood of a cow": (
        manifest(loot("added", "cow", "{wood}_planks")),
        "changes[0].drops[0].item",
        ["no wood family"],
    ),
    "a boat of crimson wood": (
        manifest(drops("replaced", ["oak_log", "crimson_stem"], "{wood}_boat")),
        "changes[0].drops[0].item",
        ["crimson_boat"],
    ),
    "another placeholder": (
        manifest(drops("replaced", "dirt", "{color}_wool")),
        "changes[0].drops[0].item",
        ["an item"],
    ),
    "silk touch on a spawner": (
        manifest(drops("replaced", "spawner", silk_touch="keeps_vanilla")),
        "changes[0].silk_touch",
        ["does not drop itself"],
    ),
    "a silk touch of no kind": (
        manifest(drops("replaced", "dirt", silk_touch=True)),
        "changes[0].silk_touch",
        ["keeps_vanilla"],
    ),
    "an unknown entity": (manifest(loot("added", "cwo")), "changes[0].entities[0]", ["cow"]),
    "a count of what is no loot": (
        manifest(loot("added", "cow", base_counts={"feather": 2})),
        "changes[0].base_counts.feather",
        ["vanilla loot of cow"],
    ),
    "a base count 0": (
        manifest(loot("added", "cow", base_counts={"leather": 0})),
        "changes[0].base_counts.leather",
        ["an integer from 1 to 64"],
    ),
    "a base count range upside down": (
        manifest(loot("added", "cow", base_counts={"leather": {"min": 4, "max": 4}})),
        "changes[0].base_counts.leather",
        ["min below max"],
    ),
    "a base count of no id": (
        manifest(loot("added", "cow", base_counts={"LEATHER": 1})),
        "changes[0].base_counts.LEATHER",
        ["form"],
    ),
    "a recipe twice": (
        manifest(GOOD, result("stick", "bone")),
        "changes[1].recipes[0]",
        ["one change"],
    ),
    "a recipe by id and tag": (
        manifest(count(["oak_planks", "#planks"], 2)),
        "changes[0].recipes[1]",
        ["oak_planks", "one change"],
    ),
    "a block twice": (
        manifest(drops("added", "oak_log"), drops("removed", "#logs")),
        "changes[1].blocks[0]",
        ["changes[0].blocks[0]"],
    ),
    "an input twice": (
        manifest(
            cook("count", "raw_iron", ["furnace", "blast_furnace"], count=2),
            cook("removed", "raw_iron", "furnace"),
        ),
        "changes[1].inputs[0]",
        ["furnace raw_iron"],
    ),
    "an entity twice": (
        manifest(loot("added", "cow"), loot("replaced", "cow")),
        "changes[1].entities[0]",
        ["one change"],
    ),
    "an id twice": (
        manifest(GOOD, {**count("paper", 1), "id": "c0"}),
        "changes[1].id",
        ["changes[0]"],
    ),
    "an id with a dot": (manifest({**GOOD, "id": "a.b"}), "changes[0].id", ["form"]),
}


@pytest.mark.parametrize("wrong", BAD)
def test_a_bad_manifest_gives_one_error_with_file_place_and_expectation(wrong: str):
    text, place, words = BAD[wrong]
    with pytest.raises(ManifestError) as caught:
        RuleManifest.from_json(text, "suite.json")
    assert (caught.value.file, caught.value.place) == ("suite.json", place)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_the_good_manifest_of_these_tests_is_accepted():
    assert RuleManifest.from_json(manifest(GOOD)).changes[0].id == "c0"


def test_a_file_is_read_by_path_and_its_errors_name_it(tmp_path: Path):
    path = tmp_path / "mine.json"
    path.write_text(manifest(GOOD), encoding="utf-8")
    assert RuleManifest.load(path) == RuleManifest.load(str(path))
    path.write_bytes(b'{"title": "\xff"}')
    with pytest.raises(ManifestError, match=r"mine\.json: byte 11: .* UTF-8"):
        RuleManifest.load(path)
    with pytest.raises(ManifestError, match=r"nowhere\.json.*readable file"):
        RuleManifest.load(tmp_path / "nowhere.json")


def test_an_unknown_suite_name_gets_the_list_of_right_ones():
    with pytest.raises(UnknownNameError, match="did you mean M0"):
        RuleManifest.load("M07")


def test_ids_may_carry_the_minecraft_namespace():
    plain = manifest(GOOD, drops("added", "#logs", "paper"))
    spaced = manifest(
        count("minecraft:stick", 1), drops("added", "#minecraft:logs", "minecraft:paper")
    )
    assert RuleManifest.from_json(plain) == RuleManifest.from_json(spaced)


def test_a_default_written_out_makes_no_other_manifest():
    short, long = drops("added", "dirt"), drops("added", "dirt", n=1, silk_touch="ignored")
    assert RuleManifest.from_json(manifest(short)) == RuleManifest.from_json(manifest(long))


def test_manifests_are_equal_by_content_whatever_they_were_read_from():
    a, b = (RuleManifest.from_json(manifest(GOOD), source) for source in ("a.json", "b.json"))
    assert a == b
    assert hash(a) == hash(b)
    assert a != RuleManifest.from_json(manifest(count("stick", 2)))
    assert (a.source, b.source) == ("a.json", "b.json")


@settings(max_examples=40, deadline=None)
@given(manifests())
def test_a_manifest_survives_the_way_to_json_and_back(read: RuleManifest):
    assert RuleManifest.from_json(read.to_json()) == read


@settings(max_examples=60, deadline=None)
@given(manifest_values(max_changes=3), st.data())
def test_a_manifest_damaged_anywhere_is_read_or_refused_but_never_breaks(value: Entry, data: Any):
    holder, key = data.draw(st.sampled_from(list(places(value))))
    junk = (
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
    )
    holder[key] = data.draw(junk | st.lists(junk, max_size=2) | st.just({"min": 1, "max": 3}))
    before = Rulebook.vanilla().digest
    with suppress(ManifestError):
        read = RuleManifest.from_json(json.dumps(value))
        Rulebook.vanilla().apply(read)
    assert Rulebook.vanilla().digest == before


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every (container, key) of a JSON value."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from places(node[key])


def test_every_operator_has_a_model_and_a_way_to_be_applied():
    from mirrorcraft.core import apply

    assert OPERATORS.keys() == apply._OPERATORS.keys()
