"""Studies on real servers: as a person starts one, and one of whose servers a hundred are killed at random."""

import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest
from live import Hunted, need_server

from mirrorcraft.cli import main
from mirrorcraft.core.rng import below
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.play import Setup
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import EPISODES as FILE
from mirrorcraft.study.store import read_run

pytestmark = pytest.mark.server

KILLS, EPISODES = 100, 40
STUDY = f"""
schema_version = "1.0"
name = "hunted"
worlds = ["plains-a"]
suites = ["vanilla", "M04"]
tasks = ["iron_armor"]

[[agents]]
name = "patient"
repetitions = {EPISODES // 2}

[budgets]
iron_armor = 3
"""


SMALL = """
schema_version = "1.0"
name = "small"
worlds = ["plains-a"]
suites = ["vanilla", "M04"]
tasks = ["iron_armor"]

[[agents]]
name = "prior"

[budgets]
iron_armor = 4
"""


def test_a_study_is_played_on_servers_and_only_goes_on_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    need_server()
    (tmp_path / "small.toml").write_text(SMALL)
    words = ["study", str(tmp_path / "small.toml"), "--out", str(tmp_path / "run")]
    assert main([*words, "--server", "squid", "--transport", "process", "--workers", "2"]) == 0
    stored = read_run(tmp_path / "run")
    assert stored.config.backend == "squid"
    made = [e.provenance for e in stored.episodes]
    assert [p.backend for p in made] == ["squid", "squid"]
    assert all(p.server and p.node for p in made)
    capsys.readouterr()
    assert main(words) == 2
    assert "backend" in capsys.readouterr().err


def hunt(over: threading.Event, killed: list[int]) -> None:
    """Kill the server or the body of the running episode at random times, a hundred times."""
    while len(killed) < KILLS and not over.wait(0.2 + below(3000, 1, len(killed), 0) / 1000):
        prey = Hunted.current.prey() if Hunted.current else []
        if prey:
            pid = prey[below(len(prey), 1, len(killed), 1)]
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed.append(pid)


@pytest.mark.slow
def test_a_hundred_kills_lose_and_double_no_episode(tmp_path: Path):
    need_server()
    config = parse_study(STUDY, "hunted.toml", ["patient"])
    over, killed = threading.Event(), []
    hunter = threading.Thread(target=hunt, args=(over, killed))
    hunter.start()
    try:
        setup = Setup("live:Hunted", "live:make", attempts=KILLS)
        at = run_study(STUDY, config, tmp_path / "run", workers=1, setup=setup)
    finally:
        over.set()
        hunter.join()
    assert (at.done, at.total) == (EPISODES, EPISODES)
    assert len(killed) == KILLS
    assert at.faults > KILLS / 4  # one attempt can lose both its server and its body
    lines = (tmp_path / "run" / FILE).read_text(encoding="utf-8").splitlines()
    ids = Counter(json.loads(line)["id"] for line in lines)
    assert len(ids) == EPISODES
    assert set(ids.values()) == {1}
