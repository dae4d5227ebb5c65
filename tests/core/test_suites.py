"""The six suites against outside readings of them: drops, whole packs, facts of the sheets."""

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from oracle import oracle, reference_packs

from mirrorcraft.core.data import names_in, rules_dir
from mirrorcraft.core.ids import strip
from mirrorcraft.core.manifest import RuleManifest, json_schema
from mirrorcraft.core.recipes import CookingRecipe
from mirrorcraft.core.rulebook import Rulebook

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")
VANILLA = Rulebook.vanilla("1.19")


@cache
def mirror(suite: str) -> Rulebook:
    return VANILLA.apply(RuleManifest.load(suite))


def files_under(suite: str, folder: str) -> dict[str, Any]:
    prefix = f"data/minecraft/{folder}/"
    return {
        path.removeprefix(prefix).removesuffix(".json"): body
        for path, body in reference_packs()[suite].items()
        if path.startswith(prefix)
    }


def test_the_six_suites_are_there_and_named_as_their_files():
    assert names_in("suites") == SUITES
    assert [RuleManifest.load(suite).id for suite in SUITES] == list(SUITES)


def golden_cases(suite: str) -> list[dict[str, Any]]:
    return oracle("golden_drops_119.json")[suite]


def expected(case: dict[str, Any]) -> dict[tuple[tuple[str, int], ...], Fraction]:
    return {tuple((i, n) for i, n in drops): Fraction(p) for drops, p in case["drops"]}


def outcome(rules: Rulebook, case: dict[str, Any]) -> dict[tuple[tuple[str, int], ...], Fraction]:
    if "entity" in case:
        return rules.kill(case["entity"], looting=case["looting"])
    return rules.drops(case["block"], case["tool"], case["ench"])


@pytest.mark.parametrize("suite", SUITES)
def test_changed_drops_equal_the_golden_distributions(suite: str):
    wrong = [c for c in golden_cases(suite) if outcome(mirror(suite), c) != expected(c)]
    assert wrong == []


@pytest.mark.parametrize("suite", SUITES)
def test_golden_cases_that_a_suite_does_not_list_drop_as_in_vanilla(suite: str):
    def key(case: dict[str, Any]) -> str:
        return json.dumps({k: v for k, v in case.items() if k != "drops"}, sort_keys=True)

    listed = {key(c) for c in golden_cases(suite)}
    rest = [c for c in golden_cases("vanilla") if key(c) not in listed]
    assert [c for c in rest if outcome(mirror(suite), c) != expected(c)] == []
    assert len(rest) + len(listed & {key(c) for c in golden_cases("vanilla")}) == 615


def test_there_are_333_golden_cases_of_changed_drops():
    assert sum(len(golden_cases(suite)) for suite in SUITES) == 333


@pytest.mark.parametrize("suite", SUITES)
def test_loot_tables_equal_those_of_the_reference_pack(suite: str):
    tables = files_under(suite, "loot_tables")
    changed = {name: t for name, t in mirror(suite).loot.items() if t != VANILLA.loot[name]}
    assert changed == tables


@pytest.mark.parametrize("suite", SUITES)
def test_recipes_equal_those_of_the_reference_pack_up_to_the_cooking_count(suite: str):
    recipes = mirror(suite).recipes
    changed = {
        i: r
        for i, r in recipes.items()
        if ":" not in i and (i not in VANILLA.recipes or r != VANILLA.recipes[i])
    }
    reference = files_under(suite, "recipes")
    # A pack cannot say a cooking count, so the reference leaves it to functions.
    assert {i: plain(r.to_json()) for i, r in changed.items()} == {
        i: plain(r) for i, r in reference.items()
    }
    assert not VANILLA.recipes.keys() - recipes.keys()


