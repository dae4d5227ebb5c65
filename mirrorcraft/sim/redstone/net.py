"""Who can power whom: blocks do not move during a run, so it is worked out once."""

from typing import NamedTuple

import numpy as np
from numba import njit

from mirrorcraft.sim.redstone.grid import (
    BUTTON,
    DOWN,
    DUST,
    LAMP,
    REPEATER,
    TORCH,
    UP,
    cells_of,
    shape,
)

SOURCES = 48  # most components that one reader can read: 6 neighbours with at most 6 each, and some


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
