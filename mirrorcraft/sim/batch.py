"""Many worlds at once, for training and rollouts: a fixed list of actions, and the same ``step`` as the single episode."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mirrorcraft.core.data import body
from mirrorcraft.core.ids import full
from mirrorcraft.core.recipes import CookingRecipe, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rng import seed_from
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.kernels.actions import encode
from mirrorcraft.sim.kernels.rollout import play_at_random, reset_each, step_each
from mirrorcraft.sim.layout import (
    ACTION,
    LOG,
    MAX_ITEMS,
    NONE,
    STATE,
    Skill,
    Station,
    one_row,
    rows,
)
from mirrorcraft.sim.observe import Names
from mirrorcraft.sim.tables import compile_tables
from mirrorcraft.sim.voxels import open_world


class Played(NamedTuple):
    """What a rollout came to: actions taken, episodes ended, of them at the goal."""

    actions: int
    episodes: int
    goals: int


class Batch:
    """``n`` copies of a world under one rulebook, each with an episode and luck of its own.

    Attributes:
        actions: array of ACTION rows, the discrete action space (``action_space``).
        states: array of STATE rows; a world's episode is its row.
    """

    def __init__(self, world: World, rules: Rulebook, task: Task, n: int):
        self.voxels, self.tables = one_row(open_world(world)), one_row(compile_tables(rules))
        self.states = rows(n, STATE)
        self.names = Names(Rulebook.vanilla(rules.version))
        self.actions = action_space(
            self.voxels[0], Rulebook.vanilla(rules.version), task, self.names
        )
        self._starts = _starts(self.actions)
        self._spawn, self._task = world.spawn, task
        self._goal = np.uint64(1 << self.names.advancements.index(task.goal.id))
        self._seeds = np.array(
            [seed_from("batch", world.id, task.id, i) for i in range(n)], np.uint64
        )
        self.reset()

    def reset(self) -> None:
        """Start every world's episode."""
        reset_each(self.states, self._seeds, *self._spawn, body()["experience_level"])

    def keep(self, wanted: np.ndarray) -> None:
        """Leave out the actions that are not ``wanted`` (bool, one an action); the first, ``wait``, must stay."""
        self.actions = self.actions[wanted]
        self._starts = _starts(self.actions)

    def step(self, choice: np.ndarray) -> None:
        """Step every world with ``actions[choice[i]]``; what came of it is in ``states`` (``code``, ``gained``, ...)."""
        step_each(self.tables, self.voxels, self.states, self.actions, choice)

    def play_at_random(self, steps: int) -> Played:
        """Take ``steps`` random executable actions in every world; a finished episode is followed by the next."""
        counts = np.zeros(3, np.int64)
        play_at_random(
            self.tables, self.voxels, self.states, self.actions, self._starts, self._seeds, np.array(self._spawn, np.int64),
            body()["experience_level"], self._goal, self._task.budget, steps, counts,
        )  # fmt: skip
        return Played(steps * len(self.states), int(counts[0]), int(counts[1]))


