"""The vanilla world generation that a biome pack restates or refers to, read from the rules folder."""

from functools import cache, cached_property
from typing import Any

from pydantic import Field

from mirrorcraft.core.biome import Placement, Spec
from mirrorcraft.core.data import read_json, rules_dir
from mirrorcraft.core.errors import BiomeError
from mirrorcraft.core.validated import validated

# The game's generation steps, in the order of a biome's feature lists.
STEPS = (
    "raw_generation",
    "lakes",
    "local_modifications",
    "underground_structures",
    "surface_structures",
    "strongholds",
    "underground_ores",
    "underground_decoration",
    "fluid_springs",
    "vegetal_decoration",
    "top_layer_modification",
)
Spawns = dict[str, tuple[int, int, int]]  # entity to weight, smallest and largest group


class AquiferNoise(Spec):
    """A noise of the aquifers and how it is stretched."""

    noise: str
    xz_scale: float
    y_scale: float


class Climate(Spec):
    """What a base biome looks and feels like.

    Attributes:
        temperature: below 0.15 water freezes.
        downfall: humidity, for the colour of plants.
        precipitation: ``none``, ``rain`` or ``snow``.
        sky: colour of the sky, as 0xRRGGBB.
        music: the overworld music that is its own.
        monsters: spawns added to, or in place of, the common ones.
    """

    temperature: float
    downfall: float
    precipitation: str
    sky: int
    music: str | None = None
    monsters: Spawns = Field(default_factory=dict)


class Worldgen(Spec):
    """Facts of vanilla 1.19 world generation (``rules/biomes/vanilla/worldgen.json``).

    Attributes:
        aquifers: router entry to its noise.
        climate: router entries that are stretched and shifted climate noises of the same name.
        fields: router entries that refer to the overworld's density function of the same name.
        colors: of fog and water, as 0xRRGGBB, the same in all five biomes.
        carvers: those that the paper keeps.
        biomes: base biome to its climate.
        spawns: category to what spawns in all five biomes; creatures come from the spec.
        steps: generation step to the placed features of all five biomes, separated by spaces.
        vegetation: base biome to its step of vegetal decoration.
        placements: the placed features among those that a spec can name, in a spec's words.
        saplings: grove to the sapling that must be able to stand where a tree is tried.
        ground_without_leaves: features placed on the terrain of generation (WORLD_SURFACE_WG).
    """

    about: str
    aquifers: dict[str, AquiferNoise]
    climate: tuple[str, ...]
    fields: tuple[str, ...]
    colors: dict[str, int]
    carvers: tuple[str, ...]
    biomes: dict[str, Climate]
    spawns: dict[str, Spawns]
    steps: dict[str, str]
    vegetation: dict[str, str]
    placements: tuple[Placement, ...]
    saplings: dict[str, str]
    ground_without_leaves: str

    @cached_property
    def placements_by_id(self) -> dict[str, Placement]:
        """The placements by the name of their placed feature."""
        return {placement.name: placement for placement in self.placements}

    def step_names(self, base: str) -> tuple[tuple[str, ...], ...]:
        """Return the vanilla placed features of a base biome, a tuple for each of ``STEPS``."""
        texts = {**self.steps, "vegetal_decoration": self.vegetation[base]}
        return tuple(tuple(texts.get(step, "").split()) for step in STEPS)


@cache
def worldgen() -> Worldgen:
    """Return the facts; BiomeError names what is wrong with the file."""
    path = rules_dir() / "biomes" / "vanilla" / "worldgen.json"
    data: Any = read_json(path, BiomeError)
    return validated(Worldgen, data, path, BiomeError)
