"""The command ``doctor``: whether everything is in place, for the simulator or for a kind of server."""

import json
import os
import platform
from collections.abc import Callable, Iterator

from mirrorcraft.agents import AGENTS
from mirrorcraft.cli.server import wanted
from mirrorcraft.core.data import names_in, rules_dir
from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import rules_for


def doctor(
    as_json: bool, server: str | None, jar: str | None, accept_eula: bool, transport: str
) -> int:
    """Say whether everything is in place: for the simulator, or for a kind of server; 1 if not."""
    if server is None:
        findings = _examine()
    else:
        from mirrorcraft.server.doctor import examine

        findings = examine(wanted(server, jar, accept_eula, transport))
    found = {}
    for name, ok, said in findings:
        found[name] = {"ok": ok, "found": said}
        if not as_json:
            print(f"{'ok ' if ok else 'BAD'} {name:10} {said}", flush=True)
    if as_json:
        print(json.dumps(found))
    return 0 if all(one["ok"] for one in found.values()) else 1


def _examine() -> Iterator[tuple[str, bool, str]]:
    """Yield what the installation consists of: the name of each check, whether all is well, what was found."""
    for name, check in _CHECKS.items():
        try:
            yield name, True, check()
        except (MirrorcraftError, ImportError, OSError) as e:
            yield name, False, f"{type(e).__name__}: {e}"


def _python() -> str:
    return f"{platform.python_version()}, {os.cpu_count()} cores"


def _compiler() -> str:
    import numba
    import numpy

    return f"numba {numba.__version__}, numpy {numpy.__version__}"


def _cache() -> str:
    from mirrorcraft.sim import cache_dir

    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} cannot be written; set MIRRORCRAFT_CACHE")
    return str(folder)


def _rules() -> str:
    vanilla = rules_for("vanilla")
    return f"{rules_dir()}: {len(vanilla.recipes)} recipes, {len(vanilla.loot)} loot tables"


def _suites() -> str:
    return ", ".join(f"{s} ({len(rules_for(s).changes)} changes)" for s in names_in("suites"))


def _worlds() -> str:
    return ", ".join(World.load(name).id for name in World.names())


def _tasks() -> str:
    return ", ".join(f"{n} ({Task.load(n).budget} actions)" for n in Task.names())


_CHECKS: dict[str, Callable[[], str]] = {
    "python": _python,
    "compiler": _compiler,
    "cache": _cache,
    "rules": _rules,
    "suites": _suites,
    "worlds": _worlds,
    "tasks": _tasks,
    "agents": lambda: ", ".join(AGENTS),
}
