"""Contrasts of cells: RIE and its split, against the same numbers computed episode by episode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import record

from mirrorcraft.study.contrast import (
    Cell,
    Key,
    cells_of,
    half_width,
    mean_of,
    minus,
    rie,
    score,
    select,
    split,
    sr,
)
from mirrorcraft.study.metrics import effect
from mirrorcraft.study.stats import wald

SUITES = ("vanilla", "M01", "M02")
outcomes = st.lists(st.sampled_from([0, 25, 70, 100]), min_size=18, max_size=18)


def balanced(scores: list[int]):
    """Two worlds, three suites, three repetitions: every cell has both worlds."""
    values = iter(scores)
    return [
        record(next(values), world=world, suite=suite, repetition=r)
        for world in ("W00", "W01")
        for suite in SUITES
        for r in range(3)
    ]


@given(outcomes)
def test_rie_over_cells_is_rie_over_paired_worlds_when_the_plan_is_balanced(scores):
    episodes = balanced(scores)
    cells = cells_of(episodes)
    contrast = rie(cells, cells)
    estimate, paired = sr(contrast, cells), effect(episodes)
    assert estimate is not None
    assert estimate.value == pytest.approx(paired.rie_sr)
    assert score(contrast, cells) == pytest.approx(paired.rie_sc)


@given(outcomes)
def test_a_vanilla_cell_that_suites_share_counts_once_in_the_variance(scores):
    cells = cells_of(balanced(scores))
    vanilla, one, two = (wald(c.successes, c.n) for c in cells.values())
    estimate = sr(rie(cells, cells), cells)
    assert estimate is not None
    assert estimate.variance == pytest.approx(10_000 * (vanilla + (one + two) / 4))


@given(outcomes)
def test_rie_is_the_gap_plus_the_cost_of_hidden_rules(scores):
    episodes = balanced(scores)
    told = [
        record(e.score, world=e.spec.world, suite=e.spec.suite, repetition=e.spec.repetition,
               disclosure="disclosed", agent="react_rules")
        for e in reversed(balanced(scores[::-1])) if e.spec.suite != "vanilla"
    ]  # fmt: skip
    cells = cells_of([*episodes, *told])
    parts = split(cells, select(cells, agents=["react"]))
    value = {name: e.value for name, contrast in parts.items() if (e := sr(contrast, cells))}
    assert value["rie"] == pytest.approx(value["gap"] + value["delta"])
    assert value["delta"] == pytest.approx(value["disclosed"] - value["hidden"])


def test_the_split_leaves_out_suites_that_were_not_played_in_all_three_ways():
    cells = cells_of(
        [record(100), record(0, suite="M01"), record(0, suite="M02"),
         record(100, suite="M02", disclosure="disclosed")]
    )  # fmt: skip
    parts = split(cells, select(cells))
    assert {key.suite for key in parts["hidden"]} == {"M02"}
    assert split(cells, select(cells, suites=["M01"]))["delta"] == {}


def test_a_contrast_of_nothing_is_missing_and_not_zero():
    assert sr({}, {}) is None
    assert score({}, {}) is None
    assert half_width({}, {}) is None
    cells = cells_of([record(100, suite="M01")])  # no Vanilla twin
    assert rie(cells, cells) == {}


def test_a_cell_of_one_episode_has_no_interval():
    key, other = Key("vanilla", "t", "a", None), Key("M01", "t", "a", None)
    assert (
        half_width(
            minus(mean_of([key]), mean_of([other])), {key: Cell(1, 1, 100), other: Cell(9, 4, 500)}
        )
        is None
    )
    both = {key: Cell(9, 5, 700), other: Cell(9, 4, 500)}
    assert half_width(minus(mean_of([key]), mean_of([other])), both) == pytest.approx(
        196 * (2 * 20 / 81 / 9) ** 0.5
    )
