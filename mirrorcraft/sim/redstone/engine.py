"""How power spreads and time passes.

A change of a component spreads in three steps: all dust is computed anew (it has no delay), whoever
read something that changed is marked, and the marked react in the order of their cells: lamps at
once, repeaters and torches by asking for a tick. The order among ticks of equal priority is that of
asking. A call counts the references of every array that it is given, so what is asked most is inlined.
"""

import numpy as np
from numba import njit

from mirrorcraft.sim.redstone.grid import BUTTON, DUST, LAMP, REPEATER, TORCH, cells_of
from mirrorcraft.sim.redstone.net import build_net
from mirrorcraft.sim.redstone.state import fresh

FULL = 15


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
    s = fresh(g.on[cells].astype(np.int16), times.burnout_offs)
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
