"""What agents are told of their past: from observations alone, and only as long as it holds."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.agents.blocked import missing
from mirrorcraft.agents.history import EFFECTS, History, operation
from mirrorcraft.agents.prior import capabilities, recipe_hypotheses
from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.study.plan import rules_for
from mirrorcraft.testing.toy import ToyBackend

VANILLA = Rulebook.vanilla()
PLANKS = {"station": "inventory", "grid": [["oak_log"]], "count": 1}
STICKS = {"station": "inventory", "grid": [["oak_planks"], ["oak_planks"]], "count": 1}
PICKAXE = {
    "station": "crafting_table",
    "grid": [["oak_planks"] * 3, [None, "stick", None], [None, "stick", None]],
    "count": 1,
}


def start() -> Observation:
    return ToyBackend().reset(VANILLA, Task.load("diamond"), seed=1)


class Past:
    """A history that is told one outcome after another."""

    def __init__(self):
        self.history, self.now = History(VANILLA), start()
        self.history.add(self.now)

    def did(
        self, skill: str, reason: str | None = None, *, ok: bool | None = None, **given: Any
    ) -> "Past":
        """Let an action come to something; ``args``, ``delta``, ``result`` and parts of the observation."""
        args, delta = given.pop("args", {}), given.pop("delta", {})
        last = {
            "skill": skill, "args": args, "ok": reason is None if ok is None else ok, "reason": reason,
            "result": given.pop("result", {}), "delta": delta, "ticks": 20,
        }  # fmt: skip
        have = dict(self.now.inventory)
        for item, n in delta.items():
            have[item] = have.get(item, 0) + n
        have = {i: n for i, n in have.items() if n > 0}
        self.now = replace(self.now, last=last, **({"inventory": have} | given))
        self.history.add(self.now)
        return self


def test_an_effect_is_what_an_action_consumed_and_produced():
    past = Past().did("mine", args={"block": "oak_log", "count": 2}, delta={"oak_log": 2})
    past.did("craft_grid", args=PLANKS, delta={"oak_log": -1, "oak_planks": 4})
    past.did("craft_grid", args=PLANKS, delta={"oak_log": -1, "oak_planks": 4})
    mined, crafted = past.history.verified_effects()
    assert mined["produced"] == {"oak_log": 2}
    assert (crafted["consumed"], crafted["produced"]) == ({"oak_log": 1}, {"oak_planks": 4})
    assert crafted["times"] == 2


def test_effects_are_bounded_and_the_oldest_goes_first():
    past = Past()
    for n in range(EFFECTS + 3):
        past.did("mine", args={"block": f"block_{n}", "count": 1}, delta={"dirt": 1})
    effects = past.history.verified_effects()
    assert len(effects) == EFFECTS
    assert effects[0]["args"]["block"] == "block_3"


def test_a_failed_action_stays_blocked_until_its_own_prerequisite_changes():
    past = Past().did("craft_grid", "missing_item", args=PICKAXE, result={"detail": "no stick"})
    (entry,) = past.history.still_blocked()
    assert entry["prerequisite"] == {"missing": {"oak_planks": 3, "stick": 2}}
    past.did("mine", args={"block": "dirt", "count": 1}, delta={"dirt": 1})
    past.did("wait", delta={"oak_planks": 3})
    assert past.history.is_blocked("craft_grid", PICKAXE)
    past.did("wait", delta={"stick": 2})
    assert past.history.still_blocked() == []


STONE = {"block": "stone", "count": 1}
TABLE = {"crafting_table": 2.0}


@pytest.mark.parametrize(
    ("skill", "args", "reason", "prerequisite", "change"),
    [
        ("mine", STONE, "needs_tool", "tool", {"delta": {"wooden_pickaxe": 1}}),
        ("mine", STONE, "blocked", "access", {"position": {"x": 9.5, "y": 64.0, "z": 0.5}}),
        ("mine", STONE, "not_found", "in_sight", {"position": {"x": 40.5, "y": 64.0, "z": 0.5}}),
        ("mine", STONE, "inventory_full", "own", {"delta": {"dirt": -1}}),
        ("craft_grid", PICKAXE, "needs_table", "station", {"facilities": TABLE}),
        ("craft_grid", PICKAXE, "station_unreachable", "access", {"facilities": TABLE}),
        ("smelt", {"input": "raw_iron", "station": "furnace"}, "no_fuel", "own", {"delta": {"coal": 1}}),
        ("smelt", {"input": "raw_iron", "station": "furnace"}, "needs_station", "station", {"facilities": {"furnace": 1.0}}),
        ("ascend", {"height": 3}, "no_scaffold", "own", {"delta": {"cobblestone": 3}}),
        ("enchant", {"item": "iron_pickaxe", "option": "middle"}, "no_lapis", "missing", {"delta": {"lapis_lazuli": 2, "iron_pickaxe": 1}}),
    ],
)  # fmt: skip
def test_every_reason_names_what_would_lift_it(skill, args, reason, prerequisite, change):
    past = Past().did("wait", delta={"dirt": 5}).did(skill, reason, args=args)
    assert list(past.history.still_blocked()[0]["prerequisite"]) == [prerequisite]
    past.did("equip", args={"item": "dirt"})
    assert past.history.is_blocked(skill, args)
    past.did("wait", **change)
    assert not past.history.is_blocked(skill, args)


@pytest.mark.parametrize("reason", ["no_result", "no_output", "invalid_args", "unknown_id"])
def test_what_is_wrong_in_itself_stays_blocked(reason: str):
    past = Past().did("craft_grid", reason, args=STICKS)
    past.did("wait", delta={"oak_planks": 9, "wooden_pickaxe": 1}, facilities=TABLE)
    assert past.history.is_blocked("craft_grid", STICKS)


def test_a_way_that_was_made_opens_what_it_leads_to():
    past = Past().did("mine", "blocked", args=STONE)
    past.did("prepare_access", args={"target": "dirt"})
    assert past.history.is_blocked("mine", STONE)
    past.did("prepare_access", args={"target": "stone"})
    assert not past.history.is_blocked("mine", STONE)


def test_the_current_blocker_is_that_of_the_last_action():
    past = Past().did("mine", "needs_tool", args=STONE)
    blocker = past.history.current_blocker()
    assert blocker is not None
    assert blocker["args"] == STONE
    assert past.did("wait").history.current_blocker() is None
    assert past.history.still_blocked()


def test_repeated_failures_are_counted_whatever_their_count_argument():
    past = Past().did("mine", "blocked", args={"block": "stone", "count": 1})
    assert past.history.repeated_failure() is None
    past.did("mine", "blocked", args={"block": "stone", "count": 4})
    repeated = past.history.repeated_failure()
    assert repeated is not None
    assert repeated[0] == 2
    assert past.did("wait").history.repeated_failure() is None


@pytest.mark.parametrize("period", [2, 3])
def test_failures_that_go_round_in_a_circle_are_named(period: int):
    past = Past()
    for n in range(2 * period):
        assert past.history.failure_cycle() is None
        past.did("mine", "blocked", args={"block": f"ore_{n % period}"})
    cycle = past.history.failure_cycle()
    assert cycle is not None
    assert len(cycle["actions"]) == period
    assert past.did("wait").history.failure_cycle() is None


def test_actions_that_go_well_and_change_nothing_are_a_stagnation():
    past = Past()
    for _ in range(2):
        past.did("explore", args={"target": "stone"})
    assert past.history.stagnation_cycle() is None
    past.did("wait")
    cycle = past.history.stagnation_cycle()
    assert cycle is not None
    assert cycle["steps"] == 3
    assert past.did("mine", delta={"dirt": 1}).history.stagnation_cycle() is None


def test_a_verified_transformation_is_offered_when_a_blocked_action_is_short_of_what_it_gives():
    past = Past().did("wait", delta={"oak_planks": 8})
    past.did("craft_grid", args=STICKS, delta={"oak_planks": -2, "stick": 1})
    past.did("wait", delta={"stick": -1})
    assert past.history.actionable_transformations() == []
    past.did("craft_grid", "missing_item", args=PICKAXE)
    (offer,) = past.history.actionable_transformations()
    assert offer["produced"] == {"stick": 1}
    past.did("wait", delta={"oak_planks": -6})
    assert past.history.actionable_transformations() == []


def test_a_second_station_is_refused_and_more_material_is_questioned():
    table = {"station": "inventory", "grid": [["oak_planks"] * 2] * 2, "count": 1}
    past = Past().did("wait", delta={"oak_planks": 20, "oak_log": 5})
    past.did("craft_grid", args=table, delta={"oak_planks": -4, "crafting_table": 1})
    assert past.history.unused_output() is None
    past.did("craft_grid", args=table, delta={"oak_planks": -4, "crafting_table": 1})
    warning = past.history.unused_output()
    assert warning is not None
    assert warning["repeat"] is False
    past.did("craft_grid", args=PLANKS, delta={"oak_log": -1, "oak_planks": 4})
    warning = past.history.unused_output()
    assert warning is not None
    assert (warning["repeat"], warning["output_owned"]) == (True, {"oak_planks": 16})


def test_rules_are_learned_from_what_contradicts_vanilla_and_from_nothing_else():
    past = Past().did("mine", args={"block": "oak_log", "count": 1}, delta={"oak_log": 1}, result={"broken": {"oak_log": 1}, "collected": {"oak_log": 1}})  # fmt: skip
    past.did("craft_grid", args=PLANKS, delta={"oak_log": -1, "oak_planks": 4}, result={"item": "oak_planks", "count": 4})  # fmt: skip
    assert past.history.learned_rules() == []
    past.did("craft_grid", args=PLANKS, delta={"oak_log": -1, "oak_planks": 2}, result={"item": "oak_planks", "count": 2})  # fmt: skip
    assert past.history.learned_rules() == ["craft_grid oak_planks -> 2 oak_planks"]
    assert past.history.surprised == [3]


def test_recipe_hypotheses_are_vanilla_in_every_world_and_say_what_is_executable():
    now = replace(start(), inventory={"spruce_log": 1, "cherry": 1})
    rows = {r["output"]: r for r in recipe_hypotheses(VANILLA, Task.load("iron_armor"), now)}
    assert rows["spruce_planks"]["executable"]
    assert rows["spruce_planks"]["grid"] == [["spruce_log"]]
    assert rows["furnace"]["missing"] == {"cobblestone": 8}
    assert not rows["furnace"]["stationReady"]
    assert rows["iron_ingot"]["input"] == "raw_iron"
    for row in rows.values():
        if row["skill"] == "craft_grid":
            made = VANILLA.craft(row["grid"])
            assert made is not None
            assert (made.item, made.count) == (row["output"], row["count"])


@pytest.mark.parametrize("task", Task.names())
def test_an_executable_hypothesis_can_be_crafted_from_what_is_owned(task: str):
    world = ToyBackend()
    world.reset(VANILLA, Task.load(task), seed=1)
    for action in (Action("mine", {"block": "birch_log", "count": 4}), Action("craft_grid", {"station": "inventory", "grid": [["birch_log"]]})):  # fmt: skip
        now = world.step(action).observation
    crafted = 0
    for row in recipe_hypotheses(VANILLA, Task.load(task), now):
        if row["executable"] and row["skill"] == "craft_grid":
            assert missing("craft_grid", row, now.inventory) == {}
            crafted += 1
    assert crafted >= 2


def test_capabilities_tell_which_tool_each_target_asks_for():
    now = replace(
        start(),
        targets={"dirt": 1.0, "iron_ore": 2.0, "obsidian": 3.0},
        inventory={"stone_pickaxe": 1, "wooden_pickaxe": 1, "coal": 2, "cobblestone": 5},
    )
    can = capabilities(VANILLA, now, highest=70.0)
    assert can["tools"] == {"pickaxe": "stone_pickaxe"}
    assert can["minable_now"] == ["dirt", "iron_ore"]
    assert can["needs_tool"] == {"obsidian": "diamond pickaxe"}
    assert (can["fuel"], can["scaffold_blocks"], can["depth"]) == ({"coal": 2}, 5, 6.0)


ARGS = st.dictionaries(
    st.sampled_from(["block", "target", "item", "input", "station", "grid", "height", "count"]),
    st.none() | st.integers() | st.text(max_size=8) | st.lists(st.lists(st.text(max_size=3) | st.none(), max_size=3), max_size=3),
    max_size=4,
)  # fmt: skip


REFUSED = (Reason.INVALID_ARGS, Reason.UNKNOWN_ID, Reason.NOT_SEARCHABLE)
TRIED = st.sampled_from([
    ("mine", STONE), ("explore", {"target": "log"}), ("craft_grid", PICKAXE), ("craft_grid", STICKS),
    ("smelt", {"input": "raw_iron", "station": "furnace", "count": 2}), ("ascend", {"height": 0}),
    ("enchant", {"item": "book", "option": "lowest"}), ("place", {"block": "furnace"}),
    ("attack", {"target": "cow", "count": 1}), ("collect", {"item": "dirt"}), ("wait", {"ticks": 20}),
])  # fmt: skip
STEPS = st.tuples(
    st.tuples(st.sampled_from([*SKILLS, "fly"]), ARGS), st.sampled_from(REFUSED)
) | st.tuples(TRIED, st.sampled_from([None, *(r for r in Reason if r not in REFUSED)]))


@given(st.lists(STEPS, max_size=12))
def test_no_outcome_of_whatever_action_breaks_the_history(steps: list[Any]):
    past = Past()
    for (skill, args), reason in steps:
        past.did(skill, reason, args=args)
    h = past.history
    sections = [
        h.verified_effects(), h.still_blocked(), h.current_blocker(), h.repeated_failure(), h.failure_cycle(),
        h.stagnation_cycle(), h.actionable_transformations(), h.unused_output(), h.learned_rules(),
    ]  # fmt: skip
    assert json.dumps(sections)
    assert all(len(operation(*action)) <= 400 for action, _ in steps)


def test_in_a_changed_world_the_same_outcomes_make_the_same_history():
    """The history sees no rulebook: M05 changes nothing of these actions, so nothing differs."""
    sections = []
    for suite in ("vanilla", "M05"):
        world, history = ToyBackend(), History(VANILLA)
        history.add(world.reset(rules_for(suite), Task.load("diamond"), seed=1))
        for action in (Action("mine", {"block": "oak_log", "count": 3}), Action("craft_grid", PLANKS), Action("mine", STONE)):  # fmt: skip
            history.add(world.step(action).observation)
        sections.append(
            (history.verified_effects(), history.still_blocked(), history.learned_rules())
        )
    assert sections[0] == sections[1]
