"""All seven configurations: they finish, they forget, they leak nothing, and their trajectories are small."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from asking import Episode, prior

from mirrorcraft.agents import AGENTS, CONFIGURATIONS, make
from mirrorcraft.agents.agent import Accounted
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.model import ModelSettings, chat_body
from mirrorcraft.agents.offline_model import OfflineModel
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.models import write_trajectory
from mirrorcraft.study.record import EpisodeRecord

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")
HIDDEN = [name for name in CONFIGURATIONS if name != "react_rules"]


def simulated(
    name: str,
    suite: str,
    task: str,
    world: str = "plains-a",
    model: Any = None,
    budget: int | None = None,
) -> tuple[EpisodeRecord, ModelAgent]:
    """Play an episode in the simulator."""
    agent = make(name, Terms(ModelSettings(model="m")), model or OfflineModel())
    assert isinstance(agent, ModelAgent)
    told = "disclosed" if name == "react_rules" else "hidden"
    allowed = budget or Task.load(task).budget
    spec = EpisodeSpec(world, suite, task, name, "m", allowed, told, repetition=0)
    backend = SimBackend()
    try:
        return run_episode(spec, backend, agent), agent
    finally:
        backend.close()


@pytest.mark.parametrize("task", ["iron_armor", "diamond"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_configuration_finishes_in_the_toy_world(name: str, task: str):
    episode = Episode(name, prior(), task).play()
    assert episode.ending == Ending.GOAL
    assert episode.now.progress["score"] == 100


@pytest.mark.slow
@pytest.mark.parametrize("task", ["iron_armor", "diamond"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_configuration_finishes_in_nine_of_ten_vanilla_worlds(name: str, task: str):
    scores = [simulated(name, "vanilla", task, world)[0].score for world in World.names()]
    assert scores.count(100) >= 9


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_an_episode_forgets_the_one_before(name: str):
    first = Episode(name, prior(), "iron_armor", "M05").play()
    episode = Episode(name, prior(), "diamond")
    calls = episode.play().agent.trajectory()
    agent = first.agent
    world = episode.world
    told = world.rules if name == "react_rules" else None
    agent.reset(episode.task, seed=1, rules=told)
    now, ending = world.reset(world.rules, episode.task, seed=1), None
    while ending is None:
        action = agent.act(now)
        assert action is not None
        step = world.step(action)
        now, ending = step.observation, step.ending
    assert [c["messages"] for c in agent.trajectory()] == [c["messages"] for c in calls]


def asked_until(agent: ModelAgent, met: int) -> list[str]:
    """Return the request bodies of an episode up to the decision that comes after ``met`` actions."""
    settings = ModelSettings(model="m")
    calls = [c for c in agent.trajectory() if c["used"] <= met]
    return [json.dumps(chat_body(settings, c["messages"])) for c in calls]


def hold_alike(name: str, suite: str, task: str, world: str, model: OfflineModel) -> None:
    """Play a Mirror episode and its Vanilla twin, and hold their requests alike until the first encounter."""
    (vanilla, ours), (mirror, theirs) = (
        simulated(name, s, task, world, model) for s in ("vanilla", suite)
    )
    met = next((i for i, s in enumerate(mirror.steps) if s.encounters), len(mirror.steps))
    asked = asked_until(theirs, met)
    assert asked
    assert asked_until(ours, met) == asked
    same = [[s.action for s in record.steps[: met + 1]] for record in (vanilla, mirror)]
    assert same[0] == same[1]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("name", HIDDEN)
def test_a_mirror_asks_what_vanilla_asks_until_the_first_encounter(name: str, suite: str):
    hold_alike(name, suite, "iron_armor", "plains-a", OfflineModel())


@pytest.mark.slow
@pytest.mark.parametrize("world", World.names())
@pytest.mark.parametrize("name", HIDDEN)
def test_no_request_leaks_in_any_task_suite_or_world_also_of_a_model_that_errs(
    name: str, world: str
):
    for suite in SUITES:
        for task in Task.names():
            hold_alike(name, suite, task, world, OfflineModel(0.2, seed=3))


def test_the_disclosed_configuration_must_be_told_the_rules():
    agent = make("react_rules", Terms(ModelSettings(model="m")), prior())
    with pytest.raises(InputError, match="disclosed"):
        agent.reset(Task.load("diamond"), seed=1, rules=None)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_needs_a_model(name: str):
    with pytest.raises(InputError, match="base_url"):
        make(name)


def test_agents_are_found_by_name_or_by_import_path():
    with pytest.raises(UnknownNameError, match="react"):
        make("reakt", Terms(ModelSettings(model="m")), prior())
    own = make("mirrorcraft.agents.react:ReactAgent", Terms(ModelSettings(model="m")), prior())
    assert isinstance(own, Accounted)
    with pytest.raises(InputError, match="module:Class"):
        make("no.such.module:Agent", Terms(ModelSettings(model="m")), prior())
    assert not isinstance(make("prior"), Accounted)
    assert AGENTS.keys() > CONFIGURATIONS.keys()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_model_with_errors_ends_in_a_named_ending(name: str):
    for seed in range(3):
        episode = Episode(name, OfflineModel(0.4, seed)).play()
        assert episode.ending in Ending
        assert json.dumps(episode.agent.summary())


def test_a_trajectory_of_seventy_five_actions_is_small(tmp_path: Path):
    for name in CONFIGURATIONS:
        record, agent = simulated(name, "M05", "enchantment")
        assert record.actions is not None
        write_trajectory(tmp_path, name, agent.trajectory())
        file = tmp_path / "trajectories" / f"{name}.jsonl.gz"
        assert file.stat().st_size < 1_000_000 * record.actions / 75
        assert len(gzip.decompress(file.read_bytes()).splitlines()) == len(agent.trajectory())
