"""What a world holds for the taking: the blocks and mobs that routes may count on, and how far they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_TREES = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")
_ORES = ("coal", "iron", "copper", "gold", "redstone", "lapis", "diamond", "emerald")

# What the five biome specs generate, in the order in which equally cheap sources are preferred.
NATURAL_BLOCKS: tuple[str, ...] = (
    *(f"{wood}_log" for wood in _TREES),
    *("stone", "deepslate", "andesite", "diorite", "granite", "tuff", "mossy_cobblestone"),
    *(deep + ore + "_ore" for ore in _ORES for deep in ("", "deepslate_")),
    *("obsidian", "sugar_cane", "dirt", "grass_block", "coarse_dirt", "podzol", "gravel", "sand"),
    *("clay", "sandstone", "terracotta", "moss_block", "snow", "snow_block", "ice", "packed_ice"),
    *("melon", "pumpkin", "brown_mushroom", "red_mushroom", "lily_pad", "dandelion", "poppy"),
    *(f"{wood}_leaves" for wood in _TREES),
)
NATURAL_ENTITIES: tuple[str, ...] = (
    *("cow", "sheep", "pig", "chicken", "horse", "donkey", "rabbit"),
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The blocks and mobs of a world, each with the actions that reaching it is expected to cost.

    Attributes:
        blocks: block id to extra actions, 0 for what is at hand.
        entities: entity id to extra actions.
    """

    blocks: Mapping[str, float] = field(default_factory=lambda: _ranked(NATURAL_BLOCKS))
    entities: Mapping[str, float] = field(default_factory=lambda: _ranked(NATURAL_ENTITIES))

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What there is, without the distances."""
        return tuple(self.blocks), tuple(self.entities)

    def without(self, *names: str) -> "Sources":
        """Return the same sources with some blocks or mobs taken away."""
        return Sources(
            {b: c for b, c in self.blocks.items() if b not in names},
            {e: c for e, c in self.entities.items() if e not in names},
        )


def _ranked(names: tuple[str, ...]) -> dict[str, float]:
    """Return all names at hand; an earlier one is a trifle nearer, so that it is preferred among equals."""
    return {name: i * 1e-4 for i, name in enumerate(names)}


NATURAL = Sources()
