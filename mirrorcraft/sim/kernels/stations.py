"""Placed stations: reaching one, smelting in one, enchanting at one."""

import numpy as np

from mirrorcraft.sim.blocks import unpack
from mirrorcraft.sim.draws import ENCHANT, below, uniform
from mirrorcraft.sim.kernels.compiled import ONE, ZERO, inner
from mirrorcraft.sim.kernels.grid import block_at
from mirrorcraft.sim.kernels.inventory import advance, give, take
from mirrorcraft.sim.kernels.recording import record
from mirrorcraft.sim.kernels.search import distance2
from mirrorcraft.sim.kernels.travel import approach
from mirrorcraft.sim.layout import NONE, SLOTS, TOOL_ENCHANTS, Code, EventKind, Station

(OK, PARTIAL, NEEDS_TABLE, NEEDS_STATION, STATION_UNREACHABLE, MISSING_ITEM, NO_FUEL, NO_OUTPUT, NO_LAPIS,
 NEEDS_LEVEL, NOT_ENCHANTABLE, INVENTORY_FULL, NO_OFFER) = (
    np.int64(Code.OK), np.int64(Code.PARTIAL), np.int64(Code.NEEDS_TABLE), np.int64(Code.NEEDS_STATION), np.int64(Code.STATION_UNREACHABLE),
    np.int64(Code.MISSING_ITEM), np.int64(Code.NO_FUEL), np.int64(Code.NO_OUTPUT), np.int64(Code.NO_LAPIS), np.int64(Code.NEEDS_LEVEL),
    np.int64(Code.NOT_ENCHANTABLE), np.int64(Code.INVENTORY_FULL), np.int64(Code.NO_OFFER),
)  # fmt: skip
CRAFTING_TABLE, FURNACE, ENCHANTING_TABLE = (
    np.int64(Station.CRAFTING_TABLE),
    np.int64(Station.FURNACE),
    np.int64(Station.ENCHANTING_TABLE),
)
COOK = np.int64(EventKind.COOK)
SHELVES_AT_MOST = np.int64(15)


@inner
def reach_station(tables, voxels, state, kind):
    """Walk to the nearest reachable station of a kind; return (code, station index)."""
    radius2 = tables.station_radius * tables.station_radius
    seen, tried = False, np.int64(0)
    while True:
        best, best2 = NONE, radius2 + 1
        for i in range(state.n_stations):
            if state.station_kind[i] == kind and (tried >> i) & 1 == 0:
                d = distance2(state, np.int64(state.station_pos[i]))
                if d < best2:
                    best, best2 = i, d
        if best == NONE:
            if seen:
                return STATION_UNREACHABLE, NONE
            return NEEDS_TABLE if kind == CRAFTING_TABLE else NEEDS_STATION, NONE
        seen = True
        tried |= np.int64(1) << best
        x, y, z = unpack(np.int64(state.station_pos[best]))
        if near(state, x, y, z) or approach(tables, voxels, state, x, y, z):
            return OK, best


@inner
def near(state, x, y, z):
    """Return whether a block is within arm's reach as the body stands."""
    return abs(state.x - x) + abs(state.z - z) <= 3 and -3 <= y - state.y <= 4


# ---- smelting
@inner
def smelt(tables, voxels, state, action):
    """Process up to ``number`` of an item in the nearest station of a kind, as the game's furnace does it.

    A fuel burns for its ticks, half as long in a blast furnace or smoker; each result takes its cooking time; what
    burns on after the last result is there for the next call. Input that was not processed is never spent.
    """
    item, n = np.int64(action.target), np.int64(action.number)
    if state.counts[item] == 0:
        state.detail = item
        return MISSING_ITEM
    code, s = reach_station(tables, voxels, state, np.int64(action.station))
    if code != OK:
        state.detail = action.station
        return code
    kind = np.int64(action.station) - FURNACE
    n = min(n, np.int64(state.counts[item]))
    burning = max(0, state.burn_end[s] - state.tick)
    if burning == 0 and _next_fuel(tables, state, item, n, kind) == NONE:
        return NO_FUEL
    _empty_output(tables, state, s)
    result = np.int64(tables.cook_result[kind, item])
    record(state, COOK, kind, item, ZERO, ZERO)
    if result == NONE:
        return NO_OUTPUT
    if state.out_count[s] > 0 and state.out_item[s] != result:
        return INVENTORY_FULL
    _cook(tables, state, s, item, n, kind, result)
    state.made_item, state.made_count = result, state.number * tables.cook_count[kind, item]
    _empty_output(tables, state, s)
    if state.out_count[s] > 0:
        state.left_count = state.out_count[s]
        return INVENTORY_FULL
    if state.number == 0:
        return NO_FUEL
    return OK if state.number == action.number else PARTIAL


