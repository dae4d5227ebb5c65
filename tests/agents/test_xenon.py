"""XENON: a graph that is bounded, without circles and corrected by outcomes; and proposals that are sent back."""

import json
from typing import Any

from asking import Episode, by_contract, call
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.agents.dependencies import NODES, DependencyGraph
from mirrorcraft.agents.xenon import XenonAgent

PLANKS = call("craft_grid", "oak_planks", station="inventory", grid=[["oak_log"]])
LOGS = call("mine", "oak_log", block="oak_log", count=4)
FAILS = call("mine", "obsidian", block="obsidian")


def node(item: str, *needs: str) -> dict[str, Any]:
    rows = [{"item": n, "count": 1} for n in needs]
    return {"item": item, "requirements": rows, "action_hint": "h"}


def graph(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"root": "story/mine_diamond", "nodes": list(nodes)}


def play(actions: Any, nodes: Any, most: int, suite: str = "vanilla") -> tuple[Episode, XenonAgent]:
    model = by_contract(nodes=nodes, skill=actions)
    episode = Episode("xenon", model, suite=suite).play(most)
    assert isinstance(episode.agent, XenonAgent)
    return episode, episode.agent


def field(prompt: str, label: str) -> Any:
    line = next(x for x in prompt.splitlines() if x.startswith(label + ": "))
    text = line.removeprefix(label + ": ")
    return None if text == "none" else json.loads(text)


ROUTE = graph(
    node("story/mine_diamond", "iron_pickaxe"), node("iron_pickaxe", "stick"), node("stick", "oak_planks"),
    node("oak_planks", "oak_log"),
)  # fmt: skip


def test_the_frontier_is_what_is_open_and_has_all_it_needs():
    episode, _ = play([LOGS, PLANKS, call("wait")], ROUTE, 3)
    frontiers = [field(p, "CURRENT_GRAPH_FRONTIER") for p in episode.prompts("action")]
    assert frontiers == [["oak_log"], ["oak_planks"], ["stick"]]


def test_the_graph_is_initialized_once_and_asked_for_again_if_unusable():
    episode, agent = play([call("wait")], ["no graph", ROUTE], 3)
    assert episode.purposes == ["initialize", "initialize", "action", "action", "action"]
    assert "no graph" in episode.prompts("initialize")[1]
    assert agent.graph is not None
    assert "stick" in agent.graph.nodes
    _, bare = play([call("wait")], "never a graph", 2)
    assert bare.graph is not None
    assert list(bare.graph.nodes) == ["story/mine_diamond"]


def test_the_graph_holds_at_most_thirty_two_nodes():
    _, agent = play([LOGS], graph(*(node(f"item_{n}") for n in range(60))), 2)
    assert agent.graph is not None
    assert len(agent.graph.nodes) == NODES == 32


def test_the_memory_holds_thirty_two_entries_and_retrieves_three():
    blocks = ["dirt", "gravel", "sand", "oak_log", "birch_log"]
    actions = [call("mine", f"aim_{n}", block=blocks[n % 5]) for n in range(40)]
    episode, agent = play(actions, ROUTE, 40)
    assert len(agent.memory) == 32
    shown = [field(p, "FAILURE_AWARE_ACTION_MEMORY") for p in episode.prompts("action")]
    assert max(len(rows) for rows in shown) == 3


def test_an_edge_that_an_outcome_contradicts_is_corrected():
    wrong = graph(node("story/mine_diamond", "oak_planks"), node("oak_planks", "iron_ingot"))
    _, agent = play([LOGS, PLANKS, call("wait")], wrong, 3)
    assert agent.graph is not None
    planks = agent.graph.nodes["oak_planks"]
    assert (planks.requirements, planks.verified) == ({"oak_log": 1}, True)
    assert agent.counts["corrections"] == 1


def test_an_edge_that_an_outcome_confirms_is_verified_and_not_counted():
    _, agent = play([LOGS, PLANKS, call("wait")], ROUTE, 3)
    assert agent.graph is not None
    assert agent.graph.nodes["oak_planks"].verified
    assert agent.counts["corrections"] == 0


