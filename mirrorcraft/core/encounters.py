"""Which changed rules an event met, for the audit half of a step; and the signatures of actions."""

from typing import Any, NamedTuple

from mirrorcraft.core.action import Action, Checked
from mirrorcraft.core.ids import strip
from mirrorcraft.core.rulebook import Rulebook

_KNOWN_EVENTS = 65_536  # far above what an episode meets; random grids must not fill the memory


class Event(NamedTuple):
    """Something that happened and whose outcome the rules decide; every backend reports the same.

    Attributes:
        kind: ``craft``, ``cook``, ``break`` or ``kill``.
        subject: the grid (a tuple of rows of item ids or None), station, block or entity.
        means: cook: the input; break: the tool, None by hand; kill: the variant or None.
        extra: break: sorted ((enchantment, level), ...); kill: the level of Looting.
    """

    kind: str
    subject: Any
    means: str | None = None
    extra: Any = None


class Encounters:
    """The changed rules behind events, read off two rulebooks.

    A changed rule is met when the event touches one of its targets and comes out differently from
    vanilla: an ore broken with Silk Touch is no encounter of a byproduct that Silk Touch leaves
    out. What drops is compared as a distribution, so luck has no part in it.

    Args:
        vanilla: the rules of the Vanilla world.
        rules: the rules of its Mirror copy, with their ``changes``.
    """

    def __init__(self, vanilla: Rulebook, rules: Rulebook):
        self._pair = (vanilla, rules)
        self._owners = {
            target: change.id for change in rules.changes for target in change.targets()
        }
        self._known: dict[Event, tuple[str, ...]] = {}

    def of(self, event: Event) -> tuple[str, ...]:
        """Return the ids of the changed rules that the event met: none, one, or rarely two.

        Raises:
            ValueError: the event is of no known kind.
        """
        found = self._known.get(event)
        if found is None:
            if len(self._known) >= _KNOWN_EVENTS:
                self._known.clear()
            found = self._known[event] = self._find(*event) if self._owners else ()
        return found

    def _find(self, kind: str, subject: Any, means: str | None, extra: Any) -> tuple[str, ...]:
        if kind == "craft":
            return self._craft(subject)
        if kind == "cook":
            return self._met(("cooking", subject, means), self._cook, subject, means)
        if kind == "break":
            return self._met(("block", subject), self._break, subject, means, extra)
        if kind == "kill":
            return self._met(("entity", subject), self._kill, subject, means, extra)
        raise ValueError(f"no event {kind!r}; the kinds are craft, cook, break and kill")

    def _met(self, target: tuple[Any, ...], outcome: Any, *context: Any) -> tuple[str, ...]:
        owner = self._owners.get(target)
        if owner is None:
            return ()
        before, after = (outcome(rules, *context) for rules in self._pair)
        return (owner,) if before != after else ()

    def _craft(self, grid: Any) -> tuple[str, ...]:
        before, after = (rules.craft(grid) for rules in self._pair)
        if (before and (before.item, before.count)) == (after and (after.item, after.count)):
            return ()
        recipes = dict.fromkeys(made.recipe for made in (before, after) if made)
        owners = (self._owners.get(("recipe", recipe)) for recipe in recipes)
        return tuple(dict.fromkeys(owner for owner in owners if owner))

    @staticmethod
    def _cook(rules: Rulebook, station: str, item: str) -> tuple[str, int] | None:
        recipe = rules.cook(station, item)
        return recipe and (recipe.result, recipe.count)

    @staticmethod
    def _break(rules: Rulebook, block: str, tool: str | None, enchantments: Any) -> Any:
        return rules.drops(block, tool, dict(enchantments or ()))

    @staticmethod
    def _kill(rules: Rulebook, entity: str, variant: str | None, looting: int | None) -> Any:
        return rules.kill(entity, looting=looting or 0, variant=variant)


# What makes two actions the same for the Immediate Repeat Rate (paper v2, section 3.6): quantities,
# fuel, coordinates and the identity of the target do not count. An item that is placed has one use.
# Each argument with its default.
_SIGNATURES: dict[str, tuple[tuple[str, str | None], ...]] = {
    "craft_grid": (("station", None), ("grid", None)),
    "smelt": (("input", None), ("station", "furnace")),
    "mine": (("block", None),),
    "attack": (("target", None),),
    "place": (("block", None),),
    "enchant": (("item", None), ("option", "lowest")),
}


def signature(action: Action | Checked) -> tuple[Any, ...]:
    """Return the semantic signature of an action: the skill, and the arguments that matter.

    The same for an action as an agent sent it and for its checked form; a malformed argument counts
    by its text.
    """
    arguments = _SIGNATURES.get(action.skill, ())
    return (action.skill, *(_plain(action.args.get(name, default)) for name, default in arguments))


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_plain(v) for v in value)
    if isinstance(value, str):
        return strip(value)
    return value if value is None else repr(value)
