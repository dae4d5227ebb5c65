"""The rule sheet: each change of a rulebook in plain English, exact, made from the manifest."""

from collections.abc import Iterable
from fractions import Fraction

from mirrorcraft.core import operators as op
from mirrorcraft.core.apply_loot import proper_tool
from mirrorcraft.core.draft import Targets
from mirrorcraft.core.recipes import (
    Ingredient,
    Recipe,
    ShapedRecipe,
    ShapelessRecipe,
    SmithingRecipe,
)
from mirrorcraft.core.rulebook import Rulebook

_VERBS = {
    "furnace": "smelting {} in a furnace",
    "blast_furnace": "blasting {} in a blast furnace",
    "smoker": "smoking {} in a smoker",
}


def describe(rulebook: Rulebook) -> tuple[str, ...]:
    """Return the rule sheet, a line for each change; for the disclosed condition only."""
    return tuple(change.text for change in rulebook.changes)


def sentence(entry: op.Entry, targets: Targets, vanilla: Rulebook) -> str:
    """Return one change in words.

    Args:
        entry: the change as the manifest has it.
        targets: what it touches, written out.
        vanilla: the rules before the change.
    """
    if isinstance(entry, op.RecipeCount | op.RecipeResult | op.RecipeRemoved):
        return _recipe(entry, targets["recipes"], vanilla)
    if isinstance(
        entry, op.ProcessingResult | op.ProcessingCount | op.ProcessingAdded | op.ProcessingRemoved
    ):
        return _processing(entry, targets["cooking"], vanilla)
    if isinstance(entry, op.BlockDropsReplaced | op.BlockDropsAdded | op.BlockDropsRemoved):
        return _block(entry, targets["blocks"], vanilla)
    return _entity(entry, targets["entities"], vanilla)


def _recipe(
    entry: op.RecipeCount | op.RecipeResult | op.RecipeRemoved,
    ids: tuple[str, ...],
    vanilla: Rulebook,
) -> str:
    recipes = [vanilla.recipes[i] for i in ids]
    old = {_stack(getattr(r, "count", 1), r.result) for r in recipes}
    if len(recipes) == 1:
        subject = f"The vanilla recipe for {_words(ids[0])} ({_ingredients(recipes[0])}) makes"
    else:
        subject = f"Each of the {len(ids)} vanilla recipes for {_names(ids, 'and')} makes"
    if isinstance(entry, op.RecipeRemoved):
        return f"{subject} nothing."
    if isinstance(entry, op.RecipeResult):
        new = _stack(entry.count, entry.result)
        return f"{subject} {new} instead of {old.pop() if len(old) == 1 else 'its vanilla result'}."
    if len(recipes) == 1:
        return f"{subject} {_stack(entry.count, recipes[0].result)} instead of {old.pop()}."
    counts = {getattr(r, "count", 1) for r in recipes}
    was = f"{counts.pop()}" if len(counts) == 1 else "the vanilla number"
    return (
        f"{subject} exactly {entry.count} of its item instead of {was}, from the same ingredients."
    )


def _ingredients(recipe: Recipe) -> str:
    """Return what a recipe takes, such as ``3 x sugar cane``."""
    if isinstance(recipe, ShapedRecipe):
        slots = [recipe.key[c] for row in recipe.pattern for c in row if c != " "]
    elif isinstance(recipe, ShapelessRecipe):
        slots = list(recipe.ingredients)
    elif isinstance(recipe, SmithingRecipe):
        slots = [recipe.base, recipe.addition]
    else:
        slots = [recipe.ingredient]
    return ", ".join(f"{slots.count(slot)} x {_ingredient(slot)}" for slot in dict.fromkeys(slots))


def _ingredient(ingredient: Ingredient) -> str:
    return _join([f"any of #{i[1:]}" if i[0] == "#" else _words(i) for i in ingredient], "or")


def _processing(
    entry: op.ProcessingResult | op.ProcessingCount | op.ProcessingAdded | op.ProcessingRemoved,
    pairs: tuple[tuple[str, str], ...],
    vanilla: Rulebook,
) -> str:
    inputs = _names(tuple(dict.fromkeys(item for _, item in pairs)), "or")
    first, *rest = (_VERBS[station] for station in entry.stations)
    subject = " or ".join([first.format(inputs), *(verb.format("it") for verb in rest)])
    subject = subject[0].upper() + subject[1:]
    if isinstance(entry, op.ProcessingAdded):
        return (
            f"{subject} gives {_stack(entry.count, entry.result)}; vanilla cannot process it there."
        )
    found = [vanilla.cook(*pair) for pair in pairs]
    old = {(recipe.result, recipe.count) for recipe in found if recipe}
    result, count = old.pop() if len(old) == 1 else (None, 0)
    was = _stack(count, result) if result else "the vanilla result"
    if isinstance(entry, op.ProcessingRemoved):
        return f"{subject} is impossible; vanilla gives {was}."
    if isinstance(entry, op.ProcessingResult):
        new = _stack(entry.count, entry.result)
    else:
        new = _stack(entry.count, result) if result else f"{entry.count} x the vanilla result"
    return f"{subject} gives exactly {new} instead of {was}."


