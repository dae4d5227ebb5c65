"""Rulebook to datapack: the files in which the rules differ from vanilla; and back, in the order of a server."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mirrorcraft.core import cooking_counts
from mirrorcraft.core import overlay as core
from mirrorcraft.core.errors import PackError
from mirrorcraft.core.facts import Advancement
from mirrorcraft.core.ids import full
from mirrorcraft.core.overlay_files import MCMETA, Resource, filters_of
from mirrorcraft.core.recipes import CookingRecipe, Recipe
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack.pack import PACK_FORMAT, Datapack

GAME_VERSION = "1.19"
# Clients see it, so it says nothing of suites and rules.
DESCRIPTION = "mirrorcraft"


def build(rulebook: Rulebook, *, since: Rulebook | None = None) -> Datapack:
    """Return the datapack that gives the 1.19 game these rules.

    Args:
        rulebook: the rules.
        since: the rules of what lies below the pack; vanilla's when None.

    What is missing from the rules is hidden by the pack's filter. A cooking count above one is written as
    functions and as the extension file of ``core.cooking_counts``; the recipe itself says one.

    Raises:
        PackError: the rules are of another version, a campfire recipe makes more than one, or there is a
            recipe of a kind that a rulebook knows by name only.
    """
    if rulebook.version != GAME_VERSION:
        raise PackError("<rulebook>", "version", rulebook.version, GAME_VERSION)
    vanilla = since or Rulebook.vanilla(rulebook.version)
    if unknown := set(rulebook.other_recipes) - set(vanilla.other_recipes):
        expected = "no recipes beside vanilla's of a kind that no skill uses"
        raise PackError("<rulebook>", "other_recipes", sorted(unknown), expected)
    files: dict[str, Any] = {}
    hidden: list[Resource] = []
    for folder, before, after in (
        ("recipes", _recipes(vanilla), _recipes(rulebook)),
        ("loot_tables", vanilla.loot, rulebook.loot),
        ("advancements", vanilla.advancements, rulebook.advancements),
        ("tags/items", vanilla.item_tags, rulebook.item_tags),
        ("tags/blocks", vanilla.block_tags, rulebook.block_tags),
    ):
        hidden += [Resource.of(folder, name) for name in before.keys() - after.keys()]
        for name, value in after.items():
            if before.get(name) != value:
                files[Resource.of(folder, name).file] = _content(value)
    counted = cooking_counts.counted(rulebook.recipes)
    files.update(cooking_counts.files(counted, rulebook))
    mcmeta: dict[str, Any] = {"pack": {"description": DESCRIPTION, "pack_format": PACK_FORMAT}}
    if hidden:
        mcmeta["filter"] = filters_of(hidden)
    return Datapack({MCMETA: mcmeta, **files})


def _recipes(rulebook: Rulebook) -> Mapping[str, Recipe | None]:
    """Return recipes by id, those of which only the id is known as None."""
    return {**dict.fromkeys(rulebook.other_recipes), **rulebook.recipes}


def _content(value: Any) -> Any:
    """Return the file of a recipe, loot table, advancement or tag."""
    if isinstance(value, CookingRecipe):
        return replace(value, count=1).to_json()  # ``cooking_counts`` says the others
    if isinstance(value, Recipe):
        return value.to_json()
    if isinstance(value, Advancement):
        parent = {"parent": full(value.parent)} if value.parent else {}
        requirements = [list(group) for group in value.requirements]
        return {**parent, "criteria": value.criteria, "requirements": requirements}
    if isinstance(value, tuple):
        members = [f"#{full(m[1:])}" if m[0] == "#" else full(m) for m in value]
        return {"replace": True, "values": members}
    return value


def load_order(packs: Iterable[Datapack]) -> list[Datapack]:
    """Return packs in the order in which 1.19 loads those it finds new in a world's folder.

    That is the order of their ids, ``file/`` and the file's name, compared by code: upper case before lower case.
    The last one wins.
    """
    return sorted(packs, key=lambda pack: f"file/{pack.name}".encode("utf-16-be"))


def overlay(
    rulebook: Rulebook, packs: Iterable[Datapack], unsupported: core.Unsupported = "refuse"
) -> core.Overlaid:
    """Return the rules under packs that a server found in its world's folder; and what was left out.

    ``Rulebook.overlay`` lays packs in an order of one's own.

    Args:
        rulebook: the rules below all packs.
        packs: in any order; ``load_order`` decides.
        unsupported: ``refuse`` a file that lies outside of the rules, or leave it out and ``report`` it.

    Raises:
        PackError: a file that the game would refuse; OutsideError if it lies outside of the rules.
    """
    ordered = load_order(packs)
    names = "+".join(pack.name.removesuffix(".zip") for pack in ordered) or rulebook.name
    return core.overlay(rulebook, ordered, unsupported, names)
