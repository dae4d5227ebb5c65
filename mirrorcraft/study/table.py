"""A table as it is read: texts in rows, which a terminal and a page lay out each in their way."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """A table as it is read.

    Attributes:
        title: what it shows.
        columns: their names; the first column names the rows.
        rows: as many texts each as there are columns.
        note: what a reader has to know besides.
        words: how many columns, from the left, hold words and not numbers.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    words: int = 1
