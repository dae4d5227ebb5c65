"""Reflexion: ReAct with temporary lessons that a reflector draws from failures (paper v2, appendix E)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mirrorcraft.agents.aims import words
from mirrorcraft.agents.history import Transition
from mirrorcraft.agents.react import ReactAgent
from mirrorcraft.agents.replies import Chosen
from mirrorcraft.agents.view import shortened
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook

LESSONS, REVIEWS = 3, 6  # at once, an episode
RETENTION = 16  # actions that a lesson stays
# The paper gives no thresholds for the four triggers; these are ours.
FAILURES = 2  # times in a row that an action fails for a review
STALL = 8  # actions without a new kind of item or Score for a review
SCHEDULE = 20  # actions between reviews without any other cause
SEGMENT = 6  # transitions that the reflector is shown
_TEXTS = ("failure_type", "diagnosis", "next_subgoal", "expiry_condition")
_LISTS = ("avoid", "try")
_SHOWN = ("skill", "args", "ok", "reason", "result", "delta")


class Lesson(NamedTuple):
    """A correction of the strategy, for a while.

    Attributes:
        fields: what the prompt shows: ``failure_type``, ``evidence``, ``diagnosis``, ``next_subgoal``,
            ``avoid``, ``try``, ``expiry_condition``.
        made: number of the action after which it was made.
        score: Score at that time.
        owned: kinds of items owned at that time.
        operation: the failed action that gave cause, or None.
    """

    fields: dict[str, Any]
    made: int
    score: int
    owned: frozenset[str]
    operation: str | None


class ReflexionAgent(ReactAgent):
    """ReAct with at most three lessons, from at most six reviews an episode."""

    prompt = "reflexion"

    def begin(self, rules: Rulebook | None) -> None:
        self.lessons: list[Lesson] = []
        self.reviews = 0
        self.causes: list[str] = []  # of the reviews, in order
        self._reviewed = 0  # number of the action of the last review
        self._stalled_at: int | None = None  # gain at which a stall was already reviewed

    def notice(self, step: Transition) -> None:
        self.lessons = [one for one in self.lessons if not expired(one, step)]
        self._last = step

    def decide(self, now: Observation) -> Chosen:
        cause = self._cause()
        if cause is not None and self.reviews < REVIEWS:
            self._review(now, cause)
        return super().decide(now)

    def extra(self, now: Observation) -> Mapping[str, Any]:
        return {"lessons": [one.fields for one in self.lessons]}

    def mechanisms(self) -> dict[str, Any]:
        return {"reviews": self.reviews, "causes": self.causes}

    def _cause(self) -> str | None:
        """Return why a review is due: repeated failure, conflict, stall or schedule; None if it is not."""
        past = self.history
        number = len(past.transitions)
        if number == 0 or number == self._reviewed:
            return None
        repeated = past.repeated_failure()
        if repeated and repeated[0] % FAILURES == 0:
            return "repeated_failure"
        if past.failure_cycle() and number - self._reviewed >= FAILURES:
            return "repeated_failure"
        if past.surprised and past.surprised[-1] == number:
            return "conflicting_evidence"
        gain = number - past.steps_without_gain()
        if past.steps_without_gain() >= STALL and gain != self._stalled_at:
            self._stalled_at = gain
            return "stalled_progress"
        return "scheduled" if number - self._reviewed >= SCHEDULE else None

    def _review(self, now: Observation, cause: str) -> None:
        self.reviews += 1
        self.causes.append(cause)
        self._reviewed = len(self.history.transitions)
        segment = self.history.recent(SEGMENT)
        evidence = {
            "trigger": cause,
            "steps": [segment[0].number, segment[-1].number],
            "last_action": segment[-1].operation,
            "reason": segment[-1].last["reason"],
            "failed": sum(not s.last["ok"] for s in segment),
            "score": now.progress["score"],
            "actions_without_gain": self.history.steps_without_gain(),
        }
        rows = [
            {"number": s.number, "thought": s.thought, **{k: s.last[k] for k in _SHOWN}}
            for s in segment
        ]
        shown = {"evidence": evidence, "segment": rows, "with_last": True}
        answer = self.ask_object("reflection", now, _is_lesson, "reflector", **shown)
        if answer is None:
            return
        fields = {k: shortened(str(answer[k])) for k in _TEXTS}
        fields |= {k: [shortened(str(v)) for v in answer[k]][:5] for k in _LISTS}
        operation = None if segment[-1].last["ok"] else segment[-1].operation
        # A lesson on the same failed action is revised, not doubled.
        kept = [x for x in self.lessons if operation is None or x.operation != operation]
        lesson = Lesson(
            fields | {"evidence": evidence}, self._reviewed, now.progress["score"],
            frozenset(now.inventory), operation,
        )  # fmt: skip
        self.lessons = [*kept, lesson][-LESSONS:]


def expired(lesson: Lesson, step: Transition) -> bool:
    """Return whether a lesson has served: by age, a new milestone, its action going well, or its item being had."""
    if step.number - lesson.made >= RETENTION or step.after.progress["score"] > lesson.score:
        return True
    if step.last["ok"] and step.operation == lesson.operation:
        return True
    new = step.after.inventory.keys() - lesson.owned
    aim = f"{lesson.fields['next_subgoal']} {lesson.fields['expiry_condition']}"
    return bool(new & words(aim))


def _is_lesson(answer: dict[str, Any]) -> bool:
    texts = all(isinstance(answer.get(k), str) and answer[k].strip() for k in _TEXTS)
    return texts and all(isinstance(answer.get(k), list) for k in _LISTS)
