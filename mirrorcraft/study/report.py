"""The report of episodes as JSON values: every table, with what stands behind each number."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mirrorcraft.core.episode import DISCLOSED, HIDDEN, VANILLA, EpisodeSpec
from mirrorcraft.core.world import World
from mirrorcraft.study.contrast import (
    Cells,
    cells_of,
    episodes_behind,
    half_width,
    rie,
    score,
    select,
    split,
    sr,
)
from mirrorcraft.study.heterogeneity import THRESHOLD, between_suites, within_suites
from mirrorcraft.study.metrics import (
    Behavior,
    Comparison,
    behavior,
    behavior_over_suites,
    comparisons,
    group,
    mean,
    means,
    sr_at,
)
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.stats import Resampling
from mirrorcraft.study.store import Stored

UNITS = (
    "score 0..100; sr, irr percent; rie_sc points of Score; rie_sr percentage points; rl actions; "
    "*_half_width: of the 95 % interval, binomial by model and task, episodes independent; "
    "*_worlds: 95 % interval that draws whole worlds"
)
# Enchantment's Vanilla SR bounds its RIE so low that it is left out (paper v2, section 3.5).
COMPARED_TASKS = ("iron_armor", "diamond")


def report(stored: Stored) -> dict[str, Any]:
    """Return all tables of a run as JSON-ready values; see ``tables_of``.

    Further keys:
        study, planned, faults, torn: what the folder holds; ``faults`` counts attempts.
    """
    biomes = {world: World.load(world).biome for world in stored.config.worlds}
    config = stored.config
    values = tables_of(
        stored.episodes,
        config.name,
        specs=stored.specs,
        biomes=biomes,
        suites=config.suites,
        checkpoints=config.checkpoints,
    )
    head = {"study": config.name, "planned": len(stored.specs)}
    return head | {"faults": len(stored.faults), "torn": stored.torn} | values


def tables_of(
    episodes: list[EpisodeRecord],
    name: str,
    *,
    specs: Sequence[EpisodeSpec],
    biomes: Mapping[str, str],
    suites: Sequence[str],
    checkpoints: Sequence[int] = (),
    compared_tasks: Sequence[str] = COMPARED_TASKS,
) -> dict[str, Any]:
    """Return the tables of episodes as JSON-ready values; what could not be computed is None.

    Args:
        episodes: finished ones.
        name: of the study; the bootstrap's seed comes from it.
        specs: the whole plan.
        biomes: world to its biome.
        suites: in the order of the tables; ``vanilla`` among them.
        checkpoints: numbers of actions for the table of SR along trajectories.
        compared_tasks: of the comparison of agents within a suite.

    Keys:
        episodes, units, bootstrap: their number; of the numbers; seed and number of resamples.
        cells: a list of ``{agent, suite, task, world, n, score, sr, actions}``, vanilla included.
        suites: suite to its row over the agents that also play Vanilla; ``vanilla`` has no effects.
        pooled: the row of those agents over all suites.
        agents: agent to its row over all suites; ``mirror_*`` and ``vanilla_*`` are its two sides.
        tasks, biomes, models: the same rows by task, biome and model.
        agent_suites: a list of rows, one for each agent under each suite.
        disclosure: ``split`` over the Mirror cells played hidden and disclosed, by suite and model.
        within_suites, between_suites: the Q tests of ``heterogeneity``.
        checkpoints: SR after so many actions, by agent and condition.
        cost: what the models of an agent used; ``priced`` episodes have a known price.
        provenance: every version that made an episode.
    """
    agents = by_agent(episodes)
    twins = {(s.agent, s.model, s.disclosure) for s in specs if s.suite == VANILLA}
    paired = [e for e in episodes if (e.spec.agent, e.spec.model, e.spec.disclosure) in twins]
    resampling = Resampling((s.world for s in specs), name)
    cells = cells_of(episodes)
    tasks = [t for t in dict.fromkeys(s.task for s in specs) if t in compared_tasks]

    def rows(key: Callable[[EpisodeRecord], Any]) -> dict[str, Any]:
        return {k: _row(own, resampling) for k, own in group(paired, key).items()}

    return {
        "episodes": len(episodes),
        "units": UNITS,
        "bootstrap": {"seed": resampling.seed, "resamples": resampling.resamples},
        "cells": _cells(agents),
        "pooled": _row(paired, resampling),
        "suites": {suite: _suite_row(paired, suite, resampling) for suite in suites},
        "agents": {
            agent: {"disclosure": own[0].spec.disclosure} | _row(own, resampling)
            for agent, own in agents.items()
        },
        "tasks": rows(lambda e: e.spec.task),
        "biomes": rows(lambda e: biomes[e.spec.world]),
        "models": rows(lambda e: e.spec.model or "none"),
        "agent_suites": [
            {"agent": agent, "suite": suite} | _suite_row(own, suite, resampling)
            for agent, own in agents.items()
            for suite in suites
        ],
        "disclosure": _disclosure(cells, suites),
        "within_suites": [_digits(r) for r in within_suites(cells, tasks)] if tasks else [],
        "compared": {"tasks": tasks, "vanilla_sr_at_least": THRESHOLD},
        "between_suites": [_digits(row) for row in between_suites(cells)],
        "checkpoints": _checkpoints(agents, checkpoints),
        "cost": [{"agent": agent} | _cost(own) for agent, own in agents.items()],
        "provenance": _made_with(episodes),
    }


def by_agent(episodes: Iterable[EpisodeRecord]) -> dict[str, list[EpisodeRecord]]:
    """Return the episodes by agent, each under a name of its own.

    The name is the agent's, with its model if it has one; where an agent plays both hidden and
    disclosed, the disclosed one is called ``<name> w/rules`` as in the paper.
    """
    agents = group(episodes, lambda e: (e.spec.agent, e.spec.model, e.spec.disclosure))
    named: dict[str, list[EpisodeRecord]] = {}
    for agent, model, disclosure in agents:
        name = f"{agent}/{model}" if model else agent
        if disclosure == DISCLOSED and (agent, model, HIDDEN) in agents:
            name += " w/rules"
        named[name] = agents[agent, model, disclosure]
    return named


def _cells(agents: dict[str, list[EpisodeRecord]]) -> list[dict[str, Any]]:
    return [
        {"agent": name, "suite": suite, "task": task, "world": world}
        | _digits(means(cell)._asdict())
        for name, rows in agents.items()
        for (suite, task, world), cell in group(
            rows, lambda e: (e.spec.suite, e.spec.task, e.spec.world)
        ).items()
    ]


def _suite_row(
    episodes: Iterable[EpisodeRecord], suite: str, resampling: Resampling
) -> dict[str, Any]:
    """Return the numbers of one suite; the effects compare it with the Vanilla episodes given."""
    pair = [e for e in episodes if e.spec.suite in (suite, VANILLA)]
    own = [e for e in pair if e.spec.suite == suite]
    return _digits(means(own)._asdict()) | _effects(pair, resampling) | _behavior(behavior(own))


def _row(episodes: list[EpisodeRecord], resampling: Resampling) -> dict[str, Any]:
    """Return the numbers of some episodes, both sides and all suites."""
    vanilla = [e for e in episodes if e.spec.suite == VANILLA]
    mirror = [e for e in episodes if e.spec.suite != VANILLA]
    sides = {
        f"{side}_{name}": value
        for side, rows in (("vanilla", vanilla), ("mirror", mirror))
        for name, value in means(rows)._asdict().items()
    }
    row = _digits(means(episodes)._asdict() | sides) | _effects(episodes, resampling)
    return row | _behavior(behavior_over_suites(mirror))


def _effects(episodes: list[EpisodeRecord], resampling: Resampling) -> dict[str, Any]:
    """Return RIE with both kinds of interval."""
    found = comparisons(episodes)
    worlds = _by_world(found)
    cells = cells_of(episodes)
    row = {
        "rie_sc": mean(c.score for c in found),
        "rie_sr": mean(c.sr for c in found),
        "comparisons": len(found),
        "rie_sr_half_width": half_width(rie(cells, cells), cells),
        "rie_sc_worlds": resampling.interval({w: [s for s, _ in v] for w, v in worlds.items()}),
        "rie_sr_worlds": resampling.interval({w: [r for _, r in v] for w, v in worlds.items()}),
    }
    return _digits(row)


def _by_world(found: Iterable[Comparison]) -> dict[str, list[tuple[float, float]]]:
    worlds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for comparison in found:
        worlds[comparison.unit.world].append((comparison.score, comparison.sr))
    return worlds


def _behavior(found: Behavior) -> dict[str, Any]:
    return _digits(found._asdict())


def _disclosure(cells: Cells, suites: Sequence[str]) -> list[dict[str, Any]]:
    """Return RIE = gap + delta for each agent played both ways: by suite and pooled, by model."""
    rows = []
    mirrors = [s for s in suites if s != VANILLA]
    for agent in dict.fromkeys(key.agent for key in cells):
        models = list(dict.fromkeys(k.model for k in select(cells, agents=[agent])))
        for model in ["all", *models] if len(models) > 1 else models:
            for suite in ("pooled", *mirrors):
                hidden = select(
                    cells,
                    suites=mirrors if suite == "pooled" else [suite],
                    agents=[agent],
                    models=None if model == "all" else [model],
                )
                parts = split(cells, hidden)
                if parts["delta"]:
                    head = {"agent": agent, "model": model, "suite": suite}
                    rows.append(head | _digits(_split_row(cells, parts)))
    return rows


def _split_row(cells: Cells, parts: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"n": episodes_behind(parts["hidden"], cells)}
    for name, contrast in parts.items():
        estimate = sr(contrast, cells)
        row[f"{name}_sr"] = estimate and estimate.value
        row[f"{name}_score"] = score(contrast, cells)
        if name in ("rie", "gap", "delta"):
            row[f"{name}_sr_half_width"] = half_width(contrast, cells)
    return row


def _checkpoints(
    agents: dict[str, list[EpisodeRecord]], checkpoints: Sequence[int]
) -> list[dict[str, Any]]:
    """Return SR along the same trajectories, averaged over tasks (paper v2, appendix B)."""
    rows = []
    for agent, episodes in agents.items():
        for condition, own in group(
            episodes, lambda e: VANILLA if e.spec.suite == VANILLA else "mirror"
        ).items():
            tasks = group(own, lambda e: e.spec.task).values()
            for at in checkpoints:
                found = [value for t in tasks if (value := sr_at(t, at)) is not None]
                row = {"agent": agent, "condition": condition, "actions": at}
                rows.append(row | {"n": len(own)} | _digits({"sr": mean(found)}))
    return rows


def _cost(episodes: list[EpisodeRecord]) -> dict[str, Any]:
    """Return means an episode; the mean cost is over the episodes whose price is known."""
    used = [e.usage for e in episodes if e.usage]
    prices = [u.cost_usd for u in used if u.cost_usd is not None]
    row = {
        "n": len(episodes),
        "calls": mean(u.calls for u in used),
        "input": mean(u.input for u in used),
        "cached": mean(u.cached for u in used),
        "output": mean(u.output for u in used),
        "cost_usd": mean(prices),
        "total_cost_usd": sum(prices) if prices else None,
        "priced": len(prices),
    }
    return _digits(row)


def _digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """Round: nine digits hide the last bits of a float sum and nothing that anyone reads."""

    def rounded(value: Any) -> Any:
        if isinstance(value, float):
            return round(value, 9)
        if isinstance(value, tuple):
            return [rounded(v) for v in value]
        return _digits(value) if isinstance(value, dict) else value

    return {k: rounded(v) for k, v in row.items()}


def _made_with(episodes: Iterable[EpisodeRecord]) -> list[dict[str, Any]]:
    """Return the distinct provenances, less the rules and the world of each episode."""
    kinds = {tuple(_versions(e.provenance._asdict()).items()): None for e in episodes}
    return [dict(kind) for kind in sorted(kinds, key=str)]


def _versions(provenance: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in provenance.items() if k not in ("rules", "world", "datapack")}
