"""One episode from reset to ending: the whole of the benchmark's main path on one screen."""

from time import perf_counter
from typing import Any

from mirrorcraft.agents.agent import Accounted, Agent
from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import DISCLOSED, EpisodeSpec
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import rules_for
from mirrorcraft.study.provenance import digest, provenance
from mirrorcraft.study.record import EpisodeRecord, StepRecord, Usage, step_record


def run_episode(
    spec: EpisodeSpec, backend: Backend, agent: Agent, *, compact: bool = False
) -> EpisodeRecord:
    """Play one episode and return its record.

    Args:
        spec: what to play.
        backend: the world to play in; it is reset first and left open. One that is not the
            simulator says what it is in ``made_with``, see ``provenance.provenance``.
        agent: the player; it is reset first.
        compact: leave outcomes and observation digests out of the record.

    Raises:
        Fault: the infrastructure failed; nothing is scored.
        UnknownNameError: the spec names a world, suite or task that does not exist.
    """
    started = perf_counter()
    task = Task.load(spec.task).with_budget(spec.budget)
    rules = rules_for(spec.suite)
    observation = backend.reset(World.load(spec.world), rules, task, seed=spec.world_seed)
    agent.reset(task, seed=spec.agent_seed, rules=rules if spec.disclosure == DISCLOSED else None)
    start = digest(observation.to_json())
    steps: list[StepRecord] = []
    completed: set[str] = set()
    ending: Ending | None = None
    while ending is None:
        action = agent.act(observation)
        if action is None:
            ending = Ending.NO_ACTION
            break
        step = backend.step(action)
        observation, ending = step.observation, step.ending
        completed.update(step.audit.advancements)
        score = task.score(completed)
        steps.append(
            step_record(action, step.outcome, observation, score, step.audit, compact=compact)
        )
    return EpisodeRecord(
        spec=spec,
        score=task.score(completed),
        actions=len(steps),
        ending=ending.value,
        start=start,
        steps=tuple(steps),
        provenance=provenance(spec, getattr(backend, "made_with", None)),
        elapsed_s=round(perf_counter() - started, 6),
        usage=_usage(agent.summary()) if isinstance(agent, Accounted) else None,
    )


def _usage(account: dict[str, Any]) -> Usage:
    """Return what an agent's account of its model comes to; the rest of it is kept as it is."""
    rest = {k: v for k, v in account.items() if k not in ("calls", "tokens", "cost_usd", "model")}
    return Usage(
        account["calls"], **account["tokens"],
        cost_usd=account["cost_usd"], model=account["model"], account=rest,
    )  # fmt: skip
