"""The laboratory, its MCP server, its agents and their numbers."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from oracle import SHARED

from mirrorcraft.agents.model import ScriptedModel
from mirrorcraft.cli import main
from mirrorcraft.core.errors import InputError, ManifestError
from mirrorcraft.tracks.circuits import metrics, physics, pictures, protocol
from mirrorcraft.tracks.circuits.agents import AGENTS, Help, make_agent
from mirrorcraft.tracks.circuits.blocks import id_of, properties
from mirrorcraft.tracks.circuits.book import FORMATS, PARTS, Book, Report
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.check import judge
from mirrorcraft.tracks.circuits.engineer import ModelEngineer
from mirrorcraft.tracks.circuits.laboratory import Laboratory, place
from mirrorcraft.tracks.circuits.measure import measure
from mirrorcraft.tracks.circuits.physics import Physics, physics_for
from mirrorcraft.tracks.circuits.tasks import CircuitTask, names

GOLDEN = Path(__file__).parents[2] / "golden" / "redstone"
PUBLISHED = SHARED / "spec" / "scicrafter" / "published_tables.json"


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


@pytest.mark.parametrize("family", "ABCDE")
def test_the_first_task_of_each_family_is_built_and_pressed_over_mcp(family, tmp_path):
    mcp = pytest.importorskip("mcp", reason="the extra circuits is not installed")
    saved, name = tmp_path / "build.json", f"{family}_L1"
    arguments = ["-m", "mirrorcraft.cli", "circuits", "serve", name, "--save", str(saved)]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments)
    task = CircuitTask.load(name)

    async def session():
        async with mcp.Client(server) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            made = solve(task)
            solid = {"stone", "glass", "redstone_lamp"}
            for pos in sorted(made.blocks, key=lambda p: (id_of(made.blocks[p]) not in solid, p)):
                block = made.blocks[pos]
                args = dict(zip("xyz", pos, strict=True)) | {"block": id_of(block)}
                told = await client.call_tool("set-block", args | {"properties": properties(block)})
                assert not told.is_error, told
            refused = await client.call_tool(
                "set-block", {"x": 99, "y": 4, "z": 0, "block": "stone"}
            )
            pressed = await client.call_tool("activate-button", {})
            scan = await client.call_tool("scan-redstone-area", {})
            return tools, refused, pressed, scan

    tools, refused, pressed, scan = asyncio.run(session())
    assert tools == {
        "get-block-state",
        "get-event-stream",
        "scan-redstone-area",
        "set-block",
        "activate-button",
    }
    assert refused.is_error
    assert "x -10..10" in refused.content[0].text
    assert json.loads(pressed.content[0].text)["trial"] == 1
    assert len(scan.content) > 0
    from mirrorcraft.tracks.circuits.build import Build

    assert judge(task, Build.load(saved)).passed


# Agents and the protocol.


def played(
    agent, suite="vanilla", conditions=("baseline", "hint", "scientist", "both"), tasks=None
):
    chosen = [CircuitTask.load(name) for name in tasks or names()]
    cases = [protocol.condition(name) for name in conditions]
    return list(protocol.play(agent, AGENTS[agent], chosen, cases, runs=1, suite=suite))


def test_the_builder_is_the_ceiling_and_chance_the_floor():
    assert metrics.success(played("builder")) == 100.0
    assert metrics.success(played("random")) == 0.0
    assert 0 < (metrics.success(played("prior")) or 0) < 50


def test_equal_seeds_play_equally():
    assert played("random", tasks=["A_L1"]) == played("random", tasks=["A_L1"])


@pytest.mark.parametrize("suite", physics.suites())
def test_changed_rules_hurt_who_does_not_know_them_and_an_experiment_helps(suite):
    rigid = played("builder", suite, ["baseline"])
    vanilla = played("builder", conditions=["baseline"])
    assert (metrics.intervention_effect([*vanilla, *rigid], suite) or 0) > 0
    rates = {
        name: metrics.success(group)
        for name, group in metrics.by(played("experimenter", suite), lambda r: r.condition).items()
    }
    gap = metrics.gaps(rates)
    assert gap is not None
    assert gap.discovery > 0
    assert gap.identification == 0


@pytest.mark.parametrize("suite", physics.suites())
def test_measuring_finds_the_physics(suite):
    made, book = lab(rules=physics_for(suite)), Book()
    measure(made, book)
    truth = physics_for(suite)
    assert made.trials == 12
    for name in ("dust_decay", "button_gt", "repeater_gt", "lamp_off_gt", "torch_gt"):
        assert book.values[name] == getattr(truth, name)
    assert set(book.values["conductors"]) == set(truth.conductors)
    assert len(book.reports) == len(book.entries) == 8


@pytest.mark.parametrize("format", FORMATS)
def test_findings_are_kept_in_every_format(format):
    book = Book(format)
    measure(lab(), book)
    assert all(tuple(entry) == FORMATS[format] for entry in book.entries.values())
    assert "20" in str(book.entries["button_gt"])


def test_a_report_has_its_parts_and_three_trials():
    parts: dict[str, str] = {part: "text" for part in PARTS}
    rows = [{"condition": "c", "observed": "o", "matches": "yes"}] * 3
    text = Report(parts, rows).text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {i}. {part}" for i, part in enumerate(PARTS, 1)
    ]
    with pytest.raises(InputError, match="3 trials"):
        Report(parts, rows[:2])
    with pytest.raises(InputError, match="Hypothesis"):
        Report(parts | {"Hypothesis": " "}, rows)


def calls(*pairs):
    return json.dumps([{"tool": tool, "args": args} for tool, args in pairs])


def build_calls(task):
    made = solve(task)
    solid = {"stone", "glass", "redstone_lamp"}
    order = sorted(made.blocks, key=lambda p: (id_of(made.blocks[p]) not in solid, p))
    return calls(
        *(
            (
                "set-block",
                dict(zip("xyz", p, strict=True))
                | {"block": id_of(made.blocks[p]), "properties": properties(made.blocks[p])},
            )
            for p in order
        )
    )


def test_a_model_builds_asks_a_scientist_and_is_told_no_verdict():
    task = CircuitTask.load("A_L1")
    report = {"parts": dict.fromkeys(PARTS, "text"), "record": [{"condition": "c"}] * 3}
    bench = calls(
        ("set-block", {"x": 0, "y": 4, "z": 0, "block": "stone_button"}),
        ("activate-button", {}),
        ("activate-button", {}),
        ("activate-button", {}),
    )
    entry = {
        "title": "button",
        "fields": dict.fromkeys(FORMATS["claim-proof-constraints-example"], "20 gt"),
    }
    model = ScriptedModel(
        [
            "Let me think.",
            calls(("ask-scientist", {"question": "How long is a button pressed?"})),
            bench,
            calls(("report", report)),
            json.dumps(entry),
            build_calls(task),
            calls(("activate-button", {}), ("no-such-tool", {}), ("set-block", {"a": 1})),
            calls(("done", {})),
        ]
    )
    help = Help(hint="signal path", scientist=True)
    made, found = protocol.attempt(task, ModelEngineer(model), help, 0, Physics())
    assert found["passed"]
    assert (found["trials"], found["scientist_trials"], found["rebuilds"]) == (4, 3, 0)
    assert found["tokens"] > 0
    assert help.book.entries["button"]["Claim"] == "20 gt"
    told = "\n".join(m["content"] for m in model.asked[-1])
    assert "signal path" in told
    assert "expected one of" in told or "one of get-block-state" in told
    assert "set-block takes" in told
    assert "passed" not in told
    assert len(made.build().blocks) == len(solve(task).blocks)


def test_rebuilds_are_presses_after_changes():
    task = CircuitTask.load("A_L1")
    press = ("activate-button", {})
    edit = ("set-block", {"x": 9, "y": 4, "z": 9, "block": "stone"})
    model = ScriptedModel(
        [build_calls(task), calls(press, press, edit, press), calls(("done", {}))]
    )
    _, found = protocol.attempt(task, ModelEngineer(model), Help(), 0, Physics())
    assert (found["trials"], found["rebuilds"]) == (3, 1)


def test_a_curriculum_remembers_and_an_independent_run_does_not():
    prompts = {}
    tasks = [CircuitTask.load("A_L1"), CircuitTask.load("A_L2")]
    for curriculum in (True, False):
        model = ScriptedModel(lambda messages: calls(("done", {})))
        case = [protocol.condition("baseline")]
        list(
            protocol.play(
                "m", lambda m=model: ModelEngineer(m), tasks, case, runs=1, curriculum=curriculum
            )
        )
        prompts[curriculum] = model.asked[-1][0]["content"]
    assert "Earlier tasks" in prompts[True]
    assert "Earlier tasks" not in prompts[False]


# Numbers.


def test_the_published_gaps_are_recomputed():
    if not PUBLISHED.is_file():
        pytest.skip("the published tables are not beside the project")
    for told in json.loads(PUBLISHED.read_text())["gap_table"].values():
        rates = {
            "baseline": told["baseline"],
            "hint": told["with_hint"],
            "both": told["with_hint_scientist"],
        }
        gap = metrics.gaps(rates)
        assert gap is not None
        assert gap.identification == pytest.approx(told["delta_id"])
        assert gap.discovery == pytest.approx(told["delta_ds"])
        assert gap.application == pytest.approx(told["delta_app"])
        assert gap.baseline + gap.identification + gap.discovery + gap.application == pytest.approx(
            100
        )
        ratios = gap.ratios()
        found = [ratios[name] for name in ("identification", "discovery", "application")]
        assert found == pytest.approx(told["ratios_id_ds_app"], abs=0.0051)


def test_the_published_levels_average_to_the_published_rates():
    if not PUBLISHED.is_file():
        pytest.skip("the published tables are not beside the project")
    told = json.loads(PUBLISHED.read_text())
    means = {name: sum(row) / 5 for name, row in told["per_level_gemini"].items()}
    consolidation = told["consolidation_gemini"]
    gap = metrics.gaps(
        {
            "baseline": means["baseline"],
            "hint": means["hint"],
            "both": means["hint+scientist"],
            "both-default": consolidation["self_determined"],
        }
    )
    assert gap is not None
    assert gap == pytest.approx(metrics.Gaps(26.0, 26.5, 11.5, 6.0, 36.0))
    assert gap.ratios()["consolidation"] == pytest.approx(0.23, abs=0.005)


def test_a_gap_needs_its_conditions_and_a_ratio_its_baseline():
    assert metrics.gaps({"baseline": 10.0, "hint": 20.0}) is None
    gap = metrics.gaps({"baseline": 0.0, "hint": 20.0, "both": 30.0})
    assert gap is not None
    assert gap.ratios()["identification"] is None


def test_records_survive_being_written(tmp_path):
    records = played("prior", tasks=["A_L1", "C_L1"])
    protocol.write(tmp_path / "r.jsonl", records)
    assert protocol.read(tmp_path / "r.jsonl") == records
    (tmp_path / "bad.jsonl").write_text('{"agent": 1}\n')
    with pytest.raises(InputError, match="line 1"):
        protocol.read(tmp_path / "bad.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "mirror"}, "kind"),
        ({"changes": []}, "changes"),
        ({"changes": [{"id": "a", "rule": "gravity", "value": 2}]}, "changes"),
        ({"changes": [{"id": "a", "rule": "dust_decay", "value": 16}]}, "1 to 15"),
        ({"changes": [{"id": "a", "rule": "dust_decay", "value": 1}]}, "unlike the game's"),
        ({"changes": [{"id": "a", "rule": "torch_gt", "value": n} for n in (3, 4)]}, "once"),
        ({"changes": [{"id": "a", "rule": "conductors", "value": ["dirt"]}]}, "changes"),
    ],
)
def test_a_malformed_manifest_says_where_and_what(change, message):
    good = {
        "schema_version": "1.0",
        "kind": "redstone",
        "id": "X",
        "title": "x",
        "game_version": "1.19",
        "changes": [{"id": "a", "rule": "dust_decay", "value": 3}],
    }
    assert physics.checked(good, "x").physics().dust_decay == 3
    with pytest.raises(ManifestError, match=message):
        physics.checked({**good, **change}, "x")


def test_a_rule_sheet_has_a_sentence_for_each_change():
    for suite in physics.suites():
        changes = physics.RedstoneManifest.load(suite).changes
        assert len(physics.describe(physics_for(suite))) == len(changes)
    assert physics.describe(Physics()) == []


# Pictures and the command line.


def test_a_picture_shows_what_is_lit_at_a_tick():
    task = CircuitTask.load("C_L2")
    build = solve(task)
    for tick, lit in ((0, 1), (2, 2), (20, 8), (60, 0)):
        assert f"tick {tick}: {lit} lamps lit" in pictures.picture(build, tick)


def test_a_replay_has_a_frame_for_every_tick_that_changes_something():
    task = CircuitTask.load("C_L1")
    page = pictures.replay(solve(task), task)
    assert page.count('class="frame"') > 8
    assert page.count('stroke="#2a7"') == task.lamps


def run(capsys, *arguments):
    code = main(["circuits", *map(str, arguments)])
    return code, capsys.readouterr()


def test_the_command_line_traces_as_the_engine_did(capsys):
    told = json.loads((GOLDEN / "repeater_chain_1234.json").read_text())["mctick"]
    code, out = run(capsys, "trace", GOLDEN / "repeater_chain_1234.json", "--json")
    found = json.loads(out.out)
    assert (code, found["lamps"], found["dust"]) == (0, told["lamps"], told["dust"])


def test_the_command_line_checks_and_says_why(capsys):
    code, out = run(capsys, "check", GOLDEN / "solution_A_L1.json", "--task", "A_L1", "--json")
    assert (code, json.loads(out.out)["passed"]) == (0, True)
    code, out = run(capsys, "check", GOLDEN / "ring.json", "--task", "A_L3", "--json")
    told = json.loads(out.out)
    assert (code, told["passed"]) == (1, False)
    assert "16 of 16 lamps are never lit" in told["why"]


def test_the_command_line_solves_and_draws(capsys, tmp_path):
    code, out = run(capsys, "solve", "C", "L1", "--show")
    assert code == 0
    assert "#+>+>+>+" in out.out
    code, out = run(capsys, "solve", "A", "L2", "--json")
    (tmp_path / "b.json").write_text(out.out)
    assert run(capsys, "check", tmp_path / "b.json", "--task", "A_L2")[0] == 0
    for suffix in ("svg", "html"):
        made = tmp_path / f"b.{suffix}"
        assert run(capsys, "picture", tmp_path / "b.json", "--out", made)[0] == 0
        assert made.stat().st_size > 1000
    assert run(capsys, "picture", tmp_path / "b.json", "--out", "b.png")[0] == 2
    assert run(capsys, "solve", "F", "L1")[0] == 2


def test_the_command_line_plays_and_reports(capsys, tmp_path):
    out = tmp_path / "r.jsonl"
    code, first = run(capsys, "run", "prior", "--runs", 1, "--out", out, "--json")
    assert code == 0
    assert run(capsys, "gaps", out, "--json")[1].out == first.out
    assert run(capsys, "run", "nobody", "--runs", 1)[0] == 2


def test_an_unknown_agent_condition_or_format_is_refused():
    for call in (
        lambda: make_agent("x"),
        lambda: protocol.condition("x"),
        lambda: protocol.condition("both", "x"),
        lambda: Book("x"),
    ):
        with pytest.raises(InputError, match="one of"):
            call()
