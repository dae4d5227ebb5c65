"""The game's noise: xoroshiro sources, named noises of Perlin octaves, luck by position."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.core.rng import MASK, mix

SILVER = 0x6A09E667F3BCC909
GOLDEN = 0x9E3779B97F4A7C15
INPUT_FACTOR = 1.0181268882175227  # stretches the coordinates of a named noise's second stack
WRAP = 33554432.0  # 2**25
# The 12 edges of a cube; the last four repeat some, so that four bits choose one.
GRADIENTS = np.array(
    [
        (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0),
        (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1),
        (0, 1, 1), (0, -1, 1), (0, 1, -1), (0, -1, -1),
        (1, 1, 0), (0, -1, 1), (-1, 1, 0), (0, -1, -1),
    ],
    dtype=np.float64,
)  # fmt: skip

# Every operand of 64-bit arithmetic is a uint64: numba turns int64 (+) uint64 into float64.
U = np.uint64
S11, S15, S16, S17, S21, S28, S32, S36, S47, S48, S49, S63 = (
    U(v) for v in (11, 15, 16, 17, 21, 28, 32, 36, 47, 48, 49, 63)
)
LOW32 = U(0xFFFFFFFF)
TWO32 = U(1 << 32)
HIGH16 = U(0xFFFF << 48)
BIAS = 1 << 40
F1, F11, FX = U(42317861), U(11), U(BIAS)


@njit(cache=True)
def advance(state):
    """Return the next 64 bits of xoroshiro128++ and move ``state`` (uint64 [2]: lo, hi) on."""
    lo, hi = state[0], state[1]
    v = lo + hi
    out = ((v << S17) | (v >> S47)) + lo
    hi ^= lo
    state[0] = ((lo << S49) | (lo >> S15)) ^ hi ^ (hi << S21)
    state[1] = (hi << S28) | (hi >> S36)
    return out


@njit(cache=True)
def unit(state):
    """Return the next float in [0, 1) of a stream."""
    return np.float64(advance(state) >> S11) * 1.1102230246251565e-16


@njit(cache=True)
def below(state, bound):
    """Return the next integer in ``range(bound)`` of a stream, as the game draws it: no bias."""
    b = U(bound)
    m = (advance(state) & LOW32) * b
    if (m & LOW32) < b:
        limit = (TWO32 - b) % b
        while (m & LOW32) < limit:
            m = (advance(state) & LOW32) * b
    return np.int64(m >> S32)


@njit(cache=True)
def position_state(fork, x, y, z):
    """Return the stream of a block position under a positional fork (uint64 [2])."""
    v = (x * 3129871) & 0xFFFFFFFF
    if v >= 0x80000000:
        v -= 0x100000000
    v = v ^ (z * 116129781) ^ y
    # |v| < 2**40 for coordinates below 9,000, so the bias makes it positive before it is unsigned
    w = U(v + BIAS) - FX
    h = w * w * F1 + w * F11
    h = (h >> S16) | (HIGH16 if h >> S63 else U(0))  # the game's last shift is arithmetic
    state = np.empty(2, np.uint64)
    state[0] = h ^ fork[0]
    state[1] = fork[1]
    return state


class Source:
    """A xoroshiro128++ source in Python integers, for the few draws that seed the noises."""

    def __init__(self, lo: int, hi: int):
        self.state = np.array([lo & MASK, hi & MASK], dtype=np.uint64)
        if not self.state.any():  # the all-zero state would give zeros for ever
            self.state[:] = GOLDEN, SILVER

    @classmethod
    def of_world(cls, seed: int) -> "Source":
        """Return the source of a world seed (a signed 64-bit integer)."""
        lo = (seed & MASK) ^ SILVER
        return cls(mix(lo), mix((lo + GOLDEN) & MASK))

    def fork(self) -> "Fork":
        """Return a factory of independent sources; takes two draws."""
        return Fork(int(advance(self.state)), int(advance(self.state)))


class Fork(NamedTuple):
    """A factory of sources by name or by position."""

    lo: int
    hi: int

    def named(self, name: str) -> Source:
        """Return the source of a full id, such as ``minecraft:surface``."""
        digest = hashlib.md5(name.encode(), usedforsecurity=False).digest()
        return Source(
            int.from_bytes(digest[:8], "big") ^ self.lo, int.from_bytes(digest[8:], "big") ^ self.hi
        )

    @property
    def words(self) -> np.ndarray:
        """The two words as kernels take them (uint64 [2])."""
        return np.array([self.lo, self.hi], dtype=np.uint64)


class NamedNoise(NamedTuple):
    """A named noise as flat arrays: the octaves of the first stack, then those of the second.

    Attributes:
        perm: uint8 [octaves, 256], offset: float64 [octaves, 3].
        amp, freq, weight: float64 [octaves].
        factor: of the sum.
    """

    perm: np.ndarray
    offset: np.ndarray
    amp: np.ndarray
    freq: np.ndarray
    weight: np.ndarray
    factor: float


def named_noise(
    root: Fork, name: str, first_octave: int, amplitudes: Sequence[float]
) -> NamedNoise:
    """Return the noise of a full id under the world's fork; the id is part of the seed."""
    source = root.named(name)
    used = [i for i, a in enumerate(amplitudes) if a != 0]
    states = []
    for _ in range(2):
        fork = source.fork()
        states += [fork.named(f"octave_{first_octave + i}").state for i in used]
    perm, offset = _shuffled(np.array(states))
    n = len(amplitudes)
    return NamedNoise(
        perm,
        offset,
        np.array([float(amplitudes[i]) for i in used] * 2),
        np.array([2.0 ** (first_octave + i) for i in used] * 2),
        np.array([2.0 ** (n - 1) / (2.0**n - 1.0) / 2.0**i for i in used] * 2),
        (1.0 / 6.0) / (0.1 * (1.0 + 1.0 / (used[-1] - used[0] + 1))),
    )


