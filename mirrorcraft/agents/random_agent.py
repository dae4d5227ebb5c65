"""The floor of every study: an agent that draws uniformly from what it can do."""

from collections.abc import Iterator
from operator import itemgetter

from mirrorcraft.core.action import COOKERS, Action
from mirrorcraft.core.data import body
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rng import below
from mirrorcraft.core.routes import Catalog, Method, catalog
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task


class RandomAgent:
    """Draws one of the actions that the observation allows, as far as vanilla rules tell."""

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        """Begin an episode; see ``Agent.reset``."""
        self.seed = seed
        self.book = catalog(Rulebook.vanilla())

    def act(self, observation: Observation) -> Action | None:
        """Return the next action; see ``Agent.act``."""
        actions = executable(self.book, observation)
        return actions[below(len(actions), self.seed, observation.budget["used"], 0)]


def executable(book: Catalog, now: Observation) -> list[Action]:
    """Return the actions that an observation allows under a catalog, in a fixed order; never empty."""
    return [
        *_gathering(book, now), *_crafting(book, now), *_smelting(book, now),
        *_handling(book, now), *_moving(book, now), *_enchanting(book, now),
    ]  # fmt: skip


def _gathering(book: Catalog, now: Observation) -> Iterator[Action]:
    for block in sorted(now.targets):
        method = book.mine(block)
        if method and (not method.tools or any(t in now.inventory for t in method.tools)):
            yield from (Action("mine", {"block": block, "count": n}) for n in (1, 2, 3, 4))
            yield Action("prepare_access", {"target": block})
    for entity in sorted(now.entities):
        yield from (Action("attack", {"target": entity, "count": n}) for n in (1, 2, 3, 4))
    for item in sorted(now.drops):
        if now.drops[item] <= body()["collect_radius"]:
            yield Action("collect", {"item": item})


def _crafting(book: Catalog, now: Observation) -> Iterator[Action]:
    with_owned = {p: m for item in now.inventory for p, m in book.crafting_with.get(item, ())}
    for _, method in sorted(with_owned.items(), key=itemgetter(0)):
        if method.station and method.station not in now.facilities:
            continue
        grid = _filled(method, now)
        if grid is not None:
            yield Action("craft_grid", {"station": method.station or "inventory", "grid": grid})


def _filled(method: Method, now: Observation) -> list[list[str | None]] | None:
    """Return a recipe's grid filled from the inventory, or None when something is short."""
    left = dict(now.inventory)
    grid: list[list[str | None]] = []
    for row in method.cells:
        grid.append([])
        for pool in row:
            item = next((i for i in pool if left.get(i, 0) > 0), None) if pool else None
            if pool and item is None:
                return None
            if item is not None:
                left[item] -= 1
            grid[-1].append(item)
    return grid


def _smelting(book: Catalog, now: Observation) -> Iterator[Action]:
    for station in (s for s in COOKERS if s in now.facilities):
        for item in sorted(now.inventory):
            fueled = any(now.inventory.get(f, 0) > (f == item) for f in book.fuels)
            if fueled and ("smelt", item, station) in book.recipes:
                for n in range(1, min(6, now.inventory[item]) + 1):
                    yield Action("smelt", {"input": item, "station": station, "count": n})


def _handling(book: Catalog, now: Observation) -> Iterator[Action]:
    items = book.rulebook.items
    for item in sorted(now.inventory):
        if items[item].block:
            yield Action("place", {"block": item})
        elif items[item].tool or items[item].slot:
            yield Action("equip", {"item": item})


def _moving(book: Catalog, now: Observation) -> Iterator[Action]:
    """Yield exploring for kinds that have been seen, waiting, and ascending as far as blocks reach."""
    for target in sorted({*now.targets, *now.entities}):
        yield Action("explore", {"target": target})
    blocks = sum(now.inventory.get(i, 0) for i in body()["scaffold"])
    for height in range(min(6, blocks) + 1):
        yield Action("ascend", {"height": height})
    yield from (Action("wait", {"ticks": ticks}) for ticks in (20, 100, 200))


def _enchanting(book: Catalog, now: Observation) -> Iterator[Action]:
    method = book.enchanting
    lapis = now.inventory.get("lapis_lazuli", 0)
    if method.station not in now.facilities or not lapis:
        return
    for item in (i for i in method.tools if i in now.inventory):
        for option, cost in (("lowest", 1), ("middle", 2), ("highest", 3)):
            if lapis >= cost:
                yield Action("enchant", {"item": item, "option": option})
