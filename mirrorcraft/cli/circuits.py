"""The commands ``circuits tasks|trace|check|solve|picture|run|gaps|serve``."""

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits import builders, metrics, pictures, protocol
from mirrorcraft.tracks.circuits.agents import AGENTS, make_agent
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.physics import describe, physics_for
from mirrorcraft.tracks.circuits.physics import suites as known
from mirrorcraft.tracks.circuits.tasks import FAMILIES, LEVELS, CircuitTask, names
from mirrorcraft.tracks.circuits.trace import trace


def tasks(names_or_files: list[str], as_json: bool) -> int:
    """Print tasks: what they ask for, or all of it as JSON."""
    found = [CircuitTask.load(name) for name in names_or_files or names()]
    if as_json:
        _print_json([task.model_dump(mode="json", exclude_unset=True) for task in found])
        return 0
    for task in found:
        print(f"{task.task_id}: {task.task_description}")
    return 0


def rules(suites: list[str], as_json: bool) -> int:
    """Print the rule sheets of suites of changed physics."""
    sheets = {suite: describe(physics_for(suite)) for suite in suites or known()}
    if as_json:
        _print_json(sheets)
        return 0
    for suite, lines in sheets.items():
        print("\n".join([suite, *(f"  {line}" for line in lines)]))
    return 0


def show_trace(build: str, suite: str, as_json: bool) -> int:
    """Press the button of a build and print its lamps and dust, tick by tick."""
    seen = trace(Build.load(build), physics_for(suite))
    data = seen.to_data()
    if as_json:
        _print_json(data)
        return 0
    print(f"{data['lit_count']} of {len(data['lamps'])} lamps lit")
    for pos, row in data["lamps"].items():
        print(f"{pos:>12} {row.replace('0', '.').replace('1', '#')}")
    return 0


def check(build: str, task: str, suite: str, as_json: bool) -> int:
    """Say whether a build keeps a task's contract, and why not; 1 if it does not."""
    verdict = judge(CircuitTask.load(task), Build.load(build), physics_for(suite))
    if as_json:
        _print_json(
            {
                "passed": verdict.passed,
                "why": verdict.why,
                "problems": list(verdict.problems),
                "lit": verdict.lit,
                "lamps": verdict.lamps,
                "skew_gt": verdict.skew_gt,
            }
        )
    else:
        print(f"{'passed' if verdict.passed else 'failed'}: {verdict.why}")
    return 0 if verdict.passed else 1


def solve(family: str, level: str, show: bool, suite: str, as_json: bool) -> int:
    """Lay out the reference of a task, check it, and print the verdict or the build; 1 if it fails."""
    if family not in FAMILIES or level not in LEVELS:
        expected = f"a family of {' '.join(FAMILIES)} and a level of {' '.join(LEVELS)}"
        raise InputError("solve", "", f"{family} {level}", expected)
    task, physics = CircuitTask.load(f"{family}_{level}"), physics_for(suite)
    build = builders.solve(task, physics)
    verdict = judge(task, build, physics)
    if as_json:
        _print_json(build.to_data())
        return 0 if verdict.passed else 1
    print(f"{task.task_id}: {len(build.blocks)} blocks, {verdict.lit} of {verdict.lamps} lamps lit")
    print(f"{'passed' if verdict.passed else 'failed'}: {verdict.why}")
    if show:
        print(pictures.drawing(build))
    return 0 if verdict.passed else 1


def picture(build: str, out: str, tick: int, task: str | None, suite: str) -> int:
    """Write a picture of a build: an SVG at a tick, or, for a file .html, an animated page."""
    made, physics = Build.load(build), physics_for(suite)
    if out.endswith(".html"):
        text = pictures.replay(made, CircuitTask.load(task) if task else None, physics)
    elif out.endswith(".svg"):
        text = pictures.picture(made, tick, physics, Path(build).stem)
    else:
        raise InputError("--out", "", out, "a file that ends in .svg or .html")
    Path(out).write_text(text, encoding="utf-8")
    print(out)
    return 0


def run(
    agents: list[str],
    conditions: list[str],
    runs: int,
    suite: str,
    independent: bool,
    out: str | None,
    as_json: bool,
) -> int:
    """Play the protocol with agents that need no model, and print success and gaps."""
    found = [CircuitTask.load(name) for name in names()]
    cases = [protocol.condition(name) for name in conditions or list(protocol.CONDITIONS)[:4]]
    records: list[protocol.Record] = []
    for name in agents or list(AGENTS):
        make_agent(name)  # a wrong name is an error before anything is played
    for name in agents or list(AGENTS):
        records += protocol.play(
            name, AGENTS[name], found, cases, runs=runs, suite=suite, curriculum=not independent
        )
    if out:
        protocol.write(Path(out), records)
    return _print_report(records, as_json)


def gaps(file: str, as_json: bool) -> int:
    """Print success and gaps of the records of a file."""
    return _print_report(protocol.read(Path(file)), as_json)


def serve(task: str, suite: str, save: str | None) -> int:
    """Serve a task's laboratory over MCP on standard input and output."""
    from mirrorcraft.tracks.circuits.server import make_server

    lab = Laboratory(CircuitTask.load(task), physics_for(suite))
    print(f"serving {task} over MCP", file=sys.stderr)
    make_server(lab).run("stdio")
    if save:
        Path(save).write_text(json.dumps(lab.build().to_data()), encoding="utf-8")
    return 0


def _print_report(records: list[protocol.Record], as_json: bool) -> int:
    rows = []
    for agent, own in metrics.by(records, lambda r: r.agent).items():
        for suite, played in metrics.by(own, lambda r: r.suite).items():
            gap = metrics.gaps_of(played)
            conditions = {
                name: metrics.summary(group)._asdict()
                | {"families": _rates(group, "family"), "levels": _rates(group, "level")}
                for name, group in metrics.by(played, lambda r: r.condition).items()
            }
            rows.append(
                {
                    "agent": agent,
                    "suite": suite,
                    "conditions": conditions,
                    "gaps": gap and gap._asdict(),
                    "ratios": gap and gap.ratios(),
                }
            )
    if as_json:
        _print_json(rows)
        return 0
    for title, columns in (("families", FAMILIES), ("levels", LEVELS)):
        table = Table("agent", "condition", "n", "SR", *columns, "trials")
        for row in rows:
            for name, means in row["conditions"].items():
                shown = [means["sr"], *map(means[title].get, columns), means["trials"]]
                cells = ["-" if value is None else f"{value:.1f}" for value in shown]
                table.add_row(row["agent"], name, str(means["n"]), *cells)
        Console().print(table)
    for row in rows:
        if row["gaps"]:
            parts = [f"{k} {v:.1f}" for k, v in row["gaps"].items() if v is not None]
            print(f"gaps of {row['agent']} ({row['suite']}): {', '.join(parts)}")
    return 0


def _rates(records: list[protocol.Record], key: str) -> dict[str, float | None]:
    groups = metrics.by(records, lambda r: getattr(r, key))
    return {name: metrics.success(group) for name, group in groups.items()}


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))
