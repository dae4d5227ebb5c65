"""A build: blocks on a floor with one button to press; read from and written to JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.data import read_json
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.blocks import (
    DOWN,
    SOLID,
    Block,
    Kind,
    Pos,
    beside,
    parse,
    text_of,
)

MAX_CELLS = 1_000_000
"""Cells of the largest box that a build may span; the kernel's grid is dense."""
MAX_TICKS = 10_000
"""The longest trace."""


class Floor(NamedTuple):
    """A slab of stone under a build.

    Attributes:
        y: its height.
        x: first and last x, both inside.
        z: first and last z, both inside.
    """

    y: int
    x: tuple[int, int]
    z: tuple[int, int]

    def holds(self, pos: Pos) -> bool:
        """Return whether a cell is part of the floor."""
        x, y, z = pos
        return y == self.y and self.x[0] <= x <= self.x[1] and self.z[0] <= z <= self.z[1]


@dataclass(frozen=True)
class Build:
    """Blocks at rest, as someone placed them.

    Attributes:
        blocks: cell -> block; air is left out.
        floor: the slab under it, None for blocks in the void.
        ticks: game ticks to watch after the press.
    """

    blocks: Mapping[Pos, Block]
    floor: Floor | None = None
    ticks: int = 60

    @cached_property
    def buttons(self) -> tuple[Pos, ...]:
        """The cells of its buttons, sorted."""
        return self.of(Kind.BUTTON)

    @property
    def button(self) -> Pos:
        """The cell of its one button.

        Raises:
            InputError: it has none, or several.
        """
        if len(self.buttons) != 1:
            raise InputError("build", "button", list(self.buttons), "exactly one stone_button")
        return self.buttons[0]

    def of(self, kind: Kind) -> tuple[Pos, ...]:
        """Return the cells of a kind of block, sorted."""
        return tuple(sorted(pos for pos, block in self.blocks.items() if block.kind == kind))

    def placing_order(self) -> list[Pos]:
        """Return the cells in an order in which nothing is set before what it stands on."""
        return sorted(self.blocks, key=lambda pos: (self.blocks[pos].kind not in SOLID, pos))

    def changed(self, pos: Pos, block: Block) -> "Build":
        """Return the build with another block in a cell; what loses its support falls off."""
        blocks = {**self.blocks, pos: block}
        if block.kind == Kind.AIR:
            del blocks[pos]
        drop_unsupported(blocks, self.floor)
        return replace(self, blocks=blocks)

    @classmethod
    def load(cls, path: str | Path) -> "Build":
        """Read a build from a JSON file.

        Raises:
            InputError: the file cannot be used; names file, place and what was expected.
        """
        return cls.from_data(read_json(Path(path)), path)

    @classmethod
    def from_data(cls, data: Any, source: object = "<json>", *, pressable: bool = True) -> "Build":
        """Return the build in parsed JSON: ``floor``, ``blocks``, ``button``, ``ticks``.

        Other fields are left to whoever wrote them. ``floor`` may be missing or null; ``button``
        may be missing when there is one button.

        Args:
            data: the parsed JSON.
            source: how errors call it.
            pressable: whether it must have exactly one button.

        Raises:
            InputError: it cannot be used; names source, place and what was expected.
        """
        if not isinstance(data, dict) or not isinstance(data.get("blocks"), list):
            raise InputError(source, "blocks", data, "an object with a list of blocks")
        blocks: dict[Pos, Block] = {}
        for i, entry in enumerate(data["blocks"]):
            _read_block(blocks, entry, f"blocks[{i}]", source)
        ticks = data.get("ticks", 60)
        if type(ticks) is not int or not 1 <= ticks <= MAX_TICKS:
            raise InputError(source, "ticks", ticks, f"an integer from 1 to {MAX_TICKS}")
        floor = _read_floor(data.get("floor"), source)
        build = cls(blocks, floor, ticks)
        _check(build, data.get("button"), source)
        if pressable and len(build.buttons) != 1:
            raise InputError(source, "blocks", list(build.buttons), "exactly one stone_button")
        return build

    def to_data(self) -> dict[str, Any]:
        """Return the build as the JSON that ``from_data`` reads back to an equal one."""
        floor = self.floor and {
            "y": self.floor.y,
            "block": "minecraft:stone",
            "x": list(self.floor.x),
            "z": list(self.floor.z),
        }
        return {
            "floor": floor,
            "blocks": [[*pos, text_of(self.blocks[pos])] for pos in sorted(self.blocks)],
            "button": list(self.buttons[0]) if len(self.buttons) == 1 else None,
            "ticks": self.ticks,
        }


