"""The static report: reachability, relevance, encounters, shadows and flags, on suites and small cases."""

import json
from functools import cache
from typing import Any

import pytest

from mirrorcraft.core.errors import UnknownNameError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.static_report import Limits, StaticReport, audit_manifest
from mirrorcraft.core.task import Task

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")


@cache
def of_suite(name: str) -> StaticReport:
    return audit_manifest(RuleManifest.load(name))


def manifest(*changes: dict[str, Any]) -> RuleManifest:
    data = {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": "T",
        "title": "A test",
        "game_version": "1.19",
        "changes": [{"id": f"c{i}", **change} for i, change in enumerate(changes)],
    }
    return RuleManifest.from_json(json.dumps(data))


def report(*changes: dict[str, Any], tasks: tuple[str, ...] | None = None) -> StaticReport:
    return audit_manifest(manifest(*changes), tasks)


def removed(recipe: str) -> dict[str, Any]:
    return {"op": "recipe_removed", "recipes": recipe}


STICKS_2 = {"op": "recipe_count", "recipes": "stick", "count": 2}
COAL = {
    "op": "block_drops_replaced",
    "blocks": ["coal_ore", "deepslate_coal_ore"],
    "drops": [{"item": "coal_block"}],
}


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_sound_and_its_report_survives_json(suite: str):
    found = of_suite(suite)
    assert found.ok
    assert all(t.reachable and t.within_budget for t in found.tasks)
    data = json.loads(json.dumps(found.to_json()))
    assert [t["task"] for t in data["tasks"]] == list(Task.names())
    assert [c["rule"] for c in data["changes"]] == [c.rule for c in found.changes]


def test_the_lengths_show_the_detour_of_m01_and_the_shortcut_of_m02():
    detour = of_suite("M01")
    assert any("is a long detour" in flag for flag in detour.flags)
    assert "M01.stick gives 0.25 times vanilla's stick: extreme scarcity" in detour.flags
    shortcut = of_suite("M02")
    assert [f for f in shortcut.flags if "shortcut" in f] == [
        "enchantment has a shortcut: 13 actions where vanilla takes 30"
    ]


def test_a_manifest_without_changes_leaves_every_plan_as_it_is():
    found = report()
    assert all(t.ratio == 1 for t in found.tasks)
    assert (found.changes, found.flags, found.ok) == ((), (), True)


def test_a_task_without_a_route_is_a_hard_failure_that_names_what_has_no_source():
    found = report(removed("crafting_table"))
    assert not found.ok
    assert all(not t.reachable and t.mirror_actions is None for t in found.tasks)
    assert any("is unreachable" in f and "crafting_table" in f for f in found.flags)


def test_a_change_off_all_routes_is_irrelevant_and_the_manifest_not_sound():
    found = report(removed("cake"))
    assert found.changes[0].relevant_to == ()
    assert not found.ok
    assert found.flags == ("T.c0 lies on no route of a selected task",)


def test_relevance_counts_selected_tasks_only():
    paper = {"op": "recipe_count", "recipes": "paper", "count": 1}
    assert report(paper).changes[0].relevant_to == ("enchantment",)
    assert not report(paper, tasks=("iron_armor", "diamond")).ok


def test_a_change_that_plans_walk_past_is_relevant_but_not_encounterable():
    (coal,) = report(COAL).changes
    assert coal.relevant_to == ("iron_armor", "diamond", "enchantment")
    assert not coal.encounterable
    assert "T.c0 is met by no plan" in report(COAL).flags


def test_a_change_on_the_plan_is_met_by_the_plan_and_by_a_learner():
    (stick,) = report(STICKS_2).changes
    assert stick.met_by_plan == stick.met_by_learner == Task.names()


def test_a_removed_recipe_is_met_by_a_learner_who_still_believes_in_it():
    (boots,) = report(removed("iron_boots"), tasks=("iron_armor",)).changes
    assert boots.met_by_plan == ()  # who knows makes another piece of armor
    assert boots.met_by_learner == ("iron_armor",)


def test_a_shadowed_change_names_the_change_that_hides_it():
    free = {
        "op": "block_drops_replaced",
        "blocks": "#logs",
        "drops": [{"item": "iron_boots"}],
    }
    smelt = {
        "op": "processing_count",
        "inputs": "raw_iron",
        "stations": ["furnace", "blast_furnace"],
        "count": 2,
    }
    found = report(free, smelt, tasks=("iron_armor",))
    hidden = found.changes[1]
    assert not hidden.encounterable
    assert hidden.shadowed_by == ("T.c0",)
    assert any("shadowed by T.c0" in flag for flag in found.flags)
    assert report(smelt, tasks=("iron_armor",)).changes[0].encounterable


def test_m05_hides_the_changed_diamond_pickaxe_behind_the_changed_iron_pickaxe():
    changes = {c.rule: c for c in of_suite("M05").changes}
    assert changes["M05.iron_pickaxe"].met_by_learner == ("diamond", "enchantment")
    assert changes["M05.diamond_pickaxe"].shadowed_by == ("M05.iron_pickaxe",)


def test_changes_that_feed_each_other_interact():
    planks = {"op": "recipe_count", "recipes": "#planks", "count": 2}
    (pair,) = report(planks, STICKS_2).interactions
    assert (pair.first, pair.second) == ("T.c0", "T.c1")
    assert "oak_planks" in pair.items


def test_yields_are_ratios_of_means_and_flags_follow_the_limits():
    one = manifest({"op": "recipe_count", "recipes": "stick", "count": 1})
    assert audit_manifest(one).changes[0].yields == {"stick": 0.25}
    assert any("extreme scarcity" in f for f in audit_manifest(one).flags)
    lenient = audit_manifest(one, limits=Limits(scarcity=0.2))
    assert not any("extreme scarcity" in f for f in lenient.flags)
    many = manifest({"op": "recipe_count", "recipes": "stick", "count": 64})
    assert any("16 times vanilla's stick: extreme plenty" in f for f in audit_manifest(many).flags)


def test_the_lines_and_tables_hold_every_task_and_rule():
    found = of_suite("M03")
    text = "\n".join(found.lines())
    for name in (*Task.names(), *(c.rule for c in found.changes)):
        assert name in text
    assert {len(row) for row in found.task_rows()} == {5}
    assert {len(row) for row in found.change_rows()} == {5}
    assert "M03.raw_iron" in [row[0] for row in found.change_rows()]


def test_an_unknown_task_is_named():
    with pytest.raises(UnknownNameError, match="did you mean diamond"):
        audit_manifest(manifest(), ["diamand"])
