"""Variances, tests and the bootstrap against tables, brute force and the laws they obey."""

from math import exp, gamma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.study.stats import (
    Estimate,
    Resampling,
    agresti_coull,
    chi_square_tail,
    heterogeneity,
    wald,
)


@pytest.mark.parametrize(
    ("x", "df", "p"),
    [
        (3.841, 1, 0.05),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (9.488, 4, 0.05),
        (11.070, 5, 0.05),
        (18.467, 4, 0.001),
        (20.515, 5, 0.001),
        (6.635, 1, 0.01),
        (29.588, 10, 0.001),
    ],
)
def test_the_chi_square_tail_gives_the_printed_critical_values(x: float, df: int, p: float):
    assert chi_square_tail(x, df) == pytest.approx(p, rel=2e-3)


@given(st.integers(1, 12), st.floats(0.5, 60))
def test_the_chi_square_tail_is_the_integral_of_its_density(df: int, x: float):
    def density(t: np.ndarray) -> np.ndarray:
        return t ** (df / 2 - 1) * np.exp(-t / 2) / (2 ** (df / 2) * gamma(df / 2))

    points = np.linspace(x, x + 200, 400_001)
    area = float(((density(points[1:]) + density(points[:-1])) / 2 * np.diff(points)).sum())
    assert chi_square_tail(x, df) == pytest.approx(area, abs=1e-6)
    assert chi_square_tail(0, df) == pytest.approx(1)


@given(st.integers(1, 500), st.data())
def test_a_wald_variance_is_that_of_the_episodes_themselves(n: int, data):
    k = data.draw(st.integers(0, n))
    outcomes = np.array([1.0] * k + [0.0] * (n - k))
    assert wald(k, n) == pytest.approx(outcomes.var() / n)


@given(st.integers(1, 500), st.data())
def test_an_agresti_coull_variance_is_positive_and_symmetric(n: int, data):
    k = data.draw(st.integers(0, n))
    assert agresti_coull(k, n) > 0
    assert agresti_coull(k, n) == pytest.approx(agresti_coull(n - k, n))


def test_half_of_a_95_percent_interval_is_196_hundredths_of_the_deviation():
    assert Estimate(10.0, 4.0).half_width == pytest.approx(3.92)


def test_q_weighs_by_the_inverse_of_the_variances():
    # Weights 1 and 1/4 of 0 and 10: centre 2, so Q = 1 * 4 + 64 / 4.
    found = heterogeneity([Estimate(0, 1), Estimate(10, 4)])
    assert found is not None
    assert (found.q, found.df) == (pytest.approx(20), 1)
    assert found.p < 1e-4


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 50)), min_size=2, max_size=6))
def test_q_is_zero_for_equal_values_and_does_not_care_about_a_shift(raw):
    estimates = [Estimate(*pair) for pair in raw]
    shifted = [Estimate(e.value + 7, e.variance) for e in estimates]
    found, moved = heterogeneity(estimates), heterogeneity(shifted)
    assert found is not None
    assert moved is not None
    assert found.q >= 0
    assert moved.q == pytest.approx(found.q, abs=1e-6)
    level = heterogeneity([Estimate(3.0, v) for _, v in raw])
    assert level is not None
    assert level.q == pytest.approx(0, abs=1e-9)
    assert level.p == pytest.approx(1)


def test_q_is_missing_where_a_variance_is_zero_or_nothing_is_compared():
    assert heterogeneity([Estimate(1, 0), Estimate(2, 1)]) is None
    assert heterogeneity([Estimate(1, 1)]) is None


def test_the_bootstrap_draws_whole_worlds_with_their_stored_seed():
    values = {"a": [1.0, 2.0, 3.0], "b": [10.0], "c": [], "d": [4.0, 4.0]}
    resampling = Resampling(values, "study", resamples=200)
    assert resampling.seed == seed_from("bootstrap", "study")
    means, names = [], sorted(values)
    for draw in range(200):
        drawn = [names[below(4, resampling.seed, draw, place)] for place in range(4)]
        pool = [v for name in drawn for v in values[name]]
        if pool:
            means.append(sum(pool) / len(pool))
    expected = np.percentile(means, [2.5, 97.5])
    assert resampling.interval(values) == pytest.approx(tuple(expected))


def test_the_bootstrap_gives_no_interval_from_one_world():
    assert Resampling(["a", "b"], "study", resamples=50).interval({"a": [1.0, 2.0]}) is None
    assert Resampling([], "study", resamples=50).interval({}) is None


def test_the_same_name_gives_the_same_interval_and_another_name_another():
    values = {w: [float(i * i)] for i, w in enumerate("abcdef")}
    one, same = Resampling("abcdef", "x"), Resampling("fedcba", "x")
    assert one.interval(values) == same.interval(values)
    assert Resampling("abcdef", "y").interval(values) != one.interval(values)


def test_a_bootstrap_over_independent_worlds_comes_close_to_the_normal_interval():
    values = {f"w{i:02}": [exp(((i * 37) % 40) / 20)] for i in range(40)}
    numbers = np.array([v[0] for v in values.values()])
    found = Resampling(values, "normal").interval(values)
    assert found is not None
    around = 1.96 * numbers.std() / len(numbers) ** 0.5
    assert found[0] == pytest.approx(numbers.mean() - around, abs=0.15 * around)
    assert found[1] == pytest.approx(numbers.mean() + around, abs=0.15 * around)
