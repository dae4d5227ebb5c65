"""The raw files of a pack, out of a folder or a zip that nobody vouches for: every name and size is checked."""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from mirrorcraft.core.errors import PackError

MAX_FILES = 20_000
MAX_FILE = 4 * 2**20  # bytes
MAX_PACK = 64 * 2**20  # bytes of all files together, unpacked

_PIECE = 2**16
_ENCRYPTED = 0x1


def read_raw(path: Path) -> dict[str, bytes]:
    """Return path in the pack to bytes, for a folder or a zip.

    Raises:
        PackError: the pack cannot be read, holds a name or link that leads out of it, or is larger than
            MAX_FILES, MAX_FILE and MAX_PACK allow. Sizes are counted while reading, whatever a zip claims.
    """
    try:
        pieces = _folder(path) if path.is_dir() else _zip(path)
        return _joined(path, pieces)
    except OSError as e:
        raise PackError(path, "", e.strerror, "a folder or zip that can be read") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as e:
        raise PackError(path, "", str(e), "a whole zip file") from None


def check_name(source: object, name: str) -> None:
    """Refuse a path that is not plainly inside of a pack: absolute, with a drive, ``..`` or a backslash.

    Raises:
        PackError: names the path.
    """
    parts = name.split("/")
    odd = re.search(r"[\x00-\x1f\\:*?\"<>|\x7f]", name) or not name.isascii()
    if odd or any(part in ("", ".", "..") or part[-1] in ". " for part in parts):
        expected = "a plain relative path inside the pack, with / between its parts"
        raise PackError(source, "", name, expected)


def _joined(path: Path, pieces: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    """Return the files that pieces make up; stop as soon as one is too large."""
    files: dict[str, bytearray] = {}
    total = 0
    for name, piece in pieces:
        data = files.setdefault(name, bytearray())
        data += piece
        total += len(piece)
        if len(data) > MAX_FILE:
            raise PackError(path, name, f"over {len(data) - 1} bytes", f"at most {MAX_FILE} bytes")
        if total > MAX_PACK or len(files) > MAX_FILES:
            expected = f"at most {MAX_FILES} files and {MAX_PACK} bytes in a pack, unpacked"
            raise PackError(path, "", f"{len(files)} files, {total} bytes", expected)
    return {name: bytes(data) for name, data in files.items()}


def _folder(root: Path) -> Iterator[tuple[str, bytes]]:
    for folder, folders, names in os.walk(root, onerror=_raise):
        folders.sort()
        for name in sorted((*folders, *names)):
            path = Path(folder, name)
            inside = path.relative_to(root).as_posix()
            check_name(root, inside)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                with path.open("rb") as file:
                    yield inside, b""
                    yield from (
                        (inside, piece) for piece in iter(lambda f=file: f.read(_PIECE), b"")
                    )
            elif not stat.S_ISDIR(mode):
                raise PackError(
                    root, inside, stat.filemode(mode), "a plain file or folder, no link"
                )


def _raise(error: OSError) -> None:
    raise error


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.stat().st_size > MAX_PACK:
        raise PackError(path, "", f"{path.stat().st_size} bytes", f"at most {MAX_PACK} bytes")
    with zipfile.ZipFile(path) as archive:
        seen: set[str] = set()
        for info in archive.infolist():
            name = info.orig_filename  # ``filename`` has been made to look harmless
            check_name(path, name.removesuffix("/"))
            if name in seen:
                raise PackError(path, name, name, "each name once in a zip")
            seen.add(name)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise PackError(path, name, stat.filemode(kind), "a plain file or folder, no link")
            if info.flag_bits & _ENCRYPTED:
                raise PackError(path, name, "encrypted", "a zip without a password")
            if name.endswith("/"):
                continue
            with archive.open(info) as file:
                yield name, b""
                yield from ((name, piece) for piece in iter(lambda f=file: f.read(_PIECE), b""))
