"""The report page: whole, self-contained, escaped; and looked at by a real Chromium."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
import records
from records import step

from mirrorcraft.core.action import Action
from mirrorcraft.core.world import World
from mirrorcraft.study.page.curves import (
    choose,
    encounters_by_action,
    reached,
    success_by_budget,
)
from mirrorcraft.study.page.markup import Markup, joined, tag
from mirrorcraft.study.page.page import page
from mirrorcraft.study.page.plots import Scale
from mirrorcraft.study.page.replays import inventories
from mirrorcraft.study.plan import StudyConfig
from mirrorcraft.study.record import EpisodeRecord, StepRecord
from mirrorcraft.study.report import report
from mirrorcraft.study.store import Stored

WORLD, OTHER = World.names()[:2]
NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
VOID = {"meta", "input"}


def full(
    action: Action, delta: dict[str, int], score: int, *rules: str, x: float = 0.0
) -> StepRecord:
    outcome = {"ok": bool(delta), "reason": None if delta else "not_found", "result": {},
               "delta": delta, "ticks": 20}  # fmt: skip
    return StepRecord(
        action, outcome, "0" * 16, score, ("story/mine_stone",), rules, (x, 64.0, 8.0)
    )


def episodes() -> list[EpisodeRecord]:
    steps = [
        full(Action("mine", {"block": "stone"}), {"cobblestone": 2}, 10, "M01.stone", x=4),
        full(Action(NASTY, {"thought": NASTY}), {}, 10, x=20),
        full(Action("place", {"block": "cobblestone"}), {"cobblestone": -2}, 100, x=20),
    ]
    return [
        records.record(
            score, steps[: 3 if score == 100 else 2], world=world, suite=suite, agent=agent
        )
        for world in (WORLD, OTHER)
        for agent in ("react", "<b>bold</b>")
        for suite, score in (("vanilla", 100), ("M01", 10))
    ]


def made(shown: bool = True) -> str:
    config = StudyConfig.model_validate(
        {"schema_version": "1.0", "name": "small", "worlds": (WORLD, OTHER),
         "suites": ("vanilla", "M01"), "tasks": ("diamond",), "agents": ({"name": "react"},),
         "checkpoints": (1, 3)}
    )  # fmt: skip
    played = episodes()
    values = report(Stored(config, [e.spec for e in played], played, [], []))
    ids = choose(played)
    replays = [e for e in played if e.spec.id in ids] if shown else []
    fields = config.model_dump(mode="json", exclude_defaults=True)
    pixel = b"\x89PNG\r\n\x1a\n"
    return page(values, played, fields, shown=replays, ground=lambda world: pixel)


class Checker(HTMLParser):
    """Collects the tags, and fails on one that is not closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_refers_to_nothing_outside():
    text = made()
    found = Checker(text)
    names = {name for name, _ in found.tags}
    assert not names & {"canvas", "link", "iframe", "img", "object"}
    links = [a[k] for _, a in found.tags for k in ("href", "src") if k in a]
    assert links
    assert all(re.match(r"#|data:image/png;base64,", link or "") for link in links)
    assert not re.search(r"https?://|@import|url\(", text)
    ids = [a["id"] for _, a in found.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in links if link and link[0] == "#"} <= set(ids)


def test_what_models_and_people_write_is_escaped():
    text = made()
    assert NASTY not in text
    assert text.count("<script>") == 1
    assert "<b>bold</b>" not in text
    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "onerror=alert(2)&gt;" in text


def test_every_picture_and_control_has_a_name_for_those_who_do_not_see_it():
    for name, attributes in Checker(made()).tags:
        if name == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden")
        if name == "input":
            assert attributes["aria-label"]


def test_a_page_without_replays_says_why():
    assert "compact records hold no outcomes" in made(shown=False)


