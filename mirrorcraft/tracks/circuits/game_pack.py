"""A datapack for the 1.19 game that places builds and writes down, every game tick, what each component does.

The game has no command that stops time, and none that tells a block's state. So a function in the tag
``#minecraft:tick``, which runs before the scheduled ticks of blocks, asks for each state in turn and
appends a row to the storage ``circuits:trace``. A row holds the components whose value is not 0, by
number, in groups: long replies would be shortened.
"""

import re
from collections.abc import Iterator, Sequence

from mirrorcraft.core.errors import Fault, InputError
from mirrorcraft.datapack.pack import PACK_FORMAT, Datapack
from mirrorcraft.sim.blocks import HALF, MIN_Y, SIDE
from mirrorcraft.tracks.circuits.blocks import Block, Kind, Pos, id_of, text_of
from mirrorcraft.tracks.circuits.build import Build, Floor, box
from mirrorcraft.tracks.circuits.trace import trace

NAMESPACE, STORAGE, SCORES = "circuits", "circuits:trace", "circuits"
GROUP = 60
"""Components of a group: one reply tells them all."""
HIGHEST = 300
"""The game has blocks up to y = 319; what is above this leaves no room for a player."""
_FILLED = 32_768  # blocks that one fill may change
_ROW = f"{STORAGE} rows[-1]"
# Nothing may see a state that does not last: repeaters, which remember, come after all that feeds
# them; and what a button would need comes before it.
_ORDER = (Kind.STONE, Kind.GLASS, Kind.LAMP, Kind.TORCH, Kind.DUST, Kind.REPEATER, Kind.BUTTON)
_STATES: dict[Kind, tuple[tuple[str, int], ...]] = {
    Kind.LAMP: (("lit=true", 1),),
    Kind.TORCH: (("lit=true", 1),),
    Kind.BUTTON: (("powered=true", 1),),
    Kind.REPEATER: (
        ("powered=true,locked=false", 1),
        ("powered=false,locked=true", 2),
        ("powered=true,locked=true", 3),
    ),
}


def rested(build: Build) -> Build | None:
    """Return a build in the state in which it comes to rest, None when it does not.

    A build whose torches burn out on the way counts as one that does not: a world without that past
    would light them again.
    """
    seen = trace(build, ticks=0, press=False)
    if seen.settled is None:
        return None
    blocks = dict(build.blocks)
    for pos, on in seen.at_end().items():
        blocks[pos] = blocks[pos]._replace(on=on)
    still = Build(blocks, build.floor, build.ticks)
    return still if trace(still, ticks=0, press=False).settled == 0 else None


def components(build: Build) -> list[Pos]:
    """Return the cells of what has a state, in the order of the columns of a trace."""
    return sorted(p for p, b in build.blocks.items() if b.kind not in (Kind.STONE, Kind.GLASS))


def game_pack(builds: Sequence[Build]) -> Datapack:
    """Return the datapack that places and records builds, each known by its number.

    Functions: ``circuits:b<n>/place``, ``check`` (what is not there is listed in the storage as
    ``gone``), ``read``, ``clear``; and ``tick``, which records while the score ``recording`` is 1.

    Raises:
        InputError: a build does not fit the world.
    """
    files: dict[str, object] = {
        "pack.mcmeta": {
            "pack": {"pack_format": PACK_FORMAT, "description": "Redstone circuits, recorded"}
        },
        "data/minecraft/tags/functions/tick.json": {"values": [f"{NAMESPACE}:tick"]},
        _path("tick"): _text(
            [f"execute if score recording {SCORES} matches 1 run function {NAMESPACE}:record"]
        ),
        _path("record"): _text(_record(len(builds))),
    }
    for n, build in enumerate(builds):
        _check_room(n, build)
        files[_path(f"b{n}/place")] = _text(_place(build))
        files[_path(f"b{n}/clear")] = _text(_clear(build))
        files[_path(f"b{n}/check")] = _text(_check(build))
        files |= {_path(name): _text(lines) for name, lines in _reading(n, build)}
    return Datapack(files, "circuits.zip")


def _record(builds: int) -> Iterator[str]:
    """One row, and the end of the recording once enough rows have come since the press."""
    yield f"data modify storage {STORAGE} rows append value {{}}"
    for n in range(builds):
        yield f"execute if score build {SCORES} matches {n} run function {NAMESPACE}:b{n}/read"
    yield f"execute if score pressed {SCORES} matches 1 run scoreboard players remove left {SCORES} 1"
    yield f"execute if score left {SCORES} matches ..0 run scoreboard players set recording {SCORES} 0"


def _place(build: Build) -> Iterator[str]:
    x, y, z = stand_for(build)
    yield f"setblock {x} {y - 1} {z} minecraft:barrier"
    if build.floor:
        yield from _fill(*_corners(build.floor), "stone")
    for pos in sorted(build.blocks, key=lambda p: (_ORDER.index(build.blocks[p].kind), p)):
        yield f"setblock {_at(pos)} {_state(build.blocks[pos])}"


def _state(block: Block) -> str:
    if block.kind != Kind.DUST or block.dot:
        return text_of(block)
    sides = ",".join(f"{side}=side" for side in ("east", "north", "south", "west"))
    return f"minecraft:redstone_wire[{sides}]"  # as from a player's hand; else it would be a dot


