"""What the entries of a manifest promise, read a second time: which outcome each operator owes, without ``core.apply``."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from mirrorcraft.core import operators as op
from mirrorcraft.core.apply_loot import proper_tool, wood_of
from mirrorcraft.core.loot import NOTHING, Distribution, combine
from mirrorcraft.core.manifest import Change, RuleManifest
from mirrorcraft.core.recipes import CookingRecipe, SmithingRecipe
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.outcomes import drops_text, filled, slots


class Broken(NamedTuple):
    """A promise that is not kept.

    Attributes:
        rule: id of the change.
        event: what was done, in words.
        promised, got: what should have come of it, and what did.
    """

    rule: str
    event: str
    promised: str
    got: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.event} should give {self.promised}, gives {self.got}"


def broken_promises(
    manifest: RuleManifest, changes: tuple[Change, ...], rules: Rulebook
) -> Iterator[Broken]:
    """Yield every promise of a manifest that some rules do not keep.

    Args:
        manifest: what was promised.
        changes: the changes it becomes, with their targets written out.
        rules: the rules that are played.
    """
    vanilla = Rulebook.vanilla(manifest.game_version)
    targets = {change.id: change for change in changes}
    for entry in manifest.changes:
        change = targets[f"{manifest.id}.{entry.id}"]
        for event, promised, got in _outcomes(entry, change, vanilla, rules):
            if promised != got:
                yield Broken(change.id, event, _text(promised), _text(got))


def _outcomes(
    entry: Any, change: Change, vanilla: Rulebook, rules: Rulebook
) -> Iterator[tuple[str, Any, Any]]:
    """Yield (event, outcome promised, outcome got) for everything an entry touches."""
    for ident in change.recipes:
        yield f"recipe {ident}", *_recipe(entry, ident, vanilla, rules)
    for station, item in change.cooking:
        made = rules.cook(station, item)
        usual = vanilla.cook(station, item)
        promised = _made(entry, usual.result if usual else "")
        yield f"cooking {item} in a {station}", promised, made and (made.result, made.count)
    for block in change.blocks:
        yield from _breaking(entry, block, vanilla, rules)
    for entity in change.entities:
        yield f"killing a {entity}", *_killing(entry, entity, vanilla, rules)


def _made(entry: Any, usual: str) -> tuple[str, int] | None:
    """Return the item and count that a recipe or processing entry owes where vanilla makes ``usual``."""
    if isinstance(entry, op.RecipeRemoved | op.ProcessingRemoved):
        return None
    return getattr(entry, "result", usual), entry.count


def _recipe(entry: Any, ident: str, vanilla: Rulebook, rules: Rulebook) -> tuple[Any, Any]:
    recipe = vanilla.recipes[ident]
    promised = _made(entry, recipe.result)
    if isinstance(recipe, SmithingRecipe | CookingRecipe):
        now = rules.recipes.get(ident)
        return promised, now and (now.result, getattr(now, "count", 1))
    made = rules.craft(filled(slots(recipe), lambda slot: vanilla.expand(slot)[-1]))
    if promised is None and made and made.recipe != ident:
        return None, None  # another recipe of vanilla that takes the same grid
    return promised, made and (made.item, made.count)


def _breaking(
    entry: Any, block: str, vanilla: Rulebook, rules: Rulebook
) -> Iterator[tuple[str, Any, Any]]:
    tool = proper_tool(block, rules) or "iron_pickaxe"
    given = _given(getattr(entry, "drops", ()), wood_of(block, vanilla))
    for levels, words in (({}, ""), ({"silk_touch": 1}, " with Silk Touch")):
        usual = vanilla.drops(block, tool, levels)
        promised = combine(usual, given) if isinstance(entry, op.BlockDropsAdded) else given
        if levels and getattr(entry, "silk_touch", "ignored") == "keeps_vanilla":
            promised = usual
        yield f"breaking {block}{words}", promised, rules.drops(block, tool, levels)


def _killing(entry: Any, entity: str, vanilla: Rulebook, rules: Rulebook) -> tuple[Any, Any]:
    given, got = _given(getattr(entry, "drops", ()), None), rules.kill(entity)
    if not isinstance(entry, op.EntityLootAdded):
        return given, got
    usual = vanilla.kill(entity)
    if not entry.base_counts:
        return combine(usual, given), got
    # A new base count says how many there are on average, not what else the table makes of them.
    means = _means(usual)
    means |= {item: _mean(count) for item, count in entry.base_counts.items()}
    for item, mean in _means(given).items():
        means[item] = means.get(item, Fraction(0)) + mean
    return means, _means(got)


def _given(drops: tuple[op.Drop, ...], wood: str | None) -> Distribution:
    """Return the distribution of drops as an entry writes them."""
    total = NOTHING
    for drop in drops:
        item = drop.item.replace(op.WOOD, wood or "")
        counts = (
            range(drop.count.min, drop.count.max + 1)
            if isinstance(drop.count, op.CountRange)
            else [drop.count]
        )
        share = Fraction(1, len(counts))
        total = combine(total, {((item, n),) if n else (): share for n in counts})
    return total


def _mean(count: op.Count) -> Fraction:
    low, high = (count.min, count.max) if isinstance(count, op.CountRange) else (count, count)
    return Fraction(low + high, 2)


def _means(drops: Distribution) -> dict[str, Fraction]:
    means: dict[str, Fraction] = {}
    for stacks, p in drops.items():
        for item, n in stacks:
            means[item] = means.get(item, Fraction(0)) + n * p
    return means


def _text(outcome: Any) -> str:
    match outcome:
        case None:
            return "nothing"
        case (str(item), int(count)):
            return f"{count} {item}"
        case {**amounts} if all(isinstance(name, str) for name in amounts):
            means = (f"{float(n):.3g} {item}" for item, n in amounts.items())
            return f"{', '.join(means)} on average"
    return drops_text(outcome)
