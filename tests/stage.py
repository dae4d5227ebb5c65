"""A simulated world set up by hand for a test, and what must hold in every state of it."""

from collections import Counter
from dataclasses import replace
from functools import cache
from math import ceil
from typing import Any

import numpy as np

from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Step
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, pack, unpack
from mirrorcraft.sim.kernels.grid import block_at_packed, set_block
from mirrorcraft.sim.kernels.inventory import give, take
from mirrorcraft.sim.kernels.step import begin
from mirrorcraft.sim.layout import (
    MAX_CHANGES,
    MAX_DROPS,
    MAX_EVENTS,
    MAX_REPORT,
    MAX_STATIONS,
    MAX_TOUCHED,
    NONE,
    SLOTS,
)
from mirrorcraft.sim.observe import Names
from mirrorcraft.sim.tables import compile_tables
from mirrorcraft.sim.voxels import open_world
from mirrorcraft.study.plan import rules_for

UNENDING = 30_000  # actions


@cache
def names() -> Names:
    return Names(Rulebook.vanilla("1.19"))


@cache
def world_of(world: World) -> Any:
    return open_world(world)


class Stage:
    """An episode whose inventory and blocks a test writes; every action on it is held to ``check``."""

    def __init__(
        self,
        suite: str | Rulebook = "vanilla",
        world: str = "plains-a",
        task: str = "enchantment",
        seed: int = 7,
        budget: int = UNENDING,
    ):
        self.backend = SimBackend()
        self.rules = suite if isinstance(suite, Rulebook) else rules_for(suite)
        place = World.load(world)
        self.seen = self.backend.reset(
            place, self.rules, Task.load(task).with_budget(budget), seed=seed
        )
        self.state: Any = self.backend._states[0]
        self.tables: Any = compile_tables(self.rules)
        self.voxels: Any = world_of(place)
        self.names = names()

    def act(self, skill: str, **args: Any) -> Step:
        return self.send(Action(skill, args))

    def send(self, action: Any) -> Step:
        """Step, and hold what came of it to the invariants."""
        before, tick = self.seen, int(self.state.tick)
        step = self.backend.step(action)
        self.seen = step.observation
        check_state(self)
        check_step(self, before, tick, step)
        return step

    def reason(self, skill: str, **args: Any) -> Reason | None:
        return self.act(skill, **args).outcome.reason

    def own(self, **items: int) -> "Stage":
        """Put items into the inventory."""
        for name, count in items.items():
            given = give(self.tables, self.state, np.int64(self.names.item[name]), np.int64(count))
            assert given == count, f"only {given} of {count} {name} fit"
        return self._look_again()

    def lose(self, **items: int) -> "Stage":
        """Take items out of the inventory."""
        for name, count in items.items():
            take(self.tables, self.state, np.int64(self.names.item[name]), np.int64(count))
        return self._look_again()

    def _look_again(self) -> "Stage":
        begin(self.state)
        counts = self.state.counts
        owned = {self.names.items[i]: int(counts[i]) for i in np.flatnonzero(counts)}
        self.seen = replace(self.seen, inventory=owned)
        return self

    def fill(self, item: str = "dirt") -> "Stage":
        """Fill every free slot with stacks of an item."""
        free = SLOTS - int(self.state.occupied)
        return self.own(**{item: free * self.rules.items[item].stack}) if free else self

    def put(self, dx: int, dy: int, dz: int, block: str) -> None:
        """Write a block beside the body's feet."""
        x, y, z = int(self.state.x) + dx, int(self.state.y) + dy, int(self.state.z) + dz
        assert set_block(self.state, pack(x, y, z), self.names.block[block])

    def at(self, dx: int, dy: int, dz: int) -> str:
        """Return the block of a cell beside the body's feet."""
        x, y, z = int(self.state.x) + dx, int(self.state.y) + dy, int(self.state.z) + dz
        return self.names.blocks[int(block_at_packed(self.voxels, self.state, pack(x, y, z)))]

    def room(self, floor: str = "stone", side: int = 3) -> "Stage":
        """Make a flat open place around the body, free of plants: floor, and four cells of air above."""
        for dx in range(-side, side + 1):
            for dz in range(-side, side + 1):
                self.put(dx, -1, dz, floor)
                for dy in range(4):
                    self.put(dx, dy, dz, "air")
        return self

    @property
    def inventory(self) -> dict[str, int]:
        return self.seen.inventory

    def everything(self) -> Counter[str]:
        """Count all items that exist: owned, on the ground, in stations."""
        s = self.state
        total: Counter[str] = Counter(self.inventory)
        for i in range(s.n_drops):
            total[self.names.items[s.drop_item[i]]] += int(s.drop_count[i])
        for i in range(s.n_stations):
            if s.out_count[i]:
                total[self.names.items[s.out_item[i]]] += int(s.out_count[i])
        return total