def test_an_action_that_gave_something_else_marks_its_subgoal_for_revision():
    """M05: the furnace recipe gives a blast furnace."""
    table = call("craft_grid", "crafting_table", station="inventory", grid=[["oak_planks"] * 2] * 2)
    sticks = call("craft_grid", "stick", station="inventory", grid=[["oak_planks"], ["oak_planks"]])
    pickaxe = [["oak_planks"] * 3, [None, "stick", None], [None, "stick", None]]
    ring = [["cobblestone"] * 3, ["cobblestone", None, "cobblestone"], ["cobblestone"] * 3]
    actions = [
        LOGS, PLANKS, PLANKS, PLANKS, table, sticks, call("place", "crafting_table", block="crafting_table"),
        call("craft_grid", "wooden_pickaxe", station="crafting_table", grid=pickaxe),
        call("mine", "cobblestone", block="stone", count=4), call("mine", "cobblestone", block="stone", count=4),
        call("craft_grid", "furnace", station="crafting_table", grid=ring), call("wait"),
    ]  # fmt: skip
    _, agent = play(actions, graph(node("furnace", "cobblestone")), 12, "M05")
    assert agent.graph is not None
    assert agent.graph.nodes["furnace"].revision_needed
    assert agent.graph.nodes["blast_furnace"].verified
    assert agent.graph.nodes["blast_furnace"].requirements == {"cobblestone": 8}


def test_after_two_failures_a_node_leaves_the_frontier_until_something_is_gained():
    two = graph(node("story/mine_diamond", "obsidian", "dirt"))
    actions = [FAILS, call("mine", "obsidian", block="diamond_ore"), call("wait"), call("mine", "dirt", block="dirt"), call("wait")]  # fmt: skip
    episode, agent = play(actions, two, 5)
    frontiers = [field(p, "CURRENT_GRAPH_FRONTIER") for p in episode.prompts("action")
    ]  # fmt: skip
    assert frontiers[:4] == [["obsidian", "dirt"], ["obsidian", "dirt"], ["dirt"], ["dirt"]]
    assert frontiers[-1] == ["obsidian"]
    assert agent.counts["replans"] == 1


def test_a_proposal_that_failed_for_its_subgoal_is_sent_back_twice_at_most():
    episode, agent = play([FAILS], ROUTE, 2)
    rejected = [field(p, "REJECTED_XENON_PROPOSAL") for p in episode.prompts("action")]
    assert [r and r["args"] for r in rejected] == [None, None, {"block": "obsidian"}, {"block": "obsidian"}]  # fmt: skip
    assert agent.counts["rejections"] == 2
    assert len(episode.actions) == 2


def test_another_proposal_is_taken_at_once():
    episode, agent = play([FAILS, FAILS, call("wait")], ROUTE, 2)
    assert [a.skill for a in episode.actions] == ["mine", "wait"]
    assert agent.counts["rejections"] == 1


NAMES = st.sampled_from([f"item_{n}" for n in range(8)])
ROWS = st.fixed_dictionaries(
    {"item": NAMES, "requirements": st.lists(st.fixed_dictionaries({"item": NAMES, "count": st.integers(-5, 99)}) | st.integers(), max_size=4)}
) | st.integers()  # fmt: skip


@given(st.lists(ROWS, max_size=40))
def test_no_graph_has_a_circle_whatever_was_given(rows: list[Any]):
    built = DependencyGraph("item_0", rows)
    done: set[str] = set()
    for _ in built.nodes:
        done |= {i for i, n in built.nodes.items() if all(r in done or r not in built.nodes for r in n.requirements)}  # fmt: skip
    assert done == set(built.nodes)
    assert all(n > 0 for node in built.nodes.values() for n in node.requirements.values())
    frontier = built.frontier(lambda item, n: False)
    assert all(not built.nodes[i].requirements for i in frontier if i in built.nodes)
