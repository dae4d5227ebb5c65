"""What the body does and refuses: tools, placing, wearing, collecting, climbing, searching, fighting, crafting."""

import pytest
from stage import Stage

from mirrorcraft.core.action import Action
from mirrorcraft.core.data import body
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.sim.layout import MAX_DROPS, MAX_STATIONS, SLOTS

VANILLA = Rulebook.vanilla("1.19")
PLANKS, STICK = "oak_planks", "stick"


def beside(block: str, suite: str = "vanilla", **items: int) -> Stage:
    """Return a stage with a block beside the body."""
    stage = Stage(suite).room().own(**items)
    stage.put(1, 0, 0, block)
    return stage


# ---- mining: tools


@pytest.mark.parametrize(
    ("block", "tool", "enough"),
    [
        ("iron_ore", None, False),
        ("iron_ore", "wooden_pickaxe", False),
        ("iron_ore", "golden_pickaxe", False),
        ("iron_ore", "stone_axe", False),
        ("iron_ore", "stone_pickaxe", True),
        ("diamond_ore", "stone_pickaxe", False),
        ("diamond_ore", "iron_pickaxe", True),
        ("obsidian", "iron_pickaxe", False),
        ("obsidian", "diamond_pickaxe", True),
        ("stone", None, False),
        ("stone", "wooden_pickaxe", True),
        ("snow_block", "wooden_pickaxe", False),
        ("snow_block", "wooden_shovel", True),
        ("dirt", None, True),
        ("oak_log", None, True),
    ],
)
def test_a_block_needs_its_tool(block: str, tool: str | None, enough: bool):
    stage = beside(block)
    stage.own(**({tool: 1} if tool else {}))
    outcome = stage.act("mine", block=block).outcome
    if enough:
        assert (outcome.ok, outcome.reason) == (True, None)
        assert outcome.result["broken"] == {block: 1}
        assert outcome.result["collected"]
        assert stage.seen.equipped["hand"] == (tool if tool else None)
    else:
        assert (outcome.ok, outcome.reason, outcome.delta) == (False, Reason.NEEDS_TOOL, {})
        facts = VANILLA.blocks[block]
        assert f"a {facts.tier or 'wooden'} {facts.tools[0]} or better" in outcome.result["detail"]
        assert stage.at(1, 0, 0) == block


def test_the_fastest_fitting_tool_is_taken_and_wears():
    stage = beside("andesite", wooden_pickaxe=1, iron_pickaxe=1, diamond_axe=1, diamond_shovel=1)
    outcome = stage.act("mine", block="andesite").outcome
    assert stage.seen.equipped["hand"] == "iron_pickaxe"
    pause = 6  # the game's delay between two blocks that take time
    assert outcome.ticks == (VANILLA.break_ticks("andesite", "iron_pickaxe", haste=2) or 0) + pause
    damage = {
        stage.names.items[stage.state.tool_item[t]]: int(stage.state.tool_damage[t])
        for t in range(stage.state.n_tools)
    }
    expected = {"wooden_pickaxe": 0, "iron_pickaxe": 1, "diamond_axe": 0, "diamond_shovel": 0}
    assert damage == expected


def test_a_tool_breaks_at_its_last_use_and_leaves_the_hand():
    stage = beside("stone", wooden_pickaxe=1)
    uses = VANILLA.items["wooden_pickaxe"].durability or 0
    for use in range(uses):
        assert stage.inventory["wooden_pickaxe"] == 1, use
        stage.put(1, 0, 0, "cobblestone")
        assert stage.act("mine", block="cobblestone").outcome.ok
    assert "wooden_pickaxe" not in stage.inventory
    assert stage.seen.equipped["hand"] is None
    stage.put(1, 0, 0, "stone")
    assert stage.reason("mine", block="stone") == Reason.NEEDS_TOOL


def test_more_than_there_is_is_partial():
    stage = beside("sponge")
    outcome = stage.act("mine", block="sponge", count=4).outcome
    assert (outcome.ok, outcome.reason) == (True, Reason.PARTIAL)
    assert outcome.delta == {"sponge": 1}
    assert stage.reason("mine", block="sponge") == Reason.NOT_FOUND


def test_a_block_that_nothing_breaks_is_never_broken():
    stage = beside("bedrock", netherite_pickaxe=1)
    assert not stage.act("mine", block="bedrock").outcome.ok
    assert stage.at(1, 0, 0) == "bedrock"


def test_any_trunk_is_a_log():
    for block in ("mangrove_log", "stripped_birch_wood", "crimson_stem", "warped_hyphae"):
        stage = beside(block)
        assert stage.act("mine", block="log").outcome.delta == {block: 1}


