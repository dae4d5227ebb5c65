"""The laboratory and its MCP server."""

import asyncio
import json
import sys

import pytest

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.blocks import id_of, properties
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.laboratory import Laboratory, place
from mirrorcraft.tracks.circuits.tasks import CircuitTask


def lab(task="A_L1", rules=None):
    return Laboratory(CircuitTask.load(task), rules)


def wired():
    """A button on a stone, one dust, one lamp."""
    made = lab()
    for x, y, z, name in [
        (0, 4, 0, "stone"),
        (0, 5, 0, "stone_button"),
        (1, 4, 0, "redstone_wire"),
        (2, 4, 0, "redstone_lamp"),
    ]:
        made.set_block(x, y, z, f"minecraft:{name}")
    return made


def test_a_press_tells_raw_changes_and_no_verdict():
    told = wired().activate_button()
    assert set(told) == {"trial", "trials_left", "pressed_at", "events"}
    lamp = [e for e in told["events"] if e["pos"] == [2, 4, 0]]
    assert [(e["tick"] - told["pressed_at"], e["to"]) for e in lamp] == [
        (0, "lit=true"),
        (24, "lit=false"),
    ]
    assert (told["trial"], told["trials_left"]) == (1, 49)


def test_the_event_stream_goes_on_from_a_tick():
    made = wired()
    first, second = made.activate_button(), made.activate_button()
    stream = made.get_event_stream(since_tick=second["pressed_at"])
    assert stream == second["events"]
    assert len(made.get_event_stream(limit=3)) == 3
    assert second["pressed_at"] >= first["pressed_at"] + 60


def test_a_state_is_told_in_the_games_words():
    made = wired()
    assert made.get_block_state(1, 4, 0) == {
        "block": "minecraft:redstone_wire",
        "properties": {
            "north": "side",
            "south": "side",
            "west": "side",
            "east": "side",
            "power": "0",
        },
    }
    made.set_block(1, 4, 1, "redstone_repeater", {"facing": "north", "delay": 2})
    state = made.get_block_state(1, 4, 1)
    assert state["block"] == "minecraft:repeater"
    assert state["properties"] == {
        "facing": "north",
        "delay": "2",
        "powered": "false",
        "locked": "false",
    }


def test_a_lit_torch_lights_the_lamp_beside_it_without_a_press():
    made = lab()
    made.set_block(0, 4, 0, "redstone_torch")
    made.set_block(1, 4, 0, "redstone_lamp")
    assert made.get_block_state(1, 4, 0)["properties"] == {"lit": "true"}
    made.set_block(0, 4, 0, "air")
    assert made.get_block_state(1, 4, 0)["properties"] == {"lit": "false"}
    assert [e["to"] for e in made.get_event_stream()] == ["lit=true", "lit=false"]


def test_what_loses_its_support_falls_off():
    made = wired()
    assert made.set_block(0, 4, 0, "air")["fell"] == [[0, 5, 0]]
    assert made.get_block_state(0, 5, 0)["block"] == "minecraft:air"


def test_dust_is_a_cross_from_the_hand_and_a_dot_on_demand():
    made = lab()
    made.set_block(1, 4, 0, "redstone_wire", mode="dot")
    sides = {"north": "none", "south": "none", "west": "none", "east": "none"}
    assert made.get_block_state(1, 4, 0)["properties"] == {**sides, "power": "0"}
    made.set_block(2, 4, 0, "redstone_wire")
    made.set_block(2, 4, 0, "air")  # it has joined once, so it is a cross now
    assert made.get_block_state(1, 4, 0)["properties"]["north"] == "side"


