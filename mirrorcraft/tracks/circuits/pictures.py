"""Pictures as SVG text: a build at a game tick, and the timeline of its lamps against a contract.

What changes with time carries a class ``v<value>`` and its place in the trace as ``data-i``, so a page
can play a picture by changing classes.
"""

from collections.abc import Iterable, Mapping
from html import escape

import numpy as np

from mirrorcraft.tracks.circuits.blocks import (
    DOWN,
    EAST,
    NORTH,
    SOUTH,
    STEPS,
    WEST,
    Block,
    Kind,
    Pos,
    beside,
)
from mirrorcraft.tracks.circuits.build import Build, box
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, Pulse, Sequential
from mirrorcraft.tracks.circuits.trace import Trace, trace
from mirrorcraft.tracks.circuits.wiring import Wiring

CELL = 26
"""Pixels of a cell."""
_GAP = 22
_PAPER, _GROUND = "#fbfaf7", "#ebe7dd"
_TURNS = {EAST: 0, SOUTH: 90, WEST: 180, NORTH: 270}
_LEVELS = "".join(f".v{n}{{color:#{70 + 12 * n:02x}{8 * (n > 0):02x}{0:02x}}}" for n in range(16))
STYLE = (
    "text{font-family:sans-serif;fill:#333}"
    ".wire{stroke:currentColor;stroke-width:4;stroke-linecap:round}"
    ".on{fill:currentColor}"
    ".level{font-size:8.5px;font-weight:600;paint-order:stroke;stroke:#fbfaf7;stroke-width:2.5px}"
    ".v0 .level{display:none}"
    ".delay{font-size:9px;font-weight:700;fill:#fff;text-anchor:middle}"
    ".lamp{fill:#5d4632;stroke:#3b2c1f}.v1 .lamp{fill:#ffd34d;stroke:#b98d12}"
    ".stone{fill:#a3a3a3;stroke:#8a8a8a}.glass{fill:#dcecf3;stroke:#b5cfdb}"
    ".plate{fill:#d5d0c6;stroke:#b3ac9d}.lock{fill:none}.l1 .lock{fill:#2b6cb0}"
    f"{_LEVELS}"
)
_NAMES = {
    Kind.STONE: "stone",
    Kind.GLASS: "glass",
    Kind.LAMP: "lamp, lit and dark",
    Kind.BUTTON: "button",
    Kind.DUST: "dust, its level",
    Kind.REPEATER: "repeater, its delay",
    Kind.TORCH: "torch",
}


def picture(build: Build, tick: int = 0, physics: Physics | None = None, title: str = "") -> str:
    """Return an SVG of a build so many game ticks after the press, seen from above, layer by layer."""
    seen = trace(build, physics, ticks=max(tick, 0))
    values = {pos: int(seen.states[seen.press + tick, i]) for pos, i in seen.column.items()}
    lit = sum(values[pos] for pos in seen.lamps)
    caption = f"{title + ', ' if title else ''}tick {tick}: {lit} of {len(seen.lamps)} lamps lit"
    return layers(build, Wiring(build, physics or Physics()), values, caption)


def layers(build: Build, wiring: Wiring, values: Mapping[Pos, int], caption: str = "") -> str:
    """Return an SVG of a build in a state: cell -> value as in ``Trace.states``; the rest is off."""
    (x0, _, z0), (x1, _, z1) = box(build.blocks)
    width, height = (x1 - x0 + 1) * CELL, (z1 - z0 + 1) * CELL
    number = {pos: i for i, pos in enumerate(sorted(values))}
    drawn = {pos: _layer_of(build, pos) for pos in sorted(build.blocks)}
    parts, left, top = [], _GAP, 40
    for y in sorted(set(drawn.values())):
        parts.append(_text(left, top - 7, f"y = {y}"))
        parts.append(
            f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{_GROUND}"/>'
        )
        here = [pos for pos in drawn if drawn[pos] == y]
        for pos in sorted(here, key=lambda p: (build.blocks[p].kind == Kind.BUTTON, p)):
            at = left + (pos[0] - x0) * CELL, top + (pos[2] - z0) * CELL
            block = build.blocks[pos]
            sides = wiring.sides(pos) if block.kind == Kind.DUST else ()
            shape = symbol(block, values.get(pos, 0), sides)
            name = css_class(block.kind, values.get(pos, 0))
            parts.append(_placed(shape, name, number.get(pos), at))
        left += width + _GAP
    kinds = {block.kind for block in build.blocks.values()}
    legend, right = _legend(kinds, top + height + 34)
    where = f"x {x0} to {x1} rightwards, z {z0} to {z1} downwards"
    parts.append(f'<text x="{_GAP}" y="18" font-size="13" class="caption">{escape(caption)}</text>')
    parts += [_text(_GAP, top + height + 16, where, 10), *legend]
    return _svg(max(left, right), top + height + 62, parts)


