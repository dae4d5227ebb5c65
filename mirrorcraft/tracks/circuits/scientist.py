"""The scientist on a language model: experiments on a question, a report, an entry of the knowledge book."""

import json

from mirrorcraft.agents.session import Session
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.agents import Effort
from mirrorcraft.tracks.circuits.book import FORMATS, PARTS, REPETITIONS, Book, Report
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.replies import Call, run_call
from mirrorcraft.tracks.circuits.talk import Talk, complaint, terms

MAX_REPLIES = 60
"""Replies that a scientist may give to a question."""
_TRIES = 3  # replies that may fail to be an entry of the book

_SCIENTIST = """You are a scientist in a redstone laboratory. You trust no prior belief about redstone: you find out
by controlled experiments. Change one thing at a time, keep a control, write everything down, and repeat
each experiment {repetitions} times. {trials} presses are left, and the engineer needs some of them.

Question: {question}
Region: {region}; under it lies a floor of stone. Blocks, and the properties that can be set:
{palette}
Known so far:
{book}
Earlier reports:
{reports}

Answer with JSON: one call, or a list of calls to run in order. Tools:
{tools}
- report: {{"parts": {{{parts}}}, "record": [{{"condition", "observed", "matches"}}, ...]}}, one row a trial,
  at least {repetitions} -> ends the experiment"""
_CONSOLIDATE = """Write what this experiment found into the knowledge book, for an engineer who was not there.
Answer with JSON: {{"title": a few words, "fields": {{{fields}}}}}. {advice}

The report:
{report}
The book so far:
{book}"""
_ADVICE = {
    "reports": "",
    "self-determined": "Summarise as you think best.",
    "finding-explanation-example": "State the finding, explain when and why it holds, and give one"
    " small example of its use.",
    "claim-proof-constraints-example": "Claim: a law, exact and assertive. Proof: the evidence and"
    " how the claim follows from it. Constraints: edge cases, assumptions, what was not tried."
    " Example: one concrete use.",
}


def investigate(
    session: Session, lab: Laboratory, book: Book, question: str, effort: Effort
) -> str:
    """Let a scientist look into a question, archive its report and update the book; return what it says.

    It works in a laboratory of its own that shares the budget of presses, so the engineer's build
    stays as it is.

    Raises:
        Stopped: a cap of the session is reached.
    """
    bench = lab.twin()
    try:
        report = _experiment(Talk(session, "scientist", _prompt(bench, book, question)), bench)
    finally:
        effort.scientist_trials += bench.trials - lab.trials
        lab.trials = bench.trials
    if report is None:
        return complaint("the scientist came to no report")
    book.reports.append(report)
    _consolidate(session, book, question, report)
    return book.text()


def _experiment(talk: Talk, bench: Laboratory) -> Report | None:
    talk.say("Begin.")
    for _ in range(MAX_REPLIES):
        calls, trouble = talk.calls()
        answers = [trouble] if trouble else []
        for call in calls:
            if call.tool == "report":
                report, trouble = _report(call)
                if report:
                    return report
                answers.append(trouble)
            else:
                answers.append(run_call(bench, call))
        talk.say("\n".join(answers))
    return None


def _report(call: Call) -> tuple[Report | None, str]:
    parts, record = call.args.get("parts"), call.args.get("record")
    if not isinstance(parts, dict) or not isinstance(record, list):
        return None, complaint("a report has parts, an object, and record, a list")
    if not all(isinstance(row, dict) for row in record):
        return None, complaint("each row of the record is an object")
    try:
        return Report({str(k): str(v) for k, v in parts.items()}, record), ""
    except InputError as e:
        return None, complaint(str(e))


def _consolidate(session: Session, book: Book, question: str, report: Report) -> None:
    """Update the book from a report; what no reply of three turns into an entry stays a report only."""
    if book.format == "reports":
        book.add(question, {"Report": report.text()})
        return
    fields = ", ".join(f'"{name}": text' for name in FORMATS[book.format])
    talk = Talk(session, "consolidation")
    talk.say(
        _CONSOLIDATE.format(
            fields=fields, advice=_ADVICE[book.format], report=report.text(), book=book.text()
        )
    )
    for _ in range(_TRIES):
        text = talk.reply()
        try:
            entry = json.loads(text[text.index("{") : text.rindex("}") + 1])
            book.add(str(entry["title"]), entry["fields"])
            return
        except (ValueError, KeyError, TypeError, InputError) as e:
            talk.say(complaint(str(e)))


def _prompt(bench: Laboratory, book: Book, question: str) -> str:
    reports = "\n".join(report.text() for report in book.reports[-3:]) or "none"
    parts = ", ".join(f'"{part}": text' for part in PARTS)
    return _SCIENTIST.format(
        question=question,
        book=book.text(),
        reports=reports,
        parts=parts,
        repetitions=REPETITIONS,
        **terms(bench),
    )
