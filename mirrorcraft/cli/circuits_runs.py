"""The commands of ``circuits`` about many attempts: run, study, gaps, report; and conform, about the real game."""

import sys
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from mirrorcraft.cli.circuits import print_json
from mirrorcraft.cli.files import write_asked
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits import report
from mirrorcraft.tracks.circuits.agents import AGENTS
from mirrorcraft.tracks.circuits.folder import ATTEMPTS, Folder
from mirrorcraft.tracks.circuits.plan import ENGINEER, Plan, play_plan
from mirrorcraft.tracks.circuits.record import Record, read_records
from mirrorcraft.tracks.circuits.tasks import FAMILIES, LEVELS, CircuitTask, names

_WIDTH = 120


def run(
    agents: list[str],
    model: str | None,
    base_url: str | None,
    api_key_env: str,
    conditions: list[str],
    tasks: list[str],
    runs: int,
    suite: str,
    independent: bool,
    max_cost: float | None,
    workers: int,
    out: str | None,
    as_json: bool,
) -> int:
    """Play the protocol as the arguments say, and print success and gaps; 1 if an attempt broke."""
    if (model is None) != (base_url is None):
        raise InputError("run", "--model", model, "--model and --base-url, both or neither")
    rows: list[dict[str, Any]] = [{"name": name} for name in agents]
    if model:
        settings = {"model": model, "base_url": base_url, "api_key_env": api_key_env}
        rows.append({"name": ENGINEER, **settings})
    data = {
        "schema_version": "1.0",
        "kind": "circuits",
        "agents": rows or [{"name": name} for name in AGENTS],
        "suites": [suite],
        "runs": runs,
        "setting": "independent" if independent else "curriculum",
        "max_cost_usd": max_cost,
        **({"conditions": conditions} if conditions else {}),
        **({"tasks": tasks} if tasks else {}),
    }
    return _play(Plan.from_data(data, "the command line"), out, workers, as_json)


def study(file: str, out: str, workers: int, as_json: bool) -> int:
    """Play a plan from a file, or go on with it, and print success and gaps; 1 if an attempt broke."""
    return _play(Plan.load(file), out, workers, as_json)


def _play(plan: Plan, out: str | None, workers: int, as_json: bool) -> int:
    total = len(list(plan.chains())) * len(plan.tasks)
    made = 0

    def told(record: Record) -> None:
        nonlocal made
        made += 1
        if made % 100 == 0 or record.usage:
            print(f"{made} new attempts of {total}", file=sys.stderr, flush=True)

    if out is None:
        played = play_plan(plan, workers=workers, told=told)
    else:
        with Folder(Path(out), plan.identity()) as folder:
            played = play_plan(plan, folder, workers=workers, told=told)
    print_report(played.records, as_json)
    for trouble in played.broken:
        print(f"not finished: {trouble}", file=sys.stderr)
    if len(played.records) < total:
        left = total - len(played.records)
        again = f"; run the same command again to go on ({out})" if out else ""
        print(f"{left} of {total} attempts are not made{again}", file=sys.stderr)
    return 0 if len(played.records) == total else 1


def gaps(attempts: str, as_json: bool) -> int:
    """Print success and gaps of a folder or file of attempts."""
    print_report(_records(attempts), as_json)
    return 0


def page(attempts: str, out: str | None, replays: list[str]) -> int:
    """Write the report of a folder of attempts as one HTML page."""
    folder = Path(attempts)
    made = report.report(folder, _records(attempts), replays)
    target = out or str(folder / "report.html")
    write_asked(Path(target), made)
    print(target)
    return 0


def _records(attempts: str) -> list[Record]:
    path = Path(attempts)
    return read_records(path / ATTEMPTS if path.is_dir() else path)


def conform(
    builds: list[str],
    server: str,
    jar: str | None,
    accept_eula: bool,
    as_json: bool,
) -> int:
    """Play builds in the real game and say where the engine differs; 1 if it does."""
    import tempfile

    from mirrorcraft.server.wanted import Wanted
    from mirrorcraft.tracks.circuits.build import Build
    from mirrorcraft.tracks.circuits.builders import solve
    from mirrorcraft.tracks.circuits.conform import conform as compared
    from mirrorcraft.tracks.circuits.game import open_game

    found = {Path(name).stem: Build.load(name) for name in builds}
    found = found or {name: solve(CircuitTask.load(name)) for name in names()}
    wanted = Wanted(server, jar=Path(jar) if jar else None, accept_eula=accept_eula)
    with tempfile.TemporaryDirectory(prefix="mirrorcraft-") as folder:
        made = wanted.maker()(Path(folder), 0)
        result = compared(
            found,
            lambda still: open_game(made, still),
            lambda line: print(line, file=sys.stderr, flush=True),
        )
    if as_json:
        print_json(result)
    else:
        for d in result["differences"]:
            print(f"DIFFERS {d['build']} {d['block']} at {d['pos']} from tick {d['tick']}: game {d['game']}, engine {d['engine']}")  # fmt: skip
        for name in result["skipped"]:
            print(f"SKIPPED {name}: it never comes to rest")
        print(f"{result['agree']} of {result['builds']} builds run alike")
    return 0 if result["agree"] == result["builds"] else 1


def print_report(records: list[Record], as_json: bool) -> None:
    """Print success, effort and gaps of attempts."""
    rows = report.rows_of(records)
    if as_json:
        print_json(rows)
        return
    played = [(row, name, means) for row in rows for name, means in row["conditions"].items()]
    who = ("agent", "suite", "condition")
    success = Table(*who, "n", "SR", *FAMILIES, *LEVELS, box=SIMPLE)
    effort = Table(*who, "trials", "scientist's", "rebuilds", "tokens", "US$", box=SIMPLE)
    for row, name, means in played:
        rates = [
            means["sr"],
            *map(means["families"].get, FAMILIES),
            *map(means["levels"].get, LEVELS),
        ]
        trials = [means[key] for key in ("trials", "scientist_trials", "rebuilds", "tokens")]
        names_of = row["agent"], row["suite"], name
        success.add_row(*names_of, str(means["n"]), *map(report.number, rates))
        effort.add_row(*names_of, *map(report.number, trials), report.number(means["cost_usd"], 4))
    console = Console(width=max(_WIDTH, Console().width))
    console.print(success)
    console.print(effort)
    for row in rows:
        for line in report.gap_lines(row):
            print(line)
