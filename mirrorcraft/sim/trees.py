"""Trees: the game's trunks and foliage, and the choice among the trees of a grove."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.sim.blocks import (
    FLUID,
    LEAVES,
    LOG,
    PLANT,
    SOIL,
    SOLID,
    get,
    inner,
    put,
    surface,
    trait,
)
from mirrorcraft.sim.noise import below, unit
from mirrorcraft.sim.placement import turn

SHAPES = ("blob", "fancy", "spruce", "pine", "bush", "mega", "acacia")
BLOB, FANCY, SPRUCE, PINE, BUSH, MEGA, ACACIA = (np.int64(i) for i in range(7))
# Columns of a tree's row.
SHAPE, LOG_ID, LEAF_ID, BASE, RAND_A, RAND_B, ROOM_LOW, ROOM_LIMIT, ROOM_HIGH = range(9)
# Columns of a crown: where foliage hangs, how much wider than usual, and 1 on a trunk of 2 x 2.
X, Y, Z, WIDER, THICK = range(5)
MAX_CROWNS = 64
FANCY_MIN_HEIGHT = 4  # a fancy oak without room is cut down to this, not below


class GroveRow(NamedTuple):
    """A choice of trees.

    Attributes:
        trees: int64 [n, 9], columns as above; the last is the default.
        chances: float64 [n - 1], asked in order.
    """

    trees: np.ndarray
    chances: np.ndarray


@njit(cache=True)
def place_trees(land, xz, states, row):
    """Grow a tree of the grove on soil at each origin that is not under water and has the room."""
    crowns = np.empty((MAX_CROWNS, 5), np.int64)
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        kind = 0
        while kind < row.chances.size and unit(state) >= row.chances[kind]:
            kind += 1
        y = surface(land, x, z, SOLID)
        if surface(land, x, z, SOLID | FLUID) == y and trait(land, x, y - 1, z, SOIL):
            _grow(land, x, y, z, state, row.trees[kind], crowns)


@inner
def _grow(land, x, y, z, state, tree, crowns):
    height = tree[BASE] + below(state, tree[RAND_A] + 1) + below(state, tree[RAND_B] + 1)
    free = _free_height(land, x, y, z, height, tree)
    shape = tree[SHAPE]
    if free < height and (shape != FANCY or free < FANCY_MIN_HEIGHT):
        return
    height = free
    put(land, x, y - 1, z, land.ids.dirt)
    if shape == FANCY:
        n = _fancy_trunk(land, x, y, z, state, height, tree[LOG_ID], crowns)
    elif shape == MEGA:
        n = _mega_trunk(land, x, y, z, state, height, tree[LOG_ID], crowns)
    elif shape == ACACIA:
        n = _acacia_trunk(land, x, y, z, state, height, tree[LOG_ID], crowns)
    else:
        for dy in range(height):
            _log(land, x, y + dy, z, tree[LOG_ID])
        n = _crown(crowns, 0, x, y + height, z, 0, 0)
    for k in range(n):
        _foliage(land, state, crowns[k], height, shape, tree[LEAF_ID])


@inner
def _open(land, x, y, z):
    """Whether a tree may grow into a cell."""
    return get(land, x, y, z) == land.ids.air or trait(land, x, y, z, LEAVES | PLANT)


@inner
def _log(land, x, y, z, log):
    if not _open(land, x, y, z):
        return False
    put(land, x, y, z, log)
    return True


@inner
def _free_height(land, x, y, z, height, tree):
    """Return ``height`` if there is room for it, else what is free below the obstacle, less two."""
    for dy in range(height + 2):
        r = tree[ROOM_LOW] if dy < tree[ROOM_LIMIT] else tree[ROOM_HIGH]
        for dx in range(-r, r + 1):
            for dz in range(-r, r + 1):
                if not _open(land, x + dx, y + dy, z + dz) and not trait(
                    land, x + dx, y + dy, z + dz, LOG
                ):
                    return dy - 2
    return height


@inner
def _crown(crowns, n, x, y, z, wider, thick):
    """Note a crown and return how many there are now."""
    crowns[n, X], crowns[n, Y], crowns[n, Z], crowns[n, WIDER], crowns[n, THICK] = (
        x,
        y,
        z,
        wider,
        thick,
    )
    return n + 1


# ---- trunks: each places logs, notes crowns and returns how many


@inner
def _mega_trunk(land, x, y, z, state, height, log, crowns):
    for dy in range(height):
        _log(land, x, y + dy, z, log)
        if dy < height - 1:
            _log(land, x + 1, y + dy, z, log)
            _log(land, x + 1, y + dy, z + 1, log)
            _log(land, x, y + dy, z + 1, log)
    n = _crown(crowns, 0, x, y + height, z, 0, 1)
    up = height - 2 - below(state, 4)
    while up > height // 2:
        c, s = turn(unit(state))
        dx = dz = 0
        for k in range(5):
            dx, dz = np.int64(1.5 + c * k), np.int64(1.5 + s * k)
            _log(land, x + dx, y + up - 3 + k // 2, z + dz, log)
        n = _crown(crowns, n, x + dx, y + up, z + dz, -2, 0)
        up -= 2 + below(state, 4)
    return n


@inner
def _direction(way):
    if way == 0:
        return 1, 0
    if way == 1:
        return -1, 0
    if way == 2:
        return 0, 1
    return 0, -1


@inner
def _acacia_trunk(land, x, y, z, state, height, log, crowns):
    way = below(state, 4)
    bend, lean = height - below(state, 4) - 1, 3 - below(state, 3)
    dx, dz = _direction(way)
    cx, cz, top = x, z, y
    for dy in range(height):
        if dy >= bend and lean > 0:
            cx, cz, lean = cx + dx, cz + dz, lean - 1
        if _log(land, cx, y + dy, cz, log):
            top = y + dy + 1
    n = _crown(crowns, 0, cx, top, cz, 1, 0)
    other = below(state, 4)
    if other == way:
        return n
    dx, dz = _direction(other)
    cx, cz, top = x, z, -1000
    start, left = bend - below(state, 2) - 1, 1 + below(state, 3)
    for dy in range(start, min(height, start + left)):
        if dy < 1:
            continue
        cx, cz = cx + dx, cz + dz
        if _log(land, cx, y + dy, cz, log):
            top = y + dy + 1
    return _crown(crowns, n, cx, top, cz, 0, 0) if top > -1000 else n


@inner
def _fancy_trunk(land, x, y, z, state, height, log, crowns):
    """Branch ends within the crown's outline, joined to the trunk where nothing is in the way."""
    full = height + 2
    fork = y + np.int64(np.floor(full * 0.618))
    bases = np.empty(MAX_CROWNS, np.int64)
    n = _crown(crowns, 0, x, y + full - 5, z, 0, 0)
    bases[0] = fork
    for up in range(full - 5, -1, -1):
        outline = _outline(full, up)
        if outline < 0:
            continue
        far = outline * (unit(state) + 0.328)
        c, s = turn(unit(state))
        bx, by, bz = (
            x + np.int64(np.floor(far * s + 0.5)),
            y + up - 1,
            z + np.int64(np.floor(far * c + 0.5)),
        )
        if not _limb(land, bx, by, bz, bx, by + 5, bz, -1):
            continue
        t = by - np.sqrt(float((x - bx) ** 2 + (z - bz) ** 2)) * 0.381
        base = fork if t > fork else np.int64(t)
        if _limb(land, x, base, z, bx, by, bz, -1):
            bases[n] = base
            n = _crown(crowns, n, bx, by, bz, 0, 0)
    _limb(land, x, y, z, x, fork, z, log)
    kept = 0
    for k in range(n):
        if bases[k] - y < full * 0.2:
            continue
        if crowns[k, X] != x or crowns[k, Y] != bases[k] or crowns[k, Z] != z:
            _limb(land, x, bases[k], z, crowns[k, X], crowns[k, Y], crowns[k, Z], log)
        crowns[kept] = crowns[k]
        kept += 1
    return kept


