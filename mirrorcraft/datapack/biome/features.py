"""The features of a biome pack: ore bands, wrappers with the spec's odds, and the biome's steps."""

from typing import Any

from mirrorcraft.core.biome import BiomeSpec, Disk, Ore, Placed, Placement, vanilla_features
from mirrorcraft.core.ids import full
from mirrorcraft.datapack.biome.terrain import Json, typed
from mirrorcraft.datapack.biome.vanilla import STEPS, worldgen

LAKE = "lake"  # the one feature that vanilla 1.19 no longer has: a lake of water
_LAKES, _ORES, _PLANTS = map(STEPS.index, ("lakes", "underground_ores", "vegetal_decoration"))


def configured_ore(band: Ore) -> Json:
    """Return the configured feature of an ore band."""
    blocks = {"stone": band.block, "deepslate": band.deepslate or band.block}
    targets = [
        {
            "target": {
                "predicate_type": "minecraft:tag_match",
                "tag": f"minecraft:{rock}_ore_replaceables",
            },
            "state": {"Name": full(block)},
        }
        for rock, block in blocks.items()
    ]
    config = {
        "targets": targets,
        "size": band.size,
        "discard_chance_on_air_exposure": band.discard,
    }
    return typed("ore", config=config)


def configured_lake() -> Json:
    """Return the configured feature of a lake of water in a rim of stone."""
    states = {
        "fluid": {"Name": "minecraft:water", "Properties": {"level": "0"}},
        "barrier": {"Name": "minecraft:stone"},
    }
    providers = {k: typed("simple_state_provider", state=s) for k, s in states.items()}
    return typed("lake", config=providers)


def placed_ore(band: Ore, namespace: str) -> Json:
    """Return the placed feature of an ore band."""
    low, high = band.y
    height = typed(
        "trapezoid" if band.trapezoid else "uniform",
        min_inclusive={"absolute": low},
        max_inclusive={"absolute": high},
    )
    where = [typed("in_square"), typed("height_range", height=height), typed("biome")]
    return {"feature": f"{namespace}:{band.id}", "placement": [*_odds(band), *where]}


def placed_feature(placement: Placement, namespace: str) -> Json:
    """Return the placed feature of a placement with odds of its own."""
    name, facts = placement.feature, worldgen()
    disk = vanilla_features().disks.get(name)
    if name in vanilla_features().groves:
        where = [typed("surface_water_depth_filter", max_water_depth=0), _on("OCEAN_FLOOR")]
        if name in facts.saplings:
            sapling = {"Name": full(facts.saplings[name]), "Properties": {"stage": "0"}}
            where.append(_only_if(typed("would_survive", state=sapling)))
    elif disk:
        where = _disk_place(disk)
    elif name in facts.ground_without_leaves.split():
        where = [_on("WORLD_SURFACE_WG")]
    else:
        where = [_on("MOTION_BLOCKING")]
    feature = f"{namespace}:{placement.name}" if name == LAKE else full(name)
    modifiers = [*_odds(placement), typed("in_square"), *where, typed("biome")]
    return {"feature": feature, "placement": modifiers}


def _disk_place(disk: Disk) -> list[Json]:
    if disk.underwater:
        water = typed("matching_fluids", fluids="minecraft:water")
        return [_on("OCEAN_FLOOR_WG"), _only_if(water)]
    # One block down: the disk's middle is the ground and not the air above it.
    return [_on("MOTION_BLOCKING"), typed("random_offset", xz_spread=0, y_spread=-1)]


def _odds(placed: Placed) -> list[Json]:
    """Return the modifiers that say how often; nothing for once in every chunk."""
    odds: list[Json] = []
    count: Any = placed.count
    if isinstance(count, dict):
        rows = [{"data": n, "weight": weight} for n, weight in count.items()]
        count = typed("weighted_list", distribution=rows)
    if count != 1:
        odds.append(typed("count", count=count))
    if placed.rarity > 1:
        odds.append(typed("rarity_filter", chance=placed.rarity))
    return odds


def _on(heightmap: str) -> Json:
    return typed("heightmap", heightmap=heightmap)


def _only_if(predicate: Json) -> Json:
    return typed("block_predicate_filter", predicate=predicate)


def feature_steps(spec: BiomeSpec) -> tuple[list[list[str]], list[Placement]]:
    """Return the biome's placed features a step, and the placements that need a file of their own.

    The vanilla biome is the backbone, and its order is kept. What a spec places with vanilla odds
    is the vanilla file itself; with odds of its own it takes the vanilla one's place; what it
    leaves out is gone. The rest of the spec follows, in the spec's order.
    """
    facts = worldgen()
    waiting = list(spec.ecology.features)
    own: list[Placement] = []
    steps: list[list[str]] = []
    for names in facts.step_names(spec.base):
        step = []
        for name in names:
            vanilla = facts.placements_by_id.get(name)
            if vanilla is None:
                if not name.startswith("ore_") or name in spec.resources.retained:
                    step.append(full(name))
                continue
            match = _match(vanilla, waiting)
            if match:
                waiting.remove(match)
                if match.odds == vanilla.odds:
                    step.append(full(name))
                else:
                    own.append(match)
                    step.append(f"{spec.namespace}:{match.name}")
        steps.append(step)
    for placement in waiting:
        steps[_step(placement)].append(f"{spec.namespace}:{placement.name}")
    steps[_ORES] += [f"{spec.namespace}:{band.id}" for band in spec.resources.bands]
    return steps, own + waiting


def _match(vanilla: Placement, waiting: list[Placement]) -> Placement | None:
    """Return the placement that stands for a vanilla one: equal odds first, then the spec's order."""
    same = [p for p in waiting if p.feature == vanilla.feature]
    return min(same, key=lambda p: p.odds != vanilla.odds, default=None)


def _step(placement: Placement) -> int:
    if placement.feature == LAKE:
        return _LAKES
    disk = vanilla_features().disks.get(placement.feature)
    return _ORES if disk and disk.underwater else _PLANTS
