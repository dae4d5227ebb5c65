"""How the body gets to a cell: over the open ground, or by digging, in closed form and always through real blocks.

There is no path search. A target in the open is walked to; a buried one is dug down to from above, or tunnelled to
from where the body is, whichever clears fewer blocks. The same loop plans a tunnel (COUNT: how many blocks are in it)
and digs it.
"""

import numpy as np

from mirrorcraft.sim.blocks import HEIGHT, MIN_Y, inside, pack, unpack
from mirrorcraft.sim.kernels.breaking import clear_cell
from mirrorcraft.sim.kernels.compiled import ONE, ZERO, inner
from mirrorcraft.sim.kernels.grid import block_at, ground_at, set_block
from mirrorcraft.sim.kernels.inventory import take
from mirrorcraft.sim.kernels.tools import best_tool
from mirrorcraft.sim.layout import NONE

# A way is the packed cell beside the target that is walked to over open ground, or one of these.
NO_WAY, DOWN, UNDER = np.int64(-1), np.int64(-2), np.int64(-3)  # down from the open, or by a tunnel
COUNT, CLEAR = np.int64(0), np.int64(1)  # what a tunnel is looked at for: planning, or digging it
TOO_MANY = np.int64(1 << 20)  # "blocks to clear" on a way that does not exist
REACH_UP, REACH_DOWN = (
    5,
    3,
)  # cells above and below the feet that a reach of 4.5 blocks covers beside the body
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@inner
def outdoors(tables, voxels, state):
    """Return whether the body can walk off over open ground: it stands on it, or can step out of a dip."""
    ground = ground_at(tables, voxels, state, state.x, state.z)
    if state.y < ground:
        return False
    for dx, dz in SIDES:
        x, z = state.x + dx, state.z + dz
        if inside(x, state.y, z) and ground_at(tables, voxels, state, x, z) <= state.y + 1:
            return True
    return False


@inner
def to_clear(tables, voxels, state, x, y, z, soft):
    """Return how many blocks stand in a cell (0 or 1), or TOO_MANY when it cannot be dug within ``soft`` ticks."""
    b = block_at(voxels, state, x, y, z)
    if b == NONE:  # the border
        return TOO_MANY
    if tables.solid[b] == 0:
        return 0
    if tables.station_of[b] != NONE:  # no body digs through its own furnace
        return TOO_MANY
    _, ticks = best_tool(tables, state, b)
    return 1 if ticks <= soft else TOO_MANY


@inner
def plan(tables, voxels, state, tx, ty, tz, limit, soft):
    """Find the way to where the block at (tx, ty, tz) can be broken or used.

    Args:
        limit: most blocks that may be cleared.
        soft: most ticks that one of them may take with the owned tools.

    Returns:
        the way on which fewer blocks are to be cleared, over ground if there is a choice; NO_WAY for none.
    """
    over, way = TOO_MANY, NO_WAY
    if outdoors(tables, voxels, state):
        over, way = _over_ground(tables, voxels, state, tx, ty, tz, limit, soft)
        if over == 0:
            return way
    under = _tunnel(tables, voxels, state, tx, ty, tz, min(limit, over), soft, COUNT)
    if min(over, under) > limit:
        return NO_WAY
    return way if over <= under else UNDER


@inner
def go(tables, voxels, state, tx, ty, tz, limit, soft, way):
    """Go a way that ``plan`` found under the same limits, clearing what is in it."""
    if way == UNDER:
        _tunnel(tables, voxels, state, tx, ty, tz, limit, soft, CLEAR)
    elif way == DOWN:
        own = ground_at(tables, voxels, state, tx, tz)
        walk_to(tables, state, tx, own, tz)
        for y in range(own - 1, ty, -1):
            clear_cell(tables, voxels, state, tx, y, tz)
        walk_to(tables, state, tx, ty + 1, tz)
    else:
        x, y, z = unpack(way)
        walk_to(tables, state, x, y, z)
        clear_cell(tables, voxels, state, x, y + 1, z)
        clear_cell(tables, voxels, state, x, y, z)


@inner
def approach(tables, voxels, state, tx, ty, tz):
    """Go to a block or mob as ``mine`` does; return whether there is a way. Nothing changes when there is none."""
    way = plan(tables, voxels, state, tx, ty, tz, tables.max_clear, tables.soft_ticks)
    if way == NO_WAY:
        return False
    go(tables, voxels, state, tx, ty, tz, tables.max_clear, tables.soft_ticks, way)
    return True


@inner
def walk_to(tables, state, x, y, z):
    """Put the body on a cell; the way there takes its time."""
    dx, dy, dz = np.float64(x - state.x), np.float64(y - state.y), np.float64(z - state.z)
    state.tick += np.int64(np.ceil(np.sqrt(dx * dx + dy * dy + dz * dz) / tables.blocks_per_tick))
    state.x, state.y, state.z = x, y, z


@inner
def _over_ground(tables, voxels, state, tx, ty, tz, limit, soft):
    """Return (blocks to clear, way): to a column beside the target, or onto its own column and down to it."""
    own = ground_at(tables, voxels, state, tx, tz)
    bx, by, bz, cost, far = ZERO, ZERO, ZERO, TOO_MANY, ZERO
    for dx, dz in SIDES:
        x, z = tx + dx, tz + dz
        if not inside(x, ty, z):
            continue
        y = ground_at(tables, voxels, state, x, z)
        # A target under its own ground shows its side only where the ground beside it is no higher.
        if (ty >= own and -REACH_DOWN <= ty - y <= REACH_UP) or (
            ty < own and y <= ty <= y + REACH_UP
        ):
            n = to_clear(tables, voxels, state, x, y, z, soft) + to_clear(
                tables, voxels, state, x, y + 1, z, soft
            )
            d = (x - state.x) ** 2 + (z - state.z) ** 2
            if n < cost or (n == cost and d < far):
                bx, by, bz, cost, far = x, y, z, n, d
    if cost > 0 and ty < own:
        dig = ZERO
        for y in range(own - 1, ty, -1):
            dig += to_clear(tables, voxels, state, tx, y, tz, soft)
            if dig > limit:
                dig = TOO_MANY
                break
        if dig < cost:
            return dig, DOWN
    return cost, pack(bx, by, bz)


