"""Advancements come by their real triggers: what enters the inventory, by whatever way, and the enchanting table."""

from collections.abc import Sequence
from typing import Any

import pytest
from oracle import oracle
from stage import Stage

from mirrorcraft.core.action import Action
from mirrorcraft.core.ids import strip
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

VANILLA = Rulebook.vanilla("1.19")
MILESTONES = {m.id for name in Task.names() for m in Task.load(name).milestones}
IRON, STICK, GEM = "iron_ingot", "stick", "diamond"


def mine(block: str) -> Action:
    return Action("mine", {"block": block})


def craft(*rows: Sequence[str | None], station: str = "crafting_table") -> Action:
    return Action("craft_grid", {"station": station, "grid": [list(row) for row in rows]})


def smelt(item: str, station: str = "furnace") -> Action:
    return Action("smelt", {"input": item, "station": station})


def workshop(suite: str, blocks: tuple[str, ...] = (), **items: int) -> Stage:
    """Return a stage with table and furnaces, some blocks beside the body, and items owned."""
    stage = Stage(suite).room()
    for station in ("crafting_table", "furnace", "blast_furnace", "enchanting_table"):
        stage.own(**{station: 1}).act("place", block=station)
    for dx, block in enumerate(blocks):
        stage.put(dx - 1, 0, 2, block)
    return stage.own(**items)


BOOTS: tuple[Sequence[str | None], ...] = ([IRON, None, IRON], [IRON, None, IRON])
PICKAXE: tuple[Sequence[str | None], ...] = ([IRON] * 3, [None, STICK, None], [None, STICK, None])
COBBLES: tuple[Sequence[str | None], ...] = (["cobblestone"] * 3, *PICKAXE[1:])
NUGGETS: tuple[Sequence[str | None], ...] = (["iron_nugget"] * 3,) * 3
GEMS: tuple[Sequence[str | None], ...] = ([GEM] * 3, *PICKAXE[1:])

TRIGGERS: list[tuple[str, str, dict[str, Any], Action]] = [
    ("story/mine_stone", "vanilla", {"blocks": ("stone",), "stone_pickaxe": 1}, mine("stone")),
    ("story/mine_stone", "vanilla", {"blocks": ("deepslate",), "stone_pickaxe": 1},
     mine("deepslate")),
    ("story/mine_stone", "vanilla", {"blocks": ("blackstone",), "stone_pickaxe": 1},
     mine("blackstone")),
    ("story/upgrade_tools", "vanilla", {"cobblestone": 3, "stick": 2}, craft(*COBBLES)),
    ("story/smelt_iron", "vanilla", {"raw_iron": 1, "coal": 1}, smelt("raw_iron")),
    ("story/smelt_iron", "vanilla", {"iron_nugget": 9}, craft(*NUGGETS)),
    ("story/smelt_iron", "vanilla", {"iron_block": 1}, craft(["iron_block"], station="inventory")),
    ("story/smelt_iron", "M02", {"blocks": ("iron_ore",), "stone_pickaxe": 1}, mine("iron_ore")),
    ("story/smelt_iron", "M03", {"raw_iron": 1, "coal": 1}, smelt("raw_iron", "blast_furnace")),
    ("story/iron_tools", "vanilla", {"iron_ingot": 3, "stick": 2}, craft(*PICKAXE)),
    ("story/iron_tools", "M05", {"iron_hoe": 1, "coal": 1}, smelt("iron_hoe")),
    ("story/iron_tools", "M05", {"iron_hoe": 1, "coal": 1}, smelt("iron_hoe", "blast_furnace")),
    ("story/obtain_armor", "vanilla", {"iron_ingot": 4}, craft(*BOOTS)),
    ("story/mine_diamond", "vanilla", {"blocks": ("diamond_ore",), "iron_pickaxe": 1},
     mine("diamond_ore")),
    ("story/mine_diamond", "M03", {"blocks": ("diamond_ore",), "iron_pickaxe": 1},
     mine("diamond_ore")),
    ("story/mine_diamond", "M04", {"diamond_block": 1},
     craft(["diamond_block"], station="inventory")),
    ("story/form_obsidian", "vanilla", {"blocks": ("obsidian",), "diamond_pickaxe": 1},
     mine("obsidian")),
    ("story/form_obsidian", "M02", {"blocks": ("diamond_ore",), "iron_pickaxe": 1},
     mine("diamond_ore")),
    ("story/form_obsidian", "M06", {"blocks": ("lapis_ore",), "stone_pickaxe": 1},
     mine("lapis_ore")),
    ("story/enchant_item", "vanilla", {"iron_pickaxe": 1, "lapis_lazuli": 1},
     Action("enchant", {"item": "iron_pickaxe"})),
    ("story/enchant_item", "vanilla", {"book": 1, "lapis_lazuli": 1},
     Action("enchant", {"item": "book"})),
]  # fmt: skip

