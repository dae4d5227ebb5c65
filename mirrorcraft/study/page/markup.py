"""HTML from Python calls; whatever is not markup already is escaped."""

from collections.abc import Iterable
from html import escape

_VOID = {"input", "meta"}


class Markup(str):
    """Text that is HTML already, thus not escaped again."""

    __slots__ = ()


def tag(name: str, /, *inside: str | Iterable[str] | None, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: of the element, HTML or SVG.
        inside: text, markup, lists of them, or None for nothing.
        attributes: ``class_`` stands for class, an underscore for a hyphen; None leaves one out.
    """
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            word = key.rstrip("_").replace("_", "-")
            words.append(f'{word}="{escape(str(value))}"')
    opening = " ".join(words)
    if name in _VOID:
        return Markup(f"<{opening}>")
    return Markup(f"<{opening}>{joined(inside)}</{name}>")


def joined(parts: Iterable[str | Iterable[str] | None]) -> Markup:
    """Return texts and markup one after another, the texts escaped."""
    found = []
    for part in parts:
        if part is None:
            continue
        if isinstance(part, Markup):
            found.append(part)
        elif isinstance(part, str):
            found.append(escape(part, quote=False))
        else:
            found.append(joined(part))
    return Markup("".join(found))
