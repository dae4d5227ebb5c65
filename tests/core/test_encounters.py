"""An event meets a changed rule when it comes out differently from vanilla on a target of it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.core.action import SKILLS, Action, Checked, check
from mirrorcraft.core.encounters import Encounters, Event, signature
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.testing.strategies import events, grids, rulebooks

VANILLA = Rulebook.vanilla("1.19")
MET = {s: Encounters(VANILLA, VANILLA.apply(RuleManifest.load(s))) for s in
       ("M01", "M02", "M03", "M04", "M05", "M06")}  # fmt: skip
SILK, FORTUNE = (("silk_touch", 1),), (("fortune", 3),)
PAPER = (("sugar_cane",) * 3,)
BOOK = (("paper", "paper"), ("paper", "leather"))
PICKAXE = (("iron_ingot",) * 3, (None, "stick", None), (None, "stick", None))


@pytest.mark.parametrize(
    ("suite", "event", "rules"),
    [
        ("M01", Event("craft", (("oak_log",),)), ("M01.planks",)),
        ("M01", Event("craft", (("stripped_warped_hyphae", None), (None, None))), ("M01.planks",)),
        ("M01", Event("craft", (("oak_planks",), ("birch_planks",))), ("M01.stick",)),
        ("M01", Event("craft", (("bamboo",), ("bamboo",))), ()),
        ("M01", Event("craft", (("oak_planks", "oak_planks"),)), ()),
        ("M01", Event("craft", (("oak_planks",),)), ()),
        ("M01", Event("craft", PAPER), ("M01.paper",)),
        ("M01", Event("cook", "furnace", "raw_iron"), ("M01.raw_iron",)),
        ("M01", Event("cook", "blast_furnace", "raw_iron"), ("M01.raw_iron",)),
        ("M01", Event("cook", "smoker", "raw_iron"), ()),
        ("M01", Event("cook", "furnace", "iron_ore"), ()),
        ("M01", Event("break", "oak_log", None, ()), ()),
        ("M02", Event("break", "oak_log", None, ()), ("M02.trunk_drop",)),
        ("M02", Event("break", "oak_log", "iron_axe", SILK), ("M02.trunk_drop",)),
        ("M02", Event("break", "mushroom_stem", "iron_axe", SILK), ()),
        ("M02", Event("break", "iron_ore", "stone_pickaxe", ()), ("M02.iron_ore",)),
        ("M02", Event("break", "iron_ore", "stone_pickaxe", FORTUNE), ("M02.iron_ore",)),
        ("M02", Event("break", "iron_ore", "stone_pickaxe", SILK), ()),
        ("M02", Event("break", "iron_ore", "wooden_pickaxe", ()), ()),
        ("M02", Event("break", "iron_ore", None, ()), ()),
        ("M02", Event("craft", BOOK), ("M02.book",)),
        ("M03", Event("break", "diamond_ore", "iron_pickaxe", SILK), ()),
        ("M03", Event("break", "deepslate_diamond_ore", "iron_pickaxe", ()), ("M03.diamond_ore",)),
        ("M04", Event("kill", "cow", None, 0), ("M04.cow",)),
        ("M04", Event("kill", "mooshroom", None, 0), ()),
        ("M05", Event("craft", PICKAXE), ("M05.iron_pickaxe",)),
        ("M05", Event("cook", "furnace", "iron_hoe"), ("M05.iron_hoe",)),
        ("M05", Event("cook", "blast_furnace", "diamond_hoe"), ("M05.diamond_hoe",)),
        ("M05", Event("cook", "furnace", "diamond_hoe"), ()),
        ("M05", Event("cook", "furnace", "iron_sword"), ()),
        ("M06", Event("kill", "cow", None, 3), ("M06.cow",)),
    ],
)
def test_an_event_meets_the_rule_whose_outcome_it_shows(suite: str, event: Event, rules: tuple):
    assert MET[suite].of(event) == rules
    assert MET[suite].of(event) == rules  # and again, from the cache


def mirror(change: dict) -> Rulebook:
    head = {
        "schema_version": "1.0",
        "kind": "mirror",
        "id": "T",
        "title": "t",
        "game_version": "1.19",
    }
    text = json.dumps({**head, "changes": [{"id": "c", **change}]})
    return VANILLA.apply(RuleManifest.from_json(text))


def test_a_removed_recipe_is_met_by_the_grid_that_no_longer_works():
    rules = mirror({"op": "recipe_removed", "recipes": "paper"})
    assert Encounters(VANILLA, rules).of(Event("craft", PAPER)) == ("T.c",)


def test_a_kill_is_compared_in_its_own_context_of_variant_and_looting():
    # What a sheep drops in vanilla, but without Looting, and without the wool of its colour.
    mutton = {"item": "mutton", "count": {"min": 1, "max": 2}}
    met = Encounters(
        VANILLA, mirror({"op": "entity_loot_replaced", "entities": "sheep", "drops": [mutton]})
    )
    assert met.of(Event("kill", "sheep", None, 0)) == ()
    assert met.of(Event("kill", "sheep", None, 3)) == ("T.c",)
    assert met.of(Event("kill", "sheep", "white", 0)) == ("T.c",)


def test_the_memory_for_events_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mirrorcraft.core.encounters._KNOWN_EVENTS", 4)
    met = Encounters(VANILLA, mirror({"op": "recipe_removed", "recipes": "paper"}))
    for item in ("stick", "stone", "dirt", "coal", "sand", "clay", "flint"):
        assert met.of(Event("craft", ((item,),))) == ()
        assert met.of(Event("craft", PAPER)) == ("T.c",)
    assert len(met._known) <= 4


def test_an_event_of_no_kind_is_refused():
    with pytest.raises(ValueError, match="craft, cook, break and kill"):
        MET["M01"].of(Event("mine", "oak_log"))


@settings(max_examples=150, deadline=None)
@given(events())
def test_in_vanilla_nothing_is_ever_met(event: Event):
    assert Encounters(VANILLA, VANILLA).of(event) == ()


@settings(max_examples=60, deadline=None)
@given(rulebooks(), st.data())
def test_an_event_is_met_exactly_when_the_two_rulebooks_disagree_on_it(rules: Rulebook, data):
    touched = [
        *(Event("cook", *pair) for change in rules.changes for pair in change.cooking),
        *(Event("break", b, "netherite_pickaxe", ()) for c in rules.changes for b in c.blocks),
        *(Event("kill", entity, None, 0) for c in rules.changes for entity in c.entities),
    ]
    event = data.draw(st.one_of(events(), st.sampled_from(touched) if touched else events()))
    met = Encounters(VANILLA, rules).of(event)
    assert bool(met) == (outcome(VANILLA, event) != outcome(rules, event))
    assert set(met) <= {change.id for change in rules.changes}


def outcome(rules: Rulebook, event: Event) -> object:
    """Return what an event yields, read off the rulebook without any of the code under test."""
    if event.kind == "craft":
        made = rules.craft(event.subject)
        return made and (made.item, made.count)
    if event.kind == "cook":
        recipe = rules.cook(event.subject, event.means or "")
        return recipe and (recipe.result, recipe.count)
    if event.kind == "break":
        return rules.drops(event.subject, event.means, dict(event.extra))
    return rules.kill(event.subject, looting=event.extra, variant=event.means)


ACTIONS = [
    Action("mine", {"block": "iron_ore"}),
    Action("craft_grid", {"station": "inventory", "grid": [["oak_log", None], [None, None]]}),
    Action("smelt", {"input": "raw_iron"}),
    Action("attack", {"target": "cow"}),
    Action("place", {"block": "furnace"}),
    Action("enchant", {"item": "book"}),
]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (ACTIONS[0], Action("mine", {"block": "iron_ore", "count": 3}), True),
        (ACTIONS[0], Action("mine", {"block": "minecraft:iron_ore"}), True),
        (ACTIONS[0], Action("mine", {"block": "deepslate_iron_ore"}), False),
        (ACTIONS[1], Action("craft_grid", {**ACTIONS[1].args, "count": 1}), True),
        (ACTIONS[1], Action("craft_grid", {**ACTIONS[1].args, "station": "crafting_table"}), False),
        (ACTIONS[1], Action("craft_grid", {**ACTIONS[1].args, "grid": [["oak_log"]]}), False),
        (
            ACTIONS[2],
            Action("smelt", {"input": "raw_iron", "station": "furnace", "count": 6}),
            True,
        ),
        (ACTIONS[2], Action("smelt", {"input": "raw_iron", "station": "blast_furnace"}), False),
        (ACTIONS[3], Action("attack", {"target": "cow", "count": 2}), True),
        (ACTIONS[4], Action("place", {"block": "crafting_table"}), False),
        (ACTIONS[5], Action("enchant", {"item": "book", "option": "lowest"}), True),
        (ACTIONS[5], Action("enchant", {"item": "book", "option": "highest"}), False),
        (Action("explore", {"target": "cow"}), Action("explore", {"target": "sand"}), True),
        (Action("wait", {"ticks": 1}), Action("wait", {"ticks": 200}), True),
        (Action("wait"), Action("ascend", {"height": 1}), False),
    ],
)
def test_signatures_tell_actions_apart_as_the_paper_does(first: Action, second: Action, same: bool):
    assert (signature(first) == signature(second)) is same


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_and_its_checked_form_have_one_signature(action: Action):
    checked = check(action, VANILLA)
    assert isinstance(checked, Checked)
    assert signature(action) == signature(checked)


@given(st.sampled_from(SKILLS), st.dictionaries(st.text(max_size=6), st.lists(st.integers())))
def test_a_malformed_action_has_a_signature_that_can_be_hashed(skill: str, args: dict):
    hash(signature(Action(skill, {**args, "grid": [[{}], 7], "block": {"a": 1}})))


@settings(max_examples=50, deadline=None)
@given(grids())
def test_grids_from_the_strategies_are_accepted_by_the_check(grid: tuple):
    if any(cell for row in grid for cell in row):
        action = Action("craft_grid", {"station": "crafting_table", "grid": grid})
        assert isinstance(check(action, VANILLA), Checked)