def _layer_of(build: Build, pos: Pos) -> int:
    """Return the height at which a block is drawn: a button on top of a block, on that block."""
    block = build.blocks[pos]
    under = beside(pos, DOWN)
    on_top = block.kind == Kind.BUTTON and block.toward == DOWN and under in build.blocks
    return under[1] if on_top else pos[1]


def _placed(shape: str, name: str, number: int | None, at: tuple[int, int]) -> str:
    changes = "" if number is None else f' data-i="{number}" class="{name}"'
    return f'<g transform="translate({at[0]} {at[1]})"{changes}>{shape}</g>'


def css_class(kind: Kind, value: int) -> str:
    """Return the classes of a value of ``Trace.states``: what is on glows like dust at full level."""
    if kind in (Kind.DUST, Kind.LAMP):
        return f"v{value}"
    return f"v{15 * (value & 1)}" + (" l1" if value & 2 else "")


def symbol(block: Block, value: int, sides: Iterable[int] = ()) -> str:
    """Return what stands for a block in a cell whose corner is (0, 0); dust runs to its ``sides``."""
    half = CELL / 2
    whole = f'<rect x=".5" y=".5" width="{CELL - 1}" height="{CELL - 1}" class="{{}}"/>'
    match block.kind:
        case Kind.STONE | Kind.GLASS | Kind.LAMP:
            return whole.format(block.kind.name.lower())
        case Kind.DUST:
            lines = [_line(half, half, d, half, "wire") for d in sides]
            dot = f'<circle cx="{half}" cy="{half}" r="4" class="on"/>'
            return "".join([*lines, dot]) + f'<text x="2" y="9" class="level">{value}</text>'
        case Kind.REPEATER:
            turn = f'transform="rotate({_TURNS[block.toward ^ 1]} {half} {half})"'
            plate = f'<rect x="2" y="4" width="{CELL - 4}" height="{CELL - 8}" class="plate"/>'
            arrow = f'<polygon points="4,6 {CELL - 3},{half} 4,{CELL - 6}" class="on"/>'
            lock = f'<rect x="{CELL - 6}" y="5" width="3" height="{CELL - 10}" class="lock"/>'
            dx, _, dz = STEPS[block.toward]  # the number goes to the broad side of the arrow
            spot = f'x="{half + 4 * dx:g}" y="{half + 3 + 4 * dz:g}"'
            delay = f'<text {spot} class="delay">{block.delay}</text>'
            return f"<g {turn}>{plate}{arrow}{lock}</g>{delay}"
    if block.kind == Kind.BUTTON:
        return f'<rect x="7" y="9" width="{CELL - 14}" height="{CELL - 18}" class="on" stroke="#fbfaf7"/>'
    dx, _, dz = STEPS[block.toward]
    stick = _line(half, half, block.toward, half, "wire") if block.toward != DOWN else ""
    head = f'<circle cx="{half + 3 * dx}" cy="{half + 3 * dz}" r="5.5" class="on" stroke="#333"/>'
    return stick + head


def _line(x: float, y: float, direction: int, length: float, name: str) -> str:
    dx, _, dz = STEPS[direction]
    end = f'x2="{x + dx * length:g}" y2="{y + dz * length:g}"'
    return f'<line x1="{x:g}" y1="{y:g}" {end} class="{name}"/>'


