"""The palette of the laboratory: its blocks, their states, and how a state is read and written.

Directions are numbers: down, up, north (-z), south (+z), west (-x), east (+x); ``d ^ 1`` is the
opposite of ``d``.
"""

from enum import IntEnum
from functools import cache
from typing import NamedTuple

from mirrorcraft.core.errors import InputError, did_you_mean
from mirrorcraft.core.ids import strip

Pos = tuple[int, int, int]
"""A cell: x, y, z."""

DIRECTIONS = ("down", "up", "north", "south", "west", "east")
STEPS: tuple[Pos, ...] = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))
DOWN, UP, NORTH, SOUTH, WEST, EAST = range(6)
SIDES = (NORTH, SOUTH, WEST, EAST)


class Kind(IntEnum):
    """What stands in a cell; the numbers are those of the kernel."""

    AIR = 0
    STONE = 1
    GLASS = 2
    LAMP = 3
    BUTTON = 4
    DUST = 5
    REPEATER = 6
    TORCH = 7


SOLID = frozenset({Kind.STONE, Kind.GLASS, Kind.LAMP})
"""Blocks with sturdy faces, which others may stand on or hang on."""


class Block(NamedTuple):
    """A block in a state.

    Attributes:
        kind: what it is.
        toward: the direction to the block that a button or torch hangs on, or to the input side
            of a repeater; down for all else.
        delay: setting of a repeater, 1 to 4; 1 for all else.
        on: lit (lamp, torch) or powered (button, repeater).
        dot: dust that was set without sides, and keeps none until it finds something to join.
    """

    kind: Kind
    toward: int = DOWN
    delay: int = 1
    on: bool = False
    dot: bool = False


AIR = Block(Kind.AIR)
STONE = Block(Kind.STONE)
GLASS = Block(Kind.GLASS)
LAMP = Block(Kind.LAMP)
DUST = Block(Kind.DUST)
BUTTON = Block(Kind.BUTTON)
"""A button on top of a block."""


def repeater(travels: int, delay: int = 1) -> Block:
    """Return a repeater whose signal travels in a direction (``facing`` is the opposite)."""
    return Block(Kind.REPEATER, travels ^ 1, delay)


def torch(toward: int = DOWN) -> Block:
    """Return a lit torch that hangs on the block in a direction: down is a standing one."""
    return Block(Kind.TORCH, toward, on=True)


_FLAG = ("true", "false")
_SIDES = tuple(DIRECTIONS[d] for d in SIDES)
_ANY_SIDE = {side: ("none", "side", "up") for side in _SIDES}
PROPERTIES: dict[str, dict[str, tuple[str, ...]]] = {
    "air": {},
    "stone": {},
    "glass": {},
    "redstone_lamp": {"lit": _FLAG},
    "stone_button": {"face": ("floor", "wall", "ceiling"), "facing": _SIDES, "powered": _FLAG},
    "redstone_wire": _ANY_SIDE | {"power": tuple(str(n) for n in range(16))},
    "repeater": {
        "facing": _SIDES,
        "delay": ("1", "2", "3", "4"),
        "powered": _FLAG,
        "locked": _FLAG,
    },
    "redstone_torch": {"lit": _FLAG},
    "redstone_wall_torch": {"facing": _SIDES, "lit": _FLAG},
}
"""Block id -> property -> the values it can have."""

_ALIASES = {"redstone_repeater": "repeater"}  # the paper's palette says redstone_repeater
_NAMES = {
    Kind.AIR: "air",
    Kind.STONE: "stone",
    Kind.GLASS: "glass",
    Kind.LAMP: "redstone_lamp",
    Kind.BUTTON: "stone_button",
    Kind.DUST: "redstone_wire",
    Kind.REPEATER: "repeater",
}


