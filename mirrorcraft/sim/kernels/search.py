"""The nearest blocks of a kind, by the index of the voxel world: sections first, cells only where they can be nearer.

Distances are squared and between cells: from the body's feet to the block.
"""

import numpy as np

from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, inside, pack, unpack
from mirrorcraft.sim.kernels.compiled import inner
from mirrorcraft.sim.kernels.grid import block_at_packed, stands
from mirrorcraft.sim.layout import LOG, NONE, SECTION

ACROSS, UP = SIDE // SECTION, HEIGHT // SECTION
FAR = np.int64(1 << 40)
FIRST = np.int64(-1)  # for ``nearest``: before all blocks
BIT = np.uint64(1)


@inner
def distance2(state, p):
    """Return the squared distance from the body's feet to a packed position."""
    x, y, z = unpack(p)
    dx, dy, dz = x - state.x, y - state.y, z - state.z
    return dx * dx + dy * dy + dz * dz


@inner
def _gap(v, c):
    """Return how far ``v`` lies outside section ``c`` along one axis, on which sections and cells count from 0."""
    low = c * SECTION
    if v < low:
        return low - v
    return v - (low + SECTION - 1) if v > low + SECTION - 1 else 0


@inner
def kinds_of(voxels, target):
    """Return the bit set of the world's kinds that a target names: one, every trunk, or none."""
    if target == LOG:
        return np.uint64(voxels.trunks)
    k = voxels.kind_of[target]
    return np.uint64(0) if k == NONE else BIT << np.uint64(k)


@inner
def _lowest(kinds):
    """Return the number of the lowest bit that is set."""
    k = 0
    while (kinds >> np.uint64(k)) & BIT == 0:
        k += 1
    return k


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
CELL_BITS, CELLS = 12, 1 << 12  # cells of a section
MANY = 12  # cells of a kind in a section from which all are looked at, many at once, before one after the other


@inner
def _around(voxels, state, block, after2, after):
    """Return the first natural block of a kind in the ball around the body that comes after another, or NONE."""
    for i in range(BALL.shape[0]):
        d = BALL[i, 3]
        if d < after2:
            continue
        x, y, z = state.x + BALL[i, 0], state.y + BALL[i, 1], state.z + BALL[i, 2]
        if inside(x, y, z):
            p = pack(x, y, z)
            if voxels.blocks[p] == block and (d > after2 or p > after) and stands(state, p, block):
                return p
    return NONE


@inner
def _dense(voxels, state, k):
    """Return whether the body's section holds a kind so common (stone) that the index lists no cells of it."""
    if not inside(state.x, state.y, state.z):
        return False
    s = ((state.x + HALF) // SECTION * ACROSS + (state.z + HALF) // SECTION) * UP + (
        state.y - MIN_Y
    ) // SECTION
    if (voxels.sections[s] >> np.uint64(k)) & BIT == 0:
        return False
    return voxels.offsets[k, s] == voxels.offsets[k, s + 1]


@inner
def nearest(tables, voxels, state, target, after2, after):
    """Return the packed position of the nearest such block, the lower one of equals, or NONE.

    Args:
        target: block number or LOG.
        after2, after: squared distance and position of a block, to ask for the next one after it; FIRST, FIRST for
            the nearest of all.
    """
    reach2 = np.int64(tables.search_radius * tables.search_radius)
    best, best2 = _placed(tables, voxels, state, target, after2, after, reach2)
    kinds = kinds_of(voxels, target)
    if kinds == 0:
        return best
    if target != LOG and _dense(voxels, state, np.int64(voxels.kind_of[target])):
        p = _around(voxels, state, target, after2, after)
        if p != NONE:
            d = distance2(state, p)
            return p if d < best2 or (d == best2 and p < best) else best
    low = _lowest(kinds)
    x, y, z = state.x + HALF, state.y - MIN_Y, state.z + HALF
    sx, sy, sz = x >> 4, y >> 4, z >> 4
    for ring in range((tables.search_radius >> 4) + 2):
        # No section is looked at that lies farther off than the nearest block so far.
        r = np.int64(np.sqrt(np.float64(min(best2, reach2))))
        if (ring - 1) * SECTION + 1 > r:
            break
        bottom, top = max(sy - ring, (y - r) >> 4, 0), min(sy + ring, (y + r) >> 4, UP - 1)
        for cx in range(
            max(sx - ring, (x - r) >> 4, 0), min(sx + ring, (x + r) >> 4, ACROSS - 1) + 1
        ):
            gx = _gap(x, cx)
            for cz in range(
                max(sz - ring, (z - r) >> 4, 0), min(sz + ring, (z + r) >> 4, ACROSS - 1) + 1
            ):
                gz = _gap(z, cz)
                flat2 = gx * gx + gz * gz
                if flat2 > best2:
                    continue
                edge = abs(cx - sx) == ring or abs(cz - sz) == ring
                for cy in range(bottom, top + 1):
                    s = (cx * ACROSS + cz) * UP + cy
                    hit = voxels.sections[s] & kinds
                    if hit and (edge or abs(cy - sy) == ring):
                        gy = _gap(y, cy)
                        if flat2 + gy * gy <= best2:
                            best, best2 = _scan(
                                voxels, state, hit, low, s, after2, after, best, best2
                            )
    return best


@inner
def _scan(voxels, state, hit, low, s, after2, after, best, best2):
    """Return the nearest block so far and its squared distance, after the kinds ``hit`` of one section.

    No kind is lower than ``low``.
    """
    k = low
    hit >>= np.uint64(low)
    while hit:
        if hit & BIT:
            best, best2 = _scan_kind(voxels, state, k, s, after2, after, best, best2)
        hit >>= BIT
        k += 1
    return best, best2


