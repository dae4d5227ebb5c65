"""What covers the ground: plants, deposits, lakes, boulders and other landmarks, snow, ice."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.sim.blocks import (
    ANY,
    FLUID,
    FULL,
    HALF,
    LEAVES,
    LOG,
    MIN_Y,
    PLANT,
    SAND,
    SIDE,
    SOIL,
    SOLID,
    STONE,
    get,
    inner,
    inside,
    put,
    surface,
    trait,
)
from mirrorcraft.sim.noise import below, unit

# What a plant must stand on; the order is that of the spec's words.
ON = ("soil", "grass", "solid", "water", "shore")
ON_SOIL, ON_GRASS, ON_SOLID, ON_WATER, ON_SHORE = range(5)


class PlantRow(NamedTuple):
    """A patch of plants with block numbers.

    Attributes:
        blocks: int64 [n], one entry a unit of weight.
        tries: positions tried.
        xz_spread: largest distance of a try along x and z.
        y_spread: the same along y.
        on: one of the ``ON_`` codes.
        low: smallest height in blocks.
        high: largest height in blocks; small heights are likelier.
    """

    blocks: np.ndarray
    tries: int
    xz_spread: int
    y_spread: int
    on: int
    low: int
    high: int


class DiskRow(NamedTuple):
    """A flat deposit with block numbers.

    Attributes:
        block: what is laid.
        into: bool [n_blocks], what it replaces.
        low: smallest radius.
        high: largest radius.
        half_height: blocks up and down from the origin.
        underwater: 1 when the origin must be in water.
    """

    block: int
    into: np.ndarray
    low: int
    high: int
    half_height: int
    underwater: int


@njit(cache=True)
def place_plants(land, xz, states, row):
    """Scatter a patch around each origin, wherever the cell is free and the ground suits."""
    for k in range(xz.shape[0]):
        state = states[k]
        y0 = surface(land, xz[k, 0], xz[k, 1], SOLID | FLUID)
        for _ in range(row.tries):
            x = xz[k, 0] + below(state, row.xz_spread + 1) - below(state, row.xz_spread + 1)
            y = y0 + below(state, row.y_spread + 1) - below(state, row.y_spread + 1)
            z = xz[k, 1] + below(state, row.xz_spread + 1) - below(state, row.xz_spread + 1)
            block = row.blocks[below(state, row.blocks.size)]
            tall = row.low + below(state, below(state, row.high - row.low + 1) + 1)
            if (
                inside(x, y, z)
                and get(land, x, y, z) == land.ids.air
                and _suits(land, x, y - 1, z, row.on)
            ):
                for dy in range(tall):
                    if get(land, x, y + dy, z) == land.ids.air:
                        put(land, x, y + dy, z, block)


@inner
def _suits(land, x, y, z, on):
    """Whether the block below a plant suits it."""
    if on == ON_SOIL:
        return trait(land, x, y, z, SOIL)
    if on == ON_GRASS:
        return get(land, x, y, z) == land.ids.grass_block
    if on == ON_SOLID:
        return trait(land, x, y, z, FULL) and not trait(land, x, y, z, LEAVES)
    water = land.ids.water
    if on == ON_WATER:
        return get(land, x, y, z) == water
    return trait(land, x, y, z, SOIL | SAND) and (
        get(land, x + 1, y, z) == water
        or get(land, x - 1, y, z) == water
        or get(land, x, y, z + 1) == water
        or get(land, x, y, z - 1) == water
    )


@njit(cache=True)
def place_disks(land, xz, states, row):
    """Lay a disk at each origin; one that must be under water and is not is left out."""
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        y = surface(land, x, z, SOLID)
        if row.underwater and get(land, x, y, z) != land.ids.water:
            continue
        r = row.low + below(state, row.high - row.low + 1)
        for dx in range(-r, r + 1):
            for dz in range(-r, r + 1):
                if dx * dx + dz * dz > r * r:
                    continue
                for dy in range(-row.half_height, row.half_height + 1):
                    if row.into[get(land, x + dx, y + dy, z + dz)]:
                        put(land, x + dx, y + dy, z + dz, row.block)


@njit(cache=True)
def place_lakes(land, xz, states):
    """Carve a lake of overlapping ellipsoids at each origin: stone rim, water below, air above."""
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        y = surface(land, x, z, ANY) - 4
        hollow = np.zeros((16, 8, 16), np.bool_)
        for _ in range(below(state, 4) + 4):
            rx, ry, rz = unit(state) * 3.0 + 1.5, unit(state) * 2.0 + 1.0, unit(state) * 3.0 + 1.5
            cx = unit(state) * (16.0 - 2 * rx - 2.0) + 1.0 + rx
            cy = unit(state) * (8.0 - 2 * ry - 4.0) + 2.0 + ry
            cz = unit(state) * (16.0 - 2 * rz - 2.0) + 1.0 + rz
            for i in range(1, 15):
                for j in range(1, 7):
                    for h in range(1, 15):
                        dx, dy, dz = (i - cx) / rx, (j - cy) / ry, (h - cz) / rz
                        if dx * dx + dy * dy + dz * dz < 1.0:
                            hollow[i, j, h] = True
        if _lake_holds(land, x, y, z, hollow):
            _dig_lake(land, x, y, z, hollow, state)


@inner
def _rim(hollow, i, j, h):
    """Whether a cell of the lake's box is no part of the hollow but touches it."""
    if hollow[i, j, h]:
        return False
    return (
        (i < 15 and hollow[i + 1, j, h])
        or (i > 0 and hollow[i - 1, j, h])
        or (h < 15 and hollow[i, j, h + 1])
        or (h > 0 and hollow[i, j, h - 1])
        or (j < 7 and hollow[i, j + 1, h])
        or (j > 0 and hollow[i, j - 1, h])
    )


