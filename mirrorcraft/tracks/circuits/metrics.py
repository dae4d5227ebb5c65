"""Success rates and the four gaps: pure functions over records, or over published rates.

Paper, 5.1 and A.3. Rates are in percent, gaps in percentage points, ratios relative to the
baseline. The gap of consolidation lies inside the gap of discovery, so baseline, identification,
discovery and application make up 100, and consolidation is not among them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mirrorcraft.tracks.circuits.record import Record


class Gaps(NamedTuple):
    """What each kind of help adds.

    Attributes:
        baseline: success rate without help.
        identification: what hints add.
        discovery: what the scientist adds to hints, with structured consolidation.
        consolidation: what structured consolidation adds to the default one, None if not played.
        application: what is missing to 100 with all help.
    """

    baseline: float
    identification: float
    discovery: float
    consolidation: float | None
    application: float

    def ratios(self) -> dict[str, float | None]:
        """Return each gap relative to the baseline; None where the baseline is 0."""
        named = self._asdict()
        base = named.pop("baseline")
        return {
            name: None if gap is None or base == 0 else gap / base for name, gap in named.items()
        }


class Summary(NamedTuple):
    """Means over attempts.

    Attributes:
        n: attempts.
        sr: success rate in percent.
        trials: presses, the scientist's included.
        scientist_trials: presses of the scientist.
        rebuilds: rebuilds of the engineer.
        tokens: tokens an attempt.
        cost_usd: US dollars an attempt, over those whose price is known.
        lit: lamps lit, in percent of those that stand.
        skew_gt: game ticks from first to last lamp, over attempts with some lamp lit.
    """

    n: int
    sr: float | None
    trials: float | None
    scientist_trials: float | None
    rebuilds: float | None
    tokens: float | None
    cost_usd: float | None
    lit: float | None
    skew_gt: float | None


def success(records: Iterable[Record]) -> float | None:
    """Return the success rate in percent, None of nothing."""
    return _mean([100.0 * record.passed for record in records])


def summary(records: Sequence[Record]) -> Summary:
    """Return the means over attempts."""
    return Summary(
        len(records),
        success(records),
        _mean([r.trials for r in records]),
        _mean([r.scientist_trials for r in records]),
        _mean([r.rebuilds for r in records]),
        _mean([r.tokens for r in records]),
        _mean([r.cost_usd for r in records if r.cost_usd is not None]),
        _mean([100.0 * r.lit / r.lamps for r in records if r.lamps]),
        _mean([r.skew_gt for r in records if r.skew_gt is not None]),
    )


def by(records: Iterable[Record], key: Callable[[Record], str]) -> dict[str, list[Record]]:
    """Return records by a key, in its order."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return dict(sorted(groups.items()))


def gaps(rates: Mapping[str, float | None]) -> Gaps | None:
    """Return the gaps from success rates by condition; None unless all three needed are there.

    Args:
        rates: percent under ``baseline``, ``hint``, ``both`` and, if played, ``both-default``.
    """
    base, hint, both = (rates.get(name) for name in ("baseline", "hint", "both"))
    if base is None or hint is None or both is None:
        return None
    default = rates.get("both-default")
    consolidation = None if default is None else both - default
    return Gaps(base, hint - base, both - hint, consolidation, 100.0 - both)


def gaps_of(records: Iterable[Record]) -> Gaps | None:
    """Return the gaps of one agent's records under one set of rules."""
    conditions = by(records, lambda record: record.condition)
    return gaps({name: success(group) for name, group in conditions.items()})


def intervention_effect(records: Iterable[Record], suite: str) -> float | None:
    """Return the Rule Intervention Effect of a suite: success on Vanilla less success on it.

    Only attempts that both sides have (agent, condition, run, task) are compared; None without.
    """
    sides: dict[str, dict[tuple[str, str, int, str], bool]] = {}
    for r in records:
        sides.setdefault(r.suite, {})[r.agent, r.condition, r.run, r.task] = r.passed
    vanilla, mirror = sides.get("vanilla", {}), sides.get(suite, {})
    paired = sorted(vanilla.keys() & mirror.keys())
    return _mean([100.0 * (vanilla[key] - mirror[key]) for key in paired])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