def _read_block(blocks: dict[Pos, Block], entry: Any, place: str, source: object) -> None:
    if not isinstance(entry, list) or len(entry) != 4 or not isinstance(entry[3], str):
        raise InputError(source, place, entry, "[x, y, z, state]")
    pos = _pos(entry[:3], place, source)
    if pos in blocks:
        raise InputError(source, place, entry, "each cell once")
    try:
        block = parse(entry[3])
    except InputError as e:
        raise InputError(source, f"{place}[3] {e.place}".strip(), e.given, e.expected) from None
    if block.kind != Kind.AIR:
        blocks[pos] = block


def _read_floor(data: Any, source: object) -> Floor | None:
    if data is None:
        return None
    if not isinstance(data, dict):
        raise InputError(source, "floor", data, "an object with y, x and z, or null")
    if data.get("block", "minecraft:stone").removeprefix("minecraft:") != "stone":
        raise InputError(source, "floor.block", data["block"], "stone")
    spans: list[tuple[int, int]] = []
    for axis in ("x", "z"):
        span = data.get(axis)
        match span:
            case [int(first), int(last)] if first <= last:
                spans.append((first, last))
            case _:
                raise InputError(source, f"floor.{axis}", span, "[first, last], two integers")
    if type(data.get("y")) is not int:
        raise InputError(source, "floor.y", data.get("y"), "an integer")
    return Floor(data["y"], spans[0], spans[1])


def _pos(value: Any, place: str, source: object) -> Pos:
    if not isinstance(value, list) or len(value) != 3 or any(type(n) is not int for n in value):
        raise InputError(source, place, value, "three integers x, y, z")
    return value[0], value[1], value[2]


def _check(build: Build, button: Any, source: object) -> None:
    """Check what only shows in the whole: size, supports, and that the button named is one."""
    if build.blocks:
        spans = [max(axis) - min(axis) + 3 for axis in zip(*build.blocks, strict=True)]
        if spans[0] * spans[1] * spans[2] > MAX_CELLS:
            raise InputError(source, "blocks", spans, f"a box of at most {MAX_CELLS} cells")
    loose = unsupported(build.blocks, build.floor)
    if loose:
        text = f"{list(loose[0])} {text_of(build.blocks[loose[0]])}"
        raise InputError(source, "blocks", text, "a solid block under or behind it, to stay there")
    if button is not None and _pos(button, "button", source) not in build.buttons:
        raise InputError(source, "button", button, "the cell of a stone_button of the build")


def unsupported(blocks: Mapping[Pos, Block], floor: Floor | None) -> list[Pos]:
    """Return the cells, sorted, of the blocks that need a solid block to stay and have none."""
    return sorted(pos for pos in blocks if not supported(blocks, floor, pos))


def supported(blocks: Mapping[Pos, Block], floor: Floor | None, pos: Pos) -> bool:
    """Return whether the block in a cell has what it stands or hangs on, or needs nothing."""
    block = blocks[pos]
    if block.kind in SOLID:
        return True
    hangs = block.kind in (Kind.BUTTON, Kind.TORCH)
    under = beside(pos, block.toward if hangs else DOWN)
    if under in blocks:
        return blocks[under].kind in SOLID
    return floor is not None and floor.holds(under)


def drop_unsupported(blocks: dict[Pos, Block], floor: Floor | None) -> list[Pos]:
    """Take away what has lost its support, and return where; nothing stands on what falls off."""
    loose = unsupported(blocks, floor)
    for pos in loose:
        del blocks[pos]
    return loose


def box(cells: Iterable[Pos]) -> tuple[Pos, Pos]:
    """Return the lowest and the highest corner of the box around cells; there must be some."""
    xs, ys, zs = zip(*cells, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))
