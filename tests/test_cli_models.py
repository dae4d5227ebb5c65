"""The commands around models: estimate, model serve, and episodes of a configuration."""

import json
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from mirrorcraft.agents.serve import Troubles
from mirrorcraft.cli import main
from mirrorcraft.cli.model import parse_troubles
from mirrorcraft.core.errors import InputError

OFFLINE = ["--model", "offline/prior", "--base-url", "offline"]
EPISODE = ["episode", "--world", "plains-a", "--suite", "vanilla", "--task", "iron_armor"]
STUDY = """schema_version = "1.0"
name = "est"
worlds = ["plains-a", "taiga-a"]
suites = ["vanilla"]
tasks = ["iron_armor"]
budgets = { iron_armor = 4 }
[[agents]]
configuration = "react"
model = "gpt-4o-mini"
base_url = "https://api.openai.com/v1"
"""


def test_an_episode_of_a_configuration_says_what_it_used(capsys: pytest.CaptureFixture[str]):
    assert main([*EPISODE, "--agent", "react", *OFFLINE]) == 0
    *_, verdict, spending = capsys.readouterr().out.splitlines()
    assert verdict.startswith("goal: Score 100")
    assert spending.endswith("price unknown")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*EPISODE, "--agent", "react"], "base_url"),
        ([*EPISODE, "--agent", "reakt", *OFFLINE], "react_rules"),
        ([*EPISODE, "--agent", "react", "--model", "x", "--base-url", "offline"], "there are offline/prior"),
        ([*EPISODE, "--agent", "react", "--model", "x", "--base-url", "ftp://y"], "endpoint"),
        (["estimate", "no/such.toml"], "quick"),
        (["estimate", "quick"], "an agent with a model"),
        (["model", "serve", "--trouble", "rain=0.5"], "rate_limited"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_gets_one_line_and_exit_code_2(capsys, words, message):
    assert main(words) == 2
    caught = capsys.readouterr()
    assert message in caught.err
    assert caught.err.count("\n") == 1


def test_an_estimate_is_printed_as_a_table_and_as_json(tmp_path: Path, capsys):
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    assert main(["estimate", str(file)]) == 0
    assert "gpt-4o-mini" in capsys.readouterr().out
    assert (
        main(["estimate", str(file), "--json", "--seconds-per-call", "10", "--workers", "2"]) == 0
    )
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["episodes"], row["sampled"], row["calls"]) == (2, 1, 8)
    assert row["cost_usd"] is not None
    assert row["hours"] == pytest.approx(8 * 10 / 2 / 3600, abs=0.005)


def test_troubles_are_read_from_text():
    assert parse_troubles("rate_limited=0.1,cut=0.02") == Troubles(rate_limited=0.1, cut=0.02)
    for text in (
        "",
        "rain=1",
        "cut",
        "cut=x",
        "cut=2",
        "cut=-0.1",
        "cut=0.6,garbage=0.6",
        "cut=nan",
    ):
        with pytest.raises(InputError, match="add up to at most 1"):
            parse_troubles(text)


def test_model_serve_answers_until_it_is_stopped():
    command = [sys.executable, "-m", "mirrorcraft.cli", "model", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        url = line.split()[3].rstrip(";")
        assert httpx2.get(f"{url}/models", timeout=20).json()["data"][0]["id"] == "offline/prior"
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close() if server.stdout else None
