"""What the agent configurations share: one episode's history, view and session around one decision a turn."""

from collections.abc import Callable, Mapping
from typing import Any

from mirrorcraft.agents.history import History, Transition
from mirrorcraft.agents.model import Messages, Model
from mirrorcraft.agents.prompts import messages
from mirrorcraft.agents.replies import Chosen
from mirrorcraft.agents.session import Render, Session, Stopped, Terms
from mirrorcraft.agents.view import View, shortened
from mirrorcraft.core.action import Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

LONGEST_THOUGHT = 500  # characters of a thought that the trace keeps


class ModelAgent:
    """An agent configuration on a model: subclass, say how to ``decide``, and add it to ``CONFIGURATIONS``.

    Args:
        model: answers the prompts.
        terms: caps and prices.

    Attributes:
        prompt: the name of the prompts of an action call.
        trace: transitions that the recent steps of a prompt show.
    """

    prompt = "react"
    trace = 0

    def __init__(self, model: Model, terms: Terms):
        self._model, self._terms = model, terms

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        """Begin an episode; see ``Agent.reset``. Whatever an earlier episode left behind is dropped."""
        vanilla = Rulebook.vanilla("1.19")
        self.task, self.vanilla = task, vanilla
        self.history = History(vanilla)
        self.view = View(vanilla, task, self.history)
        self.session = Session(self._model, self._terms, vanilla)
        self.begin(rules)

    def act(self, observation: Observation) -> Action | None:
        """Return the next action; see ``Agent.act``."""
        step = self.history.add(observation)
        self.session.used = observation.budget["used"]
        try:
            if step is not None:
                self.notice(step)
            chosen = self.decide(observation)
        except Stopped:
            return None
        self.history.think(str(chosen.fields.get("thought", ""))[:LONGEST_THOUGHT])
        return chosen.action

    # ---- what a configuration says
    def begin(self, rules: Rulebook | None) -> None:
        """Set up what the configuration keeps during an episode; ``rules`` are given when they are disclosed."""

    def notice(self, step: Transition) -> None:
        """Take in what the last action came to."""

    def decide(self, now: Observation) -> Chosen:
        """Return the next action; by default that of one call with the prompts of the configuration."""
        return self.session.action("action", self.request(now))

    def extra(self, now: Observation) -> Mapping[str, Any]:
        """Return the fields that the configuration's own prompts have beyond the shared ones."""
        return {}

    # ---- the record
    def summary(self) -> dict[str, Any]:
        """Return what the episode cost and how its replies were read, JSON-ready."""
        mechanisms = {"mechanisms": mine} if (mine := self.mechanisms()) else {}
        return self.session.summary() | mechanisms

    def mechanisms(self) -> dict[str, Any]:
        """Return how often each mechanism of the configuration was at work."""
        return {}

    def trajectory(self) -> list[dict[str, Any]]:
        """Return every request and reply of the episode, JSON-ready, in order."""
        return self.session.calls

    # ---- for configurations
    def request(self, now: Observation, prompt: str | None = None, **extra: Any) -> Render:
        """Return the request of a prompt in state ``now``, to be rendered in full or compact.

        Args:
            now: the current observation.
            prompt: name of the pair of prompt files; the configuration's own when None.
            extra: fields beyond the shared ones and those of ``extra``.
        """

        def render(compact: bool) -> Messages:
            shared = self.view.fields(now, trace=self.trace, compact=compact)
            fields = {"with_last": self.trace == 0, **shared, **self.extra(now), **extra}
            return messages(prompt or self.prompt, fields)

        return render

    def ask_object(
        self,
        purpose: str,
        now: Observation,
        fits: Callable[[dict[str, Any]], bool],
        prompt: str | None = None,
        **extra: Any,
    ) -> dict[str, Any] | None:
        """Return the JSON object that answers a prompt, None if two replies hold none that ``fits``.

        The second request has the unusable reply in the field ``unreadable``, None in the first.

        Args:
            purpose: names the call in the record.
            now: the current observation.
            fits: whether an object keeps to the contract of the prompt.
            prompt: as for ``request``.
            extra: as for ``request``.
        """

        def render(compact: bool, unusable: str | None) -> Messages:
            short = None if unusable is None else shortened(unusable)
            return self.request(now, prompt, unreadable=short, **extra)(compact)

        return self.session.object(purpose, render, fits)
