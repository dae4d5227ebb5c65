"""Whether what a server dropped fits the rulebook's exact distribution: Pearson's chi-square."""

from collections import Counter
from math import sqrt
from typing import Any

from mirrorcraft.core.loot import Distribution

Z = 3.72  # of a normal distribution: a true one is doubted once in ten thousand


def by_content(distribution: Distribution) -> dict[tuple[tuple[str, int], ...], float]:
    """Return the chance of each content: (item, count) sorted, whatever stacks it comes in."""
    merged: dict[tuple[tuple[str, int], ...], float] = {}
    for stacks, chance in distribution.items():
        total: Counter[str] = Counter()
        for item, count in stacks:
            total[item] += count
        content = tuple(sorted(total.items()))
        merged[content] = merged.get(content, 0.0) + float(chance)
    return merged


def chi_square(seen: Counter[Any], expected: dict[Any, float], n: int) -> tuple[float, float]:
    """Return the statistic of ``n`` draws, and the bound that it exceeds once in ten thousand.

    Outcomes that are expected fewer than five times are put together.
    """
    groups: list[list[float]] = []
    rest = [0.0, 0.0]
    for outcome, chance in expected.items():
        pair = [seen[outcome], n * chance]
        if pair[1] >= 5:
            groups.append(pair)
        else:
            rest = [rest[0] + pair[0], rest[1] + pair[1]]
    if rest[1] >= 1 or not groups:
        groups.append(rest)
    free = max(len(groups) - 1, 1)
    value = sum((got - want) ** 2 / want for got, want in groups)
    # Wilson and Hilferty: the cube root of chi-square is nearly normal.
    bound = free * (1 - 2 / (9 * free) + Z * sqrt(2 / (9 * free))) ** 3
    return value, bound
