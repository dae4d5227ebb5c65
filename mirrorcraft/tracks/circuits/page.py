"""HTML pages that need nothing else: a build that can be played tick by tick, alone or in a report."""

import json
from collections.abc import Iterable, Sequence
from html import escape

from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.pictures import css_class, layers, timeline
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import Trace, trace
from mirrorcraft.tracks.circuits.wiring import Wiring


def replay(build: Build, task: CircuitTask | None = None, physics: Physics | None = None) -> str:
    """Return a page that plays a build's ticks, with its verdict and the timeline of its lamps."""
    title = task.task_name if task else "A build"
    return page(title, [player(build, task, physics)])


def player(build: Build, task: CircuitTask | None = None, physics: Physics | None = None) -> str:
    """Return the part of a page that plays a build; a build that cannot be pressed is shown as it stands."""
    wiring = Wiring(build, physics or Physics())
    if len(build.buttons) != 1:
        told = (
            "<p>It has no button, or several, so it cannot be pressed.</p>" if build.blocks else ""
        )
        return told + (layers(build, wiring, {}) if build.blocks else "<p>Nothing stands.</p>")
    ticks = task.window_gt if task else build.ticks
    seen = trace(build, physics, ticks=ticks)
    start = {pos: int(seen.states[0, i]) for pos, i in seen.column.items()}
    changes = [
        [tick, i, css_class(seen.blocks[i].kind, value), value] for tick, i, value in _changes(seen)
    ]
    said = ""
    if task:
        verdict = judge(task, build, physics)
        word = "passed" if verdict.passed else "failed"
        said = f'<p class="{word}"><strong>{word}</strong>: {escape(verdict.why)}</p>'
    return _PLAYER.format(
        said=said,
        ticks=ticks,
        picture=layers(build, wiring, start),
        timeline=timeline(seen, task),
        changes=json.dumps(changes, separators=(",", ":")),
    )


def _changes(seen: Trace) -> list[tuple[int, int, int]]:
    """Return tick, column and value of every component at the press, and of every change after it."""
    first = [(0, i, int(value)) for i, value in enumerate(seen.states[seen.press])]
    return first + [(e.tick, seen.column[e.pos], e.after) for e in seen.events() if e.tick > 0]


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of some parts, players among them."""
    return _PAGE.format(title=escape(title), body="\n".join(parts), script=_SCRIPT)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int) -> str:
    """Return an HTML table, of which the first ``words`` columns are no numbers; texts are escaped."""

    def line(cells: Sequence[str], tag: str) -> str:
        word = [' class="word"' if i < words else "" for i in range(len(cells))]
        parts = [f"<{tag}{w}>{escape(c)}</{tag}>" for w, c in zip(word, cells, strict=True)]
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


_PLAYER = """<section class="player">
{said}
<p><button type="button" class="go">play</button>
<label>tick <input class="tick" type="range" min="0" max="{ticks}" value="0"></label>
<output class="at">0</output></p>
<div class="scroll">{picture}</div>
<div class="scroll">{timeline}</div>
<script type="application/json" class="changes">{changes}</script>
</section>"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: 1200px;
  color: #222; background: #fff }}
.scroll {{ overflow-x: auto; margin: .6em 0 }} .passed strong {{ color: #177a4c }}
.failed strong {{ color: #b3261e }} .tick {{ width: min(30em, 50vw); vertical-align: middle }}
table {{ border-collapse: collapse; margin: .6em 0 }} td, th {{ padding: .2em .7em; text-align: right;
  border-bottom: 1px solid #ddd }} td.word, th.word {{ text-align: left }}
summary {{ cursor: pointer; margin: .5em 0 }} output {{ font-variant-numeric: tabular-nums }}
</style></head>
<body><h1>{title}</h1>
{body}
<script>{script}</script></body></html>
"""
_SCRIPT = """
for (const player of document.querySelectorAll(".player")) {
  const changes = JSON.parse(player.querySelector(".changes").textContent);
  const cells = new Map([...player.querySelectorAll("[data-i]")].map(g => [Number(g.dataset.i), g]));
  const slider = player.querySelector(".tick"), at = player.querySelector(".at");
  const go = player.querySelector(".go");
  let timer = null;
  function show(t) {
    const now = new Map();
    for (const [tick, i, name, value] of changes) if (tick <= t) now.set(i, [name, value]);
    for (const [i, [name, value]] of now) {
      const g = cells.get(i), level = g.querySelector(".level");
      g.setAttribute("class", name);
      if (level) level.textContent = value;
    }
    slider.value = t;
    at.textContent = t;
  }
  function stop() { clearInterval(timer); timer = null; go.textContent = "play"; }
  slider.oninput = () => { stop(); show(Number(slider.value)); };
  go.onclick = () => {
    if (timer) return stop();
    let t = Number(slider.value) < Number(slider.max) ? Number(slider.value) : 0;
    go.textContent = "pause";
    timer = setInterval(() => { show(t); if (++t > Number(slider.max)) stop(); }, 100);
  };
  show(0);
}
"""
