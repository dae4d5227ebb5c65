"""Metrics against tables worked out by hand and against the published tables."""

import csv
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import FOLDER
from records import record, step

from mirrorcraft.study.metrics import (
    Effect,
    behavior,
    behavior_over_suites,
    effect,
    encounters,
    mean,
    means,
    sr_at,
)
from mirrorcraft.study.record import EpisodeRecord

PUBLISHED = FOLDER.parent / "published"


def test_a_mean_of_nothing_is_missing_and_not_zero():
    assert mean([]) is None
    assert means([]) == (0, None, None, None)
    assert effect([]) == Effect(0, None, None)
    assert behavior([]) == (0, None, 0, None, 0)


def test_repetitions_are_averaged_within_a_world_before_worlds_are():
    thrice = [record(s, world="W00", repetition=i) for i, s in enumerate((100, 100, 10))]
    once = [record(10, world="W01")]
    assert means(thrice + once).score == pytest.approx((70 + 10) / 2)
    assert means(thrice + once).sr == pytest.approx((200 / 3 + 0) / 2)


def test_rie_is_vanilla_minus_mirror_over_paired_worlds():
    episodes = [
        record(100, world="W00"),
        record(70, world="W01"),
        record(50, world="W00", suite="M01"),
        record(100, world="W01", suite="M01"),
        record(100, world="W00", suite="M02"),
    ]
    # Score: (100-50) + (70-100) + (100-100) = 20 over 3; SR: 100 + -100 + 0.
    assert effect(episodes) == pytest.approx((3, 20 / 3, 0))
    assert effect(episodes[:4]).rie_sc == pytest.approx(10)


def test_a_mirror_episode_without_its_vanilla_twin_is_no_comparison():
    vanilla = record(100)
    others: list[dict[str, Any]] = [
        {"world": "W01"},
        {"task": "enchantment"},
        {"agent": "xenon"},
        {"model": "gemini"},
        {"disclosure": "disclosed"},
    ]
    for other in others:
        assert effect([vanilla, record(0, suite="M01", **other)]).n == 0
    assert effect([vanilla, record(0, suite="M01")]) == Effect(1, 100, 100)


def test_an_encounter_is_the_first_trigger_of_a_rule_in_an_episode():
    steps = [
        step("mine", 0, "M01.a", block="stone"),
        step("mine", 0, "M01.a", "M01.b", block="stone"),
        step("wait", 10, "M01.b"),
    ]
    assert [(e.rule, e.at) for e in encounters(record(10, steps))] == [
        ("M01.a", 0),
        ("M01.b", 1),
    ]


def test_irr_compares_the_signature_of_the_next_action_only():
    steps = [
        step("mine", 0, "a", block="stone", count=1),
        step("mine", 0, "b", block="stone", count=4),  # same block: a repeat, whatever the count
        step("mine", 0, "c", block="dirt"),
        step("wait", 0, "d"),  # nothing follows: not eligible
    ]
    result = behavior([record(0, steps)])
    assert (result.encounters, result.irr_n) == (4, 3)
    assert result.irr == pytest.approx(100 / 3)


def test_rl_counts_actions_until_the_score_exceeds_what_it_was_before():
    steps = [
        step("wait", 10),
        step("mine", 25, "a", block="stone"),  # raises the Score itself: 0
        step("mine", 25, "b", block="dirt"),  # raised two actions later: 2
        step("wait", 25),
        step("wait", 50),
        step("mine", 50, "c", block="clay"),  # never again: left out
    ]
    assert [e.recovery for e in encounters(record(50, steps))] == [0, 2, None]
    assert behavior([record(50, steps)])[3:] == (1.0, 2)


