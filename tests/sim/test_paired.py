"""A Vanilla world and its Mirror copies are one world until a changed rule is met, and hide that they are two."""

import json
from functools import cache
from typing import Any

import pytest
from stage import Stage

from mirrorcraft.core.action import Action
from mirrorcraft.core.data import names_in
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.recipes import ShapedRecipe, ShapelessRecipe
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import rules_for

VANILLA = Rulebook.vanilla("1.19")
SUITES = names_in("suites")
SOME = ("plains-a", "snowy_plains-b", "jungle-a")
USEFUL = ("oak_log", "raw_iron", "coal", "cobblestone", "diamond", "iron_ingot", "stick", "paper",
          "lapis_lazuli", "sugar_cane", "iron_hoe", "dirt", "beef")  # fmt: skip
START = {"oak_log": 12, "cobblestone": 32, "raw_iron": 6, "coal": 6, "diamond": 3, "iron_ingot": 9,
         "lapis_lazuli": 6, "leather": 3, "iron_pickaxe": 1, "sugar_cane": 6}  # fmt: skip


@cache
def recipes() -> list[ShapedRecipe | ShapelessRecipe]:
    """Return the recipes that need nothing but a few useful things."""
    found = [r for r in VANILLA.recipes.values() if isinstance(r, ShapedRecipe | ShapelessRecipe)]
    known = {*USEFUL, "leather", "oak_planks", "book", "obsidian"}
    return [
        r
        for r in found
        if all(
            known & set(VANILLA.expand(i))
            for i in (r.key.values() if isinstance(r, ShapedRecipe) else r.ingredients)
        )
    ]


@cache
def on_the_way() -> list[ShapedRecipe | ShapelessRecipe]:
    """Return those of them that lie on the way to a milestone, changed by one suite or another."""
    wanted = {"oak_planks", "stick", "paper", "book", "furnace", "iron_pickaxe", "diamond_pickaxe"}
    return [r for r in recipes() if r.result in wanted]


def random_action(seen: Observation, seed: int) -> Action:
    """Return an action that the observation invites to; the same for the same seed and observation."""

    def pick(options: Any, site: int) -> Any:
        options = sorted(options) if not isinstance(options, list) else options
        return options[below(len(options), seed, 0, site)]

    owned = seen.inventory or {"dirt": 1}
    match below(12, seed, 0, 0):
        case 0 | 1 | 2:
            return Action("mine", {"block": pick([*seen.targets, "log"], 1), "count": 1 + seed % 4})
        case 3 | 4 | 5:
            return Action("craft_grid", {"station": "crafting_table", "grid": _grid(seen, seed)})
        case 6:
            cookable = [i for i in owned if VANILLA.cook("furnace", i)] or owned
            station = pick(["furnace", "furnace", "blast_furnace", "smoker"], 2)
            return Action("smelt", {"input": pick(cookable, 1), "station": station})
        case 7:
            return Action("place", {"block": pick(owned, 1)})
        case 8:
            return Action("attack", {"target": pick(seen.entities or ["cow"], 1)})
        case 9:
            return Action("explore", {"target": pick(["log", "cow", *seen.targets], 1)})
        case 10:
            item, option = pick(owned, 1), pick(["lowest", "middle", "highest"], 2)
            return Action("enchant", {"item": item, "option": option})
        case _:
            skill = pick(["ascend", "equip", "collect", "wait", "prepare_access"], 1)
            args: dict[str, Any] = {
                "ascend": {"height": seed % 3},
                "equip": {"item": pick(owned, 2)},
                "collect": {"item": pick(owned, 2)},
                "wait": {"ticks": 1 + seed % 200},
                "prepare_access": {"target": pick(seen.targets or ["stone"], 2)},
            }
            return Action(skill, args[skill])


