"""Reflexion: when it reviews, what a lesson needs, how many there are and how long they stay."""

from typing import Any

import pytest
from asking import Episode, by_contract, call

LESSON = {
    "failure_type": "missing requirement",
    "diagnosis": "no tool",
    "next_subgoal": "make one",
    "avoid": ["the same"],
    "try": ["wood"],
    "expiry_condition": "a tool is owned",
}


def fails(block: str) -> str:
    return call("mine", block=block)


def play(actions: list[str], lessons: Any, most: int, suite: str = "vanilla") -> Episode:
    model = by_contract(failure_type=lessons, skill=actions)
    return Episode("reflexion", model, suite=suite).play(most)


def shown(prompt: str) -> int:
    """Return the number of lessons in a prompt."""
    part = prompt.split("RECENT STEPS")[0]
    return part.count("expires_when=")


def test_two_failures_of_one_action_are_reviewed():
    episode = play([fails("obsidian")], LESSON, 3)
    assert episode.purposes == ["action", "action", "reflection", "action"]
    assert episode.agent.mechanisms()["causes"] == ["repeated_failure"]
    prompts = episode.prompts("action")
    assert [shown(p) for p in prompts] == [0, 0, 1]
    assert "diagnosis=no tool" in prompts[2]


def test_the_reflector_sees_the_failed_segment_and_fixed_evidence():
    (prompt,) = play([fails("obsidian")], LESSON, 3).prompts("reflection")
    assert '"trigger":"repeated_failure"' in prompt
    assert "#2 thought=" in prompt
    assert 'reason="needs_tool"' in prompt


def test_an_outcome_that_contradicts_vanilla_is_reviewed():
    planks = call("craft_grid", station="inventory", grid=[["oak_log"]])
    actions = [call("mine", block="oak_log", count=2), planks, call("wait")]
    assert play(actions, LESSON, 3, "M01").agent.mechanisms()["causes"] == ["conflicting_evidence"]
    assert play(actions, LESSON, 3, "vanilla").agent.mechanisms()["causes"] == []


def test_eight_actions_without_gain_are_a_stall_that_is_reviewed_once():
    episode = play([call("wait")], LESSON, 16)
    assert episode.agent.mechanisms()["causes"] == ["stalled_progress"]
    assert episode.purposes.index("reflection") == 8


def test_a_review_comes_by_schedule_when_all_goes_well():
    gains = [call("mine", block=b) for b in ("dirt", "oak_log", "birch_log", "gravel", "sand")]
    steps = [g if n % 5 == 0 else call("wait") for n in range(25) for g in [gains[n // 5]]]
    episode = play(steps, LESSON, 25)
    assert episode.agent.mechanisms()["causes"] == ["scheduled"]
    assert episode.purposes.index("reflection") == 20


def test_there_are_at_most_six_reviews():
    episode = play([fails("obsidian")], LESSON, 40)
    assert episode.agent.mechanisms()["reviews"] == 6
    assert episode.purposes.count("reflection") == 6


def test_there_are_at_most_three_lessons_and_the_oldest_goes():
    blocks = ["obsidian", "diamond_ore", "iron_ore", "gold_ore"]
    lessons = [LESSON | {"diagnosis": f"no tool for {b}"} for b in blocks]
    episode = play([fails(b) for b in blocks for _ in "ab"] + [call("wait")], lessons, 9)
    last = episode.prompts("action")[-1]
    assert shown(last) == 3
    assert "no tool for obsidian" not in last
    assert "no tool for gold_ore" in last


def test_a_lesson_on_the_same_failure_is_revised_and_not_doubled():
    lessons = [LESSON | {"diagnosis": "first"}, LESSON | {"diagnosis": "second"}]
    last = play([fails("obsidian")], lessons, 5).prompts("action")[-1]
    assert shown(last) == 1
    assert "diagnosis=second" in last


def test_a_lesson_stays_for_sixteen_actions():
    actions = [fails("obsidian")] * 2 + [call("wait")]
    prompts = play(actions, [LESSON, "no lesson"], 30).prompts("action")
    assert [shown(p) for p in prompts] == [0] * 2 + [1] * 16 + [0] * 12


@pytest.mark.parametrize(
    ("lesson", "then"),
    [
        ({"next_subgoal": "own oak_log."}, call("mine", block="oak_log")),
        ({"expiry_condition": '"oak_log" in the inventory'}, call("mine", block="oak_log")),
    ],
)
def test_a_lesson_ends_when_what_it_aims_at_is_had(lesson: dict[str, str], then: str):
    actions = [fails("obsidian")] * 2 + [then, call("wait")]
    prompts = play(actions, [LESSON | lesson, "no lesson"], 5).prompts("action")
    assert [shown(p) for p in prompts] == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("flaw", [{"diagnosis": 7}, {"avoid": "x"}, {"next_subgoal": " "}])
def test_a_malformed_lesson_is_asked_for_again_and_then_left_out(flaw: dict[str, Any]):
    episode = play([fails("obsidian")], [LESSON | flaw], 3)
    assert episode.purposes.count("reflection") == 2
    assert shown(episode.prompts("action")[-1]) == 0
