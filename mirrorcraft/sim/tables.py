"""A Rulebook compiled to the record that the kernels read; no rule reaches the simulated world any other way."""

from collections.abc import Iterable
from functools import lru_cache
from math import ceil

import numpy as np

from mirrorcraft.core.data import body
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.recipes import Ingredient, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rulebook import MINING_CLASSES, TIER_LEVEL, TIER_SPEED, Item, Rulebook
from mirrorcraft.sim.kernels.breaking import LEAVES_NOTHING
from mirrorcraft.sim.layout import (
    MAX_CANDIDATES,
    MAX_INGREDIENTS,
    MAX_RECIPES,
    NONE,
    TABLES,
    ToolClass,
    rows,
)
from mirrorcraft.sim.loot_tables import compile_loot

TOOL_CLASSES = {c.name.lower(): int(c) for c in ToolClass}
ARMOR_SLOTS = {"head": 0, "chest": 1, "legs": 2, "feet": 3}
COOKERS = ("furnace", "blast_furnace", "smoker")
# Blocks that come off when the block below them goes.
ON_GROUND_TAGS = (
    "small_flowers",
    "tall_flowers",
    "saplings",
    "crops",
    "wool_carpets",
    "wooden_pressure_plates",
)
ON_GROUND = (
    "grass fern tall_grass large_fern dead_bush sugar_cane cactus bamboo bamboo_sapling sweet_berry_bush "
    "brown_mushroom red_mushroom lily_pad snow torch redstone_torch redstone_wire repeater comparator rail "
    "powered_rail detector_rail activator_rail stone_pressure_plate azalea flowering_azalea moss_carpet"
).split()


@lru_cache(maxsize=64)
def compile_tables(rules: Rulebook) -> np.record:
    """Return the compiled rules, a TABLES row, not to be written to. Equal rulebooks share it.

    Raises:
        InputError: the rules hold more than fits the record; the message says of what.
    """
    t = rows(1, TABLES)[0]
    items = {name: i for i, name in enumerate(rules.items)}
    blocks = {name: i for i, name in enumerate(rules.blocks)}
    _body(t, rules, items)
    _items(t, rules, items, blocks)
    _blocks(t, rules, blocks)
    _crafting(t, rules, items)
    _processing(t, rules, items)
    _enchantments(t, rules)
    compile_loot(t, rules, items)
    return t


def members(rules: Rulebook, kind: str, names: Iterable[str]) -> list[str]:
    """Return ids and the sorted members of ``#tags``, in the order given, each once."""
    found: dict[str, None] = {}
    for name in names:
        found.update(
            dict.fromkeys(sorted(rules.tag(kind, name[1:])) if name.startswith("#") else [name])
        )
    return list(found)


def _body(t, rules: Rulebook, items: dict[str, int]) -> None:
    """Constants of the body, and what the standard effects make of speed, digging and strength."""
    b = body()
    for name in ("search_radius", "max_clear", "soft_ticks", "access_blocks", "access_ticks", "station_radius",
                 "collect_radius", "explore_ticks", "drop_ticks"):  # fmt: skip
        t[name] = b[name]
    effects = b["effects"]
    t.blocks_per_tick = b["sprint_speed"] * (1 + 0.2 * effects["speed"]) / 20
    t.haste = effects["haste"]
    t.strength = 3 * effects["strength"]
    fuels = [items[name] for name in members(rules, "items", b["fuels"])]
    t.n_fuels, t.fuels[: len(fuels)] = len(fuels), fuels
    scaffold = [items[name] for name in members(rules, "items", b["scaffold"])]
    t.n_scaffold, t.scaffold[: len(scaffold)] = len(scaffold), scaffold


