"""The papers' numbers: every one that their cells determine comes out as printed."""

from functools import cache
from pathlib import Path

import pytest
from oracle import FOLDER

from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.contrast import cells_of
from mirrorcraft.study.episode_table import COLUMNS, read_episode_table, report_table
from mirrorcraft.study.printed import Row, half_a_unit
from mirrorcraft.study.published import failures, read_cells, recompute
from mirrorcraft.study.tables import of_report

PUBLISHED = FOLDER.parent / "published"
EPISODES = PUBLISHED / "synthetic_episodes_v1.csv"


def folder() -> Path:
    if not EPISODES.exists():
        pytest.skip("the published tables are not beside the project")
    return PUBLISHED


@cache
def rows(through_episodes: bool) -> list[Row]:
    cells = cells_of(read_episode_table(EPISODES).episodes) if through_episodes else None
    return recompute(folder(), cells)


@pytest.fixture(params=[False, True], ids=["from cells", "from episodes"])
def numbers(request) -> list[Row]:
    folder()
    return rows(request.param)


@pytest.mark.parametrize(
    ("table", "count", "excluded"),
    [
        ("v1 Table 2", 76, 3),
        ("v2 Table 2", 76, 4),
        ("v1 Table 4", 28, 0),
        ("v2 Table 3", 28, 8),
        ("v1 Table 5", 18, 0),
        ("v2 Table 4", 35, 0),
        ("v1 Table 7", 228, 7),
        ("v2 Table 10", 42, 0),
        ("v2 Table 11", 56, 2),
        ("v1 Table 9", 14, 0),
        ("v2 Section 4.2.1: gain", 4, 0),
    ],
)
def test_a_table_is_reproduced_but_for_what_its_cells_contradict(numbers, table, count, excluded):
    own = [
        row
        for row in numbers
        if row.name.startswith(f"{table}:") or row.name.startswith(f"{table} of")
    ]
    assert len(own) == count
    assert sum(row.excluded is not None for row in own) == excluded
    assert failures(own) == []


def test_what_is_excluded_does_differ(numbers):
    assert [row for row in numbers if row.excluded and row.agrees] == []
    assert sum(row.excluded is not None for row in numbers) == 24


def test_tests_contrasts_and_retentions_of_the_text_are_reproduced(numbers):
    own = {row.name.partition(": ")[2]: row for row in numbers if "Appendix C" in row.name}
    assert failures(own.values()) == []
    assert own["Q within M04, DeepSeek: q"].published == "41.7"
    assert own["Q of the gap between suites: q"].published == "196"
    assert own["XENON and ADAM above ReAct w/rules under M04, DeepSeek: half-width"].agrees
    assert sum("retention" in name for name in own) == 8
    assert len(own) == 65


def test_nothing_else_differs(numbers):
    assert failures(numbers) == []
    assert len(numbers) == 1183


def test_one_success_more_is_noticed():
    cells = dict(read_cells(folder()))
    key = next(k for k in cells if k.suite == "M04" and k.agent == "ReAct")
    cells[key] = cells[key]._replace(successes=cells[key].successes + 1)
    assert len(failures(recompute(folder(), cells))) > 10


@pytest.mark.parametrize(
    ("printed", "ours", "agrees"),
    [
        ("+5.5", 5.55, True),
        ("+5.5", 5.4499, False),
        ("0.003", 0.0034, True),
        ("196", 195.6, True),
        ("<0.001", 0.0009, True),
        ("<0.001", 0.0011, False),
        (">0.29", 0.2994, True),
        (">=0.15", 0.12, False),
        ("5.0", None, False),
    ],
)
def test_a_number_agrees_within_half_a_unit_of_its_last_digit(printed, ours, agrees):
    assert Row("x", printed, ours, half_a_unit(printed.lstrip("<>="))).agrees is agrees


