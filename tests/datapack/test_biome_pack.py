"""Biome packs: vanilla's figures and the papers', validators that are not ours, and the audit."""

import copy
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from npm import packages
from oracle import oracle
from validators import PINS, SHARED, function_errors, pack_errors

from mirrorcraft.core.biome import BiomeSpec, Placement, vanilla_features
from mirrorcraft.core.sample import sample_biome
from mirrorcraft.datapack import Datapack
from mirrorcraft.datapack.audit import audit_biome_pack
from mirrorcraft.datapack.biome import biome_id, build_biome
from mirrorcraft.datapack.biome.features import placed_feature
from mirrorcraft.datapack.biome.vanilla import STEPS, worldgen
from mirrorcraft.sim.terrain import heights, terrain_noise

BIOMES = BiomeSpec.names()
# What the papers take out of a biome: lava on the surface, and rooms with chests.
LEFT_OUT = {"lake_lava_surface", "monster_room", "monster_room_deep"}
SEEDS = (1, -4172144997902289642, 9223372036854775807)


def pack(name: str) -> Datapack:
    return build_biome(BiomeSpec.load(name))


def the(files: Datapack, kind: str) -> Any:
    """The only file of a kind."""
    (path,) = [p for p in files if f"/worldgen/{kind}/" in p and "/tags/" not in p]
    return files[path]


def vanilla_biome(name: str) -> dict[str, Any]:
    return oracle("worldgen_119_base.json")["biome"][f"minecraft:{name}"]


def bare(name: str) -> str:
    return name.removeprefix("minecraft:")


# --- against vanilla


@pytest.mark.parametrize("name", BIOMES)
def test_the_climate_colours_and_other_spawns_are_those_of_the_vanilla_biome(name: str):
    biome, vanilla = the(pack(name), "biome"), vanilla_biome(name)
    for key in ("temperature", "downfall", "precipitation", "effects", "spawn_costs"):
        assert biome[key] == vanilla[key], key
    for category, rows in vanilla["spawners"].items():
        if category != "creature":
            found = sorted(biome["spawners"][category], key=str)
            assert sorted(map(sorted, (r.items() for r in found))) == sorted(
                map(sorted, (r.items() for r in rows))
            ), category
    assert biome["spawners"].keys() == vanilla["spawners"].keys()


@pytest.mark.parametrize("name", BIOMES)
def test_the_steps_known_here_are_vanilla_s_without_chests_and_surface_lava(name: str):
    steps = [[bare(f) for f in step] for step in vanilla_biome(name)["features"]]
    wanted = [[f for f in step if f not in LEFT_OUT] for step in steps]
    assert [list(step) for step in worldgen().step_names(name)] == wanted
    assert len(STEPS) == len(wanted)


@pytest.mark.parametrize("placement", worldgen().placements, ids=lambda p: p.name)
def test_a_wrapper_with_vanilla_odds_is_the_vanilla_file(placement: Placement):
    vanilla = oracle("worldgen_119_base.json")["placed_feature"][f"minecraft:{placement.name}"]
    made = placed_feature(placement, "test")
    assert made["feature"] == vanilla["feature"]
    noisy = [m for m in vanilla["placement"] if m["type"].endswith("noise_threshold_count")]
    if (
        noisy
    ):  # more where the noise is high: a spec says the number that holds for most of the land
        count = made["placement"].pop(0)
        assert count["count"] == noisy[0]["above_noise"]
    wanted = [m for m in vanilla["placement"] if m not in noisy]
    assert sorted(map(canon, made["placement"])) == sorted(map(canon, wanted))


def canon(modifier: Any) -> str:
    return json.dumps(modifier, sort_keys=True).replace('"minecraft:water"', '"water"')


@pytest.mark.parametrize("name", BIOMES)
def test_the_noise_settings_are_the_overworld_s_but_for_terrain_veins_spawn_and_surface(name: str):
    mine = the(pack(name), "noise_settings")
    vanilla = oracle("worldgen_119_base.json")["noise_settings"]["minecraft:overworld"]
    changed = {"ore_veins_enabled", "spawn_target", "surface_rule", "noise_router"}
    assert mine.keys() == vanilla.keys()
    assert {k: v for k, v in mine.items() if k not in changed} == {
        k: v for k, v in vanilla.items() if k not in changed
    }
    router, usual = mine["noise_router"], vanilla["noise_router"]
    own = {"final_density", "initial_density_without_jaggedness"}
    own |= {"vein_gap", "vein_ridged", "vein_toggle"}
    assert {k: v for k, v in router.items() if k not in own} == {
        k: v for k, v in usual.items() if k not in own
    }
    assert router.keys() == usual.keys()


