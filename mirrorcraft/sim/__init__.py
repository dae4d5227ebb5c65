"""The numba simulator; importing it points numba's cache at a folder that fits this very source."""

import hashlib
import os
import tempfile
from pathlib import Path

from numba.core import config

_BOUNDSCHECK = config.BOUNDSCHECK  # pyright: ignore[reportAttributeAccessIssue]
BOUNDS_CHECKED = bool(_BOUNDSCHECK)


def source_digest() -> str:
    """Return the hash of every source file of ``sim`` and of the bounds-check flag, 16 hex digits.

    numba's own cache looks at the file of the compiled function only: without this, a changed
    helper in another file, or another setting of the flag, would run the old machine code.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256(repr(_BOUNDSCHECK).encode())
    for path in sorted(here.rglob("*.py")):
        digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_dir() -> Path:
    """Return the writable folder for compiled code and worlds.

    ``$MIRRORCRAFT_CACHE`` if it is set, else ``~/.cache/mirrorcraft``, else (no home, or a
    read-only one) a folder of this user in the system's temporary folder.
    """
    given = os.environ.get("MIRRORCRAFT_CACHE")
    if given:
        return Path(given)
    home = Path(os.path.expanduser("~")) / ".cache" / "mirrorcraft"
    return home if _writable(home) else Path(tempfile.gettempdir()) / f"mirrorcraft-{os.getuid()}"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


CACHE_DIR = cache_dir()
# The variable NUMBA_CACHE_DIR is read when numba is imported, which may have happened already.
_compiled = CACHE_DIR / "numba" / source_digest()
config.CACHE_DIR = str(_compiled)  # pyright: ignore[reportAttributeAccessIssue]
