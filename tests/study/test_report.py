"""The report: its JSON, and its tables as text."""

import io
import json
from functools import partial

import pytest
import records
from records import step
from rich.console import Console

from mirrorcraft.core.world import World
from mirrorcraft.study.plan import StudyConfig
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import report
from mirrorcraft.study.store import Stored
from mirrorcraft.study.tables import of_report
from mirrorcraft.study.terminal import grid

WORLD = World.names()[0]
record, spec = partial(records.record, world=WORLD), partial(records.spec, world=WORLD)


def stored(episodes: list[EpisodeRecord]) -> Stored:
    config = StudyConfig.model_validate(
        {
            "schema_version": "1.0",
            "name": "small",
            "worlds": (WORLD,),
            "suites": ("vanilla", "M01"),
            "tasks": ("diamond",),
            "agents": ({"name": "react"},),
        }
    )
    return Stored(config, [spec(), spec(suite="M01")], episodes, [], [])


@pytest.fixture
def values():
    met = [step("mine", 0, "M01.a", block="stone"), step("mine", 50, block="stone")]
    return report(stored([record(100, [step("wait", 100)]), record(50, met, suite="M01")]))


def test_the_json_has_cells_suites_and_agents(values):
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert (values["episodes"], values["faults"], values["planned"]) == (2, 0, 2)
    cell = {"agent": "react", "task": "diamond", "world": WORLD, "n": 1}
    assert values["cells"] == [
        cell | {"suite": "vanilla", "score": 100, "sr": 100, "actions": 1},
        cell | {"suite": "M01", "score": 50, "sr": 0, "actions": 2},
    ]
    m01 = values["suites"]["M01"]
    assert (m01["score"], m01["sr"], m01["rie_sc"], m01["rie_sr"]) == (50, 0, 50, 100)
    assert (m01["irr"], m01["rl"]) == (100, 1)
    assert values["suites"]["vanilla"]["rie_sr"] is None
    react = values["agents"]["react"]
    assert (react["vanilla_sr"], react["mirror_sr"], react["rie_sr"]) == (100, 0, 100)
    assert values["agent_suites"][1]["rie_sc"] == 50


def test_an_agent_told_the_rules_is_kept_apart_from_itself_untold():
    values = report(stored([record(100), record(70, disclosure="disclosed")]))
    assert [(name, row["score"]) for name, row in values["agents"].items()] == [
        ("react", 100),
        ("react w/rules", 70),
    ]


def test_an_agent_told_the_rules_only_keeps_its_plain_name():
    assert list(report(stored([record(100, disclosure="disclosed")]))["agents"]) == ["react"]


def test_two_models_of_one_agent_are_two_rows():
    values = report(stored([record(100, model="gemini"), record(70, model="luna")]))
    assert list(values["agents"]) == ["react/gemini", "react/luna"]


def test_the_tables_say_what_is_missing_and_never_zero():
    out = io.StringIO()
    console = Console(file=out, width=110)
    for table in of_report(report(stored([record(100)]))):
        console.print(grid(table))
    line = next(row for row in out.getvalue().splitlines() if "M01" in row)
    assert "-" in line
    assert "+0.0" not in line


def test_the_tables_print_without_colour_codes_where_there_is_no_terminal(values):
    out = io.StringIO()
    for table in of_report(values):
        Console(file=out, width=110).print(grid(table))
    text = out.getvalue()
    assert "\x1b" not in text
    assert "+50.0" in text
    assert "100.0 / 100.0" in text
