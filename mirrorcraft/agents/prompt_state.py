"""Reads the state of an episode back from a prompt, for models and tools that see nothing but prompts."""

import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from mirrorcraft.agents.model import ModelRefused
from mirrorcraft.core.action import SKILLS
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.task import Task

# A field is a line "LABEL: JSON" or "LABEL (remark): JSON"; not all prompts use the same labels.
_FIELD = re.compile(r"^([A-Z][A-Za-z_ -]*?)(?: \([^)\n]*\))?: (.*)$", re.MULTILINE)
_ADVANCEMENT = re.compile(r"\(([a-z_]+/[a-z_]+)\)")
_LABELS = {
    "inventory": ("INVENTORY", "Inventory"),
    "budget": ("ACTION_BUDGET",),
    "equipped": ("EQUIPPED",),
    "experience": ("EXPERIENCE",),
    "survival": ("SURVIVAL",),
    "targets": ("NEARBY_TARGETS", "NEARBY_BLOCKS", "Observed nearby targets"),
    "drops": ("NEARBY_DROPS",),
    "entities": ("NEARBY_ENTITIES", "Observed nearby entities"),
    "capabilities": ("CURRENT_CAPABILITIES", "Current capabilities"),
    "blocked": ("BLOCKED_ACTION_PREREQUISITES", "STILL_BLOCKED_ACTIONS", "Still-blocked actions"),
    "last": ("LAST_ACTION_FEEDBACK", "LATEST_VERIFIED_RESULT", "Last verified action feedback"),
    "blocker": ("CURRENT_BLOCKER",),
    "route": ("TASK_ROUTE",),
    "state": ("TASK_STATE", "Task state"),
}


class PromptState:
    """The fields of a user message.

    Args:
        user: the text of the message.
    """

    def __init__(self, user: str):
        self._fields: dict[str, str] = {}
        for label, text in _FIELD.findall(user):
            self._fields.setdefault(label, text)
        self._user = user

    def value(self, *labels: str) -> Any:
        """Return the JSON value of the first of some labels that the message has.

        Raises:
            ModelRefused: it has none of them, or no JSON there.
        """
        for label in labels:
            if label in self._fields:
                try:
                    return json.JSONDecoder().raw_decode(self._fields[label])[0]
                except ValueError:
                    break
        raise ModelRefused(f"offline/prior finds no {labels[0]} in the prompt")

    def _known(self, name: str, default: Any = None) -> Any:
        """Return a field by its name in ``_LABELS``, or the default where a prompt leaves it out."""
        labels = _LABELS[name]
        return self.value(*labels) if any(x in self._fields for x in labels) else default

    @cached_property
    def task(self) -> Task:
        """The task of the episode, known by its final advancement."""
        for text in (self._fields.get("GOAL", ""), self._fields.get("Task", ""), self._user):
            for advancement in _ADVANCEMENT.findall(text):
                if advancement in _tasks():
                    return _tasks()[advancement]
        raise ModelRefused("offline/prior finds the goal of no known task in the prompt")

    @cached_property
    def done(self) -> list[str]:
        """The milestones completed."""
        state = self._known("state")
        if state is not None:
            return [m for m, done in state["milestones"].items() if done]
        return [m["id"] for m in self._known("route", []) if m["done"]]

    @property
    def blocked(self) -> list[Mapping[str, Any]]:
        """The actions that are said to be still blocked."""
        return self._known("blocked", [])

    @property
    def failed(self) -> Mapping[str, Any] | None:
        """The last action with its reason if it failed, else None."""
        last = self._known("last") or self._known("blocker")
        return last if last and not last.get("ok", False) else None

    @property
    def depth(self) -> float:
        """How far below its greatest height the body is."""
        return self._known("capabilities", {}).get("depth", 0.0)

    @cached_property
    def observation(self) -> Observation:
        """The observation, as far as the prompt has it; heights count from the greatest so far."""
        done = self.done
        return Observation(
            task={"id": self.task.id},
            progress={"score": self.task.score(frozenset(done)), "done": done},
            budget=self._known("budget", {"used": 0, "left": self.task.budget}),
            inventory=self._known("inventory", {}),
            equipped=self._known("equipped", {}),
            experience=self._known("experience", {"level": 0}),
            survival=self._known("survival", {"health": 20, "food": 20, "alive": True}),
            position={"x": 0.0, "y": -self.depth, "z": 0.0},
            biome="",
            targets=self._known("targets", {}),
            drops=self._known("drops", {}),
            entities=self._known("entities", {}),
            facilities=self._known("capabilities", {}).get("stations", {}),
            last=None,
            skills=SKILLS,
        )


@cache
def _tasks() -> dict[str, Task]:
    return {Task.load(name).goal.id: Task.load(name) for name in Task.names()}
