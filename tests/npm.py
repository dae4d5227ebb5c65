"""Pinned npm packages for tests that ask another program; without node or npm those tests skip."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import mirrorcraft.sim as sim

PINS = ("package.json", "package-lock.json")


def packages(folder: Path) -> Path:
    """The node_modules of a test folder's pins, installed once into the cache of this user."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here, which the other program needs")
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in PINS)).hexdigest()
    place = sim.CACHE_DIR / "npm" / digest[:16]
    if not place.is_dir():
        _install(folder, place)
    return place / "node_modules"


def _install(folder: Path, place: Path) -> None:
    """Install beside the place and move it there whole: several test processes may be at it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as made:
        for name in PINS:
            shutil.copyfile(folder / name, Path(made) / name)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"npm could not install {folder.name}'s packages: {done.stderr[-300:]}")
        (Path(made) / "done").mkdir()
        for name in (*PINS, "node_modules"):
            os.rename(Path(made) / name, Path(made) / "done" / name)
        try:
            os.replace(Path(made) / "done", place)
        except OSError:
            assert place.is_dir(), f"{place} cannot be made"  # else another process was first


def node(script: Path, *arguments: object) -> str:
    """What a script beside its package.json prints; its packages are installed first."""
    modules = packages(script.parent)
    done = subprocess.run(
        ["node", str(script), *map(str, arguments)],
        env={**os.environ, "NODE_PATH": str(modules)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
