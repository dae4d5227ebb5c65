"""Block states: how each block of a world stands, from its kind and from what is around it.

A world keeps kinds of blocks. A save keeps states, and the game breaks or decays what stands in a
wrong one: the upper half of a fern, leaves far from a trunk.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mirrorcraft.core.data import read_json, rules_dir
from mirrorcraft.core.families import Families
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.blocks import HEIGHT, SIDE

SNOW = ("powder_snow", "snow", "snow_block")  # grass under these is snowy
FAR = 7  # leaves at this distance from a trunk decay


class State(NamedTuple):
    """A block and all of its properties, sorted by name."""

    block: str
    properties: Mapping[str, str]

    def but(self, **changed: str) -> "State":
        """Return the state with some properties changed."""
        return State(self.block, {**self.properties, **changed})

    def __str__(self) -> str:
        """The game's notation, such as ``oak_log[axis=y]``."""
        inner = ",".join(f"{k}={v}" for k, v in self.properties.items())
        return f"{self.block}[{inner}]" if inner else self.block


@cache
def _table() -> tuple[dict[str, Any], Families]:
    folder = rules_dir() / "vanilla" / "1.19"
    named = read_json(folder / "families.json")
    return read_json(folder / "block_states.json"), Families(named, folder / "families.json")


@cache
def standing() -> tuple[State, ...]:
    """Return the state in which each block stands by itself, by block number."""
    table, families = _table()
    properties: dict[str, dict[str, str]] = {}
    for section in ("defaults", "generated"):
        for text, names in table[section].items():
            given = dict(part.split("=") for part in text.split(","))
            for name in families.ids(names):
                properties[name] = {**properties.get(name, {}), **given}
    return tuple(State(b, properties.get(b, {})) for b in Rulebook.vanilla("1.19").blocks)


@cache
def block_entities() -> dict[str, str]:
    """Return the kind of extra data that the game keeps of a block, for the blocks that have any."""
    table, families = _table()
    return {b: kind for kind, names in table["entities"].items() for b in families.ids(names)}


def states_of(blocks: np.ndarray) -> tuple[np.ndarray, list[State]]:
    """Return how every block of a world stands.

    Args:
        blocks: uint16 [SIDE * SIDE * HEIGHT], block numbers by packed position.

    Returns:
        State numbers in the shape of ``blocks``, and the states. The first states are those of
        ``standing``, so a number below their count is a block number too.
    """
    numbers, states = blocks.copy(), list(standing())
    for cells, state in _placed(blocks):
        numbers[cells] = len(states)
        states.append(state)
    return numbers, states


def _placed(blocks: np.ndarray) -> Iterator[tuple[np.ndarray, State]]:
    """Yield (packed positions, state) of what stands otherwise because of its neighbours."""
    known = standing()
    present = np.flatnonzero(np.bincount(blocks, minlength=len(known)))
    snow = [n for n in present if known[n].block in SNOW]
    for n in present:
        state = known[n]
        if state.properties.get("half") == "lower":
            yield _upper_halves(np.flatnonzero(blocks == n)), state.but(half="upper")
        if "snowy" in state.properties and snow:
            cells = np.flatnonzero(blocks == n)
            cells = cells[cells % HEIGHT < HEIGHT - 1]
            yield cells[np.isin(blocks[cells + 1], snow)], state.but(snowy="true")
    yield from _leaves(blocks, present)


def _upper_halves(cells: np.ndarray) -> np.ndarray:
    """Return every second cell of each vertical run; packed positions ascend along y."""
    starts = (np.diff(cells, prepend=-2) != 1) | (cells % HEIGHT == 0)
    order = np.arange(cells.size)
    rank = order - np.maximum.accumulate(np.where(starts, order, 0))
    return cells[rank % 2 == 1]


def _leaves(blocks: np.ndarray, present: np.ndarray) -> Iterator[tuple[np.ndarray, State]]:
    """Yield leaves by their distance from the nearest trunk, through leaves, as the game counts."""
    known, logs = standing(), Rulebook.vanilla("1.19").tag("blocks", "logs")
    kinds = [n for n in present if "persistent" in known[n].properties]
    if not kinds:
        return
    # A margin around the box spares every look at a neighbour the question whether there is one.
    room = np.full((SIDE + 2, SIDE + 2, HEIGHT + 2), FAR, np.uint8)
    box = np.full(len(known), FAR, np.uint8)
    box[[n for n in present if known[n].block in logs]] = 0
    room[1:-1, 1:-1, 1:-1] = box[blocks].reshape(SIDE, SIDE, HEIGHT)
    cells = np.flatnonzero(np.isin(blocks, kinds))
    x, z, y = np.unravel_index(cells, (SIDE, SIDE, HEIGHT))
    flat, at = room.reshape(-1), np.ravel_multi_index((x + 1, z + 1, y + 1), room.shape)
    for _ in range(1, FAR):
        nearest = flat[at]
        for stride in (1, HEIGHT + 2, (SIDE + 2) * (HEIGHT + 2)):
            for neighbour in (at - stride, at + stride):
                nearest = np.minimum(nearest, flat[neighbour] + 1)
        flat[at] = nearest
    for n in kinds:
        for distance in range(1, FAR):
            chosen = (blocks[cells] == n) & (flat[at] == distance)
            if chosen.any():
                yield cells[chosen], known[n].but(distance=str(distance))
