"""What an episode is made with: versions, commit, and digests of code, rules and world."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from mirrorcraft import __version__
from mirrorcraft.core.data import named_file, read_json
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import rules_for

SIMULATOR = "simulator"


class Provenance(NamedTuple):
    """What an episode was made with.

    Attributes:
        version: version of mirrorcraft.
        code: digest of the package's Python files and prompts, so that an edited checkout is told
            apart.
        rules: digest of the rules that were played.
        world: digest of the world and its biome spec.
        python: version of Python.
        numba: version of numba.
        commit: the git commit of the checkout; None for an installed package.
        dirty: whether the checkout differed from that commit; None without one.
        backend: ``simulator``, or what else played the world.
        datapack, server, node: digest of what the server loaded, versions of the server and of
            Node; None on the simulator.
    """

    version: str
    code: str
    rules: str
    world: str
    python: str
    numba: str
    commit: str | None = None
    dirty: bool | None = None
    backend: str = SIMULATOR
    datapack: str | None = None
    server: str | None = None
    node: str | None = None


def digest(text: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def provenance(spec: EpisodeSpec, made_with: Mapping[str, str] | None = None) -> Provenance:
    """Return what an episode of ``spec`` is made with, here and now.

    Args:
        spec: what is played.
        made_with: ``backend``, ``datapack``, ``server`` and ``node`` of a backend that is not the
            simulator.
    """
    commit, dirty = _checkout()
    return Provenance(
        version=__version__,
        code=_code_digest(),
        rules=rules_for(spec.suite).digest[:16],
        world=world_digest(spec.world),
        python=platform.python_version(),
        numba=_numba_version(),
        commit=commit,
        dirty=dirty,
        **(made_with or {}),
    )


@cache
def world_digest(name: str) -> str:
    """Return the digest of the content of a world's file and of its biome's."""
    files = World.file(name), named_file("biomes", World.load(name).biome)
    content = [read_json(f) for f in files]
    return digest(json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


@cache
def _checkout() -> tuple[str | None, bool | None]:
    """Return commit and dirty flag of the checkout that this package is in, if it is in one."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None, None
    try:
        commit, changes = (
            subprocess.run(
                ["git", "-C", root, *words], capture_output=True, text=True, check=True
            ).stdout
            for words in (("rev-parse", "HEAD"), ("status", "--porcelain", "mirrorcraft", "rules"))
        )
    except (OSError, subprocess.CalledProcessError):
        return None, None  # no git at hand: the digest of the code still tells what was played
    return commit.strip()[:16], bool(changes.strip())


@cache
def _numba_version() -> str:
    return version("numba")  # from the metadata: importing numba takes half a second


@cache
def _code_digest() -> str:
    package = Path(__file__).resolve().parents[1]
    total = hashlib.sha256()
    files = (file for kind in ("*.py", "*.j2") for file in package.rglob(kind))
    for file in sorted(files):
        total.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]
