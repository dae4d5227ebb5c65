"""Files that a person asks for."""

from pathlib import Path

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.files import write_whole


def write_asked(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    try:
        write_whole(Path(path), content)
    except OSError as e:
        raise InputError(path, "", e.strerror, "a place that can be written") from None
