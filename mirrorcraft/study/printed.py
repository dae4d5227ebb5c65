"""One number of a paper beside ours, and when the two agree."""

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

from mirrorcraft.study.table import Table


class Row(NamedTuple):
    """One printed number. Printed values are rounded, ties both ways.

    Attributes:
        name: paper, table and place in it.
        published: as printed.
        recomputed: ours, in the same unit; None when its cells are not there.
        tolerance: how far the two may lie apart.
        excluded: why the number cannot follow from the published cells, or None.
    """

    name: str
    published: str
    recomputed: float | None
    tolerance: float
    excluded: str | None = None

    @property
    def number(self) -> float | None:
        """What was printed, without the sign of a bound such as ``<0.001``; None if no number."""
        try:
            number = float(self.published.lstrip("<>="))
        except ValueError:
            return None
        return number if isfinite(number) else None

    @property
    def agrees(self) -> bool:
        """Whether ours rounds to what was printed, or keeps a printed bound."""
        if self.recomputed is None or self.number is None:
            return False
        if self.published.startswith("<"):
            return self.recomputed < self.number
        if self.published.startswith(">"):
            return self.recomputed >= self.number - self.tolerance
        return abs(self.number - self.recomputed) <= self.tolerance + 1e-9

    def as_dict(self) -> dict[str, Any]:
        """Return the row JSON-ready; a bound stays text, everything else is a number."""
        bound = self.published.startswith(("<", ">"))
        return {
            "name": self.name,
            "published": self.published if bound else self.number,
            "recomputed": self.recomputed,
            "tolerance": self.tolerance,
            "agrees": self.agrees,
            "excluded": self.excluded,
        }


def half_a_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number."""
    digits = len(printed.partition(".")[2])
    return 0.5 * 10.0**-digits


def difference_table(rows: Iterable[Row]) -> Table:
    """Return the printed numbers that ours differ from, with the reason where it is known."""
    body = [
        (
            row.name,
            row.published,
            "-" if row.recomputed is None else f"{row.recomputed:.3f}",
            row.excluded or "NOT EXPLAINED",
        )
        for row in rows
        if not row.agrees
    ]
    return Table("Printed numbers that differ", ("number", "printed", "ours", "why"), body)
