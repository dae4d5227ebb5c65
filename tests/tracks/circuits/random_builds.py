"""Seeded random circuits: a plane of 9 by 9 with a button in the middle and some second storeys."""

from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.tracks.circuits.blocks import (
    BUTTON,
    DOWN,
    DUST,
    GLASS,
    LAMP,
    SIDES,
    STONE,
    UP,
    Block,
    Kind,
    Pos,
    beside,
    repeater,
    torch,
)
from mirrorcraft.tracks.circuits.build import Build, Floor, drop_unsupported

WEIGHTS = {"dust": 40, "air": 14, "lamp": 14, "repeater": 14, "stone": 10, "torch": 5, "glass": 3}
BAG = [name for name, weight in WEIGHTS.items() for _ in range(weight)]
FLOOR = Floor(3, (-5, 5), (-5, 5))


def random_build(number: int, radius: int = 4, ticks: int = 60) -> Build:
    """A build that depends on its number alone."""
    seed, drawn = seed_from("random circuit", number), iter(range(1_000_000))

    def pick(n: int) -> int:
        return below(n, seed, 0, next(drawn))

    blocks: dict[Pos, Block] = {(0, 4, 0): STONE, (0, 5, 0): BUTTON}
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            if (x, z) != (0, 0):
                _fill(blocks, (x, 4, z), BAG[pick(len(BAG))], pick)
    for pos in sorted(blocks):
        if blocks[pos].kind in (Kind.STONE, Kind.GLASS, Kind.LAMP) and pick(3) == 0:
            _fill(blocks, beside(pos, UP), ("dust", "torch", "repeater")[pick(3)], pick)
    blocks[0, 5, 0] = BUTTON
    drop_unsupported(blocks, FLOOR)
    return Build(blocks, FLOOR, ticks)


def _fill(blocks: dict[Pos, Block], pos: Pos, name: str, pick) -> None:
    match name:
        case "dust":
            blocks[pos] = DUST._replace(dot=pick(10) == 0)
        case "repeater":
            blocks[pos] = repeater(SIDES[pick(4)], 1 + pick(4))
        case "torch":
            blocks[pos] = torch((DOWN, *SIDES)[pick(5)])
        case "air":
            pass
        case _:
            blocks[pos] = {"lamp": LAMP, "stone": STONE, "glass": GLASS}[name]
