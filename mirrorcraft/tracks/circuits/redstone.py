"""The redstone engine: a grid of blocks becomes a net of components, and the net runs tick by tick.

Blocks do not move during a run, so who can power whom is worked out once. A change of a component
then spreads in three steps: all dust is computed anew (it has no delay), whoever read something
that changed is marked, and the marked react in the order of their cells: lamps at once, repeaters
and torches by asking for a tick. The order among ticks of equal priority is that of asking.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

import mirrorcraft.sim  # noqa: F401  (points numba's cache at a folder of ours)

AIR, STONE, GLASS, LAMP, BUTTON, DUST, REPEATER, TORCH = range(8)
DOWN, UP = 0, 1
FULL = 15
# A call counts the references of every array that it is given, so what is asked most is inlined.
SOURCES = 48  # most components that one reader can read: 6 neighbours with at most 6 each, and some


class Grid(NamedTuple):
    """A box of blocks with a border of air, as flat arrays in the order x, y, z.

    Attributes:
        kind: ``blocks.Kind`` of each cell.
        toward: direction to the support or to the input side.
        delay: setting of repeaters.
        on: whether lit or powered at the start.
        dot: whether dust was set without sides.
        step: what to add to a cell's index to go in each of the six directions.
        conducts: for each kind whether it carries power.
    """

    kind: np.ndarray
    toward: np.ndarray
    delay: np.ndarray
    on: np.ndarray
    dot: np.ndarray
    step: np.ndarray
    conducts: np.ndarray


class Times(NamedTuple):
    """The numbers of ``Physics``, as the kernels read them."""

    decay: int
    button: int
    repeater: int
    lamp: int
    torch: int
    burnout_offs: int
    burnout: int


class Net(NamedTuple):
    """Who can power whom, by number of component in the order of their cells.

    Attributes:
        kind: kind of each component.
        delay: setting of repeaters.
        first: whether a repeater feeds another that does not face it (its ticks come first).
        read_at, read: the components that component i reads are read[read_at[i]:read_at[i + 1]].
        feed_at, feed: the components that read component i, or that it can lock.
        wire_at, wire: the dust that gets level from dust i.
        lock: two repeaters that can lock repeater i, or -1.
    """

    kind: np.ndarray
    delay: np.ndarray
    first: np.ndarray
    read_at: np.ndarray
    read: np.ndarray
    feed_at: np.ndarray
    feed: np.ndarray
    wire_at: np.ndarray
    wire: np.ndarray
    lock: np.ndarray


class State(NamedTuple):
    """What changes during a run, by number of component.

    Attributes:
        value: level of dust; 1 or 0 for what is lit or powered.
        due: the tick that a component asked for, or -1.
        rank: priority and order of asking, for ticks that are due at once.
        batch: whether a tick of this component is still to run in the current game tick.
        mark: whether something that it reads has changed.
        queue, old: scratch for the spreading of dust.
        batch_order: the components whose ticks are due now, in the order in which they run.
        offs: the last switch-offs of a torch, as a ring.
        switched: how often a torch has switched off.
        clock: the current game tick, the number of requests so far, the requests still open.
    """

    value: np.ndarray
    due: np.ndarray
    rank: np.ndarray
    batch: np.ndarray
    mark: np.ndarray
    queue: np.ndarray
    old: np.ndarray
    batch_order: np.ndarray
    offs: np.ndarray
    switched: np.ndarray
    clock: np.ndarray


@njit(cache=True)
def shape(g, p):
    """Return the sides of the dust in cell p as bits, 1 << direction."""
    sides = 0
    for d in range(2, 6):
        if joins(g, p, d):
            sides |= 1 << d
    if sides == 0:
        return 0 if g.dot[p] else 0b111100
    if sides & 0b001100 == 0:
        sides |= 0b110000
    if sides & 0b110000 == 0:
        sides |= 0b001100
    return sides


@njit(cache=True)
def joins(g, p, d):
    """Return whether the dust in cell p finds something to join in direction d."""
    q = p + g.step[d]
    k = g.kind[q]
    solid = k in (STONE, GLASS, LAMP)
    if solid and g.kind[q + g.step[UP]] == DUST and not g.conducts[g.kind[p + g.step[UP]]]:
        return True
    if k in (DUST, TORCH, BUTTON):
        return True
    if k == REPEATER:
        return g.toward[q] >> 1 == d >> 1  # the same axis
    return not g.conducts[k] and g.kind[q + g.step[DOWN]] == DUST


@njit(cache=True, inline="always")
def _emits(g, q, d):
    """Whether the component in q, seen in direction d, gives power right into the cell."""
    k = g.kind[q]
    if k == BUTTON:
        return True
    if k == TORCH:
        return g.toward[q] != d ^ 1
    return k == REPEATER and g.toward[q] == d


@njit(cache=True, inline="always")
def _charges(g, q, d):
    """Whether the component in q, seen in direction d, strongly powers the block in the cell."""
    k = g.kind[q]
    if k == BUTTON:
        return g.toward[q] == d ^ 1
    if k == TORCH:
        return d == DOWN
    return k == REPEATER and g.toward[q] == d


@njit(cache=True, inline="always")
def _points(g, sides, at, q, d):
    """Whether q, seen in direction d, holds dust that gives its level to the cell."""
    if g.kind[q] != DUST or d == DOWN:
        return False
    return d == UP or sides[at[q]] >> (d ^ 1) & 1 == 1


@njit(cache=True)
def _conducted(g, sides, at, block, dust, found, n):
    """Append what powers a block, with or without dust; return the new count."""
    if not g.conducts[g.kind[block]]:
        return n
    for d in range(6):
        q = block + g.step[d]
        if _charges(g, q, d) or (dust and _points(g, sides, at, q, d)):
            found[n] = at[q]
            n += 1
    return n


@njit(cache=True)
def _sources(g, sides, at, p, found):
    """Write what the component in p reads into ``found``, dust to dust aside; return how many."""
    n = 0
    k = g.kind[p]
    if k in (LAMP, DUST):
        for d in range(6):
            q = p + g.step[d]
            if _emits(g, q, d) or (k == LAMP and _points(g, sides, at, q, d)):
                found[n] = at[q]
                n += 1
            n = _conducted(g, sides, at, q, k == LAMP, found, n)
    elif k == REPEATER:
        d = g.toward[p]
        q = p + g.step[d]
        if g.kind[q] == DUST or _emits(g, q, d):
            found[n] = at[q]
            n += 1
        n = _conducted(g, sides, at, q, True, found, n)
    elif k == TORCH:
        n = _conducted(g, sides, at, p + g.step[g.toward[p]], True, found, n)
    return n


@njit(cache=True)
def _wires(g, at, p, found):
    """Write the dust that gets level from the dust in p into ``found``; return how many."""
    n = 0
    for d in range(2, 6):
        q = p + g.step[d]
        above, below = q + g.step[UP], q + g.step[DOWN]
        if g.kind[q] == DUST:
            found[n] = at[q]
            n += 1
        # Up onto a block: the higher dust looks down past the cell above p.
        if g.kind[above] == DUST and not g.conducts[g.kind[p + g.step[UP]]]:
            found[n] = at[above]
            n += 1
        # Down from the block under p: the lower dust looks up past the cell above it.
        held = g.conducts[g.kind[p + g.step[DOWN]]]
        if g.kind[below] == DUST and held and not g.conducts[g.kind[q]]:
            found[n] = at[below]
            n += 1
    return n


@njit(cache=True)
def _transposed(n, read_at, read, lock):
    """Return the lists of readers from the lists of what is read, lockers included."""
    feed_at = np.zeros(n + 1, np.int32)
    for j in read:
        feed_at[j + 1] += 1
    for i in range(n):
        for j in lock[i]:
            if j >= 0:
                feed_at[j + 1] += 1
    feed_at = np.cumsum(feed_at).astype(np.int32)
    feed = np.empty(feed_at[n], np.int32)
    end = feed_at[:n].copy()
    for i in range(n):
        for r in range(read_at[i], read_at[i + 1]):
            feed[end[read[r]]] = i
            end[read[r]] += 1
        for j in lock[i]:
            if j >= 0:
                feed[end[j]] = i
                end[j] += 1
    return feed_at, feed


@njit(cache=True)
def _set_repeater(g, at, p, i, first, lock):
    """Note whether the repeater in p comes first, and which repeaters can lock it."""
    ahead = g.toward[p] ^ 1
    front = p + g.step[ahead]
    first[i] = g.kind[front] == REPEATER and g.toward[front] != ahead
    n = 0
    for d in range(2, 6):
        q = p + g.step[d]
        if d >> 1 != ahead >> 1 and g.kind[q] == REPEATER and g.toward[q] == d:
            lock[i, n] = at[q]
            n += 1


@njit(cache=True)
def cells_of(g):
    """Return the cells of the components: all but air, stone and glass, in order."""
    return np.nonzero(g.kind >= LAMP)[0]


@njit(cache=True)
def build_net(g):
    """Return the net of a grid."""
    cells = cells_of(g)
    n = len(cells)
    at = np.full(len(g.kind), -1, np.int32)
    sides = np.zeros(n, np.uint8)
    for i in range(n):
        at[cells[i]] = i
        if g.kind[cells[i]] == DUST:
            sides[i] = shape(g, cells[i])
    read_at, wire_at = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    read, wire = np.empty(n * SOURCES, np.int32), np.empty(n * 12, np.int32)
    first, lock = np.zeros(n, np.bool_), np.full((n, 2), -1, np.int32)
    for i in range(n):
        p = cells[i]
        read_at[i + 1] = read_at[i] + _sources(g, sides, at, p, read[read_at[i] :])
        joined = _wires(g, at, p, wire[wire_at[i] :]) if g.kind[p] == DUST else 0
        wire_at[i + 1] = wire_at[i] + joined
        if g.kind[p] == REPEATER:
            _set_repeater(g, at, p, i, first, lock)
    read = read[: read_at[n]].copy()
    feed_at, feed = _transposed(n, read_at, read, lock)
    wire = wire[: wire_at[n]].copy()
    kind, delay = g.kind[cells], g.delay[cells]
    return Net(kind, delay, first, read_at, read, feed_at, feed, wire_at, wire, lock)


@njit(cache=True, inline="always")
def _powered(net, s, i):
    """Whether anything that component i reads is on."""
    for r in range(net.read_at[i], net.read_at[i + 1]):  # noqa: SIM110 (numba has no any)
        if s.value[net.read[r]] > 0:
            return True
    return False


@njit(cache=True, inline="always")
def locked(net, s, i):
    """Whether a powered repeater at its side holds repeater i."""
    a, b = net.lock[i, 0], net.lock[i, 1]
    return (a >= 0 and s.value[a] > 0) or (b >= 0 and s.value[b] > 0)


@njit(cache=True, inline="always")
def _ask(s, i, delay, priority):
    """Ask for a tick, unless one is open already."""
    if s.due[i] >= 0 or s.batch[i]:
        return
    s.due[i] = s.clock[0] + delay
    s.rank[i] = (priority << 40) + s.clock[1]
    s.clock[1] += 1
    s.clock[2] += 1


@njit(cache=True)
def _react(net, times, s, i):
    """Let component i answer to a change of what it reads."""
    k = net.kind[i]
    power, on = _powered(net, s, i), s.value[i] > 0
    if k == LAMP:
        if power and not on:
            s.value[i] = 1
        elif on and not power:
            _ask(s, i, times.lamp, 0)
    elif k == REPEATER:
        if power != on and not locked(net, s, i):
            priority = -3 if net.first[i] else (-2 if on else -1)
            _ask(s, i, net.delay[i] * times.repeater, priority)
    elif k == TORCH and power == on:
        _ask(s, i, times.torch, 0)


@njit(cache=True)
def _spread(net, times, s):
    """Compute all dust, and mark the readers of dust that changed."""
    n, tail = len(net.kind), 0
    s.old[:] = s.value
    for i in range(n):
        if net.kind[i] == DUST:
            s.value[i] = 0
    # What dust reads is never dust, so the order in which dust is set does not matter here.
    for i in range(n):
        if net.kind[i] == DUST and _powered(net, s, i):
            s.value[i] = FULL
            s.queue[tail] = i
            tail += 1
    head = 0
    while head < tail:  # all start at the same level, so the first to arrive is the strongest
        i = s.queue[head]
        head += 1
        level = s.value[i] - times.decay
        for w in range(net.wire_at[i], net.wire_at[i + 1]):
            j = net.wire[w]
            if s.value[j] < level:
                s.value[j] = level
                s.queue[tail] = j
                tail += 1
    for i in range(n):
        if s.value[i] != s.old[i]:
            _mark(net, s, i)


@njit(cache=True, inline="always")
def _mark(net, s, i):
    """Mark the readers of component i, and return whether dust is among them."""
    dust = False
    for f in range(net.feed_at[i], net.feed_at[i + 1]):
        j = net.feed[f]
        if net.kind[j] == DUST:
            dust = True
        else:
            s.mark[j] = True
    return dust


@njit(cache=True)
def _switch(net, times, s, i, value):
    """Set component i and let everyone react who reads it."""
    s.value[i] = value
    if _mark(net, s, i):
        _spread(net, times, s)
    for j in range(len(net.kind)):
        if s.mark[j]:
            s.mark[j] = False
            _react(net, times, s, j)


@njit(cache=True)
def _burnt(times, s, i):
    """Whether a torch has switched off too often to light up now."""
    ring = times.burnout_offs
    return s.switched[i] >= ring and s.offs[i, s.switched[i] % ring] >= s.clock[0] - times.burnout


@njit(cache=True)
def _run_tick(net, times, s, i):
    """Run the tick that component i asked for."""
    k = net.kind[i]
    power, on = _powered(net, s, i), s.value[i] > 0
    if k == LAMP:
        if not power:
            s.value[i] = 0
    elif k == BUTTON:
        _switch(net, times, s, i, 0)
    elif k == REPEATER:
        if locked(net, s, i):
            return
        if on and not power:
            _switch(net, times, s, i, 0)
        elif not on:
            _switch(net, times, s, i, 1)
            if not power:  # a pulse that was too short comes out as long as the delay
                _ask(s, i, net.delay[i] * times.repeater, -2)
    elif on and power:
        s.offs[i, s.switched[i] % times.burnout_offs] = s.clock[0]
        s.switched[i] += 1
        _switch(net, times, s, i, 0)
    elif not on and not power and not _burnt(times, s, i):
        _switch(net, times, s, i, 1)


@njit(cache=True)
def _game_tick(net, times, s):
    """Advance the clock by one game tick and run what is due, by priority and order of asking."""
    s.clock[0] += 1
    if s.clock[2] == 0:
        return
    n = 0
    for i in range(len(net.kind)):
        if s.due[i] == s.clock[0]:
            s.due[i] = -1
            s.batch[i] = True
            s.clock[2] -= 1
            j = n
            while j > 0 and s.rank[s.batch_order[j - 1]] > s.rank[i]:
                s.batch_order[j] = s.batch_order[j - 1]
                j -= 1
            s.batch_order[j] = i
            n += 1
    for i in s.batch_order[:n]:
        s.batch[i] = False
        _run_tick(net, times, s, i)


@njit(cache=True)
def _record(net, s, row):
    """Write the state: level of dust, 0 or 1 for the rest, plus 2 for a locked repeater."""
    for i in range(len(row)):
        row[i] = s.value[i]
        if net.kind[i] == REPEATER and locked(net, s, i):
            row[i] += 2


@njit(cache=True)
def _fresh(value, ring):
    """Return the state in which nobody has asked for anything yet."""
    n = len(value)
    return State(
        value,
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.empty(n, np.int32),
        np.zeros(n, np.int16),
        np.empty(n, np.int32),
        np.zeros((n, ring), np.int64),
        np.zeros(n, np.int64),
        np.zeros(3, np.int64),
    )


@njit(cache=True)
def _settle(net, times, s, limit):
    """Let everyone react to how things stand, and run until all is quiet; return the ticks, or -1."""
    _spread(net, times, s)
    for i in range(len(net.kind)):
        s.mark[i] = False
        _react(net, times, s, i)
        if net.kind[i] == BUTTON and s.value[i] > 0:
            _ask(s, i, times.button, 0)
    settled = 0
    while s.clock[2] > 0 and settled < limit:
        _game_tick(net, times, s)
        settled += 1
    if s.clock[2] > 0:
        return -1
    return settled


@njit(cache=True)
def run(g, times, button, settle, before, ticks):
    """Let a grid come to rest, press its button and watch.

    Args:
        g: the grid.
        times: the numbers of the physics.
        button: cell of the button to press, or -1 for none.
        settle: game ticks within which it may come to rest.
        before: game ticks to record before the press.
        ticks: game ticks to record after the press.

    Returns:
        The components' cells; their states, one row a game tick, of which row ``before`` is the
        one right after the press; and how long it took to come to rest, or -1 if it did not.
    """
    net = build_net(g)
    n = len(net.kind)
    cells = cells_of(g)
    s = _fresh(g.on[cells].astype(np.int16), times.burnout_offs)
    settled = _settle(net, times, s, settle)
    out = np.zeros((before + ticks + 1, n), np.uint8)
    for t in range(before):
        _record(net, s, out[t])
        _game_tick(net, times, s)
    for i in range(n):
        if cells[i] == button and s.value[i] == 0:
            _ask(s, i, times.button, 0)
            _switch(net, times, s, i, 1)
    _record(net, s, out[before])
    for row in range(before + 1, before + 1 + ticks):
        if s.clock[2] == 0:  # nobody has asked for a tick, so nothing will ever change
            out[row:] = out[row - 1]
            break
        _game_tick(net, times, s)
        _record(net, s, out[row])
    return cells, out, settled
