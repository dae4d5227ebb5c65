"""Counted draws, compiled: the twin of ``core.rng.draw``, and the sites that keep draws apart."""

import numpy as np
from numba import njit

U = np.uint64
S11, S27, S30, S31, S32 = U(11), U(27), U(30), U(31), U(32)
A, B, GOLDEN = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB), U(0x9E3779B97F4A7C15)

# What a draw is for: the high half of its ``event``; the low half is a position, a mob or a count.
BREAK, KILL, WANDER, WEAR, ENCHANT, POLICY = (np.int64(k << 32) for k in range(1, 7))


@njit(cache=True)
def mix(v):
    """Return the 64-bit finaliser of ``v``, see ``core.rng.mix``."""
    v = (v ^ (v >> S30)) * A
    v = (v ^ (v >> S27)) * B
    return v ^ (v >> S31)


@njit(cache=True)
def draw(seed, event, site):
    """Return 64 random bits (uint64) that depend on the three numbers alone."""
    return mix(mix(mix(U(seed) + GOLDEN) + U(event)) + U(site))


@njit(cache=True)
def uniform(seed, event, site):
    """Return a float in [0, 1)."""
    return np.float64(draw(seed, event, site) >> S11) * 1.1102230246251565e-16


@njit(cache=True)
def below(n, seed, event, site):
    """Return an integer in ``range(n)``, n under 2**31."""
    return np.int64(((draw(seed, event, site) >> S32) * U(n)) >> S32)
