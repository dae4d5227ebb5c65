"""Voyager: what a program may be, who judges it, how often it is repaired, and what is kept."""

import json
from typing import Any

import pytest
from asking import Episode, by_contract

from mirrorcraft.agents.voyager import KINDS, LIBRARY, Run, VoyagerAgent, deterministic_check
from mirrorcraft.core.action import Action

YES = {"reasoning": "r", "success": True, "critique": ""}
NO = {"reasoning": "r", "success": False, "critique": "the wrong thing"}


def do(skill: str, **args: Any) -> dict[str, Any]:
    return {"skill": skill, "args": args}


def program(*actions: dict[str, Any], name: str = "p", **success: Any) -> dict[str, Any]:
    done = {"kind": "state_change", **success}
    body = {
        "name": name,
        "description": "d",
        "subgoal": "s",
        "success": done,
        "actions": list(actions),
    }
    return {"explain": "e", "plan": "p", "program": body}


DIRT, FAIL = do("mine", block="dirt"), do("mine", block="obsidian")


def play(programs: Any, critic: Any = YES, most: int = 10, **kinds: Any) -> Episode:
    return Episode("voyager", by_contract(critique=critic, program=programs, **kinds)).play(most)


def counts(episode: Episode) -> dict[str, int]:
    return episode.agent.mechanisms()


def feedback(prompt: str) -> Any:
    label = "LAST PROGRAM AND FEEDBACK FOR REPAIR: "
    line = next(x for x in prompt.splitlines() if x.startswith(label)).removeprefix(label)
    return None if line == "none" else json.loads(line)


def test_a_program_runs_without_further_calls_and_is_criticised_at_its_end():
    episode = play(program(DIRT, DIRT, do("wait")), most=4)
    assert episode.purposes == ["program", "critique", "program"]
    assert [a.skill for a in episode.actions] == ["mine", "mine", "wait", "mine"]


def test_a_program_has_at_most_four_actions():
    assert play(program(*[DIRT] * 6), most=5).purposes == ["program", "critique", "program"]


def test_a_program_ends_at_its_first_action_that_is_none():
    episode = play(program(DIRT, {"skill": "exec", "args": {"code": "import os"}}, DIRT), most=2)
    assert episode.purposes == ["program", "critique", "program"]


def test_a_name_that_is_none_is_for_the_world_to_refuse_as_in_every_configuration():
    """SmolLM2 wrote programs with items such as "rocket", and they were taken for no programs."""
    rocket = do("craft_grid", station="inventory", grid=[["rocket"]])
    episode = play([program(DIRT, rocket, DIRT), program(do("wait"))], most=3)
    assert [a.skill for a in episode.actions] == ["mine", "craft_grid", "wait"]
    assert episode.outcomes[1]["ok"] is False
    assert counts(episode)["fallbacks"] == 0


def test_a_program_stops_at_a_failure_and_its_repair_is_told_of_it():
    episode = play([program(DIRT, FAIL, DIRT), program(DIRT)], most=3)
    assert [a.args["block"] for a in episode.actions] == ["dirt", "obsidian", "dirt"]
    told = feedback(episode.prompts("program")[1])
    assert [step["ok"] for step in told["execution"]] == [True, False]
    assert told["execution"][1]["reason"] == "needs_tool"
    assert counts(episode)["repairs"] == 1


def test_a_program_is_repaired_at_most_four_times():
    tries = [program(do("mine", block="obsidian", count=n % 4 + 1)) for n in range(9)]
    prompts = play(tries, most=8).prompts("program")
    told = [feedback(p) for p in prompts]
    assert [t and t["repair"] for t in told[:7]] == [None, 1, 2, 3, 4, None, 1]


def test_an_unchanged_program_is_no_repair():
    episode = play([program(FAIL)], most=2, skill=json.dumps(do("wait")))
    assert episode.purposes == ["program", "critique", "program", "program", "fallback"]
    assert episode.actions[-1].skill == "wait"


