"""A study may play a datapack in the place of a suite."""

from pathlib import Path

import pytest

from mirrorcraft.agents import AGENTS
from mirrorcraft.core.errors import PackError, StudyError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import build
from mirrorcraft.study.plan import (
    parse_study,
    plan,
    rules_for,
    study_text,
    with_backend,
    with_packs,
)


@pytest.fixture
def pack(tmp_path: Path) -> str:
    path = tmp_path / "mine.zip"
    build(rules_for("M01")).write_zip(path)
    return str(path)


def test_a_suite_written_as_a_pack_has_the_same_rules(pack: str):
    rules = rules_for(pack)
    assert rules == Rulebook.vanilla("1.19").apply(RuleManifest.load("M01"))
    assert rules.name == "mine.zip"
    assert len(rules.changes) > 0


def test_packs_take_the_place_of_a_studys_suites(pack: str):
    text, source = study_text("quick")
    config = parse_study(with_packs(text, source, [pack]), source, AGENTS)
    assert config.suites == ("vanilla", pack)
    assert {spec.suite for spec in plan(config)} == {"vanilla", pack}


def test_a_study_without_suites_is_refused(pack: str):
    with pytest.raises(StudyError, match="a list of suites"):
        with_packs('name = "x"\n', "x.toml", [pack])


def test_a_pack_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(PackError, match=r"none\.zip"):
        rules_for(str(tmp_path / "none.zip"))


@pytest.mark.parametrize("written", ["", 'backend = "vanilla"\n'])
def test_a_study_is_played_on_another_backend_and_is_another_study(written: str):
    text, source = study_text("quick")
    here = parse_study(text, source, AGENTS)
    there = parse_study(with_backend(written + text, "squid"), source, AGENTS)
    assert there.differences(here) == {"backend": ("squid", "simulator")}
