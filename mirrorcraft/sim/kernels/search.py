"""The nearest blocks of a kind, by the index of the voxel world: sections first, cells only where they can be nearer.

Distances are squared and between cells: from the body's feet to the block.
"""

import numpy as np

from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, inside, pack, unpack
from mirrorcraft.sim.kernels.compiled import ZERO, inner
from mirrorcraft.sim.kernels.grid import block_at_packed
from mirrorcraft.sim.layout import LOG, MAX_KINDS, NONE, SECTION

ACROSS, UP = SIDE // SECTION, HEIGHT // SECTION
FAR = np.int64(1 << 40)


@inner
def distance2(state, p):
    """Return the squared distance from the body's feet to a packed position."""
    x, y, z = unpack(p)
    dx, dy, dz = x - state.x, y - state.y, z - state.z
    return dx * dx + dy * dy + dz * dz


@inner
def _gap(v, low):
    """Return how far ``v`` lies outside the section that starts at ``low``, along one axis."""
    if v < low:
        return low - v
    return v - (low + SECTION - 1) if v > low + SECTION - 1 else 0


@inner
def wanted(tables, block, target):
    """Return whether a block is what is looked for: that block, or any trunk."""
    return tables.trunk[block] != 0 if target == LOG else block == target


def _ball(radius: int) -> np.ndarray:
    """Return int64 [n, 4]: (dx, dy, dz, squared distance) of all cells within a radius, nearest first, then by position."""
    r = range(-radius, radius + 1)
    cells = [
        (dx * dx + dy * dy + dz * dz, (dx * SIDE + dz) * HEIGHT + dy, dx, dy, dz)
        for dx in r
        for dy in r
        for dz in r
    ]
    return np.array(
        [(dx, dy, dz, d) for d, _, dx, dy, dz in sorted(cells) if d <= radius * radius], np.int64
    )


BALL = _ball(4)
DENSE = 64  # cells of a kind in a section from which looking around the body beats going through the list


@inner
def _around(voxels, state, kind, found, best, n):
    """Offer the blocks of a kind in the ball around the body, nearest first, until the list is full of them."""
    full = n + found.size
    for i in range(BALL.shape[0]):
        x, y, z = state.x + BALL[i, 0], state.y + BALL[i, 1], state.z + BALL[i, 2]
        if inside(x, y, z):
            p = pack(x, y, z)
            if voxels.blocks[p] == kind and block_at_packed(voxels, state, p) == kind:
                _insert(found, best, min(n, found.size), p, BALL[i, 3])
                n += 1
                if n == full:
                    break
    return n


@inner
def _dense(voxels, state, k):
    """Return whether a kind is common in the body's section."""
    if not inside(state.x, state.y, state.z):
        return False
    s = ((state.x + HALF) // SECTION * ACROSS + (state.z + HALF) // SECTION) * UP + (
        state.y - MIN_Y
    ) // SECTION
    if (voxels.sections[s] >> np.uint64(k)) & np.uint64(1) == 0:
        return False
    n = voxels.offsets[k, s + 1] - voxels.offsets[k, s]
    return n == 0 or n >= DENSE


