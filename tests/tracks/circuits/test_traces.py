"""Traces of two outside engines, and the plain twin, against the compiled engine."""

import json
from pathlib import Path

import numpy as np
import pytest
from tracks.circuits import naive_redstone
from tracks.circuits.nucleation_engine import mctick
from tracks.circuits.random_builds import random_build
from tracks.circuits.twin import differs_from_twin

from mirrorcraft.tracks.circuits.blocks import Kind
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.game_pack import rested
from mirrorcraft.tracks.circuits.physics import Physics, physics_for, suites
from mirrorcraft.tracks.circuits.trace import trace
from mirrorcraft.tracks.circuits.wiring import Wiring

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "redstone").glob("*.json"))
NAMES = [path.stem for path in GOLDEN]
# Category, and lit of all lamps: the failure taxonomy of the paper, appendix I.2.
FAILURES = {
    "case01_long_snake": (10, 32),
    "case02_islands": (16, 32),
    "case03_parallel_lines": (14, 32),
    "case04_glass_pedestal": (0, 32),
    "case05_broken_bridge": (0, 32),
    "case06_missing_rails": (24, 32),
    "case07_tiny_core": (8, 32),
    "case08_axes_only": (0, 32),
    "case09_backwards_repeaters": (8, 32),
    "case10_connection_trap": (20, 32),
    "case11_dead_end_hooks": (12, 20),
    "ring": (0, 16),
    "caseW_reference": (32, 32),
}


def read(path):
    data = json.loads(path.read_text())
    return Build.from_data(data, path), data.get("vanilla_expected", data["mctick"]), data


def test_there_are_all_125_traces():
    assert len(GOLDEN) == 125


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_lamps_and_dust_are_as_traced_at_every_tick(path):
    build, expected, _ = read(path)
    seen = trace(build).to_data()
    assert seen["lamps"] == expected["lamps"]
    assert seen["dust"] == expected["dust"]
    assert seen["settle_ticks"] == 0  # the traces begin at rest


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_the_plain_twin_gives_the_traces_too(path):
    build, expected, _ = read(path)
    seen = naive_redstone.run(build)
    lamps = {key: "".join(map(str, seen[cell(key)])) for key in expected["lamps"]}
    assert lamps == expected["lamps"]
    for key, changes in expected["dust"].items():
        row = seen[cell(key)]
        starts = [t for t in range(len(row)) if t == 0 or row[t] != row[t - 1]]
        assert [[t, row[t]] for t in starts] == changes


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_dust_takes_the_sides_that_the_game_gave_it(path):
    build, _, data = read(path)
    wiring = Wiring(build, Physics())
    for x, y, z, state in data["blocks"]:
        if "redstone_wire" in state:
            given = dict(p.split("=") for p in state.partition("[")[2].rstrip("]").split(","))
            del given["power"]
            assert wiring.properties((x, y, z)) == given


@pytest.mark.parametrize("name", FAILURES)
def test_the_failure_cases_light_as_many_lamps_as_in_the_paper(name):
    build, _, _ = read(GOLDEN[NAMES.index(name)])
    seen = trace(build)
    assert (seen.lit, len(seen.lamps)) == FAILURES[name]


def test_repeaters_lock_as_traced():
    locked = 0
    for path in GOLDEN:
        build, _, data = read(path)
        if "vanilla_expected" in data:
            continue  # the engine's own record is at fault there
        seen = trace(build)
        for key, told in data["mctick"]["repeaters"].items():
            row = seen.states[:, seen.column[cell(key)]]
            assert changes(row & 1) == told["powered"]
            assert changes(row >> 1) == told["locked"]
            locked += int((row >> 1).any())
    assert locked > 0


def cell(key):
    x, y, z = map(int, key.split(","))
    return x, y, z


def changes(row):
    return [[t, int(v)] for t, v in enumerate(row) if t == 0 or v != row[t - 1]]


def test_random_circuits_run_alike_compiled_and_plain():
    assert [n for n in range(100) if differs_from_twin(random_build(n))] == []


@pytest.mark.slow
@pytest.mark.parametrize("suite", suites())
def test_a_thousand_random_circuits_run_alike_under_changed_physics(suite):
    physics = physics_for(suite)
    assert [n for n in range(1000) if differs_from_twin(random_build(n), physics)] == []


@pytest.mark.slow
def test_ten_thousand_random_circuits_run_alike_compiled_and_plain():
    assert [n for n in range(10_000) if differs_from_twin(random_build(n))] == []


@pytest.mark.parametrize("suite", suites())
def test_random_circuits_run_alike_under_changed_physics(suite):
    physics = physics_for(suite)
    builds = [random_build(n) for n in range(25)]
    assert [n for n, build in enumerate(builds) if differs_from_twin(build, physics)] == []
    moved = [not np.array_equal(trace(b).states, trace(b, physics).states) for b in builds]
    assert any(moved)


def test_a_torch_that_burns_out_stays_dark_under_any_count():
    build, _, _ = read(GOLDEN[NAMES.index("torch_burnout_clock")])
    for offs in (1, 3, 8):
        physics = Physics(burnout_offs=offs)
        assert not differs_from_twin(build, physics)
        torches = trace(build, physics).of(Kind.TORCH).values()
        falls = [int((np.diff(row.astype(int)) == -1).sum()) for row in torches]
        assert max(falls) == offs


FAULTS = (naive_redstone.LockedFirst, naive_redstone.DeafTorches, naive_redstone.BothFaults)


def unexplained(builds, folder):
    """The builds in which mc-tick has another lamp or dust, less those that its two faults explain."""
    differ, left = [], []
    for n, (build, answer) in enumerate(zip(builds, mctick(builds, folder), strict=True)):
        seen = trace(build)
        rows = {pos: seen.states[:, seen.column[pos]].tolist() for pos in answer.states}
        if rows != answer.states:
            differ.append(n)
            twins = [naive_redstone.run(build, rules=fault) for fault in FAULTS]
            if not any(all(t[p] == row for p, row in answer.states.items()) for t in twins):
                left.append(n)
    return differ, left


@pytest.mark.slow  # the traces are its own, made elsewhere; so this only tells that it still is the same
def test_mc_tick_gives_the_traces_but_for_its_faults(tmp_path):
    differ, left = unexplained([read(path)[0] for path in GOLDEN], tmp_path)
    assert [NAMES[n] for n in differ] in (["torch_burnout_clock"], [])
    assert left == []


def test_forty_random_circuits_run_in_mc_tick_as_here(tmp_path):
    builds = [build for n in range(40) if (build := rested(random_build(n)))]
    assert len(builds) > 35
    assert unexplained(builds, tmp_path) == ([], [])


@pytest.mark.slow
def test_a_thousand_random_circuits_run_in_mc_tick_as_here_but_for_its_faults(tmp_path):
    builds = [build for n in range(1040) if (build := rested(random_build(n)))][:1000]
    assert len(builds) == 1000
    differ, left = unexplained(builds, tmp_path)
    assert left == []
    assert len(differ) < 10
