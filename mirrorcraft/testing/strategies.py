"""Hypothesis strategies for manifests, rulebooks, grids, actions and events, all valid by construction.

They choose names from the vanilla rulebook of the project, so every manifest they make must load.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.vendor.pretty import for_type_by_name

from mirrorcraft.core.action import COOKERS, ENCHANT_OPTIONS, LOG, Action
from mirrorcraft.core.apply_loot import silk_touch_keeps
from mirrorcraft.core.encounters import Event
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.recipes import (
    CookingRecipe,
    Ingredient,
    ShapedRecipe,
    ShapelessRecipe,
    SmithingRecipe,
)
from mirrorcraft.core.rulebook import Rulebook

TOOLS = (None, "wooden_pickaxe", "iron_pickaxe", "netherite_pickaxe", "iron_axe", "shears")

# Hypothesis spells out dataclasses; the rules of a world are a megabyte of text.
for_type_by_name(Rulebook.__module__, "Rulebook", lambda rules, p, cycle: p.text(repr(rules)))

Entry = dict[str, Any]
Taken = set[tuple[str, ...]]


@cache
def vanilla() -> Rulebook:
    """Return the vanilla rulebook."""
    return Rulebook.vanilla("1.19")


@cache
def _pools() -> dict[str, list[Any]]:
    """Return the names that a change may target, by what can be done with them."""
    rules = vanilla()
    crafting = [r for r in rules.recipes.values() if not isinstance(r, CookingRecipe)]
    pairs = [(station, item) for station in COOKERS for item in rules.items]
    return {
        "recipe": [r.id for r in crafting],
        "stackable": [
            r.id
            for r in crafting
            if not isinstance(r, SmithingRecipe) and rules.items[r.result].stack > 1
        ],
        "cooked": [p for p in pairs if rules.cook(*p)],
        "uncooked": [p for p in pairs if not rules.cook(*p)],
        "block": [
            b for b, v in rules.blocks.items() if v.hardness >= 0 and f"blocks/{b}" in rules.loot
        ],
        "entity": [e for e, v in rules.entities.items() if rules.loot.get(v.loot, {}).get("pools")],
        "item": list(rules.items),
        "stacked": [i for i, v in rules.items.items() if v.stack > 1],
    }


def items() -> st.SearchStrategy[str]:
    """Return any item id."""
    return st.sampled_from(_pools()["item"])


def _draw_free(draw: Callable[..., Any], pool: str, kind: str, taken: Taken) -> Any:
    """Draw a target of no other change, and take it."""
    name = draw(
        st.sampled_from(_pools()[pool]).filter(
            lambda n: (kind, *(n if isinstance(n, tuple) else (n,))) not in taken
        )
    )
    taken.add((kind, *(name if isinstance(name, tuple) else (name,))))
    return name


@st.composite
def _counts(draw: Callable[..., Any]) -> Any:
    low, high = sorted(draw(st.tuples(st.integers(0, 64), st.integers(1, 64))))
    return {"min": low, "max": high} if low < high and draw(st.booleans()) else high


@st.composite
def _drops(draw: Callable[..., Any], table: str) -> list[Entry]:
    """Draw drops that a loot table does not name, so that a change is never one of nothing."""
    text = json.dumps(vanilla().loot[table])
    pool = items().filter(lambda i: f'"minecraft:{i}"' not in text)
    drop = st.fixed_dictionaries({"item": pool, "count": _counts()})
    return draw(st.lists(drop, min_size=1, max_size=3))


@st.composite
def _recipe_entry(draw: Callable[..., Any], op: str, taken: Taken) -> Entry:
    pool = "stackable" if op == "recipe_count" else "recipe"
    recipe = vanilla().recipes[_draw_free(draw, pool, "recipe", taken)]
    entry: Entry = {"op": op, "recipes": recipe.id}
    if op == "recipe_count":
        limit, old = vanilla().items[recipe.result].stack, getattr(recipe, "count", 1)
        entry["count"] = draw(st.integers(1, limit).filter(lambda n: n != old))
    if op == "recipe_result":
        entry["result"] = draw(items().filter(lambda i: i != recipe.result))
    return entry


@st.composite
def _processing_entry(draw: Callable[..., Any], op: str, taken: Taken) -> Entry:
    pool = "uncooked" if op == "processing_added" else "cooked"
    station, item = _draw_free(draw, pool, "cooking", taken)
    recipe = vanilla().cook(station, item)
    entry: Entry = {"op": op, "inputs": [item], "stations": station}
    if op == "processing_count":
        assert recipe
        entry["count"] = draw(st.integers(2, vanilla().items[recipe.result].stack))
    if op in ("processing_result", "processing_added"):
        entry["result"] = draw(items().filter(lambda i: recipe is None or i != recipe.result))
        entry["count"] = draw(st.integers(1, vanilla().items[entry["result"]].stack))
    return entry


@st.composite
def _block_entry(draw: Callable[..., Any], op: str, taken: Taken) -> Entry:
    block = _draw_free(draw, "block", "block", taken)
    if op == "block_drops_removed" and not vanilla().loot[f"blocks/{block}"].get("pools"):
        op = "block_drops_added"
    entry: Entry = {"op": op, "blocks": block}
    if op != "block_drops_removed":
        entry["drops"] = draw(_drops(f"blocks/{block}"))
        keeps = op == "block_drops_added" or silk_touch_keeps(block, vanilla())
        if keeps and draw(st.booleans()):
            entry["silk_touch"] = "keeps_vanilla"
    return entry


@st.composite
def _entity_entry(draw: Callable[..., Any], op: str, taken: Taken) -> Entry:
    entity = _draw_free(draw, "entity", "entity", taken)
    entry: Entry = {"op": op, "entities": [entity]}
    if op != "entity_loot_removed":
        entry["drops"] = draw(_drops(vanilla().entities[entity].loot))
    return entry


_ENTRIES = {
    "recipe_count": _recipe_entry,
    "recipe_result": _recipe_entry,
    "recipe_removed": _recipe_entry,
    "processing_result": _processing_entry,
    "processing_count": _processing_entry,
    "processing_added": _processing_entry,
    "processing_removed": _processing_entry,
    "block_drops_replaced": _block_entry,
    "block_drops_added": _block_entry,
    "block_drops_removed": _block_entry,
    "entity_loot_replaced": _entity_entry,
    "entity_loot_added": _entity_entry,
    "entity_loot_removed": _entity_entry,
}


@st.composite
def manifest_values(draw: Callable[..., Any], max_changes: int = 6) -> Entry:
    """Return a valid manifest as the JSON value that a file would hold."""
    taken: Taken = set()
    ops = draw(st.lists(st.sampled_from(sorted(_ENTRIES)), max_size=max_changes))
    changes = [{"id": f"c{i}", **draw(_ENTRIES[op](op, taken))} for i, op in enumerate(ops)]
    return {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": "H01",
        "title": "Made by Hypothesis",
        "game_version": "1.19",
        "changes": changes,
    }


def manifests(max_changes: int = 6) -> st.SearchStrategy[RuleManifest]:
    """Return valid manifests of any mixture of operators."""
    return manifest_values(max_changes).map(
        lambda value: RuleManifest.from_json(json.dumps(value), "<hypothesis>")
    )


def rulebooks(max_changes: int = 6) -> st.SearchStrategy[Rulebook]:
    """Return rulebooks of Mirror worlds."""
    return manifests(max_changes).map(lambda manifest: vanilla().apply(manifest))


@st.composite
def recipe_grids(draw: Callable[..., Any]) -> tuple[tuple[str | None, ...], ...]:
    """Return the grid of a vanilla recipe, with any accepted item in each slot."""
    crafting = [
        r for r in vanilla().recipes.values() if isinstance(r, ShapedRecipe | ShapelessRecipe)
    ]
    recipe = draw(st.sampled_from(crafting))
    if isinstance(recipe, ShapedRecipe):
        rows = [[recipe.key.get(char) for char in row] for row in recipe.pattern]
    else:
        slots = (*recipe.ingredients, *[None] * (9 - len(recipe.ingredients)))
        rows = [slots[0:3], slots[3:6], slots[6:9]]

    def fill(slot: Ingredient | None) -> str | None:
        return draw(st.sampled_from(vanilla().expand(slot))) if slot else None

    return tuple(tuple(fill(slot) for slot in row) for row in rows)


@st.composite
def random_grids(draw: Callable[..., Any]) -> tuple[tuple[str | None, ...], ...]:
    """Return a grid of a few kinds of item, mostly no recipe at all."""
    few = draw(st.lists(items(), min_size=1, max_size=3))
    width, height = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    cell = st.sampled_from([None, *few])
    return tuple(tuple(draw(cell) for _ in range(width)) for _ in range(height))


def grids() -> st.SearchStrategy[tuple[tuple[str | None, ...], ...]]:
    """Return grids of recipes and grids of chance."""
    return st.one_of(recipe_grids(), random_grids())


def actions() -> st.SearchStrategy[Action]:
    """Return calls of any skill that ``core.action.check`` accepts; most come to nothing in a world."""
    pools = _pools()
    block, entity, item = (st.sampled_from(pools[kind]) for kind in ("block", "entity", "item"))
    few, cooker = st.integers(1, 4), st.sampled_from(COOKERS)
    grid = (
        grids()
        .map(lambda rows: [list(row) for row in rows])
        .filter(lambda rows: any(map(any, rows)))
    )
    return st.one_of(
        _calls("mine", block=block | st.just(LOG), count=few),
        _calls("attack", target=entity, count=few),
        _calls("explore", target=block | entity | st.just(LOG)),
        _calls("prepare_access", target=block),
        _calls("craft_grid", station=st.just("crafting_table"), grid=grid),
        _calls("smelt", input=item, station=cooker, count=few),
        _calls("enchant", item=item, option=st.sampled_from(ENCHANT_OPTIONS)),
        _calls("place", block=item),
        _calls("equip", item=item),
        _calls("collect", item=item),
        _calls("ascend", height=st.integers(0, 6)),
        _calls("trade", give=item, get=item, count=few),
        _calls("wait", ticks=st.integers(1, 200)),
    )


def _calls(skill: str, **args: st.SearchStrategy[Any]) -> st.SearchStrategy[Action]:
    return st.fixed_dictionaries(args).map(lambda drawn: Action(skill, drawn))


def action_lists(max_size: int = 50) -> st.SearchStrategy[list[Action]]:
    """Return what an agent may do in an episode, one action after the other."""
    return st.lists(actions(), max_size=max_size)


def events() -> st.SearchStrategy[Event]:
    """Return anything that a backend may report to ``Encounters``."""
    pools = _pools()
    cook = st.sampled_from(pools["cooked"] + pools["uncooked"][:200])
    enchantments = st.sampled_from([(), (("silk_touch", 1),), (("fortune", 3),)])
    return st.one_of(
        grids().map(lambda grid: Event("craft", grid)),
        cook.map(lambda pair: Event("cook", *pair)),
        st.builds(
            Event,
            st.just("break"),
            st.sampled_from(pools["block"]),
            st.sampled_from(TOOLS),
            enchantments,
        ),
        st.builds(
            Event,
            st.just("kill"),
            st.sampled_from(pools["entity"]),
            st.none(),
            st.integers(0, 3),
        ),
    )
