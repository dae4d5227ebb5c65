"""What identifies an episode: a frozen spec whose id is the hash of its content."""

import hashlib
import json
from dataclasses import asdict, dataclass

from mirrorcraft.core.rng import seed_from

VANILLA = "vanilla"
HIDDEN, DISCLOSED = "hidden", "disclosed"


@dataclass(frozen=True, slots=True)
class EpisodeSpec:
    """Everything that decides an episode.

    Attributes:
        world: name of the world.
        suite: name of the rule suite, or ``vanilla``.
        task: name of the task.
        agent: name of the agent configuration.
        model: name of the model behind it, or None for agents without one.
        budget: semantic actions allowed.
        disclosure: ``hidden``, or ``disclosed`` when the agent is told the rules.
        repetition: 0, 1, 2, ...
    """

    world: str
    suite: str
    task: str
    agent: str
    model: str | None
    budget: int
    disclosure: str
    repetition: int

    @property
    def id(self) -> str:
        """16 hex digits of the hash of the content."""
        return _digest(asdict(self))

    @property
    def pair_id(self) -> str:
        """The same without the suite: equal for a Vanilla episode and its Mirror twins."""
        return _digest({k: v for k, v in asdict(self).items() if k != "suite"})

    @property
    def world_seed(self) -> int:
        """The luck of the world: equal in all rule sets and for all agents."""
        return seed_from("episode", self.world, self.task, self.repetition)

    @property
    def agent_seed(self) -> int:
        """The luck of the agent: equal in all rule sets."""
        return seed_from("agent", self.pair_id)


def _digest(content: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
