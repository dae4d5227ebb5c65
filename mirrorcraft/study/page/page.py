"""The whole report page: summary, tables, plots, settings, provenance and replays in one file."""

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.core.world import World
from mirrorcraft.study.metrics import group
from mirrorcraft.study.numbers import pair, signed
from mirrorcraft.study.page import plots, tables
from mirrorcraft.study.page.curves import (
    BIN,
    condition,
    encounters_by_action,
    reached,
    success_by_budget,
)
from mirrorcraft.study.page.markup import Markup, joined, tag
from mirrorcraft.study.page.replays import HALF, replay
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import by_agent

Values = Mapping[str, Any]
_FOLDER, _FILES = Path(__file__).parent, ("page.css", "page.js")
_PARTS = ("Summary", "Effects", "Progress", "Behavior", "Cost", "Replays", "Settings")


def page(
    values: Values,
    episodes: Sequence[EpisodeRecord],
    config: Values,
    *,
    shown: Sequence[EpisodeRecord] = (),
    ground: Callable[[str], bytes | None] = lambda world: None,
) -> str:
    """Return the page as one HTML text that refers to nothing outside of itself.

    Args:
        values: of ``report.report``.
        episodes: what they were computed from; compact records do.
        config: the study's fields.
        shown: full records to replay.
        ground: returns a PNG of a world from above, one pixel a column, or None.
    """
    sections = (
        _summary(values),
        _effects(values),
        _progress(values, episodes),
        _behavior(values, episodes),
        _cost(values),
        _replays(shown, ground),
        tag("div", tables.settings(config, values["provenance"]), class_="settings"),
    )
    body = [
        tag("section", tag("h2", name), part, id=name.lower())
        for name, part in zip(_PARTS, sections, strict=True)
    ]
    links = [tag("a", name, href=f"#{name.lower()}") for name in _PARTS]
    title = f"{values['study']}: report"
    styles, script = (Markup((_FOLDER / n).read_text("utf-8")) for n in _FILES)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", styles),
    )
    main = tag(
        "body",
        tag("a", "Skip to the report", href="#summary", class_="skip"),
        tag("header", tag("h1", title), tag("p", _standing(values))),
        tag("nav", tag("div", links), aria_label="parts of the report"),
        tag("main", body),
        tag("footer", tag("p", "Made by mirrorcraft. Numbers: " + values["units"] + ".")),
        tag("script", script),
    )
    return "<!doctype html>\n" + tag("html", head, main, lang="en") + "\n"


def _standing(values: Values) -> str:
    return (
        f"{values['episodes']} of {values['planned']} episodes, {len(values['agents'])} agents, "
        f"{len(values['suites'])} rule sets; {values['faults']} attempts broke and are not scored. "
        "RIE is Vanilla minus Mirror: positive is a loss."
    )


def _summary(values: Values) -> Markup:
    pooled = values["pooled"]
    worst = max(
        (row for row in values["suites"].items() if row[1]["rie_sr"] is not None),
        key=lambda row: row[1]["rie_sr"],
        default=None,
    )
    facts = {
        "Vanilla, Score / SR": pair(pooled["vanilla_score"], pooled["vanilla_sr"]),
        "Mirror, Score / SR": pair(pooled["mirror_score"], pooled["mirror_sr"]),
        "RIE, Score / SR": f"{signed(pooled['rie_sc'])} / {signed(pooled['rie_sr'])}",
        "hardest suite": f"{worst[0]}, {signed(worst[1]['rie_sr'])} SR" if worst else "-",
    }
    boxes = [tag("div", tag("dt", k), tag("dd", v)) for k, v in facts.items()]
    note = "the tiles pool the agents that also play Vanilla"
    return joined(
        [
            tag("dl", boxes, class_="facts"),
            tables.groups("By agent", "agent", values["agents"], note),
            tables.suites(values),
        ]
    )


def _effects(values: Values) -> Markup:
    rows = [
        plots.Effect(name, row["rie_sr"], row["rie_sr_half_width"], row["rie_sr_worlds"])
        for name, row in (*values["suites"].items(), ("pooled", values["pooled"]))
        if name != VANILLA
    ]
    boot = values["bootstrap"]
    note = tag(
        "p",
        tag("span", class_="key thin"),
        " 95 %, episodes taken as independent (binomial, by model and task). ",
        tag("span", class_="key thick"),
        f" 95 %, whole worlds drawn {boot['resamples']} times (seed {boot['seed']}).",
        class_="note",
    )
    plot = plots.effects("RIE in SR by suite, with intervals", rows, "RIE in SR, points")
    groups = (
        tables.groups(f"By {kind}", kind, values[key])
        for kind, key in (("task", "tasks"), ("biome", "biomes"), ("model", "models"))
        if len(values[key]) > 1
    )
    return joined(
        [
            tag("figure", plot, note),
            tables.agents_by_suite(values),
            *groups,
            tables.disclosure(values["disclosure"]),
            *tables.tests(values),
        ]
    )


_KEY = joined(
    [
        tag("span", class_="key vanilla"),
        " Vanilla ",
        tag("span", class_="key mirror"),
        " Mirror",
    ]
)


