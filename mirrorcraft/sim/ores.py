"""Ore veins, built as the game builds them: a chain of spheres along a short slanted line."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.sim.blocks import (
    DEEPSLATE,
    HALF,
    HEIGHT,
    MIN_Y,
    SIDE,
    STONE,
    get,
    inner,
    put,
    trait,
)
from mirrorcraft.sim.noise import below, position_state, unit
from mirrorcraft.sim.placement import turn


class Vein(NamedTuple):
    """One ore placement with block numbers.

    Attributes:
        block: replaces stone and its like.
        deepslate: replaces deepslate and tuff.
        size: the game's vein size.
        low: lowest y of the origin, inclusive.
        high: highest y of the origin, inclusive.
        trapezoid: 1 when the height is the sum of two draws, else 0.
        discard: chance that a block beside air is left out.
        fork: uint64 [2], luck of the discards, by position.
    """

    block: int
    deepslate: int
    size: int
    low: int
    high: int
    trapezoid: int
    discard: float
    fork: np.ndarray


@njit(cache=True)
def place_veins(land, xz, states, vein):
    """Place a vein at every origin whose surroundings reach below the surface."""
    spheres = np.empty((vein.size, 4))
    for k in range(xz.shape[0]):
        state = states[k]
        span = vein.high - vein.low
        if vein.trapezoid:
            y = vein.low + below(state, span - span // 2 + 1) + below(state, span // 2 + 1)
        else:
            y = vein.low + below(state, span + 1)
        _place_vein(land, xz[k, 0], y, xz[k, 1], state, vein, spheres)


@inner
def _place_vein(land, x, y, z, state, vein, spheres):
    c, s = turn(unit(state) * 0.5)
    reach = vein.size / 8.0
    thick = np.int64(np.ceil((vein.size / 16.0 * 2.0 + 1.0) / 2.0))
    x0, x1, z0, z1 = x + s * reach, x - s * reach, z + c * reach, z - c * reach
    y0, y1 = float(y + below(state, 3) - 2), float(y + below(state, 3) - 2)
    out = np.int64(np.ceil(reach)) + thick
    if not _underground(land, x, y - 2 - thick, z, out):
        return
    for k in range(vein.size):
        t = k / vein.size
        swell = unit(state) * vein.size / 16.0
        spheres[k, 0], spheres[k, 1], spheres[k, 2] = (
            x0 + t * (x1 - x0),
            y0 + t * (y1 - y0),
            z0 + t * (z1 - z0),
        )
        spheres[k, 3] = ((turn(t * 0.5)[1] + 1.0) * swell + 1.0) / 2.0
    _drop_contained(spheres)
    for k in range(vein.size):
        if spheres[k, 3] > 0:
            _fill_sphere(land, spheres[k], vein)


@inner
def _underground(land, x, low, z, out):
    """Whether any column within ``out`` has its terrain at or above ``low``."""
    for i in range(max(x - out, -HALF), min(x + out, SIDE - HALF - 1) + 1):
        for j in range(max(z - out, -HALF), min(z + out, SIDE - HALF - 1) + 1):
            if low <= land.height[i + HALF, j + HALF]:
                return True
    return False


@inner
def _drop_contained(spheres):
    """Mark spheres that lie inside others by radius -1."""
    for a in range(spheres.shape[0] - 1):
        for b in range(a + 1, spheres.shape[0]):
            if spheres[a, 3] <= 0 or spheres[b, 3] <= 0:
                continue
            wider = spheres[a, 3] - spheres[b, 3]
            apart = 0.0
            for i in range(3):
                apart += (spheres[a, i] - spheres[b, i]) ** 2
            if wider * wider > apart:
                spheres[b if wider > 0 else a, 3] = -1.0


@inner
def _fill_sphere(land, sphere, vein):
    cx, cy, cz, r = sphere[0], sphere[1], sphere[2], sphere[3]
    for x in range(
        max(np.int64(np.floor(cx - r)), -HALF), min(np.int64(np.floor(cx + r)), SIDE - HALF - 1) + 1
    ):
        dx = (x + 0.5 - cx) / r
        if dx * dx >= 1.0:
            continue
        for z in range(
            max(np.int64(np.floor(cz - r)), -HALF),
            min(np.int64(np.floor(cz + r)), SIDE - HALF - 1) + 1,
        ):
            dz = (z + 0.5 - cz) / r
            if dx * dx + dz * dz >= 1.0:
                continue
            low = max(np.int64(np.floor(cy - r)), MIN_Y)
            for y in range(low, min(np.int64(np.floor(cy + r)), MIN_Y + HEIGHT - 1) + 1):
                dy = (y + 0.5 - cy) / r
                if dx * dx + dy * dy + dz * dz < 1.0:
                    _replace(land, x, y, z, vein)


@inner
def _replace(land, x, y, z, vein):
    if trait(land, x, y, z, STONE):
        block = vein.block
    elif trait(land, x, y, z, DEEPSLATE):
        block = vein.deepslate
    else:
        return
    # The luck of a discard goes by position, so that overlapping spheres agree on a block.
    if (
        vein.discard > 0
        and _beside_air(land, x, y, z)
        and unit(position_state(vein.fork, x, y, z)) < vein.discard
    ):
        return
    put(land, x, y, z, block)


@inner
def _beside_air(land, x, y, z):
    air = land.ids.air
    return (
        get(land, x - 1, y, z) == air
        or get(land, x + 1, y, z) == air
        or get(land, x, y - 1, z) == air
        or get(land, x, y + 1, z) == air
        or get(land, x, y, z - 1) == air
        or get(land, x, y, z + 1) == air
    )
