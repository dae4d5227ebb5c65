"""The loot operators of a manifest: what blocks and entities drop, as the game's loot tables."""

import copy
from collections.abc import Iterator
from typing import Any

from mirrorcraft.core import operators as op
from mirrorcraft.core.draft import Draft, Targets
from mirrorcraft.core.ids import full
from mirrorcraft.core.rulebook import Rulebook

_SILK_TOUCH = {
    "condition": "minecraft:match_tool",
    "predicate": {"enchantments": [{"enchantment": "minecraft:silk_touch", "levels": {"min": 1}}]},
}
_NO_SILK_TOUCH = {"condition": "minecraft:inverted", "term": _SILK_TOUCH}
# What vanilla writes so that explosions destroy part of the drops; without effect on players.
_SURVIVES = {"condition": "minecraft:survives_explosion"}
_DECAY = {"function": "minecraft:explosion_decay"}


def _item(name: str, count: op.Count = 1, *functions: Any, **extra: Any) -> dict[str, Any]:
    """Return a loot entry for ``count`` of an item, in the form that vanilla writes."""
    if count != 1:
        functions = (_set_count(count), *functions)
    entry = {"type": "minecraft:item", "name": full(name), **extra}
    return {**entry, "functions": list(functions)} if functions else entry


def _set_count(count: op.Count) -> dict[str, Any]:
    number = (
        {"type": "minecraft:uniform", "min": count.min, "max": count.max}
        if isinstance(count, op.CountRange)
        else count
    )
    return {"function": "minecraft:set_count", "count": number, "add": False}


def _pool(entry: dict[str, Any], *conditions: Any) -> dict[str, Any]:
    pool = {"rolls": 1, "bonus_rolls": 0, "entries": [entry]}
    return {**pool, "conditions": list(conditions)} if conditions else pool


def wood_of(block: str, rules: Rulebook) -> str | None:
    """Return the wood family of a block, ``crimson`` for ``stripped_crimson_hyphae``, or None."""
    plain = block.removeprefix("stripped_")
    for planks in sorted(rules.tag("items", "planks")):
        wood = planks.removesuffix("_planks")
        if plain.startswith(wood + "_"):
            return wood
    return None


def _drops(
    draft: Draft, drops: tuple[op.Drop, ...], place: str, block: str | None = None
) -> list[tuple[str, op.Count]]:
    """Return (item, count) of what drops, the wood placeholder filled in."""
    found = []
    for j, drop in enumerate(drops):
        where, item = f"{place}.drops[{j}].item", drop.item
        if op.WOOD in item:
            wood = wood_of(block, draft.rules) if block else None
            if wood is None:
                draft.fail(
                    where, item, f"a plain item id; {block or 'an entity'} has no wood family"
                )
            item = item.replace(op.WOOD, wood)
        draft.known(where, "an item", item, draft.rules.items)
        found.append((item, drop.count))
    return found