@inner
def _tunnel(tables, voxels, state, tx, ty, tz, limit, soft, doing):
    """Dig a passage two blocks high from the body towards the target, a step up or down with every step along.

    The last cell of the passage is the one beside (or above, or two below) the target.
    """
    x, y, z = np.int64(state.x), np.int64(state.y), np.int64(state.z)
    cleared = ZERO
    while True:
        dx, dy, dz = tx - x, ty - y, tz - z
        flat = abs(dx) + abs(dz)
        if (flat == 1 and 0 <= dy <= 1) or (flat == 0 and -1 <= dy <= 2):
            break
        if (
            flat == 0 and dy > 2
        ):  # straight above: it must come within reach of the outstretched arm
            if dy > REACH_UP:
                return TOO_MANY
            for up in range(2, dy):
                cleared += to_clear(tables, voxels, state, x, y + up, z, soft)
                if doing == CLEAR:
                    clear_cell(tables, voxels, state, x, y + up, z)
            break
        cleared += _step(tables, voxels, state, x, y, z, dx, dy, dz, soft, doing)
        if cleared > limit:
            return TOO_MANY
        x, y, z = _next_cell(x, y, z, dx, dy, dz)
    if doing == CLEAR and cleared <= limit:
        walk_to(tables, state, x, y, z)
    return cleared if cleared <= limit else TOO_MANY


@inner
def _next_cell(x, y, z, dx, dy, dz):
    """Return the next cell of a passage: along the longer way, and a step up or down with it; straight down last."""
    if dx == 0 and dz == 0:
        return x, y - 1, z
    up = 1 if dy > 1 else (-1 if dy < 0 else 0)
    if abs(dx) >= abs(dz):
        return x + (1 if dx > 0 else -1), y + up, z
    return x, y + up, z + (1 if dz > 0 else -1)


@inner
def _step(tables, voxels, state, x, y, z, dx, dy, dz, soft, doing):
    """Count, or clear, the blocks of one step of a passage; the body fits where feet and head are free."""
    nx, ny, nz = _next_cell(x, y, z, dx, dy, dz)
    high = ny if nx == x and nz == z else max(ny, y) + 1
    cleared = ZERO
    if ny > y:  # jumping needs room above the head where the body stands
        cleared += to_clear(tables, voxels, state, x, y + 2, z, soft)
        if doing == CLEAR:
            clear_cell(tables, voxels, state, x, y + 2, z)
    for cy in range(high, ny - 1, -1):
        cleared += to_clear(tables, voxels, state, nx, cy, nz, soft)
        if doing == CLEAR:
            clear_cell(tables, voxels, state, nx, cy, nz)
    return cleared


@inner
def surface(tables, voxels, state, limit, soft):
    """Climb to the open ground above; return the blocks cleared, or TOO_MANY when something too hard is in the way.

    With disposable blocks for the whole height the body pillars up its own shaft. Else it digs a stair beside it, for
    which the way straight up is the measure, and ends on the ground next to the shaft.
    """
    if outdoors(tables, voxels, state):
        return 0
    own = ground_at(tables, voxels, state, state.x, state.z)
    top, bx, bz = np.int64(MIN_Y + HEIGHT), np.int64(state.x), np.int64(state.z)
    for dx, dz in SIDES:
        if inside(state.x + dx, state.y, state.z + dz):
            ground = ground_at(tables, voxels, state, state.x + dx, state.z + dz)
            if ground < top and ground > state.y:
                top, bx, bz = ground, state.x + dx, state.z + dz
    if state.y < own:
        top = own
    top = min(top, MIN_Y + HEIGHT - 2)
    cleared = ZERO
    for y in range(state.y + 2, top + 2):
        cleared += to_clear(tables, voxels, state, state.x, y, state.z, soft)
    if cleared > limit:
        return TOO_MANY
    for y in range(state.y + 2, top + 2):
        clear_cell(tables, voxels, state, state.x, y, state.z)
    enough = scaffold_owned(tables, state) >= top - state.y
    pillar(tables, voxels, state, top - state.y)
    if not enough:
        walk_to(tables, state, bx, ground_at(tables, voxels, state, bx, bz), bz)
    return cleared


@inner
def scaffold_owned(tables, state):
    """Return how many disposable blocks the body owns."""
    n = ZERO
    for i in range(tables.n_scaffold):
        n += state.counts[tables.scaffold[i]]
    return n


@inner
def pillar(tables, voxels, state, rise):
    """Raise the body by ``rise`` cells, on disposable blocks as far as it owns them."""
    from_y = np.int64(state.y)
    for k in range(rise):
        for i in range(tables.n_scaffold):
            item = np.int64(tables.scaffold[i])
            if state.counts[item] > 0:
                if set_block(
                    state, pack(state.x, from_y + k, state.z), np.int64(tables.places[item])
                ):
                    take(tables, state, item, ONE)
                break
    walk_to(tables, state, state.x, from_y + rise, state.z)