def plain(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return a recipe file with defaults written out, and without a cooking count."""
    result = recipe["result"]
    if isinstance(result, dict):
        result = (result["item"], 1 if "cookingtime" in recipe else result.get("count", 1))
    else:
        result = (result, 1)
    return {"group": "", **recipe, "result": result}


def test_new_recipes_equal_those_of_the_reference_pack_in_all_but_the_name():
    for suite in SUITES:
        own = [
            r.to_json() for i, r in mirror(suite).recipes.items() if i.startswith("mirrorcraft:")
        ]
        files = reference_packs()[suite]
        theirs = [body for path, body in files.items() if "data/mirrorcraft/recipes/" in path]
        assert sorted(map(canonical, own)) == sorted(map(canonical, theirs))
        assert len(own) == (3 if suite == "M05" else 0)


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize(
    ("suite", "item", "count"), [("M01", "iron_nugget", 3), ("M03", "iron_ingot", 2)]
)
@pytest.mark.parametrize("station", ["furnace", "blast_furnace"])
def test_raw_iron_cooks_to_the_count_of_the_sheet(suite: str, item: str, count: int, station: str):
    recipe = mirror(suite).cook(station, "raw_iron")
    assert isinstance(recipe, CookingRecipe)
    assert (recipe.result, recipe.count) == (item, count)


def test_m05_turns_hoes_into_pickaxes_and_nothing_else():
    rules = mirror("M05")
    cooked = {
        (station, hoe): (made := rules.cook(station, hoe)) and made.result
        for station in ("furnace", "blast_furnace", "smoker")
        for hoe in ("iron_hoe", "diamond_hoe")
    }
    assert cooked == {
        ("furnace", "iron_hoe"): "iron_pickaxe",
        ("furnace", "diamond_hoe"): None,
        ("blast_furnace", "iron_hoe"): "iron_pickaxe",
        ("blast_furnace", "diamond_hoe"): "diamond_pickaxe",
        ("smoker", "iron_hoe"): None,
        ("smoker", "diamond_hoe"): None,
    }
    sword = rules.cook("furnace", "iron_sword")
    assert sword
    assert sword.result == "iron_nugget"


def test_the_trunks_of_m02_are_the_36_of_the_tag_and_no_mushroom_stem():
    (change,) = [c for c in mirror("M02").changes if c.id == "M02.trunk_drop"]
    assert len(change.blocks) == 36
    assert set(change.blocks) == set(
        map(strip, oracle("tags_119.json")["blocks_flat"]["minecraft:logs"])
    )
    assert "mushroom_stem" not in change.blocks


def test_the_published_schema_is_that_of_the_models():
    published = rules_dir() / "schema" / "mirror.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == json_schema()


# The facts of the paper's six rule sheets: what each line of ours must hold.
SHEETS = {
    "M01": [
        ["planks", "exactly 2", "4"],
        ["stick", "2 x any of #planks", "1 x stick"],
        ["raw iron", "furnace", "blast furnace", "exactly 3 x iron nugget", "1 x iron ingot"],
        ["3 x sugar cane", "1 x paper", "instead of 3 x paper"],
    ],
    "M02": [
        ["log", "wood", "stem", "hyphae", "stripped", "4 x planks of the same wood", "instead of"],
        ["iron ore", "deepslate iron ore", "1 x iron ingot", "in addition to", "1 x raw iron"],
        ["diamond ore", "deepslate diamond ore", "1 x obsidian", "in addition to", "1 x diamond"],
        ["sugar cane", "1 x leather", "in addition to", "1 x sugar cane"],
        ["3 x paper", "1 x leather", "1 x enchanting table", "instead of 1 x book"],
    ],
    "M03": [
        ["planks", "exactly 6", "4"],
        ["raw iron", "furnace", "blast furnace", "exactly 2 x iron ingot"],
        ["diamond pickaxe", "1 x netherite pickaxe", "instead of 1 x diamond pickaxe"],
        ["3 x sugar cane", "1 x book", "instead of 3 x paper"],
        ["diamond ore", "deepslate diamond ore", "2 x diamond", "1 x lapis lazuli"],
    ],
    "M04": [
        ["coal ore", "deepslate coal ore", "1 x coal block", "instead of 1 x coal"],
        ["iron ore", "deepslate iron ore", "1 x raw iron block", "instead of 1 x raw iron"],
        ["diamond ore", "deepslate diamond ore", "1 x diamond block", "instead of 1 x diamond"],
        ["lapis ore", "deepslate lapis ore", "1 x lapis block", "instead of 4 to 9 x lapis lazuli"],
        ["cow", "1 x bookshelf", "in addition to", "1 to 2 x leather", "1 to 3 x beef"],
    ],
    "M05": [
        ["furnace", "8 x", "1 x blast furnace", "instead of 1 x furnace"],
        ["iron pickaxe", "1 x iron hoe", "instead of 1 x iron pickaxe"],
        ["diamond pickaxe", "1 x diamond hoe", "instead of 1 x diamond pickaxe"],
        ["iron hoe", "furnace", "blast furnace", "1 x iron pickaxe", "instead of 1 x iron nugget"],
        ["diamond hoe", "blast furnace", "1 x diamond pickaxe"],
    ],
    "M06": [
        ["log", "wood", "stem", "hyphae", "4 x planks of the same wood", "2 x stick"],
        ["iron ore", "deepslate iron ore", "1 x paper", "in addition to", "1 x raw iron"],
        ["diamond ore", "deepslate diamond ore", "1 x lapis lazuli", "1 x diamond"],
        ["lapis ore", "2 x obsidian", "in addition to", "4 to 9 x lapis lazuli"],
        ["cow", "2 x paper", "in addition to", "0 to 2 x leather", "1 to 3 x beef"],
    ],
}


@pytest.mark.parametrize("suite", SUITES)
def test_the_rule_sheet_states_the_facts_of_the_paper_line_by_line(suite: str):
    for facts, line in zip(SHEETS[suite], mirror(suite).describe(), strict=True):
        assert [fact for fact in facts if fact not in line] == [], line
