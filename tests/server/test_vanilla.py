"""The vanilla kind of server, with a stand-in for Mojang's jar, which cannot be had here: a script in the place of Java.

What these tests hold: when a start is refused and why, what is written for the game, how its log is read, and that
nothing is left running. That the game itself obeys is for a run with the real jar to show (docs/server.md).
"""

import hashlib
import io
import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from mirrorcraft.core.errors import Fault
from mirrorcraft.server import vanilla
from mirrorcraft.server.vanilla import VanillaServer, check_jar, fetch, find_java

READY = '[12:00:00] [Server thread/INFO]: Done (3.141s)! For help, type "help"'


def fake_java(folder: Path, version: str = "17.0.9", lines: tuple[str, ...] = (READY,)) -> str:
    """A script that stands in for Java: tells its version, or prints the lines and waits."""
    script = folder / "java"
    said = "\n".join(f"    print({line!r}, flush=True)" for line in lines)
    script.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        f"if '-version' in sys.argv:\n"
        f"    sys.exit(print('openjdk version \"{version}\"', file=sys.stderr))\n"
        f"else:\n{said}\n    time.sleep(60)\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    return str(script)


def server(folder: Path, java: str, **more) -> VanillaServer:
    jar = folder / "fake.jar"
    jar.write_bytes(b"no jar")
    return VanillaServer(
        folder, jar=jar, java=java, **{"accept_eula": True, "check": False, **more}
    )