def _items(t, rules: Rulebook, items: dict[str, int], blocks: dict[str, int]) -> None:
    t.n_items = len(items)
    t.places[:] = t.remainder[:] = t.slot[:] = t.tier[:] = NONE
    bit = {name: 1 << i for i, name in enumerate(rules.advancements)}
    for name, i in items.items():
        item = rules.items[name]
        t.stack[i], t.durability[i] = item.stack, item.durability or 0
        t.places[i] = NONE if item.block is None else blocks[item.block]
        t.remainder[i] = NONE if item.remainder is None else items[item.remainder]
        # Armor wears out and fills a slot a piece; a pumpkin or a head stacks and is held in the hand.
        t.slot[i] = ARMOR_SLOTS.get(item.slot or "", NONE) if item.durability else NONE
        t.fuel[i] = rules.fuels.get(name, 0)
        t.tool_class[i] = TOOL_CLASSES.get(item.tool or "hand", 0)
        if item.tool:  # shears and the like have no tier and count as wood
            t.tier[i] = TIER_LEVEL[item.tier or "wooden"]
            t.tool_speed[i] = TIER_SPEED[item.tier or "wooden"] * 10
        t.attack[i] = item.attack_damage
        t.attack_ticks[i] = ceil(20 / item.attack_speed) if item.attack_speed else 0
        t.enchantability[i] = item.enchantability
        t.advances[i] = sum(bit[a] for a in rules.triggered_by(name))
    t.enchant_advances = sum(
        bit[name] for name, a in rules.advancements.items()
        if any(c["trigger"] == "minecraft:enchanted_item" for c in a.criteria.values())
    )  # fmt: skip
    t.lapis, t.book, t.enchanted_book = (
        items["lapis_lazuli"],
        items["book"],
        items["enchanted_book"],
    )
    t.durability[
        t.enchanted_book
    ] = -1  # kept apart like a tool, for its enchantments; it never wears
    t.air, t.bookshelf = blocks["air"], blocks["bookshelf"]


def _blocks(t, rules: Rulebook, blocks: dict[str, int]) -> None:
    t.n_blocks = len(blocks)
    t.station_of[:] = t.block_tier[:] = NONE
    trunks, hidden = rules.tag("blocks", "logs"), set(body()["hidden_blocks"])
    on_ground = set(members(rules, "blocks", ["#" + tag for tag in ON_GROUND_TAGS])) | set(
        ON_GROUND
    )
    for name, i in blocks.items():
        block = rules.blocks[name]
        t.hardness[i], t.requires_tool[i] = round(block.hardness * 100), block.requires_tool
        t.shears_speed[i] = rules.tool_speeds.get("shears", {}).get(name, 1) * 10
        t.sword_speed[i] = rules.tool_speeds.get("sword", {}).get(name, 1) * 10
        t.tools[i] = sum(1 << TOOL_CLASSES[c] for c in block.tools)
        t.block_tier[i] = TIER_LEVEL[block.tier] if block.tier else 0
        t.solid[i], t.replaceable[i] = block.solid, block.replaceable
        t.trunk[i], t.hidden[i], t.needs_below[i] = (
            name in trunks,
            name in hidden,
            name in on_ground,
        )
    t.needs_below[blocks["snow"]] = LEAVES_NOTHING
    for kind, name in enumerate(body()["stations"]):
        t.station_of[blocks[name]] = kind


def _crafting(t, rules: Rulebook, items: dict[str, int]) -> None:
    """Recipes in the order in which the game tries them; for each item and number of cells those it can come first in."""
    recipes = [r for r in rules.ordered_recipes if isinstance(r, (ShapedRecipe, ShapelessRecipe))]
    if len(recipes) > MAX_RECIPES:
        raise InputError(
            "<rulebook>", "recipes", len(recipes), f"at most {MAX_RECIPES} crafting recipes"
        )
    t.n_recipes = len(recipes)
    t.cells[:] = NONE
    numbers: dict[Ingredient, int] = {}
    first: list[list[int]] = [[] for _ in range(len(items) * 9)]
    for r, recipe in enumerate(recipes):
        t.result[r], t.result_count[r] = items[recipe.result], recipe.count
        if isinstance(recipe, ShapedRecipe):
            starts, n = (
                _shaped(t, r, recipe, numbers),
                sum(len(p) - p.count(" ") for p in recipe.pattern),
            )
        else:
            starts, n = set(recipe.ingredients), len(recipe.ingredients)
            for k, ingredient in enumerate(recipe.ingredients):
                t.cells[r, k] = numbers.setdefault(ingredient, len(numbers))
        for i in {items[name] for ingredient in starts for name in rules.expand(ingredient)}:
            first[i * 9 + n - 1].append(r)
    if len(numbers) > MAX_INGREDIENTS or sum(map(len, first)) > MAX_CANDIDATES:
        raise InputError(
            "<rulebook>", "recipes", len(numbers), f"at most {MAX_INGREDIENTS} kinds of ingredient"
        )
    for ingredient, n in numbers.items():
        accepted = [items[name] for name in rules.expand(ingredient)]
        t.only_item[n] = accepted[0] if len(accepted) == 1 else NONE
        for i in accepted:
            t.accepts[n, i >> 3] |= 1 << (i & 7)
    ends = np.cumsum([0, *map(len, first)])
    t.candidates_of[: len(ends)] = ends
    t.candidates_of[len(ends) :] = ends[-1]
    t.candidates[: ends[-1]] = [r for found in first for r in found]