# ---- what falls off


def test_each_segment_of_sugar_cane_gives_what_it_gives():
    for suite, more in (("vanilla", {}), ("M02", {"leather": 3})):
        stage = beside("sugar_cane", suite)
        stage.put(1, 1, 0, "sugar_cane")
        stage.put(1, 2, 0, "sugar_cane")
        stage.put(1, 3, 0, "air")
        step = stage.act("mine", block="sugar_cane")
        assert step.outcome.delta == {"sugar_cane": 3} | more
        assert step.audit.encounters == (("M02.sugar_cane",) if more else ())
        assert [stage.at(1, dy, 0) for dy in range(3)] == ["air"] * 3


def test_a_flower_comes_off_with_the_ground_under_it_and_snow_leaves_nothing():
    stage = beside("dirt")
    stage.put(1, 1, 0, "poppy")
    assert stage.act("mine", block="dirt").outcome.delta == {"dirt": 1, "poppy": 1}
    stage.put(1, 0, 0, "dirt")
    stage.put(1, 1, 0, "snow")
    assert stage.act("mine", block="dirt").outcome.delta == {"dirt": 1}
    assert stage.at(1, 1, 0) == "air"


# ---- room


def test_what_does_not_fit_lies_on_the_ground_until_it_is_collected():
    stage = beside("oak_log").fill()
    step = stage.act("mine", block="oak_log")
    assert step.outcome.reason == Reason.PICKUP_FAILED
    assert step.outcome.result["broken"] == {"oak_log": 1}
    assert step.observation.drops.keys() == {"oak_log"}
    assert stage.reason("collect", item="oak_log") == Reason.INVENTORY_FULL
    step = stage.lose(dirt=64).act("collect", item="oak_log")
    assert step.outcome.delta == {"oak_log": 1}
    assert step.observation.drops == {}
    assert stage.reason("collect", item="oak_log") == Reason.NOT_FOUND


