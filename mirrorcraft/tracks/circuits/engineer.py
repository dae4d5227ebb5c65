"""The engineer and the scientist on a language model, each a loop of replies and tool calls."""

import json
from typing import Any

from mirrorcraft.agents.model import ContextTooLong, Model
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.agents import Effort, Help
from mirrorcraft.tracks.circuits.book import FORMATS, PARTS, REPETITIONS, Book, Report
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.replies import TOOLS, Call, parse_calls, run_call

MAX_CALLS = 200
"""Replies that an engineer may give in an attempt."""
MAX_EXPERIMENT = 60
"""Replies that a scientist may give to a question."""

_ENGINEER = """You build redstone circuits in a laboratory and find out on your own how redstone works there.

Task: {task}
Region: {region}; under it lies a floor of stone. Palette: {palette}.
You may press the button {trials} times in all. A press shows raw changes of state; nobody tells you
whether the task is done. The build that stands when you are done is the one that counts.

Answer with JSON: one call, or a list of calls to run in order.
{{"tool": "set-block", "args": {{"x": 0, "y": 4, "z": 0, "block": "minecraft:stone"}}}}
Tools:
{tools}
{extra}"""
_SCIENTIST = """You are a scientist in a redstone laboratory. You trust no prior belief about redstone: you find out
by controlled experiments. Change one thing at a time, keep a control, write everything down, and repeat
each experiment {repetitions} times. {trials} presses are left, and the engineer needs some of them.

Question: {question}
Region: {region}; under it lies a floor of stone. Palette: {palette}.
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


class ModelEngineer:
    """An engineer on a language model; what it did in earlier tasks of a run, it remembers in a line each.

    Args:
        model: what answers, such as an ``HttpModel`` or a ``ScriptedModel``.
        max_calls: replies it may give in an attempt.
    """

    def __init__(self, model: Model, max_calls: int = MAX_CALLS):
        self._model, self._max_calls = model, max_calls
        self._experience: list[str] = []

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        effort = Effort()
        messages = [_said("system", self._prompt(lab, help)), _said("user", "Begin.")]
        changed, pressed = False, 0
        for _ in range(self._max_calls):
            calls, complaint = _ask(self._model, messages, effort)
            answers = [complaint] if complaint else []
            for call in calls:
                if call.tool == "done":
                    break
                before = lab.trials
                answers.append(self._answer(lab, help, call, effort))
                if call.tool == "set-block":
                    changed = True
                elif call.tool == "activate-button" and lab.trials > before:
                    effort.rebuilds += changed and pressed > 0
                    changed, pressed = False, pressed + 1
            if any(call.tool == "done" for call in calls):
                break
            messages.append(_said("user", "\n".join(answers)))
        self._experience.append(_remembered(lab))
        return effort

    def _prompt(self, lab: Laboratory, help: Help) -> str:
        extra = ["- done: {} -> you leave the build as it is"]
        if help.scientist:
            extra.append('- ask-scientist: {"question"} -> has it investigated; uses up presses')
        if help.hint:
            extra.append(f"\nA hint, where your knowledge may have a gap: {help.hint}")
        if help.book.entries:
            extra.append(f"\nKnowledge book:\n{help.book.text()}")
        if self._experience:
            extra.append("\nEarlier tasks:\n" + "\n".join(self._experience))
        return _ENGINEER.format(
            task=lab.task.task_description, extra="\n".join(extra), **_terms(lab)
        )

    def _answer(self, lab: Laboratory, help: Help, call: Call, effort: Effort) -> str:
        if call.tool != "ask-scientist":
            return run_call(lab, call)
        question = call.args.get("question")
        if not help.scientist or not isinstance(question, str):
            return json.dumps({"error": "ask-scientist needs a question, and a scientist to ask"})
        return investigate(self._model, lab, help.book, question, effort)


def investigate(model: Model, lab: Laboratory, book: Book, question: str, effort: Effort) -> str:
    """Let a scientist look into a question, archive its report and update the book; return what it says.

    It works in a laboratory of its own that shares the budget of presses, so the engineer's build
    stays as it is.
    """
    bench = lab.twin()
    messages = [_said("system", _scientist_prompt(bench, book, question)), _said("user", "Begin.")]
    report = None
    for _ in range(MAX_EXPERIMENT):
        calls, complaint = _ask(model, messages, effort)
        answers = [complaint] if complaint else []
        for call in calls:
            if call.tool == "report":
                report, complaint = _report(call)
                answers.append(complaint)
            else:
                answers.append(run_call(bench, call))
        if report:
            break
        messages.append(_said("user", "\n".join(answers)))
    effort.scientist_trials += bench.trials - lab.trials
    lab.trials = bench.trials
    if report is None:
        return json.dumps({"error": "the scientist came to no report"})
    book.reports.append(report)
    _consolidate(model, book, question, report, effort)
    return book.text()


def _report(call: Call) -> tuple[Report | None, str]:
    parts, record = call.args.get("parts"), call.args.get("record")
    if not isinstance(parts, dict) or not isinstance(record, list):
        return None, json.dumps({"error": "a report has parts, an object, and record, a list"})
    if not all(isinstance(row, dict) for row in record):
        return None, json.dumps({"error": "each row of the record is an object"})
    try:
        return Report({str(k): str(v) for k, v in parts.items()}, record), ""
    except InputError as e:
        return None, json.dumps({"error": str(e)})


def _consolidate(model: Model, book: Book, question: str, report: Report, effort: Effort) -> None:
    """Update the book from a report; what no reply of three turns into an entry stays a report only."""
    if book.format == "reports":
        book.add(question, {"Report": report.text()})
        return
    fields = ", ".join(f'"{name}": text' for name in FORMATS[book.format])
    messages = [
        _said(
            "user",
            _CONSOLIDATE.format(
                fields=fields, advice=_ADVICE[book.format], report=report.text(), book=book.text()
            ),
        )
    ]
    for _ in range(3):
        text = _reply(model, messages, effort)
        try:
            entry = json.loads(text[text.index("{") : text.rindex("}") + 1])
            book.add(str(entry["title"]), entry["fields"])
            return
        except (ValueError, KeyError, TypeError, InputError) as e:
            messages.append(_said("user", json.dumps({"error": str(e)})))


def _ask(model: Model, messages: list[dict[str, str]], effort: Effort) -> tuple[list[Call], str]:
    """Return the calls of the next reply, or none and a complaint to answer it with."""
    text = _reply(model, messages, effort)
    try:
        return parse_calls(text), ""
    except InputError as e:
        return [], json.dumps({"error": str(e)})


def _reply(model: Model, messages: list[dict[str, str]], effort: Effort) -> str:
    """Append the model's reply to the messages; the oldest exchanges go when they no longer fit."""
    while True:
        try:
            reply = model.ask(tuple(messages))
            break
        except ContextTooLong:
            if len(messages) <= 3:
                raise
            del messages[1:3]
    effort.tokens += reply.usage.input + reply.usage.output
    effort.calls += 1
    messages.append(_said("assistant", reply.text))
    return reply.text


def _scientist_prompt(bench: Laboratory, book: Book, question: str) -> str:
    reports = "\n".join(report.text() for report in book.reports[-3:]) or "none"
    parts = ", ".join(f'"{part}": text' for part in PARTS)
    return _SCIENTIST.format(
        question=question,
        book=book.text(),
        reports=reports,
        parts=parts,
        repetitions=REPETITIONS,
        **_terms(bench),
    )


def _terms(lab: Laboratory) -> dict[str, Any]:
    return {
        "region": lab.task.world,
        "palette": ", ".join(lab.task.allowed_blocks),
        "trials": lab.trials_left,
        "tools": "\n".join(f"- {name}: {text}" for name, text in TOOLS.items()),
    }


def _remembered(lab: Laboratory) -> str:
    return f"- {lab.task.task_name}: {lab.trials} presses, {len(lab.build().blocks)} blocks stand"


def _said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}
