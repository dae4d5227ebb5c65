"""Episode records made by hand, for tests of what is computed from them."""

from collections.abc import Sequence
from typing import Any

from mirrorcraft.core.action import Action
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.study.record import EpisodeRecord, Provenance, StepRecord

PROVENANCE = Provenance("0", "c" * 16, "r" * 16, "w" * 16, "3.11.0", "0.61.0")


def spec(**given: Any) -> EpisodeSpec:
    """Return the spec of an episode; what is not given is a plain default."""
    plain: dict[str, Any] = {
        "world": "W00",
        "suite": "vanilla",
        "task": "diamond",
        "agent": "react",
        "model": None,
        "budget": 50,
        "disclosure": "hidden",
        "repetition": 0,
    }
    return EpisodeSpec(**(plain | given))


def step(skill: str, score: int, *rules: str, **args: Any) -> StepRecord:
    """Return a step with the Score after it and the changed rules it met."""
    return StepRecord(Action(skill, args), None, None, score, (), rules)


def record(score: int = 0, steps: Sequence[StepRecord] = (), **given: Any) -> EpisodeRecord:
    """Return the record of an episode."""
    return EpisodeRecord(
        spec=spec(**given),
        score=score,
        actions=len(steps),
        ending="budget",
        start="0" * 16,
        steps=tuple(steps),
        provenance=PROVENANCE,
        elapsed_s=0.5,
    )
