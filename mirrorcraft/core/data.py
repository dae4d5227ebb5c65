"""Where the rules folder is, and how its files are read: strictly, and with errors that name file and place."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import InputError, UnknownNameError


@cache
def rules_dir() -> Path:
    """Return the folder of rule data: the packaged one if there is one, else the one of the checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "rules", package.parent / "rules"):
        if folder.is_dir():
            return folder
    raise InputError(
        package, "rules", None, "the rules folder beside the package; reinstall mirrorcraft"
    )


def named_file(folder: str, name: str, suffix: str = ".json") -> Path:
    """Return ``rules/<folder>/<name><suffix>``.

    Raises:
        UnknownNameError: there is no such file; the message lists the names there are.
    """
    names = names_in(folder, suffix)
    if name not in names:
        raise UnknownNameError(folder.rstrip("s"), name, names)
    return rules_dir() / folder / (name + suffix)


def file_of(folder: str, name_or_path: str | Path, *suffixes: str) -> Path:
    """Return the file that a person means: a path as it is, a name as a file of ``rules/<folder>``.

    Text is a path if it holds a ``/`` or ends as such a file does.

    Args:
        folder: a folder of ``rules``.
        name_or_path: a name, or a path.
        suffixes: how the files end, that of the folder's own first; ``.json`` when none is given.

    Raises:
        UnknownNameError: no file has that name; the message lists the names there are.
    """
    text, suffixes = str(name_or_path), suffixes or (".json",)
    if isinstance(name_or_path, Path) or "/" in text or text.endswith(suffixes):
        return Path(text)
    return named_file(folder, text, suffixes[0])


@cache
def names_in(folder: str, suffix: str = ".json") -> tuple[str, ...]:
    """Return the names of the files of ``rules/<folder>``, sorted."""
    return tuple(
        sorted(p.name.removesuffix(suffix) for p in (rules_dir() / folder).glob("*" + suffix))
    )


def read_json(path: Path, error: type[InputError] = InputError) -> Any:
    """Read a JSON file; a duplicate key, broken JSON or text that is not UTF-8 is an ``error``."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        raise error(
            path, f"byte {e.start}", e.object[e.start : e.start + 4], "UTF-8 text"
        ) from None
    except OSError as e:
        raise error(path, "", e.strerror, "a readable file") from None
    return parse_json(text, path, error)


def parse_json(text: str, source: object, error: type[InputError] = InputError) -> Any:
    """Parse JSON strictly: duplicate keys, NaN and nesting too deep to parse are errors that name the source."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise error(source, key, key, "each key once in an object")
            result[key] = value
        return result

    def number(text: str) -> Any:
        raise error(source, "", text, "a finite number")

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=number)
    except json.JSONDecodeError as e:
        near = text[max(0, e.pos - 10) : e.pos + 10]
        raise error(
            source, f"line {e.lineno}, column {e.colno}", near, f"valid JSON ({e.msg})"
        ) from None
    except RecursionError:
        raise error(source, "", text[:20], "JSON nested less deeply") from None


@cache
def body() -> dict[str, Any]:
    """Return the constants of the body (``rules/body.json``), the same for every backend."""
    return read_json(rules_dir() / "body.json")
