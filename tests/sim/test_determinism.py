"""The same actions give the same bytes: as before, in another process, without the compiler, with bounds checks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import digests
import pytest
from stage import Stage

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "sim.json").read_text())


def differing(found: dict[str, dict[str, str]]) -> list[str]:
    """Return what differs from the golden digests, as ``action: field``."""
    return [
        f"{n}: {field}"
        for n, fields in found.items()
        for field in sorted(fields.keys() | GOLDEN[n].keys())
        if fields.get(field) != GOLDEN[n].get(field)
    ]


def elsewhere(actions: list[int], **env: str) -> dict[str, dict[str, str]]:
    """Play the list in a process of its own, under other environment variables."""
    paths = [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(ROOT / "tests" / "digests.py"), *map(str, actions)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_fixed_list_of_actions_leads_to_the_golden_states():
    assert differing(digests.digests([1, 10, 50])) == []


def test_the_list_does_what_it_is_to_cover():
    """Its golden states would be worth little if most of its actions failed."""
    stage = Stage(digests.SUITE, digests.WORLD, task="enchantment", seed=digests.SEED)
    stage.own(**digests.OWNED)
    outcomes = [stage.act(skill, **args).outcome for skill, args in digests.LIST]
    assert len(outcomes) == 50
    assert sum(outcome.ok for outcome in outcomes) >= 32
    assert len({outcome.reason for outcome in outcomes}) >= 7
    assert {skill for skill, _ in digests.LIST} >= set(stage.seen.skills)


@pytest.mark.compiled
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_another_process_with_another_hash_seed_gets_the_same_bytes(hash_seed: str):
    assert differing(elsewhere([1, 10, 50], PYTHONHASHSEED=hash_seed)) == []


def test_without_the_compiler_the_same_source_gives_the_same_bytes():
    assert differing(elsewhere([1, 10], NUMBA_DISABLE_JIT="1")) == []


@pytest.mark.slow
@pytest.mark.compiled
def test_with_bounds_checks_nothing_is_out_of_bounds_and_nothing_changes():
    assert differing(elsewhere([1, 10, 50], NUMBA_BOUNDSCHECK="1")) == []
    assert differing(elsewhere([50], NUMBA_DISABLE_JIT="1")) == []
