"""A scientist that needs no model: it measures the physics of a laboratory by controlled trials.

Each experiment is built afresh, changes one thing against its control, and is repeated three times;
it ends as a report and as an entry of the book. Presses count towards the laboratory's budget.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.blocks import Pos
from mirrorcraft.tracks.circuits.book import FORMATS, REPETITIONS, Book, Report
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.physics import CONDUCTORS

Events = list[dict[str, Any]]
_BUTTON, _FIRST, _SECOND, _FAR, _LAMP, _TORCH = (
    (-6, 4, 0),
    (-5, 4, 0),
    (-4, 4, 0),
    (-2, 4, 0),
    (-1, 4, 0),
    (-6, 4, 3),
)


def measure(lab: Laboratory, book: Book) -> None:
    """Measure what a builder needs to know and write it into a book; the laboratory is cleared.

    Raises:
        InputError: the budget is too small for twelve trials.
    """
    needed = REPETITIONS * (len(CONDUCTORS) + 1)
    if lab.trials_left < needed:
        raise InputError("scientist", "trials", lab.trials_left, f"{needed} presses left")
    found = [name for name in CONDUCTORS if _conducts(lab, book, name)]
    book.values["conductors"] = tuple(found)
    seen = [_press(lab, lambda: _bench(lab, found[0] if found else "stone")) for _ in range(3)]
    for name, read, question, example in _READINGS:
        results = [read(events) for events in seen]
        if None in results:  # a torch on a block that does not conduct has nothing to follow
            continue
        if len(set(results)) == 1:
            book.values[name] = results[0]
        _write(
            book, name, question, [(name, value, value == results[0]) for value in results], example
        )
    lab.reset()


def _press(lab: Laboratory, build: Callable[[], None]) -> Events:
    """Build in an empty region, press, and return the changes with ticks counted from the press."""
    lab.reset()
    build()
    told = lab.activate_button()
    return [{**event, "tick": event["tick"] - told["pressed_at"]} for event in told["events"]]


def _conducts(lab: Laboratory, book: Book, name: str) -> bool:
    """Find out whether a block under a button carries its power to dust beside the block."""

    def pedestal() -> None:
        lab.set_block(0, 4, 0, name)
        lab.set_block(0, 5, 0, "stone_button")
        lab.set_block(1, 4, 0, "redstone_wire")

    powers = [_at((1, 4, 0), _press(lab, pedestal), "power=0") for _ in range(REPETITIONS)]
    results = [when is not None for when in powers]
    rows = [
        (f"button on {name}", "dust powered" if r else "dust dark", r == results[0])
        for r in results
    ]
    question = f"Does {name} carry the power of a button on top of it to dust beside it?"
    _write(book, f"conductor {name}", question, rows, f"put the button of a circuit on a block that does: {results[0]}")  # fmt: skip
    return all(results)


def _bench(lab: Laboratory, block: str) -> None:
    """Build the bench: a button that feeds dust, a repeater and a lamp, and an inverter."""
    lab.set_block(*_BUTTON, "stone_button")
    for pos in (_FIRST, _SECOND, _FAR, (-6, 4, 1)):
        lab.set_block(*pos, "redstone_wire")
    lab.set_block(-3, 4, 0, "repeater", {"facing": "west", "delay": 1})
    lab.set_block(*_LAMP, "redstone_lamp")
    lab.set_block(-6, 4, 2, block)
    lab.set_block(*_TORCH, "redstone_wall_torch", {"facing": "south"})


def _at(pos: Pos, events: Events, before: str) -> int | None:
    """Return when a cell first left a state, None when it did not."""
    return next((e["tick"] for e in events if e["pos"] == list(pos) and e["from"] == before), None)


def _between(first: tuple[Pos, str], then: tuple[Pos, str]) -> Callable[[Events], int | None]:
    def read(events: Events) -> int | None:
        start, end = _at(first[0], events, first[1]), _at(then[0], events, then[1])
        return None if start is None or end is None else end - start

    return read


def _decay(events: Events) -> int | None:
    first, second = (
        next((e["to"] for e in events if e["pos"] == list(pos)), None) for pos in (_FIRST, _SECOND)
    )
    if first is None or second is None:
        return None
    return int(first.removeprefix("power=")) - int(second.removeprefix("power="))


_READINGS: tuple[tuple[str, Callable[[Events], int | None], str, str], ...] = (
    (
        "dust_decay",
        _decay,
        "How much strength does a signal lose from one dust to the next?",
        "a line reaches 15 divided by that many cells before it needs a repeater",
    ),
    (
        "button_gt",
        _between((_BUTTON, "powered=false"), (_BUTTON, "powered=true")),
        "For how many game ticks does a stone button stay pressed?",
        "what hangs on the button is powered for that long",
    ),
    (
        "repeater_gt",
        _between((_SECOND, "power=0"), (_FAR, "power=0")),
        "For how many game ticks does a repeater of setting 1 hold a signal back?",
        "a setting of n holds it back n times as long",
    ),
    (
        "lamp_off_gt",
        _between((_FAR, "power=15"), (_LAMP, "lit=true")),
        "For how many game ticks does a lamp stay lit after it has lost power?",
        "a lamp is lit for that much longer than it is powered",
    ),
    (
        "torch_gt",
        _between((_BUTTON, "powered=false"), (_TORCH, "lit=true")),
        "How many game ticks after its block was powered does a torch go out?",
        "an inverter is late by that much",
    ),
)


def _write(
    book: Book, title: str, question: str, rows: Sequence[tuple[str, object, bool]], example: str
) -> None:
    """Archive a report and consolidate it into the book, in the book's format."""
    result = rows[0][1]
    same = all(row[2] for row in rows)
    claim = f"{question} Measured: {result}."
    record = [{"condition": c, "observed": o, "matches": "yes" if m else "no"} for c, o, m in rows]
    report = Report(
        {
            "Research Question": question,
            "Hypothesis": "The answer is the same in every trial.",
            "Experiment Design": "Varied: the part named in the question. Measured: raw changes of"
            " state after a press. Kept: everything else. Control: the state before the press.",
            "Experiment Steps": "Clear the region, build, press, read the events; repeat.",
            "Experiment Record": f"{len(rows)} trials.",
            "Experiment Results": f"{'Completely' if same else 'In'}correct: observed {result}.",
            "Analysis & Summary": claim if same else f"{question} The trials differ.",
            "Next Steps": "None needed." if same else "Find out what differs between the trials.",
        },
        record,
    )
    book.reports.append(report)
    proof = f"{len(rows)} of {len(rows)} trials showed it, each built afresh."
    limits = "Measured at rest, with one button, and nothing else near."
    texts = {
        "Report": report.text(),
        "Summary": f"{claim} {proof}",
        "Finding": claim,
        "Explanation": f"{proof} {limits}",
        "Claim": claim,
        "Proof": proof,
        "Constraints": limits,
        "Example": f"For instance, {example}.",
    }
    book.add(title, {name: texts[name] for name in FORMATS[book.format]})
