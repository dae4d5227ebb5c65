"""Pictures as SVG text: a build at a game tick, the timeline of its lamps, and an animated page."""

from html import escape

from mirrorcraft.tracks.circuits.blocks import (
    DIRECTIONS,
    EAST,
    NORTH,
    SOUTH,
    STEPS,
    WEST,
    Block,
    Kind,
    Pos,
)
from mirrorcraft.tracks.circuits.build import Build, box
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, Pulse, Sequential
from mirrorcraft.tracks.circuits.trace import Trace, trace
from mirrorcraft.tracks.circuits.wiring import Wiring

CELL = 24
"""Pixels of a cell."""
_PAPER, _INK = "#f6f4ef", "#333"
_FILLS = {Kind.STONE: "#9a9a9a", Kind.GLASS: "#d6ecf2"}
_LIT, _DARK = "#ffd34d", "#6b4a2b"
_TURNS = {EAST: 0, SOUTH: 90, WEST: 180, NORTH: 270}


def picture(build: Build, tick: int = 0, physics: Physics | None = None, title: str = "") -> str:
    """Return an SVG of a build so many game ticks after the press, seen from above, layer by layer.

    Dust shows its level and its sides, lamps whether they are lit.
    """
    seen = trace(build, physics, ticks=max(tick, 0))
    return _layers(build, Wiring(build, physics or Physics()), seen, tick, title)


def _layers(build: Build, wiring: Wiring, seen: Trace, tick: int, title: str) -> str:
    (x0, y0, z0), (x1, y1, z1) = box(build.blocks)
    width, height = (x1 - x0 + 1) * CELL, (z1 - z0 + 1) * CELL
    parts, left = [], CELL
    for y in range(y0, y1 + 1):
        cells = [pos for pos in sorted(build.blocks) if pos[1] == y]
        parts.append(f'<text x="{left}" y="{CELL - 8}" font-size="11">y = {y}</text>')
        parts.append(
            f'<rect x="{left}" y="{CELL}" width="{width}" height="{height}" fill="#e6e1d6"/>'
        )
        for pos in cells:
            at = left + (pos[0] - x0) * CELL, CELL + (pos[2] - z0) * CELL
            value = (
                int(seen.states[seen.press + tick, seen.column[pos]]) if pos in seen.column else 0
            )
            parts.append(_cell(build.blocks[pos], pos, value, wiring, at))
        left += width + CELL
    caption = f"{title + ', ' if title else ''}tick {tick}: {_lit_now(seen, tick)} lamps lit"
    return _svg(left, height + 3 * CELL, [*parts, _text(CELL, height + 2 * CELL + 8, caption)])


def _lit_now(seen: Trace, tick: int) -> int:
    return sum(int(lit[tick]) for lit in seen.lamps.values())


def _cell(block: Block, pos: Pos, value: int, wiring: Wiring, at: tuple[int, int]) -> str:
    x, y = at
    half = CELL // 2
    whole = f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" stroke="#fff" fill="{{}}"/>'
    match block.kind:
        case Kind.STONE | Kind.GLASS:
            return whole.format(_FILLS[block.kind])
        case Kind.LAMP:
            return whole.format(_LIT if value else _DARK)
        case Kind.DUST:
            lines = [_arm(x + half, y + half, d, _red(value)) for d in wiring.sides(pos)]
            dot = f'<circle cx="{x + half}" cy="{y + half}" r="4" fill="{_red(value)}"/>'
            return "".join([*lines, dot, _text(x + 2, y + 9, str(value), 8)])
        case Kind.REPEATER:
            turn = f'transform="rotate({_TURNS[block.toward ^ 1]} {x + half} {y + half})"'
            arrow = f"{x + 4},{y + 5} {x + CELL - 3},{y + half} {x + 4},{y + CELL - 5}"
            body = f'<polygon points="{arrow}" {turn} fill="{_red(15 * (value & 1))}"/>'
            return body + _text(x + half - 5, y + half + 3, str(block.delay), 8)
    color = _red(15 * (value & 1))
    if block.kind == Kind.BUTTON:
        return f'<rect x="{x + 7}" y="{y + 9}" width="10" height="6" fill="{color}"/>'
    step = STEPS[block.toward]
    cx, cy = x + half + 7 * step[0], y + half + 7 * step[2]
    return f'<circle cx="{cx}" cy="{cy}" r="5" fill="{color}" stroke="{_INK}"/>'


def _arm(x: int, y: int, direction: int, color: str) -> str:
    dx, _, dz = STEPS[direction]
    end = f'x2="{x + dx * CELL // 2}" y2="{y + dz * CELL // 2}"'
    name = DIRECTIONS[direction]
    return f'<line class="{name}" x1="{x}" y1="{y}" {end} stroke="{color}" stroke-width="4"/>'


def _red(level: int) -> str:
    return f"#{75 + 12 * level:02x}0000"


