"""Score, SR, the Rule Intervention Effects, IRR and RL: pure functions over stored episodes.

Paper v2, sections 3.4 to 3.6. Rates are in percent, effects on them in percentage points.
Repetitions are averaged within a world first, so an agent with three of them weighs as much as
one with one. A mean of nothing is None, never 0, and every mean comes with the number of things
it is over.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from mirrorcraft.core.encounters import signature
from mirrorcraft.core.episode import VANILLA
from mirrorcraft.study.record import EpisodeRecord

K = TypeVar("K", bound=Hashable)


class Unit(NamedTuple):
    """What repetitions share, less the suite: the key by which Vanilla and Mirror are paired."""

    world: str
    task: str
    agent: str
    model: str | None
    disclosure: str


class Means(NamedTuple):
    """Means over units, each the mean of its repetitions.

    Attributes:
        n: episodes behind it.
        score: mean Score, 0 to 100.
        sr: success rate in percent.
        actions: mean semantic actions used.
    """

    n: int
    score: float | None
    sr: float | None
    actions: float | None


class Effect(NamedTuple):
    """Rule Intervention Effects: Vanilla minus Mirror, so a positive one is a loss.

    Attributes:
        n: comparisons, one for each unit and suite that has both sides.
        rie_sc: mean difference in Score.
        rie_sr: mean difference in SR, in percentage points.
    """

    n: int
    rie_sc: float | None
    rie_sr: float | None


class Behavior(NamedTuple):
    """What follows an encounter with a changed rule.

    Attributes:
        encounters: first triggers of a changed rule in an episode.
        irr: percent of the encounters followed by another action whose next action repeats it.
        irr_n: encounters followed by another action.
        rl: mean actions from an encounter until the Score exceeds what it was before.
        rl_n: encounters after which it does.
    """

    encounters: int
    irr: float | None
    irr_n: int
    rl: float | None
    rl_n: int


class Encounter(NamedTuple):
    """The first action of an episode that triggered a changed rule.

    Attributes:
        rule: id of the rule.
        at: index of the action in the episode, from 0.
        repeated: whether the next action has its signature; None when there is no next action.
        recovery: actions until the Score exceeds what it was before the encounter: 0 when the
            encounter itself raises it, None when it never rises.
    """

    rule: str
    at: int
    repeated: bool | None
    recovery: int | None


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, or None of nothing."""
    values = list(values)
    return sum(values) / len(values) if values else None


def unit(episode: EpisodeRecord) -> Unit:
    """Return the unit that an episode is a repetition of."""
    spec = episode.spec
    return Unit(spec.world, spec.task, spec.agent, spec.model, spec.disclosure)


def group(
    episodes: Iterable[EpisodeRecord], key: Callable[[EpisodeRecord], K]
) -> dict[K, list[EpisodeRecord]]:
    """Return the episodes by ``key``, keys in order of first appearance."""
    groups: dict[K, list[EpisodeRecord]] = defaultdict(list)
    for episode in episodes:
        groups[key(episode)].append(episode)
    return dict(groups)


def means(episodes: Sequence[EpisodeRecord]) -> Means:
    """Return Score, SR and actions: repetitions averaged first, then units and suites alike."""
    cells = group(episodes, lambda e: (unit(e), e.spec.suite)).values()
    return Means(
        len(episodes),
        mean(_score(cell) for cell in cells),
        mean(_sr(cell) for cell in cells),
        mean(sum(e.actions for e in cell) / len(cell) for cell in cells),
    )


def effect(episodes: Iterable[EpisodeRecord]) -> Effect:
    """Return RIE_SC and RIE_SR over all comparisons in ``episodes`` (paper v2, section 3.5).

    A comparison is one unit under one suite against the same unit under Vanilla. Every episode
    counts, whether or not it met a changed rule; a unit without its Vanilla twin is no comparison.
    """
    cells = group(episodes, lambda e: (unit(e), e.spec.suite))
    pairs = [
        (cells[of, VANILLA], cell)
        for (of, suite), cell in cells.items()
        if suite != VANILLA and (of, VANILLA) in cells
    ]
    return Effect(
        len(pairs),
        mean(_score(vanilla) - _score(mirror) for vanilla, mirror in pairs),
        mean(_sr(vanilla) - _sr(mirror) for vanilla, mirror in pairs),
    )


def encounters(episode: EpisodeRecord) -> list[Encounter]:
    """Return the rule encounters of an episode in order (paper v2, section 3.6)."""
    found: list[Encounter] = []
    seen: set[str] = set()
    scores = [0, *(step.score for step in episode.steps)]  # scores[k]: after k actions
    same = [signature(a.action) == signature(b.action) for a, b in pairwise(episode.steps)]
    for index, step in enumerate(episode.steps):
        for rule in step.encounters:
            if rule in seen:
                continue
            seen.add(rule)
            before = scores[index]
            later = (k for k, score in enumerate(scores[index + 1 :]) if score > before)
            repeated = same[index] if index < len(same) else None
            found.append(Encounter(rule, index, repeated, next(later, None)))
    return found


def behavior(episodes: Iterable[EpisodeRecord]) -> Behavior:
    """Return IRR and RL over all encounters in ``episodes`` (paper v2, section 3.6)."""
    found = [encounter for episode in episodes for encounter in encounters(episode)]
    repeated = [e.repeated for e in found if e.repeated is not None]
    recoveries = [e.recovery for e in found if e.recovery is not None]
    irr = mean(100.0 * r for r in repeated)
    return Behavior(len(found), irr, len(repeated), mean(recoveries), len(recoveries))


def _score(cell: list[EpisodeRecord]) -> float:
    return sum(e.score for e in cell) / len(cell)


def _sr(cell: list[EpisodeRecord]) -> float:
    return 100.0 * sum(e.success for e in cell) / len(cell)
