"""Broken suites, one a kind of fault: each is what ``prove`` is given, and the claim that must fail."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from packs import hiding, pack, shapeless, smelting

from mirrorcraft.core.manifest import Change, RuleManifest
from mirrorcraft.core.recipes import CookingRecipe, ShapedRecipe
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import Datapack, build

VANILLA = Rulebook.vanilla("1.19")
Json = dict[str, Any]


class Fault(NamedTuple):
    """A broken suite: the claim that it breaks, and the arguments for ``prove``."""

    claim: str
    make: Callable[[], Json]


FAULTS: dict[str, Fault] = {}


def manifest(*changes: Json) -> RuleManifest:
    rows = [{"id": f"c{i}", **change} for i, change in enumerate(changes)]
    head = {"schema_version": "1.0", "kind": "mirror", "id": "F01", "title": "A broken suite"}
    return RuleManifest.from_json(json.dumps({**head, "game_version": "1.19", "changes": rows}))


def count(recipe: str, n: int) -> Json:
    return {"op": "recipe_count", "recipes": recipe, "count": n}


def result(recipe: str, item: str, n: int = 1) -> Json:
    return {"op": "recipe_result", "recipes": recipe, "result": item, "count": n}


def removed(recipe: str) -> Json:
    return {"op": "recipe_removed", "recipes": recipe}


def cooked(op: str, items: list[str], *stations: str, **made: Any) -> Json:
    return {"op": f"processing_{op}", "inputs": items, "stations": stations or ["furnace"], **made}


def broken(how: str, blocks: list[str], *drops: Json, **more: Any) -> Json:
    what = {"drops": drops} if drops else {}
    return {"op": f"block_drops_{how}", "blocks": blocks, **what, **more}


def drop(item: str, n: Any = 1) -> Json:
    return {"item": item, "count": n}


def ore(name: str) -> list[str]:
    return [name, f"deepslate_{name}"]


def suite(claim: str, name: str, *changes: Json, **more: Any) -> None:
    """Plant a fault in a manifest."""
    FAULTS[name] = Fault(claim, lambda: {"suite": manifest(*changes), **more})


def plant(claim: str, name: str, make: Callable[[], Json]) -> None:
    """Plant a fault in whatever ``make`` gives to ``prove``."""
    FAULTS[name] = Fault(claim, make)


# --- loops that create items

suite("conserved", "a block unpacks to ten", count("iron_ingot_from_iron_block", 10))
suite("conserved", "eight pack to a block of nine", count("gold_block", 2))
suite("conserved", "an ingot gives ten nuggets", count("iron_nugget", 10))
suite("conserved", "nine nuggets give two ingots", count("iron_ingot_from_nuggets", 2))
suite("conserved", "a recipe makes more of what it takes", result("stick", "oak_planks", 3))
suite("conserved", "planks pack to two logs", result("crafting_table", "oak_log", 2))
suite("conserved", "slabs and blocks feed each other", count("chiseled_sandstone", 3))
suite("conserved", "bottles return and their content too", count("honey_bottle", 5))
suite(
    "conserved",
    "a furnace turns an ingot back into two",
    cooked("added", ["iron_ingot"], result="raw_iron", count=2),
)
suite("conserved", "a furnace doubles", cooked("added", ["diamond"], result="diamond", count=2))
suite("conserved", "old armor is worth more", cooked("count", ["iron_boots"], count=37))
suite(
    "conserved",
    "a loop of three: craft, smelt, unpack",
    result("iron_trapdoor", "gold_block"),
    cooked("added", ["gold_block"], result="iron_block"),
)
suite("conserved", "a block drops itself twice", broken("replaced", ["stone"], drop("stone", 2)))
suite(
    "conserved",
    "what a block breaks into packs to more",
    broken("replaced", ["glowstone"], drop("glowstone_dust", 5)),
)
suite(
    "conserved",
    "luck pays on average",
    broken("replaced", ["clay"], drop("clay_ball", {"min": 0, "max": 9})),
)


def _unlimited_fortune() -> Json:
    table = copy.deepcopy(VANILLA.loot["blocks/glowstone"])
    text = json.dumps(table)
    functions = table["pools"][0]["entries"][0]["children"][1]["functions"]
    kept = [f for f in functions if f["function"] != "minecraft:limit_count"]
    table["pools"][0]["entries"][0]["children"][1]["functions"] = kept
    assert json.dumps(table) != text
    return {"suite": pack({"loot_tables/blocks/glowstone.json": table})}


plant("conserved", "only Fortune makes it pay", _unlimited_fortune)
plant(
    "conserved",
    "a tag lets a product in",
    lambda: {"suite": pack({"tags/items/planks.json": {"values": ["stick"]}})},
)

# --- tasks that cannot be done

suite("reachable", "no crafting table", removed("crafting_table"))
suite("reachable", "no iron in the ore", broken("removed", ore("iron_ore")))
suite(
    "reachable",
    "no furnace takes iron",
    cooked("removed", ["raw_iron", *ore("iron_ore")], "furnace", "blast_furnace"),
)
suite("reachable", "no diamonds", broken("replaced", ore("diamond_ore"), drop("dirt")))
suite("reachable", "no lapis lazuli", broken("removed", ore("lapis_ore")))
suite("reachable", "no obsidian", broken("replaced", ["obsidian"], drop("stone")))
suite("reachable", "the pickaxe of iron is a hoe", result("iron_pickaxe", "iron_hoe"))
suite(
    "reachable",
    "too long for the budget",
    cooked("result", ["raw_iron"], "furnace", "blast_furnace", result="iron_nugget"),
    count("#planks", 1),
    count("stick", 1),
)
plant(
    "reachable",
    "a filter hides the furnace and its ore",
    lambda: {"suite": pack({}, filter=hiding("recipes/.*furnace"))},
)
plant(
    "reachable",
    "an emptied tag",
    lambda: {"suite": pack({"tags/items/planks.json": {"replace": True, "values": []}})},
)

# --- routes that cannot be walked


def winning(content: Json, wins: Callable[[Rulebook], bool]) -> Datapack:
    """Return a pack with a recipe under an id that the game tries before its rival."""
    for i in range(1000):
        found = pack({f"mine:recipes/r{i}.json": content})
        if wins(VANILLA.overlay(found)):
            return found
    raise AssertionError("no id wins")


def _stolen(grid: list[list[str]]) -> Json:
    content = shapeless("dirt", *(cell for row in grid for cell in row))

    def wins(rules: Rulebook) -> bool:
        made = rules.craft(grid)
        return made is not None and made.item == "dirt"

    return {"suite": winning(content, wins)}


plant("executable", "a new recipe takes another's grid", lambda: _stolen([["oak_planks"] * 2] * 2))
plant("executable", "a new recipe takes the furnace", lambda: _taken_furnace())


def _taken_furnace() -> Json:
    recipe = VANILLA.recipes["furnace"]
    assert isinstance(recipe, ShapedRecipe)
    content = {**recipe.to_json(), "result": {"item": "minecraft:dirt"}}
    grid = [["cobblestone"] * 3, ["cobblestone", None, "cobblestone"], ["cobblestone"] * 3]

    def wins(rules: Rulebook) -> bool:
        made = rules.craft(grid)
        return made is not None and made.item == "dirt"

    return {"suite": winning(content, wins)}


# --- changes that nobody meets

suite("encountered", "a recipe off all routes", count("white_bed", 1) | result("white_bed", "dirt"))
suite("encountered", "a block of another dimension", broken("removed", ["end_stone"]))
suite(
    "encountered",
    "a mob that does not live here",
    {"op": "entity_loot_removed", "entities": ["zombie"]},
)
suite("encountered", "an input off all routes", cooked("removed", ["cactus"]))
suite(
    "encountered",
    "a change for a task that was not chosen",
    broken("removed", ore("lapis_ore")),
    tasks=["iron_armor"],
)

# --- packs that do not do what the manifest says

SOUND = (
    count("stick", 2),
    cooked("count", ["raw_iron"], "furnace", "blast_furnace", count=2),
    broken(
        "added",
        ore("iron_ore"),
        drop("iron_nugget", {"min": 1, "max": 2}),
        silk_touch="keeps_vanilla",
    ),
    {
        "op": "entity_loot_added",
        "entities": ["cow"],
        "drops": [drop("paper", 2)],
        "base_counts": {"leather": {"min": 1, "max": 2}},
    },
    result("book", "bookshelf"),
    removed("bowl"),
)
STICK = "data/minecraft/recipes/stick.json"
BOOK = "data/minecraft/recipes/book.json"
ORE = "data/minecraft/loot_tables/blocks/iron_ore.json"
COW = "data/minecraft/loot_tables/entities/cow.json"
RAW = "data/minecraft/recipes/iron_ingot_from_blasting_raw_iron.json"
COUNTS = "data/mirrorcraft/extension/cooking_counts.json"


def served(edit: Callable[[dict[str, Any]], Any]) -> Json:
    """Return the sound manifest beside its pack after somebody edited the files."""
    sound = manifest(*SOUND)
    files = copy.deepcopy(dict(build(VANILLA.apply(sound))))
    edit(files)
    return {"suite": sound, "pack": Datapack(files)}


def edited(claim: str, name: str, edit: Callable[[dict[str, Any]], Any]) -> None:
    plant(claim, name, lambda: served(edit))


edited("declared", "the pack lacks a file", lambda f: f.pop(STICK))
edited("declared", "another count", lambda f: f[STICK]["result"].update(count=3))
edited("declared", "another result", lambda f: f[BOOK]["result"].update(item="minecraft:paper"))
edited("declared", "a recipe that should be gone", lambda f: f["pack.mcmeta"].pop("filter"))
edited("declared", "stations make one", lambda f: f.pop(COUNTS))
edited("declared", "stations make something else", lambda f: f[RAW].update(result="minecraft:dirt"))
edited("declared", "a pool is lost", lambda f: f[ORE]["pools"].pop())
edited(
    "declared",
    "the added drop is another",
    lambda f: f[ORE]["pools"][-1]["entries"][0].update(name="minecraft:gold_nugget"),
)
edited("declared", "Silk Touch gets more", lambda f: f[ORE]["pools"][-1].pop("conditions"))
edited(
    "declared",
    "a wider range of drops",
    lambda f: f[ORE]["pools"][-1]["entries"][0]["functions"][0]["count"].update(max=3),
)
edited("declared", "the cow gives no more than before", lambda f: f[COW]["pools"].pop())
edited(
    "declared",
    "the cow's leather is as it was",
    lambda f: f[COW].update(pools=[VANILLA.loot["entities/cow"]["pools"][0], *f[COW]["pools"][1:]]),
)
plant(
    "declared",
    "a change that is only claimed",
    lambda: {"suite": VANILLA.replace(changes=(Change("X.bow", "recipe_count", ("bow",)),))},
)
plant("declared", "a new recipe that never wins", lambda: _losing())


def _losing() -> Json:
    recipe = VANILLA.recipes["crafting_table"]
    assert isinstance(recipe, ShapedRecipe)
    for i in range(1000):
        content = {**recipe.to_json(), "result": {"item": "minecraft:dirt"}}
        found = pack({f"mine:recipes/r{i}.json": content})
        made = VANILLA.overlay(found).craft([["oak_planks"] * 2] * 2)
        if made is not None and made.item == "crafting_table":
            return {"suite": found}
    raise AssertionError("every id wins")


# --- changes that nobody declared


def extra(path: str, content: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda files: files.update({f"data/{path}": content})


NOTHING = {"type": "minecraft:block"}
edited(
    "untouched",
    "a recipe on the side",
    extra("minecraft/recipes/torch.json", shapeless("torch", "coal", "stick", count=9)),
)
edited(
    "untouched",
    "a new recipe",
    extra("x/recipes/a.json", shapeless("tnt", "dirt")),
)
edited(
    "untouched",
    "a block that lost its drops",
    extra("minecraft/loot_tables/blocks/dirt.json", NOTHING),
)
edited(
    "untouched",
    "a mob that lost its drops",
    extra("minecraft/loot_tables/entities/pig.json", {"type": "minecraft:entity"}),
)
edited(
    "untouched",
    "another time to cook",
    extra(
        "minecraft/recipes/glass.json", smelting("glass", "sand", cookingtime=20, experience=0.1)
    ),
)
edited(
    "untouched", "a tag that grew", extra("minecraft/tags/items/coals.json", {"values": ["dirt"]})
)
edited(
    "untouched",
    "a recipe that is hidden",
    lambda f: f["pack.mcmeta"]["filter"]["block"].append(
        {"namespace": "^minecraft$", "path": "^recipes/ladder"}
    ),
)
edited(
    "untouched",
    "a tool that is right for less",
    extra("minecraft/tags/blocks/mineable/pickaxe.json", {"replace": True, "values": ["stone"]}),
)


def _only_mixed() -> Json:
    """Sticks of one wood each: every pure grid is as before, a mixed one makes nothing."""
    stick = VANILLA.recipes["stick"]
    assert isinstance(stick, ShapedRecipe)
    recipes = {i: r for i, r in VANILLA.recipes.items() if i != "stick"}
    for wood in VANILLA.expand(("#planks",)):
        recipes[f"stick_{wood}"] = replace(stick, id=f"stick_{wood}", key={"#": (wood,)})
    return {"suite": VANILLA.replace(recipes=recipes)}


plant("untouched", "only a mixed grid shows it", _only_mixed)

# --- milestones

ADVANCEMENT = "advancements/story/smelt_iron.json"


def _criteria(item: str) -> Json:
    conditions = {"items": [{"items": [f"minecraft:{item}"]}]}
    return {
        "criteria": {"it": {"trigger": "minecraft:inventory_changed", "conditions": conditions}}
    }


plant("milestones", "dirt is iron", lambda: {"suite": pack({ADVANCEMENT: _criteria("dirt")})})
plant(
    "milestones",
    "a milestone is hidden",
    lambda: {"suite": pack({}, filter=hiding("^advancements/story/mine_diamond"))},
)
plant(
    "milestones",
    "a tag makes it easier",
    lambda: {"suite": pack({"tags/items/stone_tool_materials.json": {"values": ["dirt"]}})},
)

# --- packs that the simulator does not play as the game does

edited("pack", "commands", extra("x/functions/a.mcfunction", "give @a minecraft:diamond\n"))
edited("pack", "no top-up", lambda f: f.pop("data/mirrorcraft/functions/top_up.mcfunction"))
edited(
    "pack",
    "a recipe of the stonecutter",
    extra(
        "x/recipes/a.json",
        {
            "type": "minecraft:stonecutting",
            "ingredient": {"item": "minecraft:dirt"},
            "result": "minecraft:diamond",
            "count": 1,
        },
    ),
)
edited("pack", "a predicate", extra("x/predicates/a.json", {"condition": "killed_by_player"}))
edited("pack", "experience", lambda f: f[RAW].update(experience=99))
plant("pack", "a campfire that makes two", lambda: _two_steaks())


def _two_steaks() -> Json:
    ident = "cooked_beef_from_campfire_cooking"
    recipe = VANILLA.recipes[ident]
    assert isinstance(recipe, CookingRecipe)
    recipes = {**VANILLA.recipes, ident: replace(recipe, count=2)}
    return {"suite": VANILLA.replace(recipes=recipes)}
