"""Plots as inline SVG, coloured by the page's style sheet so that they follow light and dark."""

from collections.abc import Sequence
from itertools import count
from math import ceil, floor, log10
from typing import NamedTuple

from mirrorcraft.study.page.markup import Markup, tag

WIDTH = 470


class Effect(NamedTuple):
    """A row of an effect plot; what is None is not drawn.

    Attributes:
        label: of the row.
        value: where its dot is.
        half_width: of its interval that treats episodes as independent.
        worlds: its interval that draws whole worlds.
    """

    label: str
    value: float | None
    half_width: float | None
    worlds: Sequence[float] | None


class Line(NamedTuple):
    """A line of a panel: a kind that decides its colour, and its points."""

    kind: str
    points: Sequence[tuple[float, float]]


class Scale:
    """From values to pixels along one axis, with round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float, ticks: int = 5):
        step = _round_step((high - low) / ticks or 1.0)
        self.low, self.high = floor(low / step) * step, ceil(high / step) * step
        if self.low == self.high:
            self.high = self.low + step
        count = round((self.high - self.low) / step)
        self.ticks = [self.low + i * step for i in range(count + 1)]
        self._start, self._unit = start, (end - start) / (self.high - self.low)

    def __call__(self, value: float) -> float:
        return round(self._start + (value - self.low) * self._unit, 1)


def _round_step(step: float) -> float:
    """Return the least of 1, 2, 5 times a power of ten that is at least ``step``."""
    unit = 10.0 ** floor(log10(step))
    return next(m * unit for m in (1, 2, 5, 10) if m * unit >= step * 0.999)


def tick_text(value: float) -> str:
    """Return a tick's label, without digits that say nothing."""
    return f"{value:.6g}" if value else "0"


def effects(title: str, rows: Sequence[Effect], unit: str) -> Markup:
    """Return dots with both intervals, a row each, around a line at 0."""
    ends = [0.0, *(e for row in rows for e in (*(row.worlds or ()), *(_around(row) or ())))]
    ends += [row.value for row in rows if row.value is not None]
    left, top, line = 96, 8, 24
    x = Scale(min(ends), max(ends), left, WIDTH - 16)
    bottom = top + line * len(rows)
    marks = [_vertical(x, t, top, bottom, tick_text(t)) for t in x.ticks]
    marks.append(tag("line", x1=x(0), x2=x(0), y1=top, y2=bottom, class_="zero"))
    for i, row in enumerate(rows):
        y = top + line * (i + 0.5)
        marks.append(_text(left - 10, y + 4, row.label, "end"))
        if row.value is None:
            marks.append(_text(x(0) + 6, y + 4, "no pairs", "start", "faint"))
            continue
        for ends, kind in ((row.worlds, "thick"), (_around(row), "thin")):
            if ends is not None:
                low, high = (x(end) for end in ends)
                marks.append(tag("line", x1=low, x2=high, y1=y, y2=y, class_=kind))
        said = f"{row.label}: {row.value:+.1f} {unit}"
        marks.append(tag("circle", tag("title", said), cx=x(row.value), cy=y, r=4.5, class_="dot"))
    marks.append(_text((left + WIDTH) / 2, bottom + 36, unit, "middle", "faint"))
    return _svg(title, WIDTH, bottom + 44, marks)


def _around(row: Effect) -> tuple[float, float] | None:
    if row.value is None or row.half_width is None:
        return None
    return row.value - row.half_width, row.value + row.half_width


def panel(
    title: str, lines: Sequence[Line], labels: tuple[str, str], high: tuple[float, float]
) -> Markup:
    """Return one small line plot from (0, 0) to ``high``; a missing line is simply not there.

    Args:
        title: of the panel.
        lines: what is drawn.
        labels: of the two axes.
        high: the largest x and y.
    """
    width, height, left, top = 300, 190, 40, 10
    x, y = Scale(0, high[0], left, width - 12), Scale(0, high[1], height - 40, top)
    marks = [_vertical(x, t, top, height - 40, tick_text(t)) for t in x.ticks]
    marks += [_horizontal(y, t, left, width - 12) for t in y.ticks]
    for line in lines:
        points = " ".join(f"{x(a)},{y(b)}" for a, b in line.points)
        marks.append(tag("polyline", points=points, class_=f"line {line.kind}"))
    marks.append(_text((left + width) / 2, height - 6, labels[0], "middle", "faint"))
    return tag(
        "figure", tag("figcaption", title), _svg(f"{title}: {labels[1]}", width, height, marks)
    )


