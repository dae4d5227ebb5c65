"""The tables of a report as people read them; terminal and page only lay them out."""

from collections.abc import Mapping, Sequence
from typing import Any

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.study.numbers import (
    count,
    half_width,
    interval,
    money,
    number,
    pair,
    probability,
    signed,
)
from mirrorcraft.study.table import Table

Values = Mapping[str, Any]
_EFFECTS = ("RIE_SC", "RIE_SR", "95 %", "by world")
_DIAGNOSTICS = ("actions", "IRR %", "RL")


def of_report(values: Values) -> list[Table]:
    """Return the tables of a report that hold something (``values`` as of ``report.tables_of``)."""
    found = [
        by_agent(values),
        by_suite(values),
        by_agent_and_suite(values),
        *by_group(values),
        by_disclosure(values["disclosure"]),
        *tests(values),
        along_trajectories(values["checkpoints"]),
        after_encounters(values),
        models(values["cost"]),
    ]
    return [table for table in found if table.rows]


def by_agent(values: Values) -> Table:
    """Return both sides, effects and diagnostics of each agent."""
    return _groups("By agent", "agent", values["agents"])


def by_group(values: Values) -> list[Table]:
    """Return the same by task, biome and model, where there are several."""
    return [
        _groups(f"By {kind}", kind, rows)
        for kind, rows in (
            ("task", values["tasks"]),
            ("biome", values["biomes"]),
            ("model", values["models"]),
        )
        if len(rows) > 1
    ]