@inner
def _cook(tables, state, s, item, n, kind, result):
    """Cook one item after the other until input, fuel or room for the output runs out; count them in ``number``."""
    ticks, count = np.int64(tables.cook_ticks[kind, item]), np.int64(tables.cook_count[kind, item])
    burning = max(0, state.burn_end[s] - state.tick)
    while state.number < n and state.out_count[s] + count <= tables.stack[result]:
        left = ticks
        while burning < left:
            fuel = _next_fuel(tables, state, item, n - state.number, kind)
            if fuel == NONE:
                # The fire goes out before this one is done: it comes back as it was put in.
                state.tick += burning
                state.burn_end[s] = state.tick
                return
            take(tables, state, fuel, ONE)
            if tables.remainder[fuel] != NONE:
                give(tables, state, np.int64(tables.remainder[fuel]), ONE)
            burning += _burn_ticks(tables, fuel, kind)
        burning -= left
        state.tick += left
        take(tables, state, item, ONE)
        state.out_item[s] = result
        state.out_count[s] += count
        state.number += 1
    state.burn_end[s] = state.tick + burning


@inner
def _burn_ticks(tables, fuel, kind):
    return np.int64(tables.fuel[fuel]) // (1 if kind == 0 else 2)


@inner
def _next_fuel(tables, state, item, reserved, kind):
    """Return the owned fuel that the body likes best, what is still to be cooked left alone; NONE without any."""
    for i in range(tables.n_fuels):
        fuel = np.int64(tables.fuels[i])
        if (
            state.counts[fuel] - (reserved if fuel == item else 0) > 0
            and _burn_ticks(tables, fuel, kind) > 0
        ):
            return fuel
    return NONE


@inner
def _empty_output(tables, state, s):
    """Take what lies in a station's output, as far as it fits."""
    if state.out_count[s] > 0:
        state.out_count[s] -= give(
            tables, state, np.int64(state.out_item[s]), np.int64(state.out_count[s])
        )


# ---- enchanting
@inner
def enchant(tables, voxels, state, action):
    """Take one of the three offers of the nearest enchanting table, as the game computes them.

    Offers depend on the episode's luck, the item and the bookshelves around the table, and stay the same until one is
    taken (EnchantmentMenu and EnchantmentHelper of 1.19).
    """
    item, option = np.int64(action.target), np.int64(action.number)
    if state.counts[item] == 0:
        state.detail = item
        return MISSING_ITEM
    code, s = reach_station(tables, voxels, state, ENCHANTING_TABLE)
    if code != OK:
        state.detail = ENCHANTING_TABLE
        return code
    t = _plain_tool(state, item)
    book = item == tables.book
    if tables.enchantability[item] == 0 or (t == NONE and not book):
        return NOT_ENCHANTABLE
    if state.counts[tables.lapis] < option + 1:
        return NO_LAPIS
    x, y, z = unpack(np.int64(state.station_pos[s]))
    cost = _offer(state, option, _shelves(tables, voxels, state, x, y, z))
    if cost == 0:
        return NO_OFFER
    if state.level < cost or state.level < option + 1:
        state.detail = max(cost, option + 1)
        return NEEDS_LEVEL
    if book:
        if state.occupied == SLOTS and state.counts[item] % tables.stack[item] != 1:
            return INVENTORY_FULL  # taking one book frees no slot for it to come back to
        take(tables, state, item, ONE)
        give(tables, state, tables.enchanted_book, ONE)
        t = np.int64(state.n_tools) - 1
    if _choose(tables, state, t, item, option, cost) == 0:
        return NO_OFFER  # too weak for any enchantment, which a book never is: the game takes nothing then
    take(tables, state, tables.lapis, option + 1)
    state.level -= option + 1
    state.enchant_count += 1
    state.made_item, state.made_count, state.number = state.tool_item[t], t, 1
    advance(state, tables.enchant_advances)
    return OK


