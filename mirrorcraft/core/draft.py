"""A draft of a rulebook while a manifest is applied, and the checks that operators share."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from mirrorcraft.core.errors import ManifestError, did_you_mean
from mirrorcraft.core.recipes import Recipe
from mirrorcraft.core.rulebook import Rulebook

Targets = dict[str, tuple[Any, ...]]  # what a change touches, by field of ``Change``


@dataclass
class Draft:
    """Copies of what a manifest edits, thrown away if anything is wrong with it.

    Attributes:
        rules: the rulebook that the manifest is applied to; it stays as it is.
        source: where the manifest came from, for errors.
        recipes: recipes by id, edited in place.
        loot: loot tables by name; a table is replaced, never written into.
        taken: what a change owns to the place of that change.
    """

    rules: Rulebook
    source: str
    recipes: dict[str, Recipe]
    loot: dict[str, dict[str, Any]]
    taken: dict[tuple[str, ...], str]

    def fail(self, place: str, given: object, expected: str) -> NoReturn:
        """Raise the ManifestError of something wrong at ``place``."""
        raise ManifestError(self.source, place, given, expected)

    def take(self, place: str, *target: str) -> None:
        """Give a target, such as ``("block", "dirt")``, to the change at ``place`` alone."""
        owner = self.taken.get(target)
        if owner:
            expected = f"one change of each target; {owner} has this one"
            self.fail(place, " ".join(target[1:]), expected)
        self.taken[target] = place

    def known(self, place: str, kind: str, name: str, names: Collection[str]) -> str:
        """Return a name of a closed list."""
        if name not in names:
            self.fail(place, name, f"{kind} of {self.rules.version}{did_you_mean(name, names)}")
        return name

    def members(self, place: str, space: Literal["items", "blocks"], name: str) -> list[str]:
        """Return the items or blocks that an id or ``#tag`` names, sorted."""
        if name.startswith("#"):
            tags = self.rules.item_tags if space == "items" else self.rules.block_tags
            self.known(place, f"a tag of {space}", name, [f"#{tag}" for tag in tags])
            return sorted(self.rules.tag(space, name[1:]))
        known = self.rules.items if space == "items" else self.rules.blocks
        return [self.known(place, f"a {space[:-1]}", name, known)]

    def made(self, place: str, entry: Any) -> None:
        """Check what a recipe or a station is to make: a known item, no more than a slot holds."""
        self.known(f"{place}.result", "an item", entry.result, self.rules.items)
        self.fits(place, entry, entry.result)

    def fits(self, place: str, entry: Any, item: str) -> None:
        """Refuse a count that is more than a slot holds."""
        limit = self.rules.items[item].stack
        if entry.count > limit:
            self.fail(f"{place}.count", entry.count, f"at most {limit}, a stack of {item}")

    def edit(self, place: str, table: str, new: dict[str, Any]) -> None:
        """Replace a loot table by one that differs."""
        if new == self.loot[table]:
            self.fail(place, table, "a change that differs from vanilla")
        self.loot[table] = new
