"""The command line: what it answers, and what it says to wrong input."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from fake import AGENTS, setup

from mirrorcraft.cli import main
from mirrorcraft.cli.text import parse_action
from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study, rules_for
from mirrorcraft.study.run import run_study

VERBS = [
    "study",
    "report",
    "replay",
    "verify",
    "compare",
    "merge",
    "export",
    "episode",
    "play",
    "doctor",
    "rules",
]


def answer(capsys: pytest.CaptureFixture[str], *words: str):
    """Return the parsed JSON that a command prints."""
    main([*words, "--json"])
    return json.loads(capsys.readouterr().out)


def test_help_names_every_verb_and_loads_nothing_heavy():
    program = (
        "import sys; from mirrorcraft.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'numpy', 'pydantic', 'rich', 'multiprocessing'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(verb in done.stdout for verb in VERBS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "show", "M99"], "M01, M02, M03, M04, M05, M06"),
        (["rules", "drops", "iron_oar"], "did you mean"),
        (["rules", "drops", "iron_ore", "--tool", "spoon"], "unknown item 'spoon'"),
        (["rules", "smelt", "raw_iron", "--station", "campfire"], "blast_furnace"),
        (["rules", "route", "dragon"], "diamond, enchantment, iron_armor"),
        (["rules", "craft", '[["oak_log"'], "rows as JSON"),
        (["rules", "craft", "dirt,dirt/dirt"], "grid row 1"),
        (["rules", "craft", "oak_lock"], "did you mean"),
        (["rules", "craft", ""], "the grid is empty"),
        (["rules", "check", "no/such.json"], "no/such.json"),
        (["study", "no/such.toml"], "quick"),
        (["study", "quick", "--workers", "0"], "at least 1"),
        (["report", "no/such/run"], "a run folder"),
        (["rules", "drops", "stone", "--fortune", "-1"], "at least 0"),
        (["dance"], "study"),
        (["rules"], "QUESTION"),
    ],
)
def test_wrong_input_gets_one_line_and_exit_code_2(capsys, words, message):
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    caught = capsys.readouterr()
    assert code == 2
    assert message in caught.err
    assert caught.err.count("\n") == 1
    assert caught.out == ""


@pytest.mark.parametrize(
    ("option", "wrong", "right"),
    [
        ("--world", "plains", World.names()[0]),
        ("--suite", "M7", "M01"),
        ("--task", "wither", "diamond"),
        ("--agent", "hero", "planner"),
    ],
)
def test_an_episode_with_a_wrong_name_lists_the_right_ones(capsys, option, wrong, right):
    options = {"--world": World.names()[0], "--suite": "M01", "--task": "diamond"}
    options |= {"--agent": "prior", option: wrong}
    assert main(["episode", *(word for pair in options.items() for word in pair)]) == 2
    assert right in capsys.readouterr().err


def test_craft_answers_for_grids_as_text_and_as_json(capsys):
    sticks = {"item": "stick", "count": 4}
    assert answer(capsys, "rules", "craft", "oak_planks/spruce_planks") == sticks
    assert (
        answer(capsys, "rules", "craft", '[["oak_planks", null], ["minecraft:oak_planks", null]]')
        == sticks
    )
    assert answer(capsys, "rules", "craft", "dirt,/,dirt") == {"item": None}
    main(["rules", "craft", "oak_planks/oak_planks"])
    assert capsys.readouterr().out == "4 stick\n"


def test_craft_answers_by_the_rules_of_the_suite(capsys):
    vanilla = answer(capsys, "rules", "craft", "oak_log")
    mirror = answer(capsys, "rules", "craft", "oak_log", "--suite", "M01")
    assert vanilla == {"item": "oak_planks", "count": 4}
    assert mirror["item"] == "oak_planks"
    assert mirror["count"] < 4


def test_drops_are_exact_distributions(capsys):
    rows = answer(
        capsys, "rules", "drops", "diamond_ore", "--tool", "iron_pickaxe", "--fortune", "1"
    )
    assert {row["drops"]["diamond"]: row["p"] for row in rows} == {1: "2/3", 2: "1/3"}
    nothing = answer(capsys, "rules", "drops", "diamond_ore", "--tool", "stone_pickaxe")
    assert nothing == [{"drops": {}, "p": "1"}]
    silk = answer(capsys, "rules", "drops", "stone", "--tool", "iron_pickaxe", "--silk-touch")
    assert silk == [{"drops": {"stone": 1}, "p": "1"}]
    gravel = answer(capsys, "rules", "drops", "gravel")
    assert sum(Fraction(row["p"]) for row in gravel) == 1


def test_smelt_answers_by_station(capsys):
    iron = answer(capsys, "rules", "smelt", "raw_iron", "--station", "blast_furnace")
    assert iron == {"item": "iron_ingot", "count": 1, "ticks": 100}
    assert answer(capsys, "rules", "smelt", "sand", "--station", "smoker") == {"item": None}


def test_a_route_is_a_plan_in_the_thirteen_skills(capsys):
    route = answer(capsys, "rules", "route", "iron_armor", "--suite", "M05")
    assert route["ok"]
    assert route["missing"] == []
    assert 0 < route["actions"] == len(route["plan"]) <= 50
    assert {step["skill"] for step in route["plan"]} <= set(SKILLS)


def test_check_show_and_describe_take_all_suites_by_default(capsys):
    suites = ["M01", "M02", "M03", "M04", "M05", "M06"]
    checked = answer(capsys, "rules", "check")
    assert [row["suite"] for row in checked] == suites
    assert all(row["changes"] and row["unreachable"] == {} for row in checked)
    shown = answer(capsys, "rules", "show")
    assert list(shown) == suites
    assert all(change["id"].startswith(s + ".") for s in suites for change in shown[s])
    sheet = answer(capsys, "rules", "describe", "M01")
    assert sheet["M01"]
    assert main(["rules", "show", "M02"]) == 0
    assert "M02." in capsys.readouterr().out


def test_a_manifest_file_is_a_suite_too(capsys, tmp_path: Path):
    main(["rules", "show", "M01", "--json"])
    capsys.readouterr()
    broken = tmp_path / "mine.json"
    broken.write_text("{")
    assert main(["rules", "check", str(broken)]) == 2
    assert f"{broken}: line 1" in capsys.readouterr().err


SMALL = f"""
schema_version = "1.0"
name = "small"
worlds = ["{World.names()[0]}"]
suites = ["vanilla", "M01"]
tasks = ["diamond"]
[[agents]]
name = "fickle"
"""


def played(folder: Path) -> Path:
    run_study(SMALL, parse_study(SMALL, "s", AGENTS), folder, workers=1, setup=setup())
    return folder


def test_report_prints_tables_or_json_and_notes_a_torn_line(capsys, tmp_path: Path):
    played(tmp_path)
    values = answer(capsys, "report", str(tmp_path))
    assert values["episodes"] == 2
    assert list(values["suites"]) == ["vanilla", "M01"]
    with (tmp_path / "episodes.jsonl").open("a") as file:
        file.write('{"torn')
    assert main(["report", str(tmp_path)]) == 0
    caught = capsys.readouterr()
    assert "RIE_SR" in caught.out
    assert "2 of 2 episodes" in caught.out
    assert "6 bytes of a torn last line" in caught.err
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")


def test_report_takes_one_thing_to_report_on(capsys, tmp_path: Path):
    assert main(["report"]) == 2
    assert main(["report", str(tmp_path), "--episodes", "some.csv"]) == 2
    assert "either a run folder, or --episodes" in capsys.readouterr().err
    played(tmp_path)
    assert main(["report", str(tmp_path), "--replay", "zzz"]) == 2
    assert "enough of its beginning to tell it apart (0 fit)" in capsys.readouterr().err


def test_replay_prints_an_episode_named_by_the_beginning_of_its_id(capsys, tmp_path: Path):
    played(tmp_path)
    first = json.loads((tmp_path / "episodes.jsonl").read_text().splitlines()[0])
    assert main(["replay", str(tmp_path), first["id"][:8]]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("  1  ")
    assert f"Score {first['score']} after {first['actions']} actions" in out
    assert answer(capsys, "replay", str(tmp_path), first["id"])["steps"] == first["steps"]
    assert main(["replay", str(tmp_path), ""]) == 2
    assert "2 fit" in capsys.readouterr().err


def test_compare_and_merge_speak_of_two_runs(capsys, tmp_path: Path):
    a, b = played(tmp_path / "a"), played(tmp_path / "b")
    assert main(["compare", str(a), str(b)]) == 0
    assert "2 episodes in both, 2 the same" in capsys.readouterr().out
    text = (b / "episodes.jsonl").read_text()
    (b / "episodes.jsonl").write_text(text.replace('"start":"', '"start":"0', 1))
    assert main(["compare", str(a), str(b)]) == 1
    assert "action 0" in capsys.readouterr().out  # before any action, that is
    assert answer(capsys, "compare", str(a), str(b))["equal"] == 1
    assert main(["merge", str(a), str(a), "--out", str(tmp_path / "all")]) == 0
    assert "2 episodes in" in capsys.readouterr().out
    assert main(["merge", str(a), str(b), "--out", str(tmp_path / "no")]) == 2


def test_verify_names_what_does_not_come_out_the_same(capsys, tmp_path: Path):
    played(tmp_path)  # by a fake world, so the simulator cannot confirm it
    assert main(["verify", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "line 1: episode" in out
    assert "2 episodes played again, 2 with" in out


def test_limits_are_amounts(capsys):
    for words in (["--max-cost", "much"], ["--max-cost", "nan"], ["--max-faults", "0"]):
        with pytest.raises(SystemExit):
            main(["study", "quick", *words])
    assert "US dollars, such as 2.50" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("mine oak_log 2", Action("mine", {"block": "oak_log", "count": 2})),
        ("wait", Action("wait", {})),
        (
            "craft_grid inventory oak_planks,/oak_planks,",
            Action(
                "craft_grid",
                {"station": "inventory", "grid": [["oak_planks", None], ["oak_planks", None]]},
            ),
        ),
        ('{"skill": "equip", "args": {"item": "stick"}}', Action("equip", {"item": "stick"})),
        ("ascend up", Action("ascend", {"height": "up"})),  # the world says what is wrong with it
    ],
)
def test_a_person_types_actions_as_words_or_json(line: str, action: Action):
    assert parse_action(line) == action


@pytest.mark.parametrize("line", ["", "fly", "wait 1 2", "{", "{}", '{"skill": []', "[1]"])
def test_a_line_that_is_no_action_says_what_one_looks_like(line: str):
    with pytest.raises(InputError):
        parse_action(line)


def test_an_episode_prints_its_trajectory_and_as_json_its_record(capsys):
    words = ["episode", "--world", World.names()[0], "--suite", "M01", "--task", "iron_armor"]
    words += ["--agent", "planner", "--budget", "4"]
    main(words)
    text = capsys.readouterr().out
    record = answer(capsys, *words)
    assert record["actions"] == len(record["steps"]) == 4
    assert record["spec"]["disclosure"] == "disclosed"
    assert record["steps"][0]["skill"] in text
    assert f"budget: Score {record['score']} after 4 actions" in text


def test_a_person_plays_in_the_terminal(capsys, monkeypatch):
    lines = iter(["help", "fly", "wait 20", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    assert main(["play", "--world", World.names()[0], "--suite", "M01", "--disclosed"]) == 0
    text = capsys.readouterr().out
    assert rules_for("M01").describe()[-1] in text
    assert "mine <block> <count>" in text
    assert "got 'fly'" in text
    assert "no_action: Score 0 after 1 actions" in text


def test_the_doctor_finds_everything_in_place(capsys):
    found = answer(capsys, "doctor")
    assert all(row["ok"] for row in found.values()), found
    assert "M06" in found["suites"]["found"]


def test_the_doctor_says_what_is_wrong(capsys, monkeypatch, tmp_path: Path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MIRRORCRAFT_CACHE", str(tmp_path / "file" / "cache"))
    main(["doctor"])
    assert "BAD cache" in capsys.readouterr().out
