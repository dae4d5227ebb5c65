"""The run folder: torn lines, changed studies and second runners."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fake import AGENTS, FakeAgent, FakeBackend
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.world import World
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.plan import parse_study, plan
from mirrorcraft.study.store import EPISODES, FAULTS, LOCK, PLAN, STUDY, read_run
from mirrorcraft.study.writer import Writer, missing

TEXT = f"""
schema_version = "1.0"
name = "small"
worlds = ["{World.names()[0]}"]
suites = ["vanilla", "M01"]
tasks = ["iron_armor", "diamond"]
[[agents]]
name = "fickle"
repetitions = 2
"""
CONFIG = parse_study(TEXT, "small.toml", AGENTS)
SPECS = plan(CONFIG)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    backend = FakeBackend()
    return [run_episode(s, backend, FakeAgent(s.agent)).to_line() for s in SPECS]


def opened(folder: Path, text: str = TEXT) -> Writer:
    config = parse_study(text, "small.toml", AGENTS)
    return Writer(folder, text, config, plan(config))


def test_a_folder_holds_the_study_as_given_its_plan_and_the_episodes(tmp_path: Path, lines):
    with opened(tmp_path) as writer:
        for spec, line in zip(SPECS, lines, strict=True):
            writer.add(spec.id, line)
        writer.add_fault(SPECS[0].id, "the server is gone")
    assert (tmp_path / STUDY).read_text() == TEXT
    assert len((tmp_path / PLAN).read_text().splitlines()) == len(SPECS)
    stored = read_run(tmp_path)
    assert [e.to_line() for e in stored.episodes] == lines
    assert stored.specs == SPECS
    assert stored.faults == [{"id": SPECS[0].id, "attempt": 1, "error": "the server is gone"}]
    assert stored.torn == []


def test_episodes_come_back_in_the_order_of_the_plan(tmp_path: Path, lines):
    with opened(tmp_path) as writer:
        for spec, line in reversed(list(zip(SPECS, lines, strict=True))):
            writer.add(spec.id, line)
    assert [e.spec for e in read_run(tmp_path).episodes] == SPECS


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_store_cut_at_any_byte_keeps_every_whole_line(tmp_path_factory, lines, data):
    folder = tmp_path_factory.mktemp("cut")
    with opened(folder) as writer:
        for spec, line in zip(SPECS[:3], lines, strict=False):
            writer.add(spec.id, line)
    file = folder / EPISODES
    whole = file.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    file.write_bytes(whole[:cut])
    kept = whole[:cut].count(b"\n")
    is_torn = cut > 0 and whole[cut - 1 : cut] != b"\n"

    stored = read_run(folder)
    assert [e.to_line() for e in stored.episodes] == lines[:kept]
    assert len(stored.torn) == is_torn
    with opened(folder) as writer:
        assert len(writer.repaired) == is_torn
        assert missing(SPECS, writer.done) == SPECS[kept:]
        for spec, line in list(zip(SPECS, lines, strict=True))[kept:]:
            writer.add(spec.id, line)
    assert [e.to_line() for e in read_run(folder).episodes] == lines
    assert read_run(folder).torn == []


@pytest.mark.parametrize("tail", [b"\0" * 512, b"\xff\xfe", b'{"id"'])
def test_rubbish_after_the_last_line_is_cut_off_and_reported(tmp_path: Path, lines, tail):
    with opened(tmp_path) as writer:
        writer.add(SPECS[0].id, lines[0])
    with (tmp_path / EPISODES).open("ab") as file:
        file.write(tail)
    assert f"{len(tail)} bytes of a torn last line" in read_run(tmp_path).torn[0]
    with opened(tmp_path) as writer:
        assert writer.done == {SPECS[0].id}
    assert (tmp_path / EPISODES).read_text() == lines[0] + "\n"


@pytest.mark.parametrize("line", ["rubbish", "{}", '{"id": 3}'])
def test_a_broken_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path, lines, line):
    with opened(tmp_path) as writer:
        writer.add(SPECS[0].id, lines[0])
    with (tmp_path / EPISODES).open("a") as file:
        file.write(f"{line}\n{lines[1]}\n")
    with pytest.raises(StudyError, match=r"episodes\.jsonl: line 2"):
        read_run(tmp_path)
    with pytest.raises(StudyError, match=r"episodes\.jsonl: line 2"):
        opened(tmp_path)


def test_an_episode_of_another_study_is_refused(tmp_path: Path, lines):
    opened(tmp_path).close()
    (tmp_path / EPISODES).write_text(lines[0].replace('"repetition":0', '"repetition":9') + "\n")
    with pytest.raises(StudyError, match="line 1"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"M01"', '"M02"', "suites"),
        ("repetitions = 2", "repetitions = 3", "agents"),
        ('["iron_armor", "diamond"]', '["diamond"]', "tasks"),
        ("[[agents]]", "[budgets]\ndiamond = 9\n[[agents]]", "budgets"),
    ],
)
def test_a_changed_study_is_refused_and_the_difference_named(tmp_path: Path, old, new, place):
    opened(tmp_path).close()
    with pytest.raises(StudyError, match=rf"{place}: got .*; expected .*--out"):
        opened(tmp_path, TEXT.replace(old, new))
    assert (tmp_path / STUDY).read_text() == TEXT


def test_a_comment_does_not_make_another_study(tmp_path: Path):
    opened(tmp_path).close()
    opened(tmp_path, TEXT + "# a remark\n").close()
    assert (tmp_path / STUDY).read_text() == TEXT


def test_rules_that_changed_since_the_run_began_are_refused(tmp_path: Path):
    opened(tmp_path).close()
    plan_lines = [json.loads(line) for line in (tmp_path / PLAN).read_text().splitlines()]
    for line in plan_lines:
        if line["spec"]["suite"] == "M01":
            line["rules"] = "0" * 16
    (tmp_path / PLAN).write_text("".join(json.dumps(line) + "\n" for line in plan_lines))
    with pytest.raises(StudyError, match=r"rules of .*M01"):
        opened(tmp_path)


def test_a_second_runner_is_refused_until_the_first_is_gone(tmp_path: Path):
    with opened(tmp_path):
        with pytest.raises(StudyError, match="no other runner"):
            opened(tmp_path)
        assert read_run(tmp_path).episodes == []  # reading is free
    opened(tmp_path).close()


def test_a_runner_in_another_process_holds_the_folder_until_it_is_killed(tmp_path: Path):
    program = (
        "import sys; from pathlib import Path; from mirrorcraft.study.writer import _take_lock\n"
        "_take_lock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    lock = tmp_path / LOCK
    command = [sys.executable, "-c", program, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StudyError, match="no other runner"):
            opened(tmp_path)
        other.kill()
    opened(tmp_path).close()


def test_a_runner_killed_while_it_made_the_folder_leaves_a_usable_one(tmp_path: Path):
    (tmp_path / STUDY).write_text("half a stud")
    opened(tmp_path).close()
    assert read_run(tmp_path).specs == SPECS


def test_a_folder_that_is_no_run_folder_is_named(tmp_path: Path):
    with pytest.raises(StudyError, match="a run folder"):
        read_run(tmp_path / "nowhere")
    assert not (tmp_path / FAULTS).exists()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda rows: rows[:-1], "number of lines.*the 8 episodes"),
        (lambda rows: ["{}", *rows[1:]], "line 1.*the id and spec"),
        (lambda rows: ["[]", *rows[1:]], "line 1.*the id and spec"),
        (lambda rows: ["rubbish", *rows[1:]], "line 1.*a JSON object"),
    ],
)
def test_a_damaged_plan_is_an_error_that_names_the_line(tmp_path: Path, damage, expected: str):
    opened(tmp_path).close()
    rows = (tmp_path / PLAN).read_text().splitlines()
    (tmp_path / PLAN).write_text("\n".join([*damage(rows), ""]))
    with pytest.raises(StudyError, match=expected):
        opened(tmp_path)