def _shaped(t, r: int, recipe: ShapedRecipe, numbers: dict[Ingredient, int]) -> set[Ingredient]:
    """Write a pattern, trimmed; return the ingredients that can come first in it, read as it is or mirrored."""
    lines = list(recipe.pattern)
    while not lines[0].strip():
        lines.pop(0)
    while not lines[-1].strip():
        lines.pop()
    left = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    right = max(len(line.rstrip()) for line in lines)
    lines = [line[left:right] for line in lines]
    width = right - left
    t.shaped[r] = 1
    for y, line in enumerate(lines):
        for x, char in enumerate(line):
            if char != " ":
                t.cells[r, y * 3 + x] = numbers.setdefault(recipe.key[char], len(numbers))
                t.mask[r] |= 1 << (y * 3 + x)
                t.mirror_mask[r] |= 1 << (y * 3 + width - 1 - x)
    return {recipe.key[lines[0].strip()[0]], recipe.key[lines[0].strip()[-1]]}


def _processing(t, rules: Rulebook, items: dict[str, int]) -> None:
    t.cook_result[:] = NONE
    for s, station in enumerate(COOKERS):
        for name, i in items.items():
            recipe = rules.cook(station, name)
            if recipe is not None:
                t.cook_result[s, i], t.cook_count[s, i] = items[recipe.result], recipe.count
                t.cook_ticks[s, i] = recipe.cookingtime


def _enchantments(t, rules: Rulebook) -> None:
    """What an enchanting table can put on what, and at which costs."""
    numbers = {name: e for e, name in enumerate(rules.enchantments)}
    t.n_enchantments = len(numbers)
    for name, e in numbers.items():
        enchantment = rules.enchantments[name]
        t.enchant_weight[e], t.enchant_max[e] = enchantment.weight, enchantment.max_level
        t.min_cost[e], t.max_cost[e] = enchantment.min_cost, enchantment.max_cost
        t.excludes[e] = sum(1 << numbers[other] for other in {name, *enchantment.excludes})
    for i, (name, item) in enumerate(rules.items.items()):
        if item.enchantability:
            t.enchants[i] = sum(
                1 << e for n, e in numbers.items()
                if not rules.enchantments[n].treasure and (name == "book" or fits(rules.enchantments[n].targets, name, item))
            )  # fmt: skip
    t.enchants[t.enchanted_book] = t.enchants[t.book]
    for name in ("efficiency", "fortune", "silk_touch", "unbreaking", "sharpness", "looting"):
        t[name] = numbers[name]


def fits(category: str, name: str, item: Item) -> bool:
    """Return whether an item belongs to an enchantment category of the game (EnchantmentCategory)."""
    if category == "breakable":
        return item.durability is not None
    if category == "digger":
        return item.tool in MINING_CLASSES
    if category == "weapon":
        return item.tool == "sword"
    if category == "armor":
        return item.slot in ARMOR_SLOTS
    if category.startswith("armor_"):
        return item.slot == category.removeprefix("armor_")
    return name == category  # bow, crossbow, trident, fishing_rod
