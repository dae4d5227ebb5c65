"""What a build does after its button is pressed: lamps, dust and the rest, game tick by game tick."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from mirrorcraft.core.errors import InputError
from mirrorcraft.sim.redstone.engine import run
from mirrorcraft.sim.redstone.grid import Grid
from mirrorcraft.sim.redstone.state import Times
from mirrorcraft.tracks.circuits.blocks import Block, Kind, Pos, id_of
from mirrorcraft.tracks.circuits.build import MAX_TICKS, Build, box
from mirrorcraft.tracks.circuits.physics import Physics

SETTLE = 200
"""Game ticks that a build is given to come to rest before its button is pressed."""
_NAMES = ("air", "stone", "glass", "redstone_lamp")


class Event(NamedTuple):
    """One raw change of state.

    Attributes:
        tick: game ticks after the press; 0 is at once, before it is negative.
        pos: the cell.
        block: id of the block there.
        before: its state before: a dust's power 0 to 15, else 0 or 1; repeaters that are locked
            count 2 more.
        after: its state after.
    """

    tick: int
    pos: Pos
    block: str
    before: int
    after: int


@dataclass(frozen=True, eq=False)
class Trace:
    """States of all components of a build over time.

    Attributes:
        cells: the cells of the components, in order.
        blocks: the block in each.
        states: one row a game tick: level of dust; 0 or 1 of lamps, buttons, torches and
            repeaters, the last with 2 added while they are locked.
        press: the row right after the press.
        settled: game ticks until the build came to rest, None when it did not in time.
    """

    cells: tuple[Pos, ...]
    blocks: tuple[Block, ...]
    states: np.ndarray
    press: int
    settled: int | None

    @cached_property
    def column(self) -> dict[Pos, int]:
        """Cell -> its column in ``states``."""
        return {pos: i for i, pos in enumerate(self.cells)}

    def of(self, kind: Kind) -> dict[Pos, np.ndarray]:
        """Return cell -> states from the press on, for one kind of block."""
        return {
            pos: self.states[self.press :, i]
            for i, (pos, block) in enumerate(zip(self.cells, self.blocks, strict=True))
            if block.kind == kind
        }

    @cached_property
    def lamps(self) -> dict[Pos, np.ndarray]:
        """Lamp -> 1 where it is lit, from the press on."""
        return self.of(Kind.LAMP)

    @cached_property
    def onsets(self) -> dict[Pos, int | None]:
        """Lamp -> the first game tick after the press at which it is lit, None when it never is."""
        return {pos: int(np.argmax(lit)) if lit.any() else None for pos, lit in self.lamps.items()}

    @property
    def lit(self) -> int:
        """How many lamps are lit at some time after the press."""
        return sum(onset is not None for onset in self.onsets.values())

    def events(self) -> list[Event]:
        """Return every change of state, by tick and cell; those of the press have tick 0."""
        rows, columns = np.nonzero(np.diff(self.states.astype(np.int16), axis=0))
        return [
            Event(
                int(row) + 1 - self.press,
                self.cells[i],
                id_of(self.blocks[i]),
                int(self.states[row, i]),
                int(self.states[row + 1, i]),
            )
            for row, i in zip(rows, columns, strict=True)
        ]

    def to_data(self) -> dict[str, Any]:
        """Return lamps as one character a game tick and dust as [tick, level] where it changes."""
        lamps = {_key(pos): "".join("01"[v] for v in lit) for pos, lit in self.lamps.items()}
        dust = {_key(pos): _changes(levels) for pos, levels in self.of(Kind.DUST).items()}
        return {"lit_count": self.lit, "settle_ticks": self.settled, "lamps": lamps, "dust": dust}

    def at_end(self) -> dict[Pos, bool]:
        """Return cell -> whether it is lit or powered in the last row, dust left out."""
        last = self.states[-1]
        return {
            pos: bool(last[i] & 1)
            for i, (pos, block) in enumerate(zip(self.cells, self.blocks, strict=True))
            if block.kind != Kind.DUST
        }


def _key(pos: Pos) -> str:
    return ",".join(map(str, pos))


def _changes(levels: np.ndarray) -> list[list[int]]:
    starts = [0, *(np.nonzero(np.diff(levels.astype(np.int16)))[0] + 1)]
    return [[int(t), int(levels[t])] for t in starts]


def trace(
    build: Build,
    physics: Physics | None = None,
    *,
    ticks: int | None = None,
    before: int = 0,
    settle: int = SETTLE,
    press: bool = True,
) -> Trace:
    """Let a build come to rest, press its button and return what happens.

    Args:
        build: the blocks; the lit and powered among them start so.
        physics: the rules; the game's when None.
        ticks: game ticks after the press; those of the build when None.
        before: game ticks to record before the press.
        settle: game ticks within which the build may come to rest first.
        press: whether to press at all.

    Raises:
        InputError: it has no button or several, or the ticks are out of range.
    """
    ticks = build.ticks if ticks is None else ticks
    if not 0 <= ticks <= MAX_TICKS:
        raise InputError("trace", "ticks", ticks, f"0 to {MAX_TICKS}")
    button = build.button if press else None
    grid, corner, size = grid_of(build, physics or Physics())
    pressed = -1 if button is None else index_of(button, corner, size)
    times = times_of(physics or Physics())
    found, states, settled = run(grid, times, pressed, settle, before, ticks)
    cells = cells_at(found, corner, size)
    blocks = tuple(build.blocks[pos] for pos in cells)
    return Trace(cells, blocks, states, before, None if settled < 0 else int(settled))


def times_of(physics: Physics) -> Times:
    """Return the numbers of the physics as the kernels read them."""
    return Times(
        physics.dust_decay,
        physics.button_gt,
        physics.repeater_gt,
        physics.lamp_off_gt,
        physics.torch_gt,
        physics.burnout_offs,
        physics.burnout_gt,
    )


def grid_of(build: Build, physics: Physics) -> tuple[Grid, Pos, Pos]:
    """Return a build as the kernel's grid, the cell of its first corner, and its size."""
    low, high = box(build.blocks) if build.blocks else ((0, 0, 0), (0, 0, 0))
    corner = low[0] - 1, low[1] - 2, low[2] - 1  # a border of air, under it room for the floor
    size = high[0] - low[0] + 3, high[1] - low[1] + 4, high[2] - low[2] + 3
    fields = np.zeros((5, size[0] * size[1] * size[2]), np.uint8)
    fields[2] = 1
    kinds = fields[0].reshape(size)
    if build.floor and corner[1] < build.floor.y < corner[1] + size[1] - 1:
        (x0, x1), (z0, z1) = build.floor.x, build.floor.z
        kinds[
            max(1, x0 - corner[0]) : max(1, min(size[0] - 1, x1 - corner[0] + 1)),
            build.floor.y - corner[1],
            max(1, z0 - corner[2]) : max(1, min(size[2] - 1, z1 - corner[2] + 1)),
        ] = Kind.STONE
    at = [index_of(pos, corner, size) for pos in build.blocks]
    values = np.fromiter(chain.from_iterable(build.blocks.values()), np.uint8, 5 * len(at))
    fields[:, at] = values.reshape(-1, 5).T
    step = [-size[2], size[2], -1, 1, -size[1] * size[2], size[1] * size[2]]
    conducts = np.zeros(len(Kind), np.bool_)
    for name in physics.conductors:
        conducts[_NAMES.index(name)] = True
    kind, toward, delay, on, dot = fields
    grid = Grid(
        kind, toward, delay, on.astype(np.bool_), dot.astype(np.bool_), np.array(step), conducts
    )
    return grid, corner, size


def index_of(pos: Pos, corner: Pos, size: Pos) -> int:
    """Return the index in a grid of a cell."""
    x, y, z = pos[0] - corner[0], pos[1] - corner[1], pos[2] - corner[2]
    return (x * size[1] + y) * size[2] + z


def cells_at(indices: np.ndarray, corner: Pos, size: Pos) -> tuple[Pos, ...]:
    """Return the cells of indices in a grid."""
    axes = np.unravel_index(indices, size)
    xs, ys, zs = ((axis + first).tolist() for axis, first in zip(axes, corner, strict=True))
    return tuple(zip(xs, ys, zs, strict=True))
