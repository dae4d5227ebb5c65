"""What an action came to: one enum of reasons, one record of the outcome, one enum of endings."""

from enum import StrEnum
from typing import Any, NamedTuple


class Reason(StrEnum):
    """Why an action did not, or did only partly, do what was asked; the same words on every backend."""

    PARTIAL = "partial"
    INVALID_ARGS = "invalid_args"
    UNKNOWN_ID = "unknown_id"
    NOT_FOUND = "not_found"
    NOT_SEARCHABLE = "not_searchable"
    BLOCKED = "blocked"
    NEEDS_TOOL = "needs_tool"
    NEEDS_TABLE = "needs_table"
    NEEDS_STATION = "needs_station"
    STATION_UNREACHABLE = "station_unreachable"
    MISSING_ITEM = "missing_item"
    NO_FUEL = "no_fuel"
    NO_RESULT = "no_result"
    NO_OUTPUT = "no_output"
    NO_LAPIS = "no_lapis"
    NEEDS_LEVEL = "needs_level"
    NOT_ENCHANTABLE = "not_enchantable"
    NOT_PLACEABLE = "not_placeable"
    NO_SPOT = "no_spot"
    NOT_EQUIPPABLE = "not_equippable"
    PICKUP_FAILED = "pickup_failed"
    INVENTORY_FULL = "inventory_full"
    UNREACHABLE = "unreachable"
    OUT_OF_RANGE = "out_of_range"
    NO_SCAFFOLD = "no_scaffold"
    NO_VILLAGER = "no_villager"
    NO_OFFER = "no_offer"
    TIMEOUT = "timeout"
    DIED = "died"


class Ending(StrEnum):
    """How an episode ended. Every one is an outcome and stays in the denominator."""

    GOAL = "goal"
    BUDGET = "budget"
    DEATH = "death"
    NO_ACTION = "no_action"


class Outcome(NamedTuple):
    """What one action came to, read from the world after it.

    Attributes:
        ok: something of what was asked was done.
        reason: why not, or why only partly; None when all of it was done.
        result: what the skill reports, such as ``{"broken": {"iron_ore": 2}, "collected": {"raw_iron": 2}}``;
            a refusal holds ``"detail"``, a sentence that names what is missing.
        delta: the inventory difference over the whole action, item id to signed count, zero entries left out.
        ticks: game ticks that passed (20 a second).
    """

    ok: bool
    reason: Reason | None
    result: dict[str, Any]
    delta: dict[str, int]
    ticks: int

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready values, in the form that observations show."""
        reason = self.reason.value if self.reason else None
        return {
            "ok": self.ok,
            "reason": reason,
            "result": self.result,
            "delta": self.delta,
            "ticks": self.ticks,
        }
