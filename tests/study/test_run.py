"""The runner: any number of workers, kills, faults and bugs."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake
import pytest
from fake import AGENTS, costly, setup

from mirrorcraft.core.errors import MirrorcraftError, StudyError
from mirrorcraft.core.rng import uniform
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study, plan
from mirrorcraft.study.play import Crash
from mirrorcraft.study.report import report
from mirrorcraft.study.run import Limits, Progress, run_study
from mirrorcraft.study.store import EPISODES, read_run

TEXT = f"""
schema_version = "1.0"
name = "small"
worlds = {json.dumps(World.names()[:3])}
suites = ["vanilla", "M01", "M02"]
tasks = ["iron_armor", "diamond"]
[[agents]]
name = "steady"
[[agents]]
name = "fickle"
repetitions = 2
[[agents]]
name = "mute"
"""
CONFIG = parse_study(TEXT, "small.toml", AGENTS)
TOTAL = len(plan(CONFIG))


def run(folder: Path, workers: int = 1, backend: str = "FakeBackend") -> Progress:
    return run_study(TEXT, CONFIG, folder, workers=workers, setup=setup(backend))


def contents(folder: Path) -> list[str]:
    return [json.dumps(e.content(), sort_keys=True) for e in read_run(folder).episodes]


def test_one_worker_and_two_play_the_same_episodes_byte_for_byte(tmp_path: Path):
    assert run(tmp_path / "one", workers=1) == Progress(TOTAL, TOTAL, 0)
    assert run(tmp_path / "two", workers=2) == Progress(TOTAL, TOTAL, 0)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert len(contents(tmp_path / "one")) == TOTAL


def test_running_a_finished_study_again_plays_nothing(tmp_path: Path):
    run(tmp_path)
    before = (tmp_path / EPISODES).read_bytes()
    # A backend that would crash on the first action is never made.
    assert run(tmp_path, backend="Buggy") == Progress(TOTAL, TOTAL, 0)
    assert (tmp_path / EPISODES).read_bytes() == before


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_study_goes_on_and_ends_in_the_same_report(tmp_path: Path, workers: int):
    study, folder = tmp_path / "small.toml", tmp_path / "run"
    study.write_text(TEXT)
    command = [sys.executable, fake.__file__, str(study), str(folder), str(workers)]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    deadline = time.monotonic() + 60
    while not (folder / EPISODES).exists() or (folder / EPISODES).stat().st_size < 20_000:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = len(read_run(folder).episodes)
    assert 0 < finished < TOTAL

    run(folder)
    run(tmp_path / "whole")
    resumed, whole = report(read_run(folder)), report(read_run(tmp_path / "whole"))
    assert resumed == whole
    assert resumed["episodes"] == TOTAL


def test_a_fault_is_tried_again_kept_and_never_scored(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(fake.BreaksTwice, "broken", 0)
    assert run(tmp_path / "faulty", backend="BreaksTwice") == Progress(TOTAL, TOTAL, 2)
    run(tmp_path / "whole")
    assert contents(tmp_path / "faulty") == contents(tmp_path / "whole")
    faults = read_run(tmp_path / "faulty").faults
    first = plan(CONFIG)[0].id
    assert [(f["id"], f["attempt"]) for f in faults] == [(first, 1), (first, 2)]
    assert faults[0]["error"] == "the server is gone"


def test_an_episode_that_always_breaks_is_missing_and_not_zero(tmp_path: Path):
    assert run(tmp_path, backend="AlwaysBroken") == Progress(0, TOTAL, 3 * TOTAL)
    values = report(read_run(tmp_path))
    assert (values["episodes"], values["faults"]) == (0, 3 * TOTAL)
    assert values["cells"] == []
    assert values["suites"]["M01"]["score"] is None
    assert values["suites"]["M01"]["rie_sr"] is None
    assert run(tmp_path) == Progress(TOTAL, TOTAL, 0)  # the next run plays them


def test_a_worker_that_dies_is_replaced_and_its_episode_played_again(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("FAKE_MARK", str(tmp_path / "mark"))
    assert run(tmp_path / "died", workers=2, backend="DiesOnce") == Progress(TOTAL, TOTAL, 1)
    run(tmp_path / "whole")
    assert contents(tmp_path / "died") == contents(tmp_path / "whole")
    assert read_run(tmp_path / "died").faults[0]["error"] == "the worker died with exit code 7"


def test_a_bug_stops_the_study_and_shows_where_it_is(tmp_path: Path):
    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "one", backend="Buggy")
    with pytest.raises(Crash, match="ZeroDivisionError: a bug in the backend"):
        run(tmp_path / "two", workers=2, backend="Buggy")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_refuses_its_condition_is_an_error_in_one_line(tmp_path: Path, workers: int):
    text = TEXT.replace('"steady"', '"picky"')
    config = parse_study(text, "small.toml", AGENTS)
    with pytest.raises(MirrorcraftError, match=r"picky.*being told the rules"):
        run_study(text, config, tmp_path, workers=workers, setup=setup())


def test_an_interrupted_study_keeps_what_is_finished(tmp_path: Path):
    def stop(at: Progress) -> None:
        if at.done == 5:
            raise KeyboardInterrupt

    for folder, workers in (("one", 1), ("two", 2)):
        with pytest.raises(KeyboardInterrupt):
            run_study(
                TEXT, CONFIG, tmp_path / folder, workers=workers, setup=setup(), on_progress=stop
            )
        assert len(read_run(tmp_path / folder).episodes) == 5
        assert run(tmp_path / folder) == Progress(TOTAL, TOTAL, 0)


def test_an_agent_without_an_action_ends_its_episode_with_score_zero(tmp_path: Path):
    run(tmp_path)
    mute = [e for e in read_run(tmp_path).episodes if e.spec.agent == "mute"]
    assert {(e.ending, e.score, e.actions) for e in mute} == {("no_action", 0, 0)}


def test_a_compact_study_gives_the_same_tables_from_smaller_records(tmp_path: Path):
    text = 'record = "compact"\n' + TEXT
    config = parse_study(text, "small.toml", AGENTS)
    run_study(text, config, tmp_path / "compact", workers=1, setup=setup())
    run(tmp_path / "full")
    small, full = (tmp_path / f / EPISODES for f in ("compact", "full"))
    assert small.stat().st_size < full.stat().st_size / 2
    assert report(read_run(tmp_path / "compact")) == report(read_run(tmp_path / "full"))


def test_a_fault_limit_stops_the_study_and_the_next_run_goes_on(tmp_path: Path):
    at = run_study(
        TEXT, CONFIG, tmp_path, workers=1, setup=setup("AlwaysBroken"), limits=Limits(faults=5)
    )
    assert (at.done, at.faults) == (0, 6)  # an episode that is begun is tried its three times
    assert at.stopped == "6 attempts broke, and 5 are the limit"
    assert run(tmp_path) == Progress(TOTAL, TOTAL, 0)
    attempts = [(f["id"], f["attempt"]) for f in read_run(tmp_path).faults]
    assert len(attempts) == len(set(attempts)) == 6


def test_attempts_of_an_episode_are_counted_over_all_runs(tmp_path: Path):
    for _ in range(2):
        limits = Limits(faults=1)
        run_study(TEXT, CONFIG, tmp_path, workers=1, setup=setup("AlwaysBroken"), limits=limits)
    assert [f["attempt"] for f in read_run(tmp_path).faults] == [1, 2, 3, 4, 5, 6]


def test_a_cost_limit_counts_what_earlier_runs_cost(tmp_path: Path):
    limits = Limits(cost_usd=1.0)
    first = run_study(TEXT, CONFIG, tmp_path, workers=1, setup=costly(), limits=limits)
    assert first.cost_usd == pytest.approx(1.0)
    assert (first.done, first.stopped) == (4, "the cost reached 1.00 of 1.00 US$")
    again = run_study(TEXT, CONFIG, tmp_path, workers=1, setup=costly(), limits=limits)
    assert again == first
    more = run_study(TEXT, CONFIG, tmp_path, workers=1, setup=costly(), limits=Limits(cost_usd=1.5))
    assert (more.done, more.cost_usd) == (6, pytest.approx(1.5))
    values = report(read_run(tmp_path))
    assert sum(row["total_cost_usd"] or 0 for row in values["cost"]) == pytest.approx(1.5)


def test_a_full_disk_is_an_error_in_one_line_and_loses_nothing(tmp_path: Path):
    study, folder = tmp_path / "small.toml", tmp_path / "run"
    study.write_text(TEXT)
    done = subprocess.run(
        [sys.executable, fake.__file__, str(study), str(folder), "1"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "make room and run the same command again" in done.stderr.splitlines()[-1]
    stored = read_run(folder)
    assert 0 < len(stored.episodes) < TOTAL
    assert stored.torn == []  # the half line is cut off at once
    run(folder)
    run(tmp_path / "whole")
    assert contents(folder) == contents(tmp_path / "whole")


def test_a_second_runner_is_refused_while_the_first_plays(tmp_path: Path):
    def second(at: Progress) -> None:
        if at.done == 3:
            with pytest.raises(StudyError, match="no other runner"):
                run(tmp_path)

    at = run_study(TEXT, CONFIG, tmp_path, workers=1, setup=setup(), on_progress=second)
    assert at == Progress(TOTAL, TOTAL, 0)


MANY = TEXT.replace("repetitions = 2", "repetitions = 109")  # 1,998 episodes


@pytest.mark.slow
def test_a_study_killed_a_hundred_times_ends_in_the_same_report(tmp_path: Path):
    study, folder = tmp_path / "small.toml", tmp_path / "run"
    study.write_text(MANY)
    config = parse_study(MANY, "small.toml", AGENTS)
    file = folder / EPISODES
    command = [sys.executable, fake.__file__, str(study), str(folder), "2"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for kill in range(100):
        before = file.stat().st_size if file.exists() else 0
        process = subprocess.Popen(command, env=environment)
        while process.poll() is None and (not file.exists() or file.stat().st_size == before):
            time.sleep(0.002)
        time.sleep(0.2 * uniform(1, kill, 0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = len(read_run(folder).episodes)
    assert killed < len(plan(config)), "it ended before the last kill"
    run_study(MANY, config, folder, workers=2, setup=setup())
    run_study(MANY, config, tmp_path / "whole", workers=2, setup=setup())
    assert contents(folder) == contents(tmp_path / "whole")
    assert report(read_run(folder)) == report(read_run(tmp_path / "whole"))
    lines = file.read_text().splitlines()
    assert len(lines) == len({json.loads(line)["id"] for line in lines}) == len(plan(config))


@pytest.mark.slow
def test_ray_workers_that_die_change_nothing(tmp_path: Path, monkeypatch):
    """Two workers; after every 150 episodes, which is a few seconds, one is killed."""
    pytest.importorskip("ray")
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("FAKE_MARK", str(marks))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    text = 'executor = "ray"\n' + MANY
    config = parse_study(text, "small.toml", AGENTS)
    kills = []

    def kill(at: Progress) -> None:
        if at.done < 150 * (len(kills) + 1):
            return
        for mark in sorted(marks.iterdir()):
            mark.unlink()
            try:
                os.kill(int(mark.name), signal.SIGKILL)
            except ProcessLookupError:
                continue  # Ray ended it by itself
            kills.append(int(mark.name))
            return

    at = run_study(
        text, config, tmp_path / "ray", workers=2, setup=setup("Marked"), on_progress=kill
    )
    assert at.done == at.total == len(plan(config))
    assert len(kills) >= 10
    here = config.model_copy(update={"executor": "processes"})
    run_study(MANY, here, tmp_path / "whole", workers=2, setup=setup())
    assert contents(tmp_path / "ray") == contents(tmp_path / "whole")
    assert report(read_run(tmp_path / "ray")) | {"faults": 0} == report(
        read_run(tmp_path / "whole")
    )
    deaths = [f["error"] for f in read_run(tmp_path / "ray").faults]
    assert len(deaths) >= 10
    assert all("the worker died" in error for error in deaths)
    lines = (tmp_path / "ray" / EPISODES).read_text().splitlines()
    assert len(lines) == len({json.loads(line)["id"] for line in lines})