def action_space(voxels: np.record, vanilla: Rulebook, task: Task, names: Names) -> np.ndarray:
    """Return the actions that may serve a task in a world, from public facts alone: the same in Vanilla and Mirror.

    Each vanilla recipe on the way to a milestone as its first grid, each smelting on the way, each block and animal
    that drops something on the way, each station placed, each tool on the way enchanted at each price, armor worn,
    and the rest of the skills.
    """
    useful = _useful(vanilla, task)
    grids = [r for r in vanilla.ordered_recipes
             if isinstance(r, (ShapedRecipe, ShapelessRecipe)) and r.result in useful]  # fmt: skip
    plain: list[tuple[Skill, int, int, int]] = [(Skill.MINE, LOG, n, NONE) for n in (1, 4)]
    for b in (int(b) for b in voxels.kinds if b != NONE):
        if _gives(vanilla, f"blocks/{names.blocks[b]}", useful):
            plain += [(Skill.MINE, b, n, NONE) for n in (1, 4)] + [
                (Skill.PREPARE_ACCESS, b, 1, NONE)
            ]
    for e in sorted({int(e) for e in voxels.mobs[: voxels.n_mobs, 0]}):
        if _gives(vanilla, vanilla.entities[names.entities[e]].loot, useful):
            plain += [(Skill.ATTACK, e, 1, NONE), (Skill.EXPLORE, e, 1, 0)]
    for s in (Station.FURNACE, Station.BLAST_FURNACE, Station.SMOKER):
        for item in vanilla.items:
            cooked = vanilla.cook(s.name.lower(), item)
            if (
                item in useful
                and cooked
                and cooked.result in useful
                and not vanilla.items[item].durability
            ):
                plain += [(Skill.SMELT, names.item[item], n, int(s)) for n in (1, 6)]
    plain += [(Skill.PLACE, names.item[name], 1, NONE) for name in body()["stations"]]
    for item in sorted(useful):
        facts = vanilla.items[item]
        if facts.slot:
            plain.append((Skill.EQUIP, names.item[item], 1, NONE))
        if facts.enchantability and "lapis_lazuli" in useful:
            plain += [(Skill.ENCHANT, names.item[item], option, NONE) for option in range(3)]
        plain.append((Skill.COLLECT, names.item[item], 1, NONE))
    plain += [
        (Skill.EXPLORE, LOG, 1, NONE),
        (Skill.ASCEND, NONE, 0, NONE),
        (Skill.ASCEND, NONE, 2, NONE),
    ]
    actions, cells = rows(len(plain) + len(grids) + 1, ACTION), np.full(9, NONE, np.int64)
    for i, (skill, target, number, station) in enumerate([(Skill.WAIT, NONE, 20, NONE), *plain]):
        encode(actions, i, skill, target, number, station, cells, 0, 0)
    for i, recipe in enumerate(grids, len(plain) + 1):
        grid = _first_grid(recipe, vanilla)
        small = len(grid) <= 2 and len(grid[0]) <= 2
        flat = [NONE if c is None else names.item[c] for line in grid for c in line]
        cells[: len(flat)] = flat
        station = NONE if small else int(Station.CRAFTING_TABLE)
        encode(actions, i, Skill.CRAFT_GRID, NONE, 1, station, cells, len(grid[0]), len(grid))
    return actions[np.argsort([_key(a) for a in actions], kind="stable")]


def _key(action: np.record) -> int:
    """Return the item that an action cannot do without, -1 if it asks for a drop on the ground, -2 if for nothing."""
    if action.skill == Skill.CRAFT_GRID:
        return int(max(action.need_item[: action.n_needs]))
    if action.skill in (Skill.SMELT, Skill.PLACE, Skill.EQUIP, Skill.ENCHANT):
        return int(action.target)
    return -1 if action.skill == Skill.COLLECT else -2


def _starts(actions: np.ndarray) -> np.ndarray:
    """Return where each key's actions start among the sorted actions; see ``kernels.rollout``."""
    return np.searchsorted([_key(a) for a in actions], np.arange(-2, MAX_ITEMS + 1)).astype(
        np.int64
    )


def _useful(vanilla: Rulebook, task: Task) -> set[str]:
    """Return the items that vanilla rules put on some way to a task's milestones, stations, tools and fuel included."""
    useful = {
        item
        for item in vanilla.items
        if {m.id for m in task.milestones} & {*vanilla.triggered_by(item)}
    }
    useful |= {"crafting_table", "furnace", "wooden_pickaxe", "coal"}
    if any(m.id == "story/enchant_item" for m in task.milestones):
        useful |= {"enchanting_table", "lapis_lazuli", "diamond_pickaxe"}
    todo = list(useful)
    makers: dict[str, set[str]] = {}
    for recipe in vanilla.recipes.values():
        if isinstance(recipe, ShapedRecipe):
            ingredients = recipe.key.values()
        elif isinstance(recipe, ShapelessRecipe):
            ingredients = recipe.ingredients
        elif isinstance(recipe, CookingRecipe) and recipe.kind != "campfire_cooking":
            ingredients = (recipe.ingredient,)
        else:
            continue
        makers.setdefault(recipe.result, set()).update(
            i for g in ingredients for i in vanilla.expand(g)
        )
    while todo:
        new = makers.get(todo.pop(), set()) - useful
        useful |= new
        todo += sorted(new)
    return useful


def _gives(vanilla: Rulebook, table: str, useful: set[str]) -> bool:
    """Return whether a loot table names a useful item."""
    text = json.dumps(vanilla.loot.get(table, {}))
    return any(f'"{full(item)}"' in text for item in useful)


def _first_grid(
    recipe: ShapedRecipe | ShapelessRecipe, rules: Rulebook
) -> Sequence[Sequence[str | None]]:
    """Return a grid of a recipe with the first item that each ingredient takes."""
    if isinstance(recipe, ShapedRecipe):
        return [
            [None if c == " " else rules.expand(recipe.key[c])[0] for c in line]
            for line in recipe.pattern
        ]
    items: list[str | None] = [rules.expand(i)[0] for i in recipe.ingredients]
    width = min(len(items), 2 if len(items) <= 4 else 3)
    items += [None] * (-len(items) % width)
    return [items[i : i + width] for i in range(0, len(items), width)]
