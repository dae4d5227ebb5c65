"""Records: what an agent sent is made recordable, and a line reads back as it was."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import record, step

from mirrorcraft.core.action import Action
from mirrorcraft.study.record import EpisodeRecord, recordable, recordable_action

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=40,
)


@given(anything)
def test_whatever_is_sent_becomes_plain_json_of_bounded_size(value):
    text = json.dumps(recordable(value), allow_nan=False)
    assert json.loads(text) == recordable(value)


@pytest.mark.parametrize(
    "action",
    [
        None,
        "mine dirt",
        SimpleNamespace(skill=3, args=[1]),
        Action("mine", {"block": "x" * 10_000_000}),
        Action("mine", {"block": {1: object()}}),
        Action("\ud800", {"ticks": float("inf"), "count": 10**400}),
    ],
)
def test_a_malformed_action_is_kept_short_and_writes_the_same_every_time(action):
    kept = record(0, [step("wait", 0)._replace(action=recordable_action(action))])
    assert len(kept.to_line()) < 2_000
    assert " at 0x" not in kept.to_line()
    assert EpisodeRecord.from_line(kept.to_line()).to_line() == kept.to_line()


def test_a_record_reads_back_as_it_was():
    kept = record(
        10,
        [step("mine", 10, "M01.a", block="stone")._replace(advancements=("story/mine_stone",))],
        suite="M01",
        model="gemini",
    )
    assert EpisodeRecord.from_line(kept.to_line()) == kept
    assert "\n" not in kept.to_line()


def test_two_runs_differ_in_their_wall_clock_time_only():
    one, two = json.loads(record(10).to_line()), record(10).content()
    assert one.pop("elapsed_s") == 0.5
    assert one == json.loads(json.dumps(two))


@pytest.mark.parametrize("line", ["", "{}", "[]", "null", '{"spec": {}}', "{"])
def test_what_is_no_record_is_refused(line):
    with pytest.raises(ValueError, match=r"not an episode record|Expecting"):
        EpisodeRecord.from_line(line)


def test_a_record_whose_spec_was_edited_is_refused():
    line = record(10).to_line().replace('"budget":50', '"budget":75')
    with pytest.raises(ValueError, match="not that of its spec"):
        EpisodeRecord.from_line(line)