def _progress(values: Values, episodes: Sequence[EpisodeRecord]) -> Markup:
    budgets = [
        plots.panel(
            agent,
            [plots.Line(side, success_by_budget(own)) for side, own in _sides(rows)],
            ("actions", "SR, percent"),
            (max(e.spec.budget for e in rows), 100),
        )
        for agent, rows in by_agent(episodes).items()
    ]
    milestones = [
        shown
        for task, rows in group(episodes, lambda e: e.spec.task).items()
        if (shown := _milestones(task, rows))
    ]
    return joined(
        [
            tag("h3", "Success against budget"),
            tag("p", _KEY, ", percent of episodes that have succeeded after so many actions"),
            tag("div", budgets, class_="panels"),
            tables.checkpoints(values["checkpoints"]),
            tag("h3", "Score by milestone"),
            tag("p", _KEY, ", percent of all agents' episodes that come at least so far"),
            tag("div", milestones, class_="panels"),
        ]
    )


def _sides(episodes: Sequence[EpisodeRecord]) -> list[tuple[str, list[EpisodeRecord]]]:
    return list(group(episodes, condition).items())


def _milestones(task: str, episodes: Sequence[EpisodeRecord]) -> Markup | None:
    lines, rows, names = [], [], []
    for side, own in _sides(episodes):
        found = reached(own, task)
        if found is None:
            return None
        lines.append(plots.Line(side, [(0.0, 100.0), *((v, share) for _, v, share in found)]))
        rows.append([side, *(f"{share:.0f} %" for _, _, share in found)])
        names = [f"{title} ({value})" for title, value, _ in found]
    plot = plots.panel(task, lines, ("Score of the milestone", "percent of episodes"), (100, 100))
    said = tables.table(f"{task}: milestones reached", ["rules", *names], rows)
    return joined([tag("div", plot, tag("details", tag("summary", "Numbers"), said))])


def _behavior(values: Values, episodes: Sequence[EpisodeRecord]) -> Markup:
    found = {
        suite: encounters_by_action(own)
        for suite, own in group(episodes, lambda e: e.spec.suite).items()
        if suite != VANILLA
    }
    highest = max((n for counts in found.values() for n in counts), default=0)
    panels = [
        plots.bars(suite, counts, BIN, highest, "action of the encounter")
        for suite, counts in found.items()
    ]
    rows = [
        (suite, str(row["encounters"]), _diagnostic(row, "irr"), _diagnostic(row, "rl"))
        for suite, row in values["suites"].items()
        if suite != VANILLA
    ]
    head = ("suite", "encounters", "IRR % (n)", "RL, actions (n)")
    note = "an encounter is the first time in an episode that an action meets a changed rule"
    return joined(
        [
            tag("h3", "Encounters over the episode"),
            tag("div", panels, class_="panels"),
            tables.table("After an encounter", head, rows, note),
        ]
    )


def _diagnostic(row: Values, name: str) -> str:
    return "-" if row[name] is None else f"{row[name]:.1f} ({row[f'{name}_n']})"


def _cost(values: Values) -> Markup:
    rows = {row["agent"]: row for row in values["cost"]}
    priced = any(row["cost_usd"] is not None for row in rows.values())
    points = []
    for agent, row in values["agents"].items():
        spent = rows[agent]["cost_usd"] if priced else row["mirror_actions"]
        if spent is not None and row["mirror_score"] is not None:
            points.append((agent, spent, row["mirror_score"]))
    spent = "US$ an episode" if priced else "actions a Mirror episode"
    note = "" if priced else "No episode has a known price, so actions stand in its place."
    labels = (spent, "Mirror Score")
    return joined(
        [
            tag("p", note, class_="note") if note else None,
            plots.scatter(f"{spent} against Mirror Score", points, labels),
            tables.cost(values["cost"]),
        ]
    )


def _replays(
    shown: Sequence[EpisodeRecord], ground: Callable[[str], bytes | None]
) -> Markup | None:
    if not shown:
        return tag("p", "None: compact records hold no outcomes and no places.", class_="note")
    maps = {world: ground(world) for world in dict.fromkeys(e.spec.world for e in shown)}
    images = [
        tag(
            "image", id=f"map-{world}", x=-HALF, y=-HALF, width=2 * HALF, height=2 * HALF,
            href="data:image/png;base64," + base64.b64encode(png).decode(),
        )
        for world, png in maps.items()
        if png
    ]  # fmt: skip
    links = [
        tag("li", tag("a", f"{s.suite}, {s.world}, {s.task}, {s.agent}", href=f"#episode-{s.id}"))
        for s in (e.spec for e in shown)
    ]
    return joined(
        [
            tag("p", "Click a number, or move the slider with the mouse or the arrow keys."),
            tag("ul", links),
            tag("svg", tag("defs", images), width=0, height=0, aria_hidden="true"),
            *(
                replay(e, World.load(e.spec.world).spawn, has_map=bool(maps[e.spec.world]))
                for e in shown
            ),
        ]
    )
