"""Cells of episodes, and contrasts: the weighted sums of cell means that the paper's tables are.

A cell is all episodes of one suite, task, agent, model and disclosure. RIE, the gap, the cost of
hidden rules and every pooled row are sums of cell means with weights, so one pair of functions
gives each of them with its variance. A Vanilla cell that several suites share gets the sum of its
weights, so its variance counts once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mirrorcraft.core.episode import DISCLOSED, HIDDEN, VANILLA
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.stats import Estimate, Variance, wald


class Key(NamedTuple):
    """What names a cell; the words are those of ``EpisodeSpec``."""

    suite: str
    task: str
    agent: str
    model: str | None
    disclosure: str = HIDDEN

    def under(self, suite: str, disclosure: str | None = None) -> "Key":
        """Return the cell of the same agent, model and task in another condition."""
        return self._replace(suite=suite, disclosure=disclosure or self.disclosure)


class Cell(NamedTuple):
    """What the episodes of a cell come to.

    Attributes:
        n: episodes.
        successes: those of Score 100.
        score_sum: sum of their Scores.
    """

    n: int
    successes: int
    score_sum: int


Cells = Mapping[Key, Cell]
TOLD = "_rules"  # ends the name of a configuration that is another one told the rules
Contrast = dict[Key, float]


def cells_of(episodes: Iterable[EpisodeRecord]) -> dict[Key, Cell]:
    """Return the cells of episodes, in order of first appearance.

    ``react_rules`` told the rules and ``react`` are one agent in two disclosures.
    """
    sums: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0])
    for episode in episodes:
        s = episode.spec
        agent = s.agent.removesuffix(TOLD) if s.disclosure == DISCLOSED else s.agent
        row = sums[Key(s.suite, s.task, agent, s.model, s.disclosure)]
        row[0] += 1
        row[1] += episode.success
        row[2] += episode.score
    return {key: Cell(*row) for key, row in sums.items()}


def select(
    cells: Iterable[Key],
    *,
    suites: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    agents: Iterable[str] | None = None,
    models: Iterable[str | None] | None = None,
    disclosure: str = HIDDEN,
) -> list[Key]:
    """Return the keys that have the given values; None of a list stands for every value."""
    wanted = [None if w is None else set(w) for w in (suites, tasks, agents, models, [disclosure])]
    return [
        key for key in cells if all(w is None or v in w for v, w in zip(key, wanted, strict=True))
    ]


def mean_of(keys: Iterable[Key]) -> Contrast:
    """Return the contrast that is the mean over cells."""
    keys = list(keys)
    return {key: 1 / len(keys) for key in keys}


def minus(left: Contrast, right: Contrast) -> Contrast:
    """Return the difference of two contrasts."""
    total = defaultdict(float, left)
    for key, weight in right.items():
        total[key] -= weight
    return dict(total)


def mean_difference(pairs: Iterable[tuple[Key, Key]]) -> Contrast:
    """Return the mean over pairs of the first cell's mean minus the second's."""
    pairs = list(pairs)
    total: Contrast = defaultdict(float)
    for left, right in pairs:
        total[left] += 1 / len(pairs)
        total[right] -= 1 / len(pairs)
    return dict(total)


def rie(cells: Cells, mirror: Iterable[Key]) -> Contrast:
    """Return Vanilla minus Mirror over the Mirror cells that have a Vanilla twin (section 3.5)."""
    pairs = [(key.under(VANILLA), key) for key in mirror if key.suite != VANILLA]
    return mean_difference((v, m) for v, m in pairs if v in cells and m in cells)


def split(cells: Cells, hidden: Iterable[Key]) -> dict[str, Contrast]:
    """Return the parts of RIE by disclosure, over the Mirror cells played in all three ways.

    Keys: ``hidden``, ``disclosed``; ``rie`` Vanilla - hidden; ``gap`` Vanilla - disclosed;
    ``delta`` disclosed - hidden (paper v2, section 3.5). ``rie = gap + delta``.
    """
    trios = [
        (key.under(VANILLA), key, key.under(key.suite, DISCLOSED))
        for key in hidden
        if key.suite != VANILLA
    ]
    trios = [trio for trio in trios if all(key in cells for key in trio)]
    return {
        "hidden": mean_of(h for _, h, _ in trios),
        "disclosed": mean_of(d for _, _, d in trios),
        "rie": mean_difference((v, h) for v, h, _ in trios),
        "gap": mean_difference((v, d) for v, _, d in trios),
        "delta": mean_difference((d, h) for _, h, d in trios),
    }


def sr(contrast: Contrast, cells: Cells, variance: Variance = wald) -> Estimate | None:
    """Return a contrast of success rates, in percent or percentage points; None of nothing.

    Raises:
        KeyError: a cell of the contrast has no episodes.
    """
    if not contrast:
        return None
    parts = [(weight, cells[key]) for key, weight in contrast.items()]
    value = sum(w * c.successes / c.n for w, c in parts)
    spread = sum(w * w * variance(c.successes, c.n) for w, c in parts)
    return Estimate(100 * value, 10_000 * spread)


def half_width(contrast: Contrast, cells: Cells) -> float | None:
    """Return half of the 95 % interval of a contrast of SR, in percentage points.

    None of nothing, and where a cell has one episode: it says nothing of its variance.
    """
    estimate = sr(contrast, cells)
    if estimate is None or any(cells[key].n < 2 for key in contrast):
        return None
    return estimate.half_width


def score(contrast: Contrast, cells: Cells) -> float | None:
    """Return a contrast of mean Scores; None of nothing.

    Raises:
        KeyError: a cell of the contrast has no episodes.
    """
    if not contrast:
        return None
    return sum(w * cells[key].score_sum / cells[key].n for key, w in contrast.items())


def episodes_behind(contrast: Contrast, cells: Cells) -> int:
    """Return how many episodes a contrast rests on."""
    return sum(cells[key].n for key in contrast)
