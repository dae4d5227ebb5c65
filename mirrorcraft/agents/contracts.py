"""The JSON that each kind of prompt asks for, as JSON Schemas, for endpoints that can hold a model to one."""

from collections.abc import Mapping
from typing import Any

from mirrorcraft.core.action import COOKERS, ENCHANT_OPTIONS

Schema = dict[str, Any]


def kind_of(system: str) -> str | None:
    """Return which contract a system message ends with, a key of ``CONTRACTS``; None if it has none.

    Prompts end with a line ``Reply with ONLY ...`` and the JSON that is asked for.
    """
    contract = system[system.rfind("Reply with ONLY") :] if "Reply with ONLY" in system else ""
    return next((kind for kind in CONTRACTS if f'"{kind}"' in contract), None)


def _text(most: int = 400) -> Schema:
    return {"type": "string", "maxLength": most}


def _whole(low: int, high: int) -> Schema:
    """Return the integers of a range one by one: llama.cpp's grammars pass over minimum and maximum."""
    return {"enum": list(range(low, high + 1))}


def _list(items: Schema, most: int, least: int = 0) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


_ID = _text(64)
_ONCE = {"count": _whole(1, 1)}
_CELL: Schema = {"anyOf": [_ID, {"type": "null"}]}


def _grid(side: int) -> Schema:
    """Return the grids of up to ``side`` rows and columns: rows are equally long, so each size is its own."""
    sizes = [(w, h) for h in range(1, side + 1) for w in range(1, side + 1)]
    return {"anyOf": [_list(_list(_CELL, w, w), h, h) for w, h in sizes]}


# The arguments of each skill: those that are needed, and those that may be left out. What fits a grid
# depends on the station, so crafting stands here twice.
_ARGUMENTS: tuple[tuple[str, Schema], ...] = (
    ("mine", _object({"block": _ID}, {"count": _whole(1, 4)})),
    ("explore", _object({"target": _ID})),
    ("prepare_access", _object({"target": _ID})),
    ("craft_grid", _object({"station": {"const": "inventory"}, "grid": _grid(2)}, _ONCE)),
    ("craft_grid", _object({"station": {"const": "crafting_table"}, "grid": _grid(3)}, _ONCE)),
    ("smelt", _object({"input": _ID}, {"station": {"enum": list(COOKERS)}, "count": _whole(1, 6)})),
    ("attack", _object({"target": _ID}, {"count": _whole(1, 4)})),
    ("enchant", _object({"item": _ID}, {"option": {"enum": list(ENCHANT_OPTIONS)}})),
    ("place", _object({"block": _ID})),
    ("equip", _object({"item": _ID})),
    ("collect", _object({"item": _ID})),
    ("ascend", _object({"height": _whole(0, 6)})),
    ("trade", _object({"give": _ID, "get": _ID}, {"count": _whole(1, 64)})),
    ("wait", _object({}, {"ticks": _whole(1, 200)})),
)


def _action(*fields: str) -> Schema:
    texts = {name: _text() for name in fields}
    calls = (_object({**texts, "skill": {"const": s}, "args": a}) for s, a in _ARGUMENTS)
    return {"anyOf": list(calls)}


def _term(*types: str) -> Schema:
    return _object({"type": {"enum": list(types)}, "name": _ID}, {"count": _whole(1, 64)})


_SUCCESS = _object(
    {"kind": {"enum": [
        "inventory_at_least", "inventory_delta", "progress_increase", "facility_available",
        "target_visible", "position_change", "action_result", "state_change",
    ]}},
    {"item": _ID, "target": _ID, "count": _whole(1, 64), "facility": _ID, "distance": _whole(1, 64)},
)  # fmt: skip
_PROGRAM = _object(
    {
        "name": _ID, "description": _text(), "subgoal": _text(), "success": _SUCCESS,
        "actions": _list(_action(), 4, 1),
    }
)  # fmt: skip
_NODE = _object(
    {"item": _ID, "requirements": _list(_object({"item": _ID, "count": _whole(1, 64)}), 6)},
    {"action_hint": _text(120)},
)
_EDGE = _object(
    {
        "sample_key": _text(),
        "causes": _list(_term("item", "station", "tool", "environment"), 8),
        "effects": _list(_term("item", "advancement", "facility"), 8),
    }
)
_TEXTS = ("failure_type", "diagnosis", "next_subgoal", "expiry_condition")

# By the field that tells a contract from those after it.
CONTRACTS: dict[str, Schema] = {
    "failure_type": _object(
        {**{t: _text() for t in _TEXTS}, "avoid": _list(_text(), 5), "try": _list(_text(), 5)}
    ),
    "critique": _object(
        {"reasoning": _text(), "success": {"type": "boolean"}, "critique": _text()}
    ),
    "program": _object({"explain": _text(), "plan": _text(), "program": _PROGRAM}),
    "sample_key": _object({"edges": _list(_EDGE, 8)}),
    "subgoals": _object({"subgoals": _list(_object({"target": _ID, "reason": _text()}), 8)}),
    "nodes": _object({"root": _ID, "nodes": _list(_NODE, 32, 1)}),
    "subgoal": _action("thought", "subgoal"),
    "thought": _action("thought"),
    "skill": _action(),
}
