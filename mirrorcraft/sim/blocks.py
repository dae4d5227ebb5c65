"""The box of a voxel world: its geometry, block numbers and the traits of blocks."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.core.rulebook import Rulebook

# Kernels that only kernels call do without an entry from Python: a fifth less to compile.
inner = njit(  # pyright: ignore[reportCallIssue]
    cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)

SIDE = 192  # columns along x and z: -96..95
HALF = 96
MIN_Y = -64
HEIGHT = 192  # y -64..127
CHUNK = 16

# Traits of a block, as bits. numba compiles a function anew for each Python constant that it is
# called with; for numpy integers it does not.
SOLID = np.int64(1)  # has collision
FLUID = np.int64(2)
SOIL = np.int64(4)  # the tag dirt: plants and trees stand on it
STONE = np.int64(8)  # ores replace it
DEEPSLATE = np.int64(16)  # ores replace it by their deepslate kind
LEAVES = np.int64(32)
LOG = np.int64(64)
PLANT = np.int64(128)  # grass and its like: trees grow through it
GROUND = np.int64(256)  # part of the terrain, as a walking body sees it
SAND = np.int64(512)
FULL = np.int64(1024)  # a full cube that snow lies on
ANY = np.int64(2048)  # every block but air


class Ids(NamedTuple):
    """Numbers of the blocks that generation names: a block's place among the sorted block ids."""

    air: int
    bedrock: int
    stone: int
    deepslate: int
    dirt: int
    grass_block: int
    water: int
    ice: int
    packed_ice: int
    snow: int
    snow_block: int
    mossy_cobblestone: int
    sandstone: int
    sandstone_slab: int
    mushroom_stem: int
    brown_mushroom_block: int


def block_numbers(book: Rulebook) -> dict[str, int]:
    """Return the number of each block id: its place in sorted order."""
    return {name: i for i, name in enumerate(book.blocks)}


def block_ids(book: Rulebook) -> Ids:
    """Return the numbers of the named blocks."""
    number = block_numbers(book)
    return Ids(*(number[name] for name in Ids._fields))


def block_traits(book: Rulebook) -> np.ndarray:
    """Return uint16 [n_blocks]: the trait bits of each block."""
    tagged = {
        SOIL: "dirt",
        STONE: "stone_ore_replaceables",
        DEEPSLATE: "deepslate_ore_replaceables",
        LEAVES: "leaves",
        LOG: "logs",
        PLANT: "replaceable_plants",
        SAND: "sand",
    }
    tags = {bit: book.tag("blocks", name) for bit, name in tagged.items()}
    traits = np.zeros(len(book.blocks), np.uint16)
    for i, (name, block) in enumerate(book.blocks.items()):
        bits = sum(bit for bit, members in tags.items() if name in members)
        if name in ("water", "lava"):
            bits |= FLUID
        if block.solid:
            bits |= SOLID
            grown = bits & (LEAVES | LOG) or name in GROWN
            bits |= 0 if grown else GROUND
            bits |= 0 if name in NO_SNOW else FULL
        traits[i] = bits | (0 if name == "air" else ANY)
    return traits


# Solid, but neither ground to stand on in the sense of the terrain ...
GROWN = frozenset(
    {"lily_pad", "mushroom_stem", "brown_mushroom_block", "red_mushroom_block", "bamboo", "cactus"}
)
# ... nor a surface that snow lies on (the game's tag, and what is no full cube).
NO_SNOW = frozenset(
    {"ice", "packed_ice", "barrier", "lily_pad", "sandstone_slab", "bamboo", "cactus"}
)


@njit(cache=True)
def pack(x, y, z):
    """Return the packed position of a cell inside the box; y is the fastest axis."""
    return ((x + HALF) * SIDE + (z + HALF)) * HEIGHT + (y - MIN_Y)


@njit(cache=True)
def unpack(p):
    """Return (x, y, z) of a packed position."""
    column = p // HEIGHT
    return column // SIDE - HALF, p % HEIGHT + MIN_Y, column % SIDE - HALF


@inner
def inside(x, y, z):
    """Whether a cell lies in the box."""
    return -HALF <= x < SIDE - HALF and -HALF <= z < SIDE - HALF and MIN_Y <= y < MIN_Y + HEIGHT


class Land(NamedTuple):
    """The world while it grows: what every feature is handed.

    Attributes:
        blocks: uint16 [SIDE * SIDE * HEIGHT] by packed position.
        traits: uint16 [n_blocks], trait bits.
        height: int16 [SIDE, SIDE], the bare terrain's first free y.
        ids: numbers of named blocks.
    """

    blocks: np.ndarray
    traits: np.ndarray
    height: np.ndarray
    ids: Ids


@inner
def get(land, x, y, z):
    """Return the block of a cell; air outside the box."""
    return np.int64(land.blocks[pack(x, y, z)]) if inside(x, y, z) else land.ids.air


@inner
def put(land, x, y, z, block):
    """Write a block; a cell outside the box is left out."""
    if inside(x, y, z):
        land.blocks[pack(x, y, z)] = block


@inner
def trait(land, x, y, z, bits):
    """Whether the block of a cell has any of the trait bits."""
    return (land.traits[get(land, x, y, z)] & bits) != 0


@inner
def surface(land, x, z, bits):
    """Return the y above the highest block of a column that has any of the trait bits."""
    for y in range(MIN_Y + HEIGHT - 1, MIN_Y - 1, -1):
        block = np.int64(land.blocks[pack(x, y, z)])
        if (land.traits[block] & bits) != 0:
            return y + 1
    return MIN_Y
