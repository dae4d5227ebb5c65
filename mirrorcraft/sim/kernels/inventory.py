"""The inventory: a multiset of items whose slots are counted, and the tools with their wear."""

import numpy as np

from mirrorcraft.sim.draws import WEAR, below
from mirrorcraft.sim.kernels.compiled import ZERO, inner, kernel
from mirrorcraft.sim.layout import (
    MAX_DROPS,
    MAX_TOOLS,
    MAX_TOUCHED,
    NONE,
    SLOTS,
    TOOL_ENCHANTS,
    WORN,
)


@inner
def touch(state, item):
    """Remember the count of an item before this action first changes it; ``delta`` is read from that."""
    for i in range(state.n_touched):
        if state.touched[i] == item:
            return
    if state.n_touched < MAX_TOUCHED:
        state.touched[state.n_touched] = item
        state.before[state.n_touched] = state.counts[item]
        state.n_touched += 1


@inner
def slots_for(tables, item, count):
    """Return how many slots ``count`` of an item fill, stacks merged."""
    stack = np.int64(tables.stack[item])
    return (count + stack - 1) // stack


@inner
def room(tables, state, item):
    """Return how many more of an item fit."""
    stack = np.int64(tables.stack[item])
    count = np.int64(state.counts[item])
    return (SLOTS - state.occupied) * stack + (stack - count % stack) % stack


@kernel
def give(tables, state, item, count):
    """Put up to ``count`` of an item into the inventory; return how many fitted. Completes advancements."""
    n = min(count, room(tables, state, item))
    if tables.durability[item] != 0:
        n = min(n, MAX_TOOLS - state.n_tools)
    if n <= 0:
        return ZERO
    touch(state, item)
    have = np.int64(state.counts[item])
    state.occupied += slots_for(tables, item, have + n) - slots_for(tables, item, have)
    state.counts[item] = have + n
    if have == 0:
        _own(state, item)
    if tables.durability[item] != 0:
        for _ in range(n):
            _add_tool(state, item)
    advance(state, tables.advances[item])
    return n


@inner
def _own(state, item):
    """Enter an item into the sorted list of those owned."""
    i = state.n_owned
    while i > 0 and state.owned[i - 1] > item:
        state.owned[i] = state.owned[i - 1]
        i -= 1
    state.owned[i] = item
    state.n_owned += 1


@inner
def _disown(state, item):
    """Take an item off the list of those owned, out of the hand, and off the body."""
    i = 0
    while state.owned[i] != item:
        i += 1
    state.n_owned -= 1
    while i < state.n_owned:
        state.owned[i] = state.owned[i + 1]
        i += 1
    if state.hand == item:
        state.hand = NONE
    for s in range(WORN):
        if state.worn[s] == item:
            state.worn[s] = NONE
            state.occupied += 1  # a worn piece counts in the inventory but fills no slot


@inner
def advance(state, bits):
    """Complete the advancements of a bit set."""
    new = bits & ~state.advancements
    if new:
        state.advancements |= new
        state.gained |= new


@inner
def _add_tool(state, item):
    t = state.n_tools
    state.tool_item[t] = item
    state.tool_damage[t] = 0
    for k in range(TOOL_ENCHANTS):
        state.tool_enchants[t, k] = 0
    state.n_tools += 1


@kernel
def take(tables, state, item, count):
    """Remove ``count`` of an item that is owned in that number; of tools, the one worth least goes first."""
    touch(state, item)
    have = np.int64(state.counts[item])
    state.occupied -= slots_for(tables, item, have) - slots_for(tables, item, have - count)
    state.counts[item] = have - count
    if tables.durability[item] != 0:
        for _ in range(count):
            remove_tool(state, _cheapest_tool(state, item))
    if have == count:
        _disown(state, item)


@inner
def _cheapest_tool(state, item):
    """Return the tool entry of an item that is unenchanted if possible, and most worn."""
    best, best_key = NONE, -1
    for t in range(state.n_tools):
        if state.tool_item[t] == item:
            key = np.int64(state.tool_damage[t]) + (
                1 << 20 if state.tool_enchants[t, 0] == 0 else 0
            )
            if key > best_key:
                best, best_key = t, key
    return best


@inner
def remove_tool(state, t):
    """Drop tool entry ``t``; the last entry takes its place."""
    last = state.n_tools - 1
    if t != last:
        state.tool_item[t] = state.tool_item[last]
        state.tool_damage[t] = state.tool_damage[last]
        for k in range(TOOL_ENCHANTS):
            state.tool_enchants[t, k] = state.tool_enchants[last, k]
    state.n_tools = last


@inner
def enchant_level(state, t, enchantment):
    """Return the level of an enchantment on tool entry ``t``, 0 without it or without a tool."""
    if t == NONE:
        return 0
    for k in range(TOOL_ENCHANTS):
        if state.tool_enchants[t, k] >> 4 == enchantment + 1:
            return state.tool_enchants[t, k] & 15
    return 0


@inner
def wear(tables, state, t, amount):
    """Wear tool entry ``t``; it breaks when nothing is left. Unbreaking spares it with chance level / (level + 1)."""
    item = np.int64(state.tool_item[t])
    unbreaking = enchant_level(state, t, tables.unbreaking)
    site = (
        np.int64(state.revision) << 8
    )  # what breaks at once takes no time: the tick alone would repeat its luck
    for k in range(amount):
        if (
            unbreaking == 0
            or below(unbreaking + 1, state.seed, WEAR + np.int64(state.tick), site + k) == 0
        ):
            state.tool_damage[t] += 1
    if state.tool_damage[t] >= tables.durability[item]:
        touch(state, item)
        state.counts[item] -= 1
        state.occupied -= 1
        remove_tool(state, t)
        if state.counts[item] == 0:
            _disown(state, item)


@inner
def drop(state, item, count, p):
    """Leave items on the ground at a packed position; the oldest heap gives way when there are too many."""
    for i in range(state.n_drops):
        if state.drop_item[i] == item and state.drop_pos[i] == p:
            state.drop_count[i] += count
            state.drop_tick[i] = state.tick
            return
    i = state.n_drops
    if i == MAX_DROPS:
        i = ZERO
        for k in range(1, MAX_DROPS):
            if state.drop_tick[k] < state.drop_tick[i]:
                i = k
    else:
        state.n_drops += 1
    state.drop_item[i] = item
    state.drop_count[i] = count
    state.drop_pos[i] = p
    state.drop_tick[i] = state.tick


@inner
def remove_drop(state, i):
    """Take heap ``i`` off the ground; the last heap takes its place."""
    last = state.n_drops - 1
    state.drop_item[i] = state.drop_item[last]
    state.drop_count[i] = state.drop_count[last]
    state.drop_pos[i] = state.drop_pos[last]
    state.drop_tick[i] = state.drop_tick[last]
    state.n_drops = last