def test_the_report_of_an_episode_file_has_the_published_pooled_rows():
    folder()
    values = report_table(EPISODES)
    pooled = values["pooled"]
    assert (pooled["n"], pooled["comparisons"]) == (7560, 2160)
    assert pooled["mirror_score"] == pytest.approx(77.1, abs=0.05)
    assert pooled["rie_sr"] == pytest.approx(7.7, abs=0.05)
    m01 = values["suites"]["M01"]
    assert m01["rie_sr_half_width"] == pytest.approx(2.8, abs=0.05)
    assert m01["actions"] is None  # such a file does not hold them
    assert "After an encounter" not in {table.title for table in of_report(values)}
    react = next(r for r in values["disclosure"] if (r["model"], r["suite"]) == ("all", "pooled"))
    assert react["delta_sr"] == pytest.approx(5.6, abs=0.05)
    assert react["delta_sr_half_width"] == pytest.approx(2.8, abs=0.05)
    assert set(values["biomes"]) == {"Plains", "Taiga", "Snowy Plains", "Jungle", "Savanna"}


ROW = "m,Diamond,A,0,vanilla,Plains,W00,0,100,1"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (ROW.replace("100,1", "100,0"), "success 1 exactly at 100"),
        (ROW.replace("100,1", "101,0"), "0, 10, 25, 50, 70, 100"),
        (ROW.replace("100,1", "60,0"), "0, 10, 25, 50, 70, 100"),
        (ROW.replace("100,1", "nan,0"), "integers"),
        (ROW.replace("100,1", ",0"), "integers"),
        (ROW.replace("Diamond", "Dimond"), "did you mean Diamond"),
        (ROW.replace("vanilla", ""), "a name"),
        (ROW.replace("A,0", "A,2"), "rules_disclosed"),
        (ROW.replace(",0,100", ",first,100"), "integers"),
        (ROW, "each episode once"),
        (ROW.replace("W00,0", "W00,1").replace("Plains", "Taiga"), "Plains for W00"),
        ("m,Diamond", "integers"),
    ],
)
def test_a_wrong_line_of_an_episode_file_is_named(tmp_path: Path, line: str, expected: str):
    file = tmp_path / "episodes.csv"
    file.write_text("\n".join([",".join(COLUMNS), ROW, line, ""]))
    with pytest.raises(StudyError, match=rf"line 3.*{expected}"):
        read_episode_table(file)


def test_a_missing_column_or_file_is_named(tmp_path: Path):
    file = tmp_path / "episodes.csv"
    with pytest.raises(StudyError, match=r"episodes\.csv.*No such file"):
        read_episode_table(file)
    file.write_text(",".join(COLUMNS).replace("biome,", "") + "\n")
    with pytest.raises(StudyError, match=r"no biome.*the columns model"):
        read_episode_table(file)
    with pytest.raises(StudyError, match="a folder of published tables"):
        recompute(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("suite.csv", "rie_sc", "rie", "KeyError: 'rie_sc'"),
        ("suite.csv", "+", "plus", "a number"),
        ("suite.csv", "+", "nan", "a number"),
        ("mirrorcraft_counts.csv", "successes", "won", "line 2.*successes"),
    ],
)
def test_a_damaged_folder_of_published_tables_is_named(tmp_path: Path, name, old, new, expected):
    for file in folder().glob("*.csv"):
        if file != EPISODES:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    damaged = tmp_path / name
    damaged.write_text(damaged.read_text().replace(old, new))
    with pytest.raises(StudyError, match=expected):
        recompute(tmp_path)


def test_a_cell_that_comes_twice_is_named(tmp_path: Path):
    head = "condition,task,configuration,model,n,successes,score_sum"
    row = "vanilla,Diamond,ReAct,Gemini,30,20,2500"
    (tmp_path / "mirrorcraft_counts.csv").write_text("\n".join([head, row, row, ""]))
    with pytest.raises(StudyError, match=r"line 3.*each cell once"):
        read_cells(tmp_path)


def test_episodes_that_lack_a_papers_cells_are_no_crash(tmp_path: Path):
    file = tmp_path / "few.csv"
    file.write_text("\n".join([",".join(COLUMNS), ROW, ""]))
    with pytest.raises(StudyError, match="cells for all of them"):
        recompute(folder(), cells_of(read_episode_table(file).episodes))
