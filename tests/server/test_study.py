"""A study on real servers, of which a hundred are killed at random: nothing is lost, nothing is counted twice."""

import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest
from live import Hunted, need_server

from mirrorcraft.core.rng import below
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.play import Setup
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import EPISODES as FILE

pytestmark = [pytest.mark.server, pytest.mark.slow]

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