def _clear(build: Build) -> Iterator[str]:
    low, high = around(build)
    yield from _fill(low, high, "air")
    yield "kill @e[type=minecraft:item]"


def _check(build: Build) -> Iterator[str]:
    yield f"data modify storage {STORAGE} gone set value []"
    for i, pos in enumerate(components(build)):
        there = f"block {_at(pos)} minecraft:{id_of(build.blocks[pos])}"
        yield f"execute unless {there} run data modify storage {STORAGE} gone append value {i}"


def _reading(n: int, build: Build) -> Iterator[tuple[str, list[str]]]:
    """The function that adds a build's states to the last row, and one for each dust that is not dark."""
    cells, lines = components(build), []
    lines += [f"data modify storage {_ROW}.g{g} set value {{}}" for g in range(groups(build))]
    for i, pos in enumerate(cells):
        block = build.blocks[pos]
        asked = f"block {_at(pos)} minecraft:{id_of(block)}"
        write = f"data modify storage {_ROW}.g{i // GROUP}.c{i} set value"
        if block.kind == Kind.DUST:
            lines.append(f"execute unless {asked}[power=0] run function {NAMESPACE}:b{n}/dust{i}")
            levels = range(1, 16)
            yield (
                f"b{n}/dust{i}",
                [f"execute if {asked}[power={v}] run {write} {v}b" for v in levels],
            )
        else:
            states = _STATES[block.kind]
            lines += [f"execute if {asked}[{state}] run {write} {v}b" for state, v in states]
        if block.kind == Kind.BUTTON:
            score = f"scoreboard players set pressed {SCORES} 1"
            lines.append(f"execute if {asked}[powered=true] run {score}")
    yield f"b{n}/read", lines


def groups(build: Build) -> int:
    """Return in how many groups a row tells a build's components."""
    return -(-len(components(build)) // GROUP)


def read_group(reply: str) -> dict[int, int]:
    """Return component -> value from what ``data get storage circuits:trace rows[i].g0`` answers.

    Raises:
        Fault: it is another answer.
    """
    _, contents, text = reply.partition("has the following contents: ")
    found = re.fullmatch(r"\{((?:c\d+: \d+b(?:, )?)*)\}", text.strip())
    if not contents or not found:
        raise Fault(f"the server answers 'data get' with {reply[:200]!r}")
    return {int(i): int(v) for i, v in re.findall(r"c(\d+): (\d+)b", found[1])}


def stand_for(build: Build) -> Pos:
    """Return a cell for a player's feet from which the button is in reach and nothing of the build near.

    Raises:
        InputError: there is none.
    """
    bx, by, bz = build.button
    room = range(-4, 5)
    spots = [(bx + dx, by + dy, bz + dz) for dx in room for dy in range(-1, 6) for dz in room]
    for x, y, z in sorted(spots, key=lambda p: (_squared(p, build.button), p)):
        body = [(x + a, y + b, z + c) for a in (-1, 0, 1) for b in range(-2, 3) for c in (-1, 0, 1)]
        if _squared((x, y + 1, z), build.button) <= 16 and not any(_taken(build, p) for p in body):
            return x, y, z
    raise InputError("build", "button", build.button, "room for a player within four cells of it")


def _taken(build: Build, pos: Pos) -> bool:
    return pos in build.blocks or (build.floor is not None and build.floor.holds(pos))


def _squared(a: Pos, b: Pos) -> int:
    return sum((m - n) ** 2 for m, n in zip(a, b, strict=True))


def around(build: Build) -> tuple[Pos, Pos]:
    """Return the corners of the box around all that is set for a build, the player's stand included."""
    x, y, z = stand_for(build)
    cells = [*build.blocks, (x, y - 1, z)]
    return box([*cells, *(_corners(build.floor) if build.floor else ())])


def _corners(floor: Floor) -> tuple[Pos, Pos]:
    return (floor.x[0], floor.y, floor.z[0]), (floor.x[1], floor.y, floor.z[1])


def _check_room(n: int, build: Build) -> None:
    low, high = around(build)
    inside = min(low[0], low[2]) > -HALF and max(high[0], high[2]) < SIDE - HALF
    if not (inside and low[1] > MIN_Y and high[1] < HIGHEST):
        expected = f"x and z from {-HALF} to {SIDE - HALF}, y from {MIN_Y} to {HIGHEST}"
        raise InputError(f"build {n}", "blocks", [low, high], expected)


def _fill(low: Pos, high: Pos, block: str) -> Iterator[str]:
    """Fill a box layer by layer, each in strips that one command may fill."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    deep = max(1, _FILLED // (x1 - x0 + 1))
    for y in range(y0, y1 + 1):
        for z in range(z0, z1 + 1, deep):
            corner = (x1, y, min(z1, z + deep - 1))
            yield f"fill {_at((x0, y, z))} {_at(corner)} minecraft:{block}"


def _at(pos: Pos) -> str:
    return " ".join(map(str, pos))


def _path(name: str) -> str:
    return f"data/{NAMESPACE}/functions/{name}.mcfunction"


def _text(lines: Sequence[str] | Iterator[str]) -> str:
    return "\n".join(lines) + "\n"
