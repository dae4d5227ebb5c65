"""Bare terrain: surface heights from the density function; stone, bedrock, soil and water."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.core.biome import BiomeSpec, Terrain
from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, Ids, inner
from mirrorcraft.sim.noise import (
    Fork,
    NamedNoise,
    Source,
    lerp,
    named_noise,
    position_state,
    sample_plane,
    unit,
)

# The density is evaluated at the corners of cells and interpolated between them.
CELL_WIDTH, CELL_HEIGHT = 4, 8
LEVELS = np.arange(MIN_Y, 320 + 1, CELL_HEIGHT)
DENSITY_CELLS = LEVELS.size - 1


class TerrainNoise(NamedTuple):
    """The noises of a spec under a seed.

    Attributes:
        root: the world's fork.
        parts: those of the density, in the spec's order.
        surface: ``minecraft:surface``, which chooses the top block and the depth of the soil.
    """

    root: Fork
    parts: tuple[NamedNoise, ...]
    surface: NamedNoise


def terrain_noise(spec: BiomeSpec, seed: int) -> TerrainNoise:
    """Return the noises of ``spec`` under a world seed."""
    root = Source.of_world(seed).fork()
    parts = tuple(
        named_noise(root, f"{spec.namespace}:{n.id}", n.first_octave, n.amplitudes)
        for n in spec.terrain.noises
    )
    return TerrainNoise(root, parts, named_noise(root, "minecraft:surface", -6, (1.0, 1.0, 1.0)))


def heights(terrain: Terrain, noise: TerrainNoise, x0: int, z0: int, side: int) -> np.ndarray:
    """Return the first y above the highest positive density: int16, indexed [x - x0, z - z0].

    The outer operations (times a positive scale, then the squeeze) keep the sign, so only the
    interpolated values are looked at.
    """
    xs, zs = _corners(x0, side), _corners(z0, side)
    start, end = terrain.gradient
    t = np.clip((LEVELS - start) / (end - start), 0.0, 1.0)
    first, second = (
        n.weight * sample_plane(p, xs, zs) for n, p in zip(terrain.noises, noise.parts, strict=True)
    )
    density = (1.0 + t * -2.0) + (first + second)[:, :, None]
    return _heights(density, x0, z0, side)


def _corners(start: int, side: int) -> np.ndarray:
    cells = np.arange(start // CELL_WIDTH, (start + side - 1) // CELL_WIDTH + 2)
    return (cells * CELL_WIDTH).astype(np.float64)


@njit(cache=True)
def _heights(density, x0, z0, side):
    out = np.empty((side, side), np.int16)
    cx0, cz0 = x0 // CELL_WIDTH, z0 // CELL_WIDTH
    for i in range(side):
        cx, tx = (x0 + i) // CELL_WIDTH - cx0, ((x0 + i) % CELL_WIDTH) / CELL_WIDTH
        for j in range(side):
            cz, tz = (z0 + j) // CELL_WIDTH - cz0, ((z0 + j) % CELL_WIDTH) / CELL_WIDTH
            near, far = density[cx : cx + 2, cz], density[cx : cx + 2, cz + 1]
            out[i, j] = MIN_Y + _column_height(near, far, tx, tz)
    return out


@inner
def _column_height(near, far, tx, tz):
    """Blocks from the bottom to above the highest positive value; corners are [2 in x, level]."""
    for k in range(DENSITY_CELLS - 1, -1, -1):
        highest = 0.0
        for a in range(2):
            for b in range(k, k + 2):
                highest = max(highest, near[a, b], far[a, b])
        if highest <= 0:
            continue  # exact: values between corners <= 0 never round above 0
        n0, n1 = lerp(tx, near[0, k], near[1, k]), lerp(tx, near[0, k + 1], near[1, k + 1])
        f0, f1 = lerp(tx, far[0, k], far[1, k]), lerp(tx, far[0, k + 1], far[1, k + 1])
        for j in range(CELL_HEIGHT - 1, -1, -1):
            ty = j / CELL_HEIGHT
            if lerp(tz, lerp(ty, n0, n1), lerp(ty, f0, f1)) > 0:
                return k * CELL_HEIGHT + j + 1
    return 0


def fill(
    spec: BiomeSpec, noise: TerrainNoise, ids: Ids, patches: np.ndarray, blocks: np.ndarray
) -> np.ndarray:
    """Write the bare terrain of the box into ``blocks``; return its heights (int16 [SIDE, SIDE]).

    Args:
        spec: the world-generation spec.
        noise: its noises under the seed.
        ids: block numbers.
        patches: float64 [n, 3]: block number, low, high of each surface patch.
        blocks: uint16 [SIDE * SIDE * HEIGHT], overwritten.
    """
    height = heights(spec.terrain, noise, -HALF, -HALF, SIDE)
    axis = np.arange(-HALF, SIDE - HALF).astype(np.float64)
    surface = sample_plane(noise.surface, axis, axis)
    forks = np.stack(
        [
            noise.root.words,
            noise.root.named("minecraft:bedrock_floor").fork().words,
            noise.root.named("minecraft:deepslate").fork().words,
        ]
    )
    _fill(blocks, height, surface, forks, patches, ids, spec.terrain.sea_level)
    return height


@njit(cache=True)
def _fill(blocks, height, surface, forks, patches, ids, sea_level):
    for i in range(SIDE):
        for j in range(SIDE):
            column = blocks[(i * SIDE + j) * HEIGHT : (i * SIDE + j + 1) * HEIGHT]
            x, z, top = i - HALF, j - HALF, np.int64(height[i, j])
            value = surface[i, j]
            depth = np.int64(value * 2.75 + 3.0 + unit(position_state(forks[0], x, 0, z)) * 0.25)
            for y in range(MIN_Y, MIN_Y + HEIGHT):
                if y >= top:
                    block = ids.water if y < sea_level else ids.air
                elif y < MIN_Y + 5 and _gradient_below(forks[1], x, y, z, MIN_Y, MIN_Y + 5):
                    block = ids.bedrock
                elif y == top - 1 and top >= sea_level:
                    block = _top_block(value, patches, ids)
                elif y >= top - 1 - depth:
                    block = ids.dirt
                elif y < 8 and _gradient_below(forks[2], x, y, z, 0, 8):
                    block = ids.deepslate
                else:
                    block = ids.stone
                column[y - MIN_Y] = block


@inner
def _gradient_below(fork, x, y, z, solid, none):
    """Whether a gradient holds: up to ``solid`` yes, from ``none`` no, by chance between."""
    if y <= solid:
        return True
    return unit(position_state(fork, x, y, z)) < (none - y) / (none - solid)


@inner
def _top_block(value, patches, ids):
    for k in range(patches.shape[0]):
        if patches[k, 1] <= value <= patches[k, 2]:
            return np.int64(patches[k, 0])
    return ids.grass_block
