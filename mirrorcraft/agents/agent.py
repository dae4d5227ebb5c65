"""The contract of an agent: it sees observations, it answers with actions, and it sees nothing else."""

from typing import Any, Protocol, runtime_checkable

from mirrorcraft.core.action import Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task


class Agent(Protocol):
    """A policy that plays one episode at a time."""

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        """Begin an episode; nothing of an earlier one is remembered.

        Args:
            task: milestones and action budget.
            seed: the luck of the agent; equal seeds and observations give equal actions.
            rules: the rules of the world when they are disclosed, else None.

        Raises:
            InputError: the agent cannot play without being told the rules.
        """
        ...

    def act(self, observation: Observation) -> Action | None:
        """Return the next action, or None for no usable action, which ends the episode."""
        ...


@runtime_checkable
class Accounted(Protocol):
    """An agent that keeps an account of its model; asked for once an episode is over."""

    def summary(self) -> dict[str, Any]:
        """Return what the model used and how its replies were read, JSON-ready; see ``Session.summary``."""
        ...

    def trajectory(self) -> list[dict[str, Any]]:
        """Return every request and reply of the episode in order, JSON-ready and without keys."""
        ...
