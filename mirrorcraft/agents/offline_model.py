"""The model ``offline/prior``: answers every prompt from the state written in it, with vanilla knowledge and no network.

It remembers nothing between calls; a planner is set up from the prompt each time. It is for dry runs and tests.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from mirrorcraft.agents.contracts import kind_of
from mirrorcraft.agents.model import Messages, ModelRefused, Reply, Usage, tokens_of
from mirrorcraft.agents.prompt_state import PromptState
from mirrorcraft.agents.prompt_walker import Intent, intents
from mirrorcraft.agents.random_agent import executable
from mirrorcraft.agents.voyager import MACRO_LENGTH
from mirrorcraft.core.ids import strip
from mirrorcraft.core.rng import below, seed_from, uniform
from mirrorcraft.core.routes import catalog, check
from mirrorcraft.core.rulebook import Rulebook

NAME = "offline/prior"
_MATERIAL = (
    "craft_grid",
    "smelt",
    "place",
)  # steps whose outcome is certain enough to go into a program


class OfflineModel:
    """Plays by a planner with vanilla beliefs.

    Args:
        error_rate: share of the answers to spoil, 0 to 1.
        seed: which answers are spoiled, and how; equal requests get equal answers.
    """

    def __init__(self, error_rate: float = 0.0, seed: int = 0):
        self.error_rate, self.seed = error_rate, seed

    @classmethod
    def named(cls, name: str) -> "OfflineModel":
        """Return the model ``offline/prior``, or one with errors: ``offline/prior?errors=0.1&seed=3``.

        Raises:
            ModelRefused: there is no such offline model.
        """
        base, _, options = name.partition("?")
        try:
            given = dict(part.split("=") for part in options.split("&") if part)
            rate, seed = float(given.pop("errors", 0.0)), int(given.pop("seed", 0))
        except ValueError:
            rate, seed, given = -1.0, 0, {}
        if base != NAME or given or not 0 <= rate <= 1:
            expected = f"there are {NAME} and {NAME}?errors=0.1&seed=3"
            raise ModelRefused(f"no offline model {name!r}; {expected}")
        return cls(rate, seed)

    def ask(self, messages: Messages) -> Reply:
        size = sum(len(m["content"]) for m in messages)
        text = self._answer(messages[0]["content"], messages[-1]["content"])
        return Reply(text, Usage(tokens_of(size), 0, tokens_of(len(text))), model=NAME)

    def _answer(self, system: str, user: str) -> str:
        answer = answer_to(system, user)
        seed = seed_from("offline", self.seed, sha256((system + user).encode()).hexdigest())
        if uniform(seed, 0, 0) >= self.error_rate:
            return json.dumps(answer)
        return _spoiled(answer, user, seed)


def answer_to(system: str, user: str) -> dict[str, Any]:
    """Return the answer to a prompt, by the contract that its system message ends with.

    Raises:
        ModelRefused: the prompt has no contract that is known here.
    """
    kind = kind_of(system)
    if kind is None:
        raise ModelRefused(f"offline/prior knows no prompt that ends with {system[-80:]!r}")
    return _ANSWERS[kind](PromptState(user))


def _action(state: PromptState) -> dict[str, Any]:
    intent = intents(state)[0]
    return {"skill": intent.skill, "args": dict(intent.args)}


def _thoughtful_action(state: PromptState) -> dict[str, Any]:
    intent = intents(state)[0]
    return {"thought": intent.why, "skill": intent.skill, "args": dict(intent.args)}


def _aimed_action(state: PromptState) -> dict[str, Any]:
    intent = intents(state)[0]
    call = {"skill": intent.skill, "args": dict(intent.args)}
    return {"thought": intent.why, "subgoal": intent.aim, **call}


def _program(state: PromptState) -> dict[str, Any]:
    """Write the next step, and those after it whose outcome is certain."""
    steps = intents(state)
    length = 1
    if steps[0].skill in _MATERIAL:
        while length < min(len(steps), MACRO_LENGTH) and steps[length].skill in _MATERIAL:
            length += 1
    steps = steps[:length]
    last = steps[-1]
    return {
        "explain": last.why,
        "plan": " then ".join(s.skill for s in steps),
        "program": {
            "name": f"{last.skill}_{last.aim}".replace("/", "_"),
            "description": f"{last.skill} for {last.aim}",
            "subgoal": f"have {last.aim}",
            "success": _success(last),
            "actions": [{"skill": s.skill, "args": dict(s.args)} for s in steps],
        },
    }


def _success(intent: Intent) -> dict[str, Any]:
    if intent.skill == "place":
        return {"kind": "facility_available", "facility": intent.aim}
    if intent.skill == "explore":
        return {"kind": "target_visible", "target": intent.args["target"]}
    if intent.skill in ("prepare_access", "ascend", "enchant", "wait"):
        return {"kind": "action_result"}
    return (
        {"kind": "inventory_delta", "item": intent.aim, "count": 1}
        if intent.makes
        else {"kind": "state_change"}
    )


def _criticism(state: PromptState) -> dict[str, Any]:
    check_, trace = state.value("DETERMINISTIC_CHECK"), state.value("EXECUTION_TRACE")
    success = bool(check_["passed"]) and all(step["ok"] for step in trace)
    reason = next((s.get("reason") for s in trace if not s["ok"]), None)
    return {
        "reasoning": f"the check of {check_['kind']} observed {check_['observed']}",
        "success": success,
        "critique": ""
        if success
        else f"it stopped with {reason}"
        if reason
        else "the aim is not there",
    }


def _graph(state: PromptState) -> dict[str, Any]:
    """Write down the vanilla route of the task as a dependency graph."""
    task, vanilla = state.task, Rulebook.vanilla()
    nodes: dict[str, dict[str, Any]] = {}
    for step in check(vanilla, task).plan:
        needs = {**step.uses, **({step.station: 1} if step.station else {})}
        method = catalog(vanilla).mine(step.args["block"]) if step.skill == "mine" else None
        if method and method.tools:
            tool = next((t for t in method.tools if t in nodes), method.tools[0])
            needs[tool] = 1
        for item in step.makes:
            rows = [{"item": i, "count": n} for i, n in needs.items() if i != item]
            nodes.setdefault(item, {"item": item, "requirements": rows, "action_hint": str(step)})
    final = next(reversed(nodes), None)
    root = {"item": task.goal.id, "requirements": [{"item": final, "count": 1}] if final else []}
    most = int(state.value("Maximum nodes"))
    return {"root": task.goal.id, "nodes": [root, *reversed(nodes.values())][:most]}


def _subgoals(state: PromptState) -> dict[str, Any]:
    aims = dict.fromkeys(intent.aim for intent in intents(state))
    rows = [{"target": aim, "reason": f"on the way to {state.task.goal.id}"} for aim in aims]
    return {"subgoals": rows[:8]}


def _edges(state: PromptState) -> dict[str, Any]:
    rows = []
    for group in state.value("ACTION_SAMPLE_GROUPS"):
        run = group["runs"][-1]
        causes = [{"type": "item", "name": i, "count": n} for i, n in run["consumedItems"].items()]
        if station := group["args"].get("station"):
            causes.append({"type": "station", "name": station, "count": 1})
        if target := group["args"].get("block") or group["args"].get("target"):
            causes.append({"type": "environment", "name": strip(target), "count": 1})
        effects = [{"type": "item", "name": i} for i in run["addedItems"]]
        if causes and effects:
            rows.append({"sample_key": group["sample_key"], "causes": causes, "effects": effects})
    return {"edges": rows}


def _lesson(state: PromptState) -> dict[str, Any]:
    evidence, intent = state.value("IMMUTABLE_EVALUATOR_EVIDENCE"), intents(state)[0]
    return {
        "failure_type": evidence["trigger"],
        "diagnosis": f"{evidence['last_action']} came to {evidence['reason'] or 'nothing new'}",
        "next_subgoal": intent.aim,
        "avoid": [evidence["last_action"]],
        "try": [f"{intent.skill} {intent.aim}"],
        "expiry_condition": f"{intent.aim} is in the inventory",
    }


_ANSWERS = {  # by ``contracts.kind_of`` the prompt
    "failure_type": _lesson,
    "critique": _criticism,
    "program": _program,
    "sample_key": _edges,
    "subgoals": _subgoals,
    "nodes": _graph,
    "subgoal": _aimed_action,
    "thought": _thoughtful_action,
    "skill": _action,
}


def _spoiled(answer: Mapping[str, Any], user: str, seed: int) -> str:
    """Return an answer as a model may get it wrong: unreadable, mendable, malformed or merely unwise."""
    text = json.dumps(answer)
    ways = [
        lambda: "I would look around first and then decide.",
        lambda: "",
        lambda: f"Here it is:\n```json\n{text[:-1]},}}\n```",
        lambda: text.replace('"', "'"),
        lambda: text[: len(text) // 2],
        lambda: f"<think>{text[:20]}</think>{text} {text}",
        lambda: json.dumps(
            {"skill": "craft_grid", "args": {"station": "inventory", "grid": ["stick"]}}
        ),
        lambda: _unwise(answer, user, seed),
    ]
    return ways[below(len(ways), seed, 1, 0)]()


def _unwise(answer: Mapping[str, Any], user: str, seed: int) -> str:
    """Return an action that can be done and that nobody asked for, in place of the one of the answer."""
    if "skill" not in answer:
        return json.dumps({"note": "no idea"})
    actions = executable(catalog(Rulebook.vanilla()), PromptState(user).observation)
    action = actions[below(len(actions), seed, 2, 0)]
    return json.dumps({**answer, "skill": action.skill, "args": dict(action.args)})
