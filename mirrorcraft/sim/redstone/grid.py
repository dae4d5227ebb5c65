"""Blocks in a box as flat arrays, and the shape that dust takes among them."""

from typing import NamedTuple

import numpy as np
from numba import njit

AIR, STONE, GLASS, LAMP, BUTTON, DUST, REPEATER, TORCH = range(8)
DOWN, UP = 0, 1


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


@njit(cache=True)
def cells_of(g):
    """Return the cells of the components: all but air, stone and glass, in order."""
    return np.nonzero(g.kind >= LAMP)[0]