@inner
def _lake_holds(land, x, y, z, hollow):
    """Whether the rim is tight: solid below the water line, no fluid above, all inside the box."""
    for i in range(16):
        for j in range(8):
            for h in range(16):
                if not inside(x + i, y + j, z + h):
                    return False
                if not _rim(hollow, i, j, h):
                    continue
                if j >= 4 and trait(land, x + i, y + j, z + h, FLUID):
                    return False
                wet = get(land, x + i, y + j, z + h) == land.ids.water
                if j < 4 and not wet and not trait(land, x + i, y + j, z + h, SOLID):
                    return False
    return True


@inner
def _dig_lake(land, x, y, z, hollow, state):
    for i in range(16):
        for j in range(8):
            for h in range(16):
                if hollow[i, j, h]:
                    put(land, x + i, y + j, z + h, land.ids.air if j >= 4 else land.ids.water)
                elif _rim(hollow, i, j, h) and (j < 4 or below(state, 2) != 0):
                    _line(land, x + i, y + j, z + h)


@inner
def _line(land, x, y, z):
    """Turn a solid block of a lake's rim to stone, but no tree."""
    if trait(land, x, y, z, SOLID) and not trait(land, x, y, z, LEAVES | LOG):
        put(land, x, y, z, land.ids.stone)


@njit(cache=True)
def place_boulders(land, xz, states):
    """Pile three blobs of mossy cobblestone on soil or stone at each origin: a forest rock."""
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        y = surface(land, x, z, SOLID | FLUID)
        while y > MIN_Y + 3 and not trait(land, x, y - 1, z, SOIL | STONE):
            y -= 1
        for _ in range(3):
            rx, ry, rz = below(state, 2), below(state, 2), below(state, 2)
            r = (rx + ry + rz) * 0.333 + 0.5
            for dx in range(-rx, rx + 1):
                for dy in range(-ry, ry + 1):
                    for dz in range(-rz, rz + 1):
                        if dx * dx + dy * dy + dz * dz <= r * r:
                            put(land, x + dx, y + dy, z + dz, land.ids.mossy_cobblestone)
            x, y, z = x - 1 + below(state, 2), y - below(state, 2), z - 1 + below(state, 2)


