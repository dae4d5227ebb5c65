"""One action of one world: reset, and the step that the single episode and the batch share."""

import numpy as np

from mirrorcraft.sim.kernels.acting import attack, equip, explore, place
from mirrorcraft.sim.kernels.actions import encode
from mirrorcraft.sim.kernels.compiled import ZERO, inner, kernel
from mirrorcraft.sim.kernels.crafting import craft_grid
from mirrorcraft.sim.kernels.grid import clear_changes
from mirrorcraft.sim.kernels.inventory import remove_drop
from mirrorcraft.sim.kernels.looking import look
from mirrorcraft.sim.kernels.mining import ascend, collect, mine, prepare_access
from mirrorcraft.sim.kernels.stations import enchant, smelt
from mirrorcraft.sim.layout import NONE, WORN, Code, Skill

(MINE, EXPLORE, PREPARE_ACCESS, CRAFT_GRID, SMELT, ATTACK, ENCHANT, PLACE, EQUIP, COLLECT, ASCEND, TRADE, _) = (
    np.int64(skill) for skill in Skill
)  # fmt: skip
OK, NO_VILLAGER = np.int64(Code.OK), np.int64(Code.NO_VILLAGER)
CRAFT_TICKS = 10  # opening, filling and emptying a grid
HAND_TICKS = 4  # placing, equipping


@kernel
def reset(state, seed, x, y, z, level):
    """Start an episode: the body at its spawn with nothing, the world as generated. Costs what the last one changed."""
    clear_changes(state)
    state.seed = seed
    state.tick, state.used, state.alive, state.level = 0, 0, 1, level
    state.x, state.y, state.z = x, y, z
    state.advancements = 0
    for i in range(state.n_owned):
        state.counts[state.owned[i]] = 0
    state.dead[:] = 0
    state.n_owned, state.occupied = 0, 0
    state.n_tools, state.n_stations, state.n_drops = 0, 0, 0
    state.hand = NONE
    for s in range(WORN):
        state.worn[s] = NONE
    state.visited, state.heading, state.enchant_count = 0, 0, 0
    begin(state)


@kernel
def start(voxels, states, seed, x, y, z, level, tables, out, seen):
    """Start the episode of the first row and read it out; returns as ``look``."""
    reset(states[0], seed, x, y, z, level)
    seen[4] = 0
    return _read(tables[0], voxels[0], states[0], out, seen)


@kernel
def act(
    tables, voxels, states, actions, out, seen, skill, target, number, station, cells, width, height
):
    """Run one action of the first row and read the state out, in one crossing from Python; returns as ``look``.

    Args:
        seen: int64 [5], where the body stood and how the blocks were when it last searched them: they are searched
            again only when it, or a block, has moved.
        skill .. height: see ``actions.encode``. A skill of NONE is an action that could not be tried: it costs one
            unit of budget and changes nothing.
    """
    state = states[0]
    if skill == NONE:
        begin(state)
        state.used += 1
    else:
        encode(actions, 0, skill, target, number, station, cells, width, height)
        step(tables[0], voxels[0], state, actions[0])
    return _read(tables[0], voxels[0], state, out, seen)


@inner
def _read(tables, voxels, state, out, seen):
    moved = seen[4] == 0 or not (
        seen[0] == state.x
        and seen[1] == state.y
        and seen[2] == state.z
        and seen[3] == state.revision
    )
    seen[0], seen[1], seen[2], seen[3], seen[4] = state.x, state.y, state.z, state.revision, 1
    return look(tables, voxels, state, out, moved)


@kernel
def begin(state):
    """Clear what the last action reported."""
    state.code, state.detail, state.number = OK, NONE, 0
    state.n_events, state.n_touched, state.n_broken, state.n_collected = 0, 0, 0, 0
    state.made_item, state.made_count, state.left_count, state.gained = NONE, 0, 0, 0


@kernel
def step(tables, voxels, state, action):
    """Run one action: time passes, the world and the inventory change, and the state says what came of it."""
    begin(state)
    state.used += 1
    skill = action.skill
    if skill == MINE:
        code = mine(tables, voxels, state, action)
    elif skill == CRAFT_GRID:
        state.tick += CRAFT_TICKS
        code = craft_grid(tables, voxels, state, action)
    elif skill == SMELT:
        code = smelt(tables, voxels, state, action)
    elif skill == PLACE:
        state.tick += HAND_TICKS
        code = place(tables, voxels, state, action)
    elif skill == EXPLORE:
        code = explore(tables, voxels, state, action)
    elif skill == PREPARE_ACCESS:
        code = prepare_access(tables, voxels, state, action)
    elif skill == ATTACK:
        code = attack(tables, voxels, state, action)
    elif skill == ENCHANT:
        code = enchant(tables, voxels, state, action)
    elif skill == EQUIP:
        state.tick += HAND_TICKS
        code = equip(tables, state, action)
    elif skill == COLLECT:
        code = collect(tables, voxels, state, action)
    elif skill == ASCEND:
        code = ascend(tables, voxels, state, action)
    elif skill == TRADE:
        code = NO_VILLAGER  # no biome spec puts villagers into a world
    else:
        state.tick += action.number
        state.number, code = 1, OK
    state.code = code
    _expire_drops(tables, state)


@inner
def _expire_drops(tables, state):
    """Dropped items vanish after five minutes."""
    i = ZERO
    while i < state.n_drops:
        if state.tick - state.drop_tick[i] >= tables.drop_ticks:
            remove_drop(state, i)
        else:
            i += 1
