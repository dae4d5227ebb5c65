"""A build as text for a terminal, layer by layer, at rest or at a game tick of its trace."""

from mirrorcraft.tracks.circuits.blocks import EAST, NORTH, SOUTH, WEST, Block, Kind
from mirrorcraft.tracks.circuits.build import Build, box
from mirrorcraft.tracks.circuits.trace import Trace

LEGEND = "# stone, o glass, L lamp, B button, + dust, t torch; an arrow is a repeater's heading"
LEGEND_AT_TICK = (
    "# stone, o glass; L lit lamp, l dark; B pressed button, b not; T lit torch, t not; dust 1 to f by"
    " level, + dark; repeater » « ⇑ ⇓ powered, > < ^ v not"
)
_SIGNS = {Kind.STONE: "#", Kind.GLASS: "o", Kind.LAMP: "L", Kind.BUTTON: "B", Kind.DUST: "+", Kind.TORCH: "t"}  # fmt: skip
_ARROWS = {EAST: ">", WEST: "<", NORTH: "^", SOUTH: "v"}
_POWERED = {EAST: "»", WEST: "«", NORTH: "⇑", SOUTH: "⇓"}


def sketch(build: Build, seen: Trace | None = None, tick: int = 0) -> str:
    """Return a build as text, north up; with a trace, as it is so many game ticks after the press.

    The signs are those of ``LEGEND``, or of ``LEGEND_AT_TICK``.
    """
    (x0, y0, z0), (x1, y1, z1) = box(build.blocks)
    layers = []
    for y in range(y0, y1 + 1):
        rows = [f"y = {y}"]
        for z in range(z0, z1 + 1):
            cells = [(x, y, z) for x in range(x0, x1 + 1)]
            rows.append("".join(_sign(build.blocks.get(p), _value(seen, tick, p)) for p in cells))
        layers.append("\n".join(rows))
    return "\n\n".join(layers)


def _value(seen: Trace | None, tick: int, pos: tuple[int, int, int]) -> int | None:
    if seen is None or pos not in seen.column:
        return None
    return int(seen.states[seen.press + tick, seen.column[pos]])


def _sign(block: Block | None, value: int | None) -> str:
    if block is None:
        return "."
    if block.kind == Kind.REPEATER:
        return (_POWERED if value and value & 1 else _ARROWS)[block.toward ^ 1]
    sign = _SIGNS[block.kind]
    if value is None:
        return sign
    if block.kind == Kind.DUST:
        return f"{value:x}" if value else sign
    return sign.upper() if value else sign.lower()
