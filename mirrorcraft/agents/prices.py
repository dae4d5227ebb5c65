"""What tokens cost: the table of ``genai-prices``, overruled by a file of one's own; unknown stays unknown."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from mirrorcraft.agents.model import ModelSettings, Usage
from mirrorcraft.core.data import read_json
from mirrorcraft.core.errors import InputError

_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens, and who says so.

    Attributes:
        input: of the prompt.
        cached: of the part of the prompt that the provider had in its cache.
        output: of the reply.
        source: ``genai-prices`` or the file that overrules it.
    """

    input: float
    cached: float
    output: float
    source: str

    def cost(self, usage: Usage) -> float:
        """Return the price of ``usage`` in US dollars."""
        fresh = usage.input - usage.cached
        return (
            fresh * self.input + usage.cached * self.cached + usage.output * self.output
        ) / _MILLION


def price_of(settings: ModelSettings, file: Path | None = None) -> Price | None:
    """Return the price of a model, or None if nobody says what it costs.

    Args:
        settings: the model and its endpoint.
        file: JSON ``{"model": {"input": 0.3, "cached": 0.03, "output": 2.5}}`` in dollars a million tokens;
            it goes before the table.

    Raises:
        InputError: the file is malformed.
    """
    if settings.model is None:
        return None
    own = _own_prices(file) if file else {}
    return own.get(settings.model) or _listed(settings.model, settings.base_url)


@cache
def _own_prices(file: Path) -> dict[str, Price]:
    rows, prices = read_json(file), {}
    if not isinstance(rows, dict):
        raise InputError(file, "", rows, "an object from model to prices")
    for model, row in rows.items():
        ok = isinstance(row, dict) and {"input", "output"} <= set(row) <= {
            "input",
            "cached",
            "output",
        }
        if not ok or not all(isinstance(v, (int, float)) and v >= 0 for v in row.values()):
            raise InputError(
                file, model, row, 'such as {"input": 0.3, "cached": 0.03, "output": 2.5}'
            )
        prices[model] = Price(
            row["input"], row.get("cached", row["input"]), row["output"], str(file)
        )
    return prices


@cache
def _listed(model: str, base_url: str | None) -> Price | None:
    """Look a model up: by its endpoint's provider if the table knows that, else by its name."""
    try:
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price
    except ImportError:
        return None  # without the extra nothing is priced, and the tables say so
    for url in dict.fromkeys((base_url, None)):
        try:
            unit = {
                "input": Tokens(input_tokens=_MILLION),
                "cached": Tokens(input_tokens=_MILLION, cache_read_tokens=_MILLION),
                "output": Tokens(output_tokens=_MILLION),
            }
            found = {k: calc_price(u, model, provider_api_url=url) for k, u in unit.items()}
        except LookupError:
            continue
        costs = {k: float(price.total_price) for k, price in found.items()}
        return Price(**costs, source="genai-prices")
    return None
