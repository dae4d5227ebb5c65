"""Ways to make items: everything that the thirteen skills can do under a Rulebook, as one kind of value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from mirrorcraft.core.action import COOKERS
from mirrorcraft.core.data import body
from mirrorcraft.core.loot import Distribution
from mirrorcraft.core.recipes import CookingRecipe, ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rulebook import Rulebook

Pool = tuple[str, ...]  # item ids that do equally well, sorted
Cells = tuple[tuple[Pool | None, ...], ...]

TABLE = "crafting_table"
ENCHANTED = "an enchanted item"  # stands for the effect of ``enchant``; no item id has spaces
TIERS = ("wooden", "golden", "stone", "iron", "diamond", "netherite")
BATCH = {"mine": 4, "attack": 4, "smelt": 6}  # the largest ``count`` of one action


class Yield(NamedTuple):
    """How many of an item one application gives: the guaranteed number, the mean, the largest number."""

    least: int
    mean: float
    most: int

    @staticmethod
    def exactly(n: int) -> "Yield":
        """Return the yield that is always ``n``."""
        return Yield(n, float(n), n)


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One way to make items; equal only to itself.

    Attributes:
        skill: the skill that does it; ``place`` means placing a block and mining it again.
        target: the block, entity, recipe id, input item or placed item.
        gives: item id to its yield for one application.
        takes: what one application uses up: a pool and how many of it.
        tools: items of which one must be owned; empty when the bare hand does.
        station: the block that must stand near, or None.
        cells: the crafting grid, a pool in each filled cell; empty for other skills.
        fuel_ticks: burn time that one application needs, in ticks.
    """

    skill: str
    target: str
    gives: Mapping[str, Yield]
    takes: tuple[tuple[Pool, int], ...] = ()
    tools: Pool = ()
    station: str | None = None
    cells: Cells = ()
    fuel_ticks: int = 0

    @property
    def batch(self) -> int:
        """Applications that fit one action."""
        return BATCH.get(self.skill, 1)

    @property
    def needs(self) -> Iterator[Pool]:
        """Every pool of which something is needed, used up or not."""
        yield from (pool for pool, _ in self.takes)
        if self.tools:
            yield self.tools
        if self.station:
            yield (self.station,)


class Fact(NamedTuple):
    """What an operation was seen to give, in place of what the rules say.

    Attributes:
        skill: ``craft_grid``, ``smelt``, ``mine`` or ``attack``.
        target: recipe id, input item, block or entity.
        station: where it was processed, for ``smelt``; else None.
        gives: (item, yield of one application) pairs, sorted; empty when nothing comes of it.
    """

    skill: str
    target: str
    station: str | None
    gives: tuple[tuple[str, Yield], ...]


