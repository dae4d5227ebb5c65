"""What tests of model agents share: an episode in the toy world, and replies to give."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from mirrorcraft.agents import make
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.contracts import kind_of
from mirrorcraft.agents.model import Messages, Model, ModelSettings, Reply, ScriptedModel
from mirrorcraft.agents.offline_model import OfflineModel, answer_to
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.action import Action
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.study.plan import rules_for
from mirrorcraft.testing.toy import ToyBackend

WAIT = {"thought": "t", "subgoal": "nothing", "skill": "wait", "args": {"ticks": 1}}


class Episode:
    """One episode of a configuration in the toy world, played as far as asked."""

    def __init__(
        self,
        name: str,
        model: Model,
        task: str = "diamond",
        suite: str = "vanilla",
        budget: int | None = None,
        terms: Terms | None = None,
        world: Any = None,
    ):
        self.task = Task.load(task)
        if budget is not None:
            self.task = self.task.with_budget(budget)
        agent = make(name, terms or Terms(ModelSettings(model="m")), model)
        assert isinstance(agent, ModelAgent)
        self.agent, self.world = agent, world or ToyBackend()
        rules = rules_for(suite)
        told = rules if name == "react_rules" else None
        agent.reset(self.task, seed=1, rules=told)
        self.now = self.world.reset(rules, self.task, seed=1)
        self.actions: list[Action] = []
        self.outcomes: list[dict[str, Any]] = []
        self.ending: Ending | None = None

    def play(self, most: int = 1000) -> "Episode":
        """Play on for at most so many actions."""
        for _ in range(most):
            if self.ending is not None:
                break
            action = self.agent.act(self.now)
            if action is None:
                self.ending = Ending.NO_ACTION
                break
            step = self.world.step(action)
            self.actions.append(action)
            self.outcomes.append(step.outcome.as_dict())
            self.now, self.ending = step.observation, step.ending
        return self

    @property
    def purposes(self) -> list[str]:
        """What each model call was for, in order."""
        return [call["purpose"] for call in self.agent.trajectory()]

    def prompts(self, purpose: str) -> list[str]:
        """The user messages of the calls for a purpose."""
        calls = self.agent.trajectory()
        return [c["messages"][-1]["content"] for c in calls if c["purpose"] == purpose]


def call(skill: str, subgoal: str = "nothing", **args: Any) -> str:
    """Return a reply that chooses an action."""
    return json.dumps({"thought": "t", "subgoal": subgoal, "skill": skill, "args": args})


def by_contract(**answers: Any) -> ScriptedModel:
    """Return a model that answers each kind of prompt in its own way, by a key of ``CONTRACTS``.

    A value is an object, a text, a list of them to go through (the last one stays), or a function of
    the messages; ``skill`` stands for all prompts that ask for an action. A kind without a value is
    answered as ``offline/prior`` does.
    """
    asked: dict[str, int] = {}

    def answer(messages: Messages) -> str | Reply | Exception:
        system = messages[0]["content"]
        kind = kind_of(system)
        kind = "skill" if kind in ("thought", "subgoal") else kind
        if kind not in answers:
            return json.dumps(answer_to(system, messages[-1]["content"]))
        value = answers[kind]
        if isinstance(value, list):
            number = asked[kind] = asked.get(kind, -1) + 1
            value = value[min(number, len(value) - 1)]
        if isinstance(value, Callable):
            value = value(messages)
        return json.dumps(value) if isinstance(value, dict) else value

    return ScriptedModel(answer)


def prior() -> OfflineModel:
    """Return the offline model without errors."""
    return OfflineModel()


def script(*replies: Any) -> ScriptedModel:
    """Return a model that gives these replies; objects are written as JSON."""
    texts: Iterable[Any] = (json.dumps(r) if isinstance(r, dict) else r for r in replies)
    return ScriptedModel(texts)
