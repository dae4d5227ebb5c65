"""Agents by name; what an agent is, ``agent.py`` says."""

from collections.abc import Callable

from mirrorcraft.agents.agent import Agent
from mirrorcraft.agents.offline import Walker
from mirrorcraft.agents.random_agent import RandomAgent
from mirrorcraft.core.errors import UnknownNameError

AGENTS: dict[str, str] = {
    "planner": "is told the rules and walks the shortest route it finds",
    "adaptive": "starts from vanilla beliefs, corrects them from what it sees, and plans again",
    "prior": "has vanilla beliefs and never corrects them",
    "random": "draws uniformly from what it can do by vanilla rules",
}

_MAKERS: dict[str, Callable[[], Agent]] = {
    "planner": lambda: Walker(told=True),
    "adaptive": lambda: Walker(learns=True),
    "prior": Walker,
    "random": RandomAgent,
}


def make(name: str) -> Agent:
    """Return a new agent.

    Args:
        name: one of ``AGENTS``.

    Raises:
        UnknownNameError: there is no such agent; the message lists those there are.
    """
    if name not in _MAKERS:
        raise UnknownNameError("agent", name, _MAKERS)
    return _MAKERS[name]()


__all__ = ["AGENTS", "Agent", "make"]
