"""A planner with vanilla beliefs that is set up anew from every prompt: what it wants to do next, and why."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mirrorcraft.agents.prompt_state import PromptState
from mirrorcraft.agents.setbacks import operation_of
from mirrorcraft.agents.walker import Walker
from mirrorcraft.core.action import Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.routes import PlanStep


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
            self.setbacks.recall(entry, entry["failures"] - is_last, now)
        remedy = None
        if last is not None:
            outcome = {"ok": False, "result": {}, "delta": {}, **last}
            remedy = self.setbacks.remedy(outcome, now)
        return remedy or self._go_on(now) or Action("wait", {"ticks": 1})


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
