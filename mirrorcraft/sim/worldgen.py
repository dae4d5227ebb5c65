"""From a spec and a seed to blocks and animals, in the game's order.

Left out: caves, carvers, aquifers, geodes, springs, lava lakes, glow lichen, magma, vines, bamboo,
cocoa and bee nests. Grass and flower counts that the game takes from a fixed noise are constants.
Nothing grows into the box from outside it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.core.biome import BiomeSpec, Disk, Grove, Ore, Placement, Plants, vanilla_features
from mirrorcraft.core.errors import BiomeError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.blocks import (
    CHUNK,
    FLUID,
    GROUND,
    HEIGHT,
    SIDE,
    SOLID,
    Land,
    block_ids,
    block_numbers,
    block_traits,
    get,
    inner,
    inside,
    surface,
    trait,
)
from mirrorcraft.sim.features import (
    ON,
    DiskRow,
    PlantRow,
    freeze_top,
    place_boulders,
    place_disks,
    place_lakes,
    place_mushrooms,
    place_plants,
    place_spikes,
    place_wells,
)
from mirrorcraft.sim.noise import Fork, below, position_state, unit
from mirrorcraft.sim.ores import Vein, place_veins
from mirrorcraft.sim.placement import CHUNKS, MARGIN, origins
from mirrorcraft.sim.terrain import fill, terrain_noise
from mirrorcraft.sim.trees import SHAPES, GroveRow, place_trees

MAX_MOBS = 192
# Animals are drawn into a larger room first, so that too many are an error and not a cut.
DRAWN_MOBS = 4096
LANDMARKS: dict[str, Callable[..., None]] = {
    "lake": place_lakes,
    "forest_rock": place_boulders,
    "huge_brown_mushroom": place_mushrooms,
    "ice_spike": place_spikes,
    "desert_well": place_wells,
}


class Grown(NamedTuple):
    """A world as generated.

    Attributes:
        blocks: uint16 [SIDE * SIDE * HEIGHT] by packed position.
        mobs: int32 [n, 5]: entity number, x, y, z, variant (a sheep's colour, else 0).
    """

    blocks: np.ndarray
    mobs: np.ndarray


def grow(spec: BiomeSpec, seed: int) -> Grown:
    """Return the world of a spec and a signed 64-bit seed: same arguments, same bytes.

    Raises:
        BiomeError: the spec asks for more animals than a world may hold.
    """
    book = Rulebook.vanilla("1.19")
    number = block_numbers(book)
    noise = terrain_noise(spec, seed)
    blocks = np.zeros(SIDE * SIDE * HEIGHT, np.uint16)
    patches = np.array([(number[p.block], p.low, p.high) for p in spec.terrain.patches]).reshape(
        -1, 3
    )
    height = fill(spec, noise, block_ids(book), patches, blocks)
    land = Land(blocks, block_traits(book), height, block_ids(book))
    grower = Grower.of(spec, land, noise.root)
    lakes = [p for p in spec.ecology.features if p.feature == "lake"]
    for placement in lakes:
        grower.feature(placement)
    for ore in spec.ores:
        grower.ore(ore)
    for placement in spec.ecology.features:
        if placement not in lakes:
            grower.feature(placement)
    if spec.ecology.frozen:
        freeze_top(land)
    return Grown(blocks, _mobs(spec, land, noise.root, book))


class Grower(NamedTuple):
    """Puts ores and features into a land.

    Attributes:
        land: what they are put into.
        namespace: of the spec; with a placement's name it decides the luck.
        root: the world's fork.
        number: block numbers by id.
    """

    land: Land
    namespace: str
    root: Fork
    number: dict[str, int]

    @classmethod
    def of(cls, spec: BiomeSpec, land: Land, root: Fork) -> "Grower":
        """Return the grower of a spec's world."""
        return cls(land, spec.namespace, root, block_numbers(Rulebook.vanilla("1.19")))

    def ore(self, ore: Ore) -> None:
        """Place the veins of an ore."""
        name = f"{self.namespace}:{ore.id}"
        block = self.number[ore.block]
        deep = self.number[ore.deepslate or ore.block]
        luck = self.root.named(name + "/discard").fork().words
        vein = Vein(block, deep, ore.size, *ore.y, int(ore.trapezoid), ore.discard, luck)
        place_veins(self.land, *origins(ore, name, self.root), vein)

    def feature(self, placement: Placement) -> None:
        """Place a feature wherever its odds say."""
        name = f"{self.namespace}:{placement.name}"
        self.place_at(placement.feature, *origins(placement, name, self.root))

    def place_at(self, feature: str, xz: np.ndarray, states: np.ndarray) -> None:
        """Place a feature at given columns (int64 [n, 2]), each with its stream (uint64 [n, 2])."""
        known = vanilla_features()
        if feature in LANDMARKS:
            LANDMARKS[feature](self.land, xz, states)
        elif feature in known.plants:
            place_plants(self.land, xz, states, self._plants(known.plants[feature]))
        elif feature in known.disks:
            place_disks(self.land, xz, states, self._disk(known.disks[feature]))
        else:
            place_trees(self.land, xz, states, self._grove(known.groves[feature]))

    def _plants(self, plants: Plants) -> PlantRow:
        each = np.array(
            [self.number[b] for b, weight in plants.blocks.items() for _ in range(weight)]
        )
        spread = (plants.tries, plants.xz_spread, plants.y_spread)
        return PlantRow(each, *spread, ON.index(plants.on), *plants.height)

    def _disk(self, disk: Disk) -> DiskRow:
        into = np.zeros(len(self.number), np.bool_)
        into[[self.number[b] for b in disk.into]] = True
        return DiskRow(
            self.number[disk.block], into, *disk.radius, disk.half_height, int(disk.underwater)
        )

    def _grove(self, grove: Grove) -> GroveRow:
        number, trees = self.number, [vanilla_features().trees[name] for name in grove.trees]
        rows = [
            (SHAPES.index(t.shape), number[t.log], number[t.leaves], *t.height, *t.room)
            for t in trees
        ]
        return GroveRow(np.array(rows, np.int64), np.array(grove.chances, np.float64))


def _mobs(spec: BiomeSpec, land: Land, root: Fork, book: Rulebook) -> np.ndarray:
    number = {name: i for i, name in enumerate(book.entities)}
    creatures = spec.ecology.creatures
    table = np.array([(number[c.entity], c.weight, *c.group) for c in creatures], np.int64).reshape(
        -1, 4
    )
    fork = root.named(f"{spec.namespace}:creatures").fork().words
    mobs = _populate(land, fork, table, spec.ecology.creature_probability, number["sheep"])
    if len(mobs) > MAX_MOBS:
        place = "ecology.creature_probability"
        raise BiomeError(
            spec.id,
            place,
            spec.ecology.creature_probability,
            f"at most {MAX_MOBS} animals in a world",
        )
    return mobs


@njit(cache=True)
def _populate(land, fork, table, probability, sheep):
    """Draw groups for every chunk until the chance fails, and settle their animals."""
    mobs = np.empty((DRAWN_MOBS, 5), np.int32)
    n, weights = 0, 0
    for kind in range(table.shape[0]):
        weights += table[kind, 1]
    for cx in range(-MARGIN, CHUNKS - MARGIN):
        for cz in range(-MARGIN, CHUNKS - MARGIN):
            state = position_state(fork, cx, 0, cz)
            while weights > 0 and unit(state) < probability:
                pick, kind = below(state, weights), 0
                while pick >= table[kind, 1]:
                    pick -= table[kind, 1]
                    kind += 1
                size = table[kind, 2] + below(state, table[kind, 3] - table[kind, 2] + 1)
                x0, z0 = cx * CHUNK + below(state, CHUNK), cz * CHUNK + below(state, CHUNK)
                for _ in range(size):
                    n = _settle(land, mobs, n, state, table[kind, 0], x0, z0, sheep)
    return mobs[:n].copy()


@inner
def _settle(land, mobs, n, state, entity, x0, z0, sheep):
    """Put an animal on grass near its group's place if four tries find room; return the count."""
    for _ in range(4):
        x = x0 + below(state, 5) - below(state, 5)
        z = z0 + below(state, 5) - below(state, 5)
        if n == DRAWN_MOBS or not inside(x, 0, z):
            continue
        y = surface(land, x, z, GROUND | FLUID)
        clear = not trait(land, x, y, z, SOLID | FLUID) and not trait(
            land, x, y + 1, z, SOLID | FLUID
        )
        if clear and get(land, x, y - 1, z) == land.ids.grass_block:
            mobs[n, 0], mobs[n, 1], mobs[n, 2], mobs[n, 3] = entity, x, y, z
            mobs[n, 4] = _fleece(state) if entity == sheep else 0
            return n + 1
    return n


@inner
def _fleece(state):
    """Return a sheep's colour in the order of the dyes, with the game's odds."""
    roll = below(state, 100)
    if roll < 5:
        return 15  # black
    if roll < 10:
        return 7  # gray
    if roll < 15:
        return 8  # light gray
    if roll < 18:
        return 12  # brown
    return 6 if below(state, 500) == 0 else 0  # pink or white
