"""From a world-generation spec to the files of a 1.19 datapack: one biome, its terrain, its set-up."""

import json
from typing import Any

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.ids import full
from mirrorcraft.datapack.biome import features, terrain
from mirrorcraft.datapack.biome.terrain import Json, typed
from mirrorcraft.datapack.biome.vanilla import worldgen
from mirrorcraft.datapack.pack import PACK_FORMAT, Datapack

SETTINGS = "benchmark"
METADATA = "data/mirrorcraft/extension/biome.json"  # where the game does not look
DIMENSION = "data/minecraft/dimension/overworld.json"
PRESET_TAG = "data/minecraft/tags/worldgen/world_preset/normal.json"
LOAD_TAG = "data/minecraft/tags/functions/load.json"
# The fixed runtime of the papers: noon for ever, clear sky, only what lives in the biome.
SETUP = (
    "difficulty peaceful",
    "time set noon",
    "weather clear",
    "gamerule doDaylightCycle false",
    "gamerule doWeatherCycle false",
    "gamerule doMobSpawning true",
    "gamerule doPatrolSpawning false",
    "gamerule doTraderSpawning false",
    "gamerule doInsomnia false",
)


def biome_id(spec: BiomeSpec) -> str:
    """Return the id of the biome and of the world preset, such as ``abplains:benchmark_plains``.

    The papers' names: the namespace without its ``ab`` is the last word.
    """
    return f"{spec.namespace}:benchmark_{spec.namespace.removeprefix('ab')}"


def build_biome(spec: BiomeSpec) -> Datapack:
    """Return the datapack of a spec; it holds the spec as well, for the audit."""
    files: dict[str, Any] = {
        "pack.mcmeta": {
            "pack": {"pack_format": PACK_FORMAT, "description": f"MirrorCraft: {spec.title}"}
        },
        METADATA: {"game_version": "1.19", "spec": json.loads(spec.model_dump_json())},
    }

    def put(kind: str, name: str, content: Any) -> None:
        files[f"data/{spec.namespace}/worldgen/{kind}/{name}.json"] = content

    for noise in spec.terrain.noises:
        put("noise", noise.id, terrain.noise(noise))
    for name, function in terrain.density_functions(spec).items():
        put("density_function", name, function)
    put("noise_settings", SETTINGS, terrain.noise_settings(spec))
    for band in spec.resources.bands:
        put("configured_feature", band.id, features.configured_ore(band))
        put("placed_feature", band.id, features.placed_ore(band, spec.namespace))
    steps, own = features.feature_steps(spec)
    for placement in own:
        if placement.feature == features.LAKE:
            put("configured_feature", placement.name, features.configured_lake())
        put("placed_feature", placement.name, features.placed_feature(placement, spec.namespace))
    name = biome_id(spec).partition(":")[2]
    put("biome", name, biome(spec, steps))
    put("world_preset", name, world_preset(spec))
    files[DIMENSION] = overworld(spec)
    files[PRESET_TAG] = {"values": [biome_id(spec)]}
    files[LOAD_TAG] = {"values": [f"{spec.namespace}:setup"]}
    files[f"data/{spec.namespace}/functions/setup.mcfunction"] = "\n".join(SETUP) + "\n"
    return Datapack(files, spec.namespace)


def biome(spec: BiomeSpec, steps: list[list[str]]) -> Json:
    """Return the biome file.

    Args:
        spec: gives the creatures; all other spawns are those of the base biome.
        steps: ids of placed features for each generation step.
    """
    facts = worldgen()
    climate = facts.biomes[spec.base]
    spawners = {
        category: [_spawn(*row) for row in spawns.items()]
        for category, spawns in facts.spawns.items()
    }
    monsters = {**facts.spawns["monster"], **climate.monsters}
    spawners["monster"] = [_spawn(*row) for row in monsters.items()]
    spawners["creature"] = [_spawn(c.entity, (c.weight, *c.group)) for c in spec.ecology.creatures]
    return {
        "precipitation": climate.precipitation,
        "temperature": climate.temperature,
        "downfall": climate.downfall,
        "effects": _effects(spec.base),
        "carvers": {"air": [full(carver) for carver in facts.carvers]},
        "features": steps,
        "creature_spawn_probability": spec.ecology.creature_probability,
        "spawners": spawners,
        "spawn_costs": {},
    }


def _spawn(entity: str, row: tuple[int, int, int]) -> Json:
    weight, low, high = row
    return {"type": full(entity), "weight": weight, "minCount": low, "maxCount": high}


def _effects(base: str) -> Json:
    facts = worldgen()
    climate = facts.biomes[base]
    effects: Json = {
        "sky_color": climate.sky,
        **{f"{part}_color": color for part, color in facts.colors.items()},
        "mood_sound": {
            "sound": "minecraft:ambient.cave",
            "tick_delay": 6000,
            "block_search_extent": 8,
            "offset": 2,
        },
    }
    if climate.music:
        effects["music"] = {
            "sound": f"minecraft:music.overworld.{climate.music}",
            "min_delay": 12000,
            "max_delay": 24000,
            "replace_current_music": False,
        }
    return effects


def overworld(spec: BiomeSpec) -> Json:
    """Return the overworld as a dimension: the spec's terrain, and its biome everywhere."""
    source = typed("fixed", biome=biome_id(spec))
    settings = f"{spec.namespace}:{SETTINGS}"
    generator = typed("noise", settings=settings, biome_source=source)
    return typed("overworld", generator=generator)


def world_preset(spec: BiomeSpec) -> Json:
    """Return the world preset: the spec's overworld, and vanilla's Nether and End."""
    nether = typed("multi_noise", preset="minecraft:nether")
    ends = {"the_nether": ("nether", nether), "the_end": ("end", typed("the_end"))}
    others = {
        full(name): typed(
            name, generator=typed("noise", settings=full(settings), biome_source=source)
        )
        for name, (settings, source) in ends.items()
    }
    return {"dimensions": {"minecraft:overworld": overworld(spec), **others}}
