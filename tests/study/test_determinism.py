"""The same spec is the same episode, byte for byte, on the simulator and with every offline agent."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mirrorcraft.core.world import World
from mirrorcraft.study.store import read_run

TEXT = f"""
schema_version = "1.0"
name = "repeat"
worlds = ["{World.names()[0]}"]
suites = ["vanilla", "M02"]
tasks = ["iron_armor"]
budgets = {{ iron_armor = 12 }}
agents = [
  {{ name = "planner", disclosure = "disclosed" }},
  {{ name = "adaptive" }},
  {{ name = "prior" }},
  {{ name = "random", repetitions = 2 }},
]
"""


def played(folder: Path, workers: int, **environment: str) -> list[str]:
    """Run the study from the command line in a process of its own; return its episodes."""
    study = folder.with_suffix(".toml")
    study.write_text(TEXT)
    words = ["study", str(study), "--out", str(folder), "--workers", str(workers), "--json"]
    command = [sys.executable, "-m", "mirrorcraft.cli", *words]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == 10
    return [json.dumps(e.content(), sort_keys=True) for e in read_run(folder).episodes]


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> list[str]:
    return played(tmp_path_factory.mktemp("runs") / "reference", 1, PYTHONHASHSEED="0")


def test_two_workers_and_another_hash_seed_change_nothing(tmp_path: Path, reference):
    assert played(tmp_path / "two", 2, PYTHONHASHSEED="12345") == reference


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_neither_the_compiler_nor_bounds_checks_change_anything(tmp_path: Path, reference, flag):
    assert played(tmp_path / "plain", 1, **{flag: "1"}) == reference


def test_agents_and_repetitions_play_differently(reference):
    records = [json.loads(line) for line in reference]
    played = {
        (r["spec"]["agent"], r["spec"]["repetition"]): json.dumps(r["steps"])
        for r in records
        if r["spec"]["suite"] == "vanilla"
    }
    assert played["random", 0] != played["random", 1]
    assert played["planner", 0] != played["random", 0]
