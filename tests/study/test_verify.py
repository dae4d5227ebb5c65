"""Verifying: a run that nobody touched is confirmed, every edit of it is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake import AGENTS, setup

from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import EPISODES, PLAN, read_run
from mirrorcraft.study.verify import Verdict, differences, verify

TEXT = f"""
schema_version = "1.0"
name = "small"
worlds = ["{World.names()[0]}"]
suites = ["vanilla", "M01"]
tasks = ["iron_armor"]
[[agents]]
name = "fickle"
repetitions = 3
[[agents]]
name = "mute"
"""
BACKEND = "fake:FakeBackend"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    run_study(TEXT, parse_study(TEXT, "s", AGENTS), tmp_path, workers=1, setup=setup())
    return tmp_path


def edited(folder: Path, change: Callable[[dict[str, Any]], None], line: int = 5) -> Verdict:
    """Edit the parsed line of an episode (from 1) as a clever hand would, and verify."""
    lines = (folder / EPISODES).read_text().splitlines()
    record = json.loads(lines[line - 1])
    change(record)
    lines[line - 1] = json.dumps(record, sort_keys=True, separators=(",", ":"))
    (folder / EPISODES).write_text("\n".join([*lines, ""]))
    return verify(folder, BACKEND)


def test_an_untouched_run_comes_out_the_same(run: Path):
    assert verify(run, BACKEND) == Verdict(8, 0, 0, [], [])


def test_a_compact_run_is_verified_as_far_as_it_goes(tmp_path: Path):
    text = 'record = "compact"\n' + TEXT
    run_study(text, parse_study(text, "s", AGENTS), tmp_path, workers=1, setup=setup())
    assert verify(tmp_path, BACKEND) == Verdict(8, 0, 0, [], [])
    verdict = edited(tmp_path, lambda r: r["steps"][0].update(score=100), line=1)
    assert [f.place for f in verdict.findings] == ["steps[0].score"]


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (_set("score", to=99), "score"),
        (_set("success", to="yes"), "success"),
        (_set("actions", to=3), "actions"),
        (_set("ending", to="death"), "ending"),
        (_set("start", to="0" * 16), "start"),
        (_set("pair_id", to="0" * 16), "pair_id"),
        (_set("steps", 2, "score", to=99), "steps[2].score"),
        (_set("steps", 2, "observation", to="0" * 16), "steps[2].observation"),
        (_set("steps", 2, "outcome", "ticks", to=21), "steps[2].outcome.ticks"),
        (_set("steps", 2, "at", to=[1.0, 64.0, 0.0]), "steps[2].at[0]"),
        (_set("steps", 2, "advancements", to=["story/mine_diamond"]), "steps[2].advancements"),
        (_set("steps", 2, "encounters", to=["M09.x"]), "steps[2].encounters"),
        (_set("provenance", "rules", to="0" * 16), "provenance.rules"),
        (_set("note", to="trust me"), "note"),
    ],
)  # fmt: skip
def test_an_edited_field_is_named(run: Path, change, place: str):
    verdict = edited(run, change)
    assert any(place in f.place for f in verdict.findings)
    assert {f.line for f in verdict.findings} == {5}
    assert place in str(verdict.findings[0])


def test_another_action_is_noticed_by_what_follows_from_it(run: Path):
    def other(record: dict[str, Any]) -> None:
        step = record["steps"][5]
        step["skill"], step["args"] = "explore", {"target": "nothing at all"}

    places = {f.place for f in edited(run, other).findings}
    assert "steps[5].outcome.ok" in places
    assert "steps[5].observation" in places


def test_steps_cut_off_or_added_are_noticed(run: Path):
    places = [f.place for f in edited(run, lambda r: r["steps"].pop()).findings]
    assert "ending" in places
    places = [f.place for f in edited(run, lambda r: r["steps"].extend(r["steps"][:9])).findings]
    assert "number of steps" in places or "actions" in places


def test_doubled_foreign_and_broken_lines_are_named(run: Path):
    whole = (run / EPISODES).read_text()
    first = whole.splitlines()[0]
    (run / EPISODES).write_text(whole + first + "\n")
    assert [f.expected for f in verify(run, BACKEND).findings] == ["each episode once"]
    (run / EPISODES).write_text(whole.replace('"repetition":2', '"repetition":7'))
    assert "not that of its spec" in verify(run, BACKEND).findings[0].expected
    (run / EPISODES).write_text("rubbish\n" + whole)
    verdict = verify(run, BACKEND)
    assert (verdict.played, [f.line for f in verdict.findings]) == (8, [1])


def test_a_deleted_line_is_named(run: Path):
    lines = (run / EPISODES).read_text().splitlines(keepends=True)
    (run / EPISODES).write_text("".join(lines[:3] + lines[4:]))
    verdict = verify(run, BACKEND)
    assert (verdict.findings, verdict.missing) == ([], [json.loads(lines[3])["id"]])


def test_an_episode_deleted_from_the_plan_too_is_named(run: Path):
    gone = json.loads((run / EPISODES).read_text().splitlines()[3])["id"]
    for name in (EPISODES, PLAN):
        lines = (run / name).read_text().splitlines(keepends=True)
        (run / name).write_text("".join(line for line in lines if gone not in line))
    verdict = verify(run, BACKEND)
    assert verdict.missing == []
    assert [(f.line, f.id, f.stored, f.expected) for f in verdict.findings] == [
        (0, gone, "absent", "present")
    ]


@pytest.mark.parametrize("score", ["99", 9.5, None, True])
def test_a_score_that_is_no_integer_makes_the_line_no_record(run: Path, score: Any):
    verdict = edited(run, _set("score", to=score))
    assert [(f.line, f.place) for f in verdict.findings] == [(5, "line")]
    with pytest.raises(StudyError, match=r"line 5.*no integer"):
        read_run(run)


def test_an_edited_plan_is_named(run: Path):
    plan = (run / PLAN).read_text()
    (run / PLAN).write_text(plan.replace('"budget": 50', '"budget": 60', 1))
    places = [(f.line, f.place) for f in verify(run, BACKEND).findings]
    assert (0, "id") in places
    assert (1, "id") in places


def test_other_code_is_counted_and_no_finding(run: Path):
    verdict = edited(run, _set("provenance", "code", to="0" * 16))
    assert (verdict.other_code, verdict.findings) == (1, [])


def test_an_episode_of_a_server_has_its_scores_computed_again(run: Path):
    verdict = edited(run, _set("provenance", "backend", to="server"))
    assert (verdict.played, verdict.elsewhere, verdict.findings) == (7, 1, [])
    verdict = edited(run, _set("score", to=42))
    assert [f.place for f in verdict.findings] == ["score", "success"] or [
        f.place for f in verdict.findings
    ] == ["score"]


def test_differences_are_named_at_their_place():
    old = {"a": [1, {"b": True}], "c": None}
    assert list(differences(old, old)) == []
    assert list(differences(old, {"a": [1, {"b": 1}], "c": None})) == [("a[1].b", True, 1)]
    assert list(differences({"a": [1]}, {"a": [1, 2]})) == [("number of a", 1, 2)]
