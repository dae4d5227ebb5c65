"""What everyone knows of unchanged Minecraft: recipe hypotheses for a task, and what the body can do now.

The same in Vanilla and Mirror worlds, so nothing of a changed rule is in it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from mirrorcraft.core.data import body
from mirrorcraft.core.facts import TIER_LEVEL
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.routes import Catalog, Method, catalog, check
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

HYPOTHESES = 20


def recipe_hypotheses(
    vanilla: Rulebook, task: Task, now: Observation, most: int = HYPOTHESES
) -> list[dict[str, Any]]:
    """Return the vanilla recipes on the way to a task, each with a grid for what is owned and what it lacks.

    Args:
        vanilla: the unchanged rules.
        task: recipes on its vanilla route are listed, and those that make their ingredients from what is owned.
        now: decides what is executable.
        most: entries to return, executable ones first.
    """
    usual = _usual_items(vanilla, task)
    rows = [_hypothesis(m, now, usual) for m in _recipes(vanilla, task)]
    rows += [
        row
        for m in _ingredient_recipes(vanilla, task)
        if (row := _hypothesis(m, now, usual))["executable"]
    ]
    return sorted(rows, key=lambda r: not r["executable"])[:most]


def capabilities(vanilla: Rulebook, now: Observation, highest: float) -> dict[str, Any]:
    """Return what the body can do where it stands: tools, minable targets, stations, supplies, depth.

    Args:
        vanilla: which tool a block asks for; no suite changes that.
        now: what is owned and in sight.
        highest: greatest height of the body so far, for the depth below it.
    """
    tools = _best_tools(vanilla, tuple(sorted(now.inventory)))
    needs = {
        b: need for b in now.targets if (need := _needs(vanilla, b, tuple(sorted(tools.values()))))
    }
    return {
        "tools": tools,
        "minable_now": [b for b in now.targets if b not in needs],
        "needs_tool": needs,
        "stations": dict(now.facilities),
        "fuel": {i: n for i, n in now.inventory.items() if _is_fuel(vanilla, i)},
        "scaffold_blocks": sum(now.inventory.get(i, 0) for i in body()["scaffold"]),
        "depth": round(highest - now.position["y"], 1),
    }


@lru_cache(maxsize=64)
def _recipes(vanilla: Rulebook, task: Task) -> tuple[Method, ...]:
    """Return the crafting and smelting methods on the vanilla route of a task, in its order."""
    book = catalog(vanilla)
    found: dict[Method, None] = {}
    for step in check(vanilla, task).plan:
        if step.skill == "smelt":
            found[book.recipes["smelt", step.args["input"], step.station]] = None
        elif step.skill == "craft_grid" and (made := vanilla.craft(step.args["grid"])):
            found[book.recipes["craft_grid", made.recipe, None]] = None
    return tuple(found)


@lru_cache(maxsize=64)
def _usual_items(vanilla: Rulebook, task: Task) -> frozenset[str]:
    """Return the items of the vanilla route of a task."""
    plan = check(vanilla, task).plan
    return frozenset(item for step in plan for item in (*step.makes, *step.uses))


@lru_cache(maxsize=64)
def _ingredient_recipes(vanilla: Rulebook, task: Task) -> tuple[Method, ...]:
    """Return crafting methods for what would do as well as an ingredient of the route: planks of other trees."""
    book, routed = catalog(vanilla), set(_recipes(vanilla, task))
    items = {i for m in routed for pool, _ in m.takes for i in pool if len(pool) > 1}
    made = (m for i in sorted(items) for m in _makers(book, i) if m not in routed)
    return tuple(dict.fromkeys(made))


def _makers(book: Catalog, item: str) -> Iterator[Method]:
    """Yield how an item is crafted from one kind of thing, as planks are; blocks of nine are left out."""
    for method in book.makers.get(item, ()):
        if method.skill == "craft_grid" and len(method.takes) == 1 and method.takes[0][1] == 1:
            yield method


def _hypothesis(method: Method, now: Observation, usual: frozenset[str]) -> dict[str, Any]:
    ready = method.station is None or method.station in now.facilities
    output, amount = next(iter(method.gives.items()))
    row: dict[str, Any] = {"output": output, "count": amount.least}
    if method.skill == "smelt":
        lacking = {} if now.inventory.get(method.target) else {method.target: 1}
        row |= {"skill": "smelt", "input": method.target, "station": method.station}
    else:
        grid, lacking = _filled(method, now, usual)
        row |= {"skill": "craft_grid", "station": method.station or "inventory", "grid": grid}
    return row | {
        "executable": ready and not lacking,
        "stationReady": ready,
        "missing": lacking,
    }


def _filled(
    method: Method, now: Observation, usual: frozenset[str]
) -> tuple[list[list[str | None]], dict[str, int]]:
    """Return a recipe's grid filled from the inventory as far as it goes, and what is missing for the rest."""
    left, lacking = dict(now.inventory), dict[str, int]()
    grid: list[list[str | None]] = []
    for row in method.cells:
        grid.append([])
        for pool in row:
            item = None
            if pool:
                owned = [i for i in pool if left.get(i, 0) > 0]
                had = [i for i in pool if i in now.inventory] or [i for i in pool if i in usual]
                item = (owned or had or list(pool))[0]
                if owned:
                    left[item] -= 1
                else:
                    lacking[item] = lacking.get(item, 0) + 1
            grid[-1].append(item)
    return grid, lacking


@lru_cache(maxsize=1024)
def _best_tools(vanilla: Rulebook, owned: tuple[str, ...]) -> dict[str, str]:
    best: dict[str, str] = {}
    for item in owned:
        facts = vanilla.items.get(item)
        if facts is None or facts.tool is None:
            continue
        old = best.get(facts.tool)
        if old is None or _level(vanilla, item) > _level(vanilla, old):
            best[facts.tool] = item
    return best


def _level(vanilla: Rulebook, item: str) -> int:
    return TIER_LEVEL.get(vanilla.items[item].tier or "", -1)


@lru_cache(maxsize=4096)
def _needs(vanilla: Rulebook, block: str, tools: tuple[str, ...]) -> str | None:
    """Return which tool a block asks for, None if it asks for none or one is owned."""
    if any(vanilla.harvestable(block, tool) for tool in (None, *tools)):
        return None
    facts = vanilla.blocks[block]
    tier = f"{facts.tier} " if facts.tier else ""
    return tier + " or ".join(facts.tools)


@lru_cache(maxsize=4096)
def _is_fuel(vanilla: Rulebook, item: str) -> bool:
    return item in catalog(vanilla).fuels
