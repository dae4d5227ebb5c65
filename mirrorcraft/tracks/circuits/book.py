"""What is known: the eight-part experiment report, and the knowledge book with its formats.

Parts and formats follow sections 4.1, 4.2 and appendix H of the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.core.errors import InputError

REPETITIONS = 3
"""How often a scientist repeats each experiment."""
PARTS = (
    "Research Question",
    "Hypothesis",
    "Experiment Design",
    "Experiment Steps",
    "Experiment Record",
    "Experiment Results",
    "Analysis & Summary",
    "Next Steps",
)
"""The parts of a report, in order."""
FORMATS: dict[str, tuple[str, ...]] = {
    "reports": ("Report",),
    "self-determined": ("Summary",),
    "finding-explanation-example": ("Finding", "Explanation", "Example"),
    "claim-proof-constraints-example": ("Claim", "Proof", "Constraints", "Example"),
}
"""Format of a book -> the fields of an entry; ``reports`` keeps the reports as they are."""
DEFAULT, STRUCTURED = "self-determined", "claim-proof-constraints-example"


@dataclass(frozen=True)
class Report:
    """An experiment report.

    Attributes:
        parts: part -> text, all of ``PARTS``.
        record: one row a trial: changed condition, observed result, whether it matches.
    """

    parts: Mapping[str, str]
    record: Sequence[Mapping[str, Any]]

    def __post_init__(self):
        for part in PARTS:
            if not str(self.parts.get(part, "")).strip():
                raise InputError("report", part, self.parts.get(part), "some text in each part")
        if len(self.record) < REPETITIONS:
            raise InputError("report", "record", len(self.record), f"at least {REPETITIONS} trials")

    def text(self) -> str:
        """Return the report as Markdown."""
        rows = [
            f"| {i} | {row.get('condition', '')} | {row.get('observed', '')} | {row.get('matches', '')} |"
            for i, row in enumerate(self.record, 1)
        ]
        table = "\n".join(
            ["| trial | condition | observed | as predicted |", "|---|---|---|---|", *rows]
        )
        sections = []
        for i, part in enumerate(PARTS, 1):
            tail = f"\n\n{table}" if part == "Experiment Record" else ""
            sections.append(f"## {i}. {part}\n\n{self.parts[part]}{tail}")
        return "\n\n".join(sections) + "\n"


@dataclass
class Book:
    """A knowledge book: entries of one format, the reports behind them, and measured numbers.

    Attributes:
        format: one of ``FORMATS``.
        entries: title -> field -> text; a later entry of the same title replaces an earlier one.
        reports: all reports, oldest first.
        values: fields of ``Physics`` that experiments found, for agents that compute.
    """

    format: str = STRUCTURED
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    reports: list[Report] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        if self.format not in FORMATS:
            raise InputError("book", "format", self.format, f"one of {', '.join(FORMATS)}")

    def add(self, title: str, fields: Mapping[str, str]) -> None:
        """Add an entry, or replace the one of that title.

        Raises:
            InputError: the fields are not those of the book's format, or one is empty.
        """
        wanted = FORMATS[self.format]
        if set(fields) != set(wanted) or not all(str(fields[name]).strip() for name in wanted):
            raise InputError(
                "book", title, dict(fields), f"the fields {', '.join(wanted)}, none empty"
            )
        self.entries[title] = {name: str(fields[name]) for name in wanted}

    def copy(self) -> "Book":
        """Return a book of the same content that can be written to on its own."""
        return Book(self.format, dict(self.entries), list(self.reports), dict(self.values))

    def since(self, earlier: "Book") -> dict[str, Any]:
        """Return what was added to an earlier state of this book, JSON-ready; nothing added is {}."""
        entries = {t: e for t, e in self.entries.items() if earlier.entries.get(t) != e}
        values = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.values.items()
            if earlier.values.get(name) != value
        }
        reports = [
            {"parts": dict(r.parts), "record": [dict(row) for row in r.record]}
            for r in self.reports[len(earlier.reports) :]
        ]
        found = {"entries": entries, "reports": reports, "values": values}
        return {name: part for name, part in found.items() if part}

    def take(self, learned: Mapping[str, Any]) -> None:
        """Add what ``since`` returned, also after it has been JSON.

        Raises:
            InputError: it holds an entry or a report that cannot be.
        """
        for title, fields in learned.get("entries", {}).items():
            self.add(title, fields)
        self.reports += [Report(r["parts"], r["record"]) for r in learned.get("reports", ())]
        for name, value in learned.get("values", {}).items():
            self.values[name] = tuple(value) if isinstance(value, list) else value

    def text(self) -> str:
        """Return the book as Markdown."""
        sections = [
            f"## {title}\n\n" + "\n\n".join(f"**{name}.** {text}" for name, text in entry.items())
            for title, entry in self.entries.items()
        ]
        return "\n\n".join(sections) + "\n" if sections else "The book is empty.\n"
