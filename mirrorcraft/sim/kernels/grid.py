"""Blocks of the shared world as the episode sees them: the voxels, with the episode's changes on top."""

import numpy as np

from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, inside, pack
from mirrorcraft.sim.kernels.compiled import inner, kernel
from mirrorcraft.sim.layout import HASH_SLOTS, MAX_CHANGES, NONE

HASH_MASK = np.uint32(HASH_SLOTS - 1)


@inner
def _slot(state, p):
    """Return the hash slot that holds ``p``, or the free one where it belongs (linear probing)."""
    slot = (np.uint32(p) * np.uint32(2654435761) >> np.uint32(7)) & HASH_MASK
    while True:
        i = state.hash_slots[slot]
        if i == 0 or state.change_pos[i - 1] == p:
            return slot
        slot = (slot + np.uint32(1)) & HASH_MASK


@inner
def _untouched(state, p):
    """Return whether the episode has changed nothing in the column of a packed position: the usual case, one bit away."""
    column = p // HEIGHT
    return (state.changed_columns[column >> 6] >> np.uint64(column & 63)) & np.uint64(1) == 0


@kernel
def block_at_packed(voxels, state, p):
    """Return the block index at a packed position."""
    if not _untouched(state, p):
        i = state.hash_slots[_slot(state, p)]
        if i != 0:
            return np.int64(state.change_block[i - 1])
    return np.int64(voxels.blocks[p])


@inner
def stands(state, p, block):
    """Return whether ``block``, which the world has at a packed position, is still there.

    As ``block_at_packed`` says, without a look at the world, which is too large for the processor's caches.
    """
    if _untouched(state, p):
        return True
    i = state.hash_slots[_slot(state, p)]
    return i == 0 or state.change_block[i - 1] == block


@inner
def block_at(voxels, state, x, y, z):
    """Return the block index at a cell, or NONE outside the box."""
    if not inside(x, y, z):
        return NONE
    return block_at_packed(voxels, state, pack(x, y, z))


@kernel
def set_block(state, p, block):
    """Put ``block`` at a packed position; False, and nothing done, when the episode has changed too many blocks."""
    changed = _change(state, p, block)
    state.put_down += changed
    return changed


@inner
def take_out(tables, state, p):
    """Leave air at a packed position; returns as ``set_block``."""
    return _change(state, p, tables.air)


@inner
def _change(state, p, block):
    slot = _slot(state, p)
    i = state.hash_slots[slot]
    if i == 0:
        if state.n_changes == MAX_CHANGES:
            return False
        state.change_pos[state.n_changes] = p
        state.change_block[state.n_changes] = block
        state.n_changes += 1
        state.hash_slots[slot] = state.n_changes
        column = p // HEIGHT
        state.changed_columns[column >> 6] |= np.uint64(1) << np.uint64(column & 63)
    else:
        state.change_block[i - 1] = block
    state.revision += 1
    return True


@inner
def clear_changes(state):
    """Forget all changes; costs in proportion to how many there are."""
    for i in range(state.n_changes):
        state.hash_slots[_slot_of_change(state, i)] = 0
        state.changed_columns[state.change_pos[i] // HEIGHT >> 6] = 0
    state.n_changes, state.revision, state.put_down = 0, 0, 0


@inner
def _slot_of_change(state, i):
    """Return the slot of change ``i`` while others may already be cleared, so without stopping at free slots."""
    slot = (np.uint32(state.change_pos[i]) * np.uint32(2654435761) >> np.uint32(7)) & HASH_MASK
    while state.hash_slots[slot] != i + 1:
        slot = (slot + np.uint32(1)) & HASH_MASK
    return slot


@inner
def solid_at(tables, voxels, state, x, y, z):
    """Return whether a cell stops the body; the border does."""
    b = block_at(voxels, state, x, y, z)
    return b == NONE or tables.solid[b] != 0


@inner
def ground_at(tables, voxels, state, x, z):
    """Return the y of the body's feet when it stands in the open on a column, changes included; trees are looked through."""
    y = np.int64(voxels.ground[x + HALF, z + HALF])
    p = pack(x, y, z)
    if _untouched(state, p):
        return y
    # A change at or below the natural ground moves it: dug out, it falls; built up, it rises.
    while (
        y > MIN_Y + 1
        and not _natural(voxels, state, p - 1)
        and tables.solid[block_at_packed(voxels, state, p - 1)] == 0
    ):
        y -= 1
        p -= 1
    while (
        y < MIN_Y + HEIGHT - 2
        and not _natural(voxels, state, p)
        and tables.solid[block_at_packed(voxels, state, p)] != 0
    ):
        y += 1
        p += 1
    return y


@inner
def _natural(voxels, state, p):
    """Return whether the episode has left a cell as it was."""
    return state.hash_slots[_slot(state, p)] == 0
