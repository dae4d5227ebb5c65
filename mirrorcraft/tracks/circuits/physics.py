"""The rules of redstone as a value, and the manifests (kind ``redstone``) that change them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from mirrorcraft.core.data import file_of, names_in, read_json
from mirrorcraft.core.errors import ManifestError, did_you_mean
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.validated import validated

FOLDER = "circuits/suites"
VANILLA = "vanilla"
CONDUCTORS = ("stone", "glass", "redstone_lamp")
"""The blocks of which a rule set says whether they conduct."""


@dataclass(frozen=True)
class Physics:
    """What a world of circuits goes by; the defaults are the game's, 1.16 to 1.19.

    Times are in game ticks (gt), of which a second has twenty.

    Attributes:
        dust_decay: strength lost from one dust to the next, 1 to 15.
        button_gt: how long a stone button stays pressed.
        repeater_gt: what one step of a repeater's delay setting lasts.
        lamp_off_gt: from the loss of power until a lamp goes dark.
        torch_gt: from a change of its block until a torch follows.
        burnout_offs: switch-offs within ``burnout_gt`` after which a torch stays dark.
        burnout_gt: how long a switch-off counts towards burning out.
        conductors: the blocks that carry power to their neighbours.
    """

    dust_decay: int = 1
    button_gt: int = 20
    repeater_gt: int = 2
    lamp_off_gt: int = 4
    torch_gt: int = 2
    burnout_offs: int = 8
    burnout_gt: int = 60
    conductors: tuple[str, ...] = ("stone", "redstone_lamp")

    @property
    def reach(self) -> int:
        """How many dust cells a full signal crosses before it is gone."""
        return -(-15 // self.dust_decay)


_TEXTS = {
    "dust_decay": "Redstone dust loses {} strength from one dust to the next.",
    "button_gt": "A stone button stays pressed for {} game ticks.",
    "repeater_gt": "Each step of a repeater's delay lasts {} game ticks.",
    "lamp_off_gt": "A redstone lamp goes dark {} game ticks after it loses power.",
    "torch_gt": "A redstone torch follows its block after {} game ticks.",
    "burnout_offs": "A redstone torch burns out at its switch-off number {} in a short time.",
    "burnout_gt": "A switch-off counts towards a torch's burning out for {} game ticks.",
    "conductors": "The blocks that conduct are: {}.",
}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NumberChange(_Strict):
    """One number of the physics set to another value."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=32)]
    """Name of the change within its manifest."""
    rule: Literal[
        "dust_decay",
        "button_gt",
        "repeater_gt",
        "lamp_off_gt",
        "torch_gt",
        "burnout_offs",
        "burnout_gt",
    ]
    """The field of ``Physics``."""
    value: Annotated[int, Field(strict=True, ge=1, le=200)]
    """Its new value."""