def check_state(stage: Stage) -> None:
    """Hold a state to what is true of every one."""
    s, rules, items = stage.state, stage.rules, stage.names.items
    counts = np.asarray(s.counts, np.int64)
    assert (counts >= 0).all()
    assert not counts[len(items) :].any()
    owned = {items[i]: int(counts[i]) for i in np.flatnonzero(counts)}
    assert stage.seen.inventory == owned
    worn = [items[i] for i in s.worn if i != NONE]
    filled = sum(ceil(n / rules.items[name].stack) for name, n in owned.items()) - len(worn)
    assert int(s.occupied) == filled <= SLOTS
    held = [] if s.hand == NONE else [items[s.hand]]
    assert all(name in owned for name in (*held, *worn))
    _check_tools(stage, owned)
    _check_blocks(stage)
    assert 0 <= s.n_drops <= MAX_DROPS
    assert all(s.drop_count[i] > 0 for i in range(s.n_drops))
    assert all(0 <= s.tick - s.drop_tick[i] < stage.tables.drop_ticks for i in range(s.n_drops))
    assert s.n_touched < MAX_TOUCHED  # at the capacity something may have been left out
    assert s.n_events < MAX_EVENTS
    assert max(s.n_broken, s.n_collected) < MAX_REPORT
    assert 0 <= s.level <= 100


def _check_tools(stage: Stage, owned: dict[str, int]) -> None:
    """The list of worn-down things holds each owned one once, none of them broken."""
    s, items, durability = stage.state, stage.names.items, stage.tables.durability
    listed = Counter(items[s.tool_item[t]] for t in range(s.n_tools))
    assert listed == {n: c for n, c in owned.items() if durability[stage.names.item[n]] != 0}
    for t in range(s.n_tools):
        limit = int(durability[s.tool_item[t]])
        assert 0 <= s.tool_damage[t] < limit or (limit == -1 and s.tool_damage[t] == 0)


def _check_blocks(stage: Stage) -> None:
    """The body stands inside the box; changed blocks and stations are where the state says."""
    s, tables = stage.state, stage.tables
    assert -HALF <= s.x < SIDE - HALF
    assert -HALF <= s.z < SIDE - HALF
    assert MIN_Y <= s.y < MIN_Y + HEIGHT
    assert 0 <= s.n_changes <= MAX_CHANGES
    assert np.count_nonzero(s.hash_slots) == s.n_changes
    for i in range(s.n_changes):
        assert block_at_packed(stage.voxels, s, int(s.change_pos[i])) == s.change_block[i]
    assert 0 <= s.n_stations <= MAX_STATIONS
    for i in range(s.n_stations):
        block = int(block_at_packed(stage.voxels, s, int(s.station_pos[i])))
        assert tables.station_of[block] == s.station_kind[i], unpack(int(s.station_pos[i]))
        assert s.out_count[i] >= 0


def check_step(stage: Stage, before: Observation, tick: int, step: Step) -> None:
    """Hold one action's consequences to what is true of all."""
    outcome, seen = step.outcome, step.observation
    assert outcome.ok or outcome.reason is not None
    assert outcome.reason is None or isinstance(outcome.reason, Reason)
    names = {*before.inventory, *seen.inventory}
    change = {i: seen.inventory.get(i, 0) - before.inventory.get(i, 0) for i in names}
    assert outcome.delta == {i: n for i, n in change.items() if n}
    assert outcome.ticks == int(stage.state.tick) - tick >= 0
    assert seen.budget["used"] == before.budget["used"] + 1
    assert set(before.progress["done"]) <= set(seen.progress["done"])
    if not outcome.ok:
        assert not step.audit.advancements
