"""Laying datapacks over a rulebook, as the 1.19 game loads them: the way back from files to rules.

A file hides the file of the same place below it, tags merge unless they say ``replace``, and a pack's ``filter`` hides
files below it. What the top shows becomes the new rulebook; what a rulebook has no words for (other kinds of recipe,
functions, world generation) is refused, or left out and reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from mirrorcraft.core import cooking_counts
from mirrorcraft.core.difference import differences
from mirrorcraft.core.errors import OutsideError, PackError
from mirrorcraft.core.loot_check import check_loot, loot_references
from mirrorcraft.core.overlay_files import Files, Resource, read_layers
from mirrorcraft.core.overlay_rules import check_tags, read_advancement, read_recipe, read_tag
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.vanilla import retagged

Unsupported = Literal["refuse", "report"]

_READ = ("recipes", "loot_tables", "advancements", "tags/items", "tags/blocks")
# What 1.19 loads beside them. A function tag only lists functions, which are looked at themselves.
_ELSEWHERE = {
    "functions": "its commands are not played",
    "predicates": "loot conditions by reference are not evaluated",
    "item_modifiers": "only commands use them",
    "structures": "it is world generation",
    "dimension": "it is world generation",
    "dimension_type": "it is world generation",
    "worldgen": "it is world generation",
}


class Report(NamedTuple):
    """A file that was left out.

    Attributes:
        file: its path in the pack.
        reason: what in it lies outside of the rules.
    """

    file: str
    reason: str


class Overlaid(NamedTuple):
    """The rules under some datapacks, and what was left out of them."""

    rulebook: Rulebook
    reports: tuple[Report, ...]


def overlay(
    rulebook: Rulebook,
    packs: Sequence[Files],
    unsupported: Unsupported = "refuse",
    name: str = "datapack",
) -> Overlaid:
    """Return the rules under datapacks.

    Args:
        rulebook: the rules below all packs.
        packs: each a mapping of path to parsed JSON or text, the last one on top.
        unsupported: what to do with a file that a rulebook cannot say: ``refuse`` it, or leave it out and
            ``report`` it. A recipe left out still takes its place in the order of recipes, and hides what it
            overrides; a loot table or advancement left out leaves the one below in force.
        name: the name of the new rulebook.

    Raises:
        OutsideError: with ``refuse``, the first such file.
        PackError: a file that the game itself would refuse; it is never left out.
    """
    return _Overlay(rulebook, packs, unsupported).run(name)


class _Overlay:
    """One overlay; each method lays one kind of file, in the order in which they depend on each other."""

    def __init__(self, rulebook: Rulebook, packs: Sequence[Files], unsupported: Unsupported):
        self.before = self.rules = rulebook
        self.layers = read_layers(packs)
        self.unsupported = unsupported
        self.reports: list[Report] = []

    def run(self, name: str) -> Overlaid:
        self.tags()
        self.recipes()
        own = self.counts()
        self.loot()
        self.advancements()
        self.rest(own)
        changes = differences(self.before, self.rules)
        new = {change.id for change in changes}
        kept = [change for change in self.before.changes if change.id not in new]
        rules = self.rules.replace(changes=(*kept, *changes), name=name)
        return Overlaid(rules, tuple(sorted(self.reports)))

    @contextmanager
    def may_lie_outside(self, file: str) -> Iterator[None]:
        """Refuse or report an OutsideError, as the caller chose."""
        try:
            yield
        except OutsideError as e:
            if self.unsupported == "refuse":
                raise
            place = f"{e.place}: " if e.place else ""
            self.reports.append(Report(file, f"{place}expected {e.expected}"))

    def top(self, folder: str) -> Iterator[tuple[Resource, Any]]:
        """Yield each JSON file of a folder with its content in the topmost pack."""
        for resource, contents in self.layers.contents.items():
            if resource.folder == folder and resource.path.endswith(".json"):
                yield resource, contents[-1]

    # --- tags

    def tags(self) -> None:
        before = self.before
        items = self._tags("tags/items", before.item_tags, before.items)
        blocks = self._tags("tags/blocks", before.block_tags, before.blocks)
        if items != before.item_tags or blocks != before.block_tags:
            self.rules = retagged(before, items, blocks)

    def _tags(self, folder: str, below: Any, known: Any) -> dict[str, tuple[str, ...]]:
        tags = {name: () if self.layers.hides(folder, name) else below[name] for name in below}
        files = {}
        for resource, _ in self.top(folder):
            files[resource.name] = resource.file
            for content in self.layers.contents[resource]:
                members = tags.get(resource.name, ())
                tags[resource.name] = read_tag(content, resource.file, members)
        return check_tags(tags, known, files)

    # --- recipes

    def recipes(self) -> None:
        hides = self.layers.hides
        recipes = {i: r for i, r in self.rules.recipes.items() if not hides("recipes", i)}
        others = {i for i in self.rules.other_recipes if not hides("recipes", i)}
        for resource, content in self.top("recipes"):
            name = resource.name
            recipes.pop(name, None)
            others.add(name)
            with self.may_lie_outside(resource.file):
                recipes[name] = read_recipe(content, resource.file, name, self.rules)
                others.discard(name)
        self.rules = self.rules.replace(
            recipes=dict(sorted(recipes.items())), other_recipes=tuple(sorted(others))
        )

    def counts(self) -> frozenset[str]:
        """Read the extension file of cooking counts; return the places of it and of its functions."""
        namespace, path = cooking_counts.EXTENSION.split("/", 2)[1:]
        contents = self.layers.contents.get(Resource(namespace, path))
        if contents is None:
            return frozenset()
        self.rules, recipes = cooking_counts.read(contents[-1], self.rules)
        files = cooking_counts.files(recipes, self.rules)
        own = {file for file, content in files.items() if self._is(file, content)}
        return frozenset({cooking_counts.EXTENSION} | own)

    def _is(self, file: str, content: Any) -> bool:
        """Return whether the topmost pack has this content in a file."""
        namespace, path = file.split("/", 2)[1:]
        return self.layers.contents.get(Resource(namespace, path), [None])[-1] == content

    # --- loot

    def loot(self) -> None:
        loot = dict(self.rules.loot)
        for name in loot:
            if self.layers.hides("loot_tables", name):
                loot[name] = {k: v for k, v in loot[name].items() if k == "type"}  # gives nothing
        new: dict[str, Any] = {}
        files = {}
        for resource, content in self.top("loot_tables"):
            with self.may_lie_outside(resource.file):
                check_loot(content, resource.file, resource.name, self.rules)
                new[resource.name], files[resource.name] = content, resource.file
        tables = (loot | new) if new else {}
        asked = {name: loot_references(table) for name, table in tables.items()}
        while missing := [n for n in new if not asked[n] <= loot.keys() | new.keys()]:
            for name in missing:
                del new[name]
                with self.may_lie_outside(files[name]):
                    unknown = sorted(asked[name] - loot.keys())
                    expected = "references to tables of the pack, or of blocks and entities"
                    raise OutsideError(files[name], "name", unknown, expected)
        for name in new:
            if name in _reached(name, asked):
                raise PackError(files[name], "", name, "a table that does not refer to itself")
        self.rules = self.rules.replace(loot=dict(sorted((loot | new).items())))

    # --- advancements, and all the rest

    def advancements(self) -> None:
        found = {
            n: a
            for n, a in self.rules.advancements.items()
            if not self.layers.hides("advancements", n)
        }
        for resource, content in self.top("advancements"):
            with self.may_lie_outside(resource.file):
                read = read_advancement(content, resource.file, resource.name, self.before)
                if read is not None:
                    found[resource.name] = read
        self.rules = self.rules.replace(advancements=dict(sorted(found.items())))

    def rest(self, own: frozenset[str]) -> None:
        """Look at every file that no other method has read; ``own`` are those of the cooking counts."""
        for resource, contents in self.layers.contents.items():
            with self.may_lie_outside(resource.file):
                if resource.file not in own and (why := _outside(resource, contents[-1])):
                    raise OutsideError(resource.file, "", resource.path, why)


def _outside(resource: Resource, content: Any) -> str | None:
    """Return what was expected of a file that the rules have no place for, or None where it has no effect."""
    if resource.folder in _READ:
        return None if resource.path.endswith(".json") else "a .json file, as 1.19 reads here"
    if resource.folder == "tags/functions" or _is_idle(content):
        return None
    if resource.folder.startswith("tags/"):
        return "tags of items, blocks or functions only; others touch no rule"
    reason = _ELSEWHERE.get(resource.folder, "1.19 reads no folder of that name")
    return f"no file in {resource.folder}: {reason}"


def _is_idle(content: Any) -> bool:
    """Return whether a content is a function without commands."""
    lines = content.splitlines() if isinstance(content, str) else [content]
    return all(isinstance(line, str) and line.strip()[:1] in ("", "#") for line in lines)


def _reached(name: str, asked: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the tables that a table leads to, over any number of steps."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        new = asked.get(todo.pop(), frozenset()) - seen
        seen |= new
        todo += new
    return seen
