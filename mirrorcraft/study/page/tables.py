"""The tables of a report as HTML."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
from mirrorcraft.study.page.markup import Markup, tag

Values = Mapping[str, Any]


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str | Markup]], note: str = ""
) -> Markup | None:
    """Return a table whose first column names the rows, or None without rows."""
    body = [
        tag("tr", tag("th", row[0], scope="row"), [tag("td", cell) for cell in row[1:]])
        for row in rows
    ]
    if not body:
        return None
    titles = tag("thead", tag("tr", [tag("th", word, scope="col") for word in head]))
    said = [caption, tag("small", note)] if note else [caption]
    whole = tag("table", tag("caption", *said), titles, tag("tbody", body))
    return tag("div", whole, class_="wide", tabindex=0, role="region", aria_label=caption)


def groups(caption: str, first: str, rows: Mapping[str, Values], note: str = "") -> Markup | None:
    """Return a table with both sides, effects and diagnostics of each group."""
    head = (first, "n", "Vanilla", "Mirror", "RIE Score", "RIE SR", "95 %", "95 % by world",
            "actions", "IRR %", "RL")  # fmt: skip
    body = [
        (
            name,
            str(row["n"]),
            pair(row["vanilla_score"], row["vanilla_sr"]),
            pair(row["mirror_score"], row["mirror_sr"]),
            signed(row["rie_sc"]),
            signed(row["rie_sr"]),
            half_width(row["rie_sr_half_width"]),
            interval(row["rie_sr_worlds"]),
            number(row["mirror_actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
        for name, row in rows.items()
    ]
    return table(caption, head, body, note)


def suites(values: Values) -> Markup | None:
    """Return the table by suite, with a pooled row."""
    head = ("suite", "n", "Score / SR", "RIE Score", "RIE SR", "95 %", "95 % by world", "pairs",
            "actions", "IRR %", "RL")  # fmt: skip
    pooled = values["pooled"]
    rows = dict(values["suites"])
    if pooled["comparisons"]:
        mirror = {k: pooled[f"mirror_{k}"] for k in ("n", "score", "sr", "actions")}
        rows["pooled"] = pooled | mirror
    body = [
        (
            name,
            str(row["n"]),
            pair(row["score"], row["sr"]),
            signed(row["rie_sc"]),
            signed(row["rie_sr"]),
            half_width(row["rie_sr_half_width"]),
            interval(row["rie_sr_worlds"]),
            str(row["comparisons"]),
            number(row["actions"]),
            number(row["irr"]),
            number(row["rl"]),
        )
        for name, row in rows.items()
    ]
    return table("By suite", head, body, "over the agents that also play Vanilla")


def agents_by_suite(values: Values) -> Markup | None:
    """Return RIE of every agent under every suite."""
    names = [s for s in values["suites"] if s != VANILLA]
    rows = {(r["agent"], r["suite"]): r for r in values["agent_suites"]}
    body = [
        (
            agent,
            *(f"{signed(r['rie_sc'])} / {signed(r['rie_sr'])}"
              for r in (rows[agent, suite] for suite in names)),
        )
        for agent in values["agents"]
    ]  # fmt: skip
    return table("RIE by agent and suite", ("agent", *names), body, "Score / SR")


def disclosure(rows: Sequence[Values]) -> Markup | None:
    """Return the split of RIE by disclosure."""
    head = ("agent", "model", "suite", "n", "hidden", "disclosed", "RIE SR", "gap", "delta",
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
    return table("Hidden and disclosed rules", head, body, "RIE = gap + delta; SR, 95 % intervals")


def tests(values: Values) -> list[Markup]:
    """Return the tables of the heterogeneity tests that could be made."""
    head = ("suite", "model", "agents", "Q", "df", "p", "p Bonferroni", "p Agresti-Coull")
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
        (row["agent"], row["effect"], number(row["q"]), str(row["df"]),
         probability(row["p"]), probability(row["p_ac"]))
        for row in values["between_suites"]
    ]  # fmt: skip
    rule = values["compared"]
    note = f"agents with a Vanilla SR of {rule['vanilla_sr_at_least']:g} % on each of {', '.join(rule['tasks'])}"
    found = (
        table("Do agents differ within a suite?", head, within, note),
        table("Do suites differ for one agent?",
              ("agent", "effect", "Q", "df", "p", "p Agresti-Coull"), between),
    )  # fmt: skip
    return [t for t in found if t is not None]


def checkpoints(rows: Sequence[Values]) -> Markup | None:
    """Return SR along the same trajectories."""
    points = list(dict.fromkeys(row["actions"] for row in rows))
    found = {(r["agent"], r["condition"], r["actions"]): r for r in rows}
    body = []
    for agent, condition in dict.fromkeys((r["agent"], r["condition"]) for r in rows):
        own = [found[agent, condition, at] for at in points]
        body.append((agent, condition, str(own[0]["n"]), *(number(r["sr"]) for r in own)))
    head = ("agent", "rules", "n", *(f"{at} actions" for at in points))
    return table("SR along the same trajectories", head, body, "mean over tasks")


def cost(rows: Sequence[Values]) -> Markup | None:
    """Return what the models used; None without models."""
    body = [
        (
            row["agent"],
            str(row["n"]),
            *(number(row[c]) for c in ("calls", "input", "cached", "output")),
            money(row["cost_usd"]),
            money(row["total_cost_usd"]),
            str(row["priced"]),
        )
        for row in rows
        if row["calls"] is not None
    ]
    head = ("agent", "n", "calls", "tokens in", "of them cached", "tokens out", "US$", "US$ in all",
            "priced")  # fmt: skip
    note = "means an episode; an episode without a known price is left out of the dollars"
    return table("Models", head, body, note)


def settings(config: Values, provenance: Sequence[Values]) -> list[Markup]:
    """Return the study file's fields and everything that made the episodes."""
    fields = [(name, _plain(value)) for name, value in config.items()]
    head = list(provenance[0]) if provenance else []
    made = [[_plain(row[name]) for name in head] for row in provenance]
    found = (
        table("Settings", ("field", "value"), fields),
        table("Provenance", head, made, "every distinct one among the episodes"),
    )
    return [t for t in found if t is not None]


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, (list, tuple)):
        rows = any(isinstance(v, dict) for v in value)
        return (" | " if rows else ", ").join(_plain(v) for v in value)
    if isinstance(value, dict):
        return "; ".join(f"{k} {_plain(v)}" for k, v in value.items() if v is not None)
    return str(value)
