"""What a sampled manifest may touch: the targets and products on the routes of the selected tasks."""

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from mirrorcraft.core import routes
from mirrorcraft.core.action import COOKERS
from mirrorcraft.core.routes.problem import problem
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

# Smaller and larger forms that unpack and pack nine to one; no route of vanilla needs them.
NUGGET_OF = {"iron_ingot": "iron_nugget"}
BLOCK_OF = {
    "coal": "coal_block",
    "raw_iron": "raw_iron_block",
    "diamond": "diamond_block",
    "lapis_lazuli": "lapis_block",
}
# A change speaks of all woods at once: how a name of one wood ends, and the tag in its place.
_WOODS = {
    "block": (("_log", "#logs"),),
    "recipe": (("_planks", "#planks"), ("_slab", "#wooden_slabs")),
    "cooking": (("_log", "#logs_that_burn"), ("_wood", "#logs_that_burn")),
    "entity": (),
}
_KINDS = {"craft_grid": "recipe", "smelt": "cooking", "mine": "block", "attack": "entity"}
_OPERATORS = {
    "recipe": "recipe",
    "processing": "cooking",
    "block_drops": "block",
    "entity_loot": "entity",
}


class Target(NamedTuple):
    """Something that one change may take.

    Attributes:
        kind: ``recipe``, ``cooking``, ``block`` or ``entity``.
        key: the name of it; no other change may take it as well.
        fields: the fields of the manifest's entry that name it.
        item: what it gives in vanilla; for new processing, the input.
        made: how many of it, for recipes.
    """

    kind: str
    key: str
    fields: dict[str, Any]
    item: str
    made: int = 1

    @property
    def is_ore(self) -> bool:
        """It is an ore, which no one can place again but with Silk Touch."""
        return self.kind == "block" and self.key.endswith("_ore")


class Catalog:
    """The targets and products of some tasks' routes in vanilla.

    Args:
        tasks: names of the tasks.

    Attributes:
        outputs: what the plans use, wield or end in, in the order in which they make it.
    """

    def __init__(self, tasks: tuple[str, ...]):
        self.vanilla = Rulebook.vanilla("1.19")
        self._book = routes.catalog(self.vanilla)
        loaded = [Task.load(name) for name in tasks]
        self._problems = [
            problem(self._book, task.goal.id, routes.NATURAL.names) for task in loaded
        ]
        plans = sorted((routes.check(self.vanilla, task).plan for task in loaded), key=len)
        self._steps = [step for plan in plans for step in plan]
        used = {item for step in self._steps for item in step.uses}
        goals = {i for p in self._problems for group in p.goal for pool in group for i in pool}
        made = dict.fromkeys(item for step in self._steps for item in step.makes)
        tool = self.vanilla.items
        self.outputs = tuple(i for i in made if i in used or i in goals or tool[i].tool)

    def stack(self, item: str) -> int:
        """Return how many of an item fit a slot."""
        return self.vanilla.items[item].stack

    def later_than(self, item: str) -> tuple[str, ...]:
        """Return the products that plans make after an item: no rule can turn back in a circle."""
        return self.outputs[self.outputs.index(item) + 1 :] if item in self.outputs else ()

    def targets(self, op: str) -> tuple[Target, ...]:
        """Return what an operator may take: removals the whole routes, all others the plans."""
        if op == "processing_added":
            return self._unprocessed
        kind, _, change = op.rpartition("_")
        found = self._on_routes if change == "removed" else self._on_plans
        found = tuple(t for t in found if t.kind == _OPERATORS[kind])
        if op == "block_drops_added":
            # What can be placed again could be broken without end for the sake of the extra.
            return tuple(t for t in found if t.is_ore)
        return found

    @cached_property
    def _on_plans(self) -> tuple[Target, ...]:
        targets = []
        for step in self._steps:
            if step.skill == "craft_grid":
                crafted = self.vanilla.craft(step.args["grid"])
                name = crafted.recipe if crafted else ""
            else:
                name = next(v for v in step.args.values() if isinstance(v, str))
            if step.skill in _KINDS:
                targets.append(self._target(_KINDS[step.skill], name))
        return _unique(targets)

    @cached_property
    def _on_routes(self) -> tuple[Target, ...]:
        methods = [m for p in self._problems for m in p.methods if m.skill in _KINDS]
        names = [(_KINDS[m.skill], m.target) for m in methods]
        # Bark from logs is on a route only as one more fuel, once for each wood.
        wanted = [n for n in names if not (n[0] == "recipe" and n[1].endswith("_wood"))]
        return _unique([self._target(*name) for name in wanted])

    @cached_property
    def _unprocessed(self) -> tuple[Target, ...]:
        """Products of the plans that no furnace takes in vanilla."""
        stations = ["furnace", "blast_furnace"]
        return tuple(
            Target("cooking", item, {"inputs": [item], "stations": stations}, item)
            for item in self.outputs
            if not any(self.vanilla.cook(station, item) for station in stations)
        )

    def _target(self, kind: str, name: str) -> Target:
        """Return a target by one of its names, widened to all woods and to both rocks of an ore."""
        wide = next((tag for end, tag in _WOODS[kind] if name.endswith(end)), name)
        if kind == "recipe":
            recipe = self._book.recipes["craft_grid", name, None]
            ((item, made),) = recipe.gives.items()
            return Target(kind, wide, {"recipes": [wide]}, item, made.least)
        if kind == "cooking":
            stations = [s for s in COOKERS if self.vanilla.cook(s, name)]
            cooked = self.vanilla.cook(stations[0], name)
            assert cooked is not None
            return Target(kind, wide, {"inputs": [wide], "stations": stations}, cooked.result)
        method = self._book.mine(name) if kind == "block" else self._book.attack(name)
        assert method is not None
        usual = max(method.gives, key=lambda i: method.gives[i].mean)
        item = next((i for i in method.gives if i in self.outputs), usual)
        if kind == "entity":
            return Target(kind, name, {"entities": [name]}, item)
        ore = name.removeprefix("deepslate_")
        both = [ore, f"deepslate_{ore}"] if ore.endswith("_ore") else [wide]
        return Target(kind, both[0], {"blocks": both}, item)


@lru_cache(maxsize=16)
def catalog(tasks: tuple[str, ...]) -> Catalog:
    """Return the catalog of some tasks; the same one for equal arguments."""
    return Catalog(tasks)


def _unique(targets: list[Target]) -> tuple[Target, ...]:
    """Return the targets, the first of each key."""
    found: dict[tuple[str, str], Target] = {}
    for target in targets:
        found.setdefault((target.kind, target.key), target)
    return tuple(found.values())
