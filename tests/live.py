"""Whether a real server can be started here; tests that need one skip, with the reason, where it cannot."""

from functools import cache

import pytest

from mirrorcraft.core.errors import Fault
from mirrorcraft.server.node import packages


@cache
def _missing() -> str | None:
    try:
        packages()
    except Fault as e:
        return str(e)
    return None


def need_server() -> None:
    """Skip the test unless Node and the body's packages are there."""
    reason = _missing()
    if reason:
        pytest.skip(f"no server can be started: {reason}")
