"""Outside data of vanilla 1.19 that tests hold the rules against; absent in a plain clone, so those tests skip."""

import importlib.util
import json
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
FOLDER = SHARED / "data" / "vanilla-1.19"
READING = SHARED / "prototypes" / "datapack" / "oracle.py"


def oracle(name: str) -> Any:
    """Return a parsed file of the oracle, or skip the test where the oracle is absent."""
    if not (FOLDER / name).is_file():
        pytest.skip(f"the oracle file {name} is not beside the project")
    return _parsed(name)


@cache
def _parsed(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@cache
def _reading() -> Any:
    spec = importlib.util.spec_from_file_location("independent_reading", READING)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._load = oracle  # its own loader looks elsewhere, and leaves files open
    return module


def reading() -> Any:
    """Return an independent reading of the rules, a module written without this package, or skip."""
    if not READING.is_file():
        pytest.skip("the independent reading of the rules is not beside the project")
    return _reading()


def reading_of(pack: Path) -> Any:
    """Return the independent reading's world under a pack, a folder, or skip."""
    module = reading()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves the files of packs open
        return module.World([str(pack)])


@cache
def reference_packs() -> dict[str, dict[str, Any]]:
    """Return suite -> {path in the pack: file} of another reading of the suites, or skip the test."""
    path = READING.parent / "mirror_reference.py"
    if not path.is_file():
        pytest.skip("the reference reading of the suites is not beside the project")
    spec = importlib.util.spec_from_file_location("mirror_reference", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    arguments, sys.argv = sys.argv, [str(path), "--data", str(FOLDER)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # it leaves its data files open
            spec.loader.exec_module(module)
    finally:
        sys.argv = arguments
    return {suite: pack.files for suite, pack in module.build().items()}
