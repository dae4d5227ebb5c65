"""Breaking one block, or killing one mob: what it yields, and where that goes."""

import numpy as np

from mirrorcraft.sim.blocks import HEIGHT, inside, pack
from mirrorcraft.sim.draws import BREAK, draw
from mirrorcraft.sim.kernels.compiled import ONE, TWO, ZERO, inner, kernel
from mirrorcraft.sim.kernels.grid import block_at_packed, take_out
from mirrorcraft.sim.kernels.inventory import drop, enchant_level, give, wear
from mirrorcraft.sim.kernels.recording import collected, record
from mirrorcraft.sim.kernels.tools import best_tool, suits
from mirrorcraft.sim.layout import ENCHANT_CONTEXTS, NONE, EventKind, ToolClass

BROKE = np.int64(EventKind.BREAK)
SWORD = np.int64(ToolClass.SWORD)
# After a block that takes time the game waits five ticks before the next one can be hit (destroyDelay).
PAUSE = 6
LEAVES_NOTHING = 2  # in ``needs_below``: a snow layer, which drops for players only
SILK = ENCHANT_CONTEXTS - 1
NATURAL = NONE  # "tool" of a block that falls off by itself


@kernel
def context(tables, state, tool):
    """Return the loot context of tool entry ``tool``: which tools tables ask for, silk touch, else the fortune level."""
    if tool == NONE:
        return 0
    enchants = SILK if enchant_level(state, tool, tables.silk_touch) > 0 else min(
        np.int64(enchant_level(state, tool, tables.fortune)), SILK - 1
    )  # fmt: skip
    return tables.tool_group[state.tool_item[tool]] * ENCHANT_CONTEXTS + enchants


@kernel
def roll(tables, state, table, where, event, p):
    """Draw every pool of a loot table once and take what comes, or leave it at ``p``; return whether all fitted.

    Each pool has a draw of its own, so a pool more in a Mirror world leaves the luck of the others alone.
    """
    fitted = True
    for pool in range(tables.pools_of[table], tables.pools_of[table + 1]):
        row = np.int64(tables.pool_rows[pool, where])
        u = draw(state.seed, event, pool - tables.pools_of[table])
        while tables.row_last[row] == 0 and u >= tables.row_threshold[row]:
            row += 1
        for k in range(4):
            count = np.int64(tables.row_counts[row, k])
            if count > 0:
                item = np.int64(tables.row_items[row, k])
                given = give(tables, state, item, count)
                collected(state, item, given)
                if given < count:
                    drop(state, item, count - given, p)
                    fitted = False
    return fitted


@inner
def break_block(tables, voxels, state, p, tool):
    """Break the block at a packed position with tool entry ``tool``; return whether all it dropped was picked up.

    Time passes, the tool wears, the event is reported, and whatever grew on the block comes off with it.
    """
    block = block_at_packed(voxels, state, p)
    if not take_out(tables, state, p):
        return False
    item = NONE if tool == NONE else np.int64(state.tool_item[tool])
    fitted = True
    if suits(tables, block, item):
        record(
            state,
            BROKE,
            block,
            item,
            ZERO if tool == NONE else _packed_enchants(tables, state, tool),
            ZERO,
        )
        if tables.block_loot[block] != NONE:
            fitted = roll(
                tables,
                state,
                np.int64(tables.block_loot[block]),
                context(tables, state, tool),
                BREAK + np.int64(p),
                p,
            )
    if tool != NONE and tables.hardness[block] > 0:
        wear(tables, state, tool, TWO if tables.tool_class[item] == SWORD else ONE)
    if tables.station_of[block] != NONE:
        _forget_station(tables, state, p)
    if (p + 1) % HEIGHT != 0 and tables.needs_below[block_at_packed(voxels, state, p + 1)] != 0:
        fitted = _fall_off(tables, voxels, state, p + 1) and fitted
    return fitted


@inner
def _fall_off(tables, voxels, state, p):
    """Break the plants above a block that is gone, each by itself (a stem of sugar cane cell by cell)."""
    fitted = True
    while tables.needs_below[block_at_packed(voxels, state, p)] != 0:
        block = block_at_packed(voxels, state, p)
        if not take_out(tables, state, p):
            return False
        if tables.needs_below[block] == LEAVES_NOTHING:
            return fitted
        record(state, BROKE, block, NONE, ZERO, ONE)
        if tables.block_loot[block] != NONE:
            fitted = (
                roll(
                    tables, state, np.int64(tables.block_loot[block]), ZERO, BREAK + np.int64(p), p
                )
                and fitted
            )
        p += 1
        if p % HEIGHT == 0:
            break
    return fitted


@inner
def _packed_enchants(tables, state, tool):
    """Return silk touch and fortune of a tool as the evaluator reads them: silk << 4 | fortune."""
    return enchant_level(state, tool, tables.silk_touch) << 4 | enchant_level(
        state, tool, tables.fortune
    )


@inner
def _forget_station(tables, state, p):
    """Take a broken station off the list, what it held falls down."""
    for i in range(state.n_stations):
        if state.station_pos[i] == p:
            if state.out_count[i] > 0:
                drop(state, np.int64(state.out_item[i]), np.int64(state.out_count[i]), p)
            last = state.n_stations - 1
            state.station_kind[i] = state.station_kind[last]
            state.station_pos[i] = state.station_pos[last]
            state.burn_end[i] = state.burn_end[last]
            state.out_item[i] = state.out_item[last]
            state.out_count[i] = state.out_count[last]
            state.n_stations = last
            return


@inner
def clear_cell(tables, voxels, state, x, y, z):
    """Break whatever solid block is in a cell of the box, with the best owned tool, and take what it drops."""
    if not inside(x, y, z):
        return
    p = pack(x, y, z)
    block = block_at_packed(voxels, state, p)
    if tables.solid[block] == 0:
        return
    tool, ticks = best_tool(tables, state, block)
    state.tick += ticks + (PAUSE if ticks > 0 else 0)
    break_block(tables, voxels, state, p, tool)