def _legend(kinds: set[Kind], y: int) -> tuple[list[str], int]:
    """Return a row of samples of the kinds that occur, and how far right it reaches."""
    parts, x = [], _GAP
    for kind in sorted(kinds):
        block = Block(kind, WEST if kind == Kind.REPEATER else DOWN)
        for value in (1, 0) if kind == Kind.LAMP else (15,) if kind == Kind.DUST else (1,):
            sample = symbol(block, value, (WEST, EAST))
            small = (
                f'transform="translate({x} {y - 13}) scale(.7)" class="{css_class(kind, value)}"'
            )
            parts.append(f"<g {small}>{sample}</g>")
            x += 20
        parts.append(_text(x + 3, y, _NAMES[kind], 10))
        x += 16 + 6 * len(_NAMES[kind])
    return parts, x


def timeline(seen: Trace, task: CircuitTask | None = None) -> str:
    """Return an SVG with one row a lamp, lit where it is lit, over what the task's contract asks for."""
    rows = sorted(
        seen.lamps, key=lambda pos: (seen.onsets[pos] is None, seen.onsets[pos] or 0, pos)
    )
    ticks = len(seen.states) - seen.press
    step, left, row, top = 5, 84, 13, 30
    bottom = top + row * len(rows)
    parts = [_text(4, 14, "game ticks after the press", 10)]
    for t in range(0, ticks, 10):
        x = left + step * t
        parts.append(f'<line x1="{x}" y1="{top - 4}" x2="{x}" y2="{bottom}" stroke="#d8d3c8"/>')
        parts.append(f'<text x="{x}" y="{top - 7}" font-size="9" text-anchor="middle">{t}</text>')
    for i, pos in enumerate(rows):
        parts.append(_text(4, top + 10 + row * i, ", ".join(map(str, pos)), 9))
        for start, end in _lit_spans(seen.lamps[pos]):
            place = (
                f'x="{left + step * start}" y="{top + 2 + row * i}" width="{step * (end - start)}"'
            )
            parts.append(f'<rect {place} height="{row - 4}" fill="#ffd34d" stroke="#b98d12"/>')
    for i, (start, end) in enumerate(expected(task, seen) if task else []):
        place = f'x="{left + step * start}" y="{top + row * i}" width="{step * (end - start)}"'
        frame = 'fill="none" stroke="#177a4c" stroke-width="1.5" class="wanted"'
        parts.append(f'<rect {place} height="{row}" {frame}/>')
    if task:
        wanted = "be lit" if isinstance(task.contract, Pulse) else "light up"
        parts.append(
            _text(left, bottom + 16, f"framed: when the contract wants the lamp to {wanted}", 10)
        )
    return _svg(left + step * ticks + 16, bottom + 26, parts)


def _lit_spans(lit: np.ndarray) -> list[tuple[int, int]]:
    """Return the spans of game ticks in which a lamp is lit: first, and first after."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], lit, [0])).astype(int)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def expected(task: CircuitTask, seen: Trace) -> list[tuple[int, int]]:
    """Return for each lamp, in order, the game ticks in which the contract wants it to light up, or be lit.

    Counted from the first lamp of the trace, since contracts do not say when it must light up.
    """
    lit = [onset for onset in seen.onsets.values() if onset is not None]
    start, terms = min(lit, default=0), task.contract
    if isinstance(terms, Sequential):
        onsets = [start]
        for delay in terms.delays:
            onsets.append(onsets[-1] + delay * terms.tick_gt)
        slack = terms.tolerance_gt
        return [(max(0, onset - slack), onset + slack + 1) for onset in onsets]
    if isinstance(terms, Pulse):
        return [(start, start + terms.tau * terms.tick_gt)] * task.lamps
    return [(start, start + terms.max_skew_gt + 1)] * task.lamps


def _text(x: int, y: int, text: str, size: int = 11) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}">{escape(text)}</text>'


def _svg(width: int, height: int, parts: list[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    paper = f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", paper, *parts, "</svg>"]) + "\n"
