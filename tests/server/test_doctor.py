"""The doctor finds beforehand what would break a server later, and says what to do."""

from collections import namedtuple
from pathlib import Path

import pytest
from java import DONE, LISTENS, java_that_says, java_with_squid
from live import need_server

from mirrorcraft.core.action import Action
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.server import doctor, node
from mirrorcraft.server.doctor import Finding, examine
from mirrorcraft.server.vanilla import VanillaServer
from mirrorcraft.server.wanted import Wanted
from mirrorcraft.study.plan import rules_for

Usage = namedtuple("Usage", "total used free")


def found(wanted: Wanted) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(wanted)}


def missing(wanted: Wanted) -> dict[str, str]:
    return {name: finding.said for name, finding in found(wanted).items() if not finding.ok}


def java(folder: Path, version: str = "17.0.9") -> str:
    return java_that_says(folder, DONE, LISTENS, version=version)


def test_each_cause_that_vanilla_can_fail_of_is_named_with_what_to_do(tmp_path):
    said = missing(Wanted("vanilla", jar=tmp_path / "none.jar", java=java(tmp_path, "1.8.0_392")))
    assert set(said) == {"eula", "jar", "java", "play"}
    assert "--accept-eula" in said["eula"]
    assert "run `mirrorcraft server fetch`" in said["jar"]
    assert "(Java 8). Install mirrorcraft[server]" in said["java"]
    assert said["play"] == "not tried: see above"


def test_a_jar_that_is_another_is_named(tmp_path):
    (tmp_path / "server.jar").write_bytes(b"of another version")
    wanted = Wanted("vanilla", tmp_path / "server.jar", java(tmp_path), accept_eula=True)
    assert set(said := missing(wanted)) == {"jar", "play"}
    assert "Delete it and run `mirrorcraft server fetch`" in said["jar"]


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(
        doctor.shutil, "disk_usage", lambda place: Usage(9 * 10**9, 9 * 10**9, 7 * 10**6)
    )
    said = missing(Wanted("vanilla", runs=tmp_path))
    assert "has 7 MB left; 1500 MB are needed: make room" in said["room"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = missing(Wanted("vanilla", runs=tmp_path / "file" / "runs"))
    assert "cannot be written" in said["room"]
    assert "see its permissions" in said["room"]


def test_no_node_is_named(monkeypatch):
    monkeypatch.setattr(node, "_from_wheel", lambda: None)
    monkeypatch.delenv("MIRRORCRAFT_NODE", raising=False)
    monkeypatch.setenv("PATH", "")
    assert "install mirrorcraft[server]" in missing(Wanted("squid"))["node"]


def test_an_old_node_is_named(tmp_path, monkeypatch):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v16.20.0\n")
    old.chmod(0o700)
    monkeypatch.setenv("MIRRORCRAFT_NODE", str(old))
    assert "is older than 20.20" in missing(Wanted("squid"))["node"]


@pytest.mark.server
def test_all_is_in_place_for_squid(tmp_path):
    need_server()
    assert missing(Wanted("squid", transport="process", runs=tmp_path)) == {}


@pytest.mark.server
@pytest.mark.parametrize(("name", "value"), [("online-mode", "true"), ("spawn-protection", "16")])
def test_the_play_finds_what_a_server_would_run_by(tmp_path, monkeypatch, name, value):
    """The jar is not at hand: a stand-in runs, whose properties are others than those asked for."""
    need_server()
    prepare = VanillaServer.prepare

    def and_spoil(self: VanillaServer) -> None:
        prepare(self)
        path = self.folder / "server.properties"
        asked = f"{name}={self.properties()[name]}"
        path.write_text(path.read_text().replace(asked, f"{name}={value}"))

    monkeypatch.setattr(VanillaServer, "prepare", and_spoil)
    wanted = stand_in(tmp_path, monkeypatch)
    assert set(said := missing(wanted)) == {"play"}
    assert f"says {name}={value}; it must be" in said["play"]


@pytest.mark.server
def test_a_body_on_a_vanilla_server_joins_it_and_acts(tmp_path, monkeypatch):
    """All of the kind but the game: in Java's place a squid server runs, by the game's properties."""
    need_server()
    wanted = stand_in(tmp_path, monkeypatch)
    assert missing(wanted) == {}
    backend = wanted.backend()
    try:
        backend.reset(World.load("plains-a"), rules_for("M01"), Task.load("iron_armor"), seed=1)
        step = backend.step(Action("mine", {"block": "dirt"}))
        assert (step.outcome.ok, step.observation.inventory["dirt"] > 0) == (True, True)
        assert backend.made_with["backend"] == "vanilla"
    finally:
        backend.close()
    assert list((tmp_path / "runs").iterdir()) == []


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Wanted:
    """A server with a Java and a jar that stand in for the real ones."""
    jar = folder / "fake.jar"
    jar.write_bytes(b"no jar")
    monkeypatch.setattr("mirrorcraft.server.vanilla.check_jar", lambda jar: None)
    monkeypatch.setattr("mirrorcraft.server.doctor.check_jar", lambda jar: None)
    return Wanted(
        "vanilla", jar, java_with_squid(folder), True, transport="process", runs=folder / "runs"
    )