def _block(
    entry: op.BlockDropsReplaced | op.BlockDropsAdded | op.BlockDropsRemoved,
    blocks: tuple[str, ...],
    vanilla: Rulebook,
) -> str:
    subject = f"Breaking {_names(blocks, 'or')} drops"
    was = _vanilla_drops(blocks, vanilla)
    if isinstance(entry, op.BlockDropsRemoved):
        return f"{subject} nothing."
    drops = _join([_drop(d) for d in entry.drops], "and")
    if isinstance(entry, op.BlockDropsAdded):
        extra = "; nothing is added with Silk Touch" if entry.silk_touch == "keeps_vanilla" else ""
        vanilla_drops = (
            f"its vanilla drops ({was} without enchantments)" if was else "its vanilla drops"
        )
        return f"{subject} {drops} in addition to {vanilla_drops}{extra}."
    silk = (
        "with Silk Touch it still drops itself"
        if entry.silk_touch == "keeps_vanilla"
        else "Silk Touch makes no difference"
    )
    instead = was or "its vanilla drops"
    return f"{subject} {drops} instead of {instead}; Fortune has no effect, and {silk}."


def _vanilla_drops(blocks: tuple[str, ...], vanilla: Rulebook) -> str:
    """Return what the blocks drop in vanilla, or nothing where no phrase holds for all."""
    usual = {b: _usual(vanilla.drops(b, proper_tool(b, vanilla))) for b in blocks}
    if len(set(usual.values())) == 1:
        return usual[blocks[0]]
    return "the block itself" if all(usual[b] == _stack(1, b) for b in blocks) else ""


def _entity(
    entry: op.EntityLootReplaced | op.EntityLootAdded | op.EntityLootRemoved,
    entities: tuple[str, ...],
    vanilla: Rulebook,
) -> str:
    subject = f"Killing {_join(['a ' + _words(e) for e in entities], 'or')} drops"
    usual = {_usual(vanilla.kill(entity)) for entity in entities}
    was = usual.pop() if len(usual) == 1 else ""
    if isinstance(entry, op.EntityLootRemoved):
        return f"{subject} nothing."
    drops = _join([_drop(d) for d in entry.drops], "and")
    if isinstance(entry, op.EntityLootReplaced):
        return f"{subject} {drops} instead of {was or 'its vanilla loot'}."
    loot = f"its vanilla loot ({was})" if was else "its vanilla loot"
    recounted = [_stack(count, item) for item, count in entry.base_counts.items()]
    changed = f", changed to {_join(recounted, 'and')}" if recounted else ""
    return f"{subject} {drops} in addition to {loot}{changed}."


# --- rules that no manifest entry stands for


def recipe_in_words(recipe: Recipe) -> str:
    """Return what a recipe takes and makes: ``2 x any of #planks give 4 x stick``."""
    return f"{_ingredients(recipe)} give {_stack(getattr(recipe, 'count', 1), recipe.result)}"


def drops_in_words(distribution: dict[tuple[tuple[str, int], ...], Fraction]) -> str:
    """Return the least and the most of each item that may drop: ``0 to 2 x leather``."""
    return _usual(distribution)


# --- words


def _words(ident: str) -> str:
    return ident.rpartition(":")[2].replace("_", " ")


def _stack(count: op.Count, item: str) -> str:
    number = f"{count.min} to {count.max}" if isinstance(count, op.CountRange) else f"{count}"
    return f"{number} x {_words(item)}"


def _drop(drop: op.Drop) -> str:
    if op.WOOD not in drop.item:
        return _stack(drop.count, drop.item)
    return _stack(drop.count, drop.item.replace(op.WOOD, "").strip("_")) + " of the same wood"


def _usual(distribution: dict[tuple[tuple[str, int], ...], Fraction]) -> str:
    """Return the least and the most of each item that may drop: ``0 to 2 x leather``."""
    outcomes = [dict(outcome) for outcome in distribution]
    items = sorted({item for outcome in outcomes for item in outcome})
    spans = [(item, [outcome.get(item, 0) for outcome in outcomes]) for item in items]
    parts = [
        f"{min(n)} x {_words(item)}"
        if min(n) == max(n)
        else f"{min(n)} to {max(n)} x {_words(item)}"
        for item, n in spans
    ]
    return _join(parts, "and") or "nothing"


def _join(parts: Iterable[str], word: str) -> str:
    *first, last = tuple(parts) or ("",)
    return f"{', '.join(first)} {word} {last}" if first else last


def _names(ids: tuple[str, ...], word: str) -> str:
    """Return a list of names; a long one by kind and family: ``log or wood of birch or oak``."""
    families: dict[str, list[str]] = {}
    for ident in ids:
        family, _, kind = ident.rpartition("_")
        families.setdefault(kind, []).append(family)
    if len(ids) <= 4 or any(len(f) == 1 for f in families.values()):
        return _join([_words(i) for i in ids], word)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, names in families.items():
        kinds.setdefault(tuple(sorted(names)), []).append(kind)
    groups = [f"{_join(sorted(k), word)} of {_families(f, word)}" for f, k in kinds.items()]
    return f"any {f', {word} '.join(groups)}" if word == "or" else f", {word} ".join(groups)


def _families(names: tuple[str, ...], word: str) -> str:
    plain = [n for n in names if not n.startswith("stripped_")]
    if sorted(names) == sorted([*plain, *(f"stripped_{n}" for n in plain)]):
        return f"{_join([_words(n) for n in plain], word)} (stripped or not)"
    return _join([_words(n) for n in names], word)
