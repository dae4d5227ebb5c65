"""The whole report page: summary, tables, plots, settings, provenance and replays in one file."""

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.core.world import World
from mirrorcraft.study import tables
from mirrorcraft.study.metrics import group
from mirrorcraft.study.numbers import pair, signed
from mirrorcraft.study.page import plots
from mirrorcraft.study.page.curves import (
    BIN,
    condition,
    encounters_by_action,
    reached,
    success_by_budget,
)
from mirrorcraft.study.page.markup import Markup, joined, tag
from mirrorcraft.study.page.replays import HALF, replay
from mirrorcraft.study.page.table import grid
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import by_agent

Values = Mapping[str, Any]
_PARTS = ("Summary", "Effects", "Progress", "Behavior", "Cost", "Replays", "Settings")
_READING = (
    "Score: value of the deepest milestone, 0 to 100. SR: percent of episodes that reach 100. "
    "RIE_SC, RIE_SR: Vanilla minus Mirror, in points. 95 %: episodes taken as independent; "
    "by world: whole worlds drawn again. IRR: percent of encounters with a changed rule whose "
    "action is repeated at once. RL: actions until the Score rises again. A dash: no data."
)


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
        _settings(config, values),
    )
    body = [
        tag("section", tag("h2", name), part, id=name.lower())
        for name, part in zip(_PARTS, sections, strict=True)
    ]
    links = [tag("a", name, href=f"#{name.lower()}") for name in _PARTS]
    title = f"{values['study']}: report"
    main = tag(
        "body",
        tag("a", "Skip to the report", href="#summary", class_="skip"),
        tag("header", tag("h1", title), tag("p", _standing(values))),
        tag("nav", tag("div", links), aria_label="parts of the report"),
        tag("main", body),
        tag("footer", tag("p", _READING), tag("p", "Made by mirrorcraft.")),
        tag("script", _file("page.js")),
    )
    return "<!doctype html>\n" + tag("html", _head(title), main, lang="en") + "\n"


def _head(title: str) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", _file("page.css")),
    )


def _file(name: str) -> Markup:
    return Markup((Path(__file__).parent / name).read_text("utf-8"))


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
    return joined(
        [
            tag("dl", boxes, class_="facts"),
            tag("p", "Pooled over the agents that also play Vanilla.", class_="note"),
            grid(tables.by_agent(values)),
            grid(tables.by_suite(values)),
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
    below = (
        tables.by_agent_and_suite(values),
        *tables.by_group(values),
        tables.by_disclosure(values["disclosure"]),
        *tables.tests(values),
    )
    return joined([tag("figure", plot, note), *(grid(table) for table in below)])


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
            grid(tables.along_trajectories(values["checkpoints"])),
            tag("h3", "Score by milestone"),
            tag("p", _KEY, ", percent of all agents' episodes that come at least so far"),
            tag("div", milestones, class_="panels"),
        ]
    )


def _sides(episodes: Sequence[EpisodeRecord]) -> list[tuple[str, list[EpisodeRecord]]]:
    return list(group(episodes, condition).items())


def _milestones(task: str, episodes: Sequence[EpisodeRecord]) -> Markup | None:
    found = {side: reached(own, task) for side, own in _sides(episodes)}
    known = {side: shares for side, shares in found.items() if shares is not None}
    if not known:
        return None
    lines = [
        plots.Line(side, [(0.0, 100.0), *((value, share) for _, value, share in shares)])
        for side, shares in known.items()
    ]
    plot = plots.panel(task, lines, ("Score of the milestone", "percent of episodes"), (100, 100))
    said = grid(tables.milestones(task, known))
    return tag("div", plot, tag("details", tag("summary", "Numbers"), said))


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
    return joined(
        [
            tag("h3", "Encounters over the episode"),
            tag("div", panels, class_="panels"),
            grid(tables.after_encounters(values)),
        ]
    )


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
            grid(tables.models(values["cost"])),
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


def _settings(config: Values, values: Values) -> Markup:
    shown = *tables.settings(config), tables.provenance(values["provenance"])
    return tag("div", [grid(table) or "" for table in shown], class_="settings")
