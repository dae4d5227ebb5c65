"""A real model behind a real endpoint: SmolLM2-135M, which `make local-model` serves.

It plays badly. What is tested is that whatever it says ends an episode by a name, and that an
endpoint that can hold it to a schema does. A run that is kept in ``MIRRORCRAFT_LOCAL_RUNS`` goes on
where it was stopped; with ``pytest -s`` the figures of docs/agents.md are printed.
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from jsonschema import Draft202012Validator

from mirrorcraft.agents import AGENTS, CONFIGURATIONS
from mirrorcraft.agents.contracts import CONTRACTS, kind_of
from mirrorcraft.agents.replies import STAGES
from mirrorcraft.core.outcome import Ending
from mirrorcraft.core.task import Task
from mirrorcraft.study.models import read_trajectory
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import Stored, read_run

URL = os.environ.get("MIRRORCRAFT_LOCAL_MODEL", "http://127.0.0.1:8809/v1")
ACTIONS = int(os.environ.get("MIRRORCRAFT_LOCAL_ACTIONS", "2"))  # of an episode: each takes seconds
WORLDS = ("plains-a", "taiga-a")
# A model that is not held to JSON rambles to its limit; one that is needs room for a graph.
MAX_TOKENS = {"off": 160, "json_object_schema": 512}
pytestmark = pytest.mark.model


def study(mode: str) -> str:
    """Return the study of all configurations in two worlds and three tasks, vanilla."""
    told = 'disclosure = "disclosed"\n'
    rows = "".join(
        f'[[agents]]\nconfiguration = "{name}"\nmodel = "smollm2"\nbase_url = "{URL}"\n'
        f'json_mode = "{mode}"\nmax_tokens = {MAX_TOKENS[mode]}\ntimeout_s = 900.0\nin_flight = 1\n'
        + (told if name == "react_rules" else "")
        for name in CONFIGURATIONS
    )
    tasks = list(Task.names())
    return (
        f'schema_version = "1.0"\nname = "local-{mode}"\nexecutor = "threads"\n'
        f'worlds = {json.dumps(WORLDS)}\nsuites = ["vanilla"]\ntasks = {json.dumps(tasks)}\n'
        f"budgets = {{ {', '.join(f'{task} = {ACTIONS}' for task in tasks)} }}\n{rows}"
    )


def played(mode: str, folder: Path) -> Stored:
    """Play what is not played yet of a mode's study, and return its run."""
    try:
        httpx2.get(f"{URL}/models", timeout=httpx2.Timeout(900, connect=5))
    except httpx2.TransportError:
        pytest.skip(f"no local model at {URL}; start one with `make local-model`")
    text = study(mode)
    run_study(text, parse_study(text, "test", AGENTS), folder / mode, workers=1)
    return read_run(folder / mode)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = os.environ.get("MIRRORCRAFT_LOCAL_RUNS")
    return Path(kept) if kept else tmp_path_factory.mktemp("local")


class Valid(NamedTuple):
    """Replies that fit the schema of their prompt, and replies: those that choose an action, and all."""

    actions: int
    of_actions: int
    all: int
    of_all: int


def calls_of(folder: Path, run: Stored, agent: str | None = None) -> list[dict[str, Any]]:
    """Return the model calls of a run, or of one configuration in it."""
    specs = [e.spec for e in run.episodes if agent in (None, e.spec.agent)]
    return [call for spec in specs for call in read_trajectory(folder, spec.id)]


def valid(calls: list[dict[str, Any]]) -> Valid:
    """Count the replies that are JSON by the schema of their prompt."""
    counts: Counter[str] = Counter()
    for call in calls:
        kind = kind_of(call["messages"][0]["content"])
        if kind is None or "reply" not in call:
            continue
        try:
            good = Draft202012Validator(CONTRACTS[kind]).is_valid(json.loads(call["reply"]))
        except ValueError:
            good = False
        for group in ("all", *(("action",) if kind in ("skill", "thought", "subgoal") else ())):
            counts[group] += good
            counts[f"of {group}"] += 1
    return Valid(counts["action"], counts["of action"], counts["all"], counts["of all"])


def table(folder: Path) -> str:
    """Return the figures of a run as docs/agents.md shows them, one row a configuration."""
    run = read_run(folder)
    head = ("agent", "episodes", "calls", *STAGES, "unusable", "repairs", "by schema", "tokens in", "out", "s a call", "endings")  # fmt: skip
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    for agent in (*CONFIGURATIONS, None):
        episodes = [e for e in run.episodes if agent in (None, e.spec.agent)]
        accounts = [e.usage.account or {} for e in episodes if e.usage]
        stages = [sum(a["stages"][s] for a in accounts) for s in (*STAGES, "unusable")]
        calls = calls_of(folder, run, agent)
        fit, endings = valid(calls), Counter(e.ending for e in episodes)
        row = (
            agent or "all", len(episodes), len(calls), *stages,
            sum(a["repairs"] for a in accounts), f"{fit.all}/{fit.of_all}",
            *(sum(c["usage"][i] for c in calls if "usage" in c) for i in (0, 2)),
            f"{sum(c['elapsed_s'] for c in calls) / max(1, len(calls)):.0f}",
            ", ".join(f"{n} {ending}" for ending, n in sorted(endings.items())),
        )  # fmt: skip
        lines.append(" | ".join(map(str, row)))
    return "\n".join(f"| {line} |" for line in lines)


@pytest.mark.parametrize("mode", ["off", "json_object_schema"])
def test_every_episode_ends_by_a_name(mode: str, folder: Path):
    run = played(mode, folder)
    print(f"\n{mode}\n{table(folder / mode)}")  # noqa: T201
    assert len(run.episodes) == len(run.specs) == 7 * 3 * 2
    for episode in run.episodes:
        assert episode.ending in set(Ending)
        assert episode.usage is not None
        account = episode.usage.account or {}
        assert set(account["stages"]) == {*STAGES, "unusable"}
        answered = [c for c in read_trajectory(folder / mode, episode.spec.id) if "reply" in c]
        assert sum(account["stages"].values()) == len(answered)


def test_a_model_held_to_a_schema_gives_actions_that_fit_it(folder: Path):
    mode = "json_object_schema"
    fit = valid(calls_of(folder / mode, played(mode, folder)))
    assert fit.of_actions > 0
    assert fit.actions / fit.of_actions >= 0.95
