"""The reader of ``rules/vanilla/<version>``: expands its families and short forms into a Rulebook."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from mirrorcraft.core.data import read_json, rules_dir
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.facts import MINING_CLASSES, Advancement, Block, Enchantment, Entity, Item
from mirrorcraft.core.families import Families, fill
from mirrorcraft.core.ids import full
from mirrorcraft.core.loot_notation import LootNotation
from mirrorcraft.core.recipes import (
    COOKING_TICKS,
    CookingRecipe,
    Ingredient,
    Recipe,
    ShapedRecipe,
    ShapelessRecipe,
    SmithingRecipe,
    check_pattern,
)
from mirrorcraft.core.rulebook import Rulebook

T = TypeVar("T")
Json = dict[str, Any]
Tags = dict[str, tuple[str, ...]]


@cache
def load(version: str) -> Rulebook:
    """Return the rules of a game version; ``Rulebook.vanilla`` is the way in.

    Raises:
        UnknownNameError: there is no folder of that version.
        InputError: a file cannot be used; names file and place.
    """
    folder = rules_dir() / "vanilla" / version
    if not folder.is_dir():
        raise UnknownNameError("game version", version, [p.name for p in folder.parent.iterdir()])
    return _Reader(folder).rulebook(version)


def retagged(rules: Rulebook, item_tags: Tags, block_tags: Tags) -> Rulebook:
    """Return the rules with other tags, and with the facts that follow from tags: fuels, right tools.

    Args:
        rules: the rulebook; its version says which facts they are.
        item_tags: all item tags of the new rulebook.
        block_tags: all its block tags.
    """
    reader = _Reader(rules_dir() / "vanilla" / rules.version)
    return rules.replace(
        item_tags=_sorted(item_tags),
        block_tags=_sorted(block_tags),
        fuels=_sorted(reader.fuels(item_tags)),
        blocks=_sorted(reader.blocks(block_tags)),
        tool_speeds=reader.tool_speeds(block_tags),
    )


class _Reader:
    """Reads the files of one folder; each method makes one part of the Rulebook."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.families = Families(self.file("families"), folder / "families.json")

    def rulebook(self, version: str) -> Rulebook:
        item_tags, block_tags = self.tags()
        blocks = self.blocks(block_tags)
        recipes = {r.id: r for r in (*self.crafting(), *self.cooking(), *self.smithing())}
        loot = {**self.block_loot(blocks), **self.entity_loot()}
        return Rulebook(
            version=version,
            items=_sorted(self.items(blocks)),
            blocks=_sorted(blocks),
            entities=_sorted(self.entities()),
            item_tags=item_tags,
            block_tags=block_tags,
            recipes=_sorted(recipes),
            other_recipes=tuple(sorted(self.other_recipes())),
            loot=_sorted(loot),
            fuels=_sorted(self.fuels(item_tags)),
            advancements=_sorted(self.advancements()),
            enchantments=_sorted(self.enchantments()),
            tool_speeds=self.tool_speeds(block_tags),
        )

    # --- files and rows

    def file(self, name: str) -> Json:
        return read_json(self.folder / f"{name}.json")

    def rows(self, name: str, make: Callable[[str, Json], T]) -> Iterator[T]:
        """Yield what ``make`` builds of every row of a file of sections, families expanded.

        ``make`` takes out of the row what it uses; what is left is an error, and so is an id given twice.
        """
        where = self.folder / f"{name}.json"
        seen: set[str] = set()
        sections = {title: rows for title, rows in self.file(name).items() if title != "about"}
        for template, row in (item for rows in sections.values() for item in rows.items()):
            for ident, member in self.families.rows(template):
                if ident in seen:
                    raise InputError(where, template, ident, "each id once")
                seen.add(ident)
                rest = fill(dict(row), member)
                try:
                    yield make(ident, rest)
                except KeyError as e:
                    raise InputError(where, ident, row, f"the field {e}") from None
                if rest:
                    raise InputError(where, ident, rest, "no such field")

    def ids(self, templates: str | list[str]) -> list[str]:
        return list(self.families.ids(templates))

    def members(self, tags: Tags, templates: str | list[str]) -> Iterator[str]:
        """Yield ids, the members of a ``#tag`` in its place."""
        for name in self.families.ids(templates):
            if name[0] == "#":
                yield from self.members(tags, " ".join(tags[name[1:]]))
            else:
                yield name

    # --- recipes

    def crafting(self) -> Iterator[Recipe]:
        return self.rows("recipes", self._crafting)

    def _crafting(self, ident: str, row: Json) -> Recipe:
        tail = row.pop("makes", _result(ident)), row.pop("count", 1), row.pop("group", "")
        if "mix" in row:
            parts = tuple(part for text in row.pop("mix") for part in _parts(text))
            return ShapelessRecipe(ident, parts, *tail)
        pattern = tuple(row.pop("shape"))
        key = {char: _ingredient(row.pop(char)) for char in list(row)}
        check_pattern(pattern, key, f"{self.folder / 'recipes.json'}: {ident}")
        return ShapedRecipe(ident, pattern, key, *tail)

    def cooking(self) -> Iterator[Recipe]:
        return self.rows("processing", self._cooking)

    def _cooking(self, ident: str, row: Json) -> Recipe:
        kind = row.pop("kind", "smelting")
        if kind not in COOKING_TICKS:
            where = self.folder / "processing.json"
            raise InputError(where, f"{ident}: kind", kind, f"one of {', '.join(COOKING_TICKS)}")
        return CookingRecipe(
            id=ident,
            kind=kind,
            ingredient=_ingredient(row.pop("from")),
            result=row.pop("makes", _result(ident)),
            count=1,
            cookingtime=COOKING_TICKS[kind],
            experience=row.pop("xp"),
            group=row.pop("group", ""),
        )

    def smithing(self) -> Iterator[Recipe]:
        return self.rows("smithing", self._smithing)

    def _smithing(self, ident: str, row: Json) -> Recipe:
        base, addition = _ingredient(row.pop("base")), _ingredient(row.pop("addition"))
        return SmithingRecipe(ident, base, addition, row.pop("makes"))

    def other_recipes(self) -> Iterator[str]:
        file = self.file("other_recipes")
        for section in (file["stonecutting"], file["special"]):
            for ending, templates in section.items():
                yield from (name + ending for name in self.families.ids(templates))

    # --- loot

    def block_loot(self, blocks: Mapping[str, Block]) -> dict[str, Json]:
        file = self.file("drops")
        notation = LootNotation(self.folder / "drops.json", file["conditions"])
        rows = file["ores"] + file["families"] + file["single"]
        tables = self._tables("block", rows, file["nothing"], notation)
        without = {*tables, *self.ids(file["no_table"])}
        if unknown := sorted(without - blocks.keys()):
            raise InputError(self.folder / "drops.json", "", unknown, "blocks of blocks.json")
        for block in blocks:
            if block not in without:
                tables[block] = notation.table("block", ["survives | $"], block)
        return {f"blocks/{name}": table for name, table in tables.items()}

    def entity_loot(self) -> dict[str, Json]:
        file = self.file("entity_loot")
        notation = LootNotation(self.folder / "entity_loot.json", file["conditions"])
        entities = self._tables("entity", file["drops"], file["nothing"], notation)
        fishing = self._tables("fishing", file["fishing"], [], notation)
        return {
            **{f"entities/{name}": table for name, table in entities.items()},
            **{f"gameplay/fishing/{name}": table for name, table in fishing.items()},
        }

    def _tables(
        self, kind: str, rows: list[Any], nothing: list[str], notation: LootNotation
    ) -> dict[str, Json]:
        tables = {name: notation.table(kind, [], name) for name in self.families.ids(nothing)}
        for templates, *pools in rows:
            pools = [_joined(pool) for pool in pools]
            for template in _joined(templates).split():
                for name, member in self.families.rows(template):
                    if name in tables:
                        raise InputError(notation.source, template, name, "each name once")
                    tables[name] = notation.table(kind, fill(pools, member), name)
        return tables

    # --- tags, fuels, advancements, enchantments, entities

    def tags(self) -> tuple[Tags, Tags]:
        file = self.file("tags")
        both, items, blocks = (
            {name: tuple(self.families.ids(members)) for name, members in file[part].items()}
            for part in ("both", "items", "blocks")
        )
        return _sorted({**both, **items}), _sorted({**both, **blocks})

    def fuels(self, tags: Tags) -> dict[str, int]:
        file = self.file("fuels")
        fuels: dict[str, int] = {}
        for ticks, names in file["ticks"].items():
            fuels.update(dict.fromkeys(self.members(tags, names), int(ticks)))
        for name in self.members(tags, file["not"]):
            fuels.pop(name, None)
        return fuels

    def advancements(self) -> dict[str, Advancement]:
        return {a.id: a for a in self.rows("advancements", self._advancement)}

    def _advancement(self, ident: str, row: Json) -> Advancement:
        criteria = row.pop("when", None)
        if criteria is None:
            wanted = row.pop("get")
            if isinstance(wanted, str):  # each criterion has the name of its item
                wanted = {item: item for item in self.families.ids(wanted)}
            criteria = {name: _item_criterion(item) for name, item in wanted.items()}
        return Advancement(ident, row.pop("parent", None), criteria, (tuple(criteria),))

    def enchantments(self) -> dict[str, Enchantment]:
        file = self.file("enchantments")
        return {
            ident: Enchantment(
                id=ident,
                max_level=row["max"],
                weight=row["weight"],
                min_cost=tuple(row["from"]),
                max_cost=tuple(row["to"]),
                targets=row["on"],
                treasure=section == "treasure",
                excludes=tuple(row.get("not", "").split()),
            )
            for section in ("table", "treasure")
            for ident, row in file[section].items()
        }

    def entities(self) -> dict[str, Entity]:
        return {
            name: Entity(health, category, f"entities/{name}")
            for category, health, names in self.file("entities")["entities"]
            for name in self.families.ids(names)
        }

    # --- blocks and items

    def blocks(self, tags: Tags) -> dict[str, Block]:
        file = self.file("blocks")
        tools: dict[str, list[str]] = {k: list(v) for k, v in file["tools"].items()}
        for tool in MINING_CLASSES:
            for name in dict.fromkeys(self.members(tags, f"#mineable/{tool}")):
                tools.setdefault(name, []).append(tool)
        tiers = {
            name: tier
            for tier in ("stone", "iron", "diamond")
            for name in self.members(tags, f"#needs_{tier}_tool")
        }
        replaceable, passable = set(self.ids(file["replaceable"])), set(self.ids(file["passable"]))
        no_item = set(self.ids(self.file("items")["no_item"]))
        item_of = {block: item for item, block in self.file("items")["places"].items()}
        for template, item in file["item"].items():
            item_of.update((n, fill(item, member)) for n, member in self.families.rows(template))
        return {
            name: Block(
                hardness=hardness,
                requires_tool=section == "right_tool",
                tools=tuple(tools.get(name, ())),
                tier=tiers.get(name),
                item=item_of.get(name, None if name in no_item else name),
                replaceable=name in replaceable,
                solid=name not in passable,
            )
            for section in ("any_tool", "right_tool")
            for hardness, *names in file[section]
            for name in self.families.ids(names)
        }

    def tool_speeds(self, tags: Tags) -> dict[str, dict[str, Fraction]]:
        speeds: dict[str, dict[str, Fraction]] = {}
        for tool, speed, *names in self.file("blocks")["speeds"]:
            of_tool = speeds.setdefault(tool, {})
            for name in self.members(tags, names):
                of_tool.setdefault(name, Fraction(str(speed)))  # the first row that names a block
        return speeds

    def items(self, blocks: Mapping[str, Block]) -> dict[str, Item]:
        file = self.file("items")
        no_item = set(self.ids(file["no_item"]))
        places = {**{b: b for b in blocks if b not in no_item}, **file["places"]}
        stack = {
            name: int(n) for n, ids in file["stack"].items() for name in self.families.ids(ids)
        }
        wear = {
            name: int(n) for n, ids in file["durability"].items() for name in self.families.ids(ids)
        }
        food = set(self.ids(file["food"]))
        gear = self._gear(file)
        return {
            name: Item(
                stack=1 if name in wear else stack.get(name, 64),
                durability=wear.get(name),
                block=places.get(name),
                food=name in food,
                remainder=file["remainder"].get(name),
                **gear.get(name, {}),
            )
            for name in (
                *(b for b in blocks if b not in no_item),
                *self.families.ids(file["items"]),
            )
        }

    def _gear(self, file: Json) -> dict[str, Json]:
        """Return the facts of tools, weapons and armor: item to fields of Item."""
        gear: dict[str, Json] = {"shears": {"tool": "shears"}}
        for tier, row in file["tools"].items():
            for tool in (*MINING_CLASSES, "sword"):
                damage, speed = row[tool]
                gear[f"{tier}_{tool}"] = {
                    "tool": tool,
                    "tier": tier,
                    "attack_damage": damage,
                    "attack_speed": speed,
                    "enchantability": row["enchantability"],
                }
        for material, enchantability in file["armor"].items():
            for piece, slot in file["armor_slots"].items():
                gear[f"{material}_{piece}"] = {"slot": slot, "enchantability": enchantability}
        for slot, names in file["slots"].items():
            gear.update((name, {"slot": slot}) for name in self.families.ids(names))
        for level, names in file["enchantability"].items():
            gear.update((name, {"enchantability": int(level)}) for name in self.families.ids(names))
        for name, (damage, speed) in file["attack"].items():
            gear.setdefault(name, {}).update(attack_damage=damage, attack_speed=speed)
        return gear


def _sorted(mapping: Mapping[str, T]) -> dict[str, T]:
    return dict(sorted(mapping.items()))


def _joined(text: str | list[str]) -> str:
    """Return a long text that a file breaks over several lines."""
    return text if isinstance(text, str) else " ".join(text)


def _result(ident: str) -> str:
    """Return the result that a recipe's id names: ``stick_from_bamboo_item`` makes sticks."""
    return ident.split("_from_")[0]


def _ingredient(value: str | Iterable[str]) -> Ingredient:
    return (value,) if isinstance(value, str) else tuple(value)


def _parts(text: str | list[str]) -> list[Ingredient]:
    """Read ``4 sand`` as four ingredients."""
    if isinstance(text, str) and text[0].isdigit():
        count, name = text.split(" ")
        return [_ingredient(name)] * int(count)
    return [_ingredient(text)]


def _item_criterion(item: str) -> Json:
    wanted = {"tag": full(item[1:])} if item[0] == "#" else {"items": [full(item)]}
    return {"trigger": "minecraft:inventory_changed", "conditions": {"items": [wanted]}}