@inner
def _outline(full, up):
    """Radius of a fancy oak's crown at a height; negative where it has none."""
    if up < full * 0.3:
        return -1.0
    half = full / 2.0
    off = half - up
    if off == 0:
        return half * 0.5
    return 0.0 if abs(off) >= half else np.sqrt(half * half - off * off) * 0.5


@inner
def _limb(land, x0, y0, z0, x1, y1, z1, log):
    """Draw a straight limb, or with ``log`` -1 only say whether all its cells are free."""
    steps = max(abs(x1 - x0), abs(y1 - y0), abs(z1 - z0))
    for k in range(steps + 1):
        t = k / steps if steps > 0 else 0.0
        x = x0 + np.int64(np.floor((x1 - x0) * t + 0.5))
        y = y0 + np.int64(np.floor((y1 - y0) * t + 0.5))
        z = z0 + np.int64(np.floor((z1 - z0) * t + 0.5))
        if log >= 0:
            _log(land, x, y, z, log)
        elif not _open(land, x, y, z) and not trait(land, x, y, z, LOG):
            return False
    return True


# ---- foliage


@inner
def _foliage(land, state, crown, height, shape, leaf):
    if shape == BLOB:
        for dy in range(0, -4, -1):
            _layer(land, state, crown, 1 if dy > -2 else 2, dy, shape, leaf)
    elif shape == FANCY:
        for dy in range(4, -1, -1):
            _layer(land, state, crown, 3 if 0 < dy < 4 else 2, dy, shape, leaf)
    elif shape == BUSH:
        for dy in range(1, -2, -1):
            _layer(land, state, crown, 1 - dy, dy, shape, leaf)
    elif shape == MEGA:
        for dy in range(0, -(2 if crown[THICK] else 1 + below(state, 2)) - 1, -1):
            _layer(land, state, crown, 3 + crown[WIDER] - dy, dy, shape, leaf)
    elif shape == ACACIA:
        _layer(land, state, crown, 2 + crown[WIDER], -1, shape, leaf)
        _layer(land, state, crown, 1, 0, shape, leaf)
        _layer(land, state, crown, 1 + crown[WIDER], 0, shape, leaf)
    elif shape == SPRUCE:
        _spruce_foliage(land, state, crown, height, leaf)
    else:
        _pine_foliage(land, state, crown, height, leaf)


