"""Intervals and tests by formula: binomial variances, heterogeneity Q, a bootstrap over worlds.

The paper's intervals treat episodes as independent (v2, section 4.1). Episodes of one world are
not, so the bootstrap draws whole worlds; its seed is stored beside what it gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import erfc, exp, gamma, sqrt
from typing import NamedTuple

import numpy as np

from mirrorcraft.core.rng import below, seed_from

Z = 1.96  # the two-sided 95 % point, as the paper rounds it
RESAMPLES = 2000
Variance = Callable[[int, int], float]


class Estimate(NamedTuple):
    """A number with the variance of its sampling, in the same unit and its square.

    Attributes:
        value: such as percentage points.
        variance: of ``value``.
    """

    value: float
    variance: float

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval, by the normal distribution."""
        return Z * sqrt(self.variance)


class Heterogeneity(NamedTuple):
    """Whether several estimates differ by more than their variances explain.

    Attributes:
        q: sum of squared distances from the weighted mean, each over its variance.
        df: degrees of freedom, one less than the estimates.
        p: chance of at least ``q`` when nothing differs (chi-square).
    """

    q: float
    df: int
    p: float


def wald(successes: int, n: int) -> float:
    """Return the variance of a proportion, p(1-p)/n."""
    p = successes / n
    return p * (1 - p) / n


def agresti_coull(successes: int, n: int) -> float:
    """Return the variance of a proportion after z**2/2 more successes and failures; never 0."""
    total = n + Z * Z
    p = (successes + Z * Z / 2) / total
    return p * (1 - p) / total


def heterogeneity(estimates: Sequence[Estimate]) -> Heterogeneity | None:
    """Return the inverse-variance Q of estimates; None for fewer than two or one of variance 0."""
    if len(estimates) < 2 or any(e.variance <= 0 for e in estimates):
        return None
    weights = [1 / e.variance for e in estimates]
    center = sum(w * e.value for w, e in zip(weights, estimates, strict=True)) / sum(weights)
    q = sum(w * (e.value - center) ** 2 for w, e in zip(weights, estimates, strict=True))
    df = len(estimates) - 1
    return Heterogeneity(q, df, chi_square_tail(q, df))


def chi_square_tail(x: float, df: int) -> float:
    """Return the chance that a chi-square variable with ``df`` degrees of freedom exceeds ``x``."""
    half = x / 2
    tail, reached = (erfc(sqrt(half)), 1) if df % 2 else (exp(-half), 2)
    while reached < df:
        tail += half ** (reached / 2) * exp(-half) / gamma(reached / 2 + 1)
        reached += 2
    return tail


class Resampling:
    """Draws of worlds with replacement, the same for every number of a report.

    Args:
        worlds: names; their order does not matter.
        name: what the seed is made of, such as the study's name.
        resamples: how many draws.

    Attributes:
        seed: from ``name`` alone.
        resamples: how many draws.
    """

    def __init__(self, worlds: Iterable[str], name: str, resamples: int = RESAMPLES):
        self.seed, self.resamples = seed_from("bootstrap", name), resamples
        self._worlds = sorted(set(worlds))
        count = len(self._worlds)
        drawn = [
            [below(count, self.seed, draw, place) for place in range(count)]
            for draw in range(resamples)
        ]
        rows = np.array(drawn, np.int64).reshape(resamples, count)
        self._times = np.array([np.bincount(row, minlength=count) for row in rows])

    def interval(self, values: Mapping[str, Sequence[float]]) -> tuple[float, float] | None:
        """Return the 95 % percentile interval of the mean over all values, clustered by world.

        Args:
            values: world to its values; a world of no values may be left out.

        Returns:
            Low and high, or None where fewer than two worlds have values.
        """
        sums = np.array([sum(values.get(w, ())) for w in self._worlds], float)
        counts = np.array([len(values.get(w, ())) for w in self._worlds], float)
        if np.count_nonzero(counts) < 2:
            return None
        total = self._times @ counts
        means = (self._times @ sums)[total > 0] / total[total > 0]
        low, high = np.percentile(means, [2.5, 97.5])
        return float(low), float(high)
