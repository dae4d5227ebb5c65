"""The command line of the laboratory."""

import json
import re
from pathlib import Path

from tracks.circuits.scripted import Endpoint

from mirrorcraft.cli import main
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import trace

GOLDEN = Path(__file__).parents[2] / "golden" / "redstone"


def run(capsys, *arguments):
    code = main(["circuits", *map(str, arguments)])
    return code, capsys.readouterr()


def test_the_command_line_traces_as_the_engine_did(capsys):
    told = json.loads((GOLDEN / "repeater_chain_1234.json").read_text())["mctick"]
    code, out = run(capsys, "trace", GOLDEN / "repeater_chain_1234.json", "--json")
    found = json.loads(out.out)
    assert (code, found["lamps"], found["dust"]) == (0, told["lamps"], told["dust"])


def test_the_command_line_checks_and_says_why(capsys):
    code, out = run(capsys, "check", GOLDEN / "solution_A_L1.json", "--task", "A_L1", "--json")
    assert (code, json.loads(out.out)["passed"]) == (0, True)
    code, out = run(capsys, "check", GOLDEN / "ring.json", "--task", "A_L3", "--json")
    told = json.loads(out.out)
    assert (code, told["passed"]) == (1, False)
    assert "16 of 16 lamps are never lit" in told["why"]


def test_the_command_line_solves_and_draws(capsys, tmp_path):
    code, out = run(capsys, "solve", "C", "L1", "--show")
    assert code == 0
    assert "#+>+>+>+" in out.out
    code, out = run(capsys, "solve", "A", "L2", "--json")
    (tmp_path / "b.json").write_text(out.out)
    assert run(capsys, "check", tmp_path / "b.json", "--task", "A_L2")[0] == 0
    for suffix in ("svg", "html"):
        made = tmp_path / f"b.{suffix}"
        assert run(capsys, "picture", tmp_path / "b.json", "--out", made)[0] == 0
        assert made.stat().st_size > 1000
    assert run(capsys, "picture", tmp_path / "b.json", "--out", "b.png")[0] == 2
    assert run(capsys, "solve", "F", "L1")[0] == 2


def test_the_command_line_shows_a_build_over_time(capsys):
    code, out = run(capsys, "show", GOLDEN / "repeater_d2.json", "--tick", 0, "--tick", 4)
    assert code == 0
    assert out.out.count("tick ") == 2
    code, out = run(capsys, "show", GOLDEN / "repeater_d2.json")
    told = trace(Build.load(GOLDEN / "repeater_d2.json"))
    changed = {0, *(event.tick for event in told.events())}
    assert [int(t) for t in re.findall(r"^tick (\d+):", out.out, re.M)] == sorted(changed)


def test_the_command_line_makes_tasks_of_any_size(capsys, tmp_path):
    out = tmp_path / "c.yaml"
    code, _ = run(capsys, "generate", "C", 3, "--delays", 2, 4, "--out", out)
    assert code == 0
    assert CircuitTask.load(out).contract.delays == (2, 4)  # type: ignore[union-attr]
    assert run(capsys, "solve", out)[0] == 0
    assert run(capsys, "generate", "C", 3, "--delays", 2)[0] == 2
    assert "tau: 5" in run(capsys, "generate", "E", 2, "--tau", 5)[1].out
    assert run(capsys, "generate", "A", 2, "--out", tmp_path / "no" / "where.yaml")[0] == 2


def test_the_command_line_plays_reports_and_draws_a_page(capsys, tmp_path):
    out = tmp_path / "run"
    code, first = run(
        capsys,
        "run",
        "prior",
        "--runs",
        1,
        "--task",
        "A_L1",
        "--task",
        "B_L4",
        "--out",
        out,
        "--json",
    )
    assert code == 0
    assert run(capsys, "gaps", out, "--json")[1].out == first.out
    assert run(capsys, "gaps", out / "attempts.jsonl", "--json")[1].out == first.out
    assert (
        "gaps of prior (vanilla): baseline 50.0, identification 0.0 (0.00x)"
        in run(capsys, "gaps", out)[1].out
    )
    assert run(capsys, "report", out)[0] == 0
    assert (out / "report.html").stat().st_size > 3000
    assert run(capsys, "run", "nobody", "--runs", 1)[0] == 2
    assert run(capsys, "run", "prior", "--model", "m")[0] == 2
    assert run(capsys, "gaps", tmp_path / "nothing")[0] == 2


def test_the_command_line_plays_a_model_and_a_plan_from_a_file(capsys, tmp_path):
    with Endpoint() as endpoint:
        code, out = run(
            capsys, "run", "--model", "m", "--base-url", endpoint.url, "--runs", 1, "--task", "A_L1",
            "--condition", "both", "--out", tmp_path / "run", "--json",
        )  # fmt: skip
        row = json.loads(out.out)[0]
        assert (code, row["agent"], row["conditions"]["both"]["sr"]) == (0, "engineer:m", 100.0)
        asked = endpoint.asked
        file = tmp_path / "plan.toml"
        file.write_text(
            'schema_version = "1.0"\nkind = "circuits"\nruns = 1\ntasks = ["A_L1"]\n'
            'conditions = ["baseline"]\n[[agents]]\nname = "builder"\n[[agents]]\nname = "engineer"\n'
            f'model = "m"\nbase_url = "{endpoint.url}"\n'
        )
        for _ in range(2):  # the second time there is nothing left to do
            assert run(capsys, "study", file, "--out", tmp_path / "planned")[0] == 0
        assert 0 < endpoint.asked - asked < 6


def test_a_person_builds_at_the_terminal(capsys, monkeypatch, tmp_path):
    typed = [
        "", "help", "set 0 4 0 stone", "set 0 5 0 stone_button", "set 1 4 0 dot", "set 2 4 0 repeater[facing=west,delay=2]",
        "set 3 4 0 redstone_lamp", "set 99 4 0 stone", "dance", "set a b c stone", "look 2 4 0", "scan", "draw", "press",
        "events", "events 999999", "clear", "draw", "set 5 4 5 stone", "done",
    ]  # fmt: skip
    monkeypatch.setattr("builtins.input", lambda prompt: typed.pop(0))
    code, out = run(capsys, "play", "A_L1", "--save", tmp_path / "b.json")
    assert (code, typed) == (1, [])
    assert "press 1, 49 left" in out.out
    assert '"delay": "2"' in out.out
    assert "expected a cell of x -10..10" in out.out
    assert "#+>L" in out.out
    assert "expected an integer" in out.out
    assert "failed: there are 0 stone_button" in out.out
    assert json.loads((tmp_path / "b.json").read_text())["blocks"] == [[5, 4, 5, "minecraft:stone"]]


def test_conformance_needs_a_server_with_redstone(capsys):
    code, out = run(capsys, "conform", GOLDEN / "ring.json", "--server", "squid")
    assert code == 2
    assert "this kind has no redstone" in out.err
    code, out = run(capsys, "conform", GOLDEN / "ring.json", "--server", "vanilla")
    assert code == 2
    assert "--accept-eula" in out.err