class Catalog:
    """All methods of a rulebook, found by what they make; ``facts`` overrule the rules they touch."""

    def __init__(self, rulebook: Rulebook, facts: tuple[Fact, ...] = ()):
        self.rulebook, self.facts = rulebook, facts
        self._overruled = {(f.skill, f.target, f.station): f for f in self.facts}
        self._sources: dict[tuple[str, str], Method | None] = {}

    @cached_property
    def _usual(self) -> Rulebook | None:
        return _usual(self.rulebook)

    def mine(self, block: str) -> Method | None:
        """Return what breaking a block gives, or None when it gives nothing or cannot be broken."""
        return self._source("mine", block)

    def attack(self, entity: str) -> Method | None:
        """Return what killing an entity gives, or None when it gives nothing."""
        return self._source("attack", entity)

    @cached_property
    def makers(self) -> dict[str, list[Method]]:
        """Item to the crafting and cooking methods that make it, in a fixed order."""
        return _by_product(self.recipes.values())

    @cached_property
    def crafting_with(self) -> dict[str, list[tuple[int, Method]]]:
        """Item to the crafting methods that it can go into, each with its place in a fixed order."""
        found: dict[str, list[tuple[int, Method]]] = {}
        for place, method in enumerate(self.recipes.values()):
            if method.skill == "craft_grid":
                for item in {item: None for pool, _ in method.takes for item in pool}:
                    found.setdefault(item, []).append((place, method))
        return found

    @cached_property
    def recipes(self) -> dict[tuple[str, str, str | None], Method]:
        """Crafting and cooking methods by (skill, recipe id or input, station)."""
        found = dict(_written_recipes(self.rulebook))
        for key, fact in self._overruled.items():
            if key in found:
                old = found.pop(key)
                found |= {key: _with_gives(old, fact)} if fact.gives else {}
            elif fact.skill == "smelt" and fact.gives and fact.station:
                ticks = 200 if fact.station == "furnace" else 100
                found[key] = _with_gives(_cooking(fact.target, fact.station, {}, ticks), fact)
        return found

    def replaced(self, item: str) -> Iterator[Method]:
        """Yield the methods that make ``item`` by placing a block and mining it again."""
        for placed in _placeables(self.rulebook).get(item, ()):
            block = self.rulebook.items[placed].block
            mined = self.mine(block) if block else None
            if mined and item in mined.gives and placed not in mined.gives:
                yield Method("place", placed, mined.gives, (((placed,), 1),), mined.tools)

    @cached_property
    def fuels(self) -> dict[str, int]:
        """Fuel items in the order in which the body burns them, to burn time in ticks."""
        order: dict[str, int] = {}
        for name in body()["fuels"]:
            for item in self.rulebook.expand((name,)):
                if item in self.rulebook.fuels:
                    order.setdefault(item, self.rulebook.fuels[item])
        return order

    @cached_property
    def enchanting(self) -> Method:
        """The cheapest offer at an enchanting table: one lapis lazuli, any enchantable item."""
        items = tuple(i for i, facts in self.rulebook.items.items() if facts.enchantability > 0)
        gives = {ENCHANTED: Yield.exactly(1)}
        lapis = ((("lapis_lazuli",), 1),)
        return Method("enchant", ENCHANTED, gives, lapis, items, "enchanting_table")

    def _source(self, skill: str, target: str) -> Method | None:
        key = (skill, target)
        if key not in self._sources:
            method, fact = self._read(skill, target), self._overruled.get((skill, target, None))
            if method and fact:
                method = _with_gives(method, fact)
            self._sources[key] = method if method and method.gives else None
        return self._sources[key]

    def _read(self, skill: str, target: str) -> Method | None:
        if self.facts:  # share what was read of the same rules
            return catalog(self.rulebook)._source(skill, target)
        if skill == "attack":
            return self._read_entity(target)
        table = f"blocks/{target}"
        if self._usual and self._usual.loot.get(table) is self.rulebook.loot.get(table):
            return catalog(self._usual)._source(skill, target)
        return self._read_block(target)

    def _read_block(self, block: str) -> Method | None:
        facts = self.rulebook.blocks.get(block)
        if facts is None or facts.hardness < 0:
            return None
        if not facts.requires_tool:
            return Method("mine", block, _yields(self.rulebook.drops(block)))
        tools = tuple(t for t in _tools(self.rulebook) if self.rulebook.harvestable(block, t))
        if not tools:
            return None
        return Method("mine", block, _yields(self.rulebook.drops(block, tools[0])), tools=tools)

    def _read_entity(self, entity: str) -> Method | None:
        if entity not in self.rulebook.entities:
            return None
        return Method("attack", entity, _yields(self.rulebook.kill(entity)))


@lru_cache(maxsize=256)
def catalog(rulebook: Rulebook, facts: tuple[Fact, ...] = ()) -> Catalog:
    """Return the catalog of a rulebook with some facts on top; the same one for equal arguments."""
    return Catalog(rulebook, facts)


def _usual(rulebook: Rulebook) -> Rulebook | None:
    """Return the vanilla rulebook if it is another one with the same tags: what is read of it can be shared."""
    vanilla = Rulebook.vanilla(rulebook.version)
    tags = (rulebook.item_tags, rulebook.block_tags) == (vanilla.item_tags, vanilla.block_tags)
    return vanilla if tags and vanilla != rulebook else None


@lru_cache(maxsize=64)
def _written_recipes(rulebook: Rulebook) -> dict[tuple[str, str, str | None], Method]:
    found: dict[tuple[str, str, str | None], Method] = {}
    inputs: dict[str, None] = {}
    usual = _usual(rulebook)
    shared = _written_recipes(usual) if usual else {}
    for ident, recipe in rulebook.recipes.items():
        if isinstance(recipe, (ShapedRecipe, ShapelessRecipe)):
            key = ("craft_grid", ident, None)
            same = usual is not None and usual.recipes.get(ident) is recipe
            found[key] = shared[key] if same else _crafting(rulebook, ident, recipe)
        elif isinstance(recipe, CookingRecipe):
            inputs |= dict.fromkeys(rulebook.expand(recipe.ingredient))
    for station in COOKERS:
        for item in sorted(inputs):
            recipe = rulebook.cook(station, item)
            if recipe is not None:
                gives = {recipe.result: Yield.exactly(recipe.count)}
                ticks = recipe.cookingtime * (1 if station == "furnace" else 2)
                found["smelt", item, station] = _cooking(item, station, gives, ticks)
    return found


