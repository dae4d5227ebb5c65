"""How numbers are shown to people; what is missing is a dash and never 0."""

from collections.abc import Callable
from typing import Any


def _shown(form: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "-" if value is None else form(value)


number = _shown(lambda value: f"{value:.1f}")
count = _shown(lambda value: f"{value:,.0f}")
signed = _shown(lambda value: f"{round(value, 1) + 0.0:+.1f}")
half_width = _shown(lambda value: f"±{value:.1f}")
interval = _shown(lambda ends: f"{signed(ends[0])}..{signed(ends[1])}")
probability = _shown(lambda p: "<0.001" if p < 0.001 else f"{p:.3f}")
money = _shown(lambda usd: f"{usd:.4f}")


def pair(score: float | None, sr: float | None) -> str:
    """Return Score and SR as the papers print them."""
    return f"{number(score)} / {number(sr)}"
