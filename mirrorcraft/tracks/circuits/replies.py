"""Replies of a model as tool calls, and the calls made in a laboratory."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mirrorcraft.core.errors import InputError, MirrorcraftError
from mirrorcraft.tracks.circuits.laboratory import Laboratory

TOOLS: dict[str, str] = {
    "get-block-state": '{"x", "y", "z"} -> the block and its properties',
    "get-event-stream": '{"since_tick", "limit"} -> changes of state: tick, pos, block, from, to',
    "scan-redstone-area": '{"center", "radius"} -> all blocks near a cell',
    "set-block": '{"x", "y", "z", "block", "properties", "mode"} -> what stands there now',
    "activate-button": "{} -> one verification trial: all changes of state after the press",
}
"""Tool -> its arguments and answer, for a prompt."""
SHOWN = 6000
"""Characters of an answer that a model is shown."""


class Call(NamedTuple):
    """A tool call of a reply.

    Attributes:
        tool: name of the tool.
        args: its arguments.
    """

    tool: str
    args: dict[str, Any]


def parse_calls(text: str) -> list[Call]:
    """Return the calls in a reply: one JSON object, or a list of them, anywhere in the text.

    Raises:
        InputError: there is no JSON, or it is no call.
    """
    data = _first_json(text)
    calls = []
    for item in data if isinstance(data, list) else [data]:
        if not isinstance(item, dict) or not isinstance(item.get("tool"), str):
            raise InputError("reply", "", item, '{"tool": name, "args": {...}}, or a list of such')
        args = item.get("args", {})
        if not isinstance(args, dict):
            raise InputError("reply", "args", args, "an object of arguments")
        calls.append(Call(item["tool"], args))
    if not calls:
        raise InputError("reply", "", text, "at least one call")
    return calls


def _first_json(text: str) -> Any:
    decoder = json.JSONDecoder()
    for i, character in enumerate(text):
        if character in "{[":
            try:
                return decoder.raw_decode(text, i)[0]
            except (ValueError, RecursionError):
                continue
    raise InputError("reply", "", text, 'JSON: {"tool": name, "args": {...}}, or a list of such')


def run_call(lab: Laboratory, call: Call) -> str:
    """Return the answer of a laboratory to a call as JSON text; errors are answers too."""
    functions: Mapping[str, Callable[..., Any]] = {
        "get-block-state": lab.get_block_state,
        "get-event-stream": lab.get_event_stream,
        "scan-redstone-area": lab.scan_redstone_area,
        "set-block": lab.set_block,
        "activate-button": lab.activate_button,
    }
    try:
        if call.tool not in functions:
            raise InputError("reply", "tool", call.tool, f"one of {', '.join(functions)}")
        answer = json.dumps(functions[call.tool](**call.args), separators=(",", ":"))
    except MirrorcraftError as e:
        answer = json.dumps({"error": str(e)})
    except TypeError:  # from the call itself: names of arguments that the tool does not have
        answer = json.dumps({"error": f"{call.tool} takes {TOOLS[call.tool]}"})
    return answer if len(answer) <= SHOWN else answer[:SHOWN] + "... (cut; ask for less)"
