"""The rule sheet is complete and exact: a line a change, with every number and name of it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.operators import CountRange
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.strategies import manifests

VANILLA = Rulebook.vanilla("1.19")


def line(**change: Any) -> str:
    head = {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": "T",
        "title": "t",
        "game_version": "1.19",
    }
    text = json.dumps({**head, "changes": [{"id": "c", **change}]})
    (only,) = VANILLA.apply(RuleManifest.from_json(text)).describe()
    return only


def test_vanilla_has_no_rule_sheet():
    assert VANILLA.describe() == ()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"op": "recipe_count", "recipes": "paper", "count": 1},
            "The vanilla recipe for paper (3 x sugar cane) makes 1 x paper instead of 3 x paper.",
        ),
        (
            {"op": "recipe_removed", "recipes": "book"},
            "The vanilla recipe for book (3 x paper, 1 x leather) makes nothing.",
        ),
        (
            {"op": "recipe_result", "recipes": ["paper", "stick"], "result": "book", "count": 2},
            "Each of the 2 vanilla recipes for paper and stick makes 2 x book instead of its "
            "vanilla result.",
        ),
        (
            {"op": "processing_count", "inputs": "raw_iron", "stations": "furnace", "count": 2},
            "Smelting raw iron in a furnace gives exactly 2 x iron ingot instead of "
            "1 x iron ingot.",
        ),
        (
            {"op": "processing_removed", "inputs": "beef", "stations": ["furnace", "smoker"]},
            "Smelting beef in a furnace or smoking it in a smoker is impossible; "
            "vanilla gives 1 x cooked beef.",
        ),
        (
            {
                "op": "processing_added",
                "inputs": "dirt",
                "stations": "blast_furnace",
                "result": "clay",
            },
            "Blasting dirt in a blast furnace gives 1 x clay; vanilla cannot process it there.",
        ),
        ({"op": "block_drops_removed", "blocks": "sand"}, "Breaking sand drops nothing."),
        (
            {
                "op": "block_drops_added",
                "blocks": "gravel",
                "drops": [{"item": "stick", "count": {"min": 2, "max": 3}}],
                "silk_touch": "keeps_vanilla",
            },
            "Breaking gravel drops 2 to 3 x stick in addition to its vanilla drops "
            "(0 to 1 x flint and 0 to 1 x gravel without enchantments); nothing is added with "
            "Silk Touch.",
        ),
        (
            {"op": "entity_loot_replaced", "entities": "cow", "drops": [{"item": "bone"}]},
            "Killing a cow drops 1 x bone instead of 1 to 3 x beef and 0 to 2 x leather.",
        ),
        ({"op": "entity_loot_removed", "entities": "cow"}, "Killing a cow drops nothing."),
    ],
)
def test_a_change_reads_as_one_plain_sentence(change: dict[str, Any], text: str):
    assert line(**change) == text


def test_a_long_list_of_blocks_is_told_by_kind_and_family_and_leaves_none_out():
    text = line(op="block_drops_removed", blocks="#logs")
    woods = ("acacia", "birch", "dark oak", "jungle", "mangrove", "oak", "spruce")
    assert all(wood in text for wood in (*woods, "crimson", "warped"))
    assert "log or wood of acacia" in text
    assert "hyphae or stem of crimson or warped (stripped or not)" in text


@settings(max_examples=60, deadline=None)
@given(manifests())
def test_every_line_holds_the_numbers_and_names_of_its_change(manifest: RuleManifest):
    lines = VANILLA.apply(manifest).describe()
    assert len(lines) == len(manifest.changes)
    for entry, text in zip(manifest.changes, lines, strict=True):
        assert text.endswith(".")
        assert text.count("\n") == 0
        for fact in facts(entry):
            assert fact in text


def facts(entry: Any) -> list[str]:
    found = []
    for drop in getattr(entry, "drops", ()):
        n = drop.count
        number = f"{n.min} to {n.max}" if isinstance(n, CountRange) else str(n)
        found.append(f"{number} x {drop.item.replace('_', ' ')}")
    if hasattr(entry, "result"):
        found.append(f"{entry.count} x {entry.result.replace('_', ' ')}")
    elif hasattr(entry, "count"):
        found.append(f"{entry.count} x ")
    for name in (*getattr(entry, "inputs", ()), *getattr(entry, "blocks", ())):
        found.append(name.replace("_", " "))
    found += [s.replace("_", " ") for s in getattr(entry, "stations", ())]
    return found