def _blocks(draft: Draft, entry: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield each block that a change names, with its place in the file."""
    for j, name in enumerate(entry.blocks):
        where = f"{place}.blocks[{j}]"
        for block in draft.members(where, "blocks", name):
            if draft.rules.blocks[block].hardness < 0:
                draft.fail(where, block, "a block that can be broken")
            if f"blocks/{block}" not in draft.loot:
                draft.fail(where, block, "a block with drops of its own")
            draft.take(where, "block", block)
            yield where, block


def block_drops_replaced(draft: Draft, entry: op.BlockDropsReplaced, place: str) -> Targets:
    """Give blocks the drops of the change and no others."""
    blocks = []
    for where, block in _blocks(draft, entry, place):
        drops = _drops(draft, entry.drops, place, block)
        if entry.silk_touch == "keeps_vanilla":
            pools = _with_silk_touch(draft, block, drops, place)
        else:
            pools = [_pool(_item(*drop), _SURVIVES) for drop in drops]
        draft.edit(where, f"blocks/{block}", {"type": "minecraft:block", "pools": pools})
        blocks.append(block)
    return {"blocks": tuple(blocks)}


def _with_silk_touch(
    draft: Draft, block: str, drops: list[tuple[str, op.Count]], place: str
) -> list[dict[str, Any]]:
    """Return pools that give the block itself under Silk Touch and ``drops`` else."""
    if not silk_touch_keeps(block, draft.rules):
        expected = f'"ignored"; {block} does not drop itself with Silk Touch'
        draft.fail(f"{place}.silk_touch", "keeps_vanilla", expected)
    first, *rest = drops
    itself = _item(str(draft.rules.blocks[block].item), conditions=[_SILK_TOUCH])
    either = {"type": "minecraft:alternatives", "children": [itself, _item(*first, _DECAY)]}
    return [_pool(either), *(_pool(_item(*drop), _SURVIVES, _NO_SILK_TOUCH) for drop in rest)]


def block_drops_added(draft: Draft, entry: op.BlockDropsAdded, place: str) -> Targets:
    """Give blocks the drops of the change beside their own."""
    blocks = []
    silk = (_NO_SILK_TOUCH,) if entry.silk_touch == "keeps_vanilla" else ()
    for where, block in _blocks(draft, entry, place):
        pools = [
            _pool(_item(*d), _SURVIVES, *silk) for d in _drops(draft, entry.drops, place, block)
        ]
        draft.edit(where, f"blocks/{block}", _extended(draft.loot[f"blocks/{block}"], pools))
        blocks.append(block)
    return {"blocks": tuple(blocks)}


def _extended(table: dict[str, Any], pools: list[dict[str, Any]]) -> dict[str, Any]:
    table = copy.deepcopy(table)
    return {**table, "pools": [*table.get("pools", ()), *pools]}


def block_drops_removed(draft: Draft, entry: op.BlockDropsRemoved, place: str) -> Targets:
    """Take all drops from blocks."""
    blocks = []
    for where, block in _blocks(draft, entry, place):
        draft.edit(where, f"blocks/{block}", {"type": "minecraft:block"})
        blocks.append(block)
    return {"blocks": tuple(blocks)}


def _entities(draft: Draft, entry: Any, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield (place, entity, loot table) of what a change names."""
    for j, name in enumerate(entry.entities):
        where = f"{place}.entities[{j}]"
        entity = draft.rules.entities[draft.known(where, "an entity", name, draft.rules.entities)]
        if entity.loot not in draft.loot:
            draft.fail(where, name, "an entity with loot")
        draft.take(where, "entity", name)
        yield where, name, entity.loot


def entity_loot_replaced(draft: Draft, entry: op.EntityLootReplaced, place: str) -> Targets:
    """Give entities the loot of the change and no other."""
    pools = [_pool(_item(*drop)) for drop in _drops(draft, entry.drops, place)]
    return _entity_loot_set(draft, entry, place, {"type": "minecraft:entity", "pools": pools})


def entity_loot_removed(draft: Draft, entry: op.EntityLootRemoved, place: str) -> Targets:
    """Take all loot from entities."""
    return _entity_loot_set(draft, entry, place, {"type": "minecraft:entity"})


def _entity_loot_set(draft: Draft, entry: Any, place: str, table: dict[str, Any]) -> Targets:
    names = []
    for where, name, base in _entities(draft, entry, place):
        draft.edit(where, base, table)
        # A variant, such as a white sheep, has a table of its own that adds to the shared one.
        for variant in [t for t in draft.loot if t.startswith(base + "/")]:
            draft.edit(where, variant, table)
        names.append(name)
    return {"entities": tuple(names)}


def entity_loot_added(draft: Draft, entry: op.EntityLootAdded, place: str) -> Targets:
    """Give entities the loot of the change beside their own, with the base counts it sets."""
    names = []
    pools = [_pool(_item(*drop)) for drop in _drops(draft, entry.drops, place)]
    for where, name, base in _entities(draft, entry, place):
        table = _extended(draft.loot[base], pools)
        for item, count in entry.base_counts.items():
            spot = f"{place}.base_counts.{item}"
            entries = [
                e for pool in table["pools"][: -len(pools)] for e in _entries(pool, full(item))
            ]
            if not entries:
                draft.fail(spot, item, f"an item of the vanilla loot of {name}")
            for found in entries:
                _recount(found, count)
        draft.edit(where, base, table)
        names.append(name)
    return {"entities": tuple(names)}


def _entries(node: dict[str, Any], item: str) -> Iterator[dict[str, Any]]:
    """Yield the loot entries of ``item`` in a pool, nested ones included."""
    if node.get("type") == "minecraft:item" and node["name"] == item:
        yield node
    for child in (*node.get("entries", ()), *node.get("children", ())):
        yield from _entries(child, item)


def _recount(entry: dict[str, Any], count: op.Count) -> None:
    """Give a loot entry another base count; what Looting and the like add stays."""
    kept = [f for f in entry.get("functions", ()) if f["function"] != "minecraft:set_count"]
    entry["functions"] = [_set_count(count), *kept]


def proper_tool(block: str, rules: Rulebook) -> str | None:
    """Return a tool that the block drops to, or None where a bare hand will do."""
    info = rules.blocks[block]
    if not info.requires_tool:
        return None
    tools = [t if t in rules.items else f"netherite_{t}" for t in info.tools]
    return next((t for t in tools if rules.harvestable(block, t)), None)


def silk_touch_keeps(block: str, rules: Rulebook) -> bool:
    """Return whether a tool with Silk Touch gets the block itself, and only that."""
    # Where a hand would do any tool does, and a hand cannot be enchanted.
    tool = proper_tool(block, rules) or "iron_pickaxe"
    return rules.drops(block, tool, {"silk_touch": 1}) == {((rules.blocks[block].item, 1),): 1}