def running(folder: Path) -> list[int]:
    """The processes that run something out of a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if str(folder).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_server_is_ready_when_the_game_says_so_and_leaves_nothing_behind(tmp_path):
    game = server(tmp_path, fake_java(tmp_path))
    game.start()
    assert game.pid in running(tmp_path)
    game.check()
    game.stop()
    game.stop()
    assert running(tmp_path) == []


def test_the_eula_is_never_accepted_silently(tmp_path):
    game = server(tmp_path, fake_java(tmp_path), accept_eula=False)
    with pytest.raises(Fault, match=r"EULA .* is not accepted; say so with --accept-eula"):
        game.start()
    assert not (tmp_path / "eula.txt").exists()


def test_an_eula_that_the_game_does_not_see_is_named(tmp_path):
    line = "[Server thread/INFO]: You need to agree to the EULA in order to run the server."
    with pytest.raises(Fault, match="--accept-eula"):
        server(tmp_path, fake_java(tmp_path, lines=(line, READY))).start()


def test_the_properties_keep_the_server_on_loopback_and_the_world_still(tmp_path):
    game = server(tmp_path, fake_java(tmp_path))
    game.prepare()
    lines = (tmp_path / "server.properties").read_text().splitlines()
    properties = dict(line.split("=", 1) for line in lines)
    wanted = {
        "server-ip": "127.0.0.1",
        "online-mode": "false",
        "spawn-protection": "0",
        "enable-rcon": "true",
        "difficulty": "peaceful",
        "max-tick-time": "-1",
        "level-name": "world",
        "rcon.password": game.password,
    }
    assert wanted.items() <= properties.items()
    assert stat.S_IMODE((tmp_path / "server.properties").stat().st_mode) == 0o600
    assert server(tmp_path, "java").password != game.password


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[main/ERROR]: Parsing error loading recipe minecraft:stick", "datapack is refused"),
        ("[main/ERROR]: Couldn't load advancements", "cannot be loaded"),
        ("[Server thread/WARN]: **** FAILED TO BIND TO PORT!", "port is taken"),
        ("java.lang.UnsupportedClassVersionError: net/minecraft", "Java 17 is needed"),
        ("[Server thread/ERROR]: This crash report has been saved to: x", "the game crashed"),
        ("java.io.IOException: No space left on device", "the disk is full"),
    ],
)
def test_what_the_log_complains_of_is_a_fault_with_advice(tmp_path, line, said):
    with pytest.raises(Fault, match=said):
        server(tmp_path, fake_java(tmp_path, lines=(line, READY))).start()
    assert running(tmp_path) == []


@pytest.mark.parametrize(("name", "value"), [("online-mode", "true"), ("spawn-protection", "16")])
def test_a_server_that_runs_by_other_properties_is_named(tmp_path, monkeypatch, name, value):
    asked = VanillaServer.properties
    monkeypatch.setattr(VanillaServer, "properties", lambda self: {**asked(self), name: value})
    game = server(tmp_path, fake_java(tmp_path))
    prepare = game.prepare

    def then_forget() -> None:  # what is written is not what is asked for
        prepare()
        monkeypatch.setattr(VanillaServer, "properties", asked)

    monkeypatch.setattr(game, "prepare", then_forget)
    with pytest.raises(Fault, match=f"says {name}={value}; it must be"):
        game.start()
    assert running(tmp_path) == []


def test_a_server_that_is_not_ready_in_time_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(vanilla, "_START_SECONDS", 0.5)
    with pytest.raises(Fault, match=r"not ready after 0 s; last line: 'Starting'"):
        server(tmp_path, fake_java(tmp_path, lines=("Starting",))).start()
    assert running(tmp_path) == []


def test_a_jar_of_another_sha1_is_refused(tmp_path):
    with pytest.raises(Fault, match=r"has the sha1 .* the server jar of 1\.19 has e00c4052"):
        server(tmp_path, fake_java(tmp_path), check=True).start()
    with pytest.raises(Fault, match="run `mirrorcraft server fetch`"):
        check_jar(tmp_path / "missing.jar")


def test_java_8_is_too_old(tmp_path):
    java = fake_java(tmp_path, version="1.8.0_392")
    with pytest.raises(Fault, match=r"no Java 17 or later found; .*\(Java 8\)"):
        find_java(java)


def test_no_java_at_all_is_named(tmp_path):
    with pytest.raises(Fault, match="cannot be run"):
        find_java(str(tmp_path / "java"))


def test_the_game_ends_with_the_process_that_started_it(tmp_path):
    """The reaper sees its standard input close, as it does when its parent is killed."""
    game = server(tmp_path, fake_java(tmp_path))
    game.start()
    process = game._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    deadline = time.monotonic() + 10
    while running(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(tmp_path) == []
    with pytest.raises(Fault, match="is gone"):
        game.check()
    game.stop()


class Mojang:
    """Mojang's servers, as far as the fetching goes."""

    def __init__(self, jar: bytes, about_sha1: str | None = None):
        server = {"sha1": hashlib.sha1(jar).hexdigest(), "url": "x/server.jar"}
        about = json.dumps({"downloads": {"server": server}}).encode()
        sha1 = about_sha1 or hashlib.sha1(about).hexdigest()
        versions = [{"id": "1.19", "url": "x/1.19.json", "sha1": sha1}]
        manifest = json.dumps({"versions": versions}).encode()
        self.files = {vanilla.MANIFEST: manifest, "x/1.19.json": about, "x/server.jar": jar}

    def __call__(self, url: str, timeout: float) -> io.BytesIO:
        return io.BytesIO(self.files[url])


def test_a_fetched_jar_is_held_to_its_sha1(tmp_path, monkeypatch):
    monkeypatch.setattr(vanilla, "SHA1", hashlib.sha1(b"the jar").hexdigest())
    fetch(tmp_path / "jars" / "server.jar", Mojang(b"the jar"))
    assert (tmp_path / "jars" / "server.jar").read_bytes() == b"the jar"
    assert os.listdir(tmp_path / "jars") == ["server.jar"]


def test_another_jar_than_that_of_1_19_is_not_kept(tmp_path):
    with pytest.raises(Fault, match=f"announced was {vanilla.SHA1}"):
        fetch(tmp_path / "server.jar", Mojang(b"another jar"))
    with pytest.raises(Fault, match="announced was 00"):
        fetch(tmp_path / "server.jar", Mojang(b"the jar", "00"))
    assert list(tmp_path.iterdir()) == []


def test_no_network_is_a_fault(tmp_path):
    def refuse(url: str, timeout: float):
        raise OSError("no route to host")

    with pytest.raises(Fault, match="cannot be fetched: OSError: no route to host"):
        fetch(tmp_path / "server.jar", refuse)