_SIGNS = {Kind.STONE: "#", Kind.GLASS: "o", Kind.LAMP: "L", Kind.BUTTON: "B", Kind.DUST: "+", Kind.TORCH: "t"}  # fmt: skip
_ARROWS = {EAST: ">", WEST: "<", NORTH: "^", SOUTH: "v"}


def drawing(build: Build) -> str:
    """Return a build as text, layer by layer, north up.

    # is stone, o glass, L lamp, B button, + dust, t torch, and an arrow a repeater's heading.
    """
    (x0, y0, z0), (x1, y1, z1) = box(build.blocks)
    layers = []
    for y in range(y0, y1 + 1):
        rows = [f"y = {y}"]
        for z in range(z0, z1 + 1):
            blocks = [build.blocks.get((x, y, z)) for x in range(x0, x1 + 1)]
            rows.append("".join("." if block is None else _sign(block) for block in blocks))
        layers.append("\n".join(rows))
    return "\n\n".join(layers)


def _sign(block: Block) -> str:
    return _ARROWS[block.toward ^ 1] if block.kind == Kind.REPEATER else _SIGNS[block.kind]


def timeline(seen: Trace, task: CircuitTask | None = None) -> str:
    """Return an SVG with one row a lamp, lit where it is lit, over what the task's contract asks for."""
    rows = sorted(
        seen.lamps, key=lambda pos: (seen.onsets[pos] is None, seen.onsets[pos] or 0, pos)
    )
    ticks = len(seen.states) - seen.press
    step, left, row = 4, 90, 12
    parts = [
        f'<rect x="{left + step * a}" y="{14 + row * i}" width="{step * (b - a)}" height="{row - 2}"'
        ' fill="none" stroke="#2a7"/>'
        for i, (a, b) in enumerate(expected(task, seen) if task else [])
    ]
    for i, pos in enumerate(rows):
        parts.append(_text(4, 22 + row * i, f"{pos[0]}, {pos[1]}, {pos[2]}", 9))
        lit = seen.lamps[pos]
        starts = [t for t in range(ticks) if lit[t] and (t == 0 or not lit[t - 1])]
        for start in starts:
            end = next((t for t in range(start, ticks) if not lit[t]), ticks)
            parts.append(
                f'<rect x="{left + step * start}" y="{15 + row * i}" width="{step * (end - start)}"'
                f' height="{row - 4}" fill="{_LIT}"/>'
            )
    bottom = 24 + row * len(rows)
    for t in range(0, ticks, 20):
        x = left + step * t
        parts.append(f'<line x1="{x}" y1="12" x2="{x}" y2="{bottom - 8}" stroke="#bbb"/>')
        parts.append(_text(x - 4, bottom + 4, str(t), 9))
    return _svg(left + step * ticks + 12, bottom + 12, parts)


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


def replay(build: Build, task: CircuitTask | None = None, physics: Physics | None = None) -> str:
    """Return an HTML page that plays a build's ticks, with the timeline of its lamps under it."""
    ticks = task.window_gt if task else build.ticks
    seen, wiring = trace(build, physics, ticks=ticks), Wiring(build, physics or Physics())
    changed = sorted({0, *(event.tick for event in seen.events())})
    frames = [
        f'<div class="frame" data-tick="{t}">{_layers(build, wiring, seen, t, "")}</div>'
        for t in changed
    ]
    title = escape(task.task_name if task else "build")
    return _PAGE.format(
        title=title, frames="\n".join(frames), timeline=timeline(seen, task), ticks=ticks
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 14px sans-serif; margin: 2em }} .frame {{ display: none; overflow: auto }}
.frame.now {{ display: block }}</style></head>
<body><h1>{title}</h1>
<p><button id="go">play</button>
<input id="tick" type="range" min="0" max="{ticks}" value="0"> <output id="at">0</output></p>
{frames}
<h2>Lamps and contract</h2>
{timeline}
<script>
const frames = [...document.querySelectorAll(".frame")], slider = document.getElementById("tick");
let timer = null;
function show(t) {{
  let now = frames[0];
  for (const f of frames) if (Number(f.dataset.tick) <= t) now = f;
  for (const f of frames) f.classList.toggle("now", f === now);
  slider.value = t; document.getElementById("at").value = t;
}}
slider.oninput = () => show(Number(slider.value));
document.getElementById("go").onclick = () => {{
  clearInterval(timer);
  let t = 0;
  timer = setInterval(() => {{ show(t); if (++t > Number(slider.max)) clearInterval(timer); }}, 50);
}};
show(0);
</script></body></html>
"""


def _text(x: int, y: int, text: str, size: int = 11) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}">{escape(text)}</text>'


def _svg(width: int, height: int, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
    paper = f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>'
    return "\n".join([head, paper, *parts, "</svg>"]) + "\n"
