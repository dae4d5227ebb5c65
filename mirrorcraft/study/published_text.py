"""Numbers that the papers give in their text: tests, contrasts, retention and losses.

Each is recomputed from cells by the same functions that a report of a run uses.
"""

from collections.abc import Iterator

from mirrorcraft.core.episode import DISCLOSED
from mirrorcraft.study.contrast import Cells, Key, mean_of, select, sr
from mirrorcraft.study.heterogeneity import (
    advantage,
    between_suites,
    compared,
    loss,
    retention,
    within_suites,
)
from mirrorcraft.study.printed import Row, half_a_unit

TASKS = ("Iron Armor", "Diamond")  # of the within-suite comparison
_MODELS = ("Gemini", "DeepSeek")
_APPENDIX = "v2 Appendix C"


def text_rows(cells: Cells) -> Iterator[Row]:
    """Yield the numbers of paper v2's sections 4.2.2, 4.2.3 and appendix C."""
    yield from _within(cells)
    yield from _between(cells)
    yield from _advantages(cells)
    yield from _retentions(cells)
    yield from _losses(cells)


def _row(name: str, printed: str, ours: float | None) -> Row:
    return Row(f"{_APPENDIX}: {name}", printed, ours, half_a_unit(printed.lstrip("<>=")))


def _within(cells: Cells) -> Iterator[Row]:
    tests = {(row["suite"], row["model"]): row for row in within_suites(cells, TASKS)}
    for suite, model, q, df, p, p_ac in (
        ("M04", "DeepSeek", "41.7", "4", "<0.001", "<0.001"),
        ("M04", "Gemini", "11.4", "2", "0.003", "0.003"),
        ("M01", "Gemini", None, "2", "0.16", None),
        ("M01", "DeepSeek", None, "4", "0.31", None),
    ):
        test = tests[suite, model]
        for column, printed in (("q", q), ("df", df), ("p", p), ("p_ac", p_ac)):
            if printed:
                yield _row(f"Q within {suite}, {model}: {column}", printed, test[column])
        if suite == "M04":
            yield _row(f"Q within M04, {model}: Bonferroni p", "<0.05", test["p_bonferroni"])
    others = [t for (suite, _), t in tests.items() if suite not in ("M01", "M04")]
    yield _row("Q within the other four suites: least p", ">0.29", min(t["p"] for t in others))
    rest = [t for (suite, _), t in tests.items() if suite != "M04"]
    yield _row("Q within all suites but M04: least p_ac", ">=0.15", min(t["p_ac"] for t in rest))
    for model, count in (("Gemini", "3"), ("DeepSeek", "5")):
        for threshold in (40, 50, 60):
            size = len(compared(cells, model, TASKS, threshold))
            yield _row(f"agents compared, {model}, threshold {threshold} %", count, size)


def _between(cells: Cells) -> Iterator[Row]:
    tests = {row["effect"]: row for row in between_suites(cells) if row["agent"] == "ReAct"}
    for effect, column, printed in (
        ("delta", "q", "2.1"),
        ("delta", "df", "5"),
        ("delta", "p", "0.84"),
        ("delta", "p_ac", "0.87"),
        ("gap", "q", "196"),
        ("gap", "df", "5"),
        ("gap", "p", "<0.001"),
    ):
        yield _row(f"Q of the {effect} between suites: {column}", printed, tests[effect][column])


def _m04(agent: str, model: str, told: bool = False) -> list[Key]:
    plain = [Key("M04", task, agent, model) for task in TASKS]
    return [key.under("M04", DISCLOSED) for key in plain] if told else plain


def _advantages(cells: Cells) -> Iterator[Row]:
    """Yield how far the least-affected agents stay above ReAct told the rules, under M04."""
    for agents, model, value, width in (
        (("Reflexion", "Voyager"), "Gemini", "18.3", "14.7"),
        (("XENON", "ADAM"), "DeepSeek", "24.2", "14.8"),
        (("Reflexion",), "Gemini", "16.7", "16.6"),
        (("Voyager",), "Gemini", "20.0", "16.5"),
        (("XENON",), "DeepSeek", "25.0", "16.8"),
        (("ADAM",), "DeepSeek", "23.3", "17.3"),
    ):
        better = [key for agent in agents for key in _m04(agent, model)]
        found = advantage(cells, better, _m04("ReAct", model, told=True))
        name = f"{' and '.join(agents)} above ReAct w/rules under M04, {model}"
        yield _row(name, value, found and found.value)
        yield _row(f"{name}: half-width", width, found and found.half_width)


def _retentions(cells: Cells) -> Iterator[Row]:
    for agent, model, printed in (
        ("Reflexion", "Gemini", "85"),
        ("Voyager", "Gemini", "85"),
        ("ReAct", "Gemini", "52"),
        ("XENON", "DeepSeek", "82"),
        ("ADAM", "DeepSeek", "78"),
        ("ReAct", "DeepSeek", "23"),
    ):
        ours = retention(cells, "M04", agent, model, TASKS)
        yield _row(f"retention under M04, {agent}, {model}", printed, ours)
    for model, printed in (("Gemini", "63"), ("DeepSeek", "42")):
        ours = retention(cells, "M04", "ReAct", model, TASKS, DISCLOSED)
        yield _row(f"retention under M04, ReAct w/rules, {model}", printed, ours)


def _losses(cells: Cells) -> Iterator[Row]:
    """Yield the ranges of RIE_SR over the compared agents, and two SRs of ReAct under M05."""
    losses = {
        suite: [
            found.value
            for model in _MODELS
            for agent in compared(cells, model, TASKS)
            if (found := loss(cells, suite, agent, model, TASKS))
        ]
        for suite in ("M01", "M02", "M03", "M04", "M06")
    }
    yield _row("least loss under M01", "22", min(losses["M01"]))
    yield _row("greatest loss under M01", "47", max(losses["M01"]))
    yield _row("least loss under M04", "13", min(losses["M04"]))
    yield _row("greatest loss under M04", "68", max(losses["M04"]))
    mild = [value for suite in ("M02", "M03", "M06") for value in losses[suite]]
    yield _row("least loss under M02, M03, M06", "-12", min(mild))
    yield _row("greatest loss under M02, M03, M06", "8", max(mild))
    for model, printed in (("Gemini", "43"), ("DeepSeek", "68")):
        found = loss(cells, "M04", "ReAct", model, TASKS)
        yield _row(f"loss of ReAct under M04, {model}", printed, found and found.value)
    for model, hidden, told in (("Gemini", "42", "25"), ("DeepSeek", "27", "28")):
        found = loss(cells, "M01", "ReAct", model, TASKS)
        yield _row(f"loss of ReAct under M01, {model}", hidden, found and found.value)
        vanilla = [Key("vanilla", task, "ReAct", model) for task in TASKS]
        disclosed = [Key("M01", task, "ReAct", model, DISCLOSED) for task in TASKS]
        gap = advantage(cells, vanilla, disclosed)
        yield _row(f"loss of ReAct w/rules under M01, {model}", told, gap and gap.value)
    for suite, task, printed in (
        ("vanilla", "Iron Armor", "90.0"),
        ("M05", "Iron Armor", "91.7"),
        ("vanilla", "Diamond", "88.3"),
        ("M05", "Diamond", "75.0"),
    ):
        found = sr(mean_of(select(cells, suites=[suite], tasks=[task], agents=["ReAct"])), cells)
        yield _row(f"SR of ReAct, {suite}, {task}", printed, found and found.value)
