"""What a server of a kind needs, checked beforehand; each check says what is there, or what to do."""

import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import mirrorcraft.sim as sim
from mirrorcraft.core.data import names_in
from mirrorcraft.core.errors import MirrorcraftError, NotReady
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.server.node import find_node, node_version, packages_place
from mirrorcraft.server.process import free_port
from mirrorcraft.server.vanilla import (
    check_eula,
    check_jar,
    default_jar,
    find_java,
    java_version,
)
from mirrorcraft.server.wanted import Wanted

ROOM_MB = 1500  # packages, worlds and logs


class Finding(NamedTuple):
    """One check: its name, whether all is well, and what was found or what to do."""

    name: str
    ok: bool
    said: str


def examine(wanted: Wanted) -> Iterator[Finding]:
    """Check everything that a server of a kind needs; the last check plays one action on it."""
    checks: dict[str, Callable[[Wanted], str]] = {"node": _node, "packages": _packages}
    if wanted.transport == "bridge":
        checks["bridge"] = _bridge
    if wanted.kind == "vanilla":
        checks.update({"eula": _eula, "jar": _jar, "java": _java})
    checks.update({"room": _room, "ports": _ports})
    well = True
    for name, check in checks.items():
        finding = _attempt(name, partial(check, wanted))
        well = well and finding.ok
        yield finding
    if well:
        yield _attempt("play", partial(_play, wanted))
    else:
        yield Finding("play", False, "not tried: see above")


def _attempt(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except (MirrorcraftError, OSError) as e:
        return Finding(name, False, str(e))


def _node(wanted: Wanted) -> str:
    node = find_node()
    return f"{'.'.join(map(str, node_version(node)))} at {node}"


def _packages(wanted: Wanted) -> str:
    place = packages_place()
    return f"in {place}" if place.is_dir() else f"will be installed into {place} at first use"


def _bridge(wanted: Wanted) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"javascript {version('javascript')}"
    except PackageNotFoundError:
        raise NotReady("the package javascript is missing; install mirrorcraft[server]") from None


def _eula(wanted: Wanted) -> str:
    check_eula(wanted.accept_eula)
    return "accepted"


def _jar(wanted: Wanted) -> str:
    jar = wanted.jar or default_jar()
    check_jar(jar)
    return str(jar)


def _java(wanted: Wanted) -> str:
    java = find_java(wanted.java)
    return f"Java {java_version(java)} at {java}"


def _room(wanted: Wanted) -> str:
    said = []
    for place in (sim.CACHE_DIR, wanted.runs or Path(tempfile.gettempdir())):
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place):
                free = shutil.disk_usage(place).free // 1_000_000
        except OSError as e:
            said = f"{place} cannot be written ({e.strerror}); see its permissions and its disk"
            raise NotReady(f"{said}, or choose another: $MIRRORCRAFT_CACHE, $TMPDIR") from None
        if free < ROOM_MB:
            raise NotReady(f"{place} has {free} MB left; {ROOM_MB} MB are needed: make room")
        said.append(f"{place} ({free} MB free)")
    return ", ".join(said)


def _ports(wanted: Wanted) -> str:
    port = free_port()
    with socket.socket() as server:
        server.bind(("127.0.0.1", port))
    return "free ones on loopback"


def _play(wanted: Wanted) -> str:
    """Join a world under a suite, which checks packs, advancements and settings."""
    backend = wanted.backend()
    suite = names_in("suites")[0]
    rules = Rulebook.vanilla().apply(RuleManifest.load(suite))
    try:
        backend.reset(World.load(World.names()[0]), rules, Task.load("iron_armor"), seed=1)
    finally:
        backend.close()
    return f"a body joined under {suite}; packs and advancements are in force"
