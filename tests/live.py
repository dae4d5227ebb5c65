"""Whether a real server can be started here; tests that need one skip, with the reason, where it cannot."""

from functools import cache

import pytest

from mirrorcraft.core.action import Action
from mirrorcraft.core.errors import Fault
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.server.backend import ServerBackend
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


class Hunted(ServerBackend):
    """A backend on squid whose server and body others can find, to kill them."""

    current: "Hunted | None" = None

    def __init__(self) -> None:
        super().__init__(transport="process")
        Hunted.current = self

    def prey(self) -> list[int]:
        """The processes that run for it at the moment."""
        parts = (self._server, self._bot)
        return [part.pid for part in parts if part is not None and part.pid is not None]


class Patient:
    """An agent that waits."""

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        return Action("wait", {"ticks": 2})


def make(name: str) -> Patient:
    """Return the agent, whatever its name."""
    return Patient()
