"""Why an action is blocked: the local prerequisite that a reason names, and the state that would lift it."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from mirrorcraft.core.data import body
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason

_NEAR, _FAR = 2, 16  # blocks to move for a way, or a view, to count as another one
_BY_WAY = {
    Reason.BLOCKED, Reason.UNREACHABLE, Reason.OUT_OF_RANGE, Reason.NO_SPOT,
    Reason.PICKUP_FAILED, Reason.TIMEOUT,
}  # fmt: skip
_BY_STATION = {Reason.NEEDS_TABLE, Reason.NEEDS_STATION, Reason.STATION_UNREACHABLE}
_BY_SUPPLY = {Reason.NO_FUEL: "fuels", Reason.NO_SCAFFOLD: "scaffold"}


class Blocker(NamedTuple):
    """An action that failed and would fail again.

    Attributes:
        skill: its skill.
        args: its arguments.
        reason: a value of ``Reason``.
        detail: the world's own sentence on it; may be empty.
        prerequisite: what must change first, such as ``{"missing": {"stick": 1}}``.
        failures: how often it failed while that did not change.
        step: number of the action that failed last.
    """

    skill: str
    args: Mapping[str, Any]
    reason: str
    detail: str
    prerequisite: dict[str, Any]
    failures: int
    step: int


def prerequisite(last: Mapping[str, Any], now: Observation) -> dict[str, Any]:
    """Return what must change before a failed action is worth another try; for this action alone."""
    reason, args = last["reason"], last["args"]
    if reason in (Reason.MISSING_ITEM, Reason.NO_LAPIS):
        return {"missing": missing(last["skill"], args, now.inventory)}
    if reason == Reason.NEEDS_TOOL:
        return {"tool": str(last["result"].get("detail", "a suitable tool"))}
    if reason in (Reason.NEEDS_TABLE, Reason.NEEDS_STATION):
        return {"station": station(last["skill"], args)}
    if reason == Reason.STATION_UNREACHABLE:
        return {"access": station(last["skill"], args)}
    if reason in _BY_WAY:
        return {"access": args.get("block") or args.get("target") or args.get("item")}
    if reason == Reason.NOT_FOUND:
        return {"in_sight": args.get("block") or args.get("target") or args.get("item")}
    if reason == Reason.NO_FUEL:
        return {"own": "fuel"}
    if reason == Reason.NO_SCAFFOLD:
        return {"own": "disposable blocks"}
    if reason == Reason.INVENTORY_FULL:
        return {"own": "a free slot"}
    return {"change": "the action itself"}


def relevant_state(last: Mapping[str, Any], now: Observation) -> Hashable:
    """Return the part of the state that decides whether a failed action would fail again.

    While it stays equal the action stays blocked; for malformed actions and for what gave nothing it never
    changes.
    """
    reason, args, have = last["reason"], last["args"], now.inventory
    if reason in (Reason.MISSING_ITEM, Reason.NO_LAPIS):
        return bool(missing(last["skill"], args, have))
    if reason == Reason.NEEDS_TOOL:
        return tuple(sorted(i for i in have if i.endswith(_TOOL_ENDINGS)))
    if reason in _BY_STATION:
        place = station(last["skill"], args)
        way = _cell(now, _NEAR) if reason == Reason.STATION_UNREACHABLE else None
        return place in now.facilities, way
    if reason in _BY_WAY:
        return _cell(now, _NEAR)
    if reason == Reason.NOT_FOUND:
        name = args.get("block") or args.get("target") or args.get("item")
        seen = name in now.targets or name in now.entities or name in now.drops
        return seen, _cell(now, _FAR)
    if reason in _BY_SUPPLY:
        return _supply(have, _BY_SUPPLY[Reason(reason)])
    if reason == Reason.INVENTORY_FULL:
        return len(have), sum(have.values())
    return None


def missing(skill: str, args: Mapping[str, Any], have: Mapping[str, int]) -> dict[str, int]:
    """Return what an action needs and the inventory lacks: item to number."""
    need: Counter[str] = Counter()
    if skill == "craft_grid" and isinstance(args.get("grid"), (list, tuple)):
        rows = [row for row in args["grid"] if isinstance(row, (list, tuple))]
        need.update(cell for row in rows for cell in row if isinstance(cell, str))
    elif skill == "enchant":
        cost = {"lowest": 1, "middle": 2, "highest": 3}.get(str(args.get("option")), 1)
        need.update({str(args.get("item")): 1, "lapis_lazuli": cost})
    else:
        names = {"smelt": "input", "place": "block", "equip": "item", "trade": "give"}
        item = args.get(names.get(skill, ""))
        need.update({item: 1} if isinstance(item, str) else {})
    return {i: n - have.get(i, 0) for i, n in need.items() if have.get(i, 0) < n}


def station(skill: str, args: Mapping[str, Any]) -> str:
    """Return the station that an action works at."""
    return "enchanting_table" if skill == "enchant" else str(args.get("station", "crafting_table"))


_TOOL_ENDINGS = ("_pickaxe", "_axe", "_shovel", "_hoe", "_sword", "shears")


def _cell(now: Observation, size: int) -> tuple[int, ...]:
    return tuple(int(now.position[k] // size) for k in "xyz")


def _supply(have: Mapping[str, int], kind: str) -> int:
    """Return how many of the items of a list of the body are owned; ``#tags`` are matched by their ending."""
    names = [n for n in body()[kind] if not n.startswith("#")]
    endings = {"#logs": ("_log", "_wood", "_stem", "_hyphae"), "#planks": ("_planks",), "#wooden_slabs": ("_slab",)}  # fmt: skip
    ends = tuple(e for n in body()[kind] if n.startswith("#") for e in endings[n])
    return sum(n for i, n in have.items() if i in names or (ends and i.endswith(ends)))