@cache
def parse(text: str) -> Block:
    """Return the block that ``minecraft:repeater[facing=west,delay=2]`` stands for.

    Properties that are left out have the values of a freshly placed block; dust then joins all
    four sides, as from a player's hand. The sides of dust follow from its neighbours, so of those
    given only "none at all" counts: that is a dot.

    Raises:
        InputError: no such block in the palette, no such property, or no such value of it.
    """
    name, bracket, rest = text.partition("[")
    if bracket and not rest.endswith("]"):
        raise InputError("block", "", text, "a state of the form name[property=value,...]")
    given = {}
    for pair in filter(None, rest.removesuffix("]").split(",")):
        key, equals, value = pair.partition("=")
        if not equals or key in given:
            raise InputError("block", text, pair, "each property once, as property=value")
        given[key.strip()] = value.strip()
    return make(name, given)


def make(name: str, given: dict[str, str]) -> Block:
    """Return a block from its id and properties; what is left out is as freshly placed.

    Raises:
        InputError: no such block in the palette, no such property, or no such value of it.
    """
    short = strip(name.strip())
    short = _ALIASES.get(short, short)
    if short not in PROPERTIES:
        raise InputError(
            "block", "", name, f"a block of the palette{did_you_mean(name, PROPERTIES)}"
        )
    known = PROPERTIES[short]
    for key, value in given.items():
        if key not in known:
            has = did_you_mean(key, known) if known else ", which has none"
            raise InputError("block", short, key, f"a property of {short}{has}")
        if value not in known[key]:
            raise InputError("block", f"{short}.{key}", value, f"one of {', '.join(known[key])}")
    return _made(short, given)


def _made(name: str, given: dict[str, str]) -> Block:
    facing = DIRECTIONS.index(given.get("facing", "north"))
    lit = given.get("lit") == "true"
    powered = given.get("powered") == "true"
    match name:
        case "stone_button":
            face = {"floor": DOWN, "ceiling": UP, "wall": facing ^ 1}
            return Block(Kind.BUTTON, face[given.get("face", "floor")], on=powered)
        case "redstone_wire":
            return Block(Kind.DUST, dot=all(given.get(side) == "none" for side in _SIDES))
        case "repeater":
            return Block(Kind.REPEATER, facing, int(given.get("delay", "1")), powered)
        case "redstone_torch" | "redstone_wall_torch":
            toward = DOWN if name == "redstone_torch" else facing ^ 1
            return Block(Kind.TORCH, toward, on=given.get("lit", "true") == "true")
        case "redstone_lamp":
            return Block(Kind.LAMP, on=lit)
    return {"stone": STONE, "glass": GLASS, "air": AIR}[name]


def id_of(block: Block) -> str:
    """Return the id of a block, such as ``redstone_wall_torch``."""
    if block.kind == Kind.TORCH:
        return "redstone_torch" if block.toward == DOWN else "redstone_wall_torch"
    return _NAMES[block.kind]


def properties(block: Block) -> dict[str, str]:
    """Return the properties of a block; those of dust in ``shape.properties``, since they depend on neighbours."""
    on = "true" if block.on else "false"
    match block.kind:
        case Kind.LAMP:
            return {"lit": on}
        case Kind.BUTTON:
            face = {DOWN: "floor", UP: "ceiling"}.get(block.toward, "wall")
            facing = DIRECTIONS[block.toward ^ 1] if face == "wall" else "north"
            return {"face": face, "facing": facing, "powered": on}
        case Kind.REPEATER:
            facing = DIRECTIONS[block.toward]
            return {"delay": str(block.delay), "facing": facing, "powered": on}
        case Kind.TORCH if block.toward != DOWN:
            return {"facing": DIRECTIONS[block.toward ^ 1], "lit": on}
        case Kind.TORCH:
            return {"lit": on}
        case Kind.DUST if block.dot:
            return dict.fromkeys(_SIDES, "none")
    return {}


def text_of(block: Block) -> str:
    """Return a block as ``parse`` reads it, such as ``minecraft:repeater[delay=2,facing=west,powered=false]``."""
    listed = ",".join(f"{key}={value}" for key, value in sorted(properties(block).items()))
    return f"minecraft:{id_of(block)}" + (f"[{listed}]" if listed else "")


def beside(pos: Pos, direction: int) -> Pos:
    """Return the neighbouring cell in a direction."""
    step = STEPS[direction]
    return pos[0] + step[0], pos[1] + step[1], pos[2] + step[2]