def test_without_a_program_in_two_replies_the_fallback_chooses_one_action():
    episode = play("no program", most=1, skill=json.dumps(do("wait")))
    assert episode.purposes == ["program", "program", "fallback"]
    assert "not one valid program" in episode.prompts("program")[1]
    assert counts(episode)["fallbacks"] == 1
    system = episode.agent.trajectory()[-1]["messages"][0]["content"]
    assert "RECENT STEPS" not in episode.prompts("fallback")[0]
    assert system.startswith("You are playing Minecraft.")


@pytest.mark.parametrize(
    ("critic", "success", "kept"),
    [
        (YES, {}, 1),
        (NO, {}, 0),
        (YES, {"kind": "progress_increase"}, 0),
        ("no json", {}, 1),
        ({"success": "yes"}, {}, 1),
    ],
)
def test_a_program_is_kept_when_check_and_critic_agree(critic: Any, success: Any, kept: int):
    episode = play([program(DIRT, **success), program(do("wait"))], critic, most=2)
    assert counts(episode)["library"] == kept
    assert (feedback(episode.prompts("program")[1]) is None) == bool(kept)


def test_the_critique_reaches_the_repair():
    told = feedback(play([program(DIRT), program(do("wait"))], NO, most=2).prompts("program")[1])
    assert told["critique"] == "the wrong thing"
    assert told["check"]["passed"] is True


def test_the_library_holds_sixteen_programs_and_retrieves_five():
    names = [f"p{n}" for n in range(LIBRARY + 4)]
    episode = play([program(DIRT, name=n) for n in names], most=LIBRARY + 4)
    agent = episode.agent
    assert isinstance(agent, VoyagerAgent)
    agent.act(episode.now)
    assert len(agent.library) == 16
    assert list(agent.library) == names[-16:]
    assert len(agent.retrieve(episode.now)) == 5


def test_a_stored_program_is_run_again_by_its_name():
    programs = [program(DIRT, name="dig"), {"reuse_skill": "dig"}]
    episode = play(programs, most=3)
    assert [a.args["block"] for a in episode.actions] == ["dirt"] * 3
    assert counts(episode)["reused"] == 2
    assert play({"reuse_skill": "never_seen"}, most=1).purposes[-1] == "fallback"


def test_the_most_relevant_program_comes_first():
    programs = [program(DIRT, name="a"), program(DIRT, name="cobblestone_for_stone_tools"), program(DIRT, name="b")]  # fmt: skip
    episode = play(programs, most=3)
    agent = episode.agent
    assert isinstance(agent, VoyagerAgent)
    agent.act(episode.now)
    assert agent.retrieve(episode.now)[0]["name"] == "cobblestone_for_stone_tools"


CHECKS = {
    "inventory_at_least": ({"item": "dirt", "count": 2}, {"item": "dirt", "count": 3}),
    "inventory_delta": ({"item": "dirt", "count": 2}, {"item": "dirt", "count": 3}),
    "progress_increase": (None, {}),
    "facility_available": (None, {"facility": "furnace"}),
    "target_visible": ({"target": "minecraft:stone"}, {"target": "ancient_debris"}),
    "position_change": ({"distance": 0}, {"distance": 1}),
    "action_result": ({}, None),
    "state_change": ({}, None),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_success_is_checked_in_the_states(kind: str):
    episode = play(program(do("mine", block="dirt", count=2)), most=1)
    agent = episode.agent
    assert isinstance(agent, VoyagerAgent)
    assert agent.run is not None
    agent.history.add(episode.now)
    trace = agent.history.transitions
    for expected, fields in zip((True, False), CHECKS[kind], strict=True):
        if fields is not None:
            body = agent.run.program | {"success": {"kind": kind, **fields}}
            run = Run(body, agent.run.start, list(trace))
            assert deterministic_check(run, episode.now)["passed"] is expected
    assert trace[0].last["skill"] == Action("mine").skill
