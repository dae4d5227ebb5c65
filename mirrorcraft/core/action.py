"""The thirteen skills, and the one place where an agent's action is checked before any backend sees it.

A *skill* is the verb in the catalogue; an *action* is one call of it. ``check`` turns whatever an agent sent into a
``Checked`` action with plain, bounded arguments, or into a ``Refusal`` with a reason; it never raises.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from mirrorcraft.core.errors import did_you_mean
from mirrorcraft.core.ids import strip
from mirrorcraft.core.outcome import Reason

SKILLS = (
    "mine",
    "explore",
    "prepare_access",
    "craft_grid",
    "smelt",
    "attack",
    "enchant",
    "place",
    "equip",
    "collect",
    "ascend",
    "trade",
    "wait",
)
COOKERS = ("furnace", "blast_furnace", "smoker")
ENCHANT_OPTIONS = ("lowest", "middle", "highest")
LOG = "log"  # the one alias: any trunk or stem

# For each skill: argument -> (kind, default). A default of REQUIRED means the argument must be given.
REQUIRED = object()
_ARGUMENTS: dict[str, dict[str, tuple[Any, Any]]] = {
    "mine": {"block": ("block", REQUIRED), "count": ((1, 4), 1)},
    "explore": {"target": ("target", REQUIRED)},
    "prepare_access": {"target": ("block", REQUIRED)},
    "craft_grid": {"station": (("inventory", "crafting_table"), REQUIRED), "grid": ("grid", REQUIRED), "count": ((1, 1), 1)},
    "smelt": {"input": ("item", REQUIRED), "station": (COOKERS, "furnace"), "count": ((1, 6), 1)},
    "attack": {"target": ("entity", REQUIRED), "count": ((1, 4), 1)},
    "enchant": {"item": ("item", REQUIRED), "option": (ENCHANT_OPTIONS, "lowest")},
    "place": {"block": ("item", REQUIRED)},
    "equip": {"item": ("item", REQUIRED)},
    "collect": {"item": ("item", REQUIRED)},
    "ascend": {"height": ((0, 6), REQUIRED)},
    "trade": {"with": (("villager",), "villager"), "give": ("item", REQUIRED), "get": ("item", REQUIRED), "count": ((1, 64), 1)},
    "wait": {"ticks": ((1, 200), 20)},
}  # fmt: skip


class Action(NamedTuple):
    """One call of a skill, as an agent sends it: nothing in it is trusted.

    Attributes:
        skill: one of ``SKILLS``.
        args: argument name to value.
    """

    skill: str
    args: Mapping[str, Any] = {}


class Checked(NamedTuple):
    """An action whose arguments are all present, known and in range; ids are without namespace."""

    skill: str
    args: dict[str, Any]


class Refusal(NamedTuple):
    """Why an action cannot be tried at all, and a sentence that says what to change."""

    reason: Reason
    detail: str


class Registry(Protocol):
    """The names that exist in the game version; a Rulebook is one. Mirror rules never change them."""

    @property
    def items(self) -> Mapping[str, Any]: ...
    @property
    def blocks(self) -> Mapping[str, Any]: ...
    @property
    def entities(self) -> Mapping[str, Any]: ...


def check(action: Any, registry: Registry) -> Checked | Refusal:
    """Return the action with every argument checked, or why it cannot be tried. Never raises."""
    skill = getattr(action, "skill", None)
    given = getattr(action, "args", None)
    if not isinstance(skill, str) or skill not in _ARGUMENTS:
        known = f"; the skills are {', '.join(SKILLS)}"
        return Refusal(Reason.INVALID_ARGS, f"no skill {_show(skill)}{known}")
    if not isinstance(given, Mapping):
        return Refusal(Reason.INVALID_ARGS, f"args must be an object, got {_show(given)}")
    wanted = _ARGUMENTS[skill]
    extra = [k for k in given if k not in wanted]
    if extra:
        return Refusal(
            Reason.INVALID_ARGS,
            f"{skill} has no argument {_show(extra[0])}; it takes {', '.join(wanted)}",
        )
    args: dict[str, Any] = {}
    for name, (kind, default) in wanted.items():
        value = given.get(name, default)
        if value is REQUIRED:
            return Refusal(Reason.INVALID_ARGS, f"{skill} needs the argument {name}")
        result = _argument(name, value, kind, registry)
        if isinstance(result, Refusal):
            return result
        args[name] = result
    if skill == "craft_grid":
        rows, side = args["grid"], 2 if args["station"] == "inventory" else 3
        if len(rows) > side or len(rows[0]) > side:
            return Refusal(
                Reason.INVALID_ARGS,
                f"a grid of {len(rows)}x{len(rows[0])} does not fit {args['station']} ({side}x{side})",
            )
    return Checked(skill, args)


def _argument(name: str, value: Any, kind: Any, registry: Registry) -> Any:
    if isinstance(kind, tuple) and isinstance(kind[0], int):
        low, high = kind
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            return Refusal(
                Reason.INVALID_ARGS,
                f"{name} must be an integer from {low} to {high}, got {_show(value)}",
            )
        return value
    if kind == "grid":
        return _grid(value, registry)
    if not isinstance(value, str):
        return Refusal(Reason.INVALID_ARGS, f"{name} must be a string, got {_show(value)}")
    if isinstance(kind, tuple):
        choice = strip(value)
        if choice not in kind:
            return Refusal(
                Reason.INVALID_ARGS, f"{name} must be one of {', '.join(kind)}, got {_show(value)}"
            )
        return choice
    ident = strip(value)
    if kind in ("block", "target") and ident == LOG:
        return ident
    spaces = {
        "block": ("blocks",),
        "item": ("items",),
        "entity": ("entities",),
        "target": ("blocks", "entities"),
    }[kind]
    known = [getattr(registry, s) for s in spaces]
    if any(ident in k for k in known):
        return ident
    if kind == "target":
        return Refusal(
            Reason.NOT_SEARCHABLE,
            f"{_show(value)} is no block and no living entity, so it cannot be searched for",
        )
    hint = did_you_mean(ident, known[0]) if len(ident) <= 64 else ""
    return Refusal(Reason.UNKNOWN_ID, f"no {kind} {_show(value)}{hint}")


def _grid(value: Any, registry: Registry) -> tuple[tuple[str | None, ...], ...] | Refusal:
    if not isinstance(value, (list, tuple)) or not value or len(value) > 3:
        return Refusal(Reason.INVALID_ARGS, f"grid must be 1 to 3 rows, got {_show(value)}")
    rows: list[tuple[str | None, ...]] = []
    for y, row in enumerate(value):
        if not isinstance(row, (list, tuple)) or not 1 <= len(row) <= 3:
            return Refusal(
                Reason.INVALID_ARGS,
                f"grid row {y} must be a list of 1 to 3 cells, got {_show(row)}",
            )
        if rows and len(row) != len(rows[0]):
            return Refusal(
                Reason.INVALID_ARGS,
                f"grid row {y} has {len(row)} cells, row 0 has {len(rows[0])}; rows must be equally long",
            )
        cells = []
        for x, cell in enumerate(row):
            if cell is not None and not isinstance(cell, str):
                return Refusal(
                    Reason.INVALID_ARGS,
                    f"grid cell [{y}][{x}] must be an item id or null, got {_show(cell)}",
                )
            ident = None if cell is None else strip(cell)
            if ident is not None and ident not in registry.items:
                hint = did_you_mean(ident, registry.items) if len(ident) <= 64 else ""
                return Refusal(
                    Reason.UNKNOWN_ID, f"grid cell [{y}][{x}]: no item {_show(cell)}{hint}"
                )
            cells.append(ident)
        rows.append(tuple(cells))
    if not any(any(row) for row in rows):
        return Refusal(Reason.INVALID_ARGS, "the grid is empty")
    return tuple(rows)


def _show(value: Any) -> str:
    """Return a value as short printable text, whatever it is."""
    if isinstance(value, str):
        text = json.dumps(value[:60])
    elif (
        isinstance(value, int) and value.bit_length() > 64
    ):  # Python refuses to print thousands of digits
        text = f"an integer of {value.bit_length()} bits"
    elif value is None or isinstance(value, (bool, int, float)):
        text = str(value)[:60]
    else:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 70 else text[:67] + "..."
