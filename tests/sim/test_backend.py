"""The simulator keeps the contract of a Backend; what it shows, and what it keeps to itself."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage import Stage

from mirrorcraft.core import rng
from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.errors import EpisodeOver
from mirrorcraft.core.outcome import Ending, Reason
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim import draws
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.sim.layout import Code, Skill
from mirrorcraft.sim.observe import REASONS
from mirrorcraft.study.plan import rules_for
from mirrorcraft.testing.contract import BackendContract

WORDS = st.integers(0, 2**64 - 1)


class TestSimBackend(BackendContract):
    @pytest.fixture
    def backend(self) -> Iterator[SimBackend]:
        backend = SimBackend()
        yield backend
        backend.close()


@given(seed=WORDS, event=st.integers(0, 2**62), site=st.integers(0, 2**31))
def test_compiled_draws_are_those_of_core(seed: int, event: int, site: int):
    import numpy as np

    u = np.uint64(seed)
    assert int(draws.draw(u, event, site)) == rng.draw(seed, event, site)
    assert draws.uniform(u, event, site) == rng.uniform(seed, event, site)
    assert int(draws.below(1000, u, event, site)) == rng.below(1000, seed, event, site)


def test_the_kernels_know_every_skill_in_the_order_of_the_catalogue():
    assert tuple(skill.name.lower() for skill in Skill) == SKILLS


def test_every_code_of_the_kernels_is_a_reason():
    assert REASONS.keys() == {int(code) for code in Code}
    said = {reason for reason in REASONS.values() if reason}
    spoken_elsewhere = {
        Reason.INVALID_ARGS,
        Reason.UNKNOWN_ID,
        Reason.NOT_SEARCHABLE,
        Reason.TIMEOUT,
        Reason.DIED,
    }
    assert said | spoken_elsewhere == set(Reason)


def test_an_observation_holds_plain_values_and_survives_json():
    stage = Stage().own(oak_log=2)
    for skill, args in (
        ("craft_grid", {"station": "inventory", "grid": [["oak_log", None]]}),
        ("mine", {"block": "log"}),
        ("explore", {"target": "cow"}),
    ):
        seen = stage.act(skill, **args).observation
        plain = json.loads(seen.to_json())
        assert plain == {name: getattr(seen, name) for name in plain} | {"skills": list(SKILLS)}


def test_a_state_left_by_another_episode_leaves_no_trace():
    used, fresh = Stage(), Stage()
    used.room().own(oak_log=9, iron_pickaxe=1)
    for action in (("mine", {"block": "stone"}), ("wait", {"ticks": 9})):
        used.act(action[0], **action[1])
    world, task = World.load("plains-a"), Task.load("diamond")
    for stage in (used, fresh):
        stage.backend.reset(world, stage.rules, task, seed=3)
    assert used.backend.snapshot() == fresh.backend.snapshot()


def test_two_backends_do_not_share_a_state():
    one, other = Stage(), Stage()
    before = other.backend.snapshot()
    one.room().act("mine", block="stone")
    assert other.backend.snapshot() == before


def test_the_goal_ends_the_episode_and_closing_it_too():
    stage = Stage(task="iron_armor").own(iron_ingot=5)
    stage.room().own(crafting_table=1).act("place", block="crafting_table")
    row = ["iron_ingot"] * 3
    boots = [["iron_ingot", None, "iron_ingot"]] * 2
    step = stage.act("craft_grid", station="crafting_table", grid=boots)
    assert step.ending is Ending.GOAL
    assert step.observation.progress["score"] == 100
    with pytest.raises(EpisodeOver):
        stage.backend.step(Action("craft_grid", {"station": "crafting_table", "grid": [row]}))
    again = Stage()
    again.backend.close()
    with pytest.raises(EpisodeOver):
        again.backend.step(Action("wait", {}))


def test_what_only_the_record_sees_is_the_encounter():
    stage = Stage("M02")
    stage.room().own(iron_pickaxe=1).put(1, 0, 0, "iron_ore")
    step = stage.act("mine", block="iron_ore")
    assert step.audit.encounters == ("M02.iron_ore",)
    assert step.outcome.delta == {"raw_iron": 1, "iron_ingot": 1}
    assert step.audit.advancements == ("story/smelt_iron",)
    text = step.observation.to_json()
    assert not [secret for secret in ("M02", *rules_for("M02").describe()) if secret in text]


def test_vanilla_encounters_nothing():
    stage = Stage().own(iron_pickaxe=1).room()
    stage.put(1, 0, 0, "iron_ore")
    assert stage.act("mine", block="iron_ore").audit.encounters == ()