@njit(cache=True)
def _shuffled(states):
    n = states.shape[0]
    perm = np.empty((n, 256), np.uint8)
    offset = np.empty((n, 3))
    for k in range(n):
        state = states[k].copy()
        for axis in range(3):
            offset[k, axis] = unit(state) * 256.0
        for i in range(256):
            perm[k, i] = i
        for i in range(256):
            j = i + below(state, 256 - i)
            perm[k, i], perm[k, j] = perm[k, j], perm[k, i]
    return perm, offset


@njit(cache=True)
def sample_plane(noise, xs, zs):
    """Return float64 [len(xs), len(zs)]: the noise at (x, 0, z)."""
    out = np.empty((xs.size, zs.size))
    half = noise.amp.size // 2
    for i in range(xs.size):
        for j in range(zs.size):
            total = 0.0
            for stack in range(2):
                scale = INPUT_FACTOR if stack else 1.0
                part = 0.0
                for k in range(stack * half, (stack + 1) * half):
                    x = _wrap(xs[i] * scale * noise.freq[k]) + noise.offset[k, 0]
                    z = _wrap(zs[j] * scale * noise.freq[k]) + noise.offset[k, 2]
                    value = _perlin(noise.perm[k], x, noise.offset[k, 1], z)
                    part += noise.amp[k] * value * noise.weight[k]
                total += part
            out[i, j] = total * noise.factor
    return out


@njit(cache=True)
def _wrap(v):
    return v - np.floor(v / WRAP + 0.5) * WRAP


@njit(cache=True)
def lerp(t, a, b):
    """Return the value between ``a`` and ``b``, in the game's order of operations."""
    return a + t * (b - a)


@njit(cache=True)
def _gradient(h, x, y, z):
    g = GRADIENTS[h & 15]
    return g[0] * x + g[1] * y + g[2] * z


@njit(cache=True)
def _smooth(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@njit(cache=True)
def _perlin(p, x, y, z):
    """One octave of improved Perlin noise at a point to which the offsets are already added."""
    bx, by, bz = np.floor(x), np.floor(y), np.floor(z)
    ix, iy, iz = np.int64(bx), np.int64(by), np.int64(bz)
    x, y, z = x - bx, y - by, z - bz
    u, v, w = _smooth(x), _smooth(y), _smooth(z)
    planes = np.empty(2)
    a, b = np.int64(p[ix & 255]) + iy, np.int64(p[(ix + 1) & 255]) + iy
    for k in range(2):
        a0, a1 = np.int64(p[a & 255]) + iz + k, np.int64(p[(a + 1) & 255]) + iz + k
        b0, b1 = np.int64(p[b & 255]) + iz + k, np.int64(p[(b + 1) & 255]) + iz + k
        low = lerp(
            u, _gradient(p[a0 & 255], x, y, z - k), _gradient(p[b0 & 255], x - 1.0, y, z - k)
        )
        high = lerp(
            u,
            _gradient(p[a1 & 255], x, y - 1.0, z - k),
            _gradient(p[b1 & 255], x - 1.0, y - 1.0, z - k),
        )
        planes[k] = lerp(v, low, high)
    return lerp(w, planes[0], planes[1])
