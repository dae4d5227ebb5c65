"""The contract of a world that an agent plays in; ``tests/contract.py`` is its test."""

from typing import NamedTuple, Protocol

from mirrorcraft.core.action import Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Ending, Outcome
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World


class Audit(NamedTuple):
    """What only the record sees of one action.

    Attributes:
        advancements: advancements verified by this action, such as ``story/mine_stone``, in order.
        encounters: ids of the changed rules whose outcome this action triggered, in order.
    """

    advancements: tuple[str, ...]
    encounters: tuple[str, ...]


class Step(NamedTuple):
    """One action's consequences: what the agent sees, and what only the record sees.

    Attributes:
        observation: the world after the action.
        outcome: what the action came to; the observation shows it as ``last``.
        audit: the evaluator's half; never given to an agent.
        ending: why the episode is over, or None while it goes on.
    """

    observation: Observation
    outcome: Outcome
    audit: Audit
    ending: Ending | None


class Backend(Protocol):
    """A world to play in: the simulator, or a real server with a body in it."""

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        """Start an episode in a fresh copy of ``world`` under ``rules``; all earlier state is gone.

        Args:
            world: the world to copy.
            rules: vanilla rules, or those of a Mirror world.
            task: milestones and action budget.
            seed: the episode's luck; the pair of a Vanilla and a Mirror episode shares it.

        Raises:
            Fault: the infrastructure failed.
        """
        ...

    def step(self, action: Action) -> Step:
        """Run one action to its end. Whatever the agent sent, the answer is a Step with a reason.

        Raises:
            EpisodeOver: the episode has ended.
            Fault: the infrastructure failed.
        """
        ...

    def close(self) -> None:
        """Let go of everything held; calling it twice is fine."""
        ...
