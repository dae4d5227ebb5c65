"""attack, explore, place, equip, wait: what the body does beside mining and making."""

import numpy as np

from mirrorcraft.sim.blocks import HALF, SIDE, inside, pack, unpack
from mirrorcraft.sim.draws import KILL, WANDER, below
from mirrorcraft.sim.kernels.breaking import roll
from mirrorcraft.sim.kernels.compiled import ONE, ZERO, inner
from mirrorcraft.sim.kernels.grid import block_at, ground_at, set_block, solid_at
from mirrorcraft.sim.kernels.inventory import enchant_level, take, wear
from mirrorcraft.sim.kernels.recording import record
from mirrorcraft.sim.kernels.search import FIRST, nearest
from mirrorcraft.sim.kernels.travel import SIDES, TOO_MANY, approach, surface, walk_to
from mirrorcraft.sim.layout import MAX_STATIONS, NONE, Code, EventKind, ToolClass

(OK, PARTIAL, NOT_FOUND, BLOCKED, MISSING_ITEM, NOT_PLACEABLE, NO_SPOT, NOT_EQUIPPABLE, PICKUP_FAILED,
 INVENTORY_FULL, UNREACHABLE) = (
    np.int64(Code.OK), np.int64(Code.PARTIAL), np.int64(Code.NOT_FOUND), np.int64(Code.BLOCKED), np.int64(Code.MISSING_ITEM),
    np.int64(Code.NOT_PLACEABLE), np.int64(Code.NO_SPOT), np.int64(Code.NOT_EQUIPPABLE), np.int64(Code.PICKUP_FAILED),
    np.int64(Code.INVENTORY_FULL), np.int64(Code.UNREACHABLE),
)  # fmt: skip
KILLED = np.int64(EventKind.KILL)
SWORD = np.int64(ToolClass.SWORD)
HAND_DAMAGE, HAND_TICKS = 1.0, 5  # a bare hand: attack damage 1, attack speed 4 a second
SPOTS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
REGION = 32  # explore remembers visited squares of this side
REGIONS = SIDE // REGION
LEASH, STAY = 3, 200  # animals stray this far from home, and stay so many ticks in a place


