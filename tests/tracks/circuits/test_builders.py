"""Tasks, checkers and reference builders."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SHARED
from tracks.circuits.random_builds import random_build

from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.tracks.circuits import check, tasks
from mirrorcraft.tracks.circuits.agents import naive_wiring
from mirrorcraft.tracks.circuits.blocks import AIR, DUST, EAST, LAMP, STONE, Kind, repeater, torch
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.generator import generate, standard
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, Pulse, Sequential, Simultaneous
from mirrorcraft.tracks.circuits.wiring import Wiring

ALL = tasks.names()
TASKS = SHARED / "spec" / "scicrafter" / "tasks_25.json"


def test_there_are_five_families_of_five_levels():
    assert set(ALL) == {f"{family}_{level}" for family in "ABCDE" for level in tasks.LEVELS}


@pytest.mark.parametrize("name", ALL)
def test_a_task_file_is_what_the_generator_makes(name):
    family, level = name.split("_")
    assert CircuitTask.load(name) == standard(family, level)


@pytest.mark.parametrize("name", ALL)
def test_a_task_survives_being_written(name):
    task = CircuitTask.load(name)
    assert CircuitTask.from_yaml(task.to_yaml()) == task


def test_the_numbers_are_those_of_the_published_tasks():
    if not TASKS.is_file():
        pytest.skip("the published parameters are not beside the project")
    for told in json.loads(TASKS.read_text())["tasks"]:
        task, terms = CircuitTask.load(told["task_id"]), told["contract"]
        assert task.lamps == told["outputs"]["lamps"]["count"]
        assert task.window_gt == told["test_cases"][0]["sequence"][1]["params"]["window_gt"]
        assert task.trials == told["budget"]["verification_trials"]
        assert list(task.allowed_blocks) == told["allowed_blocks"]
        assert task.hint == told["metadata"]["hint"]
        match task.contract:
            case Sequential(delays=delays, tick_gt=unit):
                assert [d * unit for d in delays] == terms["delays_gt"]
            case Pulse(tau=tau, tick_gt=unit):
                assert tau * unit == terms["tau_gt"]
            case Simultaneous() as own:
                assert own.max_skew_gt == terms["max_skew_gt"]
                assert own.required_reach == terms.get("required_reach", 0)
                assert list(own.distance_buckets) == terms.get("distance_buckets", [])
                assert own.lamps_per_bucket == terms.get("lamps_per_bucket", 0)
                assert own.repeaters_required == terms.get("repeaters_required", False)


@pytest.mark.parametrize("name", ALL)
def test_the_reference_keeps_the_contract(name):
    task = CircuitTask.load(name)
    verdict = check.judge(task, solve(task))
    assert verdict.passed, verdict.why
    assert verdict.lit == verdict.lamps == task.lamps


@pytest.mark.parametrize("name", ALL)
def test_a_reference_survives_being_written(name):
    build = solve(CircuitTask.load(name))
    assert Build.from_data(build.to_data()) == build


@given(n=st.integers(1, 100))
def test_simultaneous_tasks_of_any_size_have_a_reference(n):
    task = generate("A", n)
    assert check.judge(task, solve(task)).passed


@given(delays=st.lists(st.integers(1, 4), min_size=1, max_size=60))
def test_sequences_of_any_delays_have_a_reference(delays):
    task = generate("C", len(delays) + 1, delays=tuple(delays))
    verdict = check.judge(task, solve(task))
    assert verdict.passed, verdict.why


@given(tau=st.integers(4, 12), n=st.integers(1, 40))
def test_pulses_of_any_length_below_the_buttons_have_a_reference(tau, n):
    task = generate("E", n, tau=tau)
    verdict = check.judge(task, solve(task))
    assert verdict.passed, verdict.why


@given(n=st.integers(1, 4), distances=st.sets(st.integers(3, 16), min_size=1, max_size=4))
def test_equal_delays_over_any_distances_have_a_reference(n, distances):
    near_first = tuple(sorted(distances))
    task = generate("D", n * len(near_first), distances=near_first)
    verdict = check.judge(task, solve(task))
    assert verdict.passed, verdict.why


def test_a_pulse_shorter_than_a_monostable_makes_is_refused():
    with pytest.raises(InputError, match="monostable"):
        solve(generate("E", 4, tau=2))


def test_a_sequence_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="room for"):
        solve(generate("C", 200, delays=(1,) * 199))


def test_a_wire_without_repeaters_fails_where_the_paper_says_it_fades():
    passed = {
        name
        for name in ALL
        if check.judge(CircuitTask.load(name), naive_wiring(CircuitTask.load(name))).passed
    }
    assert {"A_L1", "A_L2", "B_L1", "B_L2", "B_L3"} <= passed
    assert not passed & {"A_L4", "A_L5", "B_L4", "B_L5", *(f"C_{level}" for level in tasks.LEVELS)}


# The checkers, on traces made by hand.

ONE, TWO, THREE = (0, 4, 0), (1, 4, 0), (2, 4, 0)


def test_lamps_one_tick_apart_are_together_and_two_are_not():
    assert check.together({ONE: 3, TWO: 4}, 1) == []
    assert "(1, 4, 0) is lit at tick 5" in check.together({ONE: 3, TWO: 5}, 1)[0]
    assert check.together({ONE: 3, TWO: None}, 1) == [
        "1 of 2 lamps are never lit, the first is (1, 4, 0)"
    ]


def test_delays_are_read_in_the_ticks_of_the_contract():
    onsets = {ONE: 10, TWO: 12, THREE: 16}
    assert check.sequence(onsets, (1, 2), 2, 1) == []
    assert check.sequence(onsets, (2, 4), 1, 0) == []
    assert "lamp 3" in check.sequence(onsets, (1, 1), 2, 1)[0]
    assert check.sequence({ONE: 1}, (1, 2), 2, 1) == ["1 lamps, expected 3 for 2 delays"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([0, 1, 1, 1, 0, 0], None),
        ([0, 1, 1, 1, 1, 0], None),
        ([1, 1, 1, 1, 1, 0], "for 5 ticks, expected 3"),
        ([0, 1, 1, 0, 1, 0], "lit 2 times"),
        ([0, 0, 0, 1, 1, 1], "still lit at tick 5"),
    ],
)
def test_a_pulse_is_one_and_has_its_length_and_ends(row, problem):
    found = check.pulse({ONE: np.array(row)}, 3, 1)
    assert found == [] if problem is None else problem in found[0]


def test_what_stands_is_counted_and_placed():
    task = CircuitTask.load("A_L1")
    build = solve(task)
    outside = build.changed((11, 4, 0), STONE)
    assert "outside the region" in check.judge(task, outside).why
    more = build.changed((8, 4, 8), LAMP)
    assert check.judge(task, more).problems[0] == "there are 5 redstone_lamp, expected exactly 4"
    none = build.changed(build.button, AIR)
    assert check.judge(task, none).problems == ("there are 0 stone_button, expected exactly 1",)


def test_a_lamp_that_is_lit_before_the_press_fails():
    task = CircuitTask.load("A_L1")
    build = solve(task)
    lamp = build.of(Kind.LAMP)[0]
    torch_beside = build.changed((lamp[0] - 1, lamp[1], lamp[2]), torch())
    assert "lit before the press" in check.judge(task, torch_beside).why


def test_a_wire_cell_is_counted_once_and_a_repeater_too():
    blocks = {(0, 4, 0): STONE, (0, 5, 0): Build.from_data(LINE).blocks[0, 5, 0], (4, 4, 0): LAMP}
    blocks |= {(1, 4, 0): DUST, (2, 4, 0): repeater(EAST), (3, 4, 0): DUST}
    build = replace(Build.from_data(LINE), blocks=blocks)
    assert Wiring(build, Physics()).distances()[4, 4, 0] == 3


LINE = {
    "floor": {"y": 3, "x": [-9, 9], "z": [-9, 9]},
    "blocks": [[0, 4, 0, "stone"], [0, 5, 0, "stone_button"]],
}


# Bad input.


@pytest.mark.parametrize("name", ["A_L6", "F_L1", "../A_L1x"])
def test_an_unknown_task_is_refused(name):
    with pytest.raises((UnknownNameError, InputError)):
        CircuitTask.load(name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("family: A", "family: Q", "family"),
        ("radius: 10", "radius: 0", "radius"),
        ("count: 4", "count: four", "count"),
        ("type: simultaneous", "type: magic", "contract"),
        ("window_gt: 60", "window: 60", "window_gt"),
        ("family: A", "family: A\nfamily: B", "twice"),
        ("family: A", "family: [", "YAML"),
        ("minecraft:glass", "minecraft:piston", "piston"),
        ("level: L1", "level: L1\nmore: 1", "more"),
    ],
)
def test_a_malformed_task_says_where_and_what(old, new, message):
    text = CircuitTask.load("A_L1").to_yaml()
    assert old in text
    with pytest.raises(InputError, match=message):
        CircuitTask.from_yaml(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blocks": None}, "blocks"),
        ({"blocks": [[0, 4, 0]]}, r"blocks\[0\]"),
        ({"blocks": [[0, 4, 0.5, "stone"]]}, "three integers"),
        ({"blocks": [[0, 4, 0, "stone"], [0, 4, 0, "glass"]]}, "each cell once"),
        ({"blocks": [[0, 4, 0, "piston"]]}, "palette"),
        ({"blocks": [[0, 4, 0, "repeater[delay=5]"]]}, "repeater.delay"),
        ({"blocks": [[0, 4, 0, "repeater[dlay=2]"]]}, "delay"),
        ({"blocks": [[0, 4, 0, "repeater[delay=2"]]}, "form"),
        ({"blocks": [[0, 9, 0, "redstone_wire"]]}, "solid block"),
        ({"blocks": [[0, 4, 0, "stone"]]}, "exactly one stone_button"),
        ({"blocks": [[0, 4, 0, "stone_button"], [2, 4, 0, "stone_button"]]}, "exactly one"),
        ({"blocks": [[0, 4, 0, "stone_button"], [999999, 4, 0, "stone"]]}, "cells"),
        ({"button": [1, 1, 1]}, "button"),
        ({"ticks": 0}, "ticks"),
        ({"ticks": True}, "ticks"),
        ({"floor": {"y": 3, "x": [9, -9], "z": [0, 1]}}, "floor.x"),
        ({"floor": {"y": 3, "block": "minecraft:glass", "x": [0, 1], "z": [0, 1]}}, "floor.block"),
    ],
)
def test_a_malformed_build_says_where_and_what(change, message):
    with pytest.raises(InputError, match=message):
        Build.from_data({**LINE, **change})


@given(n=st.integers(0, 10_000))
def test_a_build_survives_being_written(n):
    build = random_build(n)
    assert Build.from_data(build.to_data()) == build
