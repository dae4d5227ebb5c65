"""Cooking counts in a datapack: what a 1.19 recipe cannot say, as functions of the game and as a file of our own.

A cooking recipe of 1.19 makes exactly one item. For a count of n the recipe in a pack says one, and functions add the
other n - 1 to the output slot whenever a furnace has finished. The extension file says the exact counts, for servers
that read it and for the way back into a Rulebook.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mirrorcraft.core.errors import PackError
from mirrorcraft.core.ids import full, strip
from mirrorcraft.core.recipes import CookingRecipe, Recipe
from mirrorcraft.core.rulebook import Rulebook

EXTENSION = "data/mirrorcraft/extension/cooking_counts.json"
FORMAT = 1

_STATION = {"smelting": "furnace", "blasting": "blast_furnace", "smoking": "smoker"}
_FUNCTIONS = "data/mirrorcraft/functions/"
_MARKERS = "@e[type=minecraft:marker,tag=mc_station"
_OUTPUT = "Items[{Slot:2b}]"
_STACK = 64  # of most items; the others get a line of their own


def counted(recipes: Mapping[str, Recipe]) -> dict[str, CookingRecipe]:
    """Return the cooking recipes that make more than one item, by id."""
    return {i: r for i, r in recipes.items() if isinstance(r, CookingRecipe) and r.count > 1}


def files(recipes: Mapping[str, CookingRecipe], rules: Rulebook) -> dict[str, Any]:
    """Return the files that make a server keep the counts of some cooking recipes; none for no recipes.

    Args:
        recipes: by id; each makes more than one.
        rules: the rules they belong to.

    Raises:
        PackError: a campfire recipe makes more than one; it has no output slot to add to.
    """
    if not recipes:
        return {}
    recipes = dict(sorted(recipes.items()))
    for recipe in recipes.values():
        if recipe.kind not in _STATION:
            raise PackError(
                "<rulebook>", recipe.id, recipe.count, f"a count of 1 for {recipe.kind}"
            )
    counts = {full(ident): recipe.count for ident, recipe in recipes.items()}
    functions = _functions(recipes, rules)
    return {
        EXTENSION: {"format": FORMAT, "counts": counts},
        "data/minecraft/tags/functions/load.json": {"values": ["mirrorcraft:load"]},
        "data/minecraft/tags/functions/tick.json": {"values": ["mirrorcraft:tick"]},
        **{f"{_FUNCTIONS}{n}.mcfunction": "\n".join(f) + "\n" for n, f in functions.items()},
    }


def read(content: Any, rules: Rulebook) -> tuple[Rulebook, dict[str, CookingRecipe]]:
    """Return the rules with the counts that an extension file declares, and the recipes that have them.

    Args:
        content: the parsed file.
        rules: the rules with the pack's recipes, each of which makes one.

    Raises:
        PackError: another format, or a count of something else than a recipe of a furnace, blast furnace or smoker.
    """
    match content:
        case {"format": 1, "counts": dict(counts)} if len(content) == 2:
            pass
        case _:
            raise PackError(EXTENSION, "", content, f'"format": {FORMAT} and "counts"')
    changed: dict[str, CookingRecipe] = {}
    for name, count in counts.items():
        recipe = rules.recipes.get(strip(name))
        if not isinstance(recipe, CookingRecipe) or recipe.kind not in _STATION:
            expected = "a smelting, blasting or smoking recipe of the pack or the game"
            raise PackError(EXTENSION, "counts", name, expected)
        limit = rules.items[recipe.result].stack
        if type(count) is not int or not 2 <= count <= limit:
            expected = f"an integer from 2 to {limit}, a stack of {recipe.result}"
            raise PackError(EXTENSION, f"counts.{name}", count, expected)
        changed[recipe.id] = replace(recipe, count=count)
    return rules.replace(recipes={**rules.recipes, **changed}), changed


def _functions(recipes: Mapping[str, CookingRecipe], rules: Rulebook) -> dict[str, list[str]]:
    """Return the functions by name, each a list of commands.

    A marker stands in every station that a player has opened. Each tick it sums up what the station
    has finished since a player last took something out (RecipesUsed), and pays what is new.
    """
    kinds = [k for k in _STATION if any(r.kind == k for r in recipes.values())]
    stations = [_STATION[kind] for kind in kinds]
    opened = {s: f"mc_open_{s}" for s in stations}
    none = " ".join(f"unless block ~ ~ ~ minecraft:{s}" for s in stations)
    return {
        "load": [
            *(
                f"scoreboard objectives add {o} minecraft.custom:minecraft.interact_with_{s}"
                for s, o in opened.items()
            ),
            *(f"scoreboard objectives add mc_{o} dummy" for o in _SCORES),
        ],
        "tick": [
            *(
                f"execute as @a[scores={{{o}=1..}}] at @s anchored eyes positioned ^ ^ ^ "
                "run function mirrorcraft:look"
                for o in opened.values()
            ),
            f"execute as {_MARKERS}] at @s run function mirrorcraft:station",
        ],
        "look": [
            *(f"scoreboard players set @s {o} 0" for o in opened.values()),
            "scoreboard players set @s mc_steps 0",
            "function mirrorcraft:ray",
        ],
        "ray": [
            "scoreboard players add @s mc_steps 1",
            *(
                f"execute if block ~ ~ ~ minecraft:{s} run function mirrorcraft:found"
                for s in stations
            ),
            f"execute {none} if score @s mc_steps matches ..80 positioned ^ ^ ^0.1 "
            "run function mirrorcraft:ray",
        ],
        "found": [
            f"execute align xyz positioned ~0.5 ~0.5 ~0.5 unless entity {_MARKERS},distance=..0.4] "
            'run summon minecraft:marker ~ ~ ~ {Tags:["mc_station"]}',
        ],
        "station": [
            f"execute {none} run kill @s",
            "scoreboard players set @s mc_due 0",
            *(line for recipe in recipes.values() for line in _finished(recipe)),
            "execute if score @s mc_due > @s mc_paid run function mirrorcraft:top_up",
            "scoreboard players operation @s mc_paid = @s mc_due",
        ],
        "top_up": _top_up(recipes, rules),
    }


_SCORES = ("due", "paid", "part", "slot", "most", "steps")


def _finished(recipe: CookingRecipe) -> list[str]:
    """Return the commands that add to ``mc_due`` what one recipe still owes for all it has finished."""
    used = f'data get block ~ ~ ~ RecipesUsed."{full(recipe.id)}" {recipe.count - 1}'
    return [
        f"execute store result score @s mc_part run {used}",
        "scoreboard players operation @s mc_due += @s mc_part",
    ]


def _top_up(recipes: Mapping[str, CookingRecipe], rules: Rulebook) -> list[str]:
    """Return the commands that put what is newly due into the output slot, up to a full stack."""
    small = {r.result: rules.items[r.result].stack for r in recipes.values()}
    return [
        f"execute store result score @s mc_slot run data get block ~ ~ ~ {_OUTPUT}.Count",
        "scoreboard players operation @s mc_slot += @s mc_due",
        "scoreboard players operation @s mc_slot -= @s mc_paid",
        f"scoreboard players set @s mc_most {_STACK}",
        *(
            f'execute if data block ~ ~ ~ Items[{{Slot:2b,id:"{full(item)}"}}] '
            f"run scoreboard players set @s mc_most {stack}"
            for item, stack in sorted(small.items())
            if stack != _STACK
        ),
        "scoreboard players operation @s mc_slot < @s mc_most",
        f"execute if data block ~ ~ ~ {_OUTPUT} store result block ~ ~ ~ {_OUTPUT}.Count byte 1 "
        "run scoreboard players get @s mc_slot",
    ]
