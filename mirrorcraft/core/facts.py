"""Facts of a game version that no suite changes: items, blocks, entities; and the form of advancements and enchantments."""

from collections.abc import Mapping
from typing import Any, NamedTuple

TIER_LEVEL = {"wooden": 0, "golden": 0, "stone": 1, "iron": 2, "diamond": 3, "netherite": 4}
TIER_SPEED = {"wooden": 2, "stone": 4, "iron": 6, "diamond": 8, "netherite": 9, "golden": 12}
MINING_CLASSES = ("pickaxe", "axe", "shovel", "hoe")


class Item(NamedTuple):
    """Facts of an item.

    Attributes:
        stack: most of it in one slot.
        durability: uses before it breaks; None for things that do not wear.
        block: the block it places.
        food: it can be eaten.
        remainder: the item that crafting or burning it leaves behind.
        tool: ``pickaxe``, ``axe``, ``shovel``, ``hoe``, ``sword`` or ``shears``.
        tier: ``wooden``, ``golden``, ``stone``, ``iron``, ``diamond`` or ``netherite``; of tools only.
        attack_damage: half hearts of a full-strength hit.
        attack_speed: full-strength hits a second.
        slot: where it is worn: ``head``, ``chest``, ``legs``, ``feet`` or ``offhand``.
        enchantability: 0 for what an enchanting table refuses.
    """

    stack: int
    durability: int | None = None
    block: str | None = None
    food: bool = False
    remainder: str | None = None
    tool: str | None = None
    tier: str | None = None
    attack_damage: float = 1
    attack_speed: float = 4
    slot: str | None = None
    enchantability: int = 0


class Block(NamedTuple):
    """Facts of a block.

    Attributes:
        hardness: -1 for blocks that cannot be broken.
        requires_tool: it drops nothing, and breaks slowly, without the right tool.
        tools: tool classes that are right for it.
        tier: the lowest tier that is right for it; None if any tier is.
        item: the item of the block.
        replaceable: another block can be placed in its cell.
        solid: it has a collision box.
    """

    hardness: float
    requires_tool: bool
    tools: tuple[str, ...]
    tier: str | None
    item: str | None
    replaceable: bool
    solid: bool


class Entity(NamedTuple):
    """Facts of a living thing: health in half hearts, spawn category, default loot table (``entities/cow``)."""

    health: float
    category: str
    loot: str


class Advancement(NamedTuple):
    """An advancement.

    Attributes:
        id: such as ``story/mine_stone``.
        parent: orders the display; it need not be completed first.
        criteria: name to trigger and conditions, as the game's JSON has them.
        requirements: all of the groups are needed, any one criterion of a group is enough.
    """

    id: str
    parent: str | None
    criteria: Mapping[str, Any]
    requirements: tuple[tuple[str, ...], ...]


class Enchantment(NamedTuple):
    """An enchantment.

    Attributes:
        id: such as ``efficiency``.
        max_level: highest level.
        weight: weight in the draw of an offer (10, 5, 2 or 1).
        min_cost: lowest power that yields it, as (at level 1, more for each further level).
        max_cost: highest power that yields it, in the same form.
        targets: the category of items it goes on, such as ``digger`` or ``armor_feet``.
        treasure: an enchanting table never offers it.
        excludes: enchantments that it cannot be combined with.
    """

    id: str
    max_level: int
    weight: int
    min_cost: tuple[int, int]
    max_cost: tuple[int, int]
    targets: str
    treasure: bool
    excludes: tuple[str, ...]
