"""Templates over families: how one row of ``rules/vanilla`` stands for a rule of every wood, colour or stone kind.

``{color}_wool`` stands for the sixteen wools; ``{oak|birch}_boat`` for the two named. A member may carry a second
word, ``{brick=bricks|andesite}``. In the rest of a row, ``{}`` is the member and ``{=}`` its second word (the member
itself if it has none).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mirrorcraft.core.errors import InputError

_BRACES = re.compile(r"\{([^{}]*)\}")


class Member(NamedTuple):
    """One member of a family: its name, and the second word that rows may ask for."""

    name: str
    other: str


class Families:
    """The named families of a rules folder.

    Args:
        named: family name to members, each ``name`` or ``name=other``.
        source: the file they came from, for errors.
    """

    def __init__(self, named: Mapping[str, list[str]], source: object):
        self.source = source
        self._members = {name: tuple(map(_member, members)) for name, members in named.items()}

    def rows(self, template: str) -> Iterator[tuple[str, Member | None]]:
        """Yield every id of a template with the member that made it; None if there are no braces.

        Raises:
            InputError: the template names a family that does not exist.
        """
        found = _BRACES.search(template)
        if not found:
            yield template, None
            return
        before, after = template[: found.start()], template[found.end() :]
        for member in self._family(found[1]):
            yield before + member.name + after, member

    def ids(self, templates: str | list[str]) -> Iterator[str]:
        """Yield the ids of templates separated by spaces, in order; a list is joined first."""
        text = templates if isinstance(templates, str) else " ".join(templates)
        for template in text.split():
            for ident, _ in self.rows(template):
                yield ident

    def _family(self, name: str) -> tuple[Member, ...]:
        members = self._members.get(name)
        if members is None:
            if "|" not in name:
                known = ", ".join(self._members)
                raise InputError(
                    self.source, name, name, f"a family ({known}) or members with | between"
                )
            members = self._members[name] = tuple(map(_member, name.split("|")))
        return members


def fill(value: Any, member: Member | None) -> Any:
    """Return a JSON value with ``{}`` and ``{=}`` in its strings replaced by the member's words."""
    if member is None:
        return value
    if isinstance(value, str):
        return value.replace("{}", member.name).replace("{=}", member.other)
    if isinstance(value, list):
        return [fill(v, member) for v in value]
    if isinstance(value, dict):
        return {k: fill(v, member) for k, v in value.items()}
    return value


def _member(text: str) -> Member:
    name, _, other = text.partition("=")
    return Member(name, other or name)
