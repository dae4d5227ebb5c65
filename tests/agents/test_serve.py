"""``model serve``: the offline model behind HTTP, alone and misbehaving, and a whole study against it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import pytest
from asking import Episode, prior

from mirrorcraft.agents import AGENTS, CONFIGURATIONS
from mirrorcraft.agents.endpoint import HttpModel
from mirrorcraft.agents.model import ModelRefused, ModelSettings
from mirrorcraft.agents.offline_model import NAME, OfflineModel
from mirrorcraft.agents.serve import ModelServer, Troubles
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import read_run

MUCH = Troubles(rate_limited=0.10, server_error=0.05, cut=0.02, garbage=0.02, dropped=0.01)
BROKEN = Troubles(rate_limited=0.2, server_error=0.2, cut=0.1, garbage=0.1, dropped=0.1)


def model(server: ModelServer, name: str = NAME) -> HttpModel:
    settings = ModelSettings(model=name, base_url=server.url, backoff_s=0.001, attempts=30)
    return HttpModel(settings)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_an_episode_over_http_is_the_one_in_process(name: str):
    with ModelServer() as server:
        there = Episode(name, model(server), "iron_armor").play()
        answered = server.answered
    here = Episode(name, prior(), "iron_armor").play()
    assert there.actions == here.actions
    assert there.agent.summary()["tokens"] == here.agent.summary()["tokens"]
    assert answered == {"ok": len(there.purposes)}


def test_a_server_in_trouble_changes_no_episode_and_every_trouble_is_counted():
    with ModelServer(troubles=BROKEN) as server:
        there = Episode("adam", model(server), "iron_armor").play()
        answered = server.answered
    assert there.actions == Episode("adam", prior(), "iron_armor").play().actions
    counted = there.agent.summary()["troubles"]
    assert counted["rate_limited"] == answered["rate_limited"] > 0
    assert counted["server_error"] == answered["server_error"] > 0
    assert counted["garbled"] == answered["garbage"] > 0
    assert counted["connection"] == answered["cut"] + answered["dropped"] > 0
    assert answered["ok"] == len(there.purposes)


def test_troubles_come_as_often_as_asked_and_always_in_the_same_order():
    kinds = [MUCH.of(n) for n in range(20_000)]
    shares = {k: n / len(kinds) for k, n in Counter(kinds).items() if k}
    assert shares == pytest.approx(MUCH._asdict(), rel=0.15)
    assert kinds[:50] == [MUCH.of(n) for n in range(50)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"no json", 400),
        (b"[]", 400),
        (b'{"model": "offline/prior", "messages": []}', 400),
        (b'{"model": "offline/prior", "messages": [{"content": 7}]}', 400),
        (b'{"model": "gpt", "messages": [{"role": "user", "content": "hi"}]}', 404),
        (b'{"model": "offline/prior", "messages": [{"role": "user", "content": "hi"}]}', 404),
    ],
)
def test_what_is_no_request_is_refused_with_a_message(body: bytes, status: int):
    with ModelServer() as server:
        got = httpx2.post(f"{server.url}/chat/completions", content=body)
        assert got.status_code == status
        assert got.json()["error"]["message"]
        assert httpx2.get(f"{server.url}/models").json()["data"][0]["id"] == NAME
        assert httpx2.get(f"{server.url}/nothing").status_code == 404


@pytest.mark.parametrize(
    "name", ["offline/post", f"{NAME}?errors=2", f"{NAME}?x=1", f"{NAME}?errors"]
)
def test_an_offline_model_that_does_not_exist_is_refused(name: str):
    with pytest.raises(ModelRefused, match="there are offline/prior"):
        OfflineModel.named(name)


def study(url: str, budget: int, worlds: list[str], repetitions: int) -> str:
    rows = "".join(
        f'[[agents]]\nconfiguration = "{name}"\nmodel = "{NAME}"\nbase_url = "{url}"\n'
        f"repetitions = {repetitions}\nbackoff_s = 0.001\nattempts = 20\n"
        + ('disclosure = "disclosed"\n' if name == "react_rules" else "")
        for name in CONFIGURATIONS
    )
    return (
        'schema_version = "1.0"\nname = "troubled"\nexecutor = "threads"\ntasks = ["iron_armor"]\n'
        f'worlds = {json.dumps(worlds)}\nsuites = ["vanilla", "M01"]\n'
        f"budgets = {{ iron_armor = {budget} }}\n{rows}"
    )


def played(folder: Path, *plan: Any) -> tuple[int, Counter[str], Counter[str]]:
    """Play a study against a server in trouble; return its episodes, and the troubles recorded and made."""
    with ModelServer(troubles=MUCH) as server:
        text = study(server.url, *plan)
        progress = run_study(text, parse_study(text, "test", AGENTS), folder, workers=4)
        made = Counter(server.answered)
    stored = read_run(folder)
    assert (progress.done, progress.faults) == (progress.total, 0)
    assert [e.spec.id for e in stored.episodes] == [s.id for s in stored.specs]
    lines = (folder / "episodes.jsonl").read_text().splitlines()
    assert len(lines) == progress.total  # none is doubled
    recorded: Counter[str] = Counter()
    for episode in stored.episodes:
        assert episode.usage is not None
        assert episode.usage.account is not None
        recorded.update(episode.usage.account["troubles"])
        recorded["calls"] += episode.usage.calls
    return progress.total, recorded, made


def agree(recorded: Counter[str], made: Counter[str]) -> None:
    assert recorded["calls"] == made["ok"]
    assert recorded["rate_limited"] == made["rate_limited"]
    assert recorded["server_error"] == made["server_error"]
    assert recorded["garbled"] == made["garbage"]
    assert recorded["connection"] == made["cut"] + made["dropped"]


def test_a_study_against_a_server_in_trouble_loses_and_doubles_nothing(tmp_path: Path):
    total, recorded, made = played(tmp_path / "run", 4, ["plains-a"], 1)
    assert total == 14
    agree(recorded, made)


@pytest.mark.slow
def test_a_thousand_episodes_against_a_server_in_trouble_lose_and_double_nothing(tmp_path: Path):
    worlds = [f"{biome}-{x}" for biome in ("plains", "taiga", "jungle", "savanna") for x in "ab"]
    total, recorded, made = played(tmp_path / "run", 50, worlds, 9)
    assert total == 1008
    agree(recorded, made)
