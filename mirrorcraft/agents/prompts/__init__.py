"""The prompts, one Jinja2 file a message, and how they are filled; a field that is missing is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mirrorcraft.agents.history import as_json
from mirrorcraft.agents.model import Messages
from mirrorcraft.core.errors import InputError

FOLDER = Path(__file__).parent


def render(name: str, fields: Mapping[str, Any]) -> str:
    """Return the prompt file ``<name>.j2`` filled with ``fields``.

    Raises:
        InputError: the file asks for a field that is not given, or the extra ``models`` is not installed.
    """
    from jinja2 import UndefinedError

    try:
        return _environment().get_template(f"{name}.j2").render(fields)
    except UndefinedError as e:
        raise InputError(
            f"prompts/{name}.j2", "", e.message, "only fields that are given"
        ) from None


def messages(name: str, fields: Mapping[str, Any]) -> Messages:
    """Return the system and the user message of ``<name>.system.j2`` and ``<name>.user.j2``."""
    return (
        {"role": "system", "content": render(f"{name}.system", fields)},
        {"role": "user", "content": render(f"{name}.user", fields)},
    )


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        expected = "the extra: pip install 'mirrorcraft[models]'"
        raise InputError("prompts", "jinja2", None, expected) from None
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
    )
    environment.filters["json"] = as_json
    return environment
