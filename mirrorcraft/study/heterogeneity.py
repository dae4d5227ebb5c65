"""Do agents differ within a suite? The compared set, Q by suite and model, retention, gaps.

Paper v2, section 3.5 and appendix C: only agents whose Vanilla SR leaves room to lose are compared.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from mirrorcraft.core.episode import HIDDEN, VANILLA
from mirrorcraft.study.contrast import Cells, Key, mean_of, minus, rie, select, split, sr
from mirrorcraft.study.stats import Estimate, Variance, agresti_coull, heterogeneity, wald

THRESHOLD = 50.0  # percent of Vanilla SR that an agent needs on every task to be compared


def compared(
    cells: Cells, model: str | None, tasks: Sequence[str], threshold: float = THRESHOLD
) -> list[str]:
    """Return the agents whose Vanilla SR reaches the threshold on each task (the compared set)."""
    agents = dict.fromkeys(k.agent for k in select(cells, suites=[VANILLA], models=[model]))
    return [
        agent
        for agent in agents
        if all(
            (key := Key(VANILLA, task, agent, model)) in cells
            and 100 * cells[key].successes / cells[key].n >= threshold
            for task in tasks
        )
    ]


def loss(
    cells: Cells,
    suite: str,
    agent: str,
    model: str | None,
    tasks: Iterable[str],
    variance: Variance = wald,
) -> Estimate | None:
    """Return RIE_SR of one agent under one suite over tasks, in percentage points."""
    mirror = [Key(suite, task, agent, model) for task in tasks]
    return sr(rie(cells, mirror), cells, variance)


def retention(
    cells: Cells,
    suite: str,
    agent: str,
    model: str | None,
    tasks: Iterable[str],
    disclosure: str = HIDDEN,
) -> float | None:
    """Return Mirror SR as a percentage of the hidden Vanilla SR; None without both, or over 0."""
    tasks = list(tasks)
    mirror = [Key(suite, task, agent, model, disclosure) for task in tasks]
    vanilla = [Key(VANILLA, task, agent, model) for task in tasks]
    if not tasks or any(key not in cells for key in (*mirror, *vanilla)):
        return None
    kept, had = sr(mean_of(mirror), cells), sr(mean_of(vanilla), cells)
    return None if kept is None or had is None or not had.value else 100 * kept.value / had.value


def within_suites(cells: Cells, tasks: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for each suite and model: the Q test over the compared set.

    Keys: ``suite, model, agents, losses`` (agent to RIE_SR), ``retention`` (agent to percent),
    ``q, df, p`` by binomial and ``q_ac, p_ac`` by Agresti-Coull variances, ``p_bonferroni`` for all
    rows that have a test. A binomial variance of 0 leaves ``q`` and ``p`` None.
    """
    suites = dict.fromkeys(k.suite for k in cells if k.suite != VANILLA)
    models = dict.fromkeys(k.model for k in cells)
    rows = [_row(cells, suite, model, tasks) for suite in suites for model in models]
    rows = [row for row in rows if len(row["agents"]) > 1]
    for row in rows:
        row["p_bonferroni"] = None if row["p"] is None else min(1.0, row["p"] * len(rows))
    return rows


def _row(cells: Cells, suite: str, model: str | None, tasks: Sequence[str]) -> dict[str, Any]:
    agents = [
        agent
        for agent in compared(cells, model, tasks)
        if all(Key(suite, task, agent, model) in cells for task in tasks)
    ]
    plain = [loss(cells, suite, agent, model, tasks) for agent in agents]
    wide = [loss(cells, suite, agent, model, tasks, agresti_coull) for agent in agents]
    return {
        "suite": suite,
        "model": model,
        "agents": agents,
        "losses": {a: e.value for a, e in zip(agents, plain, strict=True) if e},
        "retention": {a: retention(cells, suite, a, model, tasks) for a in agents},
        "df": len(agents) - 1,
    } | _tested([e for e in plain if e], [e for e in wide if e])


def _tested(plain: Sequence[Estimate], wide: Sequence[Estimate]) -> dict[str, float | None]:
    """Return Q and p of estimates with binomial and with Agresti-Coull variances."""
    test, test_ac = heterogeneity(plain), heterogeneity(wide)
    return {
        "q": test and test.q,
        "p": test and test.p,
        "q_ac": test_ac and test_ac.q,
        "p_ac": test_ac and test_ac.p,
    }


def between_suites(cells: Cells) -> list[dict[str, Any]]:
    """Return the Q tests of the disclosure split over suites, for each agent played both ways.

    Keys: ``agent, effect`` (``delta`` or ``gap``), ``q, df, p, q_ac, p_ac``. All suites share the
    Vanilla episodes, so the test of the gap compares the disclosed SRs (paper v2, appendix C).
    """
    rows = []
    for agent in dict.fromkeys(k.agent for k in cells):
        suites = dict.fromkeys(k.suite for k in select(cells, agents=[agent]))
        parts = [split(cells, select(cells, suites=[s], agents=[agent])) for s in suites]
        parts = [p for p in parts if p["delta"]]
        for effect, part in (("delta", "delta"), ("gap", "disclosed")):
            plain = [e for p in parts if (e := sr(p[part], cells))]
            wide = [e for p in parts if (e := sr(p[part], cells, agresti_coull))]
            if len(plain) < 2:
                continue
            row = {"agent": agent, "effect": effect, "df": len(plain) - 1}
            rows.append(row | _tested(plain, wide))
    return rows


def advantage(cells: Cells, better: Iterable[Key], worse: Iterable[Key]) -> Estimate | None:
    """Return how far the mean SR of some cells exceeds that of others, in percentage points."""
    return sr(minus(mean_of(better), mean_of(worse)), cells)