def test_rl_of_an_encounter_in_the_first_action_starts_from_score_zero():
    steps = [step("mine", 10, "a", block="stone"), step("wait", 10)]
    assert encounters(record(10, steps))[0].recovery == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["mine", "wait"]), st.booleans())),
    st.integers(0, 100),
)
def test_every_recovery_is_the_first_rise_above_the_score_before(raw, bonus):
    total, steps = 0, []
    for index, (rise, skill, met) in enumerate(raw):
        total = min(100, total + rise * bonus // 3)
        steps.append(step(skill, total, *([f"r{index}"] if met else [])))
    scores = [0, *(s.score for s in steps)]
    for e in encounters(record(total, steps)):
        before = scores[e.at]
        if e.recovery is None:
            assert max(scores[e.at + 1 :]) <= before
        else:
            assert scores[e.at + 1 + e.recovery] > before
            assert all(s <= before for s in scores[e.at + 1 : e.at + 1 + e.recovery])


@cache
def synthetic() -> list[EpisodeRecord]:
    path = PUBLISHED / "synthetic_episodes_v1.csv"
    if not path.exists():
        pytest.skip("the published tables are not beside the project")
    with path.open(newline="") as file:
        return [
            record(
                int(row["score"]),
                world=row["world_id"],
                suite=row["condition"],
                task=row["task"],
                agent=row["configuration"],
                model=row["model"],
                disclosure="disclosed" if row["rules_disclosed"] == "1" else "hidden",
                repetition=int(row["repetition"]),
            )
            for row in csv.DictReader(file)
        ]


def published(name: str) -> list[dict[str, str]]:
    path = PUBLISHED / name
    if not path.exists():
        pytest.skip("the published tables are not beside the project")
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["version"] == "v1"]


def agrees(published: str, ours: float | None) -> bool:
    """The papers round ties both ways, so a number agrees when it lies within half a unit."""
    return ours is not None and abs(float(published) - ours) <= 0.05 + 1e-9


@pytest.mark.parametrize("suite", ["M01", "M02", "M03", "M04", "M05", "M06", "Pooled"])
def test_the_published_table_by_suite_is_reproduced(suite: str):
    row = next(r for r in published("suite.csv") if r["suite"] == suite)
    hidden = [e for e in synthetic() if e.spec.disclosure == "hidden"]
    mirror = [e for e in hidden if e.spec.suite == suite or suite == "Pooled"]
    mirror = [e for e in mirror if e.spec.suite != "vanilla"]
    vanilla = [e for e in hidden if e.spec.suite == "vanilla"]
    ours, effects = means(mirror), effect(vanilla + mirror)
    assert agrees(row["score"], ours.score)
    assert agrees(row["sr"], ours.sr)
    assert agrees(row["rie_sc"], effects.rie_sc)
    assert agrees(row["rie_sr"], effects.rie_sr)
    assert effects.n == (2160 if suite == "Pooled" else 360)


# Three numbers of paper v1's table that its own cells contradict, as paper v2 corrects them.
MISPRINTS = {
    ("Reflexion", "Gemini", "rie_sc"): "+2.9",
    ("XENON", "Gemini", "mirror_score"): "69.6",
    ("XENON", "DeepSeek", "mirror_score"): "83.1",
}


def test_the_published_table_by_configuration_is_reproduced():
    rows = published("config.csv")
    assert len(rows) == 14
    for row in rows:
        name = row["configuration"].removesuffix(" w/rules")
        told = "disclosed" if name != row["configuration"] else "hidden"
        own = [
            e
            for e in synthetic()
            if (e.spec.agent, e.spec.model, e.spec.disclosure) == (name, row["model"], told)
        ]
        mirror, effects = means([e for e in own if e.spec.suite != "vanilla"]), effect(own)
        ours = {"mirror_score": mirror.score, "mirror_sr": mirror.sr}
        if told == "hidden":
            ours |= {"rie_sc": effects.rie_sc, "rie_sr": effects.rie_sr}
        else:
            assert effects.n == 0
        for column, value in ours.items():
            assert agrees(MISPRINTS.get((name, row["model"], column), row[column]), value)


def test_checkpoints_follow_one_trajectory():
    early = record(100, [step("wait", 50), step("wait", 100)])
    late = record(100, [*[step("wait", 50)] * 4, step("wait", 100)])
    never = record(70, [step("wait", 70)] * 6)
    episodes = [early, late, never]
    assert [sr_at(episodes, at) for at in (1, 2, 4, 5, 200)] == pytest.approx(
        [0, 100 / 3, 100 / 3, 200 / 3, 200 / 3]
    )
    assert sr_at([], 100) is None


def test_irr_over_suites_weighs_each_suite_alike():
    repeat = [step("mine", 0, "a", block="stone"), step("mine", 0, block="stone")]
    other = [step("mine", 0, "a", block="stone"), step("wait", 0)]
    episodes = [record(0, repeat, suite="M01")] + [record(0, other, suite="M02")] * 3
    assert behavior(episodes).irr == pytest.approx(25)
    assert behavior_over_suites(episodes).irr == pytest.approx(50)
    assert behavior_over_suites(episodes).encounters == 4
    assert behavior_over_suites([]) == (0, None, 0, None, 0)