# ---- animals
@inner
def mob_cell(tables, voxels, state, i):
    """Return the cell of mob ``i`` now: near its home, somewhere else every ten seconds, always on dry ground."""
    x, y, z = voxels.mobs[i, 1], voxels.mobs[i, 2], voxels.mobs[i, 3]
    when = (state.tick // STAY) * 2
    mx = x + below(np.int64(2 * LEASH + 1), state.seed, WANDER + i, when) - LEASH
    mz = z + below(np.int64(2 * LEASH + 1), state.seed, WANDER + i, when + 1) - LEASH
    if inside(mx, y, mz):
        my = np.int64(voxels.ground[mx + HALF, mz + HALF])
        if abs(my - y) <= LEASH and solid_at(tables, voxels, state, mx, my - 1, mz):
            return mx, my, mz
    return np.int64(x), np.int64(y), np.int64(z)


@inner
def nearest_mob(tables, voxels, state, entity):
    """Return (mob, squared distance) of the nearest living mob of a kind within the search radius, NONE if none."""
    best, best2 = NONE, np.int64(tables.search_radius * tables.search_radius + 1)
    for i in range(voxels.n_mobs):
        if voxels.mobs[i, 0] == entity and state.dead[i] == 0:
            x, y, z = mob_cell(tables, voxels, state, i)
            d = (x - state.x) ** 2 + (y - state.y) ** 2 + (z - state.z) ** 2
            if d < best2:
                best, best2 = i, d
    return best, best2


@inner
def attack(tables, voxels, state, action):
    """Kill the nearest mobs of a kind, and take what they drop."""
    why, full = NOT_FOUND, False
    while state.number < action.number and not full:
        i, _ = nearest_mob(tables, voxels, state, np.int64(action.target))
        if i == NONE:
            break
        x, y, z = mob_cell(tables, voxels, state, i)
        if not approach(tables, voxels, state, x, y, z):
            why = UNREACHABLE
            break
        looting = _strike(tables, state, np.float64(tables.health[action.target]))
        state.dead[i] = 1
        state.number += 1
        variant = np.int64(voxels.mobs[i, 4])
        record(state, KILLED, action.target, variant, looting, ZERO)
        table = np.int64(tables.mob_loot[action.target, variant])
        if table != NONE:
            full = not roll(tables, state, table, looting, KILL + i, pack(x, y, z))
    if full:
        return INVENTORY_FULL if state.n_collected > 0 else PICKUP_FAILED
    if state.number == action.number:
        return OK
    return PARTIAL if state.number > 0 else why


@inner
def _strike(tables, state, health):
    """Hit with the hardest owned weapon until a mob of ``health`` is dead; return the level of Looting on it, 0 to 3.

    Strength adds 3 damage a level; a hit waits for the weapon's full charge; a sword wears by 1 a hit, a tool by 2.
    """
    best, damage = NONE, HAND_DAMAGE
    for t in range(state.n_tools):
        if (
            tables.durability[state.tool_item[t]] < 0
        ):  # an enchanted book keeps its enchantments to itself
            continue
        hit = np.float64(tables.attack[state.tool_item[t]])
        sharp = enchant_level(state, t, tables.sharpness)
        hit += 0.5 * sharp + 0.5 if sharp > 0 else 0.0
        if hit > damage:
            best, damage = t, hit
    hits = np.int64(np.ceil(health / (damage + tables.strength)))
    if best == NONE:
        state.tick += hits * HAND_TICKS
        return 0
    looting = min(np.int64(enchant_level(state, best, tables.looting)), 3)
    item = np.int64(state.tool_item[best])
    state.hand = item
    state.tick += hits * tables.attack_ticks[item]
    wear(tables, state, best, hits if tables.tool_class[item] == SWORD else 2 * hits)
    return looting


# ---- exploring
@inner
def explore(tables, voxels, state, action):
    """Search regions not yet visited, nearest first and straight on if possible, until the target is near or time is up."""
    if surface(tables, voxels, state, tables.access_blocks, tables.access_ticks) >= TOO_MANY:
        return BLOCKED
    until = state.tick + tables.explore_ticks
    while True:
        if _found(tables, voxels, state, action):
            state.number = 1
            return OK
        state.visited |= np.uint64(1) << np.uint64(_region(state.x, state.z))
        goal = _frontier(state)
        if goal == NONE:
            state.visited = np.uint64(1) << np.uint64(
                _region(state.x, state.z)
            )  # all seen: the next call starts over
            return NOT_FOUND
        if state.tick >= until:
            return NOT_FOUND
        _go(tables, voxels, state, goal, until)


@inner
def _found(tables, voxels, state, action):
    """Look for the target from here; when it is in sight, walk up to it as far as open ground leads."""
    if action.station != NONE:  # a living entity
        i, _ = nearest_mob(tables, voxels, state, np.int64(action.target))
        if i == NONE:
            return False
        x, _, z = mob_cell(tables, voxels, state, i)
    else:
        p = nearest(tables, voxels, state, np.int64(action.target), FIRST, FIRST)
        if p == NONE:
            return False
        x, _, z = unpack(p)
    _walk_beside(tables, voxels, state, x, z)
    return True


@inner
def _walk_beside(tables, voxels, state, x, z):
    """Walk to the nearest open ground beside a column."""
    bx, bz, far = np.int64(state.x), np.int64(state.z), np.int64(1 << 40)
    for dx, dz in SIDES:
        cx, cz = x + dx, z + dz
        if inside(cx, state.y, cz):
            y = ground_at(tables, voxels, state, cx, cz)
            d = (cx - state.x) ** 2 + (cz - state.z) ** 2
            if d < far and not solid_at(tables, voxels, state, cx, y, cz):
                bx, bz, far = cx, cz, d
    if far < 1 << 40:
        walk_to(tables, state, bx, ground_at(tables, voxels, state, bx, bz), bz)


@inner
def _region(x, z):
    return (x + HALF) // REGION * REGIONS + (z + HALF) // REGION


@inner
def _centre(region):
    return (
        region // REGIONS * REGION + REGION // 2 - HALF,
        region % REGIONS * REGION + REGION // 2 - HALF,
    )


@inner
def _frontier(state):
    """Return the unvisited region whose centre is nearest, one straight ahead counting half as far; NONE if none is left."""
    best, far = NONE, np.int64(1 << 40)
    for region in range(REGIONS * REGIONS):
        if (state.visited >> np.uint64(region)) & np.uint64(1) == 0:
            x, z = _centre(region)
            dx, dz = x - state.x, z - state.z
            d = 2 * (dx * dx + dz * dz)
            if _heading(dx, dz) == state.heading:
                d //= 2
            if d < far:
                best, far = region, d
    return best


@inner
def _heading(dx, dz):
    """Return 1..4 for the side (east, west, south, north) that a way leads to most."""
    if abs(dx) >= abs(dz):
        return 1 if dx > 0 else 2
    return 3 if dz > 0 else 4


@inner
def _go(tables, voxels, state, region, until):
    """Walk towards the centre of a region, at most until a tick."""
    x, z = _centre(region)
    dx, dz = np.float64(x - state.x), np.float64(z - state.z)
    state.heading = _heading(x - state.x, z - state.z)
    way = np.sqrt(dx * dx + dz * dz)
    allowed = np.float64(until - state.tick) * tables.blocks_per_tick
    part = 1.0 if way <= allowed else allowed / way
    gx, gz = state.x + np.int64(np.rint(dx * part)), state.z + np.int64(np.rint(dz * part))
    if gx == state.x and gz == state.z:
        state.tick = until
        return
    walk_to(tables, state, gx, ground_at(tables, voxels, state, gx, gz), gz)


# ---- hands
@inner
def place(tables, voxels, state, action):
    """Put an owned block on a free spot beside the body that has something solid under it."""
    item = np.int64(action.target)
    if tables.places[item] == NONE:
        return NOT_PLACEABLE
    if state.counts[item] == 0:
        state.detail = item
        return MISSING_ITEM
    block = np.int64(tables.places[item])
    station = np.int64(tables.station_of[block])
    if station != NONE and state.n_stations == MAX_STATIONS:
        return NO_SPOT
    for dy in (0, 1, -1):
        for dx, dz in SPOTS:
            x, y, z = state.x + dx, state.y + dy, state.z + dz
            if inside(x, y, z) and _free(tables, voxels, state, x, y, z):
                if not set_block(state, pack(x, y, z), block):
                    return NO_SPOT
                take(tables, state, item, ONE)
                if station != NONE:
                    _add_station(state, station, pack(x, y, z))
                state.number = 1
                return OK
    return NO_SPOT


@inner
def _free(tables, voxels, state, x, y, z):
    """Return whether a block can be put in a cell: replaceable, with a solid block below."""
    b = block_at(voxels, state, x, y, z)
    return b != NONE and tables.replaceable[b] != 0 and solid_at(tables, voxels, state, x, y - 1, z)


@inner
def _add_station(state, kind, p):
    s = state.n_stations
    state.station_kind[s] = kind
    state.station_pos[s] = p
    state.burn_end[s] = 0
    state.out_item[s] = NONE
    state.out_count[s] = 0
    state.n_stations += 1


@inner
def equip(tables, state, action):
    """Wear an armor piece, or take an item in the hand; a station is placed, not equipped."""
    item = np.int64(action.target)
    if state.counts[item] == 0:
        state.detail = item
        return MISSING_ITEM
    if tables.places[item] != NONE and tables.station_of[tables.places[item]] != NONE:
        return NOT_EQUIPPABLE
    slot = np.int64(tables.slot[item])
    if slot == NONE:
        state.hand = item
    elif state.worn[slot] != item:
        # A worn piece fills no slot; the piece it replaces fills one again.
        state.occupied -= 1 if state.worn[slot] == NONE else 0
        state.worn[slot] = item
    state.number = 1
    return OK
