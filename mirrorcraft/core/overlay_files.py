"""Which files of several datapacks count: places, layers and filters, before anybody looks at what the files say."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mirrorcraft.core.errors import PackError
from mirrorcraft.core.ids import full

Files = Mapping[str, Any]  # a datapack: path to parsed JSON, or text
MCMETA = "pack.mcmeta"

_PLACE = re.compile(r"data/([a-z0-9_.-]+)/([a-z0-9_./-]+)")
# The part of regular expressions that Java and Python read alike, and that is quick on any text: no groups to repeat.
_PATTERN = re.compile(r"(?:\\[.\-/^$*+?()\[\]|dw]|\((?!\?)|\)(?![*+])|[A-Za-z0-9_./:^$*+?|\[\]-])*")
_MOST_REPEATS = 3


class Resource(NamedTuple):
    """A place in a datapack.

    Attributes:
        namespace: such as ``minecraft``.
        path: below the namespace, such as ``recipes/stick.json``.
    """

    namespace: str
    path: str

    @property
    def file(self) -> str:
        """The path from the root of the pack."""
        return f"data/{self.namespace}/{self.path}"

    @property
    def folder(self) -> str:
        """What kind of file it is: ``recipes``, ``tags/items``."""
        parts = self.path.split("/")
        return "/".join(parts[:2]) if parts[0] == "tags" else parts[0]

    @property
    def name(self) -> str:
        """The id of what the file defines, without ``minecraft:``."""
        path = self.path.removeprefix(self.folder + "/").rpartition(".")[0]
        return path if self.namespace == "minecraft" else f"{self.namespace}:{path}"

    @classmethod
    def of(cls, folder: str, name: str) -> "Resource":
        """Return the place of a JSON file by kind and id."""
        namespace, _, path = full(name).partition(":")
        return cls(namespace, f"{folder}/{path}.json")


class Filter(NamedTuple):
    """A rule of a pack that hides files of the packs below it; each pattern is searched for, not matched whole."""

    namespace: re.Pattern[str]
    path: re.Pattern[str]

    def hides(self, resource: Resource) -> bool:
        """Return whether it hides a file."""
        return bool(self.namespace.search(resource.namespace) and self.path.search(resource.path))


class Layers(NamedTuple):
    """What is left of several packs.

    Attributes:
        contents: each place with its contents, the lowest pack first; all but tags go by the last.
        filters: what hides files of the game itself.
    """

    contents: dict[Resource, list[Any]]
    filters: tuple[Filter, ...]

    def hides(self, folder: str, name: str) -> bool:
        """Return whether a file of the game itself is hidden."""
        resource = Resource.of(folder, name)
        return any(f.hides(resource) for f in self.filters)


def read_layers(packs: Sequence[Files]) -> Layers:
    """Lay packs on each other, the last on top.

    Raises:
        PackError: a place that the game would not accept, or a filter that cannot be read.
    """
    contents: dict[Resource, list[Any]] = {}
    filters: list[Filter] = []
    for pack in packs:
        own = read_filters(pack.get(MCMETA))
        for resource in [r for r in contents if any(f.hides(r) for f in own)]:
            del contents[resource]
        filters += own
        for path in sorted(pack):
            if path.startswith("data/"):
                found = _PLACE.fullmatch(path)
                if not found:
                    expected = "data/<namespace>/<path> of a-z, 0-9, _, -, . and /"
                    raise PackError(path, "", path, expected)
                contents.setdefault(Resource(*found.groups()), []).append(pack[path])
    return Layers(dict(sorted(contents.items())), tuple(filters))


def read_filters(mcmeta: Any) -> list[Filter]:
    """Return the filters of a ``pack.mcmeta``, none where it has none.

    Raises:
        PackError: the filter has another form, or a pattern outside of the part of regular expressions that
            Java and Python read alike.
    """
    match mcmeta:
        case {"filter": {"block": list(blocks), **rest}} if not rest:
            return [_filter(block, f"filter.block[{i}]") for i, block in enumerate(blocks)]
        case {"filter": other}:
            raise PackError(MCMETA, "filter", other, 'an object with the list "block"')
    return []


def _filter(block: Any, place: str) -> Filter:
    if not isinstance(block, dict) or block.keys() - {"namespace", "path"}:
        raise PackError(MCMETA, place, block, "an object of namespace and path")
    return Filter(*(_compiled(block.get(f, ""), f"{place}.{f}") for f in ("namespace", "path")))


def _compiled(pattern: Any, place: str) -> re.Pattern[str]:
    expected = (
        "a regular expression of letters, . * + ? | ( ) [ ] ^ $ and escapes, "
        f"no repeated group, at most {_MOST_REPEATS} repeats"
    )
    plain = isinstance(pattern, str) and len(pattern) <= 300 and _PATTERN.fullmatch(pattern)
    if not plain or len(re.findall(r"(?<!\\)[*+]", pattern)) > _MOST_REPEATS:
        raise PackError(MCMETA, place, pattern, expected)
    try:
        return re.compile(pattern)
    except re.error as e:
        raise PackError(MCMETA, place, pattern, f"{expected} ({e})") from None


def filters_of(resources: Sequence[Resource]) -> dict[str, Any]:
    """Return the ``filter`` of a ``pack.mcmeta`` that hides exactly these files of the packs below."""
    return {
        "block": [
            {"namespace": f"^{_escaped(r.namespace)}$", "path": f"^{_escaped(r.path)}$"}
            for r in sorted(resources)
        ]
    }


def _escaped(text: str) -> str:
    return text.replace(".", "\\.")
