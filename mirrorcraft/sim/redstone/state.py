"""What changes during a run, and the numbers that it goes by."""

from typing import NamedTuple

import numpy as np
from numba import njit


class Times(NamedTuple):
    """The numbers of ``Physics``, as the kernels read them."""

    decay: int
    button: int
    repeater: int
    lamp: int
    torch: int
    burnout_offs: int
    burnout: int


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
def fresh(value, ring):
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
