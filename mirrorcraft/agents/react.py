"""ReAct, and ReAct with the rules: a trace of thoughts, actions and observations (paper v2, appendix E)."""

from collections.abc import Mapping
from typing import Any

from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook

TRACE = 16  # transitions


class ReactAgent(ModelAgent):
    """Chooses each action from the state and the latest 16 transitions."""

    prompt = "react"
    trace = TRACE


class ReactRulesAgent(ReactAgent):
    """ReAct that is told that the rules changed, and reads the sheet of the active rules in every call."""

    prompt = "react_rules"

    def begin(self, rules: Rulebook | None) -> None:
        if rules is None:
            expected = "the rules of the world (disclosure = disclosed)"
            raise InputError("agent react_rules", "rules", None, expected)
        self._sheet, self._name = rules.describe(), rules.digest[:12]

    def extra(self, now: Observation) -> Mapping[str, Any]:
        return {"sheet": self._sheet, "rule_set": self._name}
