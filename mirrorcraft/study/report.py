"""The report of a run: its tables as JSON values, and as text for a terminal."""

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from mirrorcraft.core.episode import DISCLOSED, HIDDEN, VANILLA
from mirrorcraft.study.metrics import behavior, effect, group, means
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.store import Stored

UNITS = (
    "score 0..100; sr, irr percent; rie_sc points of Score; rie_sr percentage points; rl actions"
)


def report(stored: Stored) -> dict[str, Any]:
    """Return all tables of a run as JSON-ready values; what could not be computed is None.

    Keys:
        study, planned, episodes, faults, torn: what the folder holds; ``faults`` counts attempts.
        units: of the numbers below.
        cells: a list of ``{agent, suite, task, world, n, score, sr, actions}``, vanilla included.
        suites: suite to its row over all agents; ``vanilla`` has no effects.
        agents: agent to its row over all suites; ``mirror_*`` and ``vanilla_*`` are its two sides.
        agent_suites: a list of rows, one for each agent under each suite.
        provenance: every version that made an episode.
    """
    episodes, suites = stored.episodes, stored.config.suites
    agents = by_agent(episodes)
    return {
        "study": stored.config.name,
        "planned": len(stored.specs),
        "episodes": len(episodes),
        "faults": len(stored.faults),
        "torn": stored.torn,
        "units": UNITS,
        "cells": _cells(agents),
        "suites": {suite: _suite_row(episodes, suite) for suite in suites},
        "agents": {name: _agent_row(rows) for name, rows in agents.items()},
        "agent_suites": [
            {"agent": name, "suite": suite} | _suite_row(rows, suite)
            for name, rows in agents.items()
            for suite in suites
        ],
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
        | _rounded(means(cell)._asdict())
        for name, rows in agents.items()
        for (suite, task, world), cell in group(
            rows, lambda e: (e.spec.suite, e.spec.task, e.spec.world)
        ).items()
    ]


def _suite_row(episodes: Iterable[EpisodeRecord], suite: str) -> dict[str, Any]:
    """Return the numbers of one suite; the effects compare it with the Vanilla episodes given."""
    episodes = list(episodes)
    own = [e for e in episodes if e.spec.suite == suite]
    pair = effect(e for e in episodes if e.spec.suite in (suite, VANILLA))
    row = means(own)._asdict() | _effect_values(pair) | behavior(own)._asdict()
    return _rounded(row)


def _agent_row(episodes: list[EpisodeRecord]) -> dict[str, Any]:
    vanilla = [e for e in episodes if e.spec.suite == VANILLA]
    mirror = [e for e in episodes if e.spec.suite != VANILLA]
    sides = {
        f"{side}_{name}": value
        for side, rows in (("vanilla", vanilla), ("mirror", mirror))
        for name, value in means(rows)._asdict().items()
    }
    total = means(episodes)._asdict()
    row = total | sides | _effect_values(effect(episodes)) | behavior(mirror)._asdict()
    return {"disclosure": episodes[0].spec.disclosure} | _rounded(row)


def _effect_values(pair: Any) -> dict[str, Any]:
    return {"rie_sc": pair.rie_sc, "rie_sr": pair.rie_sr, "comparisons": pair.n}


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    # Nine digits hide the last bits of a float sum and nothing that anyone reads.
    return {k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()}


def _made_with(episodes: Iterable[EpisodeRecord]) -> list[dict[str, str]]:
    kinds = {
        (p.version, p.code, p.python, p.numba) for p in (episode.provenance for episode in episodes)
    }
    return [{"version": v, "code": c, "python": p, "numba": n} for v, c, p, n in sorted(kinds)]


def tables(values: dict[str, Any]) -> list[Table]:
    """Return the tables by agent, by suite, and of RIE_SR by agent and suite, for a terminal."""
    return [_agent_table(values), _suite_table(values), _effect_table(values)]


def _agent_table(values: dict[str, Any]) -> Table:
    table = _table(
        "By agent", "agent", "rules", "Vanilla", "Mirror", *_EFFECTS, "actions", *_DIAGNOSTICS
    )
    for name, row in values["agents"].items():
        table.add_row(
            name,
            row["disclosure"],
            _pair(row["vanilla_score"], row["vanilla_sr"]),
            _pair(row["mirror_score"], row["mirror_sr"]),
            _signed(row["rie_sc"]),
            _signed(row["rie_sr"]),
            _number(row["mirror_actions"]),
            _number(row["irr"]),
            _number(row["rl"]),
        )
    return table


def _suite_table(values: dict[str, Any]) -> Table:
    table = _table(
        "By suite, all agents",
        "suite",
        "episodes",
        "Score / SR",
        *_EFFECTS,
        "actions",
        *_DIAGNOSTICS,
    )
    for name, row in values["suites"].items():
        table.add_row(
            name,
            str(row["n"]),
            _pair(row["score"], row["sr"]),
            _signed(row["rie_sc"]),
            _signed(row["rie_sr"]),
            _number(row["actions"]),
            _number(row["irr"]),
            _number(row["rl"]),
        )
    return table


def _effect_table(values: dict[str, Any]) -> Table:
    suites = [s for s in values["suites"] if s != VANILLA]
    table = _table("RIE_SC / RIE_SR by agent and suite", "agent", *suites)
    rows = {(r["agent"], r["suite"]): r for r in values["agent_suites"]}
    for name in values["agents"]:
        cells = [rows[name, suite] for suite in suites]
        table.add_row(name, *(f"{_signed(c['rie_sc'])} / {_signed(c['rie_sr'])}" for c in cells))
    return table


_EFFECTS = ("RIE_SC", "RIE_SR")
_DIAGNOSTICS = ("IRR %", "RL")


def _table(title: str, first: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{round(value, 1) + 0.0:+.1f}"


def _pair(score: float | None, sr: float | None) -> str:
    return f"{_number(score)} / {_number(sr)}"
