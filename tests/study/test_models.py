"""Studies whose agents have models: rows, prices, caps, trajectories, estimates."""

import json
from pathlib import Path
from typing import Any

import pytest

from mirrorcraft.agents import AGENTS, make
from mirrorcraft.agents.model import ModelSettings, ReplayModel
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.errors import MirrorcraftError, StudyError
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.estimate import dry_run, estimate
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.models import PRICES, models_of, read_trajectory
from mirrorcraft.study.plan import StudyConfig, parse_study, plan, study_text
from mirrorcraft.study.play import Player, Setup
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import read_run

HEAD = """schema_version = "1.0"
name = "models"
worlds = ["plains-a"]
suites = ["vanilla", "M01"]
tasks = ["iron_armor"]
budgets = { iron_armor = 6 }
"""
REACT = '[[agents]]\nconfiguration = "react"\nmodel = "offline/prior"\nbase_url = "offline"\n'


def parsed(text: str) -> StudyConfig:
    return parse_study(text, "test.toml", AGENTS)


def run(text: str, folder: Path, workers: int = 1) -> Any:
    return run_study(text, parsed(text), folder, workers=workers)


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ('[[agents]]\nconfiguration = "react"\nbase_url = "offline"', "agents[0].model"),
        ('[[agents]]\nname = "adam"\nmodel = "m"', "agents[0].base_url"),
        ('[[agents]]\nname = "my.module:Agent"\nmodel = "m"', "agents[0].base_url"),
        (
            '[[agents]]\nconfiguration = "reakt"\nmodel = "m"\nbase_url = "offline"',
            "agents[0].name",
        ),
        (REACT + "temperature = 3.0", "agents[0].temperature"),
        (REACT + "max_call = 3", "agents[0].max_call"),
    ],
)
def test_a_row_that_cannot_be_played_is_refused_by_place(rows: str, place: str):
    with pytest.raises(StudyError) as caught:
        parsed(HEAD + rows)
    assert caught.value.place == place


def test_a_run_keeps_usage_prices_and_trajectories(tmp_path: Path):
    text = HEAD + REACT + '[[agents]]\nname = "prior"\n'
    progress = run(text, tmp_path / "run")
    stored = read_run(tmp_path / "run")
    assert progress.done == 4
    for episode in stored.episodes:
        if episode.spec.agent == "prior":
            assert episode.usage is None
            continue
        calls = read_trajectory(tmp_path / "run", episode.spec.id)
        assert episode.usage is not None
        assert episode.usage.calls == len(calls) == 6
        assert episode.usage.model == "offline/prior"
        assert episode.usage.cost_usd is None
        assert episode.usage.account is not None
        assert episode.usage.account["stages"]["strict"] == 6
    assert json.loads((tmp_path / "run" / PRICES).read_text()) == {"offline/prior": None}


def test_a_stored_trajectory_makes_the_record_again(tmp_path: Path):
    run(HEAD + REACT, tmp_path / "run")
    (record, *_) = read_run(tmp_path / "run").episodes
    calls = read_trajectory(tmp_path / "run", record.spec.id)
    agent = make("react", Terms(ModelSettings(model="offline/prior")), ReplayModel(calls))
    again = run_episode(record.spec, SimBackend(), agent)
    assert again.content() == record.content()


@pytest.mark.parametrize("content", [None, b"torn"])
def test_a_trajectory_that_is_missing_or_torn_is_named(tmp_path: Path, content: bytes | None):
    file = tmp_path / "trajectories" / "abc.jsonl.gz"
    if content is not None:
        file.parent.mkdir()
        file.write_bytes(content)
    with pytest.raises(StudyError, match="abc"):
        read_trajectory(tmp_path, "abc")


def test_threads_play_the_same_records_as_one_worker(tmp_path: Path):
    text = HEAD + REACT
    run(text, tmp_path / "one")
    run(text.replace("budgets", 'executor = "threads"\nbudgets'), tmp_path / "many", workers=3)
    one, many = (read_run(tmp_path / n).episodes for n in ("one", "many"))
    assert [e.content() for e in one] == [e.content() for e in many]


@pytest.mark.parametrize("executor", ["processes", "threads"])
def test_the_cap_of_a_run_stops_it_and_a_higher_one_goes_on(tmp_path: Path, executor: str):
    prices = tmp_path / "prices.json"
    prices.write_text('{"offline/prior": {"input": 1.0, "output": 1.0}}')
    text = HEAD.replace("budgets", f'executor = "{executor}"\nprices = "{prices}"\nmax_cost_usd = 0.03\nbudgets') + REACT  # fmt: skip
    with pytest.raises(MirrorcraftError, match=r"raise max_cost_usd"):
        run(text, tmp_path / "run")
    done = read_run(tmp_path / "run").episodes
    assert len(done) == 1
    assert done[0].usage is not None
    assert 0 < (done[0].usage.cost_usd or 0) <= 0.03
    spent = json.loads((tmp_path / "run" / "spent.json").read_text())
    assert spent["cost_usd"] <= 0.03
    kept = json.loads((tmp_path / "run" / PRICES).read_text())
    assert kept["offline/prior"]["source"] == str(prices)
    assert run(text.replace("0.03", "1.0"), tmp_path / "run").done == 2


def test_settings_reach_the_model_of_their_own_row():
    rows = REACT + "temperature = 0.0\n" + REACT.replace("react", "direct")
    models = models_of(parsed(HEAD + rows), None)
    (cold, warm) = (ModelSettings.model_validate_json(r.settings) for r in models.rows)
    assert (cold.temperature, warm.temperature) == (0.0, 0.7)


PRICED = """
[[agents]]
configuration = "react"
model = "gpt-4o-mini"
base_url = "https://api.openai.com/v1"
repetitions = 3
[[agents]]
configuration = "xenon"
model = "nobody-knows"
base_url = "http://127.0.0.1:1/v1"
max_calls = 2
"""


def test_an_estimate_counts_what_a_dry_run_takes_and_names_no_price_it_does_not_know():
    config = parsed(HEAD + PRICED)
    played = dry_run(config)
    react, xenon = estimate(config, played, seconds_per_call=2.0, at_once=2)
    assert (react.episodes, react.sampled, react.calls) == (6, 2, 36)
    assert react.cost_usd is not None
    assert react.cost_usd > 0
    assert react.hours == pytest.approx(36 * 2.0 / 3600 / 2, abs=0.01)
    assert (xenon.episodes, xenon.calls, xenon.cost_usd) == (2, 14, None)


def test_an_estimate_from_a_finished_run_is_what_the_run_took(tmp_path: Path):
    text = HEAD + REACT
    run(text, tmp_path / "run")
    episodes = read_run(tmp_path / "run").episodes
    (row,) = estimate(parsed(text), episodes, seconds_per_call=None, at_once=1)
    used = [e.usage for e in episodes if e.usage]
    assert row.calls == sum(u.calls for u in used)
    assert (row.input, row.output) == (sum(u.input for u in used), sum(u.output for u in used))


def test_a_slip_of_the_offline_model_is_no_crash():
    """In this episode of ``main`` a grid with a cut-off item name fails twice."""
    config = parse_study(*study_text("main"), AGENTS)
    spec = next(
        s
        for s in plan(config)
        if (s.world, s.suite, s.task, s.agent) == ("taiga-a", "M03", "enchantment", "direct")
        and s.model == "offline/prior?errors=0.2&seed=2"
    )
    report = Player(Setup(models=models_of(config, None))).play(spec)
    assert report.line is not None
    slips = [s for s in EpisodeRecord.from_line(report.line).steps if not (s.outcome or {})["ok"]]
    assert slips
