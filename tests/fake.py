"""A world and agents that cost nothing, to test what is around them."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from mirrorcraft.core.action import SKILLS, Action, Refusal, check
from mirrorcraft.core.backend import Audit, Step
from mirrorcraft.core.errors import EpisodeOver, Fault, InputError
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Ending, Outcome
from mirrorcraft.core.rng import below
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.play import Setup
from mirrorcraft.study.run import run_study

AGENTS = {
    "steady": "waits",
    "fickle": "waits or mines, by its seed",
    "mute": "has no action",
    "picky": "plays only when told the rules",
}


class FakeBackend:
    """Milestones fall by luck: one action in four; one in nine under changed rules, always met."""

    def __init__(self) -> None:
        self._left = 0

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        self._task, self._seed, self._rules = task, seed, rules
        self._used, self._left, self._done = 0, task.budget, []
        return self._observation(None)

    def step(self, action: Action) -> Step:
        if self._left <= 0:
            raise EpisodeOver("the episode is over; call reset")
        self._used += 1
        self._left -= 1
        checked = check(action, self._rules)
        if isinstance(checked, Refusal):
            outcome = Outcome(False, checked.reason, {"detail": checked.detail}, {}, 0)
            return self._step(outcome, str(action.skill)[:20], Audit((), ()))
        changes = self._rules.changes
        won = below(9 if changes else 4, self._seed, self._used, 0) == 0
        new = [self._task.milestones[len(self._done)].id] if won else []
        self._done += new
        met = tuple(c.id for c in changes[:1])
        return self._step(Outcome(True, None, {}, {}, 20), checked.skill, Audit(tuple(new), met))

    def close(self) -> None:
        pass

    def _step(self, outcome: Outcome, skill: str, audit: Audit) -> Step:
        ending = Ending.BUDGET if self._left <= 0 else None
        if len(self._done) == len(self._task.milestones):
            ending, self._left = Ending.GOAL, 0
        last = outcome.as_dict() | {"skill": skill, "args": {}}
        return Step(self._observation(last), outcome, audit, ending)

    def _observation(self, last: dict[str, Any] | None) -> Observation:
        score = self._task.score(set(self._done))
        return Observation(
            task={"id": self._task.id},
            progress={"score": score, "done": list(self._done)},
            budget={"used": self._used, "left": self._left},
            inventory={},
            equipped={},
            experience={"level": 100},
            survival={"health": 20, "food": 20, "alive": True},
            position={"x": 0.0, "y": 64.0, "z": 0.0},
            biome="plains",
            targets={},
            drops={},
            entities={},
            facilities={},
            last=last,
            skills=SKILLS,
        )


class SlowBackend(FakeBackend):
    """Takes long enough to be killed in between."""

    def step(self, action: Action) -> Step:
        time.sleep(0.001)
        return super().step(action)


class BreaksTwice(FakeBackend):
    """Raises a Fault in the first two episodes of this process."""

    broken = 0

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        if BreaksTwice.broken < 2:
            BreaksTwice.broken += 1
            raise Fault("the server is gone")
        return super().reset(world, rules, task, seed=seed)


class AlwaysBroken(FakeBackend):
    """Raises a Fault in every episode."""

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        raise Fault("the server never came")


class DiesOnce(FakeBackend):
    """Kills its process in the first step of all; the file named by FAKE_MARK remembers it."""

    def step(self, action: Action) -> Step:
        try:
            Path(os.environ["FAKE_MARK"]).touch(exist_ok=False)
        except FileExistsError:
            return super().step(action)
        os._exit(7)


class Marked(SlowBackend):
    """Leaves the id of its process in the folder FAKE_MARK, so that a test can kill it."""

    def __init__(self) -> None:
        super().__init__()
        (Path(os.environ["FAKE_MARK"]) / str(os.getpid())).touch()


class Buggy(FakeBackend):
    """Has a bug."""

    def step(self, action: Action) -> Step:
        raise ZeroDivisionError("a bug in the backend")


class FakeAgent:
    """Acts by its seed alone."""

    def __init__(self, name: str):
        self._name = name

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        if self._name == "picky" and rules is None:
            raise InputError("picky", "rules", None, "being told the rules")
        self._seed, self._count = seed, 0

    def act(self, observation: Observation) -> Action | None:
        self._count += 1
        if self._name == "mute":
            return None
        if self._name == "fickle" and below(2, self._seed, self._count, 0):
            return Action("mine", {"block": "dirt"})
        return Action("wait", {"ticks": 20})


class CostlyAgent(FakeAgent):
    """Says that its model cost a quarter of a dollar."""

    def summary(self) -> dict[str, Any]:
        tokens = {"input": 100, "cached": 0, "output": 10}
        return {"calls": 1, "tokens": tokens, "cost_usd": 0.25, "model": "fake-1"}

    def trajectory(self) -> list[dict[str, Any]]:
        return []


def costly() -> Setup:
    return Setup(backend="fake:FakeBackend", agents="fake:CostlyAgent")


def setup(backend: str = "FakeBackend") -> Setup:
    return Setup(backend=f"fake:{backend}", agents="fake:FakeAgent")


if __name__ == "__main__":  # python fake.py STUDY FOLDER WORKERS: a run that a test can kill
    text = Path(sys.argv[1]).read_text()
    run_study(
        text,
        parse_study(text, sys.argv[1], AGENTS),
        Path(sys.argv[2]),
        workers=int(sys.argv[3]),
        setup=setup("SlowBackend"),
    )
