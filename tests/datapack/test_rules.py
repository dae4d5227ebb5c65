"""Rule datapacks: the way from a manifest to files and back, and what other programs say of the files."""

import json
import time
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from oracle import oracle, reading_of, reference_packs
from validators import function_errors, pack_errors

from mirrorcraft.core.cooking_counts import EXTENSION
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.recipes import CookingRecipe, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import Datapack, build
from mirrorcraft.testing.strategies import manifests

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")
VANILLA = Rulebook.vanilla("1.19")
Grid = list[list[str | None]]


@cache
def mirror(suite: str) -> Rulebook:
    return VANILLA.apply(RuleManifest.load(suite))


@cache
def pack_of(suite: str) -> Datapack:
    return build(mirror(suite))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packs of the six suites, each as a folder and as a zip."""
    place = tmp_path_factory.mktemp("packs")
    for suite in SUITES:
        pack_of(suite).write_folder(place / suite)
        pack_of(suite).write_zip(place / f"{suite}.zip")
    return place


# --- there and back


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_comes_back_from_its_zip_as_the_same_rules(suite: str, written: Path):
    back = VANILLA.overlay(Datapack.load(written / f"{suite}.zip"))
    assert back == mirror(suite)
    assert back != VANILLA


@pytest.mark.parametrize("suite", SUITES)
def test_the_way_back_finds_the_targets_that_the_manifest_names(suite: str):
    back = VANILLA.overlay(pack_of(suite))
    targets = [target for change in back.changes for target in change.targets()]
    assert len(targets) == len(set(targets))
    assert set(targets) == {t for change in mirror(suite).changes for t in change.targets()}


@given(manifests())
@settings(max_examples=25)
def test_any_manifest_comes_back_from_its_pack_with_its_rules_and_targets(manifest: RuleManifest):
    rules = VANILLA.apply(manifest)
    pack = build(rules)
    back = VANILLA.overlay(pack)
    assert back == rules
    assert build(back) == pack
    found = {target for change in back.changes for target in change.targets()}
    assert found == {target for change in rules.changes for target in change.targets()}


def test_vanilla_needs_no_file_but_the_first():
    assert list(build(VANILLA)) == ["pack.mcmeta"]
    assert VANILLA.overlay(build(VANILLA)) == VANILLA


def test_a_removed_recipe_is_hidden_by_an_anchored_filter():
    removed = {"id": "no_sticks", "op": "recipe_removed", "recipes": ["stick"]}
    rules = VANILLA.apply(manifest_of(removed))
    pack = build(rules)
    assert list(pack) == ["pack.mcmeta"]
    assert pack["pack.mcmeta"]["filter"] == {
        "block": [{"namespace": "^minecraft$", "path": "^recipes/stick\\.json$"}]
    }
    assert "stick_from_bamboo_item" in VANILLA.overlay(pack).recipes
    assert "stick" not in VANILLA.overlay(pack).recipes


def manifest_of(*changes: dict[str, Any]) -> RuleManifest:
    head = {"schema_version": "1.0", "kind": "mirror", "id": "T01", "title": "A test"}
    return RuleManifest.from_json(json.dumps({**head, "game_version": "1.19", "changes": changes}))


# --- what the files say


@pytest.mark.parametrize("suite", SUITES)
def test_the_pack_of_a_suite_equals_the_reference_but_for_names_and_functions(suite: str):
    def comparable(pack: Any) -> tuple[dict[str, Any], list[str]]:
        own = {p: c for p, c in pack.items() if p.startswith("data/mirrorcraft/recipes/")}
        game = {p: c for p, c in pack.items() if p.startswith("data/minecraft/")}
        return game, sorted(json.dumps(plain(c), sort_keys=True) for c in own.values())

    ours, our_new = comparable(pack_of(suite))
    theirs, their_new = comparable(reference_packs()[suite])
    assert ours.keys() == theirs.keys()
    assert {p: plain(c) for p, c in ours.items()} == {p: plain(c) for p, c in theirs.items()}
    assert our_new == their_new


def plain(content: Any) -> Any:
    """Return a recipe with its defaults written out; anything else as it is."""
    match content:
        case {"type": _, "result": {"item": item, **rest}}:
            return {"group": "", **content, "result": {"item": item, "count": rest.get("count", 1)}}
        case {"type": _, "result": _}:
            return {"group": "", **content}
    return content


@pytest.mark.parametrize("suite", SUITES)
def test_nothing_in_a_pack_names_the_suite_or_a_rule(suite: str):
    text = " ".join([*pack_of(suite), *(d.decode() for d in pack_of(suite).encoded.values())])
    rules = mirror(suite)
    told = [
        suite,
        RuleManifest.load(suite).title,
        *(c.id for c in rules.changes),
        *rules.describe(),
    ]
    assert [word for word in told if word.lower() in text.lower()] == []


@pytest.mark.parametrize("suite", SUITES)
def test_no_cooking_recipe_in_a_pack_has_a_count_and_the_extension_file_has_them_all(suite: str):
    pack, rules = pack_of(suite), mirror(suite)
    cooking = [c for p, c in pack.items() if "/recipes/" in p and "cookingtime" in c]
    assert all(isinstance(recipe["result"], str) for recipe in cooking)
    counted = {
        f"minecraft:{r.id}": r.count
        for r in rules.recipes.values()
        if isinstance(r, CookingRecipe) and r.count > 1
    }
    assert pack.get(EXTENSION, {"counts": {}})["counts"] == counted
    assert bool(counted) == (suite in ("M01", "M03"))


# --- other programs


@pytest.mark.parametrize("suite", SUITES)
def test_the_schemas_of_the_game_find_no_error_in_the_pack_of_a_suite(suite: str, written: Path):
    assert pack_errors(written / suite) == []
    assert pack_errors(written / f"{suite}.zip") == []


@pytest.mark.parametrize("suite", SUITES)
def test_the_exact_command_tree_parses_the_functions_of_a_suite(suite: str, written: Path):
    assert function_errors(written / suite) == []


def test_the_validators_do_find_a_planted_error(tmp_path: Path):
    bad = Datapack(
        {
            **pack_of("M01"),
            "data/minecraft/recipes/stick.json": {"type": "minecraft:crafting_shapeless"},
            "data/a/functions/x.mcfunction": "scoreboard players frobnicate @s\n",
        }
    )
    bad.write_folder(tmp_path / "bad")
    assert pack_errors(tmp_path / "bad")
    assert function_errors(tmp_path / "bad")


GENERATED = [Phase.generate]  # a validator takes a second: shrinking would take minutes
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@given(manifests())
@settings(max_examples=6, phases=GENERATED, suppress_health_check=QUIET)
def test_the_validators_find_no_error_in_the_pack_of_any_manifest(
    tmp_path: Path, manifest: RuleManifest
):
    assert_valid(manifest, tmp_path)


@pytest.mark.slow
@given(manifests())
@settings(max_examples=1000, phases=GENERATED, suppress_health_check=QUIET)
def test_the_validators_find_no_error_in_the_packs_of_a_thousand_manifests(
    tmp_path: Path, manifest: RuleManifest
):
    assert_valid(manifest, tmp_path)


def assert_valid(manifest: RuleManifest, place: Path) -> None:
    pack = build(VANILLA.apply(manifest))
    pack.write_folder(place / "pack")
    assert pack_errors(place / "pack") == []
    if EXTENSION in pack:
        assert function_errors(place / "pack") == []


# --- another reading of the written packs


@pytest.mark.parametrize("suite", SUITES)
def test_all_golden_drops_come_out_of_the_written_pack(suite: str, written: Path):
    world = reading_of(written / suite)
    golden = oracle("golden_drops_119.json")
    cases = golden["vanilla"] + golden[suite]
    for case in cases:
        if "entity" in case:
            theirs = world.kill(case["entity"], looting=case["looting"])
            ours = mirror(suite).kill(case["entity"], looting=case["looting"])
        else:
            theirs = world.drops(case["block"], case["tool"], case["ench"])
            ours = mirror(suite).drops(case["block"], case["tool"], case["ench"])
        assert unnamed(theirs) == ours, case
    listed = [c for c in golden[suite] if "block" in c]
    for case in listed:
        theirs = unnamed(world.drops(case["block"], case["tool"], case["ench"]))
        assert theirs == {tuple(map(tuple, s)): Fraction(p) for s, p in case["drops"]}, case
    assert len(cases) >= 615


def unnamed(drops: Any) -> Any:
    return {
        tuple((item.removeprefix("minecraft:"), n) for item, n in stacks): p
        for stacks, p in drops.items()
        if p
    }


@pytest.mark.parametrize("suite", SUITES)
def test_334_grids_of_each_suite_make_what_the_other_reading_of_the_pack_makes(
    suite: str, written: Path
):
    assert disagreements(suite, written, 334) == []


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_100_000_grids_make_what_the_other_reading_of_the_packs_makes(suite: str, written: Path):
    assert disagreements(suite, written, 16_667) == []


def disagreements(suite: str, written: Path, number: int) -> list[Grid]:
    world = reading_of(written / suite)
    rules = mirror(suite)
    found, made = [], 0
    for grid in grids(suite, number):
        ours, theirs = rules.craft(grid), world.craft(grid)
        made += ours is not None
        if (ours and (ours.recipe, ours.item, ours.count)) != (
            theirs and (*(name.removeprefix("minecraft:") for name in theirs[:2]), theirs[2])
        ):
            found.append(grid)
    assert made > number // 4, "too few grids make anything"
    return found


def grids(suite: str, number: int) -> Iterator[Grid]:
    """Yield recipe grids, half of them with one cell changed."""
    seed = seed_from("grids", suite)
    items = list(VANILLA.items)
    recipes = [
        r for r in mirror(suite).recipes.values() if isinstance(r, ShapedRecipe | ShapelessRecipe)
    ]
    for i in range(number):
        recipe = recipes[below(len(recipes), seed, i, 0)]
        if isinstance(recipe, ShapedRecipe):
            rows = [[recipe.key.get(char) for char in row] for row in recipe.pattern]
        else:
            slots = [*recipe.ingredients, *[None] * (9 - len(recipe.ingredients))]
            rows = [slots[0:3], slots[3:6], slots[6:9]]
        grid: Grid = []
        for y, row in enumerate(rows):
            grid.append([])
            for x, slot in enumerate(row):
                options = VANILLA.expand(slot) if slot else (None,)
                grid[y].append(options[below(len(options), seed, i, 10 + 3 * y + x)])
        if below(2, seed, i, 1):
            other = [None, items[below(len(items), seed, i, 3)], grid[0][0]]
            y = below(len(grid), seed, i, 4)
            grid[y][below(len(grid[y]), seed, i, 5)] = other[below(3, seed, i, 2)]
        yield grid


# --- speed


@pytest.mark.parametrize("suite", SUITES)
def test_a_rule_pack_builds_in_under_50_ms(suite: str):
    rules = mirror(suite)
    best = min(_seconds(lambda: build(rules).encoded) for _ in range(5))
    assert best < 0.05


def _seconds(action: Any) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