@pytest.mark.parametrize("name", BIOMES)
def test_nether_and_end_stay_vanilla_and_the_overworld_is_one_biome(name: str):
    files = pack(name)
    preset = the(files, "world_preset")["dimensions"]
    vanilla = oracle("worldgen_119_base.json")["world_preset"]["minecraft:normal"]["dimensions"]
    for dimension in ("minecraft:the_nether", "minecraft:the_end"):
        assert preset[dimension] == vanilla[dimension]
    source = preset["minecraft:overworld"]["generator"]["biome_source"]
    assert source == {"type": "minecraft:fixed", "biome": biome_id(BiomeSpec.load(name))}
    assert files["data/minecraft/dimension/overworld.json"] == preset["minecraft:overworld"]


# --- against the papers


@pytest.mark.parametrize("name", BIOMES)
def test_the_density_is_the_formula_of_the_papers(name: str):
    files, spec = pack(name), BiomeSpec.load(name)
    golden = oracle("golden_heights_119.json")["presets"][name]
    root = f"data/{spec.namespace}/worldgen"
    terrain = files[f"{root}/density_function/terrain.json"]
    gradient, relief = terrain["argument1"], terrain["argument2"]
    assert [gradient["from_y"], gradient["to_y"]] == golden["gradient_y"]
    assert relief["argument1"]["argument1"] == golden["contour"]
    assert relief["argument2"]["argument1"] == golden["local"]
    for noise, shape in golden["noises"].items():
        assert files[f"{root}/noise/{noise.partition(':')[2]}.json"] == shape


def test_the_ids_are_those_of_the_papers():
    assert {biome_id(BiomeSpec.load(name)) for name in BIOMES} == {
        "abplains:benchmark_plains",
        "abtaiga:benchmark_taiga",
        "absnow:benchmark_snow",
        "abjungle:benchmark_jungle",
        "absavanna:benchmark_savanna",
    }


@pytest.mark.parametrize("name", BIOMES)
def test_the_biome_keeps_vanilla_ores_then_appends_the_eleven_bands(name: str):
    spec = BiomeSpec.load(name)
    ores = the(pack(name), "biome")["features"][STEPS.index("underground_ores")]
    assert ores[:24] == [f"minecraft:{n}" for n in spec.resources.retained]
    assert ores[-11:] == [f"{spec.namespace}:{band.id}" for band in spec.resources.bands]


@pytest.mark.parametrize(
    ("name", "feature", "modifier"),
    [
        ("plains", "patch_sugar_cane", {"type": "minecraft:count", "count": 4}),
        ("plains", "lake", {"type": "minecraft:rarity_filter", "chance": 15}),
        ("plains", "extra_pumpkin", {"type": "minecraft:rarity_filter", "chance": 180}),
        ("taiga", "extra_berry_bush", {"type": "minecraft:rarity_filter", "chance": 12}),
        ("snowy_plains", "ice_spike", {"type": "minecraft:rarity_filter", "chance": 56}),
        ("jungle", "extra_melon", {"type": "minecraft:rarity_filter", "chance": 4}),
        ("savanna", "desert_well", {"type": "minecraft:rarity_filter", "chance": 128}),
    ],
)
def test_a_wrapper_has_the_odds_of_the_biome_page(name: str, feature: str, modifier: Any):
    files, spec = pack(name), BiomeSpec.load(name)
    placed = files[f"data/{spec.namespace}/worldgen/placed_feature/{feature}.json"]
    assert modifier in placed["placement"]


def test_the_trees_of_the_jungle_are_tried_68_or_69_times_on_dry_ground():
    placed = pack("jungle")["data/abjungle/worldgen/placed_feature/trees_jungle.json"]
    count = placed["placement"][0]["count"]["distribution"]
    assert [(row["data"], row["weight"]) for row in count] == [(68, 9), (69, 1)]
    water = {"type": "minecraft:surface_water_depth_filter", "max_water_depth": 0}
    assert water in placed["placement"]


@pytest.mark.parametrize("name", BIOMES)
def test_every_placement_of_the_spec_is_in_the_biome_once(name: str):
    spec = BiomeSpec.load(name)
    vanilla = {p.name: p for p in worldgen().placements}
    found = [f for step in the(pack(name), "biome")["features"] for f in step]
    assert len(found) == len(set(found))
    own = [f.partition(":")[2] for f in found if f.startswith(spec.namespace)]
    kept = [vanilla[bare(f)] for f in found if bare(f) in vanilla]
    odds = sorted((p.feature, *p.odds) for p in kept)
    odds += [(p.feature, *p.odds) for p in spec.ecology.features if p.name in own]
    assert sorted(odds) == sorted((p.feature, *p.odds) for p in spec.ecology.features)


