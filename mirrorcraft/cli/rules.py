"""The commands ``rules check|show|describe|craft|drops|smelt|route``."""

import json
from dataclasses import asdict
from typing import Any

from mirrorcraft.cli.text import parse_grid
from mirrorcraft.core import routes
from mirrorcraft.core.action import COOKERS, Action, Checked, check
from mirrorcraft.core.data import names_in
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.ids import strip
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.study.plan import rules_for


def check_suites(suites: list[str], as_json: bool) -> int:
    """Check manifests and that every task can be finished under them; 1 if one cannot."""
    rows = []
    for suite in _or_all(suites):
        rules = rules_for(suite)
        found = {name: routes.check(rules, Task.load(name)) for name in Task.names()}
        missing = {name: list(route.missing) for name, route in found.items() if not route.ok}
        rows.append({"suite": suite, "changes": len(rules.changes), "unreachable": missing})
    if as_json:
        _print_json(rows)
    else:
        for row in rows:
            state = (
                f"unreachable: {row['unreachable']}"
                if row["unreachable"]
                else "all tasks reachable"
            )
            print(f"{row['suite']}: {row['changes']} changes, {state}")
    return 1 if any(row["unreachable"] for row in rows) else 0


def show(suites: list[str], as_json: bool) -> int:
    """Print the changes of suites: rule id, operator, targets."""
    listed = {suite: rules_for(suite).changes for suite in _or_all(suites)}
    if as_json:
        _print_json({suite: [asdict(c) for c in changes] for suite, changes in listed.items()})
        return 0
    for changes in listed.values():
        for change in changes:
            cooking = [f"{item} in {station}" for station, item in change.cooking]
            targets = [*change.recipes, *cooking, *change.blocks, *change.entities]
            print(f"{change.id:24} {change.op:22} {_shortened(targets)}")
    return 0


def describe(suites: list[str], as_json: bool) -> int:
    """Print the rule sheets of suites."""
    sheets = {suite: rules_for(suite).describe() for suite in _or_all(suites)}
    if as_json:
        _print_json(sheets)
        return 0
    for suite, lines in sheets.items():
        print("\n".join([suite, *(f"  {line}" for line in lines)]))
    return 0


def craft(grid: str, suite: str, as_json: bool) -> int:
    """Print what a grid crafts, or nothing; 1 if it crafts nothing."""
    rules = rules_for(suite)
    args = {"station": "crafting_table", "grid": parse_grid(grid)}
    action = check(Action("craft_grid", args), rules)
    if not isinstance(action, Checked):
        raise InputError("GRID", "", grid, f"a grid of items ({action.detail})")
    made = rules.craft(action.args["grid"])
    if as_json:
        _print_json({"item": made.item, "count": made.count} if made else {"item": None})
    else:
        print(f"{made.count} {made.item}" if made else "nothing")
    return 0 if made or as_json else 1


def drops(
    block: str, tool: str | None, silk_touch: bool, fortune: int, suite: str, as_json: bool
) -> int:
    """Print the exact distribution of what a broken block drops."""
    rules = rules_for(suite)
    block = _known("block", block, rules)
    tool = _known("item", tool, rules) if tool else None
    levels = {"silk_touch": int(silk_touch), "fortune": fortune}
    enchantments = {name: level for name, level in levels.items() if level}
    distribution = rules.drops(block, tool, enchantments)
    rows = [{"drops": dict(items), "p": str(p)} for items, p in sorted(distribution.items())]
    if as_json:
        _print_json(rows)
        return 0
    for row in rows:
        items = ", ".join(f"{n} {item}" for item, n in row["drops"].items())
        print(f"{row['p']:>8}  {items or 'nothing'}")
    return 0


def smelt(item: str, station: str, suite: str, as_json: bool) -> int:
    """Print what a station makes of an item, or nothing; 1 if it makes nothing of it."""
    rules = rules_for(suite)
    station, item = strip(station), _known("item", item, rules)
    if station not in COOKERS:
        raise UnknownNameError("station", station, COOKERS)
    made = rules.cook(station, item)
    if as_json:
        found = made and {"item": made.result, "count": made.count, "ticks": made.cookingtime}
        _print_json(found or {"item": None})
    else:
        print(f"{made.count} {made.result} in {made.cookingtime} ticks" if made else "nothing")
    return 0 if made or as_json else 1


def route(task: str, suite: str, as_json: bool) -> int:
    """Print a plan that finishes a task; 1 if there is none."""
    found = routes.check(rules_for(suite), Task.load(task))
    if as_json:
        plan = [
            {"skill": s.skill, "args": s.args, "makes": s.makes, "uses": s.uses} for s in found.plan
        ]
        head = {"task": task, "suite": suite, "ok": found.ok, "actions": found.actions}
        _print_json(head | {"sure": found.sure, "plan": plan, "missing": found.missing})
    else:
        print(found)
    return 0 if found.ok else 1


def _or_all(suites: list[str]) -> list[str]:
    return suites or list(names_in("suites"))


def _known(kind: str, name: str, rules: Rulebook) -> str:
    known = rules.items if kind == "item" else rules.blocks
    if strip(name) not in known:
        raise UnknownNameError(kind, name, known)
    return strip(name)


def _shortened(targets: list[str], most: int = 4) -> str:
    more = f" and {len(targets) - most} more" if len(targets) > most else ""
    return ", ".join(targets[:most]) + more


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))
