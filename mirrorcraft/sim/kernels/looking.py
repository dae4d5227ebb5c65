"""Reading a state out: everything that a step tells the host, in one flat row of integers.

The host turns the row into an observation. One row is one crossing of the border between compiled code and Python;
field by field, the reading would cost more than the action.
"""

import numpy as np

from mirrorcraft.sim.kernels.acting import mob_cell
from mirrorcraft.sim.kernels.compiled import inner, kernel
from mirrorcraft.sim.kernels.search import FAR, distance2, sweep
from mirrorcraft.sim.layout import MAX_KINDS, NONE, TOOL_ENCHANTS, WORN

ROW = 4096  # integers; far more than the lists of a state can fill


@kernel
def look(tables, voxels, state, out, targets):
    """Write what the last action came to and what the body sees; return how many integers.

    Args:
        out: int64 [ROW].
        targets: whether to search the nearest block of every kind again; else that list is left out (empty).

    The row: code, detail, number, made item, made count, left in station, tick, x, y, z, level, alive, hand, worn
    (4), advancements gained, used, whether targets were searched; then lists, each as its length in pairs (triples, ...) and the entries: touched
    (item, count before, count now), broken, collected, events (5), inventory (item, count), drops (item, distance),
    facilities (block, distance), enchantments of what was made, entities (entity, count, distance), targets (block,
    distance). Distances are squared.
    """
    n = _fixed(state, out)
    n = _lists(state, out, n)
    n = _inventory(state, out, n)
    n = _dropped(state, out, n)
    n = _facilities(tables, voxels, state, out, n)
    n = _enchantments(state, out, n)
    n = _entities(tables, voxels, state, out, n)
    out[19] = targets
    if not targets:
        out[n] = 0
        return n + 1
    return _targets(tables, voxels, state, out, n)


@inner
def _fixed(state, out):
    out[0], out[1], out[2], out[3], out[4] = (
        state.code,
        state.detail,
        state.number,
        state.made_item,
        state.made_count,
    )
    out[5], out[6], out[7], out[8], out[9] = state.left_count, state.tick, state.x, state.y, state.z
    out[10], out[11], out[12] = state.level, state.alive, state.hand
    for s in range(WORN):
        out[13 + s] = state.worn[s]
    out[17], out[18] = np.int64(state.gained), state.used
    return 20


@inner
def _lists(state, out, n):
    out[n] = state.n_touched
    n += 1
    for i in range(state.n_touched):
        item = state.touched[i]
        out[n], out[n + 1], out[n + 2] = item, state.before[i], state.counts[item]
        n += 3
    out[n] = state.n_broken
    n += 1
    for i in range(state.n_broken):
        out[n], out[n + 1] = state.broken[i, 0], state.broken[i, 1]
        n += 2
    out[n] = state.n_collected
    n += 1
    for i in range(state.n_collected):
        out[n], out[n + 1] = state.collected[i, 0], state.collected[i, 1]
        n += 2
    out[n] = state.n_events
    n += 1
    for i in range(state.n_events):
        for k in range(5):
            out[n + k] = state.events[i, k]
        n += 5
    return n


@inner
def _inventory(state, out, n):
    out[n] = state.n_owned
    n += 1
    for i in range(state.n_owned):
        item = state.owned[i]
        out[n], out[n + 1] = item, state.counts[item]
        n += 2
    return n


@inner
def _nearer(out, at, n, key, d):
    """Enter a key with a distance into the list that starts at ``at``, or bring its entry nearer; return its end."""
    for i in range(at + 1, n, 2):
        if out[i] == key:
            out[i + 1] = min(out[i + 1], d)
            return n
    out[n], out[n + 1] = key, d
    out[at] += 1
    return n + 2


@inner
def _dropped(state, out, n):
    at = n
    out[at] = 0
    n += 1
    for i in range(state.n_drops):
        n = _nearer(
            out, at, n, np.int64(state.drop_item[i]), distance2(state, np.int64(state.drop_pos[i]))
        )
    return n


@inner
def _facilities(tables, voxels, state, out, n):
    at = n
    out[at] = 0
    n += 1
    radius2 = tables.station_radius * tables.station_radius
    for i in range(state.n_stations):
        d = distance2(state, np.int64(state.station_pos[i]))
        if d <= radius2:
            n = _nearer(out, at, n, np.int64(state.station_kind[i]), d)
    return n


@inner
def _enchantments(state, out, n):
    at = n
    out[at] = 0
    n += 1
    t = state.made_count
    if state.made_item != NONE and t < state.n_tools and state.tool_item[t] == state.made_item:
        for k in range(TOOL_ENCHANTS):
            packed = np.int64(state.tool_enchants[t, k])
            if packed > 0:
                out[n], out[n + 1] = (packed >> 4) - 1, packed & 15
                out[at] += 1
                n += 2
    return n


@inner
def _entities(tables, voxels, state, out, n):
    at = n
    out[at] = 0
    n += 1
    reach2 = tables.search_radius * tables.search_radius
    for i in range(voxels.n_mobs):
        if state.dead[i] == 0:
            x, y, z = mob_cell(tables, voxels, state, i)
            d = (x - state.x) ** 2 + (y - state.y) ** 2 + (z - state.z) ** 2
            if d <= reach2:
                n = _count(out, at, n, np.int64(voxels.mobs[i, 0]), d)
    return n


@inner
def _count(out, at, n, entity, d):
    for i in range(at + 1, n, 3):
        if out[i] == entity:
            out[i + 1] += 1
            out[i + 2] = min(out[i + 2], d)
            return n
    out[n], out[n + 1], out[n + 2] = entity, 1, d
    out[at] += 1
    return n + 3


@inner
def _targets(tables, voxels, state, out, n):
    at = n
    out[at] = 0
    n += 1
    best = np.empty(MAX_KINDS, np.int64)
    sweep(tables, voxels, state, best)
    for k in range(MAX_KINDS):
        if best[k] < FAR and tables.hidden[voxels.kinds[k]] == 0:
            out[n], out[n + 1] = voxels.kinds[k], best[k]
            out[at] += 1
            n += 2
    reach2 = tables.search_radius * tables.search_radius
    for i in range(state.n_changes):
        block = np.int64(state.change_block[i])
        if tables.hidden[block] == 0 and (
            block != voxels.blocks[state.change_pos[i]] or voxels.kind_of[block] == NONE
        ):
            d = distance2(state, np.int64(state.change_pos[i]))
            if d <= reach2:
                n = _nearer(out, at, n, block, d)
    return n
