"""Everything that two rulebooks decide differently, event by event: grids, inputs, blocks, kills and the rest."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mirrorcraft.core.apply_loot import proper_tool
from mirrorcraft.core.loot_check import loot_references
from mirrorcraft.core.overlay_files import Resource
from mirrorcraft.core.recipes import Ingredient, ShapedRecipe, ShapelessRecipe, SmithingRecipe
from mirrorcraft.core.rulebook import STATIONS, Rulebook

Grid = tuple[tuple[str | None, ...], ...]
Slots = tuple[tuple[Ingredient | None, ...], ...]  # a grid of what each cell accepts
Target = tuple[str, ...]  # as ``Change.targets`` gives them, or ("file", "tags/items/planks")


class Difference(NamedTuple):
    """An event that comes out otherwise under two rulebooks.

    Attributes:
        targets: what a change must own, one of them at least, so that the difference is declared.
        event: the event in words.
        before, after: what comes of it.
    """

    targets: tuple[Target, ...]
    event: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.event}: {self.before} before, {self.after} now"


def differences(before: Rulebook, after: Rulebook) -> Iterator[Difference]:
    """Yield every event that comes out otherwise.

    Crafting is tried with the grids of ``recipe_grids``; cooking with every input and station; breaking with the bare
    hand, shears and the proper tool, plain, with Silk Touch and Fortune III, and in every block state that its table
    asks for; killing with and without Looting III, fire and a player, in every variant. Then tags, fuels, advancements
    and the recipes of stations that no skill uses are compared as they are written.
    """
    for grid in recipe_grids(before, after):
        if found := crafting(grid, before, after):
            yield found
    for ident in sorted(before.recipes.keys() | after.recipes.keys()):
        pair = [rules.recipes.get(ident) for rules in (before, after)]
        if pair[0] != pair[1] and any(isinstance(recipe, SmithingRecipe) for recipe in pair):
            made = [recipe.result if recipe else "nothing" for recipe in pair]
            yield Difference((("recipe", ident),), f"smithing {ident}", *made)
    yield from _cooking(before, after)
    tables = _changed_tables(before, after)
    yield from _breaking(before, after, tables)
    yield from _killing(before, after, tables)
    yield from _written(before, after)


# --- crafting


def recipe_grids(before: Rulebook, after: Rulebook) -> Iterator[Grid]:
    """Yield for each recipe one grid, and one more for each other thing that a kind of its slots accepts."""
    seen: set[Grid] = set()
    for rules in (before, after):
        for recipe in rules.recipes.values():
            if isinstance(recipe, ShapedRecipe | ShapelessRecipe):
                for grid in _fillings(slots(recipe), rules):
                    if grid not in seen:
                        seen.add(grid)
                        yield grid


def slots(recipe: ShapedRecipe | ShapelessRecipe) -> Slots:
    """Return what each cell of a recipe's grid accepts."""
    if isinstance(recipe, ShapedRecipe):
        return tuple(tuple(recipe.key.get(char) for char in row) for row in recipe.pattern)
    row = (*recipe.ingredients, *[None] * (-len(recipe.ingredients) % 3))
    return tuple(row[i : i + 3] for i in range(0, len(row), 3))


def filled(cells: Slots, choose: Callable[[Ingredient], str]) -> Grid:
    """Return a grid with an item chosen for each slot."""
    return tuple(tuple(choose(slot) if slot else None for slot in row) for row in cells)


def _fillings(cells: Slots, rules: Rulebook) -> Iterator[Grid]:
    kinds = {slot: rules.expand(slot) for row in cells for slot in row if slot}
    if not all(kinds.values()):  # an empty tag: nothing fits
        return
    usual = {slot: items[0] for slot, items in kinds.items()}
    for slot, items in kinds.items():
        for item in items:
            chosen = {**usual, slot: item}
            yield filled(cells, chosen.__getitem__)


def crafting(grid: Grid, before: Rulebook, after: Rulebook) -> Difference | None:
    """Return how a grid comes out otherwise, or None if it does not."""
    pair = [rules.craft(grid) for rules in (before, after)]
    made = [f"{c.count} {c.item}" if c else "nothing" for c in pair]
    if made[0] == made[1]:
        return None
    recipes = dict.fromkeys(c.recipe for c in pair if c)
    rows = " / ".join(" ".join(cell or "-" for cell in row) for row in grid)
    return Difference(tuple(("recipe", r) for r in recipes), f"crafting [{rows}]", *made)


# --- stations, blocks, entities


def _cooking(before: Rulebook, after: Rulebook) -> Iterator[Difference]:
    for station in STATIONS:
        for item in after.items:
            pair = [rules.cook(station, item) for rules in (before, after)]
            made = [
                f"{r.count} {r.result} in {r.cookingtime} ticks for {r.experience} points"
                if r
                else "nothing"
                for r in pair
            ]
            if made[0] != made[1]:
                target = ("cooking", station, item)
                yield Difference((target,), f"cooking {item} in a {station}", *made)


