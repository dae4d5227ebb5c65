"""Randomness that repeats: seeds come from names, draws are counted.

``draw(seed, event, site)`` hashes its three arguments and keeps no stream, so one more draw in one place moves
nothing elsewhere, and a Vanilla world shares its luck with its Mirror copies. ``sim/draws.py`` holds the compiled
twin; a test holds them equal.
"""

import hashlib

MASK = (1 << 64) - 1


def seed_from(*names: object) -> int:
    """Return a 63-bit seed that depends on the names alone: ``seed_from("world", "plains-a", 3)``."""
    text = "\x1f".join(f"{type(n).__name__}:{n}" for n in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def mix(v: int) -> int:
    """Return Stafford's variant 13 of the 64-bit finaliser of ``v`` (the mixer of SplitMix64)."""
    v &= MASK
    v = ((v ^ (v >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    v = ((v ^ (v >> 27)) * 0x94D049BB133111EB) & MASK
    return v ^ (v >> 31)


def draw(seed: int, event: int, site: int) -> int:
    """Return 64 random bits that depend on the three numbers alone."""
    return mix(mix(mix(seed + 0x9E3779B97F4A7C15) + event) + site)


def uniform(seed: int, event: int, site: int) -> float:
    """Return a float in [0, 1) from ``draw``."""
    return (draw(seed, event, site) >> 11) * 2.0**-53


def below(n: int, seed: int, event: int, site: int) -> int:
    """Return an integer in ``range(n)`` from ``draw`` (multiply-shift; the bias is under n / 2**32)."""
    return ((draw(seed, event, site) >> 32) * n) >> 32
