"""Every way in which a server or a body can break is a named fault, in time; the next episode works, nothing stays."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from java import running
from live import need_server

from mirrorcraft.core.action import Action
from mirrorcraft.core.errors import EpisodeOver, Fault
from mirrorcraft.core.task import Milestone, Task
from mirrorcraft.core.world import World
from mirrorcraft.server import backend as module
from mirrorcraft.server import bot as bots
from mirrorcraft.server.backend import ServerBackend
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.study.plan import rules_for

pytestmark = pytest.mark.server

WAIT = Action("wait", {"ticks": 100})
AT_MOST = 20.0  # seconds until a fault is named


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[ServerBackend]:
    need_server()
    backend = ServerBackend(transport="process", runs=tmp_path)
    yield backend
    backend.close()
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def reset(backend: ServerBackend, suite: str = "vanilla", task: Task | None = None):
    rules = rules_for(suite)
    return backend.reset(
        World.load("plains-a"), rules, task or Task.load("iron_armor").with_budget(20), seed=3
    )


def after(seconds: float, act: Callable[[], object]) -> None:
    threading.Timer(seconds, act).start()


def works(backend: ServerBackend) -> None:
    reset(backend)
    assert backend.step(Action("wait", {"ticks": 1})).outcome.ok


def named(backend: ServerBackend, match: str, act: Callable[[], object]) -> None:
    started = time.monotonic()
    with pytest.raises(Fault, match=match):
        act()
    assert time.monotonic() - started < AT_MOST
    with pytest.raises(EpisodeOver):
        backend.step(WAIT)


def test_a_server_killed_in_the_middle_of_an_action(backend: ServerBackend):
    reset(backend)
    pid = backend.server.pid
    assert pid is not None
    after(0.5, lambda: os.kill(pid, signal.SIGKILL))
    named(backend, "connection (ended|failed)|is gone", lambda: backend.step(WAIT))
    works(backend)


def test_a_body_killed_in_the_middle_of_an_action(backend: ServerBackend):
    reset(backend)
    after(0.5, lambda: os.kill(backend.bot.pid, signal.SIGKILL))
    named(backend, "the body is gone", lambda: backend.step(WAIT))
    works(backend)


def test_a_body_that_hangs_answers_too_late(backend: ServerBackend, monkeypatch):
    monkeypatch.setitem(bots.DEADLINES, "wait", 1.0)
    monkeypatch.setattr(bots, "GRACE_SECONDS", 1.0)
    reset(backend)
    os.kill(backend.bot.pid, signal.SIGSTOP)
    named(backend, "did not answer call within", lambda: backend.step(WAIT))
    works(backend)


def test_a_skill_past_its_deadline_is_an_outcome_and_no_fault(backend: ServerBackend, monkeypatch):
    monkeypatch.setitem(bots.DEADLINES, "wait", 1.0)
    reset(backend)
    step = backend.step(WAIT)
    assert (step.outcome.ok, step.outcome.reason) == (False, "timeout")
    assert backend.step(Action("wait", {"ticks": 1})).outcome.ok


def test_a_body_that_is_kicked(backend: ServerBackend):
    reset(backend)
    rcon = backend.server.rcon()

    def kick() -> None:
        with rcon, suppress(Fault):  # the server may be ended before it replies
            rcon.command("kick Bot")

    after(0.5, kick)
    named(backend, "the server kicked the body", lambda: backend.step(WAIT))
    works(backend)


def test_a_port_that_is_taken(backend: ServerBackend, monkeypatch):
    reset(backend)
    taken = backend.server.port
    other = ServerBackend(transport="process", runs=backend._runs)
    monkeypatch.setattr("mirrorcraft.server.process.free_port", lambda: taken)
    named(other, "EADDRINUSE", lambda: reset(other))
    assert backend.step(Action("wait", {"ticks": 1})).outcome.ok


def test_a_datapack_that_is_missing(backend: ServerBackend, monkeypatch):
    def forgetful(folder, world, rules):
        packs = LAY_OUT(folder, world, rules)
        (folder / "world" / "datapacks" / packs[0]).unlink()
        return packs

    LAY_OUT = module.lay_out
    monkeypatch.setattr(module, "lay_out", forgetful)
    named(backend, "enabled the packs", lambda: reset(backend, "M01"))


def test_a_datapack_with_a_file_that_is_no_json(backend: ServerBackend, monkeypatch):
    def spoiled(folder, world, rules):
        packs = LAY_OUT(folder, world, rules)
        pack = folder / "world" / "datapacks" / packs[0]
        pack.write_bytes(pack.read_bytes().replace(b'"type"', b'"type?', 1))
        return packs

    LAY_OUT = module.lay_out
    monkeypatch.setattr(module, "lay_out", spoiled)
    named(backend, "mirror.zip: data/", lambda: reset(backend, "M01"))


def test_an_advancement_that_is_missing(backend: ServerBackend):
    nowhere = replace(
        Task.load("iron_armor"), milestones=(Milestone("story/no_such", 100, "", ""),)
    )
    named(backend, "no advancement story/no_such", lambda: reset(backend, task=nowhere))


def test_a_disk_that_is_full(backend: ServerBackend, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    named(backend, "No space left on device.*is there room", lambda: reset(backend))


def test_a_disk_that_fills_up_while_the_server_runs(backend: ServerBackend, monkeypatch):
    def then_fill(folder, world, rules):
        (folder / "server.log").symlink_to("/dev/full")
        return LAY_OUT(folder, world, rules)

    LAY_OUT = module.lay_out
    monkeypatch.setattr(module, "lay_out", then_fill)
    named(backend, "the log cannot be written: .*No space left", lambda: reset(backend))


def test_a_folder_that_is_in_the_way(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    backend = ServerBackend(transport="process", runs=tmp_path / "file")
    named(backend, "no folder for a server can be made", lambda: reset(backend))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(tmp_path: Path):
    (tmp_path / "runs").mkdir(mode=0o500)
    backend = ServerBackend(transport="process", runs=tmp_path / "runs")
    named(backend, "no folder for a server can be made", lambda: reset(backend))


def test_two_servers_run_side_by_side_in_one_folder(backend: ServerBackend):
    other = ServerBackend(SquidServer, transport="process", runs=backend._runs)
    try:
        reset(backend)
        reset(other, "M04")
        for each in (backend, other):
            assert each.step(Action("mine", {"block": "dirt"})).outcome.ok
        assert backend.server.port != other.server.port
    finally:
        other.close()


def test_a_stranger_cannot_give_commands(backend: ServerBackend):
    reset(backend)
    with pytest.raises(Fault, match="refuses the password"):
        Rcon(backend.server.rcon_port, "guess")
