"""What a world-generation spec may say: known names, terrain with a top, ores inside it, no task left without."""

from collections.abc import Collection, Iterator
from typing import NoReturn

from mirrorcraft.core.biome import BiomeSpec, vanilla_features
from mirrorcraft.core.errors import BiomeError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

WORLD_BOTTOM = -64
TERRAIN = "terrain"  # name of the density function that sums the noises up
# The noises must not lift solid ground above the gradient, where nothing would end it.
MOST_RELIEF = 0.95
# The resource categories of the tasks' routes (paper v1, appendix G), beside wood and stone.
_IRON = ("coal_ore", "iron_ore")
NEEDED_ORES = {
    "iron_armor": _IRON,
    "diamond": (*_IRON, "diamond_ore"),
    "enchantment": (*_IRON, "diamond_ore", "lapis_ore", "obsidian"),
}
NEEDED_FEATURES = {"enchantment": ("patch_sugar_cane",)}
NEEDED_CREATURES = {"enchantment": ("cow",)}


def check(spec: BiomeSpec, source: object, tasks: Collection[str]) -> None:
    """Refuse a spec that names something unknown, or whose world could not serve the tasks.

    Args:
        spec: the spec, its numbers already inside their bounds.
        source: where it came from, for errors.
        tasks: names of the tasks that its world must hold the resources of.

    Raises:
        BiomeError: with source, place, and the limit or the names that would do.
        UnknownNameError: there is no such task.
    """
    for task in tasks:
        Task.load(task)
    _check_names(spec, source)
    _check_terrain(spec, source)
    _check_bands(spec, source)
    _check_resources(spec, source, tasks)


def _named(spec: BiomeSpec) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, place, name) for every id that the spec mentions."""
    for i, patch in enumerate(spec.terrain.patches):
        yield "block", f"terrain.patches[{i}].block", patch.block
    for i, band in enumerate(spec.resources.bands):
        yield "block", f"resources.bands[{i}].block", band.block
        yield "block", f"resources.bands[{i}].deepslate", band.deepslate or band.block
    for i, name in enumerate(spec.resources.retained):
        yield "ore placement", f"resources.retained[{i}]", name
    for i, placement in enumerate(spec.ecology.features):
        yield "feature", f"ecology.features[{i}].feature", placement.feature
    for i, creature in enumerate(spec.ecology.creatures):
        yield "entity", f"ecology.creatures[{i}].entity", creature.entity


def _check_names(spec: BiomeSpec, source: object) -> None:
    book, features = Rulebook.vanilla("1.19"), vanilla_features()
    known = {
        "block": book.blocks,
        "entity": book.entities,
        "ore placement": features.ores_by_id,
        "feature": features.names,
    }
    for kind, place, name in _named(spec):
        if name not in known[kind]:
            raise BiomeError(source, place, name, f"a known {kind}")
    if spec.namespace == "minecraft":
        raise BiomeError(source, "namespace", spec.namespace, "a namespace of its own")
    noises = [noise.id for noise in spec.terrain.noises]
    if len({*noises, TERRAIN}) <= len(noises):
        expected = f"two different names, neither of them {TERRAIN}"
        raise BiomeError(source, "terrain.noises", noises, expected)
    seen = {*spec.resources.retained}
    placed = [*(b.id for b in spec.resources.bands), *(p.name for p in spec.ecology.features)]
    for name in placed:
        if name in seen:
            raise BiomeError(source, "", name, "each placement id once (give the second one an id)")
        seen.add(name)


def _check_terrain(spec: BiomeSpec, source: object) -> None:
    def refuse(place: str, given: object, expected: str) -> NoReturn:
        raise BiomeError(source, f"terrain.{place}", given, expected)

    terrain = spec.terrain
    relief = sum(noise.weight for noise in terrain.noises)
    if relief > MOST_RELIEF:
        refuse("noises", round(relief, 4), f"weights with a sum of at most {MOST_RELIEF}")
    if terrain.sea_level >= terrain.gradient[1]:
        limit = f"a sea level below {terrain.gradient[1]}, where the terrain ends"
        refuse("sea_level", terrain.sea_level, limit)
    for i, patch in enumerate(terrain.patches):
        if patch.low > patch.high:
            refuse(f"patches[{i}]", (patch.low, patch.high), "low no higher than high")
    if spec.ecology.frozen != (spec.base == "snowy_plains"):
        expected = "true for snowy_plains and false for all others, as the base biome's climate"
        raise BiomeError(source, "ecology.frozen", spec.ecology.frozen, expected)


def _check_bands(spec: BiomeSpec, source: object) -> None:
    top = spec.terrain.gradient[1]
    for i, band in enumerate(spec.resources.bands):
        if band.y[0] >= top or band.y[1] < WORLD_BOTTOM:
            limit = f"a range that meets the terrain, which lies from {WORLD_BOTTOM} to below {top}"
            raise BiomeError(source, f"resources.bands[{i}].y", band.y, limit)


def _check_resources(spec: BiomeSpec, source: object, tasks: Collection[str]) -> None:
    ores = {b.block for b in spec.resources.bands if b.odds.tries + b.odds.more > 0}
    features = {p.feature for p in spec.ecology.features if p.odds.tries + p.odds.more > 0}
    creatures = {c.entity for c in spec.ecology.creatures}
    for place, needs, found in (
        ("resources.bands", NEEDED_ORES, ores),
        ("ecology.features", NEEDED_FEATURES, features),
        ("ecology.creatures", NEEDED_CREATURES, creatures),
    ):
        for task in tasks:
            for name in needs.get(task, ()):
                if name not in found:
                    expected = f"{name} among them; the task {task} needs it"
                    raise BiomeError(source, place, sorted(found), expected)
    if tasks and not features & set(vanilla_features().groves):
        expected = "a grove of trees among them"
        raise BiomeError(source, "ecology.features", sorted(features), expected)