def test_drops_vanish_after_five_minutes():
    stage = beside("oak_log").fill()
    stage.act("mine", block="oak_log")
    for _ in range(body()["drop_ticks"] // 200 - 1):
        assert stage.act("wait", ticks=200).observation.drops
    stage.act("wait", ticks=200)
    assert stage.seen.drops == {}


def test_a_drop_out_of_the_radius_is_out_of_range():
    stage = beside("oak_log").fill()
    stage.act("mine", block="oak_log")
    stage.state.x += body()["collect_radius"] + 3
    assert stage.reason("collect", item="oak_log") == Reason.OUT_OF_RANGE


def test_the_ground_holds_so_many_heaps_and_the_oldest_gives_way():
    stage = Stage().room().own(netherite_pickaxe=1).fill()
    colours = [b for b in VANILLA.blocks if b.endswith(("_wool", "_concrete", "_terracotta"))]
    colours += [b for b in VANILLA.blocks if b.endswith(("_planks", "_log"))]
    assert len(colours) > MAX_DROPS
    for block in colours:
        stage.put(1, 0, 0, block)
        stage.act("mine", block=block)
    assert stage.state.n_drops == MAX_DROPS
    assert colours[-1] in stage.seen.drops
    assert colours[0] not in stage.seen.drops


# ---- crafting


def test_a_craft_takes_exactly_what_lies_in_the_grid():
    stage = Stage().own(oak_planks=9, stick=9)
    step = stage.act("craft_grid", station="inventory", grid=[[PLANKS], [PLANKS]])
    assert step.outcome.delta == {PLANKS: -2, STICK: 4}
    assert step.outcome.result == {"item": STICK, "count": 4}
    grid = [[PLANKS, PLANKS, PLANKS], [None, STICK, None], [None, STICK, None]]
    assert stage.reason("craft_grid", station="crafting_table", grid=grid) == Reason.NEEDS_TABLE
    stage.own(crafting_table=1).act("place", block="crafting_table")
    step = stage.act("craft_grid", station="crafting_table", grid=grid)
    assert step.outcome.delta == {PLANKS: -3, STICK: -2, "wooden_pickaxe": 1}


@pytest.mark.parametrize(
    ("items", "grid", "reason"),
    [
        ({"oak_log": 1}, [["oak_log", "oak_log"]], Reason.MISSING_ITEM),
        ({"oak_log": 2}, [["oak_log", "oak_log"]], Reason.NO_RESULT),
        ({"dirt": 4}, [["dirt", "dirt"], ["dirt", "dirt"]], Reason.NO_RESULT),
        ({}, [["diamond"]], Reason.MISSING_ITEM),
    ],
)
def test_a_grid_that_makes_nothing_gives_its_items_back(
    items: dict[str, int], grid: list[list[str]], reason: Reason
):
    stage = Stage().own(**items)
    outcome = stage.act("craft_grid", station="inventory", grid=grid).outcome
    assert (outcome.ok, outcome.reason, outcome.delta) == (False, reason, {})


def test_a_result_that_fits_only_where_the_ingredients_lay_is_made():
    full = Stage().own(oak_log=1).fill()
    step = full.act("craft_grid", station="inventory", grid=[["oak_log"]])
    assert step.outcome.delta == {"oak_log": -1, PLANKS: 4}
    no_room = Stage().own(oak_log=2).fill()
    step = no_room.act("craft_grid", station="inventory", grid=[["oak_log"]])
    assert (step.outcome.reason, step.outcome.delta) == (Reason.INVENTORY_FULL, {})


def test_empty_buckets_come_back():
    stage = Stage().room().own(milk_bucket=3, sugar=2, egg=1, wheat=3, crafting_table=1)
    stage.act("place", block="crafting_table")
    milk, wheat = ["milk_bucket"] * 3, ["wheat"] * 3
    grid = [milk, ["sugar", "egg", "sugar"], wheat]
    step = stage.act("craft_grid", station="crafting_table", grid=grid)
    made = {"cake": 1, "bucket": 3}
    used = {"milk_bucket": -3, "sugar": -2, "egg": -1, "wheat": -3}
    assert step.outcome.delta == made | used


# ---- hands


def test_place_and_mine_back_is_no_gain_and_no_loss():
    stage = Stage().room().own(crafting_table=1, oak_log=1, dirt=1)
    before = stage.inventory
    for block in before:
        assert stage.act("place", block=block).outcome.delta == {block: -1}
        assert stage.act("mine", block=block).outcome.delta == {block: 1}
    assert stage.inventory == before
    assert stage.seen.facilities == {}


@pytest.mark.parametrize(
    ("item", "reason"),
    [("stick", Reason.NOT_PLACEABLE), ("iron_pickaxe", Reason.NOT_PLACEABLE),
     ("furnace", Reason.MISSING_ITEM)],
)  # fmt: skip
def test_what_cannot_be_placed(item: str, reason: Reason):
    stage = Stage().own(stick=1, iron_pickaxe=1)
    assert stage.reason("place", block=item) == reason


def test_without_a_free_spot_nothing_is_placed():
    stage = Stage().room().own(furnace=1)
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if (dx, dz) != (0, 0):
                    stage.put(dx, dy, dz, "stone")
    stage.put(0, -1, 0, "stone")
    assert stage.reason("place", block="furnace") == Reason.NO_SPOT
    assert stage.inventory == {"furnace": 1}


def test_only_so_many_stations_can_stand():
    stage = Stage().room(side=9).own(furnace=MAX_STATIONS + 1)
    x, place = int(stage.state.x), Action("place", {"block": "furnace"})
    placed = 0
    for dx in (-8, -5, -2, 1, 4, 7, 8):  # eight spots around each
        stage.state.x = x + dx
        placed += sum(stage.backend.step(place).outcome.ok for _ in range(9))
    assert placed == stage.state.n_stations == MAX_STATIONS
    assert stage.backend.step(place).outcome.reason == Reason.NO_SPOT
    assert stage.state.counts[stage.names.item["furnace"]] == 1


def test_tools_go_in_the_hand_and_armor_on_the_body():
    stage = Stage().own(iron_sword=1, iron_boots=1, diamond_boots=1, stick=1, furnace=1)
    assert stage.state.occupied == 5
    for item, slot in (("iron_sword", "hand"), ("iron_boots", "feet"), ("stick", "hand")):
        assert stage.act("equip", item=item).outcome.ok
        assert stage.seen.equipped[slot] == item
    assert stage.state.occupied == 4
    assert stage.act("equip", item="diamond_boots").outcome.ok
    assert stage.seen.equipped["feet"] == "diamond_boots"
    assert stage.state.occupied == 4
    assert stage.reason("equip", item="furnace") == Reason.NOT_EQUIPPABLE
    assert stage.reason("equip", item="shield") == Reason.MISSING_ITEM


def test_a_worn_piece_leaves_room_for_one_thing_more():
    stage = Stage().own(iron_helmet=1).fill()
    assert stage.state.occupied == SLOTS
    stage.act("equip", item="iron_helmet")
    assert stage.state.occupied == SLOTS - 1
    stage.own(oak_log=1)
    assert stage.state.occupied == SLOTS


def test_a_pumpkin_is_held_and_its_stack_keeps_its_slot():
    stage = Stage().own(carved_pumpkin=2)
    assert stage.act("equip", item="carved_pumpkin").outcome.ok
    assert stage.seen.equipped["hand"] == "carved_pumpkin"
    assert stage.state.occupied == 1


# ---- getting about


def test_ascend_rises_on_owned_blocks_and_takes_as_many():
    stage = Stage().room().own(cobblestone=3)
    y = stage.seen.position["y"]
    assert stage.reason("ascend", height=4) == Reason.NO_SCAFFOLD
    step = stage.act("ascend", height=3)
    assert step.outcome.delta == {"cobblestone": -3}
    assert step.outcome.result == {"rise": 3}
    assert step.observation.position["y"] == y + 3
    assert [stage.at(0, dy, 0) for dy in (-3, -2, -1)] == ["cobblestone"] * 3


def test_ascend_zero_comes_up_from_a_mine():
    stage = Stage().own(iron_pickaxe=1)
    assert stage.act("prepare_access", target="diamond_ore").outcome.ok
    assert stage.act("mine", block="diamond_ore").outcome.ok
    low = stage.seen.position["y"]
    step = stage.act("ascend", height=0)
    assert step.outcome.ok
    assert step.observation.position["y"] > low
    assert stage.at(0, 0, 0) == "air"


def test_explore_finds_a_tree_and_a_cow_and_ends_close_to_them():
    for world in ("plains-a", "savanna-a"):
        stage = Stage(world=world)
        assert stage.act("explore", target="log").outcome.ok
        near = min(d for b, d in stage.seen.targets.items() if b.endswith("_log"))
        assert near < 12
        assert stage.act("explore", target="cow").outcome.ok
        assert stage.seen.entities["cow"]["nearest"] < 8


def test_explore_takes_its_time_and_sees_new_country_for_what_is_not_there():
    stage = Stage()
    x, z = stage.seen.position["x"], stage.seen.position["z"]
    step = stage.act("explore", target="ancient_debris")
    assert (step.outcome.ok, step.outcome.reason) == (False, Reason.NOT_FOUND)
    assert step.outcome.ticks >= body()["explore_ticks"] - 1
    there = step.observation.position
    assert (there["x"], there["z"]) != (x, z)


@pytest.mark.parametrize("target", ["happiness", "iron_ingot", "plains", "minecraft:stick"])
def test_only_blocks_and_living_things_can_be_searched_for(target: str):
    assert Stage().reason("explore", target=target) == Reason.NOT_SEARCHABLE


def test_prepare_access_opens_the_way_and_harvests_nothing_on_purpose():
    stage = Stage().own(diamond_pickaxe=1)
    step = stage.act("prepare_access", target="diamond_ore")
    assert step.outcome.ok
    assert "diamond" not in step.outcome.delta
    assert step.outcome.result["changed"] <= body()["access_blocks"] + 8
    assert step.observation.targets["diamond_ore"] <= body()["reach"]
    assert stage.reason("prepare_access", target="ancient_debris") == Reason.NOT_FOUND


# ---- animals


def test_a_killed_animal_is_gone_and_what_it_drops_is_owned():
    stage = Stage()
    before = stage.seen.entities["cow"]["count"]
    step = stage.act("attack", target="cow", count=2)
    assert step.outcome.result["killed"] == {"cow": 2}
    assert 2 <= step.outcome.delta["beef"] <= 6
    assert step.observation.entities["cow"]["count"] <= before - 2 + 4  # others come into sight
    assert int(stage.state.dead.sum()) == 2


def test_what_does_not_live_here_cannot_be_attacked():
    assert Stage().reason("attack", target="zombie") == Reason.NOT_FOUND


def test_no_villager_trades():
    stage = Stage().own(emerald=3)
    assert stage.reason("trade", give="emerald", get="bread") == Reason.NO_VILLAGER


def test_waiting_passes_time():
    stage = Stage()
    assert stage.act("wait", ticks=120).outcome.ticks == 120
    assert stage.act("wait").outcome.ticks == 20


def test_every_world_starts_in_the_open_with_something_to_do():
    for world in World.names():
        stage = Stage(world=world)
        assert stage.at(0, 0, 0) not in ("water", "lava")
        assert not VANILLA.blocks[stage.at(0, 0, 0)].solid
        assert VANILLA.blocks[stage.at(0, -1, 0)].solid
        assert "cow" in stage.seen.entities or stage.act("explore", target="cow").outcome.ok
