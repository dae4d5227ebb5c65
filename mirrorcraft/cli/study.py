"""The commands ``study`` and ``doctor``."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from mirrorcraft.agents import AGENTS
from mirrorcraft.cli.runs import note, report
from mirrorcraft.core.data import names_in, rules_dir
from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import (
    parse_study,
    rules_for,
    study_text,
    with_backend,
    with_packs,
)
from mirrorcraft.study.play import Setup
from mirrorcraft.study.run import Limits, Progress, run_study


def study(
    file: str,
    out: str | None,
    workers: int | None,
    packs: list[str],
    max_cost: float | None,
    max_faults: int | None,
    server: str | None,
    jar: str | None,
    accept_eula: bool,
    transport: str,
    as_json: bool,
) -> int:
    """Play a study to its end and print its report; 1 if some episode was not played."""
    text, source = study_text(file)
    if packs:
        text = with_packs(text, source, packs)
    if server:
        text = with_backend(text, server)
    config = parse_study(text, source, AGENTS)
    folder = Path(out) if out else Path("runs") / config.name
    try:
        with _progress(config.name) as show:
            last = run_study(
                text,
                config,
                folder,
                workers=workers,
                setup=Setup.on(config.backend, jar, accept_eula, transport),
                limits=Limits(max_cost, max_faults),
                on_progress=show,
                on_note=note,
            )
    except KeyboardInterrupt:
        note(f"stopped; run the same command again to go on ({folder})")
        raise
    report(str(folder), None, None, [], False, as_json)
    if last.stopped:
        note(f"stopped: {last.stopped}; run the same command again to go on ({folder})")
    elif last.done < last.total:
        broke = last.total - last.done
        note(f"{broke} episodes broke; see {folder / 'faults.jsonl'} and run again")
    return 0 if last.done == last.total else 1


def doctor(as_json: bool) -> int:
    """Print what the installation consists of; 1 if something is missing."""
    rows = {name: _attempt(check) for name, check in _CHECKS.items()}
    if as_json:
        print(json.dumps({name: {"ok": ok, "found": found} for name, (ok, found) in rows.items()}))
    else:
        for name, (ok, found) in rows.items():
            print(f"{'ok ' if ok else 'BAD'} {name:10} {found}")
    return 0 if all(ok for ok, _ in rows.values()) else 1


def _attempt(check: Callable[[], str]) -> tuple[bool, str]:
    try:
        return True, check()
    except (MirrorcraftError, ImportError, OSError) as e:
        return False, f"{type(e).__name__}: {e}"


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


@contextmanager
def _progress(title: str) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows progress on stderr: a bar, or plain lines if no terminal."""
    console = Console(stderr=True)
    began: list[tuple[float, int]] = []  # when, and how many were done before

    def said(at: Progress) -> str:
        began.append((time.monotonic(), at.done)) if not began else None
        return standing(at, time.monotonic() - began[0][0], at.done - began[0][1])

    if not console.is_terminal:
        shown = -1

        def line(at: Progress) -> None:
            nonlocal shown
            text, tenth = said(at), 10 * at.done // at.total
            if tenth != shown:
                shown = tenth
                note(f"{title}: {at.done} of {at.total} episodes, {text}")

        yield line
        return
    columns: tuple[Any, ...] = (TextColumn(title), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TextColumn("{task.fields[said]}"), console=console) as bar:
        task = bar.add_task(title, said="")

        def update(at: Progress) -> None:
            bar.update(task, total=at.total, completed=at.done, said=said(at))

        yield update


def standing(at: Progress, seconds: float, played: int) -> str:
    """Return rate, time left, cost so far and faults in one line.

    Args:
        at: how far the study is.
        seconds: since this run began.
        played: episodes finished in it.
    """
    parts = [f"{at.faults} faults"]
    if played and seconds > 0:
        left = (at.total - at.done) * seconds / played
        parts += [f"{played / seconds:.1f}/s", f"{timedelta(seconds=round(left))} left"]
    if at.cost_usd:
        parts.append(f"{at.cost_usd:.2f} US$")
    return ", ".join(parts)