@inner
def _plain_tool(state, item):
    """Return a tool entry of an item without enchantments, the least worn; NONE when there is none."""
    best = NONE
    for t in range(state.n_tools):
        if state.tool_item[t] == item and state.tool_enchants[t, 0] == 0:
            if best == NONE or state.tool_damage[t] < state.tool_damage[best]:
                best = t
    return best


@inner
def _shelves(tables, voxels, state, x, y, z):
    """Return how many bookshelves count for a table: two cells off, on its level or one above, with air between."""
    n = 0
    for dx in range(-2, 3):
        for dz in range(-2, 3):
            if max(abs(dx), abs(dz)) == 2:
                for dy in range(2):
                    between = block_at(voxels, state, x + _half(dx), y + dy, z + _half(dz))
                    if (
                        between == tables.air
                        and block_at(voxels, state, x + dx, y + dy, z + dz) == tables.bookshelf
                    ):
                        n += 1
    return min(n, SHELVES_AT_MOST)


@inner
def _half(d):
    """Return d / 2 rounded towards zero."""
    return d // 2 if d >= 0 else -(-d // 2)


@inner
def _offer(state, option, shelves):
    """Return the level that an offer asks for, 0 when there is none (EnchantmentHelper.getEnchantmentCost)."""
    event = ENCHANT + np.int64(state.enchant_count)
    base = (
        below(np.int64(8), state.seed, event, option * 8)
        + 1
        + (shelves >> 1)
        + below(shelves + 1, state.seed, event, option * 8 + 1)
    )
    if option == 0:
        cost = max(base // 3, 1)
    elif option == 1:
        cost = base * 2 // 3 + 1
    else:
        cost = max(base, shelves * 2)
    return cost if cost >= option + 1 else 0


@inner
def _choose(tables, state, t, item, option, cost):
    """Put the enchantments of an offer on tool entry ``t``; return how many (EnchantmentHelper.selectEnchantment)."""
    event, site = ENCHANT + np.int64(state.enchant_count), 64 + option * 64
    bonus = np.int64(tables.enchantability[item]) // 4 + 1
    power = (
        cost + 1 + below(bonus, state.seed, event, site) + below(bonus, state.seed, event, site + 1)
    )
    f = (uniform(state.seed, event, site + 2) + uniform(state.seed, event, site + 3) - 1.0) * 0.15
    power = max(1, np.int64(np.floor(power + power * f + 0.5)))
    open_to = np.uint64(tables.enchants[item])
    n, chance = 0, power
    for k in range(TOOL_ENCHANTS):
        chosen, level = _weighted(
            tables, open_to, power, below(np.int64(1 << 30), state.seed, event, site + 8 + 2 * k)
        )
        if chosen == NONE:
            break
        state.tool_enchants[t, k] = (chosen + 1) << 4 | level
        n += 1
        open_to &= ~tables.excludes[chosen]
        if k > 0:
            chance //= 2
        if below(np.int64(50), state.seed, event, site + 9 + 2 * k) > chance:
            break
    if state.tool_item[t] == tables.enchanted_book and n > 1:  # a book loses one of several again
        lost = below(n, state.seed, event, site + 7)
        state.tool_enchants[t, lost] = state.tool_enchants[t, n - 1]
        state.tool_enchants[t, n - 1] = 0
    return n


@inner
def _weighted(tables, open_to, power, u):
    """Return (enchantment, level) drawn by weight from those that a power allows; (NONE, 0) without any."""
    total = 0
    for e in range(tables.n_enchantments):
        if (open_to >> np.uint64(e)) & np.uint64(1) and _level_for(tables, e, power) > 0:
            total += tables.enchant_weight[e]
    if total > 0:
        left = u % total
        for e in range(tables.n_enchantments):
            level = _level_for(tables, e, power)
            if (open_to >> np.uint64(e)) & np.uint64(1) and level > 0:
                left -= tables.enchant_weight[e]
                if left < 0:
                    return e, level
    return NONE, 0


@inner
def _level_for(tables, e, power):
    """Return the highest level of an enchantment whose cost range holds a power, 0 if none does."""
    for level in range(tables.enchant_max[e], 0, -1):
        low = tables.min_cost[e, 0] + tables.min_cost[e, 1] * (level - 1)
        high = tables.max_cost[e, 0] + tables.max_cost[e, 1] * (level - 1)
        if low <= power <= high:
            return level
    return 0
