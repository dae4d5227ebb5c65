"""The rules of a world-generation spec beyond its form: terrain, bands, and what the tasks need."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.data import named_file, read_json
from mirrorcraft.core.errors import BiomeError, UnknownNameError

Json = dict[str, Any]


def plains(edit: Callable[[Json], Any]) -> Json:
    data = copy.deepcopy(read_json(named_file("biomes", "plains")))
    edit(data)
    return data


def without_ore(data: Json, block: str) -> None:
    bands = data["resources"]["bands"]
    data["resources"]["bands"] = [band for band in bands if band["block"] != block]


def without(data: Json, part: str, key: str, name: str) -> None:
    data["ecology"][part] = [row for row in data["ecology"][part] if row[key] != name]


REFUSED: list[tuple[Callable[[Json], Any], str, str]] = [
    (lambda d: d["resources"]["bands"][0].update(y=[90, 112]), "resources.bands[0].y", "below 90"),
    (lambda d: d["resources"]["bands"][3].update(y=[-120, -65]), "resources.bands[3].y", "-64"),
    (lambda d: d["resources"]["bands"][1].update(size=65), "resources.bands[1].size", "64"),
    (lambda d: d["resources"]["bands"][1].update(id="Iron Ore"), "resources.bands[1].id", "a-z0-9"),
    (lambda d: d["terrain"]["noises"][0].update(weight=0.8), "terrain.noises", "at most 0.95"),
    (lambda d: d["terrain"]["noises"][0].update(id="local"), "terrain.noises", "two different"),
    (lambda d: d["terrain"]["noises"][0].update(id="terrain"), "terrain.noises", "neither"),
    (lambda d: d["terrain"].update(sea_level=90), "terrain.sea_level", "below 90"),
    (lambda d: d["terrain"]["patches"][0].update(low=0.5), "terrain.patches[0]", "no higher"),
    (lambda d: d["ecology"].update(frozen=True), "ecology.frozen", "snowy_plains"),
    (lambda d: d.update(namespace="minecraft"), "namespace", "of its own"),
    (lambda d: d.update(namespace="Not A Name"), "namespace", "a-z0-9"),
]


@pytest.mark.parametrize(("edit", "place", "limit"), REFUSED)
def test_a_spec_past_a_limit_is_refused_with_file_place_and_limit(
    edit: Callable[[Json], Any], place: str, limit: str
):
    with pytest.raises(BiomeError) as error:
        BiomeSpec.parse(plains(edit), "my.json")
    assert error.value.file == "my.json"
    assert error.value.place == place
    assert limit in error.value.expected


def test_a_band_that_only_reaches_into_the_terrain_is_allowed():
    data = plains(lambda d: d["resources"]["bands"][0].update(y=[89, 319]))
    assert BiomeSpec.parse(data).resources.bands[0].y == (89, 319)


NEEDS: list[tuple[str, Callable[[Json], Any], str]] = [
    ("iron_armor", lambda d: without_ore(d, "iron_ore"), "iron_ore"),
    ("iron_armor", lambda d: without_ore(d, "coal_ore"), "coal_ore"),
    ("diamond", lambda d: without_ore(d, "diamond_ore"), "diamond_ore"),
    ("enchantment", lambda d: without_ore(d, "lapis_ore"), "lapis_ore"),
    ("enchantment", lambda d: without_ore(d, "obsidian"), "obsidian"),
    ("enchantment", lambda d: without(d, "features", "feature", "patch_sugar_cane"), "sugar_cane"),
    ("enchantment", lambda d: without(d, "creatures", "entity", "cow"), "cow"),
    ("iron_armor", lambda d: without(d, "features", "feature", "trees_plains"), "grove"),
]


@pytest.mark.parametrize(("task", "edit", "missing"), NEEDS)
def test_what_a_selected_task_needs_must_be_there(
    task: str, edit: Callable[[Json], Any], missing: str
):
    with pytest.raises(BiomeError, match=missing):
        BiomeSpec.parse(plains(edit), tasks=[task])
    BiomeSpec.parse(plains(edit), tasks=[])


def test_what_only_an_unselected_task_needs_may_be_missing():
    data = plains(lambda d: without_ore(d, "lapis_ore"))
    assert BiomeSpec.parse(data, tasks=["iron_armor", "diamond"]).id == "plains"
    with pytest.raises(BiomeError, match="the task enchantment needs it"):
        BiomeSpec.parse(data)


def test_an_unknown_task_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="iron_armor"):
        BiomeSpec.parse(plains(lambda d: None), tasks=["iron_armour"])
