"""Pictures: what they show, and a page that a browser plays."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mirrorcraft.tracks.circuits import page, pictures
from mirrorcraft.tracks.circuits.blocks import DUST, Kind
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.sketch import sketch
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import trace

ROOT = Path(__file__).parents[3]
DRAWN = sorted((ROOT / "docs" / "circuits").glob("*.svg"))


def built(name):
    task = CircuitTask.load(name)
    return task, solve(task)


def marks(svg, name):
    """The classes of the groups that hold a shape of a class, in order."""
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    groups = [g for g in root.iter(f"{space}g") if g.get("data-i")]
    return [str(g.get("class")) for g in groups if any(e.get("class") == name for e in g.iter())]


def test_a_picture_shows_what_is_lit_at_a_tick():
    _, build = built("C_L2")
    for tick, lit in ((0, 1), (2, 2), (20, 8), (60, 0)):
        svg = pictures.picture(build, tick, title="C <L2>")
        assert f"C &lt;L2&gt;, tick {tick}: {lit} of 8 lamps lit" in svg
        assert marks(svg, "lamp").count("v1") == lit


def test_a_picture_tells_the_level_of_each_dust():
    _, build = built("A_L3")
    levels = [int(row[0]) for row in trace(build).of(Kind.DUST).values()]
    svg = pictures.picture(build)
    assert sorted(marks(svg, "level")) == sorted(f"v{level}" for level in levels)
    shown = [int(t) for t in re.findall(r'class="level">(\d+)<', svg)]
    assert sorted(shown[:-1]) == sorted(levels)  # the last is the legend's


def test_a_locked_repeater_is_told_apart():
    assert pictures.css_class(Kind.REPEATER, 3) == "v15 l1"
    assert pictures.css_class(Kind.REPEATER, 2) == "v0 l1"
    assert pictures.css_class(Kind.TORCH, 1) == "v15"
    assert pictures.css_class(Kind.DUST, 7) == "v7"


def test_a_timeline_frames_what_the_contract_wants():
    for name in ("A_L1", "C_L1", "E_L1"):
        task, build = built(name)
        seen = trace(build, ticks=task.window_gt)
        spans = pictures.expected(task, seen)
        assert pictures.timeline(seen, task).count('class="wanted"') == len(spans) == task.lamps
        onsets = sorted(onset for onset in seen.onsets.values() if onset is not None)
        assert all(a <= onset < b for (a, b), onset in zip(spans, onsets, strict=True))


def test_a_sketch_shows_levels_and_lit_lamps():
    _, build = built("C_L1")
    assert "#+>+>+>+" in sketch(build)
    seen = trace(build)
    assert "#f»f»f>+" in sketch(build, seen, 6)
    assert "LoLoLol" in sketch(build, seen, 6)


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_the_drawings_in_the_docs_are_what_the_engine_does(path):
    build = Build.load(ROOT / "tests" / "golden" / "redstone" / f"{path.stem}.json")
    drawn = pictures.picture(build, 12, title=path.stem.replace("_", " "))
    assert path.read_text(encoding="utf-8") == drawn


def test_a_build_that_cannot_be_pressed_is_shown_as_it_stands():
    assert "Nothing stands" in page.player(Build({}))
    shown = page.player(Build({(0, 4, 0): DUST}, None), CircuitTask.load("A_L1"))
    assert "cannot be pressed" in shown
    assert "<svg" in shown


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on this machine")
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def test_a_page_plays_in_a_browser_without_a_network(tmp_path, chromium):
    task, build = built("C_L1")
    file = tmp_path / "page.html"
    file.write_text(page.replay(build, task), encoding="utf-8")
    context = chromium.new_context(offline=True)
    shown, errors = context.new_page(), []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.goto(file.as_uri())
    lit = "[...document.querySelectorAll('[data-i]')].filter(g => g.querySelector('.lamp') && g.classList.contains('v1')).length"
    seen = trace(build, ticks=task.window_gt)
    for tick in (0, 2, 6, 8, 30, 60):
        shown.locator(".tick").fill(str(tick))
        assert shown.evaluate(lit) == sum(int(row[tick]) for row in seen.lamps.values())
        assert shown.locator(".at").inner_text() == str(tick)
    shown.locator(".tick").press("Home")
    assert shown.locator(".at").inner_text() == "0"
    shown.locator(".go").click()
    shown.wait_for_function("Number(document.querySelector('.at').textContent) > 1")
    assert "passed" in shown.locator("p.passed").inner_text()
    assert errors == []
    context.close()
