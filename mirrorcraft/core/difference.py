"""What differs between two rulebooks, one ``Change`` for each file of a datapack that makes the difference.

A manifest says itself what it changes; a datapack only says what it contains. Here its changes are read off the rules
before and after, in the terms that ``Encounters`` and the rule sheet know.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mirrorcraft.core.apply_loot import proper_tool
from mirrorcraft.core.describe import drops_in_words, recipe_in_words
from mirrorcraft.core.loot_check import loot_references, loot_tags
from mirrorcraft.core.manifest import Change
from mirrorcraft.core.overlay_rules import ingredients
from mirrorcraft.core.recipes import CookingRecipe, Ingredient
from mirrorcraft.core.rulebook import STATIONS, Rulebook

Targets = dict[str, list[Any]]  # field of Change to what it touches


def differences(before: Rulebook, after: Rulebook) -> tuple[Change, ...]:
    """Return the changes that lead from one rulebook to another of the same version.

    The id of a change is ``pack.`` and the file's place in a datapack, such as ``pack.recipes/stick`` or
    ``pack.tags/items/planks``. Each recipe, cooking input, block and entity belongs to one change: to the
    file of its own if that differs, else to the first tag that makes it differ.
    """
    changed = {
        "recipes": _differing(before.recipes, after.recipes),
        "loot_tables": _differing(before.loot, after.loot),
        "advancements": _differing(before.advancements, after.advancements),
        "tags/items": _differing(before.item_tags, after.item_tags),
        "tags/blocks": _differing(before.block_tags, after.block_tags),
    }
    targets: dict[tuple[str, str], Targets] = {
        (folder, name): {} for folder, names in changed.items() for name in names
    }
    found = _Difference(before, after, targets)
    found.crafting()
    found.cooking()
    if targets.keys() - {("recipes", name) for name in changed["recipes"]}:
        found.blocks()
        found.entities()
    return tuple(
        Change(
            f"pack.{_resource(*place)}",
            f"pack_{place[0].rpartition('/')[2].removesuffix('s')}",
            text=_text(*place, before, after),
            **{field: tuple(names) for field, names in touched.items()},
        )
        for place, touched in targets.items()
    )


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))


def _resource(folder: str, name: str) -> str:
    """Return the place of a file: ``recipes/stick``, ``mirrorcraft:recipes/stick``."""
    namespace, colon, path = name.rpartition(":")
    return f"{namespace}{colon}{folder}/{path}"


class _Difference:
    """Hands what differs out to the files that make it differ."""

    def __init__(self, before: Rulebook, after: Rulebook, targets: dict[tuple[str, str], Targets]):
        self.before, self.after, self.targets = before, after, targets
        self.item_tags = [n for folder, n in targets if folder == "tags/items"]
        self.block_tags = [n for folder, n in targets if folder == "tags/blocks"]

    def give(self, target: Any, field: str, *files: tuple[str, str]) -> None:
        """Give a target to the first of ``files`` that differs."""
        for file in files:
            if file in self.targets:
                self.targets[file].setdefault(field, []).append(target)
                return

    def tags_of(self, slots: Iterator[Ingredient]) -> Iterator[tuple[str, str]]:
        """Yield the changed item tags that ingredients reach."""
        named = {option[1:] for slot in slots for option in slot if option[0] == "#"}
        for tag in self.item_tags:
            if any(self._reaches(name, tag) for name in named):
                yield "tags/items", tag

    def _reaches(self, name: str, tag: str) -> bool:
        """Return whether a tag is another one or refers to it, before or after."""
        members = (m for rules in (self.before, self.after) for m in rules.item_tags.get(name, ()))
        return name == tag or any(m[0] == "#" and self._reaches(m[1:], tag) for m in members)

    def crafting(self) -> None:
        """Recipes of the grid and the smithing table: changed themselves, or in what they accept."""
        for ident in sorted(self.before.recipes.keys() | self.after.recipes.keys()):
            pair = [r.recipes[ident] for r in (self.before, self.after) if ident in r.recipes]
            if all(isinstance(recipe, CookingRecipe) for recipe in pair):
                continue
            tags = self.tags_of(slot for recipe in pair for slot in ingredients(recipe))
            self.give(ident, "recipes", ("recipes", ident), *tags)

    def cooking(self) -> None:
        """Inputs of which a station makes something else, or makes it in another time."""
        for station in STATIONS:
            for item in self.after.items:
                pair = [rules.cook(station, item) for rules in (self.after, self.before)]
                made = [r and (r.result, r.count, r.cookingtime, r.experience) for r in pair]
                if made[0] != made[1]:
                    recipes = [r for r in pair if r]
                    tags = self.tags_of(r.ingredient for r in recipes)
                    files = [("recipes", r.id) for r in recipes]
                    self.give((station, item), "cooking", *files, *tags)

    def blocks(self) -> None:
        """Blocks whose table changed, one that it refers to, or the tools that are right for them."""
        for block, facts in self.after.blocks.items():
            files = self._tables(f"blocks/{block}")
            if facts != self.before.blocks[block]:
                files += [
                    ("tags/blocks", tag) for tag in self.block_tags if self._moved(block, tag)
                ]
            self.give(block, "blocks", *files)

    def _moved(self, block: str, tag: str) -> bool:
        """Return whether a block entered or left a tag."""
        was, now = (
            tag in rules.block_tags and block in rules.tag("blocks", tag)
            for rules in (self.before, self.after)
        )
        return was != now

    def entities(self) -> None:
        """Entities whose table changed, one of a variant, or one that these refer to."""
        for name, entity in self.after.entities.items():
            variants = [t for t in self.after.loot if t.startswith(f"{entity.loot}/")]
            files = [file for table in (entity.loot, *variants) for file in self._tables(table)]
            self.give(name, "entities", *files)

    def _tables(self, name: str) -> list[tuple[str, str]]:
        """Return the files that the yield of a table hangs on: itself, tables it refers to, tags."""
        files = [("loot_tables", name)]
        pair = [rules.loot.get(name, {}) for rules in (self.before, self.after)]
        for table in pair[:1] if pair[0] is pair[1] else pair:
            files += self.tags_of(iter([tuple(f"#{tag}" for tag in loot_tags(table))]))
            for reference in sorted(loot_references(table) - {name}):
                files += self._tables(reference)
        return files


def _text(folder: str, name: str, before: Rulebook, after: Rulebook) -> str:
    """Return one change in a sentence, for the rule sheet."""
    words = name.rpartition(":")[2].replace("_", " ")
    if folder == "recipes":
        old, new = before.recipes.get(name), after.recipes.get(name)
        was = f"; before, {recipe_in_words(old)}" if old else ""
        return f"Recipe {words}: {recipe_in_words(new) if new else 'it makes nothing'}{was}."
    kind, _, subject = name.partition("/")
    if folder == "loot_tables" and kind == "blocks" and subject in after.blocks:
        tool = proper_tool(subject, after)
        was, now = (drops_in_words(rules.drops(subject, tool)) for rules in (before, after))
        return f"Breaking {subject.replace('_', ' ')} drops {now}; before, {was}."
    if folder == "loot_tables" and kind == "entities" and subject in after.entities:
        was, now = (drops_in_words(rules.kill(subject)) for rules in (before, after))
        return f"Killing a {subject.replace('_', ' ')} drops {now}; before, {was}."
    if folder in ("tags/items", "tags/blocks"):
        tags = "item_tags" if folder == "tags/items" else "block_tags"
        was, now = (set(getattr(rules, tags).get(name, ())) for rules in (before, after))
        more = ", ".join(sorted(now - was)) or "nothing"
        fewer = ", ".join(sorted(was - now)) or "nothing"
        return f"Tag {name} ({folder[5:]}): {more} added, {fewer} taken out."
    field = {"loot_tables": "loot", "advancements": "advancements"}[folder]
    was, now = (name in getattr(rules, field) for rules in (before, after))
    state = "changed" if was and now else "new" if now else "gone"
    return f"The {folder.replace('_', ' ').removesuffix('s')} {name} is {state}."
