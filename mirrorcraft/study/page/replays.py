"""A replay of one episode: map with the path, actions with outcomes, inventory over time."""

from collections.abc import Mapping, Sequence
from typing import Any

from mirrorcraft.core.task import Task
from mirrorcraft.study.page.markup import Markup, tag
from mirrorcraft.study.record import EpisodeRecord, StepRecord
from mirrorcraft.study.words import action_text, outcome_text

HALF = 96  # blocks from the middle of a world to the edge of its map
_MARGIN, _SMALLEST = 10, 40  # blocks around the path; the side of the smallest map
_ITEMS = 14  # rows of the inventory chart

Place = tuple[float, float, float]


def replay(episode: EpisodeRecord, spawn: Place | None, *, has_map: bool) -> Markup:
    """Return the section of one episode, which must be a full record.

    Args:
        episode: with outcomes and places.
        spawn: where it began, or None if that is not known.
        has_map: whether the page holds the ground of its world under ``map-WORLD``.
    """
    spec = episode.spec
    title = f"{spec.suite} · {spec.world} · {spec.task} · {spec.agent}"
    if spec.model:
        title += f" · {spec.model}"
    facts = (
        f"Score {episode.score}, ended by {episode.ending} after {episode.actions} actions; "
        f"rules {spec.disclosure}, repetition {spec.repetition}, episode {spec.id}"
    )
    places = [spawn, *(step.at for step in episode.steps)]
    count = len(episode.steps)
    slider = tag(
        "label",
        "Action ",
        tag("output", f"0 of {count}"),
        tag("input", type="range", min=0, max=count, value=0, aria_label=f"action of {title}"),
        class_="slider",
    )
    goals = {m.id for m in Task.load(spec.task).milestones}
    figures = tag(
        "div", _map(episode, places, goals, has_map), _inventory(episode.steps), class_="seen"
    )
    steps = tag("ol", [_step(i, s, goals) for i, s in enumerate(episode.steps, 1)], class_="steps")
    body = tag("div", figures, tag("div", slider, steps, class_="told"), class_="stage")
    return tag(
        "article", tag("h3", title), tag("p", facts), body, class_="replay", id=f"episode-{spec.id}"
    )


def _step(number: int, step: StepRecord, goals: set[str]) -> Markup:
    ok = bool(step.outcome and step.outcome["ok"])
    kinds = [("milestone" if a in goals else "advancement", a) for a in step.advancements]
    badges = [
        *(tag("span", f"{kind} {name}", class_=f"badge {kind}") for kind, name in kinds),
        *(tag("span", f"changed rule {r}", class_="badge encounter") for r in step.encounters),
    ]
    x, _, z = step.at or (None, None, None)
    return tag(
        "li",
        tag("button", str(number), type="button", class_="number"),
        tag("code", action_text(step.action)),
        tag("span", outcome_text(step.outcome) if step.outcome else "", class_="outcome"),
        badges,
        class_=None if ok else "failed",
        data_x=x,
        data_z=z,
    )


def _map(
    episode: EpisodeRecord, places: Sequence[Place | None], goals: set[str], has_map: bool
) -> Markup | None:
    """Return the path from above, numbered where something happened."""
    known = [p for p in places if p is not None]
    if not known:
        return None
    xs, zs = [p[0] for p in known], [p[2] for p in known]
    side = max(max(xs) - min(xs), max(zs) - min(zs)) + 2 * _MARGIN
    side = min(max(side, _SMALLEST), 2 * HALF)
    left = min(max((min(xs) + max(xs) - side) / 2, -HALF), HALF - side)
    top = min(max((min(zs) + max(zs) - side) / 2, -HALF), HALF - side)
    unit = side / 100  # so that marks look alike on maps of all sizes
    path = " ".join(f"{p[0]:g},{p[2]:g}" for p in known)
    marks: list[Markup] = []
    if has_map:
        marks.append(tag("use", href=f"#map-{episode.spec.world}"))
    marks.append(tag("polyline", points=path, class_="path halo", stroke_width=f"{unit * 1.6:.2f}"))
    marks.append(tag("polyline", points=path, class_="path", stroke_width=f"{unit * 0.7:.2f}"))
    marks.append(_circle(known[0], unit * 2, "spawn", "where it began"))
    for number, step in enumerate(episode.steps, 1):
        if step.at is None:
            continue
        reached = [a for a in step.advancements if a in goals]
        for kind, ids in (("encounter", step.encounters), ("milestone", reached)):
            if ids:
                size = unit * (1.9 if kind == "encounter" else 1.2)
                marks.append(_circle(step.at, size, kind, f"{number}: {kind} {', '.join(ids)}"))
    marks.append(_circle(known[0], unit * 1.6, "now", "where the slider is"))
    box = f"{left:g} {top:g} {side:g} {side:g}"
    label = f"path in {episode.spec.world} from above, north is up"
    picture = tag("svg", marks, viewBox=box, role="img", aria_label=label, class_="map")
    key = "ring: start; orange: changed rule met; blue: milestone; north is up"
    return tag("figure", picture, tag("figcaption", f"{side:.0f} blocks across. {key}"))


def _circle(at: Place, radius: float, kind: str, said: str) -> Markup:
    size = {"cx": f"{at[0]:g}", "cy": f"{at[2]:g}", "r": f"{radius:.2f}"}
    return tag("circle", tag("title", said), class_=kind, **size)


def inventories(steps: Sequence[StepRecord]) -> list[dict[str, int]]:
    """Return what the agent has after each action, from the differences; it begins with nothing."""
    held: dict[str, int] = {}
    found = [dict(held)]
    for step in steps:
        delta: Mapping[str, Any] = step.outcome["delta"] if step.outcome else {}
        for item, n in delta.items():
            held[item] = held.get(item, 0) + n
        found.append({item: n for item, n in held.items() if n})
    return found


def _inventory(steps: Sequence[StepRecord]) -> Markup | None:
    """Return a row for each item that was ever held, the most held ones of too many."""
    held = inventories(steps)
    most = {item: max(h.get(item, 0) for h in held) for h in held for item in h}
    if not most:
        return None
    kept = set(sorted(most, key=lambda item: -most[item])[:_ITEMS])
    items = [item for item in most if item in kept]
    line, left, width = 20, 130, 460
    right = width - 34
    height = line * len(items) + 4
    each = (right - left) / max(1, len(steps))
    marks: list[Markup] = []
    for row, item in enumerate(items):
        floor, room = line * (row + 1) - 3, line - 7
        points, last = [], 0.0
        for k, inventory in enumerate(held):
            y = floor - room * inventory.get(item, 0) / most[item]
            points += [f"{left + k * each:.1f},{last or floor:.1f}"] if k else []
            points.append(f"{left + k * each:.1f},{y:.1f}")
            last = y
        text = item.replace("_", " ")
        marks.append(tag("text", text, x=left - 8, y=floor - 2, text_anchor="end"))
        marks.append(tag("polyline", points=" ".join(points), class_="line mirror"))
        marks.append(tag("text", str(most[item]), x=right + 6, y=floor - 2, class_="faint"))
    cursor = {"x1": left, "x2": left, "y1": 0, "y2": height}
    marks.append(tag("line", class_="cursor", data_left=left, data_each=f"{each:.3f}", **cursor))
    label = "inventory over the actions"
    picture = tag("svg", marks, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)
    hidden = len(most) - len(items)
    more = f"; {hidden} items held in smaller numbers are left out" if hidden else ""
    return tag("figure", picture, tag("figcaption", f"Inventory over the actions, most held{more}"))