@njit(cache=True)
def place_mushrooms(land, xz, states):
    """Grow a huge brown mushroom on soil at each origin that has the room."""
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        y = surface(land, x, z, SOLID | FLUID)
        tall = below(state, 3) + 4
        if below(state, 12) == 0:
            tall *= 2
        if not trait(land, x, y - 1, z, SOIL) or not _cap_free(land, x, y, z, tall):
            continue
        for dy in range(tall):
            put(land, x, y + dy, z, land.ids.mushroom_stem)
        for dx in range(-3, 4):
            for dz in range(-3, 4):
                if abs(dx) != 3 or abs(dz) != 3:
                    put(land, x + dx, y + tall, z + dz, land.ids.brown_mushroom_block)


@inner
def _cap_free(land, x, y, z, tall):
    for dy in range(tall + 1):
        r = 0 if dy <= 3 else 3
        for dx in range(-r, r + 1):
            for dz in range(-r, r + 1):
                free = get(land, x + dx, y + dy, z + dz) == land.ids.air
                if not free and not trait(land, x + dx, y + dy, z + dz, LEAVES | PLANT):
                    return False
    return True


@njit(cache=True)
def place_spikes(land, xz, states):
    """Raise a spike of packed ice at each origin, with its roots in the soil.

    The game's own spike asks for snow blocks, which this biome's ground has none of; here it
    stands on any soil, and the rare towering kind is left out.
    """
    for k in range(xz.shape[0]):
        x, z, state = xz[k, 0], xz[k, 1], states[k]
        y = surface(land, x, z, SOLID | FLUID)
        if not trait(land, x, y - 1, z, SOIL):
            continue
        y += below(state, 4)
        tall = below(state, 4) + 7
        wide = tall // 4 + below(state, 2)
        for dy in range(tall):
            f = (1.0 - dy / tall) * wide
            r = np.int64(np.ceil(f))
            for dx in range(-r, r + 1):
                for dz in range(-r, r + 1):
                    a, b = abs(dx) - 0.25, abs(dz) - 0.25
                    core = dx == 0 and dz == 0
                    edge = abs(dx) == r or abs(dz) == r
                    if (core or a * a + b * b <= f * f) and (not edge or unit(state) <= 0.75):
                        _freeze_cell(land, x + dx, y + dy, z + dz)
                        if dy != 0 and r > 1:
                            _freeze_cell(land, x + dx, y - dy, z + dz)
        for dy in range(1, 8):
            _freeze_cell(land, x, y - dy, z)


@inner
def _freeze_cell(land, x, y, z):
    if get(land, x, y, z) == land.ids.air or trait(land, x, y, z, SOIL | PLANT):
        put(land, x, y, z, land.ids.packed_ice)


@njit(cache=True)
def place_wells(land, xz, states):
    """Build the small sandstone well at each origin: here on any ground, not on sand alone."""
    for k in range(xz.shape[0]):
        x, z = xz[k, 0], xz[k, 1]
        y = surface(land, x, z, SOLID | FLUID) - 1
        for dx in range(-2, 3):
            for dz in range(-2, 3):
                far = max(abs(dx), abs(dz))
                rim = land.ids.sandstone_slab if dx == 0 or dz == 0 else land.ids.sandstone
                cross = abs(dx) + abs(dz) <= 1
                put(land, x + dx, y - 1, z + dz, land.ids.sandstone)
                put(land, x + dx, y, z + dz, land.ids.water if cross else land.ids.sandstone)
                if far == 2:
                    put(land, x + dx, y + 1, z + dz, rim)
                if far <= 1:
                    put(
                        land,
                        x + dx,
                        y + 4,
                        z + dz,
                        land.ids.sandstone if far == 0 else land.ids.sandstone_slab,
                    )
                if abs(dx) == 1 and abs(dz) == 1:
                    for dy in range(1, 4):
                        put(land, x + dx, y + dy, z + dz, land.ids.sandstone)


@njit(cache=True)
def freeze_top(land):
    """Turn the topmost water of every column to ice; lay snow on every full block under the sky."""
    for x in range(-HALF, SIDE - HALF):
        for z in range(-HALF, SIDE - HALF):
            y = surface(land, x, z, SOLID | FLUID)
            if get(land, x, y - 1, z) == land.ids.water:
                put(land, x, y - 1, z, land.ids.ice)
            elif get(land, x, y, z) == land.ids.air and trait(land, x, y - 1, z, FULL):
                put(land, x, y, z, land.ids.snow)
