"""The rules of a world as a value: what crafts, cooks, breaks, drops and completes an advancement.

``Rulebook.vanilla("1.19")`` reads ``rules/vanilla/1.19``; ``apply`` gives the rules of a Mirror world. Ids are written
without ``minecraft:``; recipes and loot tables keep the exact JSON form of the game.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

from mirrorcraft.core.crafting import CraftingIndex, cooking_index
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.facts import (
    MINING_CLASSES,
    TIER_LEVEL,
    TIER_SPEED,
    Advancement,
    Block,
    Enchantment,
    Entity,
    Item,
)
from mirrorcraft.core.ids import strip
from mirrorcraft.core.loot import NOTHING, Distribution, LootContext, distribution
from mirrorcraft.core.recipes import CookingRecipe, Ingredient, Recipe, recipe_order

if TYPE_CHECKING:
    from mirrorcraft.core.manifest import Change, RuleManifest
    from mirrorcraft.core.overlay import Files

STATIONS = {
    "furnace": "smelting",
    "blast_furnace": "blasting",
    "smoker": "smoking",
    "campfire": "campfire_cooking",
}
_CACHED_DROPS = 4096  # blocks, tools and enchantments that occur are far fewer; a sweep must not fill the memory


@dataclass(frozen=True, slots=True)
class Crafted:
    """What a grid makes: the recipe's id, the item, how many."""

    recipe: str
    item: str
    count: int


