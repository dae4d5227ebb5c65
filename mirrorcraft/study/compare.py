"""Two runs side by side: what differs in their plans, and in the episodes that both played."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mirrorcraft.study.metrics import mean
from mirrorcraft.study.numbers import interval, number, signed
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import by_agent
from mirrorcraft.study.stats import Resampling
from mirrorcraft.study.store import Stored
from mirrorcraft.study.table import Table

Values = Mapping[str, Any]


def compare(a: Stored, b: Stored) -> dict[str, Any]:
    """Return how run B differs from run A; differences are B minus A over the same episodes.

    Keys:
        studies: the two names.
        fields: field of the study file to its two values, where they differ.
        only_a, only_b, both: numbers of episodes.
        equal: episodes of both that are the same to the last step.
        made_with: field of the provenance to the values in each run, where they differ.
        agents: agent to ``{n, score, sr, actions}`` of B minus A, ``sr_worlds`` the 95 % interval
            that draws whole worlds, ``gained`` and ``lost`` successes.
        changed: a list of ``{id, world, suite, task, agent, score, actions, first}`` with both
            values of Score and actions; ``first`` is the number of the first other action, from 1,
            or 0 where the first observation differs already.
    """
    old = {e.spec.id: e for e in a.episodes}
    new = {e.spec.id: e for e in b.episodes}
    shared = [(old[i], new[i]) for i in old if i in new]
    changed = [(x, y) for x, y in shared if _played(x) != _played(y)]
    return {
        "studies": [a.config.name, b.config.name],
        "fields": {k: list(values) for k, values in a.config.differences(b.config).items()},
        "only_a": len(old) - len(shared),
        "only_b": len(new) - len(shared),
        "both": len(shared),
        "equal": len(shared) - len(changed),
        "made_with": _made_with(a.episodes, b.episodes),
        "agents": _agents(shared, a.config.name),
        "changed": [_change(x, y) for x, y in changed],
    }


def _played(episode: EpisodeRecord) -> dict[str, Any]:
    return {k: v for k, v in episode.content().items() if k not in ("provenance", "usage")}


def _made_with(a: Iterable[EpisodeRecord], b: Iterable[EpisodeRecord]) -> dict[str, Any]:
    values: list[dict[str, set[Any]]] = []
    for episodes in (a, b):
        found: dict[str, set[Any]] = defaultdict(set)
        for episode in episodes:
            for field, value in episode.provenance._asdict().items():
                found[field].add(value)
        values.append(found)
    return {
        field: [sorted(side[field], key=str) for side in values]
        for field in values[0]
        if field in values[1] and values[0][field] != values[1][field]
    }


def _agents(
    shared: list[tuple[EpisodeRecord, EpisodeRecord]], name: str
) -> dict[str, dict[str, Any]]:
    resampling = Resampling((x.spec.world for x, _ in shared), name)
    other = {x.spec.id: y for x, y in shared}
    rows = {}
    for agent, episodes in by_agent(x for x, _ in shared).items():
        pairs = [(x, other[x.spec.id]) for x in episodes]
        worlds: dict[str, list[float]] = defaultdict(list)
        for x, y in pairs:
            worlds[x.spec.world].append(100.0 * (y.success - x.success))
        interval = resampling.interval(worlds)
        rows[agent] = {
            "n": len(pairs),
            "score": mean(y.score - x.score for x, y in pairs),
            "sr": mean(100.0 * (y.success - x.success) for x, y in pairs),
            "sr_worlds": list(interval) if interval else None,
            "actions": mean((y.actions or 0) - (x.actions or 0) for x, y in pairs),
            "gained": sum(y.success and not x.success for x, y in pairs),
            "lost": sum(x.success and not y.success for x, y in pairs),
        }
    return rows


def _change(x: EpisodeRecord, y: EpisodeRecord) -> dict[str, Any]:
    spec = x.spec
    return {
        "id": spec.id,
        "world": spec.world,
        "suite": spec.suite,
        "task": spec.task,
        "agent": spec.agent,
        "score": [x.score, y.score],
        "actions": [x.actions, y.actions],
        "first": _departure(x, y),
    }


def _departure(x: EpisodeRecord, y: EpisodeRecord) -> int:
    """Return the number of the first action that differs; 0 where the worlds did at once."""
    if x.start != y.start:
        return 0
    pairs = zip(x.steps, y.steps, strict=False)
    shorter = min(len(x.steps), len(y.steps))
    return next((i for i, (p, q) in enumerate(pairs, 1) if p != q), shorter + 1)


def difference_table(agents: Mapping[str, Values]) -> Table:
    """Return how two runs differ by agent (``agents`` as of ``compare``)."""
    columns = ("agent", "n", "Score", "SR", "by world", "actions", "gained", "lost")
    rows = [
        (
            name,
            str(row["n"]),
            signed(row["score"]),
            signed(row["sr"]),
            interval(row["sr_worlds"]),
            signed(row["actions"]),
            str(row["gained"]),
            str(row["lost"]),
        )
        for name, row in agents.items()
    ]
    return Table("B minus A, the same episodes", columns, rows, "by world: 95 % of SR")


def changed_table(rows: Sequence[Values], most: int = 20) -> Table:
    """Return the episodes that two runs played differently, the first ``most`` of them."""
    title = f"Episodes that differ{f', the first {most}' if len(rows) > most else ''}"
    columns = ("episode", "world", "suite", "task", "agent", "Score", "actions", "differs from")
    body = [
        (
            *(row[k] for k in ("id", "world", "suite", "task", "agent")),
            *(f"{number(row[k][0])} -> {number(row[k][1])}" for k in ("score", "actions")),
            f"action {row['first']}",
        )
        for row in rows[:most]
    ]
    return Table(title, columns, body, words=5)
