"""Crafting: which recipe a grid makes, and one submission of it."""

import numpy as np

from mirrorcraft.sim.blocks import pack
from mirrorcraft.sim.kernels.compiled import ZERO, inner, kernel
from mirrorcraft.sim.kernels.inventory import drop, give, room, slots_for, take
from mirrorcraft.sim.kernels.recording import record
from mirrorcraft.sim.kernels.stations import reach_station
from mirrorcraft.sim.layout import NONE, SLOTS, Code, EventKind, Station

CRAFTING_TABLE = np.int64(Station.CRAFTING_TABLE)
OK, MISSING_ITEM, NO_RESULT, INVENTORY_FULL = (
    np.int64(Code.OK), np.int64(Code.MISSING_ITEM), np.int64(Code.NO_RESULT), np.int64(Code.INVENTORY_FULL),
)  # fmt: skip
CRAFT = np.int64(EventKind.CRAFT)
AS_IS, MIRRORED = np.int64(0), np.int64(1)  # how a pattern is laid


@inner
def accepts(tables, ingredient, item):
    """Return whether an ingredient takes an item."""
    only = tables.only_item[ingredient]
    if only != NONE:
        return only == item
    return (tables.accepts[ingredient, item >> 3] >> (item & 7)) & 1 != 0


@kernel
def match(tables, action):
    """Return the recipe that a grid makes, or NONE.

    A shaped recipe also matches mirrored left to right. Of several recipes the first in the game's order wins: the
    candidates of an item, those of so many cells that it can come first in, are kept in that order.
    """
    first = action.grid[0]
    k = 1
    while first == NONE:
        first = action.grid[k]
        k += 1
    at = np.int64(first) * 9 + action.n_cells - 1
    for c in range(tables.candidates_of[at], tables.candidates_of[at + 1]):
        r = np.int64(tables.candidates[c])
        if tables.shaped[r] != 0:
            if tables.mask[r] == action.mask and _fits(tables, r, action, AS_IS):
                return r
            if tables.mirror_mask[r] == action.mask and _fits(tables, r, action, MIRRORED):
                return r
        elif _covers(tables, r, action):
            return r
    return NONE


@inner
def _fits(tables, r, action, side):
    """Return whether every occupied cell suits a shaped recipe whose mask is already known to fit."""
    for k in range(9):
        if action.grid[k] != NONE:
            at = k + action.width - 1 - 2 * (k % 3) if side == MIRRORED else k
            if not accepts(tables, tables.cells[r, at], action.grid[k]):
                return False
    return True


@inner
def _covers(tables, r, action):
    """Return whether items and ingredients of a shapeless recipe can be paired one to one.

    ``reached`` holds which sets of ingredients the items so far can use up: greedy pairing fails with overlapping tags.
    """
    n = np.int64(action.n_cells)
    if n == 1:
        return accepts(tables, tables.cells[r, 0], action.grid[0])
    reached = np.zeros(1 << n, np.bool_)
    reached[0] = True
    for i in range(9):
        if action.grid[i] == NONE:
            continue
        after = np.zeros(1 << n, np.bool_)
        for s in range(1 << n):
            if reached[s]:
                for k in range(n):
                    if (s >> k) & 1 == 0 and accepts(tables, tables.cells[r, k], action.grid[i]):
                        after[s | (1 << k)] = True
        reached = after
    return reached[(1 << n) - 1]


@inner
def craft_grid(tables, voxels, state, action):
    """Submit one grid. Either one craft happens, or the state stays as it was but for the way to the table."""
    for i in range(action.n_needs):
        if state.counts[action.need_item[i]] < action.need_count[i]:
            state.detail = action.need_item[i]
            return MISSING_ITEM
    if action.station == CRAFTING_TABLE:
        code, _ = reach_station(tables, voxels, state, CRAFTING_TABLE)
        if code != OK:
            return code
    record(state, CRAFT, ZERO, ZERO, ZERO, ZERO)
    r = match(tables, action)
    return NO_RESULT if r == NONE else make(tables, state, action, r)


@inner
def make(tables, state, action, r):
    """Turn the ingredients of a grid, all owned, into the result of recipe ``r``, if that fits."""
    result, count = np.int64(tables.result[r]), np.int64(tables.result_count[r])
    if room(tables, state, result) < count and not _fits_after(
        tables, state, action, result, count
    ):
        return INVENTORY_FULL
    for i in range(action.n_needs):
        take(tables, state, np.int64(action.need_item[i]), np.int64(action.need_count[i]))
    given = give(tables, state, result, count)
    if given < count:
        drop(state, result, count - given, pack(state.x, state.y, state.z))
    for i in range(action.n_needs):
        left = np.int64(tables.remainder[action.need_item[i]])
        if left != NONE:
            count_left = np.int64(action.need_count[i])
            given = give(tables, state, left, count_left)
            if given < count_left:
                drop(state, left, count_left - given, pack(state.x, state.y, state.z))
    state.made_item, state.made_count, state.number = result, count, 1
    return OK


@inner
def _fits_after(tables, state, action, result, count):
    """Return whether the result fits into the slots that the ingredients leave."""
    freed = 0
    for i in range(action.n_needs):
        item, n = np.int64(action.need_item[i]), np.int64(action.need_count[i])
        have = np.int64(state.counts[item])
        freed += slots_for(tables, item, have) - slots_for(tables, item, have - n)
    stack, have = np.int64(tables.stack[result]), np.int64(state.counts[result])
    return (SLOTS - state.occupied + freed) * stack + (stack - have % stack) % stack >= count