@dataclass(frozen=True, eq=False)
class Rulebook:
    """All rules of a world, and the names of its game version. Immutable: the mappings are never written to.

    Two rulebooks are equal if their rules are: recipes, loot, tags, fuels, advancements. Names and facts of items,
    blocks and entities belong to the version; suites do not change them.

    Attributes:
        version: game version, such as ``1.19``.
        items, blocks, entities: facts by id, sorted by id; the place in that order is the simulator's integer id.
        item_tags, block_tags: members as written; ``#other`` refers to another tag.
        recipes: by id.
        other_recipes: ids of recipes that no skill reaches; they count in the order of recipes.
        loot: tables by name, such as ``blocks/iron_ore`` and ``entities/cow``, in the game's JSON.
        fuels: item to burn ticks in a furnace; blast furnace and smoker burn it twice as fast.
        tool_speeds: tool class to block to digging speed, where it does not follow from the tier (shears, swords).
        changes: what differs from vanilla, in the order of the manifest.
        name: ``vanilla``, or the suite's id.
    """

    version: str
    items: Mapping[str, Item]
    blocks: Mapping[str, Block]
    entities: Mapping[str, Entity]
    item_tags: Mapping[str, tuple[str, ...]]
    block_tags: Mapping[str, tuple[str, ...]]
    recipes: Mapping[str, Recipe]
    other_recipes: tuple[str, ...]
    loot: Mapping[str, dict[str, Any]]
    fuels: Mapping[str, int]
    advancements: Mapping[str, Advancement]
    enchantments: Mapping[str, Enchantment]
    tool_speeds: Mapping[str, Mapping[str, Fraction]]
    changes: "tuple[Change, ...]" = ()
    name: str = "vanilla"

    @classmethod
    def vanilla(cls, version: str = "1.19") -> "Rulebook":
        """Return the game's own rules; read once in a process.

        Raises:
            UnknownNameError: there is no ``rules/vanilla/<version>``.
            InputError: a file there cannot be used.
        """
        # Late, as in the next two: these modules build Rulebooks and import this one.
        from mirrorcraft.core.vanilla import load

        return load(version)

    def apply(self, manifest: "RuleManifest") -> "Rulebook":
        """Return the rules of a Mirror world. ManifestError names what the manifest gets wrong."""
        from mirrorcraft.core.apply import apply

        return apply(self, manifest)

    def describe(self) -> tuple[str, ...]:
        """Return one English sentence for each change."""
        from mirrorcraft.core.describe import describe

        return describe(self)

    def overlay(self, pack: "Files", *packs: "Files", strict: bool = True) -> "Rulebook":
        """Return the rules under datapacks, the later ones on top.

        Args:
            pack: file path to content, such as a ``mirrorcraft.datapack.Datapack``.
            packs: more of them.
            strict: refuse what a rulebook cannot say, else leave it out; ``core.overlay`` lists it.

        Raises:
            PackError: a file that the game would refuse; OutsideError if it lies outside of the rules.
        """
        from mirrorcraft.core.overlay import overlay

        return overlay(self, (pack, *packs), "refuse" if strict else "report").rulebook

    def replace(self, **parts: Any) -> "Rulebook":
        """Return a rulebook with some fields replaced; the others stay."""
        return replace(self, **parts)

    # --- identity

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the rules, in hex."""
        content = {
            "version": self.version,
            "recipes": {i: r.to_json() for i, r in self.recipes.items()},
            "other_recipes": sorted(self.other_recipes),
            "loot": self.loot,
            "tags": [self.item_tags, self.block_tags],
            "fuels": self.fuels,
            "advancements": {i: a[1:] for i, a in self.advancements.items()},
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Rulebook) else NotImplemented

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __repr__(self) -> str:
        return f"<Rulebook {self.name} {self.version} {self.digest[:12]}>"

    def __getstate__(self) -> dict[str, Any]:
        return {f: getattr(self, f) for f in self.__dataclass_fields__}  # indices are built again

    # --- tags and ingredients

    @cached_property
    def _tags(self) -> dict[tuple[str, str], frozenset[str]]:
        return {}

    def tag(self, kind: str, name: str) -> frozenset[str]:
        """Return the members of a tag, references followed.

        Args:
            kind: ``items`` or ``blocks``.
            name: the tag without ``#``.

        Raises:
            UnknownNameError: there is no such tag.
        """
        known = self._tags.get((kind, name))
        if known is None:
            tags = {"items": self.item_tags, "blocks": self.block_tags}[kind]
            if name not in tags:
                raise UnknownNameError(f"{kind[:-1]} tag", name, tags)
            members: set[str] = set()
            for member in tags[name]:
                members |= self.tag(kind, member[1:]) if member[0] == "#" else {member}
            known = self._tags[kind, name] = frozenset(members)
        return known

    def accepts(self, ingredient: Ingredient, item: str) -> bool:
        """Return whether an ingredient takes an item; damage and enchantments play no part."""
        return item in self._accepted(ingredient)

    def expand(self, ingredient: Ingredient) -> tuple[str, ...]:
        """Return all items that an ingredient takes, sorted."""
        return tuple(sorted(self._accepted(ingredient)))

    def _accepted(self, ingredient: Ingredient) -> frozenset[str]:
        parts = [self.tag("items", i[1:]) if i[0] == "#" else frozenset((i,)) for i in ingredient]
        return parts[0].union(*parts[1:])

    # --- crafting and cooking

    @cached_property
    def ordered_recipes(self) -> list[Recipe]:
        """The recipes in the order in which the game tries them."""
        order = recipe_order([*self.recipes, *self.other_recipes])
        return [self.recipes[i] for i in order if i in self.recipes]

    @cached_property
    def _crafting(self) -> CraftingIndex:
        return CraftingIndex(self.ordered_recipes, self._accepted)

    @cached_property
    def _cooking(self) -> dict[str, dict[str, CookingRecipe]]:
        return cooking_index(self.ordered_recipes, self._accepted)

    def craft(self, grid: Sequence[Sequence[str | None]]) -> Crafted | None:
        """Return what a crafting grid makes, or None.

        Args:
            grid: 1 to 3 rows of equal width, at most 3; each cell an item id or None. Where the things lie in a larger
                grid makes no difference.

        Raises:
            InputError: the grid has another form.
        """
        if (
            not 1 <= len(grid) <= 3
            or len({len(row) for row in grid}) != 1
            or not 1 <= len(grid[0]) <= 3
        ):
            raise InputError("<grid>", "", grid, "1 to 3 rows of 1 to 3 cells, equally long")
        found = self._crafting.find(grid)
        return Crafted(found.id, found.result, found.count) if found else None

    def cook(self, station: str, item: str) -> CookingRecipe | None:
        """Return what a furnace, blast_furnace, smoker or campfire makes of an item, or None.

        Raises:
            UnknownNameError: there is no such station.
        """
        if station not in STATIONS:
            raise UnknownNameError("station", station, STATIONS)
        return self._cooking.get(STATIONS[station], {}).get(item)

    # --- blocks

    def _block(self, name: str) -> Block:
        block = self.blocks.get(name)
        if block is None:
            raise UnknownNameError("block", name, self.blocks)
        return block

    def _item(self, name: str | None) -> Item | None:
        if name is None:
            return None
        item = self.items.get(name)
        if item is None:
            raise UnknownNameError("item", name, self.items)
        return item

    def harvestable(self, block: str, tool: str | None) -> bool:
        """Return whether a block gives its drops to a tool; None is the bare hand."""
        facts, item = self._block(block), self._item(tool)
        if not facts.requires_tool:
            return True
        if item is None or item.tool not in facts.tools:
            return False
        return facts.tier is None or TIER_LEVEL[item.tier or "wooden"] >= TIER_LEVEL[facts.tier]

    def break_ticks(
        self, block: str, tool: str | None = None, *, haste: int = 0, efficiency: int = 0
    ) -> int | None:
        """Return the ticks that breaking a block takes, standing on the ground and out of water.

        Args:
            block: the block.
            tool: the item in hand; None is the bare hand.
            haste: level of Haste (amplifier + 1).
            efficiency: level of Efficiency on the tool.

        Returns:
            0 for what breaks at once, None for what cannot be broken.
        """
        facts, item = self._block(block), self._item(tool)
        if facts.hardness < 0:
            return None
        speed = Fraction(1)
        if item is not None and item.tool in facts.tools and item.tool in MINING_CLASSES:
            speed = Fraction(TIER_SPEED[item.tier or "wooden"])
        elif item is not None:
            speed = self.tool_speeds.get(item.tool or "", {}).get(block, speed)
        if speed > 1 and efficiency:
            speed += efficiency**2 + 1
        speed *= 1 + Fraction(haste, 5)
        # Exact fractions: in floats 1 / (1 / 15) is a little above 15 and would cost a tick.
        ticks = (
            Fraction(str(facts.hardness)) * (30 if self.harvestable(block, tool) else 100) / speed
        )
        return 0 if ticks <= 1 else ceil(ticks)

    @cached_property
    def _drops(self) -> dict[tuple[Any, ...], Distribution]:
        return {}

    def drops(
        self,
        block: str,
        tool: str | None = None,
        enchantments: Mapping[str, int] = {},
        state: Mapping[str, str] = {},
    ) -> Distribution:
        """Return what a player gets for breaking a block, as an exact distribution; do not change it.

        Args:
            block: the block.
            tool: the item in hand; None is the bare hand.
            enchantments: levels on the tool.
            state: what is known of the block's state, such as ``{"age": "7"}``.

        Returns:
            Probability by stacks; ``()`` is nothing. With the wrong tool no table is asked and nothing drops.
        """
        place = (block, tool, tuple(sorted(enchantments.items())), tuple(sorted(state.items())))
        found = self._drops.get(place)
        if found is None:
            if len(self._drops) >= _CACHED_DROPS:
                self._drops.clear()
            found = NOTHING
            table = self.loot.get("blocks/" + block)
            if self.harvestable(block, tool) and table is not None:
                context = LootContext(tool=tool, enchantments=enchantments, state=state)
                found = distribution(table, context, self)
            self._drops[place] = found
        return found

    def kill(
        self,
        entity: str,
        *,
        looting: int = 0,
        on_fire: bool = False,
        by_player: bool = True,
        variant: str | None = None,
    ) -> Distribution:
        """Return what a killed adult gives, as an exact distribution.

        Args:
            entity: the entity.
            looting: level of Looting on the weapon.
            on_fire: it burned.
            by_player: a player hit it within the last five seconds.
            variant: a part of the kind with a table of its own, such as the colour of a sheep.

        Raises:
            UnknownNameError: there is no such entity or variant.
        """
        if entity not in self.entities:
            raise UnknownNameError("entity", entity, self.entities)
        name = self.entities[entity].loot if variant is None else f"entities/{entity}/{variant}"
        if name not in self.loot:
            raise UnknownNameError("loot table", name, self.loot)
        context = LootContext(looting=looting, on_fire=on_fire, killed_by_player=by_player)
        return distribution(self.loot[name], context, self)

    # --- advancements

    @cached_property
    def _triggers(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for advancement in self.advancements.values():
            for item in self._completing(advancement):
                found.setdefault(item, []).append(advancement.id)
        return {item: tuple(ids) for item, ids in found.items()}

    def triggered_by(self, item: str) -> tuple[str, ...]:
        """Return the advancements that are completed when a stack of ``item`` enters the inventory."""
        return self._triggers.get(item, ())

    def _completing(self, advancement: Advancement) -> list[str]:
        groups = advancement.requirements
        if len(groups) != 1:  # one stack completes one group only
            return []
        items: set[str] = set()
        for name in groups[0]:
            match advancement.criteria[name]:
                case {
                    "trigger": "minecraft:inventory_changed",
                    "conditions": {"items": [predicate]},
                }:
                    items |= self._wanted(predicate)
        return sorted(items)

    def _wanted(self, predicate: Mapping[str, Any]) -> frozenset[str]:
        if "tag" in predicate:
            return self.tag("items", strip(predicate["tag"]))
        return frozenset(map(strip, predicate["items"]))