def test_the_scan_lists_what_is_near():
    made = wired()
    assert [e["pos"] for e in made.scan_redstone_area()] == [
        [0, 4, 0],
        [0, 5, 0],
        [1, 4, 0],
        [2, 4, 0],
    ]
    assert [e["pos"] for e in made.scan_redstone_area([2, 4, 0], 0)] == [[2, 4, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.set_block(11, 4, 0, "stone"), "a cell of x -10..10"),
        (lambda m: m.set_block(0, 3, 0, "stone"), r"y 4\.\.14"),
        (lambda m: m.set_block(0, 15, 0, "stone"), "a cell of"),
        (lambda m: m.set_block(0.5, 4, 0, "stone"), "three integers"),
        (lambda m: m.set_block(True, 4, 0, "stone"), "three integers"),
        (lambda m: m.set_block(5, 4, 0, "piston"), "palette"),
        (lambda m: m.set_block(5, 4, 0, "redstone_lmap"), "did you mean redstone_lamp"),
        (lambda m: m.set_block(5, 4, 0, "repeater", {"delay": 5}), "one of 1, 2, 3, 4"),
        (lambda m: m.set_block(5, 4, 0, "repeater", {"facing": "up"}), "facing"),
        (lambda m: m.set_block(5, 4, 0, "repeater", {"dealy": 1}), "did you mean delay"),
        (lambda m: m.set_block(5, 4, 0, "repeater", {"delay": [1]}), "text, number or boolean"),
        (lambda m: m.set_block(5, 4, 0, "repeater", "delay=1"), "an object"),
        (lambda m: m.set_block(5, 4, 0, "stone", mode="cross"), "player, dot"),
        (lambda m: m.set_block(5, 9, 0, "redstone_wire"), "a solid block under it"),
        (lambda m: m.set_block(5, 4, 0, "redstone_wall_torch"), "where it hangs"),
        (lambda m: m.get_block_state(0, 99, 0), "a cell of"),
        (lambda m: m.get_event_stream(since_tick=-1), "since_tick"),
        (lambda m: m.get_event_stream(limit=0), "limit"),
        (lambda m: m.scan_redstone_area(radius=11), "radius"),
        (lambda m: m.scan_redstone_area([0, 4]), "three integers"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(call, message):
    made = wired()
    before = made.build(), made.trials, made.edits
    with pytest.raises(InputError, match=message):
        call(made)
    assert (made.build(), made.trials, made.edits) == before


def test_a_press_without_a_button_or_with_two_costs_nothing():
    made = lab()
    with pytest.raises(InputError, match="exactly one stone_button"):
        made.activate_button()
    made.set_block(0, 4, 0, "stone_button")
    made.set_block(2, 4, 0, "stone_button")
    with pytest.raises(InputError, match=r"\[2, 4, 0\]"):
        made.activate_button()
    assert made.trials == 0


def test_the_budget_ends_presses_and_nothing_else():
    made = wired()
    for _ in range(50):
        made.activate_button()
    with pytest.raises(InputError, match="50 presses at most"):
        made.activate_button()
    assert made.trials == 50
    made.set_block(5, 4, 5, "stone")
    made.reset()
    assert made.trials_left == 0


@pytest.mark.parametrize("name", ["C_L5", "D_L5", "E_L4"])
def test_a_build_is_the_same_placed_block_by_block(name):
    task = CircuitTask.load(name)
    made = Laboratory(task)
    place(made, solve(task))
    told = made.activate_button()
    assert judge(task, made.build()).passed
    assert len(told["events"]) > task.lamps


# Over MCP.

TOOLS = {
    "get-block-state",
    "get-event-stream",
    "scan-redstone-area",
    "set-block",
    "activate-button",
}


async def built_over_mcp(mcp, task, saved):
    """Build and press the reference of a task over MCP, with the SDK's own client; return what it was told."""
    arguments = ["-m", "mirrorcraft.cli", "circuits", "serve", task.task_id, "--save", str(saved)]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments)
    async with mcp.Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        made = solve(task)
        for pos in made.placing_order():
            block = made.blocks[pos]
            args = dict(zip("xyz", pos, strict=True)) | {"block": id_of(block)}
            told = await client.call_tool("set-block", args | {"properties": properties(block)})
            assert not told.is_error, told
        refused = await client.call_tool("set-block", {"x": 99, "y": 4, "z": 0, "block": "stone"})
        pressed = await client.call_tool("activate-button", {})
        state = await client.call_tool(
            "get-block-state", dict(zip("xyz", made.button, strict=True))
        )
        stream = await client.call_tool("get-event-stream", {"since_tick": 0, "limit": 5})
        scan = await client.call_tool("scan-redstone-area", {})
        return (
            tools,
            refused,
            [json.loads(t.content[0].text) for t in (pressed, state)],
            stream,
            scan,
        )


def test_the_first_task_of_each_family_is_built_and_pressed_over_mcp(tmp_path):
    mcp = pytest.importorskip("mcp", reason="the extra circuits is not installed")
    tasks = [CircuitTask.load(f"{family}_L1") for family in "ABCDE"]

    async def sessions():  # side by side: most of the time is five programs starting
        saved = [tmp_path / f"{task.task_id}.json" for task in tasks]
        pairs = zip(tasks, saved, strict=True)
        return await asyncio.gather(*(built_over_mcp(mcp, *pair) for pair in pairs))

    for task, told in zip(tasks, asyncio.run(sessions()), strict=True):
        tools, refused, (pressed, state), stream, scan = told
        assert tools == TOOLS
        assert refused.is_error
        assert "x -10..10" in refused.content[0].text
        assert (pressed["trial"], state["block"]) == (1, "minecraft:stone_button")
        assert not stream.is_error
        assert not scan.is_error
        assert "passed" not in json.dumps(pressed)
        assert judge(task, Build.load(tmp_path / f"{task.task_id}.json")).passed
