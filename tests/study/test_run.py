"""The runner: any number of workers, kills, faults and bugs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake
import pytest
from fake import AGENTS, setup

from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study, plan
from mirrorcraft.study.report import report
from mirrorcraft.study.run import Crash, Progress, run_study
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