def _crafting(rulebook: Rulebook, ident: str, recipe: ShapedRecipe | ShapelessRecipe) -> Method:
    if isinstance(recipe, ShapedRecipe):
        pools = {char: rulebook.expand(i) for char, i in recipe.key.items()}
        cells: Cells = tuple(tuple(pools.get(c) for c in row) for row in recipe.pattern)
    else:
        flat: list[Pool | None] = [rulebook.expand(i) for i in recipe.ingredients]
        side = 1 if len(flat) == 1 else 2 if len(flat) <= 4 else 3
        flat += [None] * (-len(flat) % side)
        cells = tuple(tuple(flat[i : i + side]) for i in range(0, len(flat), side))
    takes: dict[Pool, int] = {}
    for pool in (cell for row in cells for cell in row if cell is not None):
        takes[pool] = takes.get(pool, 0) + 1
    small = max(len(cells), *(len(row) for row in cells)) <= 2
    gives = {recipe.result: Yield.exactly(recipe.count)}
    station = None if small else TABLE
    return Method("craft_grid", ident, gives, tuple(takes.items()), (), station, cells)


def _cooking(item: str, station: str, gives: Mapping[str, Yield], ticks: int) -> Method:
    return Method("smelt", item, gives, (((item,), 1),), (), station, fuel_ticks=ticks)


def _with_gives(method: Method, fact: Fact) -> Method:
    """Return the method with the yields of the fact."""
    return replace(method, gives=dict(fact.gives))


def _yields(drops: Distribution) -> dict[str, Yield]:
    """Return the guaranteed and the mean number of every item that may drop."""
    totals: dict[str, list[tuple[int, Fraction]]] = {}
    for stacks, p in drops.items():
        for item, n in stacks:
            totals.setdefault(item, []).append((n, p))
    yields = {}
    for item, cases in totals.items():
        always = sum(p for _, p in cases) == 1
        counts = [n for n, _ in cases]
        mean = float(sum(n * p for n, p in cases))
        yields[item] = Yield(min(counts) if always else 0, mean, max(counts))
    return yields


@lru_cache(maxsize=64)
def _tools(rulebook: Rulebook) -> tuple[str, ...]:
    """Return all tools, the lowest tier first."""
    rank = {tier: i for i, tier in enumerate(TIERS)}
    tools = [(rank.get(f.tier or "", 0), name) for name, f in rulebook.items.items() if f.tool]
    return tuple(name for _, name in sorted(tools))


@lru_cache(maxsize=64)
def _placeables(rulebook: Rulebook) -> dict[str, list[str]]:
    """Return item to the placeable items whose block may drop it; a block that drops itself is no source."""
    found: dict[str, list[str]] = {}
    for item, facts in rulebook.items.items():
        for name in _droppable(rulebook)[facts.block] - {item} if facts.block else ():
            found.setdefault(name, []).append(item)
    return found


@lru_cache(maxsize=64)
def _droppable(rulebook: Rulebook) -> dict[str, frozenset[str]]:
    """Return block to the items that its loot table names."""
    usual = _usual(rulebook)
    shared = _droppable(usual) if usual else {}
    found = {}
    for block in rulebook.blocks:
        table = rulebook.loot.get(f"blocks/{block}")
        same = usual is not None and usual.loot.get(f"blocks/{block}") is table
        found[block] = shared[block] if same else frozenset(_named(table))
    return found


def _named(node: Any) -> Iterator[str]:
    """Yield the items that a loot table names."""
    if isinstance(node, dict):
        if node.get("type") == "minecraft:item":
            yield node["name"].removeprefix("minecraft:")
        for key in ("pools", "entries", "children"):
            yield from _named(node.get(key))
    elif isinstance(node, list):
        for child in node:
            yield from _named(child)


def _by_product(methods: Iterable[Method]) -> dict[str, list[Method]]:
    makers: dict[str, list[Method]] = {}
    for method in methods:
        for item in method.gives:
            makers.setdefault(item, []).append(method)
    return makers