# --- other people's validators


def written(files: Datapack, folder: Path) -> Path:
    files.write_zip(folder / f"{files.name}.zip")
    return folder / f"{files.name}.zip"


@pytest.mark.parametrize("name", BIOMES)
def test_a_pack_has_no_error_by_the_game_s_schemas_and_references(name: str, tmp_path: Path):
    assert pack_errors(written(pack(name), tmp_path)) == []


def test_the_set_up_function_has_no_error_by_the_game_s_command_tree(tmp_path: Path):
    assert function_errors(written(pack("plains"), tmp_path)) == []


def sampled_errors(seeds: range, folder: Path) -> Iterator[str]:
    for seed in seeds:
        files = build_biome(sample_biome(seed))
        yield from (f"sample {seed}: {error}" for error in pack_errors(written(files, folder)))
        yield from (f"sample {seed}: {finding}" for finding in audit_biome_pack(files))


def test_packs_of_sampled_biomes_have_no_error(tmp_path: Path):
    assert list(sampled_errors(range(20), tmp_path)) == []


@pytest.mark.slow
def test_packs_of_two_hundred_sampled_biomes_have_no_error(tmp_path: Path):
    assert list(sampled_errors(range(1000, 1200), tmp_path)) == []


def game_heights(files: Datapack, namespace: str, seed: int, corner: int, side: int) -> np.ndarray:
    """Surface heights by an independent evaluation of the pack's final density, [x, z]."""
    tool = SHARED / "tools" / "deepslate_height.mjs"
    if not tool.is_file():
        pytest.skip("the height tool is not beside the project")
    with tempfile.TemporaryDirectory() as place:
        files.write_folder(Path(place) / "pack")
        where = ["--x", corner, "--z", -corner, "--w", side, "--h", side, "--step", 1]
        command = ["node", tool, "--pack", Path(place) / "pack", "--seed", seed, "--json", *where]
        command += ["--settings", f"{namespace}:benchmark", "--modules", packages(PINS).parent]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, timeout=1800
        )
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout)["heights"]).T


def share_equal(spec: BiomeSpec, seed: int, corner: int, side: int) -> float:
    wanted = game_heights(build_biome(spec), spec.namespace, seed, corner, side)
    found = heights(spec.terrain, terrain_noise(spec, seed), corner, -corner, side)
    return float((wanted == found).mean())


@pytest.mark.parametrize("name", BIOMES)
def test_the_game_s_reading_of_a_pack_has_the_simulator_s_heights(name: str):
    assert share_equal(BiomeSpec.load(name), -4172144997902289642, -1207, 40) >= 0.999


def test_the_game_s_reading_of_a_sampled_pack_has_the_simulator_s_heights():
    assert share_equal(sample_biome(4), 77, 300, 32) >= 0.999


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", BIOMES)
def test_a_hundred_thousand_heights_agree(name: str, seed: int):
    assert share_equal(BiomeSpec.load(name), seed, -158, 317) >= 0.999


# --- the audit


@pytest.mark.parametrize("name", BIOMES)
def test_the_audit_of_a_written_pack_finds_nothing(name: str, tmp_path: Path):
    assert audit_biome_pack(Datapack.load(written(pack(name), tmp_path))) == ()


