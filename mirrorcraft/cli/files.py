"""Files that a person asks for: whole or not there."""

from pathlib import Path

from mirrorcraft.core.errors import InputError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise InputError(path, "", e.strerror, "a place that can be written") from None
