"""A datapack as a value: path to content, read from a folder or zip, written as the same bytes every time."""

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from mirrorcraft.core.data import parse_json
from mirrorcraft.core.errors import PackError
from mirrorcraft.core.overlay_files import MCMETA
from mirrorcraft.datapack.archive import check_name, read_raw

PACK_FORMAT = 10  # of 1.19
MAX_DEPTH = 128  # of JSON; the deepest file of the game itself has fewer than 60

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say
_PLURAL = {
    "recipe": "recipes",
    "loot_table": "loot_tables",
    "advancement": "advancements",
    "function": "functions",
    "predicate": "predicates",
    "item_modifier": "item_modifiers",
    "structure": "structures",
    "tags/item": "tags/items",
    "tags/block": "tags/blocks",
    "tags/function": "tags/functions",
    "tags/entity_type": "tags/entity_types",
}


class Datapack(Mapping[str, Any]):
    """The files of a datapack; immutable, equal by content.

    ``.mcmeta`` and ``.json`` files are JSON values, ``.mcfunction`` files text, all others bytes.

    Args:
        files: path to content; never written to afterwards.
        name: file name of the pack, by which a server orders its packs; not part of equality.

    Raises:
        PackError: there is no ``pack.mcmeta`` of format 10 at the root, a path leads out of the pack, lies in
            a folder that only later versions read, or has upper case where the game refuses it.
    """

    def __init__(self, files: Mapping[str, Any], name: str = "pack"):
        self.name = name
        self._files = dict(sorted(files.items()))
        folders = {path[:i] for path in files for i, char in enumerate(path) if char == "/"}
        for path, content in self._files.items():
            check_name(name, path)
            if path in folders:
                raise PackError(name, path, path, "a file or a folder, not both")
            _check_place(name, path)
            if not isinstance(content, str | bytes) or _is_json(path):
                _check_json(path, content)
        _check_mcmeta(name, self._files)

    def __getitem__(self, path: str) -> Any:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __eq__(self, other: object) -> bool:
        return self.encoded == other.encoded if isinstance(other, Datapack) else NotImplemented

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __repr__(self) -> str:
        return f"<Datapack {self.name} {len(self)} files {self.digest[:12]}>"

    @cached_property
    def encoded(self) -> dict[str, bytes]:
        """The bytes of each file, JSON in one canonical form, sorted by path."""
        return {path: _encoded(content, path) for path, content in self._files.items()}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of paths and bytes, in hex."""
        digest = hashlib.sha256()
        for path, data in self.encoded.items():
            digest.update(f"{path}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()

    # --- files

    @classmethod
    def load(cls, path: str | Path) -> "Datapack":
        """Read a pack from a folder or zip; JSON is read strictly.

        Raises:
            PackError: the pack cannot be read, is too large (``archive``), or a file in it cannot be used.
        """
        path = Path(path)
        raw = read_raw(path)
        if MCMETA not in raw:
            deeper = sorted(name for name in raw if name.endswith(f"/{MCMETA}"))
            expected = f"{MCMETA} at the root of the pack"
            raise PackError(path, "", deeper[0] if deeper else sorted(raw)[:3], expected)
        return cls({name: _decoded(data, name, path) for name, data in raw.items()}, path.name)

    def write_folder(self, path: str | Path) -> None:
        """Write the pack as a folder, whole or not at all; an earlier pack of that name is replaced.

        Raises:
            PackError: the place cannot be written, or holds something that is no datapack.
        """
        target = Path(path)
        if target.is_symlink() or (target.exists() and not _is_pack(target)):
            raise PackError(
                target, "", target.name, "a new folder, an empty one, or an earlier pack"
            )
        _placed(target, self._fill_folder)

    def write_zip(self, path: str | Path) -> None:
        """Write the pack as a zip, whole or not at all: the same bytes on every machine and every day.

        Raises:
            PackError: the place cannot be written.
        """
        _placed(Path(path), self._fill_zip)

    def _fill_folder(self, folder: Path) -> None:
        for path, data in self.encoded.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def _fill_zip(self, file: Path) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            for path, data in self.encoded.items():
                info = zipfile.ZipInfo(path, _ZIP_TIME)
                info.create_system, info.external_attr = 3, 0o100644 << 16
                # Stored: what deflate makes of the same bytes differs between builds of zlib.
                archive.writestr(info, data, zipfile.ZIP_STORED)


def _is_json(path: str) -> bool:
    return path.endswith((".json", ".mcmeta"))


def _is_pack(folder: Path) -> bool:
    return folder.is_dir() and ((folder / MCMETA).is_file() or not any(folder.iterdir()))


def _decoded(data: bytes, path: str, source: Path) -> Any:
    """Return the content of a file: JSON, text or bytes by its place and ending."""
    where = f"{source.name}/{path}"
    if not (_is_json(path) or path.endswith(".mcfunction")):
        return data
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        given = data[e.start : e.start + 4]
        raise PackError(where, f"byte {e.start}", given, "UTF-8 text") from None
    if not _is_json(path):
        return text
    try:
        return parse_json(text, where, PackError)
    except ValueError as e:  # an integer of more digits than Python reads
        raise PackError(where, "", str(e), "valid JSON") from None


def _encoded(content: Any, path: str) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str) and not _is_json(path):
        return content.encode("utf-8")
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def _check_place(source: str, path: str) -> None:
    """Refuse what the game would not read in ``data``: upper case, or the folder names of later versions."""
    parts = path.split("/")
    if parts[0] != "data":
        return
    if path != path.lower() or " " in path:
        raise PackError(source, path, path, "lower case in data/, as the game demands")
    folder = "/".join(parts[2:4]) if parts[2:3] == ["tags"] else "/".join(parts[2:3])
    if folder in _PLURAL and len(parts) > 3:
        expected = f"the folder {_PLURAL[folder]}; 1.19 does not read {folder}"
        raise PackError(source, path, folder, expected)


def _check_json(path: str, content: Any) -> None:
    """Refuse what JSON cannot say, and nesting deeper than MAX_DEPTH."""
    todo = [(content, 1)]
    while todo:
        node, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise PackError(path, "", f"over {MAX_DEPTH} levels", f"nesting of at most {MAX_DEPTH}")
        if isinstance(node, dict):
            todo += [(part, depth + 1) for pair in node.items() for part in pair]
        elif isinstance(node, list):
            todo += [(part, depth + 1) for part in node]
        elif isinstance(node, str):
            if not node.isascii() and node != node.encode("utf-8", "ignore").decode("utf-8"):
                raise PackError(path, "", node, "text of whole characters")
        elif not (
            node is None or isinstance(node, int) or (isinstance(node, float) and isfinite(node))
        ):
            raise PackError(path, "", node, "a JSON value")


def _check_mcmeta(name: str, files: Mapping[str, Any]) -> None:
    match files.get(MCMETA):
        case {"pack": {"pack_format": int(number), "description": _}} if number is not True:
            if number != PACK_FORMAT:
                expected = f"pack_format {PACK_FORMAT}, that of 1.19"
                raise PackError(f"{name}/{MCMETA}", "pack.pack_format", number, expected)
        case other:
            expected = f'"pack" with "description" and "pack_format" {PACK_FORMAT}'
            raise PackError(f"{name}/{MCMETA}", "pack", other, expected)


def _placed(target: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write to a temporary place beside the target, then put that in the target's place."""
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.absolute().parent))
        try:
            fill(work / "new")
            if target.is_dir() and (work / "new").is_dir():
                target.rename(work / "old")  # a folder cannot replace one that holds files
            try:
                os.replace(work / "new", target)
            except OSError:
                if (work / "old").exists():
                    (work / "old").rename(target)
                raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as e:
        raise PackError(target, "", e.strerror, "a place that can be written") from None
