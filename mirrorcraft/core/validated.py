"""What a person wrote, as a pydantic model; the first thing that does not fit is an error that names its place."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mirrorcraft.core.errors import InputError

M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], data: Any, source: object, error: type[InputError] = InputError) -> M:
    """Return parsed data as a model.

    Args:
        model: what the data should be.
        data: as a parser of JSON, TOML or YAML gave it.
        source: how errors call it.
        error: raised where the data does not fit: names source, place, what was given and what was expected.
    """
    try:
        return model.model_validate(data)
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        given = None if first["type"] == "missing" else first["input"]
        raise error(source, place_of(first["loc"]), given, _expected(first)) from None


def place_of(loc: tuple[int | str, ...]) -> str:
    """Return pydantic's location as people write it, such as ``agents[2].model``."""
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in loc).removeprefix(".")


def _expected(first: Any) -> str:
    if first["type"] == "extra_forbidden":
        return "no field of this name"
    if first["type"] == "missing":
        return "this field"
    return first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
