"""The papers' tables, recomputed from cell files or episodes and held against what was printed.

A folder of published tables has ``mirrorcraft_counts.csv`` (exact successes and Score sums of every
cell) and one CSV a table with the printed values. Printed values are rounded, ties both ways, so a
number agrees when it lies within half a unit of its last digit.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mirrorcraft.core.episode import DISCLOSED, HIDDEN, VANILLA
from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.contrast import (
    Cell,
    Cells,
    Contrast,
    Key,
    mean_of,
    rie,
    score,
    select,
    split,
    sr,
)
from mirrorcraft.study.printed import Row, half_a_unit
from mirrorcraft.study.published_text import text_rows

TOLD = " w/rules"  # how the papers mark a configuration that is told the rules
COUNTS = "mirrorcraft_counts.csv"
_UNPUBLISHED = "paper v2 changed the cells of M04, DeepSeek, Direct LLM and does not print them"
_ROUNDED_FIRST = "printed as a difference of rounded values"
_HALF_WIDTH = 0.1  # the papers' half-widths follow their rounded bounds, not the variance
_SUM_OF_ROUNDED = 2.0  # times the tolerance, where only rounded inputs are published


def read_table(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of published values.

    Raises:
        StudyError: there is no such file.
    """
    try:
        with (folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except OSError as e:
        raise StudyError(folder / name, "", e.strerror, "a folder of published tables") from None


def key_of(condition: str, task: str, configuration: str, model: str) -> Key:
    """Return the cell that the papers' words name."""
    told = DISCLOSED if configuration.endswith(TOLD) else HIDDEN
    return Key(condition, task, configuration.removesuffix(TOLD), model, told)


def read_cells(folder: Path) -> dict[Key, Cell]:
    """Return the cells of ``mirrorcraft_counts.csv``.

    Raises:
        StudyError: there is no such file, or a row of it has no numbers.
    """
    cells = {}
    for number, row in enumerate(read_table(folder, COUNTS), 2):
        try:
            key = key_of(row["condition"], row["task"], row["configuration"], row["model"])
            cell = Cell(int(row["n"]), int(row["successes"]), int(row["score_sum"]))
        except (KeyError, TypeError, ValueError) as e:
            expected = "condition, task, configuration, model, n, successes, score_sum"
            raise StudyError(folder / COUNTS, f"line {number}", str(e), expected) from None
        if key in cells or not 0 <= cell.successes <= cell.n or cell.n < 1:
            expected = "each cell once, with 0 to n successes"
            raise StudyError(folder / COUNTS, f"line {number}", (*key, *cell), expected)
        cells[key] = cell
    return cells


def recompute(folder: Path, cells: Cells | None = None) -> list[Row]:
    """Return every printed number of a folder beside ours.

    Args:
        folder: the published tables.
        cells: what to compute from; those of the folder when None.

    Raises:
        StudyError: a file is missing, a column or number of one, or a cell that they need.
    """
    known = read_cells(folder) if cells is None else cells
    tables: tuple[Callable[[Path, Cells], Iterator[Row]], ...] = (
        _cell_rows,
        _configuration_rows,
        _suite_rows,
        _disclosure_rows,
        _behavior_rows,
        _horizon_rows,
    )
    try:
        rows = [row for table in tables for row in table(folder, known)]
        rows += text_rows(known)
    except (KeyError, TypeError, ValueError) as e:
        expected = "the columns and numbers of the papers' tables, and cells for all of them"
        raise StudyError(folder, "", f"{type(e).__name__}: {e}", expected) from None
    for row in rows:
        if row.number is None:
            raise StudyError(folder, row.name, row.published, "a number")
    return rows


def _row(name: str, printed: str, ours: float | None, excluded: str | None = None) -> Row:
    return Row(name, printed, ours, half_a_unit(printed), excluded)


def _value(contrast: Contrast, cells: Cells, column: str) -> float | None:
    """Return a contrast of what a column names: Score, or SR."""
    if column.endswith(("score", "sc")):
        return score(contrast, cells)
    estimate = sr(contrast, cells)
    return estimate and estimate.value


def _mirror(cells: Cells) -> list[str]:
    return [s for s in dict.fromkeys(key.suite for key in cells) if s != VANILLA]


# The seven RIE_SR of paper v1's table 7 that differ from their cells by a rounding.
_TABLE_7 = {
    ("Iron Armor", "XENON", "Gemini"),
    ("Diamond", "XENON", "Gemini"),
    ("Iron Armor", "ReAct", "DeepSeek"),
    ("Iron Armor", "Voyager", "DeepSeek"),
    ("Iron Armor", "ADAM", "DeepSeek"),
    ("Diamond", "Reflexion", "DeepSeek"),
    ("Enchantment", "ReAct", "DeepSeek"),
}


def _cell_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    """Yield the cells themselves, and the rows of v1's table 7 that pool the suites."""
    for line in read_table(folder, "mirrorcraft_cells.csv"):
        condition, task, agent, model = (
            line[c] for c in ("condition", "task", "configuration", "model")
        )
        pooled = condition == "mirror_pooled"
        suites = _mirror(cells) if pooled else [condition]
        keys = [key_of(suite, task, agent, model) for suite in suites]
        place = f"{line['source']}: {condition}, {task}, {agent}, {model}"
        for column in ("score", "sr", "rie_sc", "rie_sr"):
            if not line[column] or not set(keys) <= set(cells):
                continue
            contrast = rie(cells, keys) if column.startswith("rie") else mean_of(keys)
            rounded = pooled and column == "rie_sr" and (task, agent, model) in _TABLE_7
            why = _ROUNDED_FIRST if rounded else None
            yield _row(f"{place}: {column}", line[column], _value(contrast, cells, column), why)


# Three numbers of paper v1's table 2 that its cells contradict; paper v2 corrects them.
_MISPRINTS = {
    ("v1", "Reflexion", "Gemini", "rie_sc"),
    ("v1", "XENON", "Gemini", "mirror_score"),
    ("v1", "XENON", "DeepSeek", "mirror_score"),
}


def _configuration_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    for line in read_table(folder, "config.csv"):
        version, name, model = line["version"], line["configuration"], line["model"]
        tasks = dict.fromkeys(key.task for key in cells)
        vanilla = [key_of(VANILLA, task, name, model) for task in tasks]
        mirror = [key_of(s, task, name, model) for s in _mirror(cells) for task in tasks]
        for column in (
            "vanilla_score",
            "vanilla_sr",
            "mirror_score",
            "mirror_sr",
            "rie_sc",
            "rie_sr",
        ):
            if not line[column]:
                continue
            contrast = {"vanilla": mean_of(vanilla), "mirror": mean_of(mirror)}.get(
                column.partition("_")[0]
            ) or rie(cells, mirror)
            why = None
            if (version, name, model, column) in _MISPRINTS:
                why = "a misprint that paper v2 corrects"
            changed = (version, name, model) == ("v2", "Direct LLM", "DeepSeek")
            if changed and not column.startswith("vanilla"):
                why = _UNPUBLISHED
            place = f"{version} Table 2: {name}, {model}: {column}"
            yield _row(place, line[column], _value(contrast, cells, column), why)


def _suite_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    for line in read_table(folder, "suite.csv"):
        suites = _mirror(cells) if line["suite"] == "Pooled" else [line["suite"]]
        mirror = select(cells, suites=suites)
        changed = line["version"] == "v2" and line["suite"] in ("M04", "Pooled")
        for column in ("score", "sr", "rie_sc", "rie_sr"):
            contrast = rie(cells, mirror) if column.startswith("rie") else mean_of(mirror)
            place = f"{line['source']}: {line['suite']}: {column}"
            ours = _value(contrast, cells, column)
            yield _row(place, line[column], ours, _UNPUBLISHED if changed else None)


def _disclosure_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    """Yield ReAct's disclosure split and the intervals of the main estimates."""
    for line in read_table(folder, "disclosure.csv"):
        place, model, column = line["suite_or_task"], line["model"], line["column"]
        suites = [place] if place in _mirror(cells) else _mirror(cells)
        tasks = [place] if place in {key.task for key in cells} else None
        models = None if model == "both" else [model]
        hidden = select(cells, suites=suites, tasks=tasks, models=models)
        if column.startswith("all_six"):
            contrast = rie(cells, hidden)
        else:
            react = [key for key in hidden if key.agent == "ReAct"]
            part = column.removeprefix("react_").rpartition("_")[0]
            contrast = split(cells, react)[part]
        changed = column.startswith("all_six") and place in ("M04", "Pooled")
        why = _UNPUBLISHED if changed and line["version"] == "v2" else None
        name = f"{line['version']} {line['table']}: {place}, {model}: {column}"
        yield _row(name, line["value"], _value(contrast, cells, column), why)
        if line["ci95_halfwidth"]:
            estimate = sr(contrast, cells)
            width = estimate and estimate.half_width
            # The cost of hidden rules has no Vanilla term, and its bounds are the plain ones.
            slack = 0.05 if "delta" in column else _HALF_WIDTH
            yield Row(f"{name}: half-width", line["ci95_halfwidth"], width, slack)


def _behavior_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    """Yield the averages of IRR and RL over suites, from the printed suite rows."""
    del cells  # encounters are not in cells; only the rounded rows are published
    rows = [r for r in read_table(folder, "irr_rl.csv") if r["version"] == "v1"]
    for line in (r for r in rows if r["suite"] == "Average"):
        own = [r for r in rows if r["configuration"] == line["configuration"]]
        for column in ("irr_pct", "rl_actions"):
            values = [float(r[column]) for r in own if r["suite"] != "Average"]
            name = f"{line['source']}: {line['configuration']}: average {column}"
            yield _from_rounded(name, line[column], sum(values) / len(values))


def _horizon_rows(folder: Path, cells: Cells) -> Iterator[Row]:
    """Yield the gains in Mirror SR between 100 and 200 actions, from the printed entries."""
    del cells  # the horizon study has worlds of its own; only its rounded entries are published
    printed = {"XENON": "49.4", "ADAM": "43.0", "ReAct": "9.5", "Reflexion": "8.5"}
    rows = {
        (r["configuration"], r["checkpoint_actions"]): float(r["sr"])
        for r in read_table(folder, "horizon.csv")
        if r["version"] == "v2" and r["condition"] == "mirror"
    }
    for agent, gain in printed.items():
        ours = rows[agent, "200"] - rows[agent, "100"]
        yield _from_rounded(f"v2 Section 4.2.1: gain of {agent}, 100 to 200 actions", gain, ours)


def _from_rounded(name: str, printed: str, ours: float) -> Row:
    return Row(name, printed, ours, _SUM_OF_ROUNDED * half_a_unit(printed))


def failures(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that neither agree nor are excluded by name."""
    return [row for row in rows if not row.agrees and row.excluded is None]
