"""What an agent has seen in an episode, and what follows from it: the same for every configuration and rule set.

Everything here comes from observations. What a changed rule does shows up once an action has met it, never before.
"""

import json
from collections import deque
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from mirrorcraft.agents.beliefs import Beliefs
from mirrorcraft.agents.blocked import Blocker, prerequisite, relevant_state
from mirrorcraft.core.data import body
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook

EFFECTS = 24  # verified effects that are kept, the latest ones
BLOCKED = 12
LEARNED = 12
LONGEST_CYCLE = 3
STILL = 3  # actions without any change that make a stagnation cycle
_LONGEST_ARGS = 400  # characters


class Transition(NamedTuple):
    """One action of the episode and the observations around it.

    Attributes:
        number: 1, 2, 3, ...
        thought: what the agent gave as its reason; may be empty.
        last: the outcome as the observation after it shows it.
        before: the observation that the action was chosen in.
        after: the observation that it led to.
    """

    number: int
    thought: str
    last: Mapping[str, Any]
    before: Observation
    after: Observation

    @property
    def operation(self) -> str:
        """What is the same in two tries of one thing: skill and arguments without the count."""
        return operation(self.last["skill"], self.last["args"])

    @property
    def changed(self) -> bool:
        """Whether inventory, equipment, progress, reachable stations or the place differ after the action."""
        a, b = self.before, self.after
        same = (
            a.inventory == b.inventory
            and a.equipped == b.equipped
            and a.progress == b.progress
            and a.facilities.keys() == b.facilities.keys()
        )
        return not same or distance(a, b) > 2.0


