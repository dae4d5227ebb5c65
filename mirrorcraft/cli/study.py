"""The command ``study``."""

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
from mirrorcraft.study.plan import (
    parse_study,
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
