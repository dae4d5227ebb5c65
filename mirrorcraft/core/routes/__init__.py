"""Proof that a task can be finished under a rulebook, and the plan; see ``route`` for the two entry points."""

from mirrorcraft.core.routes.methods import Catalog, Fact, Method, Yield, catalog
from mirrorcraft.core.routes.route import PlanStep, Route, check, forget, plan, search
from mirrorcraft.core.routes.sources import (
    NATURAL,
    NATURAL_BLOCKS,
    NATURAL_ENTITIES,
    Sources,
)

__all__ = [
    "NATURAL", "NATURAL_BLOCKS", "NATURAL_ENTITIES", "Catalog", "Fact", "Method", "PlanStep", "Route",
    "Sources", "Yield",
    "catalog", "check", "forget", "plan", "search",
]  # fmt: skip
