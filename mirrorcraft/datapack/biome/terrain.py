"""The terrain of a biome pack: noises, density functions, noise settings with router and surface rule."""

from typing import Any

from mirrorcraft.core.biome import BiomeSpec, Noise, Patch
from mirrorcraft.core.biome_check import TERRAIN, WORLD_BOTTOM
from mirrorcraft.core.ids import full
from mirrorcraft.datapack.biome.vanilla import worldgen

Json = dict[str, Any]
WORLD_HEIGHT = 384
# The uppermost block of what the rule runs over; with the surface depth, the soil below it too.
_FLOOR = {
    "type": "minecraft:stone_depth",
    "offset": 0,
    "surface_type": "floor",
    "add_surface_depth": False,
    "secondary_depth_range": 0,
}


def typed(kind: str, **fields: Any) -> Json:
    """Return a JSON object of one of the game's types."""
    return {"type": full(kind), **fields}


def noise(noise: Noise) -> Json:
    """Return the noise file of one of the two noises."""
    return {"firstOctave": noise.first_octave, "amplitudes": list(noise.amplitudes)}


def density_functions(spec: BiomeSpec) -> dict[str, Json]:
    """Return density functions by name: a cached field for each noise, and the terrain they sum up to."""
    start, end = spec.terrain.gradient
    fields, parts = {}, []
    for part in spec.terrain.noises:
        name = f"{spec.namespace}:{part.id}"
        # y_scale 0: the same at every height, so that one value a column is enough.
        flat = typed("noise", noise=name, xz_scale=1, y_scale=0)
        fields[part.id] = typed("cache_2d", argument=flat)
        parts.append(typed("mul", argument1=part.weight, argument2=name))
    gradient = typed("y_clamped_gradient", from_y=start, to_y=end, from_value=1, to_value=-1)
    relief = typed("add", argument1=parts[0], argument2=parts[1])
    return {**fields, TERRAIN: typed("add", argument1=gradient, argument2=relief)}


def noise_settings(spec: BiomeSpec) -> Json:
    """Return the noise settings: the overworld's frame around the spec's density and surface."""
    return {
        "sea_level": spec.terrain.sea_level,
        "disable_mob_generation": False,
        "aquifers_enabled": True,
        "ore_veins_enabled": False,
        "legacy_random_source": False,
        "default_block": {"Name": "minecraft:stone"},
        "default_fluid": {"Name": "minecraft:water", "Properties": {"level": "0"}},
        "noise": {
            "min_y": WORLD_BOTTOM,
            "height": WORLD_HEIGHT,
            "size_horizontal": 1,
            "size_vertical": 2,
        },
        "noise_router": _router(spec),
        "spawn_target": [],  # no climate to look for: spawn near the origin
        "surface_rule": surface_rule(spec.terrain.patches),
    }


def _router(spec: BiomeSpec) -> Json:
    facts, terrain = worldgen(), f"{spec.namespace}:{TERRAIN}"
    shift = {"shift_x": "minecraft:shift_x", "shift_y": 0, "shift_z": "minecraft:shift_z"}
    blended = typed("interpolated", argument=typed("blend_density", argument=terrain))
    scaled = typed("mul", argument1=spec.terrain.scale, argument2=blended)
    return {
        **{
            name: typed(
                "noise", noise=full(a.noise), xz_scale=float(a.xz_scale), y_scale=float(a.y_scale)
            )
            for name, a in facts.aquifers.items()
        },
        **{
            name: typed("shifted_noise", noise=full(name), xz_scale=0.25, y_scale=0, **shift)
            for name in facts.climate
        },
        **{name: f"minecraft:overworld/{name}" for name in facts.fields},
        # Aquifers and the surface rule take the surface from here: it must be that of this terrain.
        "initial_density_without_jaggedness": terrain,
        "final_density": typed("squeeze", argument=scaled),
        # The large ore veins are switched off, so nothing asks for these.
        **dict.fromkeys(("vein_toggle", "vein_ridged", "vein_gap"), 0),
    }


def surface_rule(patches: tuple[Patch, ...]) -> Json:
    """Return the surface rule: bedrock floor, patches and grass on dry ground, dirt, deepslate."""
    tops = [
        _when(
            typed(
                "noise_threshold",
                noise="minecraft:surface",
                min_threshold=patch.low,
                max_threshold=patch.high,
            ),
            _block(patch.block),
        )
        for patch in patches
    ]
    dry = typed("water", offset=0, surface_depth_multiplier=0, add_stone_depth=False)
    top = _when(_FLOOR, _when(dry, _sequence(*tops, _block("grass_block"))))
    soil = _when({**_FLOOR, "add_surface_depth": True}, _block("dirt"))
    return _sequence(
        _when(
            _gradient("bedrock_floor", {"above_bottom": 0}, {"above_bottom": 5}), _block("bedrock")
        ),
        _when(typed("above_preliminary_surface"), _sequence(top, soil)),
        _when(_gradient("deepslate", {"absolute": 0}, {"absolute": 8}), _block("deepslate")),
    )


def _gradient(name: str, solid: Json, none: Json) -> Json:
    return typed(
        "vertical_gradient",
        random_name=full(name),
        true_at_and_below=solid,
        false_at_and_above=none,
    )


def _when(condition: Json, rule: Json) -> Json:
    return typed("condition", if_true=condition, then_run=rule)


def _sequence(*rules: Json) -> Json:
    return typed("sequence", sequence=list(rules))


def _block(name: str) -> Json:
    return typed("block", result_state={"Name": full(name)})
