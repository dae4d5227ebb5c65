"""Observations as text for people, and typed lines back into actions."""

import json
from collections.abc import Mapping
from typing import Any

from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.observation import Observation
from mirrorcraft.study.words import outcome_text

# The order in which a person types the arguments of a skill; the last ones may be left out.
_ORDER: dict[str, tuple[str, ...]] = {
    "mine": ("block", "count"),
    "explore": ("target",),
    "prepare_access": ("target",),
    "craft_grid": ("station", "grid"),
    "smelt": ("input", "count", "station"),
    "attack": ("target", "count"),
    "enchant": ("item", "option"),
    "place": ("block",),
    "equip": ("item",),
    "collect": ("item",),
    "ascend": ("height",),
    "trade": ("give", "get", "count"),
    "wait": ("ticks",),
}
_NUMBERS = {"count", "height", "ticks"}


def usage() -> str:
    """Return how each skill is typed."""
    lines = [f"  {skill} {' '.join(f'<{name}>' for name in _ORDER[skill])}" for skill in SKILLS]
    example = (
        "  a grid is rows by slash, cells by comma: craft_grid inventory oak_planks,/oak_planks,"
    )
    return "\n".join([*lines, example, '  or JSON: {"skill": "mine", "args": {"block": "dirt"}}'])


def parse_action(line: str) -> Action:
    """Return the action that a typed line stands for; whether it can be done is the world's to say.

    Raises:
        InputError: the line is neither JSON nor a skill with fitting arguments.
    """
    if line.startswith("{"):
        try:
            data = json.loads(line)
            return Action(data["skill"], data.get("args", {}))
        except (ValueError, KeyError, RecursionError) as e:
            raise InputError(
                "action", "", line, f'{{"skill": ..., "args": {{...}}}} ({e!r})'
            ) from None
    skill, *words = line.split() or [""]
    if skill not in _ORDER:
        raise InputError("action", "skill", skill, f"one of {', '.join(SKILLS)}")
    names = _ORDER[skill]
    if len(words) > len(names):
        raise InputError("action", skill, " ".join(words), f"at most {len(names)} arguments")
    return Action(skill, {n: _value(n, word) for n, word in zip(names, words, strict=False)})


def _value(name: str, word: str) -> Any:
    if name == "grid":
        return parse_grid(word)
    if name in _NUMBERS and word.isdecimal():
        return int(word)
    return word


def parse_grid(text: str) -> Any:
    """Read a grid: JSON rows, or ``oak_log,/,`` with rows by slash and cells by comma.

    Raises:
        InputError: the text starts like JSON and is none.
    """
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as e:
            raise InputError("GRID", "", text, f"rows as JSON ({e})") from None
    return [[cell.strip() or None for cell in row.split(",")] for row in text.split("/")]


def observation_text(seen: Observation) -> str:
    """Return an observation in a few lines."""
    goal = next((m for m in seen.task["milestones"] if m["id"] == seen.task["next"]), None)
    alive = [f"{e['count']} {name} at {e['nearest']}" for name, e in seen.entities.items()]
    rows = {
        "next": goal and f"{goal['title']}: {goal['description']}",
        "score": f"{seen.progress['score']}, {seen.budget['left']} actions left",
        "last": seen.last and outcome_text(seen.last),
        "has": _amounts(seen.inventory),
        "hand": seen.equipped["hand"],
        "near": _amounts(seen.facilities),
        "drops": _amounts(seen.drops),
        "alive": ", ".join(alive),
        "blocks": _amounts(dict(sorted(seen.targets.items(), key=lambda t: t[1]))),
    }
    return "\n".join(f"{name:>7}: {text}" for name, text in rows.items() if text)


def _amounts(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
