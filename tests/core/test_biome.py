"""World-generation specs: equal to the paper's tables and the game's features, and strict."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from oracle import oracle

from mirrorcraft.core.biome import BiomeSpec, Placed, vanilla_features
from mirrorcraft.core.data import named_file, read_json
from mirrorcraft.core.errors import BiomeError, UnknownNameError

BIOMES = ("jungle", "plains", "savanna", "snowy_plains", "taiga")

# Tables 10 to 14 of the paper (v1): attempts a chunk, size, lowest and highest origin.
BANDS = {
    "coal_accessible": (96, 20, 44, 112),
    "iron_accessible": (84, 16, 40, 92),
    "copper_accessible": (72, 20, 40, 96),
    "gold_accessible": (48, 12, 32, 72),
    "redstone_accessible": (48, 14, 28, 68),
    "lapis_accessible": (36, 12, 30, 68),
    "emerald_accessible": (24, 8, 40, 80),
    "diamond_main": (40, 10, 36, 68),
    "diamond_shallow": (8, 6, 52, 72),
    "obsidian_main": (8, 12, 36, 64),
    "obsidian_shallow": (10, 10, 50, 72),
}
# The biome pages: expected tries a chunk of trees, sugar cane, lakes, boulders.
ECOLOGY = {
    "plains": ("trees_plains", 0.5, 4, 1 / 15, 1 / 18),
    "taiga": ("trees_taiga", 14.1, 4, 1 / 15, 1 / 8),
    "snowy_plains": ("spruce", 0.5, 6, 1 / 18, 1 / 24),
    "jungle": ("trees_jungle", 68.1, 5, 1 / 14, 1 / 10),
    "savanna": ("trees_savanna", 2.5, 6, 1 / 16, 1 / 14),
}


def bare(name: str) -> str:
    return name.removeprefix("minecraft:")


def per_chunk(placed: Placed) -> float:
    rarity, tries, more = placed.odds
    return (tries + more) / rarity


def plains() -> dict[str, Any]:
    return copy.deepcopy(read_json(named_file("biomes", "plains")))


@pytest.mark.parametrize("name", BIOMES)
def test_a_spec_has_the_eleven_bands_of_its_table(name: str):
    bands = {b.id: (b.count, b.size, *b.y) for b in BiomeSpec.load(name).resources.bands}
    assert bands == BANDS
    assert all(b.discard == 0 and b.rarity == 1 for b in BiomeSpec.load(name).resources.bands)


@pytest.mark.parametrize("name", BIOMES)
def test_a_spec_has_the_ecology_of_its_page(name: str):
    spec = BiomeSpec.load(name)
    grove, trees, cane, lakes, boulders = ECOLOGY[name]
    tries = {p.name: per_chunk(p) for p in spec.ecology.features}
    wanted = {grove: trees, "patch_sugar_cane": cane, "lake": lakes, "forest_rock": boulders}
    assert {k: tries[k] for k in wanted} == pytest.approx(wanted)
    cows = [c for c in spec.ecology.creatures if c.entity == "cow"]
    assert [(c.weight, c.group) for c in cows] == [(24, (4, 4))]


@pytest.mark.parametrize("name", BIOMES)
def test_the_density_has_the_parameters_of_the_golden_terrain(name: str):
    golden = oracle("golden_heights_119.json")["presets"][name]
    spec = BiomeSpec.load(name)
    assert list(spec.terrain.gradient) == golden["gradient_y"]
    assert golden["settings"] == f"{spec.namespace}:benchmark"
    for noise in spec.terrain.noises:
        assert noise.weight == golden[noise.id]
        shape = golden["noises"][f"{spec.namespace}:{noise.id}"]
        assert (noise.first_octave, list(noise.amplitudes)) == (
            shape["firstOctave"],
            shape["amplitudes"],
        )


@pytest.mark.parametrize("name", BIOMES)
def test_animals_other_than_cows_are_those_of_the_vanilla_biome(name: str):
    base = oracle("worldgen_119_base.json")["biome"][f"minecraft:{name}"]
    wanted = {
        (bare(c["type"]), c["weight"], (c["minCount"], c["maxCount"]))
        for c in base["spawners"]["creature"]
        if c["type"] != "minecraft:cow"
    }
    ecology = BiomeSpec.load(name).ecology
    found = {(c.entity, c.weight, c.group) for c in ecology.creatures if c.entity != "cow"}
    assert found == wanted
    assert ecology.creature_probability == base.get("creature_spawn_probability", 0.1)
    assert ecology.frozen == (base["precipitation"] == "snow")


def y_of(anchor: dict[str, int]) -> int:
    (kind, value), *_ = anchor.items()
    return {"absolute": value, "above_bottom": value - 64, "below_top": 319 - value}[kind]


def test_kept_vanilla_ores_are_placed_as_the_game_places_them():
    world = oracle("worldgen_119_base.json")
    assert len(vanilla_features().ores) == 24
    for ore in vanilla_features().ores:
        placed = world["placed_feature"][f"minecraft:{ore.id}"]
        config = world["configured_feature"][placed["feature"]]["config"]
        steps = {bare(s["type"]): s for s in placed["placement"]}
        span = steps["height_range"]["height"]
        low, high = y_of(span["min_inclusive"]), y_of(span["max_inclusive"])
        assert (ore.y, ore.trapezoid) == ((low, high), bare(span["type"]) == "trapezoid"), ore.id
        assert (ore.size, ore.discard) == (config["size"], config["discard_chance_on_air_exposure"])
        assert ore.rarity == steps.get("rarity_filter", {"chance": 1})["chance"], ore.id
        count = steps.get("count", {"count": 1})["count"]
        if isinstance(count, dict):  # the only spread is 0 or 1, evenly
            assert (count["value"]["min_inclusive"], count["value"]["max_inclusive"]) == (0, 1)
            count = {0: 1, 1: 1}
        assert ore.count == count, ore.id
        blocks = [bare(t["state"]["Name"]) for t in config["targets"]]
        assert blocks == [ore.block, ore.deepslate][: len(blocks)], ore.id


@pytest.mark.parametrize("name", BIOMES)
def test_a_spec_keeps_every_ore_of_its_vanilla_biome_in_the_game_s_order(name: str):
    stage = oracle("worldgen_119_base.json")["biome"][f"minecraft:{name}"]["features"][6]
    ores = [bare(f) for f in stage if bare(f).startswith("ore_")]
    assert list(BiomeSpec.load(name).resources.retained) == ores


def test_patches_of_plants_have_the_game_s_spread_and_tries():
    world = oracle("worldgen_119_base.json")
    for name, plants in vanilla_features().plants.items():
        config = world["configured_feature"][f"minecraft:{name}"]["config"]
        assert plants.tries == config["tries"], name
        assert (plants.xz_spread, plants.y_spread) == (config["xz_spread"], config["y_spread"]), (
            name
        )
        provider = json.dumps(config["feature"])
        assert all(f'"minecraft:{block}"' in provider for block in plants.blocks), name


def test_disks_have_the_game_s_size_and_targets():
    world = oracle("worldgen_119_base.json")
    for name, disk in vanilla_features().disks.items():
        config = world["configured_feature"][f"minecraft:{name}"]["config"]
        radius = config["radius"]["value"]
        assert disk.radius == (radius["min_inclusive"], radius["max_inclusive"]), name
        assert disk.half_height == config["half_height"], name
        assert set(disk.into) == {bare(b) for b in config["target"]["blocks"]}, name


def test_a_spec_survives_json():
    for name in BiomeSpec.names():
        spec = BiomeSpec.load(name)
        assert BiomeSpec.parse(json.loads(spec.model_dump_json())) == spec


def set_at(data: Any, path: str, value: Any) -> None:
    *way, last = path.split("/")
    for key in way:
        data = data[int(key) if key.isdigit() else key]
    if value is None:
        del data[last]
    else:
        data[int(last) if last.isdigit() else last] = value


MISTAKES = [
    ("terrain/patches/0/block", "cheese", "terrain.patches[0].block", "a known block"),
    ("resources/bands/2/block", "coper_ore", "resources.bands[2].block", "a known block"),
    ("resources/bands/0/count", 1000, "resources.bands[0].count", "128"),
    ("resources/bands/0/size", 0, "resources.bands[0].size", "greater than or equal to 1"),
    ("resources/bands/0/y", [90, 40], "resources.bands[0]", "lower end first"),
    ("resources/retained/0", "ore_cheese", "resources.retained[0]", "a known ore placement"),
    ("resources/bands/1/id", "coal_accessible", "", "each placement id once"),
    ("terrain/gradient", [90, 50], "terrain", "first y below its second"),
    ("terrain/sea_level", 400, "terrain.sea_level", "319"),
    ("terrain/scale", None, "terrain.scale", "this field"),
    ("terrain/cheese", 1, "terrain.cheese", "no field of this name"),
    ("ecology/features/0/feature", "village", "ecology.features[0].feature", "a known feature"),
    ("ecology/features/0/count", {"3": 1, "5": 1}, "ecology.features[0]", "neighbouring counts"),
    ("ecology/creatures/0/entity", "unicorn", "ecology.creatures[0].entity", "a known entity"),
    ("ecology/creatures", [], "ecology.creatures", "cow"),
    ("resources/bands", [], "resources.bands", "coal_ore"),
    ("ecology/features", [], "ecology.features", "patch_sugar_cane"),
    ("schema_version", "2.0", "schema_version", "1.0"),
    ("kind", "mirror", "kind", "biome"),
]


@pytest.mark.parametrize(("path", "value", "place", "expected"), MISTAKES)
def test_a_mistake_is_named_with_its_place(path: str, value: Any, place: str, expected: str):
    data = plains()
    set_at(data, path, value)
    with pytest.raises(BiomeError) as error:
        BiomeSpec.parse(data, "my.json")
    assert error.value.file == "my.json"
    assert error.value.place.startswith(place)
    assert expected in str(error.value)


@pytest.mark.parametrize("data", [None, [], 3, "plains", {}])
def test_what_is_no_spec_at_all_is_an_error(data: Any):
    with pytest.raises(BiomeError):
        BiomeSpec.parse(data)


def test_broken_json_is_named_with_file_and_line(tmp_path: Path):
    path = tmp_path / "broken.json"
    path.write_text('{"kind": "biome",\n "id": }')
    with pytest.raises(BiomeError, match="line 2"):
        read_json(path, BiomeError)


def test_an_unknown_spec_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="did you mean plains"):
        BiomeSpec.load("plain")
    assert BiomeSpec.names() == BIOMES
