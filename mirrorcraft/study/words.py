"""Actions and outcomes in one line of text each."""

import json
from collections.abc import Mapping
from typing import Any

from mirrorcraft.core.action import Action


def action_text(action: Action) -> str:
    """Return an action in one line."""
    args = ", ".join(f"{k}={_plain(v)}" for k, v in action.args.items())
    return f"{action.skill}({args})"


def outcome_text(outcome: Mapping[str, Any]) -> str:
    """Return an outcome (``Outcome.as_dict``) in one line."""
    state = "ok" if outcome["ok"] else "failed"
    reason = f" ({outcome['reason']})" if outcome["reason"] else ""
    delta = " ".join(f"{n:+d} {item}" for item, n in sorted(outcome["delta"].items()))
    detail = outcome["result"].get("detail", "")
    return "; ".join(p for p in (state + reason, delta, detail, f"{outcome['ticks']} ticks") if p)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