@inner
def nearest(tables, voxels, state, target, found):
    """Fill ``found`` with the packed positions of the nearest blocks, nearest first; return how many there are.

    Ties go to the lower packed position, so the order does not depend on how the search walks.
    """
    mask = np.uint64(0)
    for k in range(MAX_KINDS):
        if voxels.kinds[k] != NONE and wanted(tables, np.int64(voxels.kinds[k]), target):
            mask |= np.uint64(1) << np.uint64(k)
    best = np.full(found.size, FAR, np.int64)
    n = _placed(tables, voxels, state, target, found, best)
    if mask == 0:
        return n
    if target != LOG and _dense(voxels, state, np.int64(voxels.kind_of[target])):
        if _around(voxels, state, target, found, best, n) == n + found.size:
            return found.size
        best[:] = FAR
        n = _placed(tables, voxels, state, target, found, best)
    reach2 = tables.search_radius * tables.search_radius
    sx, sy, sz = (state.x + HALF) >> 4, (state.y - MIN_Y) >> 4, (state.z + HALF) >> 4
    rings = (tables.search_radius >> 4) + 1
    for ring in range(rings + 1):
        # Sections of this ring and beyond lie at least (ring - 1) * SECTION + 1 blocks away.
        floor = (ring - 1) * SECTION + 1
        if ring > 0 and n == found.size and best[n - 1] < floor * floor:
            break
        for cx in range(max(sx - ring, 0), min(sx + ring, ACROSS - 1) + 1):
            for cz in range(max(sz - ring, 0), min(sz + ring, ACROSS - 1) + 1):
                edge = abs(cx - sx) == ring or abs(cz - sz) == ring
                step = 1 if edge or ring == 0 else 2 * ring
                for cy in range(sy - ring, sy + ring + 1, step):
                    if 0 <= cy < UP:
                        s = (cx * ACROSS + cz) * UP + cy
                        hit = voxels.sections[s] & mask
                        if hit:
                            limit = min(best[found.size - 1], reach2 + 1)
                            if _section_gap2(state, cx, cy, cz) < limit:
                                n = _scan(voxels, state, hit, s, reach2, found, best, n)
    return n


@inner
def _section_gap2(state, cx, cy, cz):
    """Return the squared distance from the body to the nearest cell of a section."""
    gx = _gap(state.x, cx * SECTION - HALF)
    gy = _gap(state.y, cy * SECTION + MIN_Y)
    gz = _gap(state.z, cz * SECTION - HALF)
    return gx * gx + gy * gy + gz * gz


@inner
def _scan(voxels, state, hit, s, reach2, found, best, n):
    """Offer the cells of the wanted kinds of one section."""
    x0, y0, z0 = _corner(s)
    limit = min(best[found.size - 1], reach2)
    for k in range(MAX_KINDS):
        if (hit >> np.uint64(k)) & np.uint64(1):
            kind = np.int64(voxels.kinds[k])
            if voxels.offsets[k, s] == voxels.offsets[k, s + 1]:
                n = _scan_cells(voxels, state, kind, s, reach2, found, best, n)
                limit = min(best[found.size - 1], reach2)
            bx, by, bz = x0 - state.x, y0 - state.y, z0 - state.z
            for i in range(voxels.offsets[k, s], voxels.offsets[k, s + 1]):
                cell = np.int64(voxels.cells[i])
                dx = bx + (cell >> 8)
                if dx * dx > limit:  # cells are sorted by x
                    if dx > 0:
                        break
                    continue
                dz, dy = bz + (cell >> 4 & 15), by + (cell & 15)
                d = dx * dx + dy * dy + dz * dz
                if d <= limit:
                    p = pack(state.x + dx, state.y + dy, state.z + dz)
                    if block_at_packed(voxels, state, p) == kind:
                        n = _insert(found, best, n, p, d)
                        limit = min(best[found.size - 1], reach2)
    return n


@inner
def _scan_cells(voxels, state, kind, s, reach2, found, best, n):
    """Offer the cells of a kind so common (stone) that the index lists only its sections, not its cells."""
    x0, y0, z0 = _corner(s)
    for x in range(x0, x0 + SECTION):
        for z in range(z0, z0 + SECTION):
            dx, dz = x - state.x, z - state.z
            flat = dx * dx + dz * dz
            if flat > min(best[found.size - 1], reach2):
                continue
            p = pack(x, y0, z)
            for y in range(y0, y0 + SECTION):
                d = flat + (y - state.y) * (y - state.y)
                if (
                    d <= reach2
                    and d <= best[found.size - 1]
                    and block_at_packed(voxels, state, p) == kind
                ):
                    n = _insert(found, best, n, p, d)
                p += 1
    return n


@inner
def _corner(s):
    """Return the lowest cell (x, y, z) of a section."""
    column = s // UP
    return (
        column // ACROSS * SECTION - HALF,
        s % UP * SECTION + MIN_Y,
        column % ACROSS * SECTION - HALF,
    )


