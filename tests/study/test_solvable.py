"""Every cell of the benchmark can be done: the planner, told the rules, ends with Score 100 within the budget."""

import pytest

from mirrorcraft.agents import make
from mirrorcraft.core.data import names_in
from mirrorcraft.core.episode import DISCLOSED, VANILLA, EpisodeSpec
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.loop import run_episode

RULE_SETS = (VANILLA, "M01", "M02", "M03", "M04", "M05", "M06")


@pytest.mark.compiled
@pytest.mark.parametrize("world", World.names())
def test_the_planner_finishes_every_task_under_every_rule_set(world: str):
    backend = SimBackend()
    for suite in RULE_SETS:
        for task in Task.names():
            budget = Task.load(task).budget
            spec = EpisodeSpec(world, suite, task, "planner", None, budget, DISCLOSED, 0)
            record = run_episode(spec, backend, make("planner"))
            assert (record.score, record.ending) == (100, Ending.GOAL), f"{suite} {task}"
            assert len(record.steps) <= budget


@pytest.mark.slow
@pytest.mark.parametrize("name", names_in("worlds/horizon"))
def test_the_planner_finishes_every_task_in_the_worlds_of_the_horizon_study(name: str):
    backend = SimBackend()
    for task in Task.names():
        budget = Task.load(task).budget
        spec = EpisodeSpec(f"horizon/{name}", VANILLA, task, "planner", None, budget, DISCLOSED, 0)
        record = run_episode(spec, backend, make("planner"))
        assert (record.score, record.ending) == (100, Ending.GOAL), task


def test_the_budgets_are_those_of_the_paper():
    assert {t: Task.load(t).budget for t in Task.names()} == {
        "iron_armor": 50,
        "diamond": 50,
        "enchantment": 75,
    }
