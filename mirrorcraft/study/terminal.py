"""The tables of a report as text for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.study.numbers import (
    half_width,
    interval,
    money,
    number,
    pair,
    probability,
    signed,
)
from mirrorcraft.study.printed import Row

Values = Mapping[str, Any]


def tables(values: Values) -> list[Table]:
    """Return the tables of a report that hold something (``values`` as of ``report.tables_of``)."""
    found = [
        _group_table("By agent", "agent", values["agents"]),
        _suite_table(values),
        _group_table("All suites, the same agents", "", {"pooled": values["pooled"]}),
        _effect_table(values),
        *(
            _group_table(f"By {kind}", kind, rows)
            for kind, rows in (
                ("task", values["tasks"]),
                ("biome", values["biomes"]),
                ("model", values["models"]),
            )
            if len(rows) > 1
        ),
        _disclosure_table(values["disclosure"]),
        _within_table(values["within_suites"]),
        _checkpoint_table(values["checkpoints"]),
        _cost_table(values["cost"]),
    ]
    return [table for table in found if table is not None and table.row_count]


def published_table(rows: Sequence[Row]) -> Table:
    """Return the printed numbers that do not follow from the cells, with the reason where known."""
    table = _table("Printed numbers that differ", "number", "printed", "ours", "why")
    for row in rows:
        if not row.agrees:
            ours = "-" if row.recomputed is None else f"{row.recomputed:.3f}"
            table.add_row(row.name, row.published, ours, row.excluded or "NOT EXPLAINED")
    return table


def _group_table(title: str, first: str, rows: Mapping[str, Values]) -> Table:
    columns = "Vanilla", "Mirror", "n", "RIE_SC", "RIE_SR", "95 %", "by world", "actions"
    table = _table(title, first, *columns, "IRR %", "RL")
    for name, row in rows.items():
        table.add_row(
            name,
            pair(row["vanilla_score"], row["vanilla_sr"]),
            pair(row["mirror_score"], row["mirror_sr"]),
            str(row["n"]),
            signed(row["rie_sc"]),
            signed(row["rie_sr"]),
            half_width(row["rie_sr_half_width"]),
            interval(row["rie_sr_worlds"]),
            number(row["mirror_actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
    return table


def _suite_table(values: Values) -> Table:
    columns = "n", "Score / SR", "RIE_SC", "RIE_SR", "95 %", "by world", "actions", "IRR %", "RL"
    table = _table("By suite, all agents that also play Vanilla", "suite", *columns)
    for name, row in values["suites"].items():
        table.add_row(
            name,
            str(row["n"]),
            pair(row["score"], row["sr"]),
            signed(row["rie_sc"]),
            signed(row["rie_sr"]),
            half_width(row["rie_sr_half_width"]),
            interval(row["rie_sr_worlds"]),
            number(row["actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
    return table


def _effect_table(values: Values) -> Table:
    suites = [s for s in values["suites"] if s != VANILLA]
    table = _table("RIE_SC / RIE_SR by agent and suite", "agent", *suites)
    rows = {(r["agent"], r["suite"]): r for r in values["agent_suites"]}
    for name in values["agents"]:
        cells = [rows[name, suite] for suite in suites]
        table.add_row(name, *(f"{signed(c['rie_sc'])} / {signed(c['rie_sr'])}" for c in cells))
    return table


def _disclosure_table(rows: Sequence[Values]) -> Table:
    columns = "model", "suite", "n", "hidden", "disclosed", "RIE_SR", "gap", "delta"
    table = _table("SR with hidden and disclosed rules: RIE = gap + delta", "agent", *columns)
    for row in rows:
        parts = [
            f"{signed(row[f'{name}_sr'])} {half_width(row[f'{name}_sr_half_width'])}"
            for name in ("rie", "gap", "delta")
        ]
        sides = number(row["hidden_sr"]), number(row["disclosed_sr"])
        n, model = str(row["n"]), row["model"] or "-"
        table.add_row(row["agent"], model, row["suite"], n, *sides, *parts)
    return table


def _within_table(rows: Sequence[Values]) -> Table:
    columns = "model", "agents", "Q", "df", "p", "p Bonferroni", "p Agresti-Coull"
    table = _table("Do agents differ within a suite?", "suite", *columns)
    for row in rows:
        p = [probability(row[name]) for name in ("p", "p_bonferroni", "p_ac")]
        agents, df = str(len(row["agents"])), str(row["df"])
        table.add_row(row["suite"], row["model"] or "-", agents, number(row["q"]), df, *p)
    return table


def _checkpoint_table(rows: Sequence[Values]) -> Table:
    points = list(dict.fromkeys(row["actions"] for row in rows))
    columns = [f"{at} actions" for at in points]
    table = _table("SR along the same trajectories", "agent", "rules", "n", *columns)
    found = {(r["agent"], r["condition"], r["actions"]): r for r in rows}
    for agent, condition in dict.fromkeys((r["agent"], r["condition"]) for r in rows):
        own = [found[agent, condition, at] for at in points]
        table.add_row(agent, condition, str(own[0]["n"]), *(number(r["sr"]) for r in own))
    return table


def _cost_table(rows: Sequence[Values]) -> Table | None:
    if not any(row["calls"] for row in rows):
        return None
    columns = "n", "calls", "tokens in", "out", "US$ an episode", "US$", "priced"
    table = _table("Models, means an episode", "agent", *columns)
    for row in rows:
        spent = [money(row[c]) for c in ("cost_usd", "total_cost_usd")]
        counts = [number(row[c]) for c in ("calls", "input", "output")]
        table.add_row(row["agent"], str(row["n"]), *counts, *spent, str(row["priced"]))
    return table


def _table(title: str, first: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table
