"""The server backend keeps the contract of a backend, over either way of speaking to the body."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Patient, need_server

from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import HIDDEN, EpisodeSpec
from mirrorcraft.server.backend import ServerBackend
from mirrorcraft.server.bot import Transport
from mirrorcraft.server.conform import without_time
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.study.loop import run_episode
from mirrorcraft.testing.contract import BackendContract

pytestmark = pytest.mark.server


class OnSquid(BackendContract):
    """A world on a squid server. Its time is real, so the ticks of an action are measured, not computed."""

    world = "plains-a"
    transport: Transport = "process"

    @pytest.fixture
    def backend(self, tmp_path: Path) -> Iterator[Backend]:
        need_server()
        backend = ServerBackend(transport=self.transport, runs=tmp_path)
        yield backend
        backend.close()

    def test_the_same_actions_have_the_same_consequences(self, backend: Backend):
        runs = []
        for _ in range(2):
            self.reset(backend)
            steps = [backend.step(action) for action in self.actions]
            runs.append(
                [(without_time(s.observation), s.outcome._replace(ticks=0), s.audit) for s in steps]
            )
        assert runs[0] == runs[1]


class TestSquidOverProcess(OnSquid):
    """Node spoken to directly."""


def test_the_bridge_and_the_process_tell_the_same(tmp_path: Path):
    need_server()
    told = []
    ways: tuple[Transport, ...] = ("bridge", "process")
    for transport in ways:
        backend = ServerBackend(transport=transport, runs=tmp_path)
        try:
            seen = OnSquid().reset(backend)
            step = backend.step(Action("mine", {"block": "dirt"}))
        finally:
            backend.close()
        told.append((seen.to_json(), without_time(step.observation), step.audit))
    assert told[0] == told[1]


def test_a_record_says_on_which_server_it_was_played(tmp_path: Path):
    need_server()
    backend = ServerBackend(transport="process", runs=tmp_path)
    spec = EpisodeSpec("plains-a", "M04", "iron_armor", "patient", None, 2, HIDDEN, 0)
    try:
        record = run_episode(spec, backend, Patient())
    finally:
        backend.close()
    made = record.provenance
    assert (record.actions, made.backend, made.server) == (2, "squid", "flying-squid 1.12.0")
    assert made.datapack is not None
    assert len(made.datapack) == 16
    assert made.node is not None


def test_a_server_that_tells_of_things_later_is_given_its_ticks(tmp_path: Path, monkeypatch):
    need_server()
    monkeypatch.setattr(SquidServer, "news_ticks", 30)
    backend = ServerBackend(transport="process", runs=tmp_path)
    try:
        OnSquid().reset(backend)
        before = backend._game_time()
        step = backend.step(Action("wait", {"ticks": 1}))
        assert backend._game_time() - before >= step.outcome.ticks + 30
    finally:
        backend.close()
