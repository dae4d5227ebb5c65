"""The speed of requests and the money spent, shared by all processes of a machine through small locked files."""

import fcntl
import json
import os
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any


class Pace:
    """A limit on requests a minute for one endpoint, kept by every process and thread together.

    The file holds the earliest time of the next request (the generic cell rate algorithm with no
    burst). Without a limit it is only used to hold everyone back after a 429.

    Args:
        endpoint: what the limit belongs to.
        per_minute: requests a minute, or None for no limit.
        folder: where the file lies; the temporary folder of this user when None.
    """

    def __init__(self, endpoint: str, per_minute: float | None, folder: Path | None = None):
        folder = folder or Path(tempfile.gettempdir()) / f"mirrorcraft-{os.getuid()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = folder / f"pace-{sha256(endpoint.encode()).hexdigest()[:16]}"
        self._gap = 60.0 / per_minute if per_minute else 0.0

    def reserve(self, now: float) -> float:
        """Take the next free moment and return how many seconds from ``now`` it is."""
        if not self._gap and not self._file.exists():
            return 0.0
        start = now

        def take(at: float) -> float:
            nonlocal start
            start = max(now, at)
            return start + self._gap

        _update(self._file, 0.0, take)
        return start - now

    def hold(self, until: float) -> None:
        """Let nobody send a request before ``until`` (seconds since the epoch)."""
        _update(self._file, 0.0, lambda at: max(at, until))


class Purse:
    """What a run has spent, over all its processes.

    Args:
        file: where the sum is kept.
    """

    def __init__(self, file: Path):
        self._file = file

    def reserve(self, cost_usd: float, cap_usd: float) -> bool:
        """Add a cost that is still to come, unless the sum would go over a cap; return whether it was added."""
        fits = False

        def add(sums: dict[str, float]) -> dict[str, float]:
            nonlocal fits
            fits = sums["cost_usd"] + cost_usd <= cap_usd
            return {"cost_usd": sums["cost_usd"] + cost_usd} if fits else sums

        _update(self._file, {"cost_usd": 0.0}, add)
        return fits

    def spend(self, cost_usd: float) -> None:
        """Add a cost to the sum; a negative one gives back what was reserved."""
        _update(
            self._file, {"cost_usd": 0.0}, lambda sums: {"cost_usd": sums["cost_usd"] + cost_usd}
        )

    @property
    def cost_usd(self) -> float:
        """The sum so far."""
        return json.loads(self._file.read_text())["cost_usd"] if self._file.exists() else 0.0


def _update(path: Path, start: Any, change: Callable[[Any], Any]) -> None:
    """Replace the JSON value of a file by what ``change`` makes of it, alone among all processes."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = os.read(file, 4096)
        data = json.dumps(change(json.loads(text) if text else start)).encode()
        os.pwrite(file, data.ljust(len(text)), 0)  # spaces over what was longer; JSON allows them
    finally:
        os.close(file)
