"""The commands of ``circuits`` about one build or task: tasks, generate, rules, trace, show, check, solve, picture, play, serve."""

import json
import sys
from pathlib import Path
from typing import Any

from mirrorcraft.cli.files import write_asked
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits import builders, page, pictures
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.generator import DISTANCES, generate
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.physics import describe, physics_for, sample
from mirrorcraft.tracks.circuits.physics import suites as known
from mirrorcraft.tracks.circuits.sketch import LEGEND, LEGEND_AT_TICK, sketch
from mirrorcraft.tracks.circuits.tasks import FAMILIES, LEVELS, CircuitTask, names
from mirrorcraft.tracks.circuits.trace import trace


def tasks(names_or_files: list[str], as_json: bool) -> int:
    """Print tasks: what they ask for, or all of it as JSON."""
    found = [CircuitTask.load(name) for name in names_or_files or names()]
    if as_json:
        print_json([task.model_dump(mode="json", exclude_unset=True) for task in found])
        return 0
    for task in found:
        print(f"{task.task_id}: {task.task_description}")
    return 0


def make_task(
    family: str,
    lamps: int,
    reach: int,
    delays: list[int],
    distances: list[int],
    tau: int,
    out: str | None,
) -> int:
    """Write a task of any size as YAML, to a file or the terminal."""
    made = generate(
        family,
        lamps,
        reach=reach,
        delays=tuple(delays),
        distances=tuple(distances) or DISTANCES,
        tau=tau,
    )
    if out is None:
        print(made.to_yaml(), end="")
        return 0
    write_asked(Path(out), made.to_yaml())
    print(out)
    return 0


def rules(suites: list[str], sample_seed: int | None, as_json: bool) -> int:
    """Print the rule sheets of suites of changed physics, or a manifest drawn from a seed."""
    if sample_seed is not None:
        print(sample(sample_seed).model_dump_json(indent=1))
        return 0
    sheets = {suite: describe(physics_for(suite)) for suite in suites or known()}
    if as_json:
        print_json(sheets)
        return 0
    for suite, lines in sheets.items():
        print("\n".join([suite, *(f"  {line}" for line in lines)]))
    return 0


def show_trace(build: str, suite: str, as_json: bool) -> int:
    """Press the button of a build and print its lamps and dust, tick by tick."""
    seen = trace(Build.load(build), physics_for(suite))
    data = seen.to_data()
    if as_json:
        print_json(data)
        return 0
    print(f"{data['lit_count']} of {len(data['lamps'])} lamps lit; a column is a game tick")
    for pos, row in data["lamps"].items():
        print(f"{pos:>12} {row.replace('0', '.').replace('1', '#')}")
    return 0


def show(build: str, ticks: list[int], suite: str) -> int:
    """Press the button of a build and draw it, at some ticks or whenever something changes."""
    made = Build.load(build)
    most = max(ticks, default=made.ticks)
    seen = trace(made, physics_for(suite), ticks=max(most, made.ticks))
    changed = sorted({0, *(event.tick for event in seen.events())})
    for tick in ticks or changed:
        lit = sum(int(row[tick]) for row in seen.lamps.values())
        print(f"tick {tick}: {lit} of {len(seen.lamps)} lamps lit\n{sketch(made, seen, tick)}\n")
    print(LEGEND_AT_TICK)
    return 0


def check(build: str, task: str, suite: str, as_json: bool) -> int:
    """Say whether a build keeps a task's contract, and why not; 1 if it does not."""
    verdict = judge(CircuitTask.load(task), Build.load(build), physics_for(suite))
    if as_json:
        print_json(
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


def solve(family: str, level: str | None, show: bool, suite: str, as_json: bool) -> int:
    """Lay out the reference of a task, check it, and print the verdict or the build; 1 if it fails."""
    task, physics = CircuitTask.load(_task_name(family, level)), physics_for(suite)
    build = builders.solve(task, physics)
    verdict = judge(task, build, physics)
    if as_json:
        print_json(build.to_data())
        return 0 if verdict.passed else 1
    print(f"{task.task_id}: {len(build.blocks)} blocks, {verdict.lit} of {verdict.lamps} lamps lit")
    print(f"{'passed' if verdict.passed else 'failed'}: {verdict.why}")
    if show:
        print(f"{sketch(build)}\n\n{LEGEND}")
    return 0 if verdict.passed else 1


def _task_name(family: str, level: str | None) -> str:
    if level is None:
        return family  # a task by name, or a file
    if family not in FAMILIES or level not in LEVELS:
        expected = f"a family of {' '.join(FAMILIES)} and a level of {' '.join(LEVELS)}"
        raise InputError("solve", "", f"{family} {level}", expected)
    return f"{family}_{level}"


def picture(build: str, out: str, tick: int, task: str | None, suite: str) -> int:
    """Write a picture of a build: an SVG at a tick, or, for a file .html, an animated page."""
    made, physics = Build.load(build), physics_for(suite)
    if out.endswith(".html"):
        text = page.replay(made, CircuitTask.load(task) if task else None, physics)
    elif out.endswith(".svg"):
        text = pictures.picture(made, tick, physics, Path(build).stem)
    else:
        raise InputError("--out", "", out, "a file that ends in .svg or .html")
    write_asked(Path(out), text)
    print(out)
    return 0


def play(task: str, suite: str, save: str | None) -> int:
    """Let the person at the terminal build and press in a task's laboratory; 1 if the contract is not kept."""
    from mirrorcraft.cli.circuits_person import person

    lab = Laboratory(CircuitTask.load(task), physics_for(suite))
    person(lab)
    verdict = judge(lab.task, lab.build(), physics_for(suite))
    print(f"{'passed' if verdict.passed else 'failed'}: {verdict.why}")
    if save:
        write_asked(Path(save), json.dumps(lab.build().to_data()))
    return 0 if verdict.passed else 1


def serve(task: str, suite: str, save: str | None) -> int:
    """Serve a task's laboratory over MCP on standard input and output."""
    from mirrorcraft.tracks.circuits.server import make_server

    lab = Laboratory(CircuitTask.load(task), physics_for(suite))
    print(f"serving {task} over MCP", file=sys.stderr)
    make_server(lab).run("stdio")
    if save:
        write_asked(Path(save), json.dumps(lab.build().to_data()))
    return 0


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=1))
