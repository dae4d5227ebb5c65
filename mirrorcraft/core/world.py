"""A world: a biome spec, a seed and a safe spawn. Two of them in each biome make the ten Vanilla worlds."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mirrorcraft.core.data import named_file, names_in, read_json


@dataclass(frozen=True, slots=True)
class World:
    """One world, before any rule is changed.

    Attributes:
        id: its name, such as ``plains-a``.
        biome: name of the spec in ``rules/biomes``.
        seed: the world seed (a signed 64-bit integer, as the game takes it).
        spawn: (x, y, z) of the cell of the body's feet; the box's centre is (0, 0).
    """

    id: str
    biome: str
    seed: int
    spawn: tuple[int, int, int]

    @staticmethod
    @cache
    def load(name: str) -> "World":
        """Return the world ``rules/worlds/<name>.json``; UnknownNameError lists the names there are."""
        data = read_json(World.file(name))
        return World(data["id"], data["biome"], data["seed"], tuple(data["spawn"]))

    @staticmethod
    def file(name: str) -> Path:
        """Return the file of a world; ``folder/name`` lies in a folder of ``rules/worlds``, for one study's own."""
        folder, _, plain = name.rpartition("/")
        return named_file(f"worlds/{folder}" if folder else "worlds", plain)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the worlds there are, sorted."""
        return names_in("worlds")
