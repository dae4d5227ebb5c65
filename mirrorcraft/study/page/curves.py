"""What the plots of a report show, computed from episodes."""

from collections.abc import Sequence

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.core.errors import UnknownNameError
from mirrorcraft.core.task import Task
from mirrorcraft.study.metrics import encounters, group
from mirrorcraft.study.record import EpisodeRecord

BIN = 5  # actions in a bar of the histogram


def condition(episode: EpisodeRecord) -> str:
    """Return ``vanilla`` or ``mirror``."""
    return VANILLA if episode.spec.suite == VANILLA else "mirror"


def success_by_budget(episodes: Sequence[EpisodeRecord]) -> list[tuple[float, float]]:
    """Return (actions, SR in percent) wherever it rises, from 0 to the largest budget."""
    longest = max((e.spec.budget for e in episodes), default=0)
    ends = sorted(e.actions for e in episodes if e.success and e.actions is not None)
    points: list[tuple[float, float]] = [(0.0, 0.0)]
    for k, at in enumerate(ends, 1):
        points += [(at, points[-1][1]), (at, 100.0 * k / len(episodes))]
    points.append((longest, points[-1][1]))
    return points


def reached(episodes: Sequence[EpisodeRecord], task: str) -> list[tuple[str, int, float]] | None:
    """Return (milestone, value, percent of episodes whose Score is at least the value).

    None for a task that this package does not have, as in files of episodes played elsewhere.
    """
    try:
        milestones = Task.load(task).milestones
    except UnknownNameError:
        return None
    return [
        (m.title, m.value, 100.0 * sum(e.score >= m.value for e in episodes) / len(episodes))
        for m in milestones
    ]


def encounters_by_action(episodes: Sequence[EpisodeRecord]) -> list[int]:
    """Return how many encounters fell in each bin of ``BIN`` actions."""
    longest = max((e.spec.budget for e in episodes), default=0)
    counts = [0] * -(-longest // BIN)
    for episode in episodes:
        for met in encounters(episode):
            counts[met.at // BIN] += 1
    return counts


def choose(episodes: Sequence[EpisodeRecord]) -> list[str]:
    """Return ids worth a replay: for each suite the pair whose Scores lie farthest apart.

    The Mirror episode comes before its Vanilla twin. Of equals one in a world not chosen yet is
    taken, the first in plan order.
    """
    twins = {e.spec.pair_id: e for e in episodes if e.spec.suite == VANILLA}
    chosen: dict[str, None] = {}
    worlds: set[str] = set()
    for suite, own in group(episodes, lambda e: e.spec.suite).items():
        pairs = [(e, twin) for e in own if (twin := twins.get(e.spec.pair_id))]
        if suite == VANILLA or not pairs:
            continue
        mirror, vanilla = max(
            pairs,
            key=lambda p: (abs(p[0].score - p[1].score), p[0].spec.world not in worlds),
        )
        worlds.add(mirror.spec.world)
        chosen |= {mirror.spec.id: None, vanilla.spec.id: None}
    return list(chosen)
