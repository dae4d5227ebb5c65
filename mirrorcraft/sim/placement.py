"""Where features are tried, with which luck; and angles that are equal on every machine."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.core.biome import Placed
from mirrorcraft.sim.blocks import CHUNK, HALF, SIDE, inner
from mirrorcraft.sim.noise import Fork, advance, below, position_state, unit

CHUNKS = SIDE // CHUNK
MARGIN = HALF // CHUNK


class Origins(NamedTuple):
    """The places where one feature is tried.

    Each has a stream of its own, so that what happens at one disturbs no other.

    Attributes:
        xz: int64 [n, 2], columns, chunk by chunk.
        states: uint64 [n, 2], streams.
    """

    xz: np.ndarray
    states: np.ndarray


def origins(placed: Placed, name: str, root: Fork) -> Origins:
    """Return the places of a feature: decided by the world's fork and the placement's full name.

    Only origins inside the box count: a feature that starts outside and would reach in is left out.
    """
    rarity, count, more = placed.odds
    return Origins(*_origins(root.named(name).fork().words, rarity, count, more))


@njit(cache=True)
def _origins(fork, rarity, count, more):
    room = CHUNKS * CHUNKS * (count + 1)
    xz, states = np.empty((room, 2), np.int64), np.empty((room, 2), np.uint64)
    n = 0
    for cx in range(-MARGIN, CHUNKS - MARGIN):
        for cz in range(-MARGIN, CHUNKS - MARGIN):
            state = position_state(fork, cx, 0, cz)
            tries = count + (1 if unit(state) < more else 0)
            for _ in range(tries):
                if below(state, rarity) != 0:
                    continue
                xz[n, 0], xz[n, 1] = (
                    cx * CHUNK + below(state, CHUNK),
                    cz * CHUNK + below(state, CHUNK),
                )
                states[n, 0], states[n, 1] = advance(state), advance(state)
                n += 1
    return xz[:n], states[:n]


@inner
def turn(t):
    """Return (cosine, sine) of ``t`` of a full turn, 0 <= t < 1, from sums and products alone.

    The mathematics library of the machine would decide the last bits, and with them the odd block.
    """
    quarter = np.int64(t * 4.0)
    a = (t * 4.0 - quarter) * 1.5707963267948966
    q = a * a
    c = 1.0 - q / 2.0 * (
        1.0 - q / 12.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0 * (1.0 - q / 90.0 * (1.0 - q / 132.0))))
    )
    s = a * (
        1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0))))
    )
    if quarter == 0:
        return c, s
    if quarter == 1:
        return -s, c
    if quarter == 2:
        return -c, -s
    return s, -c