def _changed_tables(before: Rulebook, after: Rulebook) -> set[str]:
    """Return the loot tables that may give something else; the others need no look.

    A table gives what it says, what tables that it refers to give, and, with tags and a furnace, what those say.
    """
    names = before.loot.keys() | after.loot.keys()
    smelted = [
        {item: rules.cook("furnace", item) for item in rules.items} for rules in (before, after)
    ]
    if before.item_tags != after.item_tags:
        return set(names)
    changed = {name for name in names if before.loot.get(name) != after.loot.get(name)}
    if smelted[0] != smelted[1]:
        changed |= {n for n, table in after.loot.items() if "furnace_smelt" in json.dumps(table)}
    asked = {name: loot_references(table) for name, table in after.loot.items()}
    while more := {name for name in asked.keys() - changed if asked[name] & changed}:
        changed |= more
    return changed


def _breaking(before: Rulebook, after: Rulebook, tables: set[str]) -> Iterator[Difference]:
    for block, facts in after.blocks.items():
        same = f"blocks/{block}" not in tables and facts == before.blocks[block]
        if facts.hardness < 0 or same:
            continue
        tool = proper_tool(block, after) or "iron_pickaxe"
        ways: list[tuple[str | None, dict[str, int], dict[str, str]]] = [
            (None, {}, {}),
            ("shears", {}, {}),
            (tool, {}, {}),
            (tool, {"silk_touch": 1}, {}),
            (tool, {"fortune": 3}, {}),
        ]
        pair = [rules.loot.get(f"blocks/{block}") for rules in (before, after)]
        if pair[0] is not pair[1]:
            ways += [(tool, {}, state) for table in pair for state in _states(table)]
        for tool, levels, state in ways:
            made = [rules.drops(block, tool, levels, state) for rules in (before, after)]
            if made[0] != made[1]:
                means = ", ".join([tool or "the bare hand", *levels, *map("=".join, state.items())])
                event = f"breaking {block} with {means}"
                yield Difference((("block", block),), event, *map(drops_text, made))


def _states(table: Any) -> Iterator[dict[str, str]]:
    """Yield the block states that a loot table asks for."""
    if isinstance(table, dict):
        if str(table.get("condition")).endswith("block_state_property"):
            yield dict(table.get("properties", {}))
        for part in table.values():
            yield from _states(part)
    elif isinstance(table, list):
        for part in table:
            yield from _states(part)


def _killing(before: Rulebook, after: Rulebook, tables: set[str]) -> Iterator[Difference]:
    ways: tuple[tuple[str, dict[str, Any]], ...] = (
        ("", {}),
        (" with Looting III", {"looting": 3}),
        (" by fire", {"on_fire": True}),
        (" without a player", {"by_player": False}),
    )
    for name, entity in after.entities.items():
        own = [t for t in after.loot if t == entity.loot or t.startswith(f"{entity.loot}/")]
        for table in (table for table in own if table in tables):
            variant = table[len(entity.loot) + 1 :] or None
            for words, how in ways:
                made = [rules.kill(name, variant=variant, **how) for rules in (before, after)]
                if made[0] != made[1]:
                    # What burns is cooked: a changed furnace shows in what a burning animal drops.
                    raw = {
                        item for stacks in after.kill(name, variant=variant) for item, _ in stacks
                    }
                    cooked = [("cooking", "furnace", i) for i in sorted(raw) if "on_fire" in how]
                    event = f"killing a {variant + ' ' if variant else ''}{name}{words}"
                    targets = (("entity", name), *cooked)
                    yield Difference(targets, event, *map(drops_text, made))


def drops_text(drops: Any) -> str:
    """Return a distribution in words, the likeliest yield first."""
    ranked = sorted(drops.items(), key=lambda case: (-case[1], case[0]))
    cases = [
        (" + ".join(f"{n} {item}" for item, n in stacks) or "nothing")
        + ("" if p == 1 else f" ({float(p):.0%})")
        for stacks, p in ranked[:4]
    ]
    return " or ".join([*cases, *(["..."] if len(ranked) > 4 else [])])


# --- what is only written down


def _written(before: Rulebook, after: Rulebook) -> Iterator[Difference]:
    others = [dict.fromkeys(rules.other_recipes, True) for rules in (before, after)]
    for folder, was, now in (
        ("tags/items", before.item_tags, after.item_tags),
        ("tags/blocks", before.block_tags, after.block_tags),
        ("advancements", before.advancements, after.advancements),
        ("recipes", *others),
        ("fuels", before.fuels, after.fuels),
    ):
        for name in sorted(was.keys() | now.keys()):
            if was.get(name) != now.get(name):
                pair = (json.dumps(part.get(name)) for part in (was, now))
                yield Difference((("file", place(folder, name)),), f"{folder} {name}", *pair)


def place(folder: str, name: str) -> str:
    """Return the place of a file in a pack, as the ids of changes read off packs have it."""
    resource = Resource.of(folder, name)
    path = resource.path.removesuffix(".json")
    return path if resource.namespace == "minecraft" else f"{resource.namespace}:{path}"
