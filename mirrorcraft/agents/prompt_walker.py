"""A planner with vanilla beliefs that is set up anew from every prompt: what it wants to do next, and why."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mirrorcraft.agents.offline import Walker, operation_of, station_of
from mirrorcraft.agents.prompt_state import PromptState
from mirrorcraft.core.action import Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.routes import PlanStep

_ELSEWHERE = (Reason.NOT_FOUND, Reason.BLOCKED, Reason.NEEDS_TOOL, Reason.UNREACHABLE)
_GIVEN_UP = 3  # failures at a station after which another one is made


class Intent(NamedTuple):
    """An action that a planner wants.

    Attributes:
        skill: its skill.
        args: its arguments.
        aim: the id of what it brings about at once.
        why: the reason, in words.
        makes: items that it is to give.
    """

    skill: str
    args: Mapping[str, Any]
    aim: str
    why: str
    makes: Mapping[str, int]


def intents(state: PromptState) -> list[Intent]:
    """Return what to do now and what is planned after it; never empty."""
    walker = _FromPrompt()
    walker.reset(state.task, seed=0, rules=None)
    walker.surface = 0.0
    first = walker.next(state.observation, state.blocked, state.failed)
    queue = list(walker.queue)
    planned = walker.pending
    intent = _intent(first, planned.makes if planned else {}, planned, state)
    rest = queue[1:] if planned else queue
    return [intent, *(_intent(s.action, s.makes, s, state) for s in rest)]


class _FromPrompt(Walker):
    """A Walker whose memory of failures is what the prompt says is still blocked."""

    def next(
        self,
        now: Observation,
        blocked: list[Mapping[str, Any]],
        failed: Mapping[str, Any] | None,
    ) -> Action:
        last = None
        for entry in blocked:
            is_last = failed is not None and _same(entry, failed)
            last = entry if is_last else last
            self._recall(entry, entry["failures"] - is_last, now)
        remedy = None
        if last is not None:
            outcome = {"ok": False, "result": {}, "delta": {}, **last}
            remedy = self._remedy(now, outcome)
        return remedy or self._go_on(now) or Action("wait", {"ticks": 1})

    def _recall(self, entry: Mapping[str, Any], failures: int, now: Observation) -> None:
        """Take in an action that failed earlier and would fail again."""
        if failures <= 0:
            return
        skill, args, reason = entry["skill"], entry["args"], entry["reason"]
        self.failures[operation_of(skill, args)] = failures
        source = args.get("block") or args.get("target")
        if skill in ("mine", "attack") and reason in _ELSEWHERE and source:
            self.grudges[source] += failures
            self.hidden.add(source)
        if reason == Reason.STATION_UNREACHABLE:
            station = station_of(skill, args)
            self.failures[station] = failures
            if failures >= _GIVEN_UP:
                self.lost.add(station)
        if (
            skill in ("craft_grid", "smelt")
            and failures >= 2
            and reason in (Reason.NO_RESULT, Reason.NO_OUTPUT)
        ):
            self._doubt(now, skill, args)


def _same(entry: Mapping[str, Any], failed: Mapping[str, Any]) -> bool:
    same_args = operation_of(entry["skill"], entry["args"]) == operation_of(
        failed["skill"], failed["args"]
    )
    return same_args and entry["reason"] == failed["reason"]


def _intent(
    action: Action, makes: Mapping[str, int], step: PlanStep | None, state: PromptState
) -> Intent:
    made = next(iter(makes), None)
    args = action.args
    named = next((v for v in args.values() if isinstance(v, str)), None)
    aim = made or args.get("block") or args.get("target") or named or state.task.goal.id
    if action.skill == "enchant":
        aim = state.task.goal.id
    why = str(step) if step else f"{action.skill} towards {aim}"
    return Intent(action.skill, args, aim, why, makes)