@inner
def _scan_kind(voxels, state, k, s, after2, after, best, best2):
    first, end = voxels.offsets[k, s], voxels.offsets[k, s + 1]
    kind = np.int64(voxels.kinds[k])
    if first == end:
        return _scan_cells(voxels, state, kind, s, after2, after, best, best2)
    x0, y0, z0 = _corner(s)
    bx, by, bz = x0 - state.x, y0 - state.y, z0 - state.z
    if after2 < 0 and end - first >= MANY:
        least = _least(voxels, np.int64(first), np.int64(end), bx, by, bz)
        d, cell = least >> CELL_BITS, np.int64(voxels.cells[first + (least & CELLS - 1)])
        if d > best2:
            return best, best2
        p = pack(x0 + (cell >> 8), y0 + (cell & 15), z0 + (cell >> 4 & 15))
        if stands(state, p, kind):
            return (p, d) if d < best2 or p < best else (best, best2)
    for i in range(first, end):
        cell = np.int64(voxels.cells[i])
        dx = bx + (cell >> 8)
        if dx * dx > best2:  # cells are sorted by x
            if dx > 0:
                break
            continue
        dz, dy = bz + (cell >> 4 & 15), by + (cell & 15)
        d = dx * dx + dy * dy + dz * dz
        if after2 <= d <= best2:
            p = pack(state.x + dx, state.y + dy, state.z + dz)
            if (d > after2 or p > after) and (d < best2 or p < best) and stands(state, p, kind):
                best, best2 = p, d
    return best, best2


@inner
def _least(voxels, first, end, bx, by, bz):
    """Return the least of (squared distance << CELL_BITS | place in the list) of a section's cells.

    Places ascend as positions do. Written so that the compiler takes many cells at once: no branch, and an unsigned index.
    """
    least = np.int64(1 << 62)
    for i in range(np.uint64(first), np.uint64(end)):
        cell = np.int64(voxels.cells[i])
        dx, dy, dz = bx + (cell >> 8), by + (cell & 15), bz + (cell >> 4 & 15)
        least = min(least, (dx * dx + dy * dy + dz * dz) << CELL_BITS | np.int64(i) - first)
    return least


@inner
def _scan_cells(voxels, state, kind, s, after2, after, best, best2):
    """As ``_scan_kind``, for a kind so common (stone) that the index lists only its sections, not its cells."""
    x0, y0, z0 = _corner(s)
    for x in range(x0, x0 + SECTION):
        for z in range(z0, z0 + SECTION):
            dx, dz = x - state.x, z - state.z
            flat = dx * dx + dz * dz
            if flat > best2:
                continue
            p = pack(x, y0, z)
            for y in range(y0, y0 + SECTION):
                d = flat + (y - state.y) * (y - state.y)
                if (
                    after2 <= d <= best2
                    and (d > after2 or p > after)
                    and (d < best2 or p < best)
                    and block_at_packed(voxels, state, p) == kind
                ):
                    best, best2 = p, d
                p += 1
    return best, best2


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
def _placed(tables, voxels, state, target, after2, after, reach2):
    """Return the nearest of the blocks that the episode itself has put down, and its squared distance.

    Without one: NONE, and the least distance that is too far.
    """
    best, best2 = NONE, reach2 + 1
    if state.put_down == 0:
        return best, best2
    for i in range(state.n_changes):
        block = np.int64(state.change_block[i])
        if block == target or (target == LOG and tables.trunk[block] != 0):
            p = np.int64(state.change_pos[i])
            # A cell whose kind is as at first is in the index too; offering it there is enough.
            if block == voxels.blocks[p] and voxels.kind_of[block] != NONE:
                continue
            d = distance2(state, p)
            if (d > after2 or (d == after2 and p > after)) and (
                d < best2 or (d == best2 and p < best)
            ):
                best, best2 = p, d
    return best, best2


@inner
def sweep(tables, voxels, state, best):
    """Fill ``best`` (int64 [MAX_KINDS]) with the squared distance of the nearest block of every kind, FAR if none.

    One walk over the sections, nearest ring first; a kind is only looked at where it can still come nearer.
    """
    best[:] = FAR
    reach2 = np.int64(tables.search_radius * tables.search_radius)
    x, y, z = state.x + HALF, state.y - MIN_Y, state.z + HALF
    sx, sy, sz = x >> 4, y >> 4, z >> 4
    rings = (tables.search_radius >> 4) + 1
    for ring in range(rings + 1):
        for cx in range(max(sx - ring, 0), min(sx + ring, ACROSS - 1) + 1):
            gx = _gap(x, cx)
            for cz in range(max(sz - ring, 0), min(sz + ring, ACROSS - 1) + 1):
                gz = _gap(z, cz)
                edge = abs(cx - sx) == ring or abs(cz - sz) == ring
                step = 1 if edge or ring == 0 else 2 * ring
                for cy in range(sy - ring, sy + ring + 1, step):
                    if 0 <= cy < UP:
                        gy = _gap(y, cy)
                        gap2 = gx * gx + gy * gy + gz * gz
                        if gap2 <= reach2:
                            s = (cx * ACROSS + cz) * UP + cy
                            _sweep_section(voxels, state, s, gap2, reach2, best)


@inner
def _sweep_section(voxels, state, s, gap2, reach2, best):
    hit = voxels.sections[s]
    k = 0
    while hit:
        if hit & BIT and best[k] > gap2:
            limit = min(best[k], reach2 + 1)
            p, d = _scan_kind(voxels, state, k, s, FIRST, FIRST, NONE, limit)
            if p != NONE:
                best[k] = d
        hit >>= BIT
        k += 1
