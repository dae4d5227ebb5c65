"""The fields that prompts are filled with: an observation and its history, named as the prompts name them."""

from collections.abc import Mapping
from typing import Any

from mirrorcraft.agents.history import EFFECTS, History
from mirrorcraft.agents.prior import HYPOTHESES, capabilities, recipe_hypotheses
from mirrorcraft.core.data import body
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

# Kinds of blocks near, recipes, effects and steps that a prompt lists at most (None: as many as the
# configuration keeps), in full, and after a request did not fit the context of the model.
FULL = (60, HYPOTHESES, EFFECTS, None)
COMPACT = (24, 8, 6, 4)


class View:
    """Draws the fields of prompts for one episode.

    Args:
        vanilla: the unchanged rules, for what everyone knows.
        task: the task of the episode.
        history: what was seen so far; the agent adds to it.
    """

    def __init__(self, vanilla: Rulebook, task: Task, history: History):
        self.vanilla, self.task, self.history = vanilla, task, history

    def fields(self, now: Observation, *, trace: int = 0, compact: bool = False) -> dict[str, Any]:
        """Return all fields for a prompt in state ``now``.

        Args:
            now: the current observation.
            trace: transitions that the recent steps show.
            compact: shorten everything that can be long, after a request did not fit the model's context.
        """
        past, have = self.history, now.inventory
        near, recipes, effects, steps = COMPACT if compact else FULL
        nearest = sorted(now.targets, key=lambda b: (now.targets[b], b))[:near]
        stations = body()["stations"]
        return {
            **self._task_fields(now),
            **self._failure_fields(),
            "inventory": have,
            "equipped": now.equipped,
            "experience": now.experience,
            "survival": now.survival,
            "position": now.position,
            "biome": now.biome,
            "capabilities": capabilities(self.vanilla, now, past.highest),
            "facilities": now.facilities,
            "owned_facilities": {
                s: {"count": have[s], "action": {"skill": "place", "args": {"block": s}}}
                for s in stations if s in have
            },
            "targets": {b: now.targets[b] for b in nearest},
            "drops": now.drops,
            "entities": now.entities,
            "effects": past.verified_effects(effects),
            "recipes": recipe_hypotheses(self.vanilla, self.task, now, recipes),
            "transformations": past.actionable_transformations(),
            "unused": past.unused_output(),
            "last": now.last,
            "learned": past.learned_rules(),
            "recent": [recent_step(s) for s in past.recent(min(trace, steps or trace))],
            "skills": now.skills,
            "version": self.vanilla.version,
        }  # fmt: skip

    def _task_fields(self, now: Observation) -> dict[str, Any]:
        done = set(now.progress["done"])
        rows = [
            {"id": m.id, "title": m.title, "points": m.value, "description": m.description, "done": m.id in done}
            for m in self.task.milestones
        ]  # fmt: skip
        reached = [r["id"] for r in rows if r["done"]]
        return {
            "goal": f"{self.task.goal.title} ({self.task.goal.id})",
            "task_id": self.task.id,
            "route": rows,
            "next_milestone": next((r for r in rows if not r["done"]), None),
            "task_state": {
                "milestones": {r["id"]: r["done"] for r in rows},
                "next": next((r["id"] for r in rows if not r["done"]), None),
            },
            "budget": now.budget,
            "completed": now.progress["done"],
            "score": now.progress["score"],
            "highest": reached[-1] if reached else "none",
        }

    def _failure_fields(self) -> dict[str, Any]:
        past = self.history
        return {
            "blocker": past.current_blocker(),
            "blocked": past.still_blocked(),
            "repeated": past.repeated_failure(),
            "failure_cycle": past.failure_cycle(),
            "stagnation": past.stagnation_cycle(),
        }


def recent_step(step: Any) -> dict[str, Any]:
    """Return a transition as the recent steps of a prompt show it."""
    last = step.last
    return {
        "number": step.number,
        "thought": step.thought,
        "skill": last["skill"],
        "args": last["args"],
        "result": result_of(last),
    }


def result_of(last: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an action came to, without what can be said shorter."""
    row: dict[str, Any] = {"ok": last["ok"]}
    if last["reason"]:
        row["reason"] = last["reason"]
    if last["delta"]:
        row["delta"] = last["delta"]
    if last["result"]:
        row["result"] = last["result"]
    return row


def shortened(text: str, most: int = 240) -> str:
    """Return a text on one line, cut to ``most`` characters."""
    return " ".join(text.split())[:most]