def _groups(title: str, first: str, rows: Mapping[str, Values]) -> Table:
    columns = (first, "n", "Vanilla", "Mirror", *_EFFECTS, *_DIAGNOSTICS)
    body = [
        (
            name,
            str(row["n"]),
            pair(row["vanilla_score"], row["vanilla_sr"]),
            pair(row["mirror_score"], row["mirror_sr"]),
            *_effects(row),
            number(row["mirror_actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
        for name, row in rows.items()
    ]
    return Table(title, columns, body, "Score / SR; actions, IRR and RL of the Mirror side")


def by_suite(values: Values) -> Table:
    """Return each suite against Vanilla, and all of them pooled."""
    rows, pooled = dict(values["suites"]), values["pooled"]
    if pooled["comparisons"]:
        mirror = {k: pooled[f"mirror_{k}"] for k in ("n", "score", "sr", "actions")}
        rows["pooled"] = pooled | mirror
    columns = ("suite", "n", "Score / SR", *_EFFECTS, "pairs", *_DIAGNOSTICS)
    body = [
        (
            name,
            str(row["n"]),
            pair(row["score"], row["sr"]),
            *_effects(row),
            str(row["comparisons"]),
            number(row["actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
        for name, row in rows.items()
    ]
    return Table("By suite", columns, body, "over the agents that also play Vanilla")


def _effects(row: Values) -> tuple[str, ...]:
    return (
        signed(row["rie_sc"]),
        signed(row["rie_sr"]),
        half_width(row["rie_sr_half_width"]),
        interval(row["rie_sr_worlds"]),
    )


def by_agent_and_suite(values: Values) -> Table:
    """Return both RIEs of every agent under every suite."""
    suites = [s for s in values["suites"] if s != VANILLA]
    rows = {(r["agent"], r["suite"]): r for r in values["agent_suites"]}
    body = []
    for agent in values["agents"]:
        own = [rows[agent, suite] for suite in suites]
        if any(row["comparisons"] for row in own):
            body.append((agent, *(f"{signed(r['rie_sc'])} / {signed(r['rie_sr'])}" for r in own)))
    return Table("By agent and suite", ("agent", *suites), body, "RIE_SC / RIE_SR")


def by_disclosure(rows: Sequence[Values]) -> Table:
    """Return the split of RIE into what disclosure leaves and what hiding the rules costs."""
    columns = ("agent", "model", "suite", "n", "hidden", "disclosed", "RIE_SR", "gap", "delta",
               "delta Score")  # fmt: skip
    body = [
        (
            row["agent"],
            row["model"] or "-",
            row["suite"],
            str(row["n"]),
            pair(row["hidden_score"], row["hidden_sr"]),
            pair(row["disclosed_score"], row["disclosed_sr"]),
            *(
                f"{signed(row[f'{part}_sr'])} {half_width(row[f'{part}_sr_half_width'])}"
                for part in ("rie", "gap", "delta")
            ),
            signed(row["delta_score"]),
        )
        for row in rows
    ]
    note = "Score / SR; RIE_SR = gap + delta, with 95 %; n hidden episodes"
    return Table("Hidden and disclosed rules", columns, body, note, words=3)


def tests(values: Values) -> list[Table]:
    """Return the Q tests between agents within a suite, and between suites for an agent."""
    within = [
        (
            row["suite"],
            row["model"] or "-",
            ", ".join(row["agents"]),
            number(row["q"]),
            str(row["df"]),
            *(probability(row[p]) for p in ("p", "p_bonferroni", "p_ac")),
        )
        for row in values["within_suites"]
    ]
    between = [
        (
            row["agent"],
            row["effect"],
            number(row["q"]),
            str(row["df"]),
            probability(row["p"]),
            probability(row["p_ac"]),
        )
        for row in values["between_suites"]
    ]
    rule = values["compared"]
    note = (
        f"agents with a Vanilla SR of at least {rule['vanilla_sr_at_least']:g} % "
        f"on each of {', '.join(rule['tasks'])}"
    )
    return [
        Table(
            "Do agents differ within a suite?",
            ("suite", "model", "agents", "Q", "df", "p", "p Bonferroni", "p Agresti-Coull"),
            within,
            note,
            words=3,
        ),
        Table(
            "Do suites differ for one agent?",
            ("agent", "effect", "Q", "df", "p", "p Agresti-Coull"),
            between,
            "of the split by disclosure",
            words=2,
        ),
    ]


def along_trajectories(rows: Sequence[Values]) -> Table:
    """Return SR at each checkpoint of the same trajectories."""
    points = list(dict.fromkeys(row["actions"] for row in rows))
    found = {(r["agent"], r["condition"], r["actions"]): r for r in rows}
    body = []
    for agent, condition in dict.fromkeys((r["agent"], r["condition"]) for r in rows):
        own = [found[agent, condition, at] for at in points]
        body.append((agent, condition, str(own[0]["n"]), *(number(r["sr"]) for r in own)))
    columns = ("agent", "rules", "n", *(f"{at} actions" for at in points))
    note = "percent, mean over tasks"
    return Table("SR along the same trajectories", columns, body, note, words=2)


def after_encounters(values: Values) -> Table:
    """Return what follows an encounter with a changed rule, by suite."""
    body = [
        (
            suite,
            str(row["encounters"]),
            number(row["irr"]),
            str(row["irr_n"]),
            number(row["rl"]),
            str(row["rl_n"]),
        )
        for suite, row in values["suites"].items()
        if suite != VANILLA and row["actions"] is not None  # else there are no steps to look at
    ]
    columns = ("suite", "encounters", "IRR %", "IRR n", "RL, actions", "RL n")
    note = (
        "an encounter is the first time in an episode that an action meets a changed rule; "
        "IRR needs a next action, RL a later gain in Score"
    )
    return Table("After an encounter", columns, body, note)


def models(rows: Sequence[Values]) -> Table:
    """Return what the models used; without rows where no agent has a model."""
    body = [
        (
            row["agent"],
            str(row["n"]),
            number(row["calls"]),
            *(count(row[c]) for c in ("input", "cached", "output")),
            money(row["cost_usd"]),
            money(row["total_cost_usd"]),
            str(row["priced"]),
        )
        for row in rows
        if row["calls"] is not None
    ]
    columns = ("agent", "n", "calls", "tokens in", "cached", "tokens out", "US$", "US$ in all",
               "priced")  # fmt: skip
    note = "means an episode; an episode without a known price is left out of the dollars"
    return Table("Models", columns, body, note)


def milestones(task: str, reached: Mapping[str, Sequence[tuple[str, int, float]]]) -> Table:
    """Return how many percent of the episodes of each side reach each milestone of a task.

    Args:
        task: its name.
        reached: side to what ``page.curves.reached`` returns.
    """
    heads = next(iter(reached.values()), ())
    columns = ("rules", *(f"{title} ({value})" for title, value, _ in heads))
    rows = [(side, *(f"{share:.0f} %" for *_, share in own)) for side, own in reached.items()]
    return Table(f"{task}: milestones reached", columns, rows)


def settings(config: Values) -> list[Table]:
    """Return the fields of a study file, its agents in a table of their own."""
    plain = [(name, _plain(value)) for name, value in config.items() if name != "agents"]
    rows = config.get("agents", ())
    columns = tuple(dict.fromkeys(("name", *(field for row in rows for field in row))))
    agents = [tuple(_plain(row.get(field)) for field in columns) for row in rows]
    return [
        Table("Settings", ("field", "value"), plain, words=2),
        Table("Agents", columns, agents, words=len(columns)),
    ]


def provenance(made_with: Sequence[Values]) -> Table:
    """Return everything that made the episodes (``made_with`` as of ``report.tables_of``)."""
    columns = tuple(made_with[0]) if made_with else ()
    rows = [tuple(_plain(row[name]) for name in columns) for row in made_with]
    note = "every distinct one among the episodes"
    return Table("Provenance", columns, rows, note, words=len(columns))


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(v) for v in value)
    if isinstance(value, dict):
        return "; ".join(f"{k} {_plain(v)}" for k, v in value.items())
    return str(value)