class History:
    """The transitions of one episode and the sections of a prompt that are drawn from them.

    Args:
        vanilla: the rules of the game as everyone knows them; expectations come from here, in every world.
    """

    def __init__(self, vanilla: Rulebook):
        self.transitions: list[Transition] = []
        self.surprised: list[int] = []  # numbers of the actions whose outcome contradicted vanilla
        self.highest = 0.0  # greatest height of the body so far
        self._beliefs = Beliefs(vanilla)
        self._effects: dict[str, dict[str, Any]] = {}
        self._blocked: dict[str, tuple[Blocker, Hashable]] = {}
        self._thought = ""
        self._now: Observation | None = None
        self._gained: deque[int] = deque(
            maxlen=1
        )  # number of the last action that brought something new
        self._ever: set[str] = set()

    def think(self, thought: str) -> None:
        """Note the reason for the action that comes next."""
        self._thought = thought

    def add(self, now: Observation) -> Transition | None:
        """Take in an observation; return the transition that led to it, None at the start of an episode."""
        before, self._now = self._now, now
        self.highest = max(self.highest, now.position["y"]) if before else now.position["y"]
        if before is None or now.last is None:
            return None
        step = Transition(len(self.transitions) + 1, self._thought, now.last, before, now)
        self._thought = ""
        self.transitions.append(step)
        if self._beliefs.learn(now.last):
            self.surprised.append(step.number)
        self._note_effect(step)
        self._note_blocked(step)
        new = now.inventory.keys() - self._ever
        self._ever |= new
        if new or now.progress["score"] > before.progress["score"]:
            self._gained.append(step.number)
        return step

    def _note_effect(self, step: Transition) -> None:
        delta = step.last["delta"]
        if not delta or not step.last["ok"]:
            return
        effect = {
            "skill": step.last["skill"],
            "args": step.last["args"],
            "consumed": {i: -n for i, n in delta.items() if n < 0},
            "produced": {i: n for i, n in delta.items() if n > 0},
            "times": 1 + self._effects.pop(step.operation, {"times": 0})["times"],
            "step": step.number,
        }
        self._effects[step.operation] = effect
        while len(self._effects) > EFFECTS:
            del self._effects[next(iter(self._effects))]

    def _note_blocked(self, step: Transition) -> None:
        last, key = step.last, step.operation
        old = self._blocked.pop(key, None)
        if not last["ok"]:
            failures = 1 + (old[0].failures if old else 0)
            blocker = Blocker(
                last["skill"], _shown(last["args"]), str(last["reason"]),
                str(last["result"].get("detail", "")), prerequisite(last, step.after), failures,
                step.number,
            )  # fmt: skip
            self._blocked[key] = blocker, relevant_state(last, step.after)
        for key, (blocker, state) in list(self._blocked.items()):
            failed = {"skill": blocker.skill, "args": blocker.args, "reason": blocker.reason}
            opened = (
                last["ok"]
                and last["skill"] == "prepare_access"
                and last["args"]["target"] in blocker.args.values()
            )
            if opened or relevant_state(failed, step.after) != state:
                del self._blocked[key]

    # ---- the sections of a prompt
    def verified_effects(self, most: int = EFFECTS) -> list[dict[str, Any]]:
        """Return what actions were seen to consume and produce, the latest last."""
        return list(self._effects.values())[-most:]

    def still_blocked(self) -> list[dict[str, Any]]:
        """Return the actions that failed and whose prerequisite has not changed since, the latest last."""
        return [b._asdict() for b, _ in self._blocked.values()][-BLOCKED:]

    def is_blocked(self, skill: str, args: Mapping[str, Any], failures: int = 1) -> bool:
        """Return whether an action failed at least so often and nothing that matters to it has changed since."""
        known = self._blocked.get(operation(skill, args))
        return known is not None and known[0].failures >= failures

    def current_blocker(self) -> dict[str, Any] | None:
        """Return what stopped the last action, None if nothing did."""
        if not self.transitions or self.transitions[-1].last["ok"]:
            return None
        known = self._blocked.get(self.transitions[-1].operation)
        return known[0]._asdict() if known else None

    def repeated_failure(self) -> tuple[int, dict[str, Any]] | None:
        """Return how often in a row the last action failed, and that action; None below two times."""
        count = 0
        for step in reversed(self.transitions):
            if step.last["ok"] or step.operation != self.transitions[-1].operation:
                break
            count += 1
        if count < 2:
            return None
        last = self.transitions[-1].last
        return count, {"skill": last["skill"], "args": _shown(last["args"])}

    def failure_cycle(self) -> dict[str, Any] | None:
        """Return the two or three failing actions that the latest steps go round in, None if they do not."""
        for period in range(2, LONGEST_CYCLE + 1):
            steps = self.transitions[-2 * period :]
            if len(steps) < 2 * period or any(s.last["ok"] for s in steps):
                continue
            keys = [s.operation for s in steps]
            if keys[:period] == keys[period:] and len(set(keys)) > 1:
                reasons = [s.last["reason"] for s in steps[:period]]
                return {"actions": keys[:period], "reasons": reasons, "rounds": 2}
        return None

    def stagnation_cycle(self) -> dict[str, Any] | None:
        """Return the latest actions that went well and changed nothing, None if there are fewer than three."""
        idle = []
        for step in reversed(self.transitions):
            if not step.last["ok"] or step.changed:
                break
            idle.append(step.operation)
        if len(idle) < STILL:
            return None
        return {"actions": list(dict.fromkeys(reversed(idle))), "steps": len(idle)}

    def steps_without_gain(self) -> int:
        """Return the number of actions since the last new kind of item or Score."""
        return len(self.transitions) - (self._gained[0] if self._gained else 0)

    def actionable_transformations(self) -> list[dict[str, Any]]:
        """Return verified effects that can be had again now and give what a blocked action is short of."""
        if self._now is None:
            return []
        have = self._now.inventory
        short = {i for b, _ in self._blocked.values() for i in b.prerequisite.get("missing", {})}
        return [
            {k: e[k] for k in ("skill", "args", "consumed", "produced")}
            for e in self._effects.values()
            if e["consumed"]
            and short & e["produced"].keys()
            and all(have.get(i, 0) >= n for i, n in e["consumed"].items())
        ]

    def unused_output(self) -> dict[str, Any] | None:
        """Return the transformation just made whose output lies unused, ``repeat`` saying whether it may be repeated.

        A second station, tool or piece of armor is of no use; of materials more may be needed.
        """
        if not self.transitions or self._now is None:
            return None
        last = self.transitions[-1].last
        if last["skill"] not in ("craft_grid", "smelt") or not last["ok"]:
            return None
        made = {i: n for i, n in last["delta"].items() if n > 0}
        spare = {i: n for i, n in made.items() if self._now.inventory.get(i, 0) > n}
        if not spare:
            return None
        items = self._beliefs.rulebook.items
        single = any(i in body()["stations"] or (i in items and items[i].stack == 1) for i in spare)
        owned = {i: self._now.inventory[i] for i in spare}
        return {
            "action": self.transitions[-1].operation,
            "output_owned": owned,
            "repeat": not single,
        }

    def learned_rules(self) -> list[str]:
        """Return, one a line, what came of actions that came out otherwise than vanilla has it."""
        facts = list(self._beliefs.facts.values())[-LEARNED:]
        return [
            f"{f.skill} {f.target}{f' in {f.station}' if f.station else ''} -> "
            + (", ".join(f"{y.mean:g} {i}" for i, y in f.gives) or "nothing")
            for f in facts
        ]

    def recent(self, most: int) -> list[Transition]:
        """Return the latest transitions, oldest first."""
        return self.transitions[-most:] if most else []


def operation(skill: str, args: Mapping[str, Any]) -> str:
    """Return an action as one line, without the count: what is the same in two tries of one thing."""
    named = ", ".join(f"{k}={as_json(v)}" for k, v in sorted(args.items()) if k != "count")
    return f"{skill}({named})"[:_LONGEST_ARGS]


def as_json(value: Any) -> str:
    """Return compact JSON on one line; the order of keys is kept."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


def distance(a: Observation, b: Observation) -> float:
    """Return how far apart the body stood in two observations, in blocks."""
    return sum((a.position[k] - b.position[k]) ** 2 for k in "xyz") ** 0.5


def _shown(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as a prompt may hold them: malformed ones can be of any length."""
    text = as_json(args)
    return dict(args) if len(text) <= _LONGEST_ARGS else {"malformed": text[:_LONGEST_ARGS]}