@pytest.mark.parametrize("inside", [NASTY, [NASTY], ["a", [NASTY]]])
def test_markup_escapes_text_and_keeps_markup(inside):
    assert "<script>" not in tag("p", inside)
    assert tag("p", tag("b", "x"), None, "&") == "<p><b>x</b>&amp;</p>"
    assert tag("p", class_='"><script>') == '<p class="&quot;&gt;&lt;script&gt;"></p>'
    assert joined([Markup("<i></i>"), "<i>"]) == "<i></i>&lt;i&gt;"


def test_the_curve_of_success_rises_where_episodes_end_in_success():
    played = [records.record(100, [step("wait", 100)] * n, world=f"W{n}") for n in (3, 7)]
    played.append(records.record(50, [step("wait", 50)] * 5))
    points = success_by_budget(played)
    assert points[0] == (0, 0)
    assert points[-1] == (50, pytest.approx(200 / 3))
    assert (3, pytest.approx(100 / 3)) in points
    assert success_by_budget([]) == [(0, 0), (0, 0)]


def test_a_milestone_is_reached_by_every_episode_that_scores_its_value():
    played = [records.record(score) for score in (0, 10, 50, 100)]
    shares = {value: share for _, value, share in reached(played, "diamond") or []}
    assert shares == {10: 75, 25: 50, 50: 50, 70: 25, 100: 25}
    assert reached(played, "a task of another package") is None


def test_encounters_fall_in_bins_of_five_actions():
    steps = [step("wait", 0)] * 4 + [step("wait", 0, "a"), step("wait", 0, "a", "b")]
    assert encounters_by_action([records.record(0, steps)])[:3] == [1, 1, 0]


def test_the_pair_that_differs_most_is_chosen_for_each_suite():
    played = [
        records.record(100, world="W00"),
        records.record(100, world="W01"),
        records.record(70, world="W00", suite="M01"),
        records.record(10, world="W01", suite="M01"),
        records.record(10, world="W02", suite="M01"),  # no twin
        records.record(100, world="W00", suite="M02"),
    ]
    assert choose(played) == [played[i].spec.id for i in (3, 1, 5, 0)]


def test_the_inventory_follows_from_the_differences():
    held = inventories(episodes()[0].steps)
    assert held == [{}, {"cobblestone": 2}, {"cobblestone": 2}, {}]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0), (-12.3, 47.8), (0, 0.0031), (0, 12345)])
def test_a_scale_covers_its_values_with_few_round_ticks(low: float, high: float):
    scale = Scale(low, high, 100, 400)
    assert scale.low <= low <= high <= scale.high
    assert 2 <= len(scale.ticks) <= 12
    assert scale(scale.low) == pytest.approx(100)
    assert scale(scale.high) == pytest.approx(400)


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on this machine")
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_works_in_chromium_offline_by_keyboard(tmp_path: Path, chromium, width, scheme):
    file = tmp_path / "report.html"
    file.write_text(made(), encoding="utf-8")
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
    )
    view, trouble, asked = context.new_page(), [], []
    view.on("console", lambda m: trouble.append(m.text))
    view.on("pageerror", lambda e: trouble.append(str(e)))
    view.on("dialog", lambda d: trouble.append(d.message))
    view.on("request", lambda r: asked.append(r.url))
    view.goto(file.as_uri())
    assert asked[0] == file.as_uri()
    assert all(url.startswith("data:") for url in asked[1:])
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"

    view.keyboard.press("Tab")
    assert view.evaluate("document.activeElement.className") == "skip"
    replay = view.locator(".replay").first
    replay.locator("input").focus()
    view.keyboard.press("ArrowRight")
    view.keyboard.press("ArrowRight")
    assert replay.locator("output").inner_text() == "2 of 3"
    assert replay.locator("li.current .number").inner_text() == "2"
    assert replay.locator(".now").get_attribute("cx") == "20"
    replay.locator(".number").first.press("Enter")
    assert replay.locator("output").inner_text() == "1 of 3"
    paper = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(22, 24, 28)") is (scheme == "dark")
    assert trouble == []
    context.close()


def test_the_page_holds_the_numbers_of_its_report():
    text = re.sub(r"<[^>]+>", " ", made())
    assert "+90.0" in text  # RIE in Score
    assert json.dumps("small: report")[1:-1] in text
