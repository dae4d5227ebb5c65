"""Many worlds at once are so many single worlds: one step for both."""

from typing import Any

import numpy as np
import pytest

from mirrorcraft.core.action import COOKERS, ENCHANT_OPTIONS, LOG, SKILLS, Action
from mirrorcraft.core.rng import below
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import AN_ENTITY, SimBackend
from mirrorcraft.sim.batch import Batch
from mirrorcraft.sim.layout import LOG as ANY_TRUNK
from mirrorcraft.sim.layout import NONE, STATE, Skill
from mirrorcraft.study.plan import rules_for

BUDGET = 10_000


def action_of(row: Any, batch: Batch) -> Action:
    """Return the action that an agent would send for a row of the action space."""
    names, skill, target = batch.names, Skill(int(row.skill)), int(row.target)
    block = LOG if target == ANY_TRUNK else dict(enumerate(names.blocks)).get(target)
    item = names.items[target]
    args: dict[str, Any]
    match skill:
        case Skill.MINE:
            args = {"block": block, "count": int(row.number)}
        case Skill.EXPLORE if row.station == AN_ENTITY:
            args = {"target": names.entities[target]}
        case Skill.EXPLORE | Skill.PREPARE_ACCESS:
            args = {"target": block}
        case Skill.CRAFT_GRID:
            cells = [None if i == NONE else names.items[int(i)] for i in row.grid]
            station = "inventory" if row.station == NONE else "crafting_table"
            side = 2 if station == "inventory" else 3
            args = {
                "station": station,
                "grid": [cells[3 * y : 3 * y + side] for y in range(side)],
            }
        case Skill.SMELT:
            station = COOKERS[int(row.station) - 1]
            args = {"input": item, "station": station, "count": int(row.number)}
        case Skill.ATTACK:
            args = {"target": names.entities[target], "count": int(row.number)}
        case Skill.ENCHANT:
            args = {"item": item, "option": ENCHANT_OPTIONS[int(row.number)]}
        case Skill.PLACE:
            args = {"block": item}
        case Skill.EQUIP | Skill.COLLECT:
            args = {"item": item}
        case Skill.ASCEND:
            args = {"height": int(row.number)}
        case _:
            args = {"ticks": int(row.number)}
    return Action(SKILLS[skill], args)


@pytest.fixture(scope="module", params=[("plains-a", "vanilla"), ("jungle-b", "M02")])
def batch(request: pytest.FixtureRequest) -> Batch:
    world, suite = request.param
    task = Task.load("enchantment").with_budget(BUDGET)
    batch = Batch(World.load(world), rules_for(suite), task, 3)
    batch.suite, batch.world = suite, world  # type: ignore[attr-defined]
    return batch


def test_every_action_of_the_space_can_be_sent_by_an_agent(batch: Batch):
    backend = single(batch, 0)
    for row in batch.actions:
        reason = backend.step(action_of(row, batch)).outcome.reason
        assert reason not in ("invalid_args", "unknown_id", "not_searchable")


def single(batch: Any, i: int) -> SimBackend:
    """Return a single world whose episode is that of world ``i``."""
    backend = SimBackend()
    task = Task.load("enchantment").with_budget(BUDGET)
    world, rules = World.load(batch.world), rules_for(batch.suite)
    backend.reset(world, rules, task, seed=int(batch._seeds[i]))
    return backend


def test_a_batch_takes_the_steps_of_single_worlds(batch: Batch):
    batch.reset()
    alone = [single(batch, i) for i in range(3)]
    for n in range(60):
        choice = np.array([below(len(batch.actions), 5, n, i) for i in range(3)], np.int64)
        batch.step(choice)
        for i, backend in enumerate(alone):
            backend.step(action_of(batch.actions[choice[i]], batch))
            assert differences(batch.states[i], backend._states[0]) == [], (n, i)


def differences(one: Any, other: Any) -> list[str]:
    """Return the fields whose meaningful part differs; what lies beyond a list's end means nothing."""
    ends = {
        "events": "n_events",
        "touched": "n_touched",
        "before": "n_touched",
        "broken": "n_broken",
        "collected": "n_collected",
        "tool_item": "n_tools",
        "tool_damage": "n_tools",
        "tool_enchants": "n_tools",
        "change_pos": "n_changes",
        "change_block": "n_changes",
        "station_kind": "n_stations",
        "station_pos": "n_stations",
        "burn_end": "n_stations",
        "out_item": "n_stations",
        "out_count": "n_stations",
        "drop_item": "n_drops",
        "drop_count": "n_drops",
        "drop_pos": "n_drops",
        "drop_tick": "n_drops",
    }
    found = []
    for name in STATE.fields or ():
        a, b = one[name], other[name]
        if name in ends:
            a, b = a[: one[ends[name]]], b[: other[ends[name]]]
        if not np.array_equal(a, b):
            found.append(name)
    return found


def test_random_play_is_the_same_however_it_is_cut(batch: Batch):
    world, rules = World.load(batch.world), rules_for(batch.suite)  # type: ignore[attr-defined]
    task = Task.load("iron_armor")
    whole, cut = (Batch(world, rules, task, 4) for _ in range(2))
    played = whole.play_at_random(130)
    parts = [cut.play_at_random(n) for n in (1, 49, 80)]
    assert played.actions == sum(p.actions for p in parts) == 4 * 130
    assert played.episodes == sum(p.episodes for p in parts) >= 8
    for one, other in zip(whole.states, cut.states, strict=True):
        assert differences(one, other) == []


def test_random_play_is_that_of_single_worlds_with_the_same_luck(batch: Batch):
    """Worlds do not look at each other: a batch of one is the first of a batch of four."""
    world, rules = World.load(batch.world), rules_for(batch.suite)  # type: ignore[attr-defined]
    task = Task.load("diamond")
    four, one = Batch(world, rules, task, 4), Batch(world, rules, task, 1)
    four.play_at_random(70)
    one.play_at_random(70)
    assert differences(four.states[0], one.states[0]) == []
    assert differences(four.states[1], one.states[0]) != []


def test_random_play_ends_episodes_at_their_budget():
    batch = Batch(World.load("plains-a"), rules_for("vanilla"), Task.load("diamond"), 2)
    assert batch.play_at_random(50).episodes == 2
    assert [int(s.used) for s in batch.states] == [0, 0]
