"""Applying a manifest: all its edits are made on a draft of the rulebook, or none is."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mirrorcraft.core import apply_loot
from mirrorcraft.core import operators as op
from mirrorcraft.core.describe import sentence
from mirrorcraft.core.draft import Draft, Targets
from mirrorcraft.core.manifest import Change, RuleManifest
from mirrorcraft.core.recipes import (
    COOKING_TICKS,
    CookingRecipe,
    Ingredient,
    ShapedRecipe,
    ShapelessRecipe,
    SmithingRecipe,
)
from mirrorcraft.core.rulebook import STATIONS, Rulebook

Crafting = ShapedRecipe | ShapelessRecipe | SmithingRecipe


def apply(rulebook: Rulebook, manifest: RuleManifest) -> Rulebook:
    """Return the rulebook with the manifest's changes made; ``rulebook`` itself stays as it is.

    Raises:
        ManifestError: a name is unknown, a target is changed twice, a change changes nothing.
    """
    taken = {id: "an earlier manifest" for change in rulebook.changes for id in change.targets()}
    draft = Draft(rulebook, manifest.source, dict(rulebook.recipes), dict(rulebook.loot), taken)
    if manifest.game_version != rulebook.version:
        draft.fail("game_version", manifest.game_version, f"{rulebook.version}, as the rulebook")
    owners = {change.id: "an earlier manifest" for change in rulebook.changes}
    changes = []
    for i, entry in enumerate(manifest.changes):
        place, ident = f"changes[{i}]", f"{manifest.id}.{entry.id}"
        if ident in owners:
            draft.fail(f"{place}.id", entry.id, f"an id of its own; {owners[ident]} has this one")
        owners[ident] = place
        targets = _OPERATORS[entry.op](draft, entry, place)
        text = sentence(entry, targets, rulebook)
        changes.append(Change(ident, entry.op, text=text, **targets))
    return rulebook.replace(
        recipes=draft.recipes,
        loot=draft.loot,
        changes=(*rulebook.changes, *changes),
        name=f"{rulebook.name}+{manifest.id}" if rulebook.changes else manifest.id,
    )


# --- crafting and smithing


def _crafting(draft: Draft, entry: Any, place: str) -> Iterator[tuple[str, Crafting]]:
    """Yield each recipe that a change names, with its place in the file."""
    for j, name in enumerate(entry.recipes):
        where = f"{place}.recipes[{j}]"
        if name.startswith("#"):
            tag = set(draft.members(where, "items", name))
            found = [
                r
                for r in draft.rules.recipes.values()
                if isinstance(r, Crafting) and r.result in tag
            ]
            if not found:
                draft.fail(where, name, "a tag that holds the result of a crafting recipe")
        else:
            recipe = draft.rules.recipes[draft.known(where, "a recipe", name, draft.rules.recipes)]
            if isinstance(recipe, CookingRecipe):
                draft.fail(
                    where, name, "a crafting or smithing recipe; see the processing operators"
                )
            found = [recipe]
        for recipe in found:
            draft.take(where, "recipe", recipe.id)
            yield where, recipe


def _recipe_count(draft: Draft, entry: op.RecipeCount, place: str) -> Targets:
    ids = []
    for where, recipe in _crafting(draft, entry, place):
        if isinstance(recipe, SmithingRecipe):
            draft.fail(where, recipe.id, "a crafting recipe; smithing always makes one item")
        draft.fits(place, entry, recipe.result)
        if entry.count == recipe.count:
            draft.fail(f"{place}.count", entry.count, f"a count other than that of {recipe.id}")
        draft.recipes[recipe.id] = replace(recipe, count=entry.count)
        ids.append(recipe.id)
    return {"recipes": tuple(ids)}


def _recipe_result(draft: Draft, entry: op.RecipeResult, place: str) -> Targets:
    ids = []
    draft.made(place, entry)
    for where, recipe in _crafting(draft, entry, place):
        if isinstance(recipe, SmithingRecipe):
            if entry.count != 1:
                draft.fail(f"{place}.count", entry.count, "1; smithing always makes one item")
            new = replace(recipe, result=entry.result)
        else:
            new = replace(recipe, result=entry.result, count=entry.count)
        if new == recipe:
            draft.fail(where, recipe.id, f"a recipe that does not make {entry.result} already")
        draft.recipes[recipe.id] = new
        ids.append(recipe.id)
    return {"recipes": tuple(ids)}


def _recipe_removed(draft: Draft, entry: op.RecipeRemoved, place: str) -> Targets:
    ids = [recipe.id for _, recipe in _crafting(draft, entry, place)]
    for ident in ids:
        del draft.recipes[ident]
    return {"recipes": tuple(ids)}


# --- furnace, blast furnace, smoker


def _processing(draft: Draft, entry: Any, place: str) -> list[tuple[str, str, str]]:
    """Return (place, station, input) of everything that a change names."""
    found = []
    for station in entry.stations:
        for j, name in enumerate(entry.inputs):
            where = f"{place}.inputs[{j}]"
            for item in draft.members(where, "items", name):
                draft.take(where, "cooking", station, item)
                found.append((where, station, item))
    return found


def _processing_changed(
    draft: Draft, entry: Any, place: str, edit: Callable[[CookingRecipe], CookingRecipe | None]
) -> Targets:
    """Change what becomes of the named inputs; a recipe's other inputs keep its vanilla result.

    A recipe is edited where all that is left of its inputs is named. Else the named inputs move to
    recipes of their own, so that no two recipes ever compete for one input.
    """
    pairs = _processing(draft, entry, place)
    by_recipe: dict[str, list[str]] = {}
    for where, station, item in pairs:
        recipe = draft.rules.cook(station, item)
        if recipe is None:
            draft.fail(where, item, f"an input that the {station} processes in vanilla")
        new = edit(recipe)
        if new == recipe:
            draft.fail(
                where, item, f"another outcome than what the {station} makes of it in vanilla"
            )
        by_recipe.setdefault(recipe.id, []).append(item)
    for ident, inputs in by_recipe.items():
        recipe = draft.recipes[ident]
        assert isinstance(recipe, CookingRecipe)
        new = edit(recipe)
        rest = _without(recipe.ingredient, inputs, draft.rules)
        if rest:
            draft.recipes[ident] = replace(recipe, ingredient=rest)
            if new:
                for item in inputs:
                    _add_cooking(draft, replace(new, ingredient=(item,), group=""))
        elif new:
            draft.recipes[ident] = new
        else:
            del draft.recipes[ident]
    return {"cooking": tuple((station, item) for _, station, item in pairs)}


def _without(ingredient: Ingredient, gone: list[str], rules: Rulebook) -> Ingredient:
    """Return an ingredient that accepts all but ``gone``; a tag that holds one is written out."""
    kept: list[str] = []
    for option in ingredient:
        members = rules.expand((option,))
        touched = any(item in gone for item in members)
        kept += [item for item in members if item not in gone] if touched else [option]
    return tuple(dict.fromkeys(kept))


def _add_cooking(draft: Draft, recipe: CookingRecipe) -> None:
    # One new recipe for a kind and an input at most, and no item id holds "_from_": the id is free.
    ident = f"mirrorcraft:{recipe.result}_from_{recipe.kind}_{recipe.ingredient[0]}"
    draft.recipes[ident] = replace(recipe, id=ident)


def _processing_result(draft: Draft, entry: op.ProcessingResult, place: str) -> Targets:
    draft.made(place, entry)
    return _processing_changed(
        draft, entry, place, lambda r: replace(r, result=entry.result, count=entry.count)
    )


def _processing_count(draft: Draft, entry: op.ProcessingCount, place: str) -> Targets:
    def edit(recipe: CookingRecipe) -> CookingRecipe:
        draft.fits(place, entry, recipe.result)
        return replace(recipe, count=entry.count)

    return _processing_changed(draft, entry, place, edit)


def _processing_removed(draft: Draft, entry: op.ProcessingRemoved, place: str) -> Targets:
    return _processing_changed(draft, entry, place, lambda _: None)


def _processing_added(draft: Draft, entry: op.ProcessingAdded, place: str) -> Targets:
    draft.made(place, entry)
    pairs = _processing(draft, entry, place)
    for where, station, item in pairs:
        if draft.rules.cook(station, item) is not None:
            expected = f"an input that the {station} refuses in vanilla; see processing_result"
            draft.fail(where, item, expected)
        kind = STATIONS[station]
        _add_cooking(
            draft,
            CookingRecipe(
                "", kind, (item,), entry.result, entry.count, COOKING_TICKS[kind], entry.experience
            ),
        )
    return {"cooking": tuple((station, item) for _, station, item in pairs)}


_OPERATORS: dict[str, Callable[[Draft, Any, str], Targets]] = {
    "recipe_count": _recipe_count,
    "recipe_result": _recipe_result,
    "recipe_removed": _recipe_removed,
    "processing_result": _processing_result,
    "processing_count": _processing_count,
    "processing_added": _processing_added,
    "processing_removed": _processing_removed,
    "block_drops_replaced": apply_loot.block_drops_replaced,
    "block_drops_added": apply_loot.block_drops_added,
    "block_drops_removed": apply_loot.block_drops_removed,
    "entity_loot_replaced": apply_loot.entity_loot_replaced,
    "entity_loot_added": apply_loot.entity_loot_added,
    "entity_loot_removed": apply_loot.entity_loot_removed,
}