@inner
def _spruce_foliage(land, state, crown, height, leaf):
    tall = max(4, height - 1 - below(state, 2))
    radius, offset = 2 + below(state, 2), below(state, 3)
    r, widest, start = below(state, 2), 1, 0
    for dy in range(offset, -tall - 1, -1):
        _layer(land, state, crown, r, dy, SPRUCE, leaf)
        if r >= widest:
            r, start, widest = start, 1, min(widest + 1, radius)
        else:
            r += 1


@inner
def _pine_foliage(land, state, crown, height, leaf):
    tall = 3 + below(state, 2)
    radius = 1 + below(state, max(height - tall + 1, 1))
    r = 0
    for dy in range(1, 1 - tall - 1, -1):
        _layer(land, state, crown, r, dy, PINE, leaf)
        if r >= 1 and dy == 1 - tall + 1:
            r -= 1
        elif r < radius:
            r += 1


@inner
def _layer(land, state, crown, r, dy, shape, leaf):
    """Lay a square layer of leaves of radius ``r``, without the corners the shape leaves out."""
    thick = crown[THICK]
    for dx in range(-r, r + thick + 1):
        for dz in range(-r, r + thick + 1):
            # on a trunk of 2 x 2 distances count from the nearer side
            ax = min(abs(dx), abs(dx - 1)) if thick else abs(dx)
            az = min(abs(dz), abs(dz - 1)) if thick else abs(dz)
            if not _left_out(state, ax, az, r, dy, shape):
                x, y, z = crown[X] + dx, crown[Y] + dy, crown[Z] + dz
                if _open(land, x, y, z):
                    put(land, x, y, z, leaf)


@inner
def _left_out(state, ax, az, r, dy, shape):
    corner = ax == r and az == r
    if shape == BLOB:
        return corner and (below(state, 2) == 0 or dy == 0)
    if shape == BUSH:
        return corner and below(state, 2) == 0
    if shape == FANCY:
        return (ax + 0.5) ** 2 + (az + 0.5) ** 2 > r * r
    if shape == MEGA:
        return ax + az >= 7 or ax * ax + az * az > r * r
    if shape == ACACIA and dy == 0:
        return (ax > 1 or az > 1) and ax != 0 and az != 0
    return corner and r > 0
