"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes, *, sync: bool = False) -> None:
    """Write a file beside its place and move it there; whatever happens, no half of it is left.

    Args:
        path: the file; replaced if it exists.
        content: bytes, or text for UTF-8.
        sync: wait until the disk holds it, as for a file that others are counted from.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
