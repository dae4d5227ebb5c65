"""Replies of all kinds: what is read out of them, by which stage, and that none is a crash."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.agents.replies import STAGES, clean, read_action, read_object
from mirrorcraft.core.action import SKILLS, Action, Checked, Refusal, check
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla()
MINE = '{"skill": "mine", "args": {"block": "oak_log", "count": 2}}'
MINED = Action("mine", {"block": "oak_log", "count": 2})


@pytest.mark.parametrize(
    ("reply", "stage"),
    [
        (MINE, "strict"),
        (f"  \n{MINE}\n", "strict"),
        (f"[{MINE}]", "strict"),
        (f'{{"thought": "a }} in {{ text", {MINE[1:]}', "strict"),
        (f'{{"action": {MINE}}}', "strict"),
        (f'{{"actions": [{MINE}, {{"skill": "wait", "args": {{}}}}]}}', "strict"),
        (f"I will mine. {MINE} That is best.", "balanced"),
        (f"```json\n{MINE}\n```", "balanced"),
        (f"Plan: {{gather}}\n```\n{MINE}\n```", "balanced"),
        (f'<think>{{"skill": "wait", "args": {{}}}}</think>{MINE}', "balanced"),
        (f'<think>maybe</think>\n{{"note": 1}} {MINE} {{"skill": "wait", "args": {{}}}}', "balanced"),
        (f'{{"skill": "fly", "args": {{}}}} {MINE}', "balanced"),
        (f'{{"thought": "first\nthen\tsecond", {MINE[1:]}', "balanced"),
        ("{'skill': 'mine', 'args': {'block': 'oak_log', 'count': 2}}", "repaired"),
        ('{"skill": "mine", "args": {"block": "oak_log", "count": 2,},}', "repaired"),
        ('{"skill": "mine", "args": {"block": "oak_log", "count": 2', "repaired"),
        ('{skill: "mine", args: {block: "oak_log", count: 2}}', "repaired"),
    ],
)  # fmt: skip
def test_the_first_documented_action_is_found(reply: str, stage: str):
    chosen = read_action(reply, VANILLA)
    assert (chosen.action, chosen.stage, chosen.problem) == (MINED, stage, "")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("   \n ", "empty"),
        ("I would rather look around.", "no action object"),
        ("null", "no action object"),
        ('{"skill": "fly", "args": {}}', "no action object"),
        ('{"skill": ["mine"], "args": {}}', "no action object"),
        ('{"skill": "mine"}', "needs the argument block"),
        ('{"skill": "mine", "args": []}', "needs the argument block"),
        ('{"skill": "mine", "args": "oak_log"}', "args must be an object"),
        ('{"skill": "mine", "args": {"block": "oak_log", "count": 1e999}}', "count"),
        ('{"skill": "craft_grid", "args": {"station": "inventory", "grid": ["stick"]}}', "row 0"),
        ("<think>I could think for ever", "no action object"),
        ("{" * 100_000, "no action object"),
        ("[" * 100_000, "no action object"),
        ('{"a":' * 50_000, "no action object"),
        ("x" * 100_000, "no action object"),
        ('{"thought": "' + "x" * 300_000 + '", "skill": "wait"}', "no action object"),
    ],
)
def test_a_reply_without_an_action_says_what_is_wrong(reply: str, problem: str):
    chosen = read_action(reply, VANILLA)
    assert chosen.action is None
    assert problem in chosen.problem


def test_an_unknown_block_is_an_action_that_the_world_refuses():
    chosen = read_action('{"skill": "mine", "args": {"block": "oak_lock"}}', VANILLA)
    assert chosen.action == Action("mine", {"block": "oak_lock"})


def test_the_thought_comes_along():
    reply = '{"thought": "wood first", "skill": "explore", "args": {"target": "log"}}'
    assert read_action(reply, VANILLA).fields["thought"] == "wood first"


def test_lone_surrogates_do_not_survive():
    reply = '{"thought": "\\ud800", "skill": "explore", "args": {"target": "\\udfff"}}'
    chosen = read_action(reply, VANILLA)
    assert json.dumps([chosen.fields, chosen.action], ensure_ascii=False).encode()


def test_an_object_that_says_nothing_is_passed_over():
    assert read_object('{} {"success": true}').value == {"success": True}
    assert read_object("{}").value is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ACTIONS = st.fixed_dictionaries(
    {"skill": st.sampled_from([*SKILLS, "fly", 7, None])},
    optional={"args": JSON | st.dictionaries(st.sampled_from(["block", "count", "grid"]), JSON)},
)
NOISE = st.text() | st.sampled_from(["```", "<think>", "</think>", "{", "}", "'", '"', "\\", ","])


@settings(max_examples=300)
@given(st.lists(NOISE | JSON.map(json.dumps) | ACTIONS.map(json.dumps), max_size=5).map("".join))
def test_whatever_a_model_says_is_read_without_a_crash(reply: str):
    read = read_object(reply)
    assert (read.value is None) == (read.stage is None)
    chosen = read_action(reply, VANILLA)
    if chosen.action is None:
        assert chosen.problem
        return
    assert chosen.stage in STAGES
    checked = check(chosen.action, VANILLA)
    assert isinstance(checked, (Checked, Refusal))
    assert not (isinstance(checked, Refusal) and checked.reason == Reason.INVALID_ARGS)
    assert json.dumps(chosen.fields, ensure_ascii=False).encode()


@given(JSON)
def test_what_is_cleaned_can_be_stored_and_is_clean(value: object):
    once = clean(value)
    assert json.dumps(once, ensure_ascii=False, allow_nan=False).encode()
    assert clean(once) == once
