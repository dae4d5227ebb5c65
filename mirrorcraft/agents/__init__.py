"""Agents by name; what an agent is, ``agent.py`` says."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mirrorcraft.agents.agent import Agent
from mirrorcraft.agents.random_agent import RandomAgent
from mirrorcraft.agents.walker import Walker
from mirrorcraft.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from mirrorcraft.agents.model import Model, ModelSettings
    from mirrorcraft.agents.session import Terms

OFFLINE: dict[str, str] = {
    "planner": "is told the rules and walks the shortest route it finds",
    "adaptive": "starts from vanilla beliefs, corrects them from what it sees, and plans again",
    "prior": "has vanilla beliefs and never corrects them",
    "random": "draws uniformly from what it can do by vanilla rules",
}
CONFIGURATIONS: dict[str, str] = {
    "direct": "a language model that sees the state and verified effects, one call an action",
    "react": "thinks, acts and reads its 16 latest transitions",
    "react_rules": "is ReAct that is told the rules in every call",
    "reflexion": "is ReAct with temporary lessons drawn from failures",
    "voyager": "writes, repairs and keeps programs of up to four skills",
    "xenon": "follows a dependency graph that outcomes correct",
    "adam": "plans over a causal graph and tests uncertain causes",
}
AGENTS: dict[str, str] = OFFLINE | CONFIGURATIONS

_MAKERS: dict[str, Callable[[], Agent]] = {
    "planner": lambda: Walker(told=True),
    "adaptive": lambda: Walker(learns=True),
    "prior": Walker,
    "random": RandomAgent,
}
# Imported when used: they need the extra ``models``.
_CLASSES = {
    "direct": "direct:DirectAgent",
    "react": "react:ReactAgent",
    "react_rules": "react:ReactRulesAgent",
    "reflexion": "reflexion:ReflexionAgent",
    "voyager": "voyager:VoyagerAgent",
    "xenon": "xenon:XenonAgent",
    "adam": "adam:AdamAgent",
}


def make(name: str, terms: "Terms | None" = None, model: "Model | None" = None) -> Agent:
    """Return a new agent.

    Args:
        name: one of ``AGENTS``, or ``module:Class`` of a configuration of one's own.
        terms: the model's settings, caps and prices; for configurations.
        model: what answers; opened by the settings when None.

    Raises:
        UnknownNameError: there is no such agent; the message lists those there are.
        InputError: a configuration without a model, or a model that cannot be opened.
    """
    if name in _MAKERS:
        return _MAKERS[name]()
    if name not in _CLASSES and ":" not in name:
        raise UnknownNameError("agent", name, AGENTS)
    if terms is None:
        raise InputError(
            f"agent {name}", "model", None, "a model, and the base_url of its endpoint"
        )
    return _class(name)(model or open_model(terms.settings), terms)


def _class(name: str) -> Any:
    module, _, attribute = _CLASSES.get(name, name).partition(":")
    try:
        own = name in _CLASSES
        return getattr(import_module(f"mirrorcraft.agents.{module}" if own else module), attribute)
    except (ImportError, AttributeError) as e:
        raise InputError(
            f"agent {name}", "", str(e), "module:Class of an importable configuration"
        ) from None


def open_model(settings: "ModelSettings") -> "Model":
    """Return the model of some settings: the offline one for ``base_url = "offline"``, else its endpoint.

    Raises:
        InputError: the settings name no endpoint, or its key is missing.
    """
    if settings.base_url == "offline":
        from mirrorcraft.agents.offline_model import OfflineModel

        return OfflineModel.named(settings.model or "")
    from mirrorcraft.agents.endpoint import HttpModel

    return HttpModel(settings)


__all__ = ["AGENTS", "CONFIGURATIONS", "OFFLINE", "Agent", "make", "open_model"]
