"""The commands ``model serve`` and ``estimate``."""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mirrorcraft.agents import AGENTS
from mirrorcraft.agents.serve import ModelServer, Troubles
from mirrorcraft.core.errors import InputError
from mirrorcraft.study.estimate import Estimate, dry_run
from mirrorcraft.study.estimate import estimate as estimated
from mirrorcraft.study.plan import StudyConfig, parse_study, study_text
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.store import read_run

SECONDS_PER_CALL = 2.0  # what a call of a small hosted model takes
_WIDTH = 120


def serve(port: int, trouble: str | None) -> int:
    """Serve the offline models on loopback until interrupted."""
    server = ModelServer(port, parse_troubles(trouble) if trouble else None)
    print(f"offline/prior is at {server.url}; stop with Ctrl-C", flush=True)
    server.run()
    return 0


def parse_troubles(text: str) -> Troubles:
    """Return the shares in ``rate_limited=0.1,dropped=0.01``.

    Raises:
        InputError: a name or a share is none, or they add up to more than 1.
    """
    expected = f"NAME=SHARE,... that add up to at most 1; names: {', '.join(Troubles._fields)}"
    try:
        shares = {n: float(s) for n, s in (part.split("=") for part in text.split(","))}
        troubles = Troubles(**shares)
    except (ValueError, TypeError):
        raise InputError("--trouble", "", text, expected) from None
    if not all(s >= 0 for s in troubles) or not sum(troubles) <= 1:
        raise InputError("--trouble", "", text, expected)
    return troubles


def estimate(
    study: str, worlds: int, workers: int, seconds_per_call: float | None, as_json: bool
) -> int:
    """Print what a study with models takes, from a dry run or, for a run folder, from what it holds."""
    config, played = _stored(study) if Path(study).is_dir() else _dry(study, worlds)
    if seconds_per_call is None and not Path(study).is_dir():
        seconds_per_call = SECONDS_PER_CALL
    rows = estimated(config, played, seconds_per_call=seconds_per_call, at_once=workers)
    if not rows:
        raise InputError(study, "agents", None, "an agent with a model, and an episode of it")
    if as_json:
        print(json.dumps([row._asdict() for row in rows], indent=1))
    else:
        _print(rows)
    return 0


def _stored(folder: str) -> tuple[StudyConfig, list[EpisodeRecord]]:
    stored = read_run(Path(folder), compact=True)
    return stored.config, stored.episodes


def _dry(study: str, worlds: int) -> tuple[StudyConfig, list[EpisodeRecord]]:
    config = parse_study(*study_text(study), AGENTS)

    def show(done: int, total: int) -> None:
        if done == total or done % 20 == 0:
            print(f"dry run: {done} of {total} episodes", file=sys.stderr, flush=True)

    return config, dry_run(config, worlds, on_progress=show)


def _print(rows: list[Estimate]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    table = Table("agent", "model", "rules", "episodes", "sampled", "calls", "input", "output", "US$", "hours")  # fmt: skip
    for row in rows:
        cost = "price unknown" if row.cost_usd is None else f"{row.cost_usd:,.2f}"
        counts = (row.episodes, row.sampled, row.calls, row.input, row.output)
        numbers = (f"{n:,}" for n in counts)
        table.add_row(row.agent, row.model, row.disclosure, *numbers, cost, f"{row.hours:.2f}")
    console.print(table)
    known = [row.cost_usd for row in rows if row.cost_usd is not None]
    unknown = sorted({row.model for row in rows if row.cost_usd is None})
    note = f"; no price is known of {', '.join(unknown)}" if unknown else ""
    console.print(f"in all US$ {sum(known):,.2f}{note}", highlight=False)
