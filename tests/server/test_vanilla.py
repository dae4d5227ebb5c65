"""The vanilla kind of server, with a stand-in for Mojang's jar, which cannot be had here: a script in the place of Java.

What these tests hold: when a start is refused and why, what is written for the game, how its log is read, and that
nothing is left running. That the game itself obeys is for a run with the real jar to show (docs/server.md).
"""

import hashlib
import io
import json
import os
import stat
import time
from pathlib import Path

import pytest
from java import DONE, LISTENS, java_that_says, java_with_eula, running

from mirrorcraft.cli import main
from mirrorcraft.core.errors import Fault, NotReady
from mirrorcraft.server import vanilla
from mirrorcraft.server.vanilla import VanillaServer, check_jar, fetch, find_java, java_version
from mirrorcraft.study.store import FAULTS, read_json_lines, read_run


def server(folder: Path, java: str, **more) -> VanillaServer:
    jar = folder / "fake.jar"
    jar.write_bytes(b"no jar")
    return VanillaServer(
        folder, jar=jar, java=java, **{"accept_eula": True, "check": False, **more}
    )


def ready(folder: Path) -> str:
    return java_that_says(folder, DONE, LISTENS)


def test_a_server_is_ready_when_the_game_says_so_and_leaves_nothing_behind(tmp_path):
    game = server(tmp_path, ready(tmp_path))
    game.start()
    assert game.pid in running(tmp_path)
    game.check()
    game.stop()
    game.stop()
    assert running(tmp_path) == []


def test_the_eula_is_never_accepted_silently(tmp_path):
    game = server(tmp_path, ready(tmp_path), accept_eula=False)
    with pytest.raises(NotReady, match=r"EULA .* is not accepted; say so with --accept-eula"):
        game.start()
    assert not (tmp_path / "eula.txt").exists()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ((), "--accept-eula"),
        (("--accept-eula", "--jar", "absent.jar"), "there is no server jar at"),
    ],
)
def test_a_study_on_a_machine_that_lacks_something_ends_at_once(tmp_path, capsys, told, said):
    out = tmp_path / "run"
    words = ["study", "--server", "vanilla", *told, "--out", str(out), "--workers", "2"]
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert read_json_lines(out / FAULTS) == []
    assert not read_run(out).episodes


@pytest.mark.parametrize("spoiled", ["eula=ture\n", "eula = true\n", "elua=true\n", ""])
def test_an_eula_that_the_game_does_not_read_as_accepted_is_named(tmp_path, monkeypatch, spoiled):
    game = server(tmp_path, java_with_eula(tmp_path))
    prepare = game.prepare

    def then_spoil() -> None:
        prepare()
        assert (tmp_path / "eula.txt").read_text() == "eula=true\n"
        (tmp_path / "eula.txt").write_text(spoiled)

    monkeypatch.setattr(game, "prepare", then_spoil)
    with pytest.raises(Fault, match=r"accept Mojang's EULA .* with --accept-eula"):
        game.start()
    assert running(tmp_path) == []


def test_a_misspelt_consent_is_no_consent(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["doctor", "--server", "vanilla", "--accept-elua"])
    assert stopped.value.code == 2
    assert "--accept-elua" in capsys.readouterr().err


def test_a_game_that_is_done_and_does_not_listen_yet_is_not_ready(tmp_path, monkeypatch):
    monkeypatch.setattr(vanilla, "_START_SECONDS", 0.5)
    with pytest.raises(Fault, match="not ready after"):
        server(tmp_path, java_that_says(tmp_path, DONE)).start()


def test_trouble_is_told_at_once_and_not_when_the_time_is_up(tmp_path):
    line = "[Server thread/WARN]: Unable to initialise RCON on 127.0.0.1:1"
    with pytest.raises(Fault, match="the port for commands is taken"):
        server(tmp_path, java_that_says(tmp_path, DONE, line)).start()


def test_the_properties_keep_the_server_on_loopback_and_the_world_still(tmp_path):
    game = server(tmp_path, ready(tmp_path))
    game.prepare()
    lines = (tmp_path / "server.properties").read_text().splitlines()
    properties = dict(line.split("=", 1) for line in lines)
    wanted = {
        "server-ip": "127.0.0.1",
        "online-mode": "false",
        "spawn-protection": "0",
        "spawn-animals": "true",  # else the game removes the animals of the save
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
        ("[main/ERROR]: Couldn't parse loot table minecraft:blocks/stone", "datapack is refused"),
        ("[main/ERROR]: Couldn't load advancements", "datapack is refused"),
        ("[main/ERROR]: Failed to load function mirrorcraft:tick", "datapack is refused"),
        ("[main/WARN]: Missing data pack file/mirror.zip", "is not in the world's folder"),
        ("DirectoryLock$LockException: ./world/session.lock: already locked", "folder of its own"),
        ("java.nio.file.AccessDeniedException: ./world/level.dat", "cannot be written"),
        ("[main/FATAL]: Failed to start the minecraft server", "could not start"),
        ("[Server thread/WARN]: **** FAILED TO BIND TO PORT!", "port is taken"),
        ("java.lang.UnsupportedClassVersionError: net/minecraft", "Java 17 is needed"),
        ("[Server thread/ERROR]: This crash report has been saved to: x", "the game crashed"),
        ("java.io.IOException: No space left on device", "the disk is full"),
    ],
)
def test_what_the_log_complains_of_is_a_fault_with_advice(tmp_path, line, said):
    with pytest.raises(Fault, match=said):
        server(tmp_path, java_that_says(tmp_path, line, DONE, LISTENS)).start()
    assert running(tmp_path) == []


@pytest.mark.parametrize(("name", "value"), [("online-mode", "true"), ("spawn-protection", "16")])
def test_a_server_that_runs_by_other_properties_is_named(tmp_path, monkeypatch, name, value):
    asked = VanillaServer.properties
    monkeypatch.setattr(VanillaServer, "properties", lambda self: {**asked(self), name: value})
    game = server(tmp_path, ready(tmp_path))
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
        server(tmp_path, java_that_says(tmp_path, "Starting")).start()
    assert running(tmp_path) == []


def test_a_jar_of_another_sha1_is_refused(tmp_path):
    with pytest.raises(NotReady, match=r"has the sha1 .* the server jar of 1\.19 has e00c4052"):
        server(tmp_path, ready(tmp_path), check=True).start()
    with pytest.raises(NotReady, match="run `mirrorcraft server fetch`"):
        check_jar(tmp_path / "missing.jar")


def test_java_8_is_too_old(tmp_path):
    java = java_that_says(tmp_path, version="1.8.0_392")
    with pytest.raises(NotReady, match=r"no Java 17 or later found; .*\(Java 8\)"):
        find_java(java)


def test_the_java_of_this_machine_is_found():
    """The wheel of the extra, or the one on the path: a real one, asked for its version."""
    try:
        java = find_java()
    except NotReady as e:
        pytest.skip(f"no Java here: {e}")
    version = java_version(java)
    assert version is not None
    assert version >= vanilla.OLDEST_JAVA
    assert find_java(java) == java


def test_java_home_is_a_folder_with_a_java_in_it(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    java = ready(tmp_path / "bin")
    monkeypatch.setattr(vanilla, "_from_wheel", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java() == java


def test_no_java_at_all_is_named(tmp_path):
    with pytest.raises(NotReady, match="cannot be run"):
        find_java(str(tmp_path / "java"))


def test_the_game_ends_with_the_process_that_started_it(tmp_path):
    """The reaper sees its standard input close, as it does when its parent is killed."""
    game = server(tmp_path, ready(tmp_path))
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
