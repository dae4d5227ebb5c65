"""The sampler of world-generation specs: one of the five benchmark specs with its numbers moved."""

from collections.abc import Collection
from typing import Any

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.biome_check import NEEDED_CREATURES, NEEDED_FEATURES, NEEDED_ORES
from mirrorcraft.core.sample.draws import Draws, selected

Json = dict[str, Any]
PATCH_BLOCKS = ("podzol", "coarse_dirt", "gravel", "moss_block", "terracotta", "sand")
# Sights that may be left out, or added where the base spec has none, with rarities to draw from.
SIGHTS = {
    "forest_rock": (8, 32),
    "huge_brown_mushroom": (32, 64),
    "patch_melon": (4, 32),
    "patch_pumpkin": (100, 300),
    "patch_berry_bush": (12, 48),
    "desert_well": (96, 256),
    "ice_spike": (40, 80),
}
LEAST_ATTEMPTS = 4  # of an ore band in a chunk: fewer would make an ore impractical to find


def sample_biome(seed: int, tasks: Collection[str] | None = None) -> BiomeSpec:
    """Return a valid spec; the same one for the same seed and tasks, in any process.

    Terrain, surface patches, ore bands, plants, sights and cows vary; what a selected task needs
    is never left out, and the base biome stays recognisable.

    Args:
        seed: 0 or more.
        tasks: tasks that its world must hold the resources of; None is all of them.

    Raises:
        InputError: the seed is negative, or there are no tasks.
        UnknownNameError: there is no such task.
    """
    names = selected(seed, tasks)
    draws = Draws("biome sample", seed, *names)
    base = draws.pick(BiomeSpec.names())
    data = BiomeSpec.load(base).model_dump(mode="json")
    data |= {
        "id": f"sample_{base}_{seed}",
        "title": f"{data['title']}, sample {seed}",
        "namespace": f"sample_{base}_{seed}",
    }
    _terrain(data["terrain"], draws)
    _ores(data, draws, {ore for task in names for ore in NEEDED_ORES[task]})
    _plants(data, draws, {f for task in names for f in NEEDED_FEATURES.get(task, ())})
    _creatures(data, draws, {c for task in names for c in NEEDED_CREATURES.get(task, ())})
    return BiomeSpec.parse(data, f"biome sample {seed}", names)


def _terrain(terrain: Json, draws: Draws) -> None:
    low = draws.between(42, 52)
    high = low + draws.between(36, 50)
    terrain["gradient"] = [low, high]
    # The middle of the gradient is the mean height of the ground: dry, with water in the hollows.
    terrain["sea_level"] = (low + high) // 2 - draws.between(2, 5)
    contour, local = draws.between(40, 70), draws.between(10, 24)
    for noise, weight in zip(terrain["noises"], (contour, local), strict=True):
        noise["weight"] = weight / 100
    for patch in terrain["patches"]:
        if draws.percent(50):
            patch["block"] = draws.pick(PATCH_BLOCKS)


def _ores(data: Json, draws: Draws, needed: set[str]) -> None:
    top = data["terrain"]["gradient"][1]
    bands = []
    for band in data["resources"]["bands"]:
        if band["block"] not in needed and draws.percent(30):
            continue
        low, high = band["y"]
        shift, stretch = draws.between(-6, 6), draws.between(-4, 4)
        # At least a third of the origins' range stays in the ground.
        low = min(low + shift, top - 16)
        band["y"] = [low, max(high + shift + stretch, low + 8)]
        band["count"] = max(LEAST_ATTEMPTS, band["count"] * draws.between(50, 125) // 100)
        band["size"] = max(3, band["size"] + draws.between(-4, 4))
        if draws.percent(20):
            band["discard"] = draws.between(1, 5) / 10
        if draws.percent(20):
            band["trapezoid"] = True
        bands.append(band)
    data["resources"]["bands"] = bands


def _plants(data: Json, draws: Draws, needed: set[str]) -> None:
    features = []
    for placed in data["ecology"]["features"]:
        name = placed["feature"]
        if name in SIGHTS and name not in needed and draws.percent(25):
            continue
        if name in needed:
            placed["count"] = draws.between(6, 12)
        elif placed["rarity"] > 1 and draws.percent(50):
            placed["rarity"] = max(2, placed["rarity"] * draws.between(50, 200) // 100)
        elif isinstance(placed["count"], dict) and draws.percent(50):
            placed["count"] = _denser(placed["count"], draws)
        features.append(placed)
    have = {placed["feature"] for placed in features}
    new = draws.pick(tuple(SIGHTS))
    if new not in have:
        features.append({"feature": new, "rarity": draws.between(*SIGHTS[new])})
    data["ecology"]["features"] = features


def _denser(count: Json, draws: Draws) -> Json:
    """Return the two neighbouring counts of a grove's trees moved up, and weighted anew."""
    low = min(int(n) for n in count)
    low += draws.between(0, 2 + low // 8)
    return {str(low): draws.between(1, 9), str(low + 1): draws.between(1, 9)}


def _creatures(data: Json, draws: Draws, needed: set[str]) -> None:
    ecology = data["ecology"]
    ecology["creature_probability"] = draws.between(7, 12) / 100
    creatures = []
    for creature in ecology["creatures"]:
        if creature["entity"] in needed:
            creature["weight"] = draws.between(16, 40)
        elif draws.percent(15):
            continue
        creatures.append(creature)
    ecology["creatures"] = creatures
