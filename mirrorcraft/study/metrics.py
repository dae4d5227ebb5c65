"""Score, SR, the Rule Intervention Effects, IRR and RL: pure functions over stored episodes.

Paper v2, sections 3.4 to 3.6. Rates are in percent, effects on them in percentage points.
Repetitions are averaged within a world first, so an agent with three of them weighs as much as
one with one. A mean of nothing is None, never 0, and every mean comes with the number of things
it is over.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
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


class Comparison(NamedTuple):
    """One unit under one suite against itself under Vanilla (paper v2, section 3.5).

    Attributes:
        unit: what is compared.
        suite: the Mirror side's.
        score: Vanilla minus Mirror mean Score.
        sr: Vanilla minus Mirror SR, in percentage points.
    """

    unit: Unit
    suite: str
    score: float
    sr: float


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
        mean(used for cell in cells if (used := mean(_used(cell))) is not None),
    )


def comparisons(episodes: Iterable[EpisodeRecord]) -> list[Comparison]:
    """Return every unit and suite that has both sides.

    Every episode counts, whether or not it met a changed rule; a unit without its Vanilla twin is
    no comparison.
    """
    cells = group(episodes, lambda e: (unit(e), e.spec.suite))
    found = []
    for (of, suite), mirror in cells.items():
        vanilla = cells.get((of, VANILLA))
        if suite != VANILLA and vanilla:
            score, sr = _score(vanilla) - _score(mirror), _sr(vanilla) - _sr(mirror)
            found.append(Comparison(of, suite, score, sr))
    return found


def effect(episodes: Iterable[EpisodeRecord]) -> Effect:
    """Return RIE_SC and RIE_SR over all comparisons in ``episodes`` (paper v2, section 3.5)."""
    found = comparisons(episodes)
    return Effect(len(found), mean(c.score for c in found), mean(c.sr for c in found))


def sr_at(episodes: Sequence[EpisodeRecord], actions: int) -> float | None:
    """Return the percentage of episodes that had succeeded after so many actions.

    Checkpoints of one trajectory: an episode that ended earlier keeps what it had (paper v2,
    appendix B). None of no episodes.
    """
    return mean(100.0 * _succeeded(episode, actions) for episode in episodes)


def _succeeded(episode: EpisodeRecord, actions: int) -> bool:
    steps = episode.steps[:actions]
    return bool(steps) and steps[-1].score == 100


def encounters(episode: EpisodeRecord) -> list[Encounter]:
    """Return the rule encounters of an episode in order (paper v2, section 3.6)."""
    found: list[Encounter] = []
    seen: set[str] = set()
    scores = [0, *(step.score for step in episode.steps)]  # scores[k]: after k actions
    for index, step in enumerate(episode.steps):
        for rule in step.encounters:
            if rule in seen:
                continue
            seen.add(rule)
            before = scores[index]
            later = (k for k, score in enumerate(scores[index + 1 :]) if score > before)
            repeated = _repeated(episode, index)
            found.append(Encounter(rule, index, repeated, next(later, None)))
    return found


def _repeated(episode: EpisodeRecord, index: int) -> bool | None:
    if index + 1 >= len(episode.steps):
        return None
    now, following = episode.steps[index : index + 2]
    return signature(now.action) == signature(following.action)


def behavior(episodes: Iterable[EpisodeRecord]) -> Behavior:
    """Return IRR and RL over all encounters in ``episodes`` (paper v2, section 3.6)."""
    found = [encounter for episode in episodes for encounter in encounters(episode)]
    repeated = [e.repeated for e in found if e.repeated is not None]
    recoveries = [e.recovery for e in found if e.recovery is not None]
    irr = mean(100.0 * r for r in repeated)
    return Behavior(len(found), irr, len(repeated), mean(recoveries), len(recoveries))


def behavior_over_suites(episodes: Iterable[EpisodeRecord]) -> Behavior:
    """Return IRR and RL averaged equally over the suites that have any (paper v2, section 4.1)."""
    rows = [behavior(own) for own in group(episodes, lambda e: e.spec.suite).values()]
    return Behavior(
        sum(row.encounters for row in rows),
        mean(row.irr for row in rows if row.irr is not None),
        sum(row.irr_n for row in rows),
        mean(row.rl for row in rows if row.rl is not None),
        sum(row.rl_n for row in rows),
    )


def _used(cell: list[EpisodeRecord]) -> list[int]:
    return [e.actions for e in cell if e.actions is not None]


def _score(cell: list[EpisodeRecord]) -> float:
    return sum(e.score for e in cell) / len(cell)


def _sr(cell: list[EpisodeRecord]) -> float:
    return 100.0 * sum(e.success for e in cell) / len(cell)
