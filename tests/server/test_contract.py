"""The server backend keeps the contract of a backend, over either way of speaking to the body."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import need_server

from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Backend
from mirrorcraft.server.backend import ServerBackend
from mirrorcraft.server.bot import Transport
from mirrorcraft.server.conform import without_time
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
