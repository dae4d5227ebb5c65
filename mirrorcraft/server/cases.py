"""The cases of the conformance suite: scenes and actions whose outcome both backends must agree on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mirrorcraft.core.action import Action
from mirrorcraft.core.recipes import CookingRecipe, Ingredient, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rulebook import STATIONS, Rulebook
from mirrorcraft.server.stage import Cell, Draw, Enchantments, Scene

Grid = Sequence[Sequence[str | None]]

# What is crafted on the way to the three tasks; recipes that a suite changes are added to them.
CRAFTED = (
    "oak_planks", "birch_planks", "stick", "crafting_table", "wooden_pickaxe", "stone_pickaxe", "iron_pickaxe",
    "wooden_sword", "furnace", "blast_furnace", "smoker", "iron_helmet", "iron_chestplate", "iron_leggings",
    "iron_boots", "diamond_pickaxe", "book", "paper", "bookshelf", "enchanting_table", "iron_nugget", "iron_ingot",
    "iron_block", "diamond",
)  # fmt: skip
MINED = (
    "oak_log", "dirt", "grass_block", "stone", "deepslate", "cobblestone", "gravel", "sand", "coal_ore", "copper_ore",
    "iron_ore", "gold_ore", "redstone_ore", "lapis_ore", "diamond_ore", "deepslate_iron_ore", "deepslate_diamond_ore",
    "obsidian", "oak_leaves", "crafting_table", "furnace", "sugar_cane", "iron_block",
)  # fmt: skip
TOOLS = (
    None,
    "wooden_pickaxe",
    "stone_pickaxe",
    "golden_pickaxe",
    "iron_pickaxe",
    "diamond_pickaxe",
    "iron_axe",
)
COOKED = (
    "raw_iron", "raw_gold", "raw_copper", "iron_ore", "oak_log", "cobblestone", "sand", "beef", "potato", "dirt",
    "iron_hoe", "diamond_hoe", "coal_ore",
)  # fmt: skip
KILLED = ("cow", "pig", "sheep/white", "chicken")
ENCHANTED: tuple[tuple[str | None, Enchantments], ...] = (
    (None, ()),
    ("iron_pickaxe", ()),
    ("iron_pickaxe", (("fortune", 3),)),
    ("diamond_pickaxe", (("silk_touch", 1),)),
)
FLOOR: Cell = (1, 0, 0)  # where the block of a case stands, seen from the feet
STATION: Cell = (1, 0, 1)


@dataclass(frozen=True)
class Case:
    """One action in one scene.

    Attributes:
        id: unique among the cases of a rule set.
        kind: what it is about: ``craft``, ``cook``, ``mine`` or ``reason``.
        scene: what is around the body.
        action: what is done.
        lucky: what drops is drawn; then only what does not depend on the draw is compared.
    """

    id: str
    kind: str
    scene: Scene
    action: Action
    lucky: bool = False


def cases(rules: Rulebook, *, quick: bool = False) -> Iterator[Case]:
    """Yield the cases of a rule set.

    Args:
        rules: the rules to be played by.
        quick: fewer variants of each, and no case that takes long.
    """
    yield from _crafts(rules, quick)
    yield from _cooks(rules, quick)
    yield from _mines(rules, quick)
    if not rules.changes or not quick:
        yield from reasons()


# ---- crafting
def _crafts(rules: Rulebook, quick: bool) -> Iterator[Case]:
    changed = {
        name for change in rules.changes for kind, name, *_ in change.targets() if kind == "recipe"
    }
    vanilla = Rulebook.vanilla(rules.version)
    for book, tag in ((rules, ""), (vanilla, "-vanilla")):
        for recipe in book.recipes.values():
            asked = (
                recipe.id in changed if tag else recipe.id in changed or recipe.result in CRAFTED
            )
            if not asked or not isinstance(recipe, ShapedRecipe | ShapelessRecipe):
                continue
            # In Mirror worlds the grids of vanilla are tried as well: they must fail, or make something else.
            for variant, grid in _variants(_grid(recipe, rules), recipe, rules, quick):
                yield _craft(f"craft-{recipe.id}{tag}-{variant}", grid)


def _craft(ident: str, grid: Grid) -> Case:
    items: dict[str, int] = {}
    for name in (cell for row in grid for cell in row if cell):
        items[name] = items.get(name, 0) + 1
    small = len(grid) <= 2 and len(grid[0]) <= 2
    station = "inventory" if small else "crafting_table"
    blocks = {} if small else {STATION: "crafting_table"}
    action = Action("craft_grid", {"station": station, "grid": [list(row) for row in grid]})
    return Case(ident, "craft", Scene(items, blocks=blocks), action)


def _first(ingredient: Ingredient, rules: Rulebook) -> str:
    return rules.expand(ingredient)[0]


def _last(ingredient: Ingredient, rules: Rulebook) -> str:
    return rules.expand(ingredient)[-1]


def _grid(recipe: ShapedRecipe | ShapelessRecipe, rules: Rulebook) -> Grid:
    if isinstance(recipe, ShapedRecipe):
        return tuple(
            tuple(None if char == " " else _first(recipe.key[char], rules) for char in row)
            for row in recipe.pattern
        )
    cells: list[str | None] = [_first(i, rules) for i in recipe.ingredients]
    side = 1 if len(cells) == 1 else 2 if len(cells) <= 4 else 3
    cells += [None] * (-len(cells) % side)
    return tuple(tuple(cells[i : i + side]) for i in range(0, len(cells), side))


def _variants(
    grid: Grid, recipe: ShapedRecipe | ShapelessRecipe, rules: Rulebook, quick: bool
) -> Iterator[tuple[str, Grid]]:
    yield "exact", grid
    yield "one-less", _replaced(grid, None)
    if quick:
        return
    width, height = len(grid[0]), len(grid)
    if width < 3:
        yield "right", tuple((None, *row) for row in grid)
    if height < 3:
        yield "down", ((None,) * width, *grid)
    mirrored = tuple(tuple(reversed(row)) for row in grid)
    if mirrored != grid:
        yield "mirrored", mirrored
    turned = tuple(reversed(grid))
    if turned != grid:
        yield "upside-down", turned
    yield "wrong-item", _replaced(grid, "feather")
    if mixed := _mixed(grid, recipe, rules):
        yield "mixed-tag", mixed


def _replaced(grid: Grid, item: str | None) -> Grid:
    """Return the grid with its first occupied cell changed; a feather where it would become empty."""
    occupied = [(y, x) for y, row in enumerate(grid) for x, cell in enumerate(row) if cell]
    y, x = occupied[0]
    new = item if item or len(occupied) > 1 else "feather"
    rows = [list(row) for row in grid]
    rows[y][x] = new
    return tuple(tuple(row) for row in rows)


def _mixed(grid: Grid, recipe: ShapedRecipe | ShapelessRecipe, rules: Rulebook) -> Grid | None:
    """Return the grid with another member of a tag in one cell; None if no cell has a choice."""
    choices = recipe.key.values() if isinstance(recipe, ShapedRecipe) else recipe.ingredients
    for ingredient in choices:
        one, other = _first(ingredient, rules), _last(ingredient, rules)
        if one != other:
            rows = [list(row) for row in grid]
            y, x = next((y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c == one)
            rows[y][x] = other
            return tuple(tuple(row) for row in rows)
    return None


# ---- cooking
def _cooks(rules: Rulebook, quick: bool) -> Iterator[Case]:
    changed = {
        pair
        for change in rules.changes
        for kind, *pair in map(list, change.targets())
        if kind == "cooking"
        for pair in [tuple(pair)]
    }
    inputs = {item: None for item in COOKED}
    if not quick:
        inputs.update(dict.fromkeys(_cooked(rules) if not rules.changes else ()))
    for station in ("furnace", "blast_furnace", "smoker"):
        for item in inputs:
            if not rules.changes or (station, item) in changed or (item in COOKED and not quick):
                for count in (1, 2) if (station, item) in changed else (1,):
                    yield _cook(station, item, count)


def _cooked(rules: Rulebook) -> Iterable[str]:
    recipes = (r for r in rules.recipes.values() if isinstance(r, CookingRecipe))
    return sorted(
        {i for r in recipes if r.kind in STATIONS.values() for i in rules.expand(r.ingredient)[:1]}
    )


def _cook(station: str, item: str, count: int) -> Case:
    scene = Scene({item: count, "coal": 2 + count * (item == "coal")}, blocks={STATION: station})
    action = Action("smelt", {"input": item, "station": station, "count": count})
    return Case(f"cook-{station}-{item}-{count}", "cook", scene, action)


# ---- mining
def _mines(rules: Rulebook, quick: bool) -> Iterator[Case]:
    changed = {
        name for change in rules.changes for kind, name, *_ in change.targets() if kind == "block"
    }
    for block in MINED:
        if rules.changes and block not in changed:
            continue
        for tool in TOOLS[:5:2] if quick else TOOLS:
            scene = Scene({tool: 1} if tool else {}, blocks={FLOOR: block})
            action = Action("mine", {"block": block})
            drops = rules.drops(block, tool) if rules.harvestable(block, tool) else {}
            yield Case(f"mine-{block}-{tool or 'hand'}", "mine", scene, action, len(drops) > 1)


def draws(rules: Rulebook, *, quick: bool = False) -> Iterator[Draw]:
    """Yield the distributions of a rule set that are worth drawing from: those with more than one outcome."""
    changed = {
        name for change in rules.changes for kind, name, *_ in change.targets() if kind == "block"
    }
    for block in MINED:
        if rules.changes and block not in changed:
            continue
        for tool, enchantments in ENCHANTED[1:3] if quick else ENCHANTED:
            if (
                rules.harvestable(block, tool)
                and len(rules.drops(block, tool, dict(enchantments))) > 1
            ):
                name = "-".join([tool or "hand", *(n for n, _ in enchantments)])
                yield Draw(f"draw-{block}-{name}", block, tool, enchantments, None)
    beasts = {
        name for change in rules.changes for kind, name, *_ in change.targets() if kind == "entity"
    }
    for animal in KILLED:
        if not rules.changes or animal.split("/")[0] in beasts:
            yield Draw(f"draw-{animal}", None, None, (), animal)


# ---- reasons
def reasons() -> Iterator[Case]:
    """Yield a case for every reason that a scene of one room can bring about, and for what is next to each."""
    table, furnace, desk = ({STATION: b} for b in ("crafting_table", "furnace", "enchanting_table"))
    planks = [["oak_planks", "oak_planks"], ["oak_planks", "oak_planks"]]
    sword: tuple[tuple[str, Enchantments], ...] = (("iron_sword", (("sharpness", 1),)),)
    walled: dict[Any, str] = {
        (dx, dy, dz): "obsidian"
        for dx in (-1, 0, 1) for dz in (-1, 0, 1) for dy in (0, 1) if (dx, dz) != (0, 0)
    }  # fmt: skip
    wanted: tuple[tuple[str, Scene, str, dict[str, Any]], ...] = (
        ("needs-tool", Scene(blocks={FLOOR: "iron_ore"}), "mine", {"block": "iron_ore"}),
        ("needs-better-tool", Scene({"wooden_pickaxe": 1}, blocks={FLOOR: "diamond_ore"}), "mine", {"block": "diamond_ore"}),
        ("not-found", Scene(), "mine", {"block": "ancient_debris"}),
        ("not-found-hand", Scene(), "mine", {"block": "sponge"}),
        ("partial", Scene(blocks={FLOOR: "sponge"}), "mine", {"block": "sponge", "count": 2}),
        ("mine-two", Scene(blocks={FLOOR: "sponge", (2, 0, 1): "sponge"}), "mine", {"block": "sponge", "count": 2}),
        ("missing-item", Scene({"oak_planks": 3}), "craft_grid", {"station": "inventory", "grid": planks}),
        ("needs-table", Scene({"oak_planks": 4}), "craft_grid", {"station": "crafting_table", "grid": planks}),
        ("at-table", Scene({"oak_planks": 4}, blocks=table), "craft_grid", {"station": "crafting_table", "grid": planks}),
        ("no-result", Scene({"dirt": 1}), "craft_grid", {"station": "inventory", "grid": [["dirt"]]}),
        ("needs-furnace", Scene({"raw_iron": 1, "coal": 1}), "smelt", {"input": "raw_iron"}),
        ("needs-smoker", Scene({"beef": 1, "coal": 1}, blocks=furnace), "smelt", {"input": "beef", "station": "smoker"}),
        ("missing-input", Scene({"coal": 1}, blocks=furnace), "smelt", {"input": "raw_iron"}),
        ("no-fuel", Scene({"raw_iron": 1}, blocks=furnace), "smelt", {"input": "raw_iron"}),
        ("no-output", Scene({"dirt": 1, "coal": 1}, blocks=furnace), "smelt", {"input": "dirt"}),
        ("smelt-partial", Scene({"raw_iron": 1, "coal": 1}, blocks=furnace), "smelt", {"input": "raw_iron", "count": 2}),
        ("fuel-by-sticks", Scene({"raw_iron": 1, "stick": 4}, blocks=furnace), "smelt", {"input": "raw_iron"}),
        ("fire-goes-out", Scene({"raw_iron": 2, "oak_planks": 1}, blocks=furnace), "smelt", {"input": "raw_iron", "count": 2}),
        ("no-animal", Scene(), "attack", {"target": "zombie"}),
        ("enchant-missing", Scene({"lapis_lazuli": 3}, blocks=desk), "enchant", {"item": "iron_pickaxe"}),
        ("enchant-no-desk", Scene({"lapis_lazuli": 3, "iron_pickaxe": 1}), "enchant", {"item": "iron_pickaxe"}),
        ("enchant-no-lapis", Scene({"iron_pickaxe": 1}, blocks=desk), "enchant", {"item": "iron_pickaxe"}),
        ("enchant-two-lapis", Scene({"iron_pickaxe": 1, "lapis_lazuli": 2}, blocks=desk), "enchant", {"item": "iron_pickaxe", "option": "highest"}),
        ("enchant-dirt", Scene({"dirt": 1, "lapis_lazuli": 3}, blocks=desk), "enchant", {"item": "dirt"}),
        ("enchant-again", Scene({"lapis_lazuli": 3}, tools=sword, blocks=desk), "enchant", {"item": "iron_sword"}),
        ("enchant-level-0", Scene({"iron_pickaxe": 1, "lapis_lazuli": 3}, blocks=desk, level=0), "enchant", {"item": "iron_pickaxe"}),
        ("place-table", Scene({"crafting_table": 1}), "place", {"block": "crafting_table"}),
        ("place-not", Scene({"stick": 1}), "place", {"block": "stick"}),
        ("place-missing", Scene(), "place", {"block": "furnace"}),
        ("place-no-spot", Scene({"furnace": 1}, blocks=walled), "place", {"block": "furnace"}),
        ("equip-tool", Scene({"iron_pickaxe": 1}), "equip", {"item": "iron_pickaxe"}),
        ("equip-helmet", Scene({"iron_helmet": 1}), "equip", {"item": "iron_helmet"}),
        ("equip-boots", Scene({"iron_boots": 1, "dirt": 3}), "equip", {"item": "iron_boots"}),
        ("equip-station", Scene({"crafting_table": 1}), "equip", {"item": "crafting_table"}),
        ("equip-missing", Scene(), "equip", {"item": "iron_sword"}),
        ("collect-nothing", Scene(), "collect", {"item": "nether_star"}),
        ("ascend-no-scaffold", Scene({"dirt": 1}), "ascend", {"height": 2}),
        ("ascend-one", Scene({"dirt": 2}), "ascend", {"height": 1}),
        ("ascend-two", Scene({"cobblestone": 3}), "ascend", {"height": 2}),
        ("ascend-surface", Scene(), "ascend", {"height": 0}),
        ("trade-nobody", Scene({"emerald": 1}), "trade", {"give": "emerald", "get": "bread"}),
        ("wait", Scene(), "wait", {"ticks": 5}),
        ("full-pickup-failed", Scene(blocks={FLOOR: "sponge"}, fill="dirt"), "mine", {"block": "sponge"}),
        ("full-craft", Scene({"oak_log": 2}, fill="dirt"), "craft_grid", {"station": "inventory", "grid": [["oak_log"]]}),
        ("prepare-here", Scene(blocks={FLOOR: "sponge"}), "prepare_access", {"target": "sponge"}),
        ("prepare-nowhere", Scene(), "prepare_access", {"target": "sponge"}),
        ("invalid-skill", Scene(), "fly", {}),
        ("invalid-count", Scene(), "mine", {"block": "dirt", "count": 9}),
        ("unknown-id", Scene(), "mine", {"block": "irn_ore"}),
        ("unknown-cell", Scene(), "craft_grid", {"station": "inventory", "grid": [["oak_plank"]]}),
        ("ragged-grid", Scene(), "craft_grid", {"station": "inventory", "grid": [["dirt"], ["dirt", None]]}),
        ("big-grid", Scene(), "craft_grid", {"station": "inventory", "grid": [["dirt"] * 3]}),
        ("not-searchable", Scene(), "explore", {"target": "iron_ingot"}),
    )  # fmt: skip
    for name, scene, skill, args in wanted:
        yield Case(f"reason-{name}", "reason", scene, Action(skill, args))