def bars(title: str, values: Sequence[float], bin_width: int, highest: float, label: str) -> Markup:
    """Return a histogram whose bins begin at multiples of ``bin_width``."""
    width, height, left, top = 300, 150, 40, 10
    x = Scale(0, bin_width * max(1, len(values)), left, width - 12)
    y = Scale(0, highest or 1, height - 40, top, ticks=3)
    marks = [_vertical(x, t, top, height - 40, tick_text(t)) for t in x.ticks]
    marks += [_horizontal(y, t, left, width - 12) for t in y.ticks]
    for i, value in enumerate(values):
        begin, end = x(i * bin_width), x((i + 1) * bin_width)
        said = f"actions {i * bin_width + 1} to {(i + 1) * bin_width}: {value:g}"
        box = {"x": begin + 1, "y": y(value), "width": end - begin - 2, "height": y(0) - y(value)}
        marks.append(tag("rect", tag("title", said), class_="bar", **box))
    marks.append(_text((left + width) / 2, height - 6, label, "middle", "faint"))
    return tag("figure", tag("figcaption", title), _svg(title, width, height, marks))


def scatter(
    title: str, points: Sequence[tuple[str, float, float]], labels: tuple[str, str]
) -> Markup:
    """Return dots with numbers, and the list of their names, too long for a plot, below."""
    height, left, top, bottom = 340, 36, 26, 290
    across, up = [p[1] for p in points] or [0.0], [p[2] for p in points] or [0.0]
    x = Scale(min(across), max(across), left, WIDTH - 30)
    y = Scale(min(up), max(up), bottom, top)
    marks = [_vertical(x, t, top, bottom, tick_text(t)) for t in x.ticks]
    marks += [_horizontal(y, t, left, WIDTH - 30) for t in y.ticks]
    taken: list[tuple[float, float]] = []
    for number, (name, a, b) in enumerate(points, 1):
        said = f"{number}: {name}, {a:.4g} {labels[0]}, {labels[1]} {b:.1f}"
        marks.append(tag("circle", tag("title", said), cx=x(a), cy=y(b), r=4.5, class_="dot"))
        at = _free(taken, x(a), y(b) + 4)
        taken.append(at)
        marks.append(_text(*at, str(number), "middle"))
    marks.append(_text((left + WIDTH - 30) / 2, bottom + 38, labels[0], "middle", "faint"))
    marks.append(_text(4, 12, labels[1], "start", "faint"))
    names = tag("ol", [tag("li", name) for name, _, _ in points], class_="legend")
    return Markup(_svg(title, WIDTH, height, marks) + names)


def _free(taken: Sequence[tuple[float, float]], x: float, y: float) -> tuple[float, float]:
    """Return where beside a dot a number covers no other one: right, left, then further away."""
    places = ((x + side, y + away) for away in count(0, 13) for side in (14, -14))
    return next(
        p for p in places if all(abs(p[0] - u) > 16 or abs(p[1] - v) > 12 for u, v in taken)
    )


def _vertical(x: Scale, at: float, top: float, bottom: float, label: str) -> Markup:
    line = tag("line", x1=x(at), x2=x(at), y1=top, y2=bottom, class_="grid")
    return Markup(line + _text(x(at), bottom + 16, label, "middle", "faint"))


def _horizontal(y: Scale, at: float, left: float, right: float) -> Markup:
    line = tag("line", x1=left, x2=right, y1=y(at), y2=y(at), class_="grid")
    return Markup(line + _text(left - 6, y(at) + 4, tick_text(at), "end", "faint"))


def _text(x: float, y: float, text: str, anchor: str, class_: str | None = None) -> Markup:
    return tag("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, class_=class_)


def _svg(title: str, width: float, height: float, marks: Sequence[Markup]) -> Markup:
    box = f"0 0 {width:g} {height:g}"
    return tag(
        "svg", marks, viewBox=box, role="img", aria_label=title, style=f"--w:{1.4 * width:g}px"
    )
