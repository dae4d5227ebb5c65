"""Many steps of many worlds in one call: replay of action lists, and random play over executable actions."""

import numpy as np

from mirrorcraft.sim.blocks import HALF, MIN_Y
from mirrorcraft.sim.draws import POLICY, below
from mirrorcraft.sim.kernels.acting import nearest_mob
from mirrorcraft.sim.kernels.compiled import inner, kernel
from mirrorcraft.sim.kernels.mining import can_harvest
from mirrorcraft.sim.kernels.search import ACROSS, UP, distance2, kinds_of
from mirrorcraft.sim.kernels.step import reset, step
from mirrorcraft.sim.layout import LOG, NONE, Code, Skill, Station

(MINE, _, PREPARE_ACCESS, CRAFT_GRID, SMELT, ATTACK, ENCHANT, PLACE, EQUIP, COLLECT, _, TRADE, _) = (
    np.int64(skill) for skill in Skill
)  # fmt: skip
ENCHANTING_TABLE = np.int64(Station.ENCHANTING_TABLE)
STUCK = (np.int64(Code.BLOCKED), np.int64(Code.STATION_UNREACHABLE), np.int64(Code.UNREACHABLE))


@kernel
def reset_each(states, seeds, x, y, z, level):
    """Start an episode in every world."""
    for i in range(states.size):
        reset(states[i], seeds[i], x, y, z, level)


@kernel
def step_each(tables, voxels, states, actions, choice):
    """Step world ``i`` with ``actions[choice[i]]``."""
    for i in range(states.size):
        step(tables[0], voxels[0], states[i], actions[choice[i]])


@kernel
def replay(tables, voxels, states, actions, start, times):
    """Play an action list in the first row ``times`` times, each from the state of the one row ``start``."""
    for _ in range(times):
        states[0] = start[0]
        for k in range(actions.size):
            step(tables[0], voxels[0], states[0], actions[k])


@kernel
def play_at_random(
    tables, voxels, states, actions, starts, seeds, spawn, level, goal, budget, steps, counts
):
    """Play uniformly over executable actions; a world whose episode is over starts its next one.

    Args:
        actions: ACTION rows, sorted by the item that each cannot do without.
        starts: int64 [MAX_ITEMS + 3]: actions that need no item come first, those that need a drop on the ground
            next, from ``starts[1]`` on, those that need item ``i`` from ``starts[i + 2]`` on.
        seeds: uint64 [worlds], the luck of each world's current episode; the next one adds 1.
        spawn: (x, y, z).
        goal: bit set of advancements that end an episode.
        budget: actions that end an episode.
        steps: actions per world.
        counts: int64 [3], increased by episodes ended, goals reached, draws that named no executable action.
    """
    for w in range(states.size):
        state = states[w]
        for _ in range(steps):
            k = _choose(tables[0], voxels[0], state, actions, starts, counts)
            step(tables[0], voxels[0], state, actions[k])
            done = state.advancements & goal != 0
            if done or state.used >= budget:
                counts[0] += 1
                counts[1] += 1 if done else 0
                seeds[w] += np.uint64(1)
                reset(state, seeds[w], spawn[0], spawn[1], spawn[2], level)


@inner
def _choose(tables, voxels, state, actions, starts, counts):
    """Draw among the actions whose item is owned until one is executable; the first, ``wait``, always is."""
    total = starts[1]
    if state.n_drops > 0:
        total += starts[2] - starts[1]
    for i in range(state.n_owned):
        item = state.owned[i]
        total += starts[item + 3] - starts[item + 2]
    for attempt in range(64):
        k = below(total, state.seed, POLICY + np.int64(state.used), attempt)
        k = _nth(state, starts, k)
        if executable(tables, voxels, state, actions[k]):
            return k
        counts[2] += 1
    return 0


@inner
def _nth(state, starts, k):
    """Return the k-th of the actions whose item is owned."""
    if k < starts[1]:
        return k
    k -= starts[1]
    if state.n_drops > 0:
        n = starts[2] - starts[1]
        if k < n:
            return starts[1] + k
        k -= n
    for i in range(state.n_owned):
        item = state.owned[i]
        n = starts[item + 3] - starts[item + 2]
        if k < n:
            return starts[item + 2] + k
        k -= n
    return 0


@inner
def executable(tables, voxels, state, action):
    """Return whether the body has what an action asks for: items, a tool, a station near, such a block or mob near.

    Whether a block can be got at, or a grid makes anything, only trying tells; a way is prepared when the last action
    found none.
    """
    skill, target = action.skill, np.int64(action.target)
    if skill == CRAFT_GRID:
        for i in range(action.n_needs):
            if state.counts[action.need_item[i]] < action.need_count[i]:
                return False
        return action.station == NONE or _near(tables, state, action.station)
    if skill == MINE:
        return (target == LOG or can_harvest(tables, state, target)) and _in_sight(
            voxels, state, target
        )
    if skill == PREPARE_ACCESS:
        return state.code in STUCK and _in_sight(voxels, state, target)
    if skill == SMELT:
        return state.counts[target] > 0 and _near(tables, state, action.station)
    if skill == ATTACK:
        return nearest_mob(tables, voxels, state, target)[0] != NONE
    if skill == ENCHANT:
        return state.counts[target] > 0 and _near(tables, state, ENCHANTING_TABLE)
    if skill == PLACE or skill == EQUIP:
        return state.counts[target] > 0
    if skill == COLLECT:
        for i in range(state.n_drops):
            if state.drop_item[i] == target:
                return True
        return False
    return skill != TRADE


@inner
def _near(tables, state, kind):
    for i in range(state.n_stations):
        if state.station_kind[i] == kind:
            if (
                distance2(state, np.int64(state.station_pos[i]))
                <= tables.station_radius * tables.station_radius
            ):
                return True
    return False


@inner
def _in_sight(voxels, state, target):
    """Return whether the body's section or one beside it holds such a block."""
    mask = kinds_of(voxels, target)
    sx, sy, sz = (state.x + HALF) >> 4, (state.y - MIN_Y) >> 4, (state.z + HALF) >> 4
    for cx in range(max(sx - 1, 0), min(sx + 1, ACROSS - 1) + 1):
        for cz in range(max(sz - 1, 0), min(sz + 1, ACROSS - 1) + 1):
            for cy in range(max(sy - 1, 0), min(sy + 1, UP - 1) + 1):
                if voxels.sections[(cx * ACROSS + cz) * UP + cy] & mask:
                    return True
    return False
