"""mine, prepare_access, collect, ascend: getting at blocks, and getting back."""

import numpy as np

from mirrorcraft.sim.blocks import unpack
from mirrorcraft.sim.kernels.breaking import PAUSE, break_block, clear_cell
from mirrorcraft.sim.kernels.compiled import inner
from mirrorcraft.sim.kernels.grid import block_at_packed, solid_at
from mirrorcraft.sim.kernels.inventory import give, remove_drop
from mirrorcraft.sim.kernels.recording import broken, collected
from mirrorcraft.sim.kernels.search import FIRST, distance2, nearest
from mirrorcraft.sim.kernels.tools import NEVER, best_tool, suits
from mirrorcraft.sim.kernels.travel import (
    NO_WAY,
    TOO_MANY,
    approach,
    go,
    pillar,
    plan,
    scaffold_owned,
    surface,
    to_clear,
    walk_to,
)  # fmt: skip
from mirrorcraft.sim.layout import LOG, NONE, Code

OK, PARTIAL, NOT_FOUND, BLOCKED, NEEDS_TOOL, PICKUP_FAILED, INVENTORY_FULL, OUT_OF_RANGE, NO_SCAFFOLD = (
    np.int64(Code.OK), np.int64(Code.PARTIAL), np.int64(Code.NOT_FOUND), np.int64(Code.BLOCKED), np.int64(Code.NEEDS_TOOL),
    np.int64(Code.PICKUP_FAILED), np.int64(Code.INVENTORY_FULL), np.int64(Code.OUT_OF_RANGE), np.int64(Code.NO_SCAFFOLD),
)  # fmt: skip
NOWHERE = np.int64(-2)  # no such block is near, while NONE means that there are some, out of reach
CANDIDATES = 8  # how many of the nearest blocks are tried before the way counts as blocked


@inner
def can_harvest(tables, state, block):
    """Return whether an owned tool, or the hand, makes a block drop."""
    if suits(tables, block, NONE):
        return True
    for t in range(state.n_tools):
        if suits(tables, block, np.int64(state.tool_item[t])):
            return True
    return False


@inner
def reachable(tables, voxels, state, target, limit, soft):
    """Return (packed position, way) of the nearest wanted block that can be got at; NONE or NOWHERE for none.

    Args:
        target: block index or LOG.
        limit, soft: as for ``plan``.

    The nearest is nearly always the answer; the others are asked for one by one.
    """
    p, d = FIRST, FIRST
    for tried in range(CANDIDATES):
        p = nearest(tables, voxels, state, target, d, p)
        if p == NONE:
            return NOWHERE if tried == 0 else NONE, NO_WAY
        x, y, z = unpack(p)
        way = plan(tables, voxels, state, x, y, z, limit, soft)
        if way != NO_WAY:
            return p, way
        d = distance2(state, p)
    return NONE, NO_WAY


@inner
def mine(tables, voxels, state, action):
    """Break the nearest reachable blocks of a kind, and take what they drop."""
    target = np.int64(action.target)
    if target != LOG and not can_harvest(tables, state, target):
        state.detail = target
        return NEEDS_TOOL
    why, full = NOT_FOUND, False
    while state.number < action.number:
        p, way = reachable(tables, voxels, state, target, tables.max_clear, tables.soft_ticks)
        if p < 0:
            why = NOT_FOUND if p == NOWHERE else BLOCKED
            break
        block = block_at_packed(voxels, state, p)
        x, y, z = unpack(p)
        go(tables, voxels, state, x, y, z, tables.max_clear, tables.soft_ticks, way)
        if (
            block_at_packed(voxels, state, p) != block
        ):  # it fell off while the way was cleared, and was taken
            broken(state, block)
            state.number += 1
            continue
        tool, ticks = best_tool(tables, state, block)
        if ticks >= NEVER or not (suits(tables, block, NONE) or can_harvest(tables, state, block)):
            why = BLOCKED
            break
        if tool != NONE:
            state.hand = state.tool_item[tool]
        state.tick += ticks + (PAUSE if ticks > 0 else 0)
        fitted = break_block(tables, voxels, state, p, tool)
        if block_at_packed(voxels, state, p) == block:  # the episode may change no more blocks
            why = BLOCKED
            break
        broken(state, block)
        state.number += 1
        _step_in(tables, voxels, state, x, y, z)
        if not fitted:
            full = True
            break
    if full:
        return INVENTORY_FULL if state.n_collected > 0 else PICKUP_FAILED
    if state.number == action.number:
        return OK
    return PARTIAL if state.number > 0 else why


@inner
def _step_in(tables, voxels, state, x, y, z):
    """Fall into the cell of a block broken under the feet; from below or beside, the drop comes to the body."""
    if (
        state.x == x
        and state.z == z
        and state.y == y + 1
        and not solid_at(tables, voxels, state, x, y, z)
    ):
        walk_to(tables, state, x, y, z)


@inner
def prepare_access(tables, voxels, state, action):
    """Dig a way to the nearest such block, so that ``mine`` or a station can reach it. Harvests nothing on purpose."""
    limit, soft, before = tables.access_blocks, tables.access_ticks, state.n_changes
    p, way = reachable(tables, voxels, state, np.int64(action.target), limit, soft)
    if p < 0:
        return NOT_FOUND if p == NOWHERE else BLOCKED
    x, y, z = unpack(p)
    go(tables, voxels, state, x, y, z, limit, soft, way)
    state.number, state.made_count = 1, state.n_changes - before
    return OK


@inner
def collect(tables, voxels, state, action):
    """Pick up the nearest heap of an item."""
    best, best2, exists = NONE, tables.collect_radius * tables.collect_radius + 1, False
    for i in range(state.n_drops):
        if state.drop_item[i] == action.target:
            exists = True
            d = distance2(state, np.int64(state.drop_pos[i]))
            if d < best2:
                best, best2 = i, d
    if best == NONE:
        return OUT_OF_RANGE if exists else NOT_FOUND
    x, y, z = unpack(np.int64(state.drop_pos[best]))
    if not approach(tables, voxels, state, x, y, z):
        return PICKUP_FAILED
    count = np.int64(state.drop_count[best])
    given = give(tables, state, np.int64(action.target), count)
    collected(state, np.int64(action.target), given)
    if given == 0:
        return INVENTORY_FULL
    state.number = given
    if given < count:
        state.drop_count[best] -= given
        return PARTIAL
    remove_drop(state, best)
    return OK


@inner
def ascend(tables, voxels, state, action):
    """Rise by pillars of disposable blocks, or, for height 0, dig and climb to the open ground."""
    if action.number == 0:
        was = np.int64(state.y)
        if surface(tables, voxels, state, tables.access_blocks, tables.access_ticks) >= TOO_MANY:
            return BLOCKED
        state.number, state.made_count = 1, state.y - was
        return OK
    if scaffold_owned(tables, state) < action.number:
        return NO_SCAFFOLD
    for k in range(2, action.number + 2):
        if (
            to_clear(tables, voxels, state, state.x, state.y + k, state.z, tables.soft_ticks)
            >= TOO_MANY
        ):
            return BLOCKED
    for k in range(2, action.number + 2):
        clear_cell(tables, voxels, state, state.x, state.y + k, state.z)
    pillar(tables, voxels, state, np.int64(action.number))
    state.number, state.made_count = 1, action.number
    return OK
