"""The game's noise and the bare terrain: exact, with and without the compiler."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import oracle

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.sim.noise import Source, below, named_noise, position_state, sample_plane, unit
from mirrorcraft.sim.placement import turn
from mirrorcraft.sim.terrain import heights, terrain_noise

PRESETS = ("plains", "taiga", "snowy_plains", "jungle", "savanna")

# minecraft:surface at (x, 0, z), from an independent port.
SURFACE = {
    0: {
        (0, 0): 0.7881839998459093,
        (16, 16): 0.08981433438812036,
        (-128, -128): -0.3471786571274422,
        (1000, -2000): -0.1724820229433136,
    },
    12345: {
        (0, 0): 0.11885894475044262,
        (16, 16): 0.2587788273570666,
        (-128, -128): -0.26622519955582596,
        (1000, -2000): -0.43144150539630377,
    },
    -7: {
        (0, 0): 0.5444952501716758,
        (16, 16): 0.38580687083899945,
        (-128, -128): -0.1565825303408225,
        (1000, -2000): 0.5278795939954853,
    },
}


@pytest.mark.parametrize("preset", PRESETS)
def test_surface_heights_are_those_of_the_game_s_density_function(preset: str):
    spec = BiomeSpec.load(preset)
    for grid in oracle("golden_heights_119.json")["presets"][preset]["grids"]:
        wanted = np.array(grid["heights"])  # rows along z
        side = grid["step"] * (len(wanted) - 1) + 1
        noise = terrain_noise(spec, int(grid["seed"]))
        found = heights(spec.terrain, noise, grid["x"], grid["z"], side)
        assert (wanted == found[:: grid["step"], :: grid["step"]].T).all(), grid["seed"]


def test_heights_of_a_column_do_not_depend_on_the_box_that_holds_it():
    spec = BiomeSpec.load("savanna")
    noise = terrain_noise(spec, -7)
    whole = heights(spec.terrain, noise, -37, -41, 64)
    part = heights(spec.terrain, noise, -30, -38, 9)
    assert (part == whole[7:16, 3:12]).all()


@pytest.mark.parametrize("seed", SURFACE)
def test_the_surface_noise_has_the_golden_values(seed: int):
    noise = named_noise(Source.of_world(seed).fork(), "minecraft:surface", -6, (1, 1, 1))
    for (x, z), wanted in SURFACE[seed].items():
        assert sample_plane(noise, np.array([float(x)]), np.array([float(z)]))[0, 0] == wanted


def test_another_name_is_another_noise():
    root = Source.of_world(1).fork()
    one, two = (
        named_noise(root, name, -5, (1, 0.5)) for name in ("abplains:local", "absnow:local")
    )
    assert (one.perm != two.perm).any()


def literal_position_lo(lo: int, x: int, y: int, z: int) -> int:
    """The position hash in unbounded integers, wrapped where the game's integers wrap."""

    def signed(v: int, bits: int) -> int:
        v &= (1 << bits) - 1
        return v - (1 << bits) if v >> (bits - 1) else v

    v = signed(x * 3129871, 32) ^ signed(z * 116129781, 64) ^ y
    v = signed(v * v * 42317861 + v * 11, 64)
    return ((v >> 16) ^ lo) & ((1 << 64) - 1)


@given(st.integers(-2000, 2000), st.integers(-64, 320), st.integers(-2000, 2000))
def test_the_position_hash_wraps_as_the_game_s_integers_do(x: int, y: int, z: int):
    fork = np.array([123456789, 987654321], np.uint64)
    state = position_state(fork, x, y, z)
    assert int(state[0]) == literal_position_lo(123456789, x, y, z)
    assert int(state[1]) == 987654321


@given(st.floats(0, 1, exclude_max=True))
def test_a_turn_is_cosine_and_sine(t: float):
    assert turn_of(t) == pytest.approx(
        (math.cos(2 * math.pi * t), math.sin(2 * math.pi * t)), abs=1e-6
    )


def turn_of(t: float) -> tuple[float, float]:
    """``turn`` has no entry from Python when compiled, so its source is run."""
    return getattr(turn, "py_func", turn)(t)


@given(st.integers(1, 1000), st.integers(0, 2**63 - 1))
def test_draws_stay_in_their_range(bound: int, seed: int):
    state = Source.of_world(seed).state
    assert all(0 <= below(state, bound) < bound for _ in range(20))
    assert 0 <= unit(state) < 1


def test_draws_are_even():
    state = Source.of_world(0).state
    counts = np.bincount([below(state, 7) for _ in range(7000)], minlength=7)
    assert ((counts - 1000) ** 2 / 1000).sum() < 22.5  # chi-square, 6 degrees of freedom, p = 0.001


def small_digest() -> str:
    """A digest of a piece of all that generation is made of, small enough for plain Python."""
    from mirrorcraft.core.rulebook import Rulebook
    from mirrorcraft.sim.blocks import HEIGHT, SIDE, Land, block_ids, block_traits
    from mirrorcraft.sim.ores import Vein, place_veins
    from mirrorcraft.sim.worldgen import Grower

    book = Rulebook.vanilla("1.19")
    spec, noise = BiomeSpec.load("jungle"), terrain_noise(BiomeSpec.load("jungle"), 5)
    total = hashlib.sha256(heights(spec.terrain, noise, -3, -5, 7).tobytes())
    land = Land(
        np.full(SIDE * SIDE * HEIGHT, block_ids(book).stone, np.uint16),
        block_traits(book),
        np.full((SIDE, SIDE), 64, np.int16),
        block_ids(book),
    )
    cubes = land.blocks.reshape(SIDE, SIDE, HEIGHT)
    cubes[:, :, 128:] = land.ids.air
    cubes[:, :, 127] = land.ids.dirt
    luck = noise.root.words
    vein = Vein(land.ids.dirt, land.ids.dirt, 12, 30, 80, 1, 0.5, luck)
    place_veins(land, np.array([[3, 4], [-9, 7]]), np.stack([luck, luck + np.uint64(9)]), vein)
    grower = Grower.of(spec, land, noise.root)
    for feature in ("trees_jungle", "patch_melon", "lake", "huge_brown_mushroom"):
        grower.place_at(
            feature, np.array([[-20, -20], [20, 20]]), np.stack([luck, luck + np.uint64(1)])
        )
    total.update(land.blocks.tobytes())
    return total.hexdigest()


def test_generation_is_the_same_without_the_compiler():
    script = "from test_noise import small_digest; print(small_digest())"
    tests = Path(__file__).resolve().parents[1]
    env = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (tests.parent, tests, tests / "sim"))),
        "PYTHONWARNINGS": "ignore::RuntimeWarning",
    }
    result = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == small_digest()
