"""The simplex method in exact fractions, for the small systems that recipe loops make."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Row = Mapping[int, Fraction]


def maximise(goal: Row, rows: Sequence[Row]) -> dict[int, Fraction]:
    """Return the non-negative values that maximise a sum, where no row exceeds zero and all of them sum to one at most.

    Bland's rule picks the pivots, so the search ends although nearly all bounds are zero. Since nothing is rounded, an
    empty answer proves that no values reach a sum above zero.

    Args:
        goal: variable to its weight in the sum; variables are numbered from 0.
        rows: each a sum that must not exceed zero.

    Returns:
        Variable to value, zeros left out; empty if the best sum is zero.
    """
    size = 1 + max((j for row in (goal, *rows) for j in row), default=-1)
    table = [{j: v for j, v in row.items() if v} for row in rows]
    table.append(dict.fromkeys(range(size), Fraction(1)))
    limits = [*[Fraction(0)] * len(rows), Fraction(1)]
    basis = [size + k for k in range(len(table))]  # at first, the slack of each row
    for k, row in enumerate(table):
        row[basis[k]] = Fraction(1)
    gain = {j: v for j, v in goal.items() if v}
    while entering := [j for j, v in gain.items() if v > 0]:
        column = min(entering)
        ratios = [
            (limits[k] / row[column], basis[k], k)
            for k, row in enumerate(table)
            if row.get(column, 0) > 0
        ]
        pivot = min(ratios)[2]  # there is one: the last row bounds every variable
        _pivot(table, limits, gain, pivot, column)
        basis[pivot] = column
    found = {b: v for b, v in sorted(zip(basis, limits, strict=True)) if b < size and v}
    return found if sum(goal.get(j, 0) * v for j, v in found.items()) > 0 else {}


def _pivot(
    table: list[dict[int, Fraction]],
    limits: list[Fraction],
    gain: dict[int, Fraction],
    pivot: int,
    column: int,
) -> None:
    """Solve the pivot row for a column, and take that column out of all other rows."""
    factor = table[pivot][column]
    row = table[pivot] = {j: v / factor for j, v in table[pivot].items()}
    limits[pivot] /= factor
    for k, other in enumerate(table):
        if k != pivot and column in other:
            times = other[column]
            _subtract(other, row, times)
            limits[k] -= times * limits[pivot]
    if column in gain:
        _subtract(gain, row, gain[column])


def _subtract(row: dict[int, Fraction], other: dict[int, Fraction], times: Fraction) -> None:
    for j, v in other.items():
        left = row.get(j, Fraction(0)) - times * v
        if left:
            row[j] = left
        else:
            row.pop(j, None)
