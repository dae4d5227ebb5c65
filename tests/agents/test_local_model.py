"""A real model behind a real endpoint: SmolLM2-135M, which `make local-model` serves.

It plays badly. What is tested is that whatever it says ends an episode by a name, and that an endpoint that
can hold it to a schema does.
"""

import os
from collections import Counter
from typing import Any

import httpx2
import pytest

from mirrorcraft.agents import CONFIGURATIONS, make
from mirrorcraft.agents.model import ModelSettings
from mirrorcraft.agents.replies import STAGES
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.loop import run_episode

URL = os.environ.get("MIRRORCRAFT_LOCAL_MODEL", "http://127.0.0.1:8809/v1")
ACTIONS = int(os.environ.get("MIRRORCRAFT_LOCAL_ACTIONS", "4"))  # of an episode: each takes seconds
pytestmark = pytest.mark.model


@pytest.fixture(scope="module", autouse=True)
def endpoint() -> None:
    try:
        httpx2.get(f"{URL}/models", timeout=5)
    except httpx2.TransportError:
        pytest.skip(f"no local model at {URL}; start one with `make local-model`")


def play(name: str, task: str, world: str, mode: Any) -> tuple[str, dict[str, Any]]:
    """Play an episode; return its ending and the account of its model."""
    settings = ModelSettings(
        model="smollm2", base_url=URL, json_mode=mode, max_tokens=200, context_chars=16_000,
        timeout_s=600.0, in_flight=1,
    )  # fmt: skip
    told = "disclosed" if name == "react_rules" else "hidden"
    spec = EpisodeSpec(world, "vanilla", task, name, "smollm2", ACTIONS, told, repetition=0)
    record = run_episode(spec, SimBackend(), make(name, Terms(settings)))
    assert record.usage is not None
    account = record.usage.account or {}
    print(name, task, world, mode, record.ending, record.usage.calls, record.usage.input, record.usage.output, account["stages"], account["repairs"], record.elapsed_s)  # noqa: T201  # fmt: skip
    return record.ending, account


@pytest.mark.parametrize("world", ["plains-a", "taiga-a"])
@pytest.mark.parametrize("task", Task.names())
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_episode_ends_by_a_name(name: str, task: str, world: str):
    ending, account = play(name, task, world, "off")
    assert ending in Ending
    assert set(account["stages"]) == {*STAGES, "unusable"}


def test_a_model_held_to_a_schema_gives_usable_replies():
    stages: Counter[str] = Counter()
    for name in CONFIGURATIONS:
        ending, account = play(name, "iron_armor", "plains-a", "json_object_schema")
        assert ending in Ending
        stages.update(account["stages"])
    assert stages["strict"] / stages.total() >= 0.95
