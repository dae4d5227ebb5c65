"""Independent validators of datapacks: Mojang's schemas and the exact 1.19.0 command tree, installed by the tests.

The two tools are no part of the project; without them, without Node, npm or a network the tests skip and say so.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from npm import packages
from oracle import FOLDER, SHARED

import mirrorcraft.sim as sim

PINS = Path(__file__).parent / "validators"
PACK_TOOL = SHARED / "tools" / "validate_pack.mjs"
FUNCTION_TOOL = SHARED / "tools" / "validate_functions.py"
COMMANDS = FOLDER / "commands_119.json"


def pack_errors(pack: Path) -> list[str]:
    """What the schemas, references and loader rules of 1.19 say against a pack, a folder or a zip."""
    tool = _tool(PACK_TOOL)
    arguments = [pack, "--json", "--modules", packages(PINS).parent]
    done = _run("node", tool, *arguments)
    assert done.returncode in (0, 1), done.stderr
    problems: list[dict[str, Any]] = json.loads(done.stdout)["problems"]
    return [f"{p['file']} {p['path']}: {p['msg']}" for p in problems if p["level"] == "error"]


def function_errors(pack: Path) -> list[str]:
    """What the exact command tree of 1.19.0 says against the functions of a pack."""
    command = [sys.executable, _tool(FUNCTION_TOOL), pack, "--commands", _tool(COMMANDS)]
    done = _run(*command, PYTHONPATH=_parser())
    assert done.returncode in (0, 1), done.stderr
    *errors, summary = done.stdout.splitlines()
    assert "functions" in summary, done.stdout
    return errors


def _tool(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"the validator file {path.name} is not beside the project")
    return path


def _run(*command: object, **environment: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)],
        env=os.environ | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@cache
def _parser() -> Path:
    """The folder of the pinned parser of commands and what it needs, installed once."""
    pins = PINS / "requirements.txt"
    digest = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()
    place = sim.CACHE_DIR / "pip" / digest[:16]
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as made:
            target = Path(made, "packages")
            done = _run(sys.executable, "-m", "pip", "install", "-q", "-r", pins, "-t", target)
            if done.returncode != 0:
                pytest.skip(f"pip could not install the command parser: {done.stderr[-300:]}")
            if not place.is_dir():
                os.replace(target, place)
    return place
