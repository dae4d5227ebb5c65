"""Voyager: programs of skills, a critic, and a library of what worked (paper v2, appendix E).

A program is a JSON list of skill calls. No code that a model writes is ever run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.agents.aims import words
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.history import Transition, as_json, distance
from mirrorcraft.agents.model import Messages
from mirrorcraft.agents.prompts import messages
from mirrorcraft.agents.replies import Chosen, flaw_of
from mirrorcraft.agents.view import result_of, shortened
from mirrorcraft.core.action import Action
from mirrorcraft.core.ids import strip
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook

MACRO_LENGTH, LIBRARY, RETRIEVED, REPAIRS = 4, 16, 5, 4
KINDS = (
    "inventory_at_least", "inventory_delta", "progress_increase", "facility_available",
    "target_visible", "position_change", "action_result", "state_change",
)  # fmt: skip


@dataclass
class Run:
    """A program under way.

    Attributes:
        program: ``name``, ``description``, ``subgoal``, ``success`` and ``actions``.
        start: the state before its first action.
        trace: the transitions of the actions that were run.
        failed: an action of it failed, so the rest is not run.
    """

    program: dict[str, Any]
    start: Observation
    trace: list[Transition] = field(default_factory=list)
    failed: bool = False

    @property
    def over(self) -> bool:
        """Whether no action is left to be run."""
        return self.failed or len(self.trace) >= len(self.program["actions"])


class VoyagerAgent(ModelAgent):
    """Writes programs of at most four skills, has them criticised, repairs them, and keeps those that worked."""

    prompt = "voyager"

    def begin(self, rules: Rulebook | None) -> None:
        self.library: dict[str, dict[str, Any]] = {}  # by name, the one used last at the end
        self.run: Run | None = None
        self.feedback: dict[str, Any] | None = None
        self.repairs = 0  # of the program at hand
        self.counts = dict.fromkeys(
            ("programs", "repairs", "verified", "reused", "fallbacks", "given_up"), 0
        )

    def notice(self, step: Transition) -> None:
        if self.run is not None:
            self.run.trace.append(step)
            self.run.failed = not step.last["ok"]

    def decide(self, now: Observation) -> Chosen:
        if self.run is not None and self.run.over:
            self._judge(self.run, now)
            self.run = None
        if self.run is None:
            program = self._write(now)
            if program is None:
                self.counts["fallbacks"] += 1
                self.feedback, self.repairs = None, 0
                return self.session.action("fallback", self.request(now, "voyager_fallback"))
            self.run = Run(program, now)
        call = self.run.program["actions"][len(self.run.trace)]
        action = Action(call["skill"], call["args"])
        return Chosen(action, {"thought": self.run.program["subgoal"]}, None, "")

    def extra(self, now: Observation) -> Mapping[str, Any]:
        return {
            "macro_length": MACRO_LENGTH,
            "retrieved": self.retrieve(now),
            "feedback": self.feedback,
        }

    def mechanisms(self) -> dict[str, Any]:
        return {**self.counts, "library": len(self.library)}

    # ---- writing
    def _write(self, now: Observation) -> dict[str, Any] | None:
        answer = self.ask_object("program", now, lambda a: self._program(a) is not None)
        program = self._program(answer) if answer else None
        if program is not None:
            self.counts["programs"] += 1
            self.counts["repairs"] += self.feedback is not None
            if program["name"] in self.library:
                self.counts["reused"] += program is self.library[program["name"]]
        return program

    def _program(self, answer: dict[str, Any]) -> dict[str, Any] | None:
        """Return the program of a reply: a stored one by name, or a new one of 1 to 4 usable actions."""
        given = answer.get("program")
        name = answer.get("reuse_skill") or (isinstance(given, dict) and given.get("reuse_skill"))
        if isinstance(name, str) and name in self.library:
            program = self.library[name]
            return None if self._failed_before(program) else program
        if not isinstance(given, dict) or not isinstance(given.get("actions"), list):
            return None
        actions = self._usable(given["actions"][:MACRO_LENGTH])
        success = given.get("success")
        success = success if isinstance(success, dict) and success.get("kind") in KINDS else {}
        program = {
            "name": shortened(
                str(given.get("name") or f"program_{self.counts['programs'] + 1}"), 60
            ),
            "description": shortened(str(given.get("description", ""))),
            "subgoal": shortened(str(given.get("subgoal", ""))),
            "success": {"kind": "state_change", **success},
            "actions": actions,
        }
        return program if actions and not self._failed_before(program) else None

    def _usable(self, calls: list[Any]) -> list[dict[str, Any]]:
        """Return the calls of a program up to the first that is no action."""
        usable: list[dict[str, Any]] = []
        for call in calls:
            if not isinstance(call, dict):
                break
            action = Action(str(call.get("skill")), call.get("args") or {})
            if flaw_of(action, self.vanilla) is not None:
                break
            usable.append({"skill": action.skill, "args": dict(action.args)})
        return usable

    def _failed_before(self, program: dict[str, Any]) -> bool:
        """Return whether a repair changes nothing."""
        return (
            self.feedback is not None and self.feedback["program"]["actions"] == program["actions"]
        )

    # ---- judging
    def _judge(self, run: Run, now: Observation) -> None:
        """Let check and critic judge a program; keep it, or ask for its repair."""
        checked = deterministic_check(run, now)
        criticism = self._criticise(run, now, checked)
        success = checked["passed"] and not run.failed and criticism.get("success", True)
        if success:
            self.counts["verified"] += 1
            self.feedback, self.repairs = None, 0
            self._store(run.program)
            return
        self.repairs += 1
        if self.repairs > REPAIRS:
            self.counts["given_up"] += 1
            self.feedback, self.repairs = None, 0
            return
        self.feedback = {
            "program": run.program,
            "execution": _trace(run),
            "check": checked,
            "critique": shortened(str(criticism.get("critique", ""))),
            "repair": self.repairs,
            "repairs_left": REPAIRS - self.repairs,
        }

    def _criticise(self, run: Run, now: Observation, checked: dict[str, Any]) -> dict[str, Any]:
        """Return the critic's answer, an empty one if it gives none that can be used."""

        def render(compact: bool, unusable: str | None) -> Messages:
            fields = {
                "program": run.program,
                "start_state": _state(run.start),
                "final_state": _state(now),
                "execution": _trace(run),
                "check": checked,
                "unreadable": unusable,
            }
            return messages("critic", fields)

        return self.session.object("critique", render, _is_verdict) or {}

    # ---- the library
    def _store(self, program: dict[str, Any]) -> None:
        self.library.pop(program["name"], None)
        self.library[program["name"]] = program
        while len(self.library) > LIBRARY:
            del self.library[next(iter(self.library))]

    def retrieve(self, now: Observation) -> list[dict[str, Any]]:
        """Return the stored programs that have most in common with what is wanted now, at most five."""
        goal = next((m for m in self.task.milestones if m.id not in now.progress["done"]), None)
        blocker = self.history.current_blocker()
        wanted = words(
            as_json([goal.description if goal else "", goal.id if goal else "", blocker])
        )
        wanted |= words(" ".join(now.inventory))
        entries = list(reversed(self.library.values()))  # the latest first among equals
        return sorted(entries, key=lambda p: -len(wanted & words(as_json(p))))[:RETRIEVED]


