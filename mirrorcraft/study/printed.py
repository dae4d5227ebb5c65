"""One number of a paper beside ours, and when the two agree."""

from typing import Any, NamedTuple


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
    def agrees(self) -> bool:
        """Whether ours rounds to what was printed, or keeps a printed bound such as ``<0.001``."""
        if self.recomputed is None:
            return False
        bound = self.published.lstrip("<>=")
        if self.published.startswith("<"):
            return self.recomputed < float(bound)
        if self.published.startswith(">"):
            return self.recomputed >= float(bound) - self.tolerance
        return abs(float(self.published) - self.recomputed) <= self.tolerance + 1e-9

    def as_dict(self) -> dict[str, Any]:
        """Return the row JSON-ready; a bound stays text, everything else is a number."""
        bound = self.published[0] in "<>"
        return {
            "name": self.name,
            "published": self.published if bound else float(self.published),
            "recomputed": self.recomputed,
            "tolerance": self.tolerance,
            "agrees": self.agrees,
            "excluded": self.excluded,
        }


def half_a_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number."""
    digits = len(printed.partition(".")[2])
    return 0.5 * 10.0**-digits