def _grid(seen: Observation, seed: int) -> list[list[str | None]]:
    """Return the grid of some recipe, of owned things where there are any."""
    known = on_the_way() if seed % 3 else recipes()
    recipe = known[below(len(known), seed, 0, 7)]

    def fill(slot: Any) -> str:
        options = VANILLA.expand(slot)
        return next((i for i in options if i in seen.inventory), options[0])

    if isinstance(recipe, ShapedRecipe):
        return [[None if c == " " else fill(recipe.key[c]) for c in row] for row in recipe.pattern]
    cells: list[str | None] = [fill(slot) for slot in recipe.ingredients]
    cells += [None] * (-len(cells) % min(3, len(cells)))
    width = min(3, len(cells))
    return [cells[i : i + width] for i in range(0, len(cells), width)]


def play_in_pairs(world: str, suite: str, repetition: int, actions: int) -> bool:
    """Play both worlds until a changed rule is met; return whether one was."""
    seed = seed_from("paired", world, repetition) >> 1
    stages = [Stage(rules, world=world, seed=seed) for rules in ("vanilla", suite)]
    for stage in stages:
        stage.own(**START, crafting_table=1, furnace=1, blast_furnace=1, enchanting_table=1)
        for station in ("crafting_table", "furnace", "blast_furnace", "enchanting_table"):
            stage.act("place", block=station)
    secrets = [suite, *(c.id for c in rules_for(suite).changes), *rules_for(suite).describe()]
    for k in range(actions):
        action = random_action(stages[0].seen, seed_from(seed, k))
        steps = [stage.send(action) for stage in stages]
        texts = [step.observation.to_json() for step in steps]
        assert not [s for s in secrets if s in texts[1]]
        if steps[1].audit.encounters:
            return True
        assert texts[0] == texts[1], (k, action)
        assert steps[0].audit == steps[1].audit
        assert stages[0].backend.snapshot() == stages[1].backend.snapshot()
        if steps[0].ending:
            break
    return False


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("world", SOME)
def test_nothing_differs_before_the_first_encounter(world: str, suite: str):
    met = [play_in_pairs(world, suite, repetition, actions=40) for repetition in range(2)]
    assert len(met) == 2


@pytest.mark.parametrize("suite", SUITES)
def test_the_random_play_does_meet_changed_rules(suite: str):
    """Else the test above would prove nothing."""
    assert any(play_in_pairs("plains-a", suite, repetition, 60) for repetition in range(3, 9))


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("world", World.names())
def test_nothing_differs_before_the_first_encounter_in_any_world(world: str, suite: str):
    for repetition in range(10, 25):
        play_in_pairs(world, suite, repetition, actions=75)


def test_an_encounter_is_a_rule_whose_outcome_differs():
    for suite, block, tool, rule in (
        ("M04", "coal_ore", "wooden_pickaxe", "M04.coal_ore"),
        ("M06", "oak_log", "iron_axe", "M06.trunk_drop"),
        ("M02", "iron_ore", "stone_pickaxe", "M02.iron_ore"),
    ):
        plain, mirror = (Stage(rules).room().own(**{tool: 1}) for rules in ("vanilla", suite))
        for stage in (plain, mirror):
            stage.put(1, 0, 0, block)
        steps = [stage.act("mine", block=block) for stage in (plain, mirror)]
        assert [step.audit.encounters for step in steps] == [(), (rule,)]
        assert steps[0].outcome.delta != steps[1].outcome.delta


@pytest.mark.parametrize("suite", SUITES)
def test_the_first_observation_is_the_same_bytes(suite: str):
    for world in SOME:
        seen = [Stage(rules, world=world).seen.to_json() for rules in ("vanilla", suite)]
        assert seen[0] == seen[1]


def test_the_text_of_an_observation_is_canonical():
    stage = Stage().own(**START)
    for k in range(25):
        seen = stage.send(random_action(stage.seen, k)).observation
        values = {name: getattr(seen, name) for name in type(seen).__slots__}
        plain = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert seen.to_json() == plain