def deterministic_check(run: Run, now: Observation) -> dict[str, Any]:
    """Return whether a program's declared success can be seen in its states: ``kind``, ``passed``, ``observed``."""
    want, start = run.program["success"], run.start
    kind, item = want["kind"], strip(str(want.get("item") or want.get("target") or ""))
    count = want["count"] if isinstance(want.get("count"), int) else 1
    far = want["distance"] if isinstance(want.get("distance"), (int, float)) else 1
    facility = strip(str(want.get("facility") or item))
    owned, had = now.inventory.get(item, 0), start.inventory.get(item, 0)
    moved = round(distance(start, now), 1)
    seen = [item in now.targets, item in now.entities, item in now.drops]
    logs = item == "log" and any(t.endswith(("_log", "_stem")) for t in now.targets)
    results: dict[str, tuple[bool, Any]] = {
        "inventory_at_least": (owned >= count, owned),
        "inventory_delta": (owned - had >= count, owned - had),
        "progress_increase": (now.progress["score"] > start.progress["score"], now.progress["score"]),
        "facility_available": (facility in now.facilities, sorted(now.facilities)),
        "target_visible": (any(seen) or logs, any(seen) or logs),
        "position_change": (moved >= far, moved),
        "action_result": (bool(run.trace) and bool(run.trace[-1].last["ok"]), not run.failed),
        "state_change": (any(s.changed for s in run.trace), sum(s.changed for s in run.trace)),
    }  # fmt: skip
    passed, observed = results[kind]
    return {"kind": kind, "passed": passed, "observed": observed}


def _is_verdict(answer: dict[str, Any]) -> bool:
    return isinstance(answer.get("success"), bool)


def _trace(run: Run) -> list[dict[str, Any]]:
    return [
        {"skill": s.last["skill"], "args": s.last["args"], **result_of(s.last)} for s in run.trace
    ]


def _state(now: Observation) -> dict[str, Any]:
    return {
        "score": now.progress["score"],
        "inventory": now.inventory,
        "equipped": now.equipped,
        "facilities": now.facilities,
        "position": now.position,
    }