PLAINS = "data/abplains/worldgen"
BIOME = f"{PLAINS}/biome/benchmark_plains.json"
FAULTS: list[tuple[str, str, Any, str]] = [
    ("pack.mcmeta", "pack/pack_format", 9, "not 10"),
    (f"{PLAINS}/configured_feature/iron_accessible.json", "type", "minecraft:oar", "no type"),
    (f"{PLAINS}/configured_feature/iron_accessible.json", "config/size", 65, "another size"),
    (f"{PLAINS}/configured_feature/gold_accessible.json",
     "config/targets/0/state/Name", "minecraft:gold", "no block"),
    (f"{PLAINS}/placed_feature/lake.json", "feature", "abplains:pond", "no worldgen/configured"),
    (f"{PLAINS}/placed_feature/diamond_main.json",
     "placement/2/height/max_inclusive/absolute", 300, "heights"),
    (f"{PLAINS}/placed_feature/diamond_main.json", "placement/0/count", 1, "count 1, not 40"),
    (f"{PLAINS}/noise_settings/benchmark.json", "sea_level", 200, "200; expected 63"),
    (f"{PLAINS}/noise_settings/benchmark.json", "ore_veins_enabled", True, "expected False"),
    (f"{PLAINS}/noise_settings/benchmark.json", "noise_router/depth", "minecraft:deep", "no world"),
    (f"{PLAINS}/density_function/terrain.json", "argument1/to_y", 91, "another gradient"),
    (f"{PLAINS}/noise/local.json", "firstOctave", -4, "the spec says"),
    (BIOME, "features/6/0", "minecraft:ore_gravel", "more than once"),
    (BIOME, "features/9/0", "minecraft:trees_planes", "no worldgen/placed_feature"),
    (BIOME, "features/10", ["minecraft:spring_lava"], "not what the spec"),
    (BIOME, "features", [], "0 steps; expected 11"),
    (BIOME, "spawners/creature/3/type", "minecraft:kow", "no entity"),
    (BIOME, "spawners/creature/3/minCount", 5, "expected weight and counts"),
    (BIOME, "spawners", {"creature": 1}, "another form"),
    ("data/minecraft/tags/functions/load.json", "values", ["abplains:start"], "no functions"),
    ("data/mirrorcraft/extension/biome.json", "spec/terrain/gradient", [90, 50], "first y below"),
    ("data/mirrorcraft/extension/biome.json", "spec/resources/bands/0/y", [300, 310], "meets the t"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "place", "value", "problem"), FAULTS)
def test_a_planted_fault_is_found_in_its_file(path: str, place: str, value: Any, problem: str):
    files = copy.deepcopy(dict(pack("plains")))
    set_at(files[path], place, value)
    assert any(f.file == path and problem in f.problem for f in audit_biome_pack(files))


def test_vanilla_features_out_of_vanilla_s_order_are_found():
    files = copy.deepcopy(dict(pack("plains")))
    files[BIOME]["features"][6][:2] = files[BIOME]["features"][6][1::-1]
    assert any("not in the order of plains" in f.problem for f in audit_biome_pack(files))


def test_a_missing_or_foreign_file_is_found():
    whole = dict(pack("plains"))
    for path in whole:
        assert audit_biome_pack({p: c for p, c in whole.items() if p != path}), path
    for path in ("data/abplains/recipes/stick.json", "data/abplains/worldgen/Biome/x.json"):
        assert any(f.file == path for f in audit_biome_pack({**whole, path: {}}))


def test_a_function_that_leaves_the_world_dangerous_is_found():
    files = dict(pack("plains"))
    path = "data/abplains/functions/setup.mcfunction"
    files[path] = files[path].replace("difficulty peaceful", "difficulty hard")
    assert any("difficulty peaceful" in f.problem for f in audit_biome_pack(files))


@given(st.data())
@settings(max_examples=60)
def test_no_change_of_one_value_goes_unnoticed_or_stops_the_audit(data: st.DataObject):
    files = copy.deepcopy(dict(pack("taiga")))
    path = data.draw(st.sampled_from(sorted(files)))
    place, node = [], files[path]
    holder: Any = files
    key: Any = path
    while isinstance(node, (dict, list)) and node and (not place or data.draw(st.booleans())):
        keys = sorted(node) if isinstance(node, dict) else range(len(node))
        holder, key = node, data.draw(st.sampled_from(keys))
        place.append(key)
        node = node[key]
    new = data.draw(st.sampled_from([None, -7, "x", [], {}, [{}], {"type": 1}]))
    assume(holder[key] != new)
    holder[key] = new
    assert audit_biome_pack(files), (path, place)


def set_at(data: Any, path: str, value: Any) -> None:
    *way, last = path.split("/")
    for key in way:
        data = data[int(key) if key.isdigit() else key]
    data[int(last) if last.isdigit() else last] = value


def test_a_pack_is_the_same_bytes_each_time(tmp_path: Path):
    first = written(pack("savanna"), tmp_path).read_bytes()
    again = written(build_biome(BiomeSpec.load("savanna")), tmp_path).read_bytes()
    assert first == again


def test_every_feature_that_a_spec_may_name_compiles():
    spec = BiomeSpec.load("plains")
    for name in vanilla_features().names:
        made = placed_feature(Placement(feature=name, id="mine", count=2), spec.namespace)
        assert made["placement"][0] == {"type": "minecraft:count", "count": 2}
