"""The engineer on a language model: a loop of replies and tool calls."""

from contextlib import suppress
from typing import Any

from mirrorcraft.agents.model import Model
from mirrorcraft.agents.session import Session, Stopped, Terms
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.tracks.circuits.agents import Effort, Help
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.replies import Call, run_call
from mirrorcraft.tracks.circuits.scientist import investigate
from mirrorcraft.tracks.circuits.talk import Talk, complaint, terms

MAX_REPLIES = 200
"""Replies that an engineer may give in an attempt."""
LONGEST_NOTES = 2000
"""Characters of an engineer's notes that later tasks are shown."""

_ENGINEER = """You build redstone circuits in a laboratory and find out on your own how redstone works there.

Task: {task}
Region: {region}; under it lies a floor of stone. Blocks, and the properties that can be set:
{palette}
You may press the button {trials} times in all. A press shows raw changes of state; nobody tells you
whether the task is done. The build that stands when you are done is the one that counts.

Answer with JSON: one call, or a list of calls to run in order.
{{"tool": "set-block", "args": {{"x": 0, "y": 4, "z": 0, "block": "minecraft:stone"}}}}
Tools:
{tools}
{extra}"""


class ModelEngineer:
    """An engineer on a language model. It keeps nothing itself: what goes on to later tasks is in ``Help``.

    Args:
        model: what answers, such as an ``HttpModel`` or a ``ScriptedModel``.
        conditions: the model's settings, caps on an attempt, and prices.
        max_replies: replies it may give in an attempt.
    """

    def __init__(self, model: Model, conditions: Terms, max_replies: int = MAX_REPLIES):
        self._model, self._terms, self._max_replies = model, conditions, max_replies

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        effort = Effort()
        session = Session(self._model, self._terms, Rulebook.vanilla("1.19"))
        with suppress(Stopped):  # the account says why; what stands by then counts
            self._work(session, lab, help, effort)
        effort.usage, effort.calls = session.summary(), session.calls
        effort.tokens = session.usage.input + session.usage.output
        return effort

    def _work(self, session: Session, lab: Laboratory, help: Help, effort: Effort) -> None:
        talk = Talk(session, "engineer", _prompt(lab, help))
        talk.say("Begin.")
        changed, pressed = False, 0
        for _ in range(self._max_replies):
            calls, trouble = talk.calls()
            answers = [trouble] if trouble else []
            for call in calls:
                if call.tool == "done":
                    effort.notes = str(call.args.get("notes", ""))[:LONGEST_NOTES]
                    return
                before = lab.trials
                answers.append(self._answer(session, lab, help, call, effort))
                if call.tool == "set-block":
                    changed = True
                elif call.tool == "activate-button" and lab.trials > before:
                    effort.rebuilds += changed and pressed > 0
                    changed, pressed = False, pressed + 1
            talk.say("\n".join(answers))

    def _answer(
        self, session: Session, lab: Laboratory, help: Help, call: Call, effort: Effort
    ) -> str:
        if call.tool != "ask-scientist":
            return run_call(lab, call)
        question: Any = call.args.get("question")
        if not help.scientist or not isinstance(question, str):
            return complaint("ask-scientist needs a question, and a scientist to ask")
        return investigate(session, lab, help.book, question, effort)


def _prompt(lab: Laboratory, help: Help) -> str:
    extra = [
        '- done: {"notes"} -> you leave the build as it is; notes are shown to you in later tasks'
    ]
    if help.scientist:
        extra.append('- ask-scientist: {"question"} -> has it investigated; uses up presses')
    if help.hint:
        extra.append(f"\nA hint, where your knowledge may have a gap: {help.hint}")
    if help.book.entries:
        extra.append(f"\nKnowledge book:\n{help.book.text()}")
    if help.experience:
        extra.append("\nEarlier tasks:\n" + "\n".join(help.experience))
    return _ENGINEER.format(task=lab.task.task_description, extra="\n".join(extra), **terms(lab))
