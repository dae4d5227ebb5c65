"""The nearest blocks, searched by sections, against a look at every cell within the radius."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numba import njit

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.batch import Batch
from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, pack
from mirrorcraft.sim.kernels.inventory import give
from mirrorcraft.sim.kernels.search import FIRST, distance2, nearest
from mirrorcraft.sim.layout import LOG, NONE, one_row
from mirrorcraft.sim.voxels import assemble

LIST = 8


@njit
def search(tables, voxels, states, target, found):
    """Fill ``found`` with the nearest blocks, one after the other; return how many there are."""
    p, d = FIRST, FIRST
    for n in range(found.size):
        p = nearest(tables[0], voxels[0], states[0], target, d, p)
        if p == NONE:
            return n
        found[n], d = p, distance2(states[0], p)
    return found.size


@njit
def supply(tables, states, item, count):
    give(tables[0], states[0], item, count)


def by_looking(batch: Any, target: int) -> list[int]:
    """Return the packed positions of the nearest blocks, nearest first, the lower one of equals."""
    voxels, state, tables = batch.voxels[0], batch.states[0], batch.tables[0]
    blocks, reach = np.array(voxels.blocks), int(tables.search_radius)
    blocks[state.change_pos[: state.n_changes]] = state.change_block[: state.n_changes]
    body = np.array([state.x + HALF, state.z + HALF, state.y - MIN_Y])
    low = np.maximum(body - reach, 0)
    x1, z1, y1 = body + reach + 1
    box = blocks.reshape(SIDE, SIDE, HEIGHT)[low[0] : x1, low[1] : z1, low[2] : y1]
    wanted = tables.trunk[box] != 0 if target == LOG else box == target
    cells = np.argwhere(wanted) + low
    far = ((cells - body) ** 2).sum(axis=1)
    packed = np.asarray(np.ravel_multi_index(tuple(cells.T), (SIDE, SIDE, HEIGHT)))
    order = np.lexsort((packed, far))
    return [int(packed[i]) for i in order if far[i] <= reach * reach][:LIST]


@pytest.mark.parametrize(("across", "within"), [*permutations(range(3), 2)])
def test_of_two_blocks_as_far_off_the_lower_is_the_nearest(across: int, within: int):
    """The body stands four cells from the section below it on one axis; a block just there, one in its own section."""
    batch = Batch(World.load("plains-a"), Rulebook.vanilla("1.19"), Task.load("diamond"), 1)
    ore, body = batch.names.block["coal_ore"], np.array([83, 83, 99])
    cells = []
    for axis, step in ((across, -4), (within, 4)):
        x, z, y = body + step * (np.arange(3) == axis)
        cells.append(int(pack(x - HALF, y + MIN_Y, z - HALF)))
    blocks = np.full(SIDE * SIDE * HEIGHT, batch.names.block["air"], np.uint16)
    blocks[cells] = ore
    voxels = one_row(assemble(blocks, np.empty((0, 5), np.int32), "a test", InputError))
    state, found = batch.states[0], np.empty(LIST, np.int64)
    state.x, state.z, state.y = body - [HALF, HALF, -MIN_Y]
    assert search(batch.tables, voxels, batch.states, np.int64(ore), found) == 2
    assert found[:2].tolist() == sorted(cells)


@pytest.mark.parametrize("world", ["plains-a", "savanna-b"])
def test_the_nearest_blocks_are_those_that_looking_everywhere_finds(world: str):
    batch = Batch(World.load(world), Rulebook.vanilla("1.19"), Task.load("diamond"), 1)
    names: Any = batch.names
    for item, count in (("diamond_pickaxe", 2), ("oak_log", 64), ("cobblestone", 64)):
        supply(batch.tables, batch.states, names.item[item], count)
    block = names.block
    targets = [LOG, block["stone"], block["oak_leaves"], block["coal_ore"], block["cobblestone"]]
    found, places = np.empty(LIST, np.int64), set()
    for _ in range(40):
        batch.play_at_random(1)
        for target in targets:
            n = search(batch.tables, batch.voxels, batch.states, np.int64(target), found)
            assert found[:n].tolist() == by_looking(batch, target)
        places.add((int(batch.states[0].x), int(batch.states[0].z)))
    assert len(places) > 1  # the body got about