@inner
def _placed(tables, voxels, state, target, found, best):
    """Offer the blocks that the episode itself has put down."""
    n = ZERO
    reach2 = tables.search_radius * tables.search_radius
    for i in range(state.n_changes):
        block = np.int64(state.change_block[i])
        if block != tables.air and wanted(tables, block, target):  # most changes are holes
            p = np.int64(state.change_pos[i])
            # A cell whose kind is as at first is in the index too; offering it there is enough.
            if block == voxels.blocks[p] and voxels.kind_of[block] != NONE:
                continue
            d = distance2(state, p)
            if d <= reach2:
                n = _insert(found, best, n, p, d)
    return n


@inner
def _insert(found, best, n, p, d):
    """Insert a position into the sorted list of the nearest; return the new length."""
    size = found.size
    i = n if n < size else size - 1
    if n == size and (d > best[i] or (d == best[i] and p > found[i])):
        return n
    while i > 0 and (best[i - 1] > d or (best[i - 1] == d and found[i - 1] > p)):
        found[i], best[i] = found[i - 1], best[i - 1]
        i -= 1
    found[i], best[i] = p, d
    return min(n + 1, size)


@inner
def sweep(tables, voxels, state, best):
    """Fill ``best`` (int64 [MAX_KINDS]) with the squared distance of the nearest block of every kind, FAR if none.

    One walk over the sections, nearest ring first; a kind is only looked at where it can still come nearer.
    """
    best[:] = FAR
    reach2 = np.int64(tables.search_radius * tables.search_radius)
    sx, sy, sz = (state.x + HALF) >> 4, (state.y - MIN_Y) >> 4, (state.z + HALF) >> 4
    rings = (tables.search_radius >> 4) + 1
    for ring in range(rings + 1):
        for cx in range(max(sx - ring, 0), min(sx + ring, ACROSS - 1) + 1):
            for cz in range(max(sz - ring, 0), min(sz + ring, ACROSS - 1) + 1):
                edge = abs(cx - sx) == ring or abs(cz - sz) == ring
                step = 1 if edge or ring == 0 else 2 * ring
                for cy in range(sy - ring, sy + ring + 1, step):
                    if 0 <= cy < UP:
                        gap2 = _section_gap2(state, cx, cy, cz)
                        if gap2 <= reach2:
                            _sweep_section(
                                voxels, state, (cx * ACROSS + cz) * UP + cy, gap2, reach2, best
                            )


@inner
def _sweep_section(voxels, state, s, gap2, reach2, best):
    hit = voxels.sections[s]
    x0, y0, z0 = _corner(s)
    bx, by, bz = x0 - state.x, y0 - state.y, z0 - state.z
    k = 0
    while hit:
        if hit & np.uint64(1) and best[k] > gap2:
            kind = np.int64(voxels.kinds[k])
            if voxels.offsets[k, s] == voxels.offsets[k, s + 1]:
                nearer = _nearest_cell(voxels, state, kind, s, min(best[k], reach2 + 1))
                if nearer <= reach2:
                    best[k] = min(best[k], nearer)
            limit = min(best[k] - 1, reach2)
            for i in range(voxels.offsets[k, s], voxels.offsets[k, s + 1]):
                cell = np.int64(voxels.cells[i])
                dx, dz, dy = bx + (cell >> 8), bz + (cell >> 4 & 15), by + (cell & 15)
                d = dx * dx + dy * dy + dz * dz
                if (
                    d <= limit
                    and block_at_packed(
                        voxels, state, pack(state.x + dx, state.y + dy, state.z + dz)
                    )
                    == kind
                ):
                    best[k] = d
                    limit = d - 1
        hit >>= np.uint64(1)
        k += 1


@inner
def _nearest_cell(voxels, state, kind, s, limit):
    """Return the squared distance of the nearest cell of a common kind in a section if under ``limit``, else ``limit``."""
    x0, y0, z0 = _corner(s)
    best = limit
    for x in range(x0, x0 + SECTION):
        for z in range(z0, z0 + SECTION):
            dx, dz = x - state.x, z - state.z
            flat = dx * dx + dz * dz
            if flat >= best:
                continue
            p = pack(x, y0, z)
            for y in range(y0, y0 + SECTION):
                d = flat + (y - state.y) * (y - state.y)
                if d < best and block_at_packed(voxels, state, p) == kind:
                    best = d
                p += 1
    return best