NOT_TRIGGERS: list[tuple[str, str, dict[str, Any], Action]] = [
    ("story/smelt_iron", "vanilla", {"blocks": ("iron_ore",), "stone_pickaxe": 1},
     mine("iron_ore")),
    ("story/smelt_iron", "M01", {"raw_iron": 1, "coal": 1}, smelt("raw_iron")),
    ("story/iron_tools", "M05", {"iron_ingot": 3, "stick": 2}, craft(*PICKAXE)),
    ("story/mine_diamond", "M04", {"blocks": ("diamond_ore",), "iron_pickaxe": 1},
     mine("diamond_ore")),
    ("story/form_obsidian", "vanilla", {"blocks": ("diamond_ore",), "iron_pickaxe": 1},
     mine("diamond_ore")),
    ("story/mine_stone", "vanilla", {"blocks": ("granite",), "stone_pickaxe": 1}, mine("granite")),
    ("story/iron_tools", "M03", {"diamond": 3, "stick": 2}, craft(*GEMS)),
]  # fmt: skip


def name(case: Any) -> str:
    return case.skill if isinstance(case, Action) else str(case)[:40]


@pytest.mark.parametrize(("advancement", "suite", "items", "action"), TRIGGERS, ids=name)
def test_a_milestone_is_reached_by(advancement: str, suite: str, items: Any, action: Action):
    stage = workshop(suite, **items)
    step = stage.send(action)
    assert step.outcome.ok, step.outcome
    assert advancement in step.audit.advancements


@pytest.mark.parametrize(("advancement", "suite", "items", "action"), NOT_TRIGGERS, ids=name)
def test_a_milestone_is_not_reached_by(advancement: str, suite: str, items: Any, action: Action):
    stage = workshop(suite, **items)
    step = stage.send(action)
    assert step.outcome.ok, step.outcome
    assert advancement not in step.audit.advancements


def test_every_milestone_of_every_task_is_tried():
    assert {case[0] for case in TRIGGERS} == MILESTONES


def test_an_advancement_is_verified_once():
    stage = workshop("vanilla", raw_iron=3, coal=1)
    gained = [stage.send(smelt("raw_iron")).audit.advancements for _ in range(3)]
    assert gained == [("story/smelt_iron",), (), ()]
    assert stage.seen.progress["done"] == ["story/smelt_iron"]


def test_items_left_in_a_station_or_on_the_ground_complete_nothing():
    stage = workshop("vanilla", raw_iron=64, coal=2).fill()
    assert stage.send(smelt("raw_iron")).audit.advancements == ()
    on_ground = workshop("vanilla", ("diamond_ore",), iron_pickaxe=1).fill()
    assert on_ground.send(mine("diamond_ore")).audit.advancements == ()
    on_ground.lose(dirt=64)
    assert on_ground.act("collect", item="diamond").audit.advancements == ("story/mine_diamond",)


def test_the_next_milestone_and_the_score_follow():
    stage = workshop("vanilla", raw_iron=1, coal=1)
    seen = stage.send(smelt("raw_iron")).observation
    assert seen.progress == {"score": 45, "done": ["story/smelt_iron"]}
    assert seen.task["next"] == "story/mine_stone"
    assert [m["id"] for m in seen.task["milestones"] if m["done"]] == ["story/smelt_iron"]


def test_the_items_that_complete_a_milestone_are_those_of_the_game():
    """But for the tag of stone tool materials, whose members another test holds against the game's."""
    theirs = oracle("advancements_119.json")["advancements"]
    t, bits = Stage().tables, {a: 1 << i for i, a in enumerate(VANILLA.advancements)}
    for advancement in MILESTONES - {"story/enchant_item"}:
        found = theirs["minecraft:" + advancement]
        conditions = [c["conditions"]["items"][0] for c in found["criteria"].values()]
        assert len(found["requirements"]) == 1
        expected: set[str] = set()
        for wanted in conditions:
            expected |= {strip(i) for i in wanted.get("items", ())}
            if "tag" in wanted:
                expected |= VANILLA.tag("items", strip(wanted["tag"]))
        ours = {i for n, i in enumerate(VANILLA.items) if int(t.advances[n]) & bits[advancement]}
        assert ours == expected
    assert int(t.enchant_advances) == bits["story/enchant_item"]
