"""Reads what a model answered: the JSON object in it, and the action that it means. Nothing here raises."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mirrorcraft.core.action import SKILLS, Action, Refusal, Registry, check
from mirrorcraft.core.outcome import Reason

STAGES = ("strict", "balanced", "repaired")
LONGEST = 200_000  # characters of a reply that are looked at
_REPAIRABLE = 8_000  # characters handed to json-repair, which is slow on long nonsense
_DEEPEST = 32
_MOST_OBJECTS = 64

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z0-9]*\s*\n?(.*?)```", re.DOTALL)


class Read(NamedTuple):
    """What was found in a reply.

    Attributes:
        value: the first usable JSON object; None if there is none.
        stage: of ``STAGES``, the one that found it; None if none did.
    """

    value: dict[str, Any] | None
    stage: str | None


class Chosen(NamedTuple):
    """The action that a reply means.

    Attributes:
        action: the action, or None if the reply holds no usable one.
        fields: the object that it came in, such as its ``thought``; empty if there is none.
        stage: of ``STAGES``; None without an action.
        problem: why there is no action, in a sentence; empty with one.
    """

    action: Action | None
    fields: Mapping[str, Any]
    stage: str | None
    problem: str


def read_object(text: str) -> Read:
    """Return the first JSON object of a reply that says something, by the first stage that finds one."""
    for stage, value in _candidates(text):
        if isinstance(value, dict) and value:
            return Read(value, stage)
    return Read(None, None)


def read_action(text: str, registry: Registry) -> Chosen:
    """Return the first documented action of a reply, whatever is around it.

    An action is usable when its skill exists and its required arguments are there in the right form. One that
    names an unknown block or item is usable: the world refuses it, and it costs what any action costs.
    """
    problem = "" if text.strip() else "the reply is empty"
    for stage, value in _candidates(text):
        for fields in _actions(value):
            action = Action(fields["skill"], fields.get("args") or {})
            flaw = flaw_of(action, registry)
            if flaw is not None:
                problem = problem or flaw
                continue
            return Chosen(action, fields, stage, "")
    return Chosen(None, {}, None, problem or "no action object in the reply")


def flaw_of(action: Action, registry: Registry) -> str | None:
    """Return what keeps an action from being usable, in a sentence; None for a usable one."""
    checked = check(action, registry)
    if isinstance(checked, Refusal) and checked.reason == Reason.INVALID_ARGS:
        return checked.detail
    return None


def _candidates(text: str) -> Iterator[tuple[str, Any]]:
    """Yield (stage, value) for everything in a reply that can be read as JSON, the plainest reading first."""
    text = text[:LONGEST]
    whole = _parsed(text.strip())
    if isinstance(whole, (dict, list)):
        yield "strict", whole
        return
    text = _THINKING.sub(" ", text)
    fenced = "\n".join(_FENCE.findall(text))
    for part in (fenced, text) if fenced else (text,):
        for found in _balanced(part):
            if (value := _parsed(found, breaks=True)) is not None:
                yield "balanced", value
    start = text.find("{")
    mended = _repaired(text[start : start + _REPAIRABLE]) if start >= 0 else None
    yield from (("repaired", v) for v in (mended if isinstance(mended, list) else [mended]))


def _actions(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the action objects in a value: itself, or what it wraps, in order."""
    if depth > 3:
        return
    if isinstance(value, list):
        for one in value[:_MOST_OBJECTS]:
            yield from _actions(one, depth + 1)
    elif isinstance(value, dict):
        skill = value.get("skill")
        if isinstance(skill, str) and skill in SKILLS:
            yield value
        for key in ("action", "actions", "program"):
            if isinstance(value.get(key), (dict, list)):
                yield from _actions(value[key], depth + 1)


def _parsed(text: str, *, breaks: bool = False) -> Any:
    """Return the value of a JSON text, None if it is none; ``breaks`` lets strings run over several lines."""
    try:
        return clean(json.loads(text, strict=not breaks))
    except (ValueError, RecursionError):
        return None


def _balanced(text: str) -> Iterator[str]:
    """Yield the outermost ``{...}`` of a text, braces inside of JSON strings not counted."""
    depth = found = start = 0
    quoted = escaped = False
    for i, c in enumerate(text):
        if depth and quoted:
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"' and depth:
            quoted = True
        elif c == "{":
            start = start if depth else i
            depth += 1
        elif c == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : i + 1]
                found += 1
                if found >= _MOST_OBJECTS:
                    return


def _repaired(text: str) -> Any:
    if _nesting(text) > _DEEPEST:
        return None
    from json_repair import loads  # of the extra ``models``

    try:
        return clean(loads(text, skip_json_loads=True))
    except (ValueError, RecursionError):
        return None


def _nesting(text: str) -> int:
    depth = deepest = 0
    for c in text:
        depth += (c in "{[") - (c in "}]" and depth > 0)
        deepest = max(deepest, depth)
    return deepest


def clean(value: Any, depth: int = 0) -> Any:
    """Return a JSON value that can be stored and sent: no lone surrogates, no NaN, nothing nested without end."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if depth >= _DEEPEST and isinstance(value, (list, dict)):
        return str(type(value).__name__)
    if isinstance(value, list):
        return [clean(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {clean(str(k)): clean(v, depth + 1) for k, v in value.items()}
    return value
