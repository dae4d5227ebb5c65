"""ADAM: a bounded causal graph, discovery from comparable samples, and probes within their limits."""

import json
from dataclasses import replace
from typing import Any

import pytest
from asking import Episode, by_contract, call

from mirrorcraft.agents.adam import AdamAgent
from mirrorcraft.agents.causes import NODES, CausalGraph
from mirrorcraft.core.outcome import Ending

PLANKS = call("craft_grid", station="inventory", grid=[["oak_log"]])
STICKS = call("craft_grid", station="inventory", grid=[["oak_planks"], ["oak_planks"]])
TABLE = call("craft_grid", station="inventory", grid=[["oak_planks"] * 2] * 2)
PICKAXE = [["oak_planks"] * 3, [None, "stick", None], [None, "stick", None]]
TOO_MUCH = call("craft_grid", station="crafting_table", grid=[["oak_planks"] * 3] * 3)
FAILS = call("mine", block="obsidian")
NO_PLAN = {"subgoals": []}
# Up to here: two comparable samples of sticks, one of a pickaxe, and two failures in a row for want of planks.
STUCK = [
    call("mine", block="oak_log", count=4), PLANKS, PLANKS, PLANKS, PLANKS, STICKS, TABLE,
    call("place", block="crafting_table"), call("craft_grid", station="crafting_table", grid=PICKAXE), STICKS,
    TOO_MUCH, TOO_MUCH,
]  # fmt: skip


def play(
    actions: Any, most: int, plan: Any = NO_PLAN, budget: int = 50, **kinds: Any
) -> tuple[Episode, AdamAgent]:
    model = by_contract(subgoals=plan, skill=actions, **kinds)
    episode = Episode("adam", model, budget=budget).play(most)
    assert isinstance(episode.agent, AdamAgent)
    return episode, episode.agent


def test_two_comparable_samples_call_for_discovery():
    episode, agent = play([call("mine", block="dirt"), call("mine", block="dirt"), call("wait")], 4)
    assert agent.counts["discoveries"] == 1
    purposes = [p for p in episode.purposes if p != "plan"]
    assert purposes.index("discovery") == 2
    assert '"sample_key":"mine(block=\\"dirt\\")"' in episode.prompts("discovery")[0]


def test_failures_and_single_samples_call_for_none():
    _, agent = play([FAILS, FAILS, call("mine", block="dirt"), call("wait")], 5)
    assert agent.counts["discoveries"] == 0


@pytest.mark.parametrize(
    "edge",
    [
        {"sample_key": "made up", "causes": [{"type": "item", "name": "x", "count": 1}], "effects": [{"type": "item", "name": "dirt"}]},
        {"sample_key": 'mine(block="dirt")', "causes": [{"type": "item", "name": "x", "count": 1}], "effects": [{"type": "item", "name": "diamond"}]},
        {"sample_key": 'mine(block="dirt")', "causes": [], "effects": [{"type": "item", "name": "dirt"}]},
        {"sample_key": 'mine(block="dirt")', "causes": [{"type": "magic", "name": "x"}], "effects": [{"type": "item", "name": "dirt"}]},
        {"sample_key": 'mine(block="dirt")', "causes": "x", "effects": []},
        7,
    ],
)  # fmt: skip
def test_an_edge_that_no_sample_supports_is_left_out(edge: Any):
    dirt = call("mine", block="dirt")
    _, agent = play([dirt, dirt, call("wait")], 4, sample_key={"edges": [edge]})
    assert agent.graph.edges == {}
    assert agent.counts["discoveries"] == 1


def test_the_graph_holds_at_most_forty_eight_nodes():
    dirt = call("mine", block="dirt")
    key = 'mine(block="dirt")'
    fits = {"sample_key": key, "causes": [{"type": "item", "name": f"c{n}"} for n in range(47)], "effects": [{"type": "item", "name": "dirt"}]}  # fmt: skip
    _, agent = play([dirt, dirt, call("wait")], 4, sample_key={"edges": [fits]})
    assert len(agent.graph.nodes()) == NODES == 48
    many = {**fits, "causes": [*fits["causes"], {"type": "item", "name": "c47"}]}
    _, agent = play([dirt, dirt, call("wait")], 4, sample_key={"edges": [many]})
    assert agent.graph.nodes() == set()


def test_the_memory_holds_thirty_two_entries():
    _, agent = play([call("wait")], 41)
    assert len(agent.memory) == 32
    assert [m["step"] for m in agent.memory] == list(range(9, 41))


