"""A person as the engineer: the laboratory's operations, typed."""

import json
import re

from mirrorcraft.core.errors import InputError, MirrorcraftError
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.sketch import LEGEND, sketch

HELP = """set X Y Z STATE   such as: set 0 4 0 stone, or: set 2 4 0 repeater[facing=west,delay=2]
set X Y Z dot     dust that joins nothing yet
look X Y Z        what stands in a cell
scan              all blocks
draw              the build, layer by layer
press             press the one button and see all that changes
events [SINCE]    changes since a tick
clear             take everything away; the presses stay used up
done              leave; the build that stands is the one that counts"""


def person(lab: Laboratory) -> None:
    """Read an operation a line and carry it out, until ``done`` or the end of input."""
    task = lab.task
    print(
        f"{task.task_description}\nBuild inside {task.world}. {lab.trials_left} presses. help for help."
    )
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line == "done":
            return
        try:
            print(answer(lab, line))
        except MirrorcraftError as e:
            print(e)


def answer(lab: Laboratory, line: str) -> str:
    """Carry out one line and return what is to be shown.

    Raises:
        InputError: the line is no operation, or it cannot be carried out.
    """
    word, *rest = line.split() or ["help"]
    match word, rest:
        case "help", []:
            return HELP
        case "set", [x, y, z, state]:
            return _set(lab, (_number(x), _number(y), _number(z)), state)
        case "look", [x, y, z]:
            return json.dumps(lab.get_block_state(_number(x), _number(y), _number(z)))
        case "scan", []:
            return "\n".join(map(json.dumps, lab.scan_redstone_area())) or "nothing stands"
        case "draw", []:
            build = lab.build()
            return f"{sketch(build)}\n{LEGEND}" if build.blocks else "nothing stands"
        case "press", []:
            return _pressed(lab)
        case "events", [*since] if len(since) <= 1:
            events = lab.get_event_stream(_number(since[0]) if since else 0)
            return "\n".join(map(_event, events)) or "nothing has changed"
        case "clear", []:
            lab.reset()
            return "cleared"
    raise InputError("laboratory", "", line, "one of these:\n" + HELP)


def _set(lab: Laboratory, cell: tuple[int, int, int], state: str) -> str:
    name, _, listed = state.rstrip("]").partition("[")
    pairs = [pair.partition("=") for pair in listed.split(",") if pair]
    dot = name == "dot"
    told = lab.set_block(
        *cell,
        "redstone_wire" if dot else name,
        {key: value for key, _, value in pairs},
        "dot" if dot else "player",
    )
    return json.dumps(told)


def _pressed(lab: Laboratory) -> str:
    told = lab.activate_button()
    start = told["pressed_at"]
    events = [_event({**e, "tick": e["tick"] - start}) for e in told["events"]]
    return "\n".join([*events, f"press {told['trial']}, {told['trials_left']} left"])


def _event(event: dict[str, object]) -> str:
    return f"{event['tick']:>5} {event['pos']} {event['block']}: {event['from']} -> {event['to']}"


def _number(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise InputError("laboratory", "", text, "an integer")
    return int(text)
