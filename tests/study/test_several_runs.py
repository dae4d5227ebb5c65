"""Runs beside runs: comparing two, merging several, exporting one."""

import json
from pathlib import Path

import pytest
from fake import AGENTS, setup

from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.world import World
from mirrorcraft.study.compare import compare
from mirrorcraft.study.export import EPISODE_COLUMNS, STEP_COLUMNS, export
from mirrorcraft.study.merge import merge
from mirrorcraft.study.plan import parse_study, plan
from mirrorcraft.study.report import report
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import EPISODES, STUDY, read_run

TEXT = f"""
schema_version = "1.0"
name = "small"
worlds = {json.dumps(World.names()[:2])}
suites = ["vanilla", "M01"]
tasks = ["iron_armor"]
[[agents]]
name = "steady"
[[agents]]
name = "fickle"
repetitions = 2
"""
TOTAL = len(plan(parse_study(TEXT, "s", AGENTS)))


def run(folder: Path, text: str = TEXT) -> Path:
    run_study(text, parse_study(text, "s", AGENTS), folder, workers=1, setup=setup())
    return folder


def keep(folder: Path, *numbers: int) -> Path:
    """Cut a run down to some of its lines."""
    lines = (folder / EPISODES).read_text().splitlines(keepends=True)
    (folder / EPISODES).write_text("".join(lines[n] for n in numbers))
    return folder


def test_a_run_compared_with_itself_differs_in_nothing(tmp_path: Path):
    stored = read_run(run(tmp_path))
    values = compare(stored, stored)
    assert (values["both"], values["equal"], values["changed"]) == (TOTAL, TOTAL, [])
    assert (values["fields"], values["made_with"]) == ({}, {})
    assert values["agents"]["fickle"]["sr"] == 0
    assert json.loads(json.dumps(values)) == values


def test_a_changed_episode_is_named_with_the_action_where_it_departs(tmp_path: Path):
    a, b = run(tmp_path / "a"), run(tmp_path / "b")
    lines = [json.loads(line) for line in (b / EPISODES).read_text().splitlines()]
    lines[0]["steps"][3]["score"] = 99
    lines[0]["score"] = 35
    lines[1]["provenance"]["code"] = "0" * 16
    (b / EPISODES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    values = compare(read_run(a), read_run(b))
    (change,) = values["changed"]
    assert (change["id"], change["first"]) == (lines[0]["id"], 4)
    assert change["score"][1] == 35
    assert list(values["made_with"]) == ["code"]


def test_what_only_one_run_has_is_counted_and_not_compared(tmp_path: Path):
    a, b = keep(run(tmp_path / "a"), 0, 1, 2), keep(run(tmp_path / "b"), 2, 3)
    values = compare(read_run(a), read_run(b))
    assert (values["only_a"], values["only_b"], values["both"]) == (2, 1, 1)
    assert sum(row["n"] for row in values["agents"].values()) == 1


def test_parts_of_a_study_merge_into_the_whole(tmp_path: Path):
    whole = report(read_run(run(tmp_path / "whole")))
    parts = [keep(run(tmp_path / "a"), *range(0, 7)), keep(run(tmp_path / "b"), *range(5, TOTAL))]
    assert merge(parts, tmp_path / "out") == TOTAL
    assert report(read_run(tmp_path / "out")) == whole
    before = (tmp_path / "out" / EPISODES).read_bytes()
    assert merge(parts, tmp_path / "out") == TOTAL  # again: nothing is doubled
    assert (tmp_path / "out" / EPISODES).read_bytes() == before


def test_runs_of_different_studies_do_not_merge(tmp_path: Path):
    other = TEXT.replace('"iron_armor"', '"diamond"')
    with pytest.raises(StudyError, match=r"tasks.*only runs of one study"):
        merge([run(tmp_path / "a"), run(tmp_path / "b", other)], tmp_path / "out")


def test_two_records_of_one_episode_that_differ_do_not_merge(tmp_path: Path):
    a, b = run(tmp_path / "a"), run(tmp_path / "b")
    text = (b / EPISODES).read_text()
    (b / EPISODES).write_text(text.replace('"start":"', '"start":"0', 1))
    with pytest.raises(StudyError, match="the same record in every folder"):
        merge([a, b], tmp_path / "out")


def test_an_export_holds_every_episode_and_step(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    stored = read_run(run(tmp_path / "run"))
    steps = sum(len(e.steps) for e in stored.episodes)
    assert export(tmp_path / "run", tmp_path / "out") == (TOTAL, steps)
    episodes = parquet.read_table(tmp_path / "out" / "episodes.parquet").to_pylist()
    assert list(episodes[0]) == list(EPISODE_COLUMNS)
    assert [e["id"] for e in episodes] == [e.spec.id for e in stored.episodes]
    assert [e["score"] for e in episodes] == [e.score for e in stored.episodes]
    assert {(e["model"], e["cost_usd"]) for e in episodes} == {(None, None)}
    rows = parquet.read_table(tmp_path / "out" / "steps.parquet").to_pylist()
    assert list(rows[0]) == list(STEP_COLUMNS)
    flat = [step for e in stored.episodes for step in e.steps]
    assert [json.loads(r["args"]) for r in rows] == [dict(s.action.args) for s in flat]
    assert [json.loads(r["encounters"]) for r in rows] == [list(s.encounters) for s in flat]
    assert [(r["x"], r["y"], r["z"]) for r in rows] == [s.at for s in flat]
    assert not list((tmp_path / "out").glob("*.part"))


def test_an_export_of_what_is_no_run_is_refused(tmp_path: Path):
    pytest.importorskip("pyarrow")
    with pytest.raises(StudyError, match="a run folder"):
        export(tmp_path, tmp_path / "out")
    run(tmp_path / "run")
    with (tmp_path / "run" / EPISODES).open("a") as file:
        file.write("rubbish\n")
    with pytest.raises(StudyError, match=rf"line {TOTAL + 1}"):
        export(tmp_path / "run", tmp_path / "out")
    assert (tmp_path / "run" / STUDY).exists()