class ConductorChange(_Strict):
    """Another set of blocks that conduct."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=32)]
    """Name of the change within its manifest."""
    rule: Literal["conductors"]
    """The field of ``Physics``."""
    value: tuple[Literal["stone", "glass", "redstone_lamp"], ...]
    """All blocks that conduct."""


class RedstoneManifest(_Strict):
    """A set of changes to the physics that makes a Mirror laboratory out of the Vanilla one."""

    schema_version: Literal["1.0"]
    """Version of this format."""
    kind: Literal["redstone"]
    """Tells it from the manifests of other kinds."""
    id: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=32)]
    """Name of the suite, such as ``R01``."""
    title: Annotated[str, Field(min_length=1, max_length=100)]
    """The suite in a few words."""
    game_version: Literal["1.19"]
    """The vanilla rules that the changes are made to."""
    changes: Annotated[
        tuple[Annotated[NumberChange | ConductorChange, Field(discriminator="rule")], ...],
        Field(min_length=1),
    ]
    """The changes, each of another rule."""

    @classmethod
    def load(cls, name_or_path: str | Path) -> "RedstoneManifest":
        """Read a suite by name (``R01``), or a file by path (a ``Path``, or text with / or .json).

        Raises:
            UnknownNameError: no suite has that name; the message lists those there are.
            ManifestError: the file cannot be used; names file, place and what was expected.
        """
        path = file_of(FOLDER, name_or_path)
        return checked(read_json(path, ManifestError), path)

    def physics(self) -> Physics:
        """Return the Vanilla rules with the changes made."""
        values: dict[str, Any] = {change.rule: change.value for change in self.changes}
        return replace(Physics(), **values)


def checked(data: Any, source: object) -> RedstoneManifest:
    """Return the manifest in parsed JSON.

    Raises:
        ManifestError: it cannot be used; names source, place and what was expected.
    """
    manifest = validated(RedstoneManifest, data, source, ManifestError)
    rules = [change.rule for change in manifest.changes]
    for i, change in enumerate(manifest.changes):
        place = f"changes[{i}]"
        if change.rule in rules[:i]:
            raise ManifestError(source, f"{place}.rule", change.rule, "each rule changed once")
        if change.rule == "dust_decay" and change.value > 15:
            raise ManifestError(source, f"{place}.value", change.value, "a decay from 1 to 15")
        if getattr(Physics(), change.rule) == change.value:
            raise ManifestError(source, f"{place}.value", change.value, "a value unlike the game's")
    return manifest


_DRAWN: dict[str, tuple[int, ...]] = {
    "dust_decay": (2, 3, 4, 5),
    "button_gt": (6, 10, 14, 16, 24, 30, 40),
    "repeater_gt": (1, 3, 4),
    "lamp_off_gt": (1, 2, 6, 8, 10),
    "torch_gt": (1, 3, 4, 6),
    "burnout_offs": (2, 4, 12),
    "burnout_gt": (20, 40, 100),
}
_DRAWN_CONDUCTORS = (("glass", "redstone_lamp"), ("stone",), ("stone", "glass", "redstone_lamp"))


def sample(seed: int) -> RedstoneManifest:
    """Return a manifest of one to three changes that depends on the seed alone: randomised dynamics."""
    stream = seed_from("redstone sample", seed)
    rules = [*_DRAWN, "conductors"]
    changes: list[dict[str, Any]] = []
    for i in range(1 + below(3, stream, 0, 0)):
        rule = rules.pop(below(len(rules), stream, 1, i))
        values = _DRAWN.get(rule, _DRAWN_CONDUCTORS)
        changes.append(
            {"id": rule, "rule": rule, "value": values[below(len(values), stream, 2, i)]}
        )
    named = {"id": f"S{seed}", "title": f"Drawn from the seed {seed}", "changes": changes}
    return checked(
        {"schema_version": "1.0", "kind": "redstone", "game_version": "1.19", **named}, "sample"
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest, as published in ``rules/schema``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RedstoneManifest.model_json_schema(mode="validation"),
    }


def suites() -> tuple[str, ...]:
    """Return the names of the suites there are; ``vanilla`` is the twin of each and no suite."""
    return names_in(FOLDER)


def physics_for(suite: str | Path) -> Physics:
    """Return the physics of ``vanilla``, of a suite by name, or of a manifest file.

    Raises:
        UnknownNameError: no suite has that name.
        ManifestError: the file cannot be used.
    """
    return Physics() if suite == VANILLA else RedstoneManifest.load(suite).physics()


def from_values(values: Mapping[str, Any]) -> Physics:
    """Return the Vanilla physics with some fields replaced, such as what an experiment found.

    Raises:
        ManifestError: a name is no field of the physics.
    """
    known = [field.name for field in fields(Physics)]
    for name in values:
        if name not in known:
            raise ManifestError("physics", name, name, f"a rule{did_you_mean(name, known)}")
    return replace(Physics(), **values)


def describe(physics: Physics) -> list[str]:
    """Return the rule sheet: one plain sentence for every rule that is not the game's."""
    vanilla, sheet = Physics(), []
    for field in fields(Physics):
        value = getattr(physics, field.name)
        if value != getattr(vanilla, field.name):
            shown = ", ".join(value) or "none" if isinstance(value, tuple) else value
            sheet.append(_TEXTS[field.name].format(shown))
    return sheet
