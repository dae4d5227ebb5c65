"""Rule manifests: the form of a suite file, its reading, and the ``Change`` an entry becomes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from mirrorcraft.core.data import file_of, parse_json, read_json
from mirrorcraft.core.errors import ManifestError, did_you_mean
from mirrorcraft.core.operators import (
    MAX_COUNT,
    NUMBER,
    OPERATORS,
    RANGE,
    CountRange,
    Drop,
    Entry,
    Model,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a rulebook, with the names it touches written out.

    Attributes:
        id: the stable rule id, ``<manifest>.<change>``, such as ``M02.trunk_drop``.
        op: the operator.
        recipes: ids of the crafting and smithing recipes changed.
        cooking: (station, input) pairs whose processing changed.
        blocks: blocks whose drops changed.
        entities: entities whose loot changed.
        text: the change in a plain English sentence, for the rule sheet.
    """

    id: str
    op: str
    recipes: tuple[str, ...] = ()
    cooking: tuple[tuple[str, str], ...] = ()
    blocks: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    text: str = ""

    def targets(self) -> Iterator[tuple[str, ...]]:
        """Yield what the change owns alone, such as ``("cooking", "furnace", "raw_iron")``."""
        yield from (("recipe", recipe) for recipe in self.recipes)
        yield from (("cooking", *pair) for pair in self.cooking)
        yield from (("block", block) for block in self.blocks)
        yield from (("entity", entity) for entity in self.entities)


class RuleManifest(Model):
    """A set of rule changes that makes one Mirror world out of any Vanilla world."""

    schema_version: Literal["1.0"]
    """Version of this format."""
    kind: Literal["mirror"]
    """Tells a rule manifest from a world-generation spec."""
    id: Annotated[str, Field(strict=True, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=32)]
    """Name of the suite, such as ``M02``."""
    title: Annotated[str, Field(strict=True, min_length=1, max_length=100)]
    """The suite in a few words."""
    game_version: Literal["1.19"]
    """The vanilla rules that the changes are made to."""
    changes: tuple[Annotated[Entry, Field(discriminator="op")], ...]
    """The changes, each of other targets than the rest."""

    _source: str = PrivateAttr(default="<manifest>")

    @property
    def source(self) -> str:
        """Where the manifest was read from, for error messages; not part of equality."""
        return self._source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleManifest) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    @classmethod
    def load(cls, name_or_path: str | Path) -> "RuleManifest":
        """Read a suite by name (``M01``), or a file by path (a ``Path``, or text with / or .json).

        Raises:
            UnknownNameError: no suite has that name; the message lists those there are.
            ManifestError: the file cannot be used; names file, place and what was expected.
        """
        path = file_of("suites", name_or_path)
        return _checked(read_json(path, ManifestError), path)

    @classmethod
    def from_json(cls, text: str, source: object = "<json>") -> "RuleManifest":
        """Read a manifest from JSON text; ``source`` is how errors call it.

        Raises:
            ManifestError: the text cannot be used; names source, place and what was expected.
        """
        return _checked(parse_json(text, source, ManifestError), source)

    def to_json(self) -> str:
        """Return the manifest as JSON text that ``from_json`` reads back to an equal manifest."""
        return json.dumps(self.model_dump(exclude_defaults=True), indent=2) + "\n"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest, as published in ``rules/schema``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RuleManifest.model_json_schema(mode="validation"),
    }


def _checked(data: Any, source: object) -> RuleManifest:
    """Return the manifest in ``data``, after a trial run on the vanilla rules checked its names."""
    from mirrorcraft.core.rulebook import Rulebook  # late: a rulebook holds changes

    try:
        manifest = RuleManifest.model_validate(data)
    except ValidationError as e:
        raise _explained(e, source) from None
    manifest._source = str(source)
    Rulebook.vanilla(manifest.game_version).apply(manifest)
    return manifest


_COUNTS = ("count", NUMBER)  # how the location of a plain count ends
_EXPECTED = {  # pydantic's error types in words about the file
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "tuple_type": "a list",
    "string_type": "text",
    "int_type": "an integer",
    "too_short": "at least one entry",
    "string_too_short": "at least one character",
}


def _explained(error: ValidationError, source: object) -> ManifestError:
    """Return one problem that pydantic found, in words about the file rather than about Python."""
    # A misspelt field is both unknown and missing; the first says more.
    found = error.errors(include_url=False)
    first = min(found, key=lambda e: e["type"] != "extra_forbidden")
    kind, context, given = first["type"], first.get("ctx", {}), first["input"]
    place, model = _walk(first["loc"])
    match kind:
        case "missing":
            expected, given = f"the field {first['loc'][-1]}", None
        case "extra_forbidden":
            field = str(first["loc"][-1])
            expected = f"another field{did_you_mean(field, model.model_fields)}"
        case "union_tag_invalid":
            given, place = context["tag"], f"{place}.op"
            expected = f"an operator{did_you_mean(str(given), OPERATORS)}"
        case "union_tag_not_found":
            given, place = None, f"{place}.op"
            expected = f"the field op: one of {', '.join(OPERATORS)}"
        case "literal_error":
            expected = context["expected"].replace("'", '"')
        case "string_pattern_mismatch":
            expected = f"a name of the form {context['pattern']}"
        case "value_error":
            expected = str(context["error"])
        case "int_type" | "greater_than_equal" | "less_than_equal" if first["loc"][-1] in _COUNTS:
            expected = f"an integer from 1 to {MAX_COUNT}"
        case _:
            expected = _EXPECTED.get(kind, first["msg"].removeprefix("Input should be "))
    return ManifestError(source, place, given, expected)


def _walk(loc: tuple[int | str, ...]) -> tuple[str, type[BaseModel]]:
    """Return pydantic's location as ``changes[2].drops[0].count``, and the model it lies in."""
    place, model = "", RuleManifest
    previous: int | str = ""
    for part in loc:
        if part == RANGE:
            model = CountRange
        elif isinstance(previous, int) and part in OPERATORS:
            model = OPERATORS[str(part)]
        elif isinstance(part, int):
            place += f"[{part}]"
            model = Drop if previous == "drops" else model
        elif part not in (NUMBER, "[key]"):
            place += f".{part}" if place else part
        previous = part
    return place, model