def test_an_uncertain_factor_is_probed_when_progress_is_blocked():
    episode, agent = play([*STUCK, call("wait")], 14)
    grids = [a.args["grid"] for a in episode.actions[12:14]]
    assert grids == [
        [[None] * 3, [None, "stick", None], [None, "stick", None]],
        [["oak_planks"] * 3, [None] * 3, [None] * 3],
    ]
    assert episode.now.budget["used"] == 14  # a probe costs what any action costs
    agent.act(episode.now)
    key = next(k for k, e in agent.graph.edges.items() if ("item", "wooden_pickaxe") in e.effects)
    statuses = {n: c["status"] for (t, n), c in agent.graph.edges[key].causes.items()}
    assert statuses == {"oak_planks": "verified", "stick": "verified", "crafting_table": "hypothesized"}  # fmt: skip


def test_a_probe_that_could_not_be_run_decides_nothing():
    episode, agent = play([*STUCK, call("wait")], 13)
    last = {**(episode.now.last or {}), "ok": False, "reason": "station_unreachable"}
    agent.act(replace(episode.now, last=last))
    statuses = {c["status"] for edge in agent.graph.edges.values() for c in edge.causes.values()}
    assert statuses == {"hypothesized"}
    assert len(agent.probes) == 2


def test_there_are_at_most_two_probes_an_episode():
    episode, agent = play([*STUCK, TOO_MUCH], 30)
    assert len(agent.probes) == 2
    assert len(episode.actions) == 30


def test_there_are_no_probes_in_the_last_twelve_actions():
    _, agent = play([*STUCK, TOO_MUCH], 24, budget=12 + 12)
    assert agent.probes == []
    _, agent = play([*STUCK, TOO_MUCH], 24, budget=12 + 13)
    assert len(agent.probes) == 1


def test_without_a_blockage_nothing_is_probed():
    _, agent = play([*STUCK[:-2], call("mine", block="dirt"), call("wait")], 12)
    assert agent.graph.edges
    assert agent.probes == []


def test_a_factor_without_which_the_effect_comes_all_the_same_is_rejected():
    graph = CausalGraph()
    _, agent = play([*STUCK, call("wait")], 13)
    graph = agent.graph
    key, edge = next((k, e) for k, e in graph.edges.items() if ("item", "stick") in e.effects)
    graph.decide(key, "oak_planks", needed=False)
    assert edge.causes["item", "oak_planks"]["status"] == "rejected"
    causes = [{"type": "item", "name": "oak_planks", "count": 2}]
    row = {"sample_key": key, "causes": causes, "effects": [{"type": "item", "name": "stick"}]}
    assert graph.propose([row]) == 1
    assert graph.edges[key].causes["item", "oak_planks"]["status"] == "rejected"


def test_a_plan_has_at_most_eight_subgoals_and_is_ticked_off():
    targets = ["oak_log", *(f"item_{n}" for n in range(10))]
    plan = {"subgoals": [{"target": t, "reason": "r"} for t in targets]}
    episode, agent = play([call("mine", block="oak_log"), call("wait")], 2, plan)
    assert [e["target"] for e in agent.plan] == targets[:8]
    assert [e["completed"] for e in agent.plan] == [True] + [False] * 7
    assert episode.purposes == ["plan", "action", "action"]


def test_a_plan_is_made_anew_after_two_failures_or_when_all_is_done():
    plan = {"subgoals": [{"target": "diamond", "reason": "r"}]}
    episode, _ = play([FAILS], 3, plan)
    assert [p for p in episode.purposes if p != "action"] == ["plan", "plan"]
    done = {"subgoals": [{"target": "oak_log", "reason": "r"}]}
    episode, _ = play([call("mine", block="oak_log"), call("wait")], 2, [done, plan])
    assert episode.purposes == ["plan", "action", "plan", "action"]


def test_an_unusable_plan_is_asked_for_again_and_then_left_out():
    episode, agent = play([call("wait")], 1, "no plan")
    assert episode.purposes == ["plan", "plan", "action"]
    assert "no plan" in episode.prompts("plan")[1]
    assert agent.plan == []


def test_what_failed_twice_is_sent_back_twice_at_most():
    episode, agent = play([FAILS], 3, {"subgoals": [{"target": "diamond", "reason": "r"}]})
    assert agent.counts["rejections"] == 2
    assert len(episode.actions) == 3
    rejected = [p for p in episode.prompts("action") if "REJECTED_ADAM_ACTION: none" not in p]
    assert len(rejected) == 2
    assert "nothing changed since" in rejected[0]


def test_an_unreadable_action_is_asked_again_and_then_in_the_fallback():
    episode, _ = play(["?", "?", call("wait")], 1)
    assert episode.purposes == ["plan", "action", "action repair", "action fallback"]
    assert "invalid_action_json" in episode.prompts("action repair")[0]
    assert "structured_actor_failed" in episode.prompts("action fallback")[0]


def test_unreadable_actions_in_a_row_end_the_episode():
    episode, agent = play("?", 5)
    assert episode.ending == Ending.NO_ACTION
    assert episode.purposes == ["plan", *["action", "action repair", "action fallback"] * 3]
    assert agent.summary()["invalid"] == 3
    assert json.dumps(agent.trajectory())
