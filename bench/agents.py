"""What the configurations cost beside their model: time of an agent step, size of a trajectory."""

import gzip
import json
import time
from typing import Any

from measure import report

from mirrorcraft.agents import CONFIGURATIONS, make
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.model import Model, ModelSettings, ReplayModel
from mirrorcraft.agents.offline_model import OfflineModel
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.plan import rules_for

REPEATS = 5
SUITE, TASK, WORLD = "M05", Task.load("enchantment"), "plains-a"


def new(name: str, model: Model) -> ModelAgent:
    """An agent at the start of the episode."""
    agent = make(name, Terms(ModelSettings(model="m")), model)
    assert isinstance(agent, ModelAgent)
    agent.reset(TASK, seed=1, rules=rules_for(SUITE) if name == "react_rules" else None)
    return agent


def played(name: str) -> tuple[list[Observation], list[dict[str, Any]]]:
    """The observations that were acted upon in an episode with offline/prior, and its model calls."""
    backend, agent, seen = SimBackend(), new(name, OfflineModel()), list[Observation]()
    now, ending = backend.reset(World.load(WORLD), rules_for(SUITE), TASK, seed=1), None
    while ending is None:
        seen.append(now)
        action = agent.act(now)
        if action is None:
            ending = Ending.NO_ACTION
            break
        step = backend.step(action)
        now, ending = step.observation, step.ending
    backend.close()
    return seen, agent.trajectory()


def overhead(name: str, seen: list[Observation], calls: list[dict[str, Any]]) -> float:
    """Milliseconds a step of the same episode, its replies read from a list."""
    agent = new(name, ReplayModel(calls))
    begun = time.process_time()
    for now in seen:
        agent.act(now)
    return (time.process_time() - begun) / len(seen) * 1000


if __name__ == "__main__":
    for name in CONFIGURATIONS:
        seen, calls = played(name)
        report(f"{name}_step_ms", "ms", [overhead(name, seen, calls) for _ in range(REPEATS)])
        lines = "".join(json.dumps(call, ensure_ascii=False) + "\n" for call in calls)
        size = len(gzip.compress(lines.encode(), 6)) / len(seen) * 75 / 1024
        report(f"{name}_trajectory_kib", "KiB", [size])
