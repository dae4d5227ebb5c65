"""Enchanting tables: what is refused, what it costs, what can come of it."""

from collections import Counter
from math import sqrt

import pytest
from stage import Stage

from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.blocks import unpack

VANILLA = Rulebook.vanilla("1.19")
OPTIONS = ("lowest", "middle", "highest")


def study(seed: int = 7, **items: int) -> Stage:
    """Return a stage with an enchanting table beside the body."""
    stage = Stage(task="diamond", seed=seed).room().own(enchanting_table=1)
    assert stage.act("place", block="enchanting_table").outcome.ok
    return stage.own(**items)


# ---- refusals


@pytest.mark.parametrize(
    ("items", "args", "reason"),
    [
        ({"lapis_lazuli": 3}, {"item": "iron_pickaxe"}, Reason.MISSING_ITEM),
        ({"iron_pickaxe": 1}, {"item": "iron_pickaxe"}, Reason.NO_LAPIS),
        ({"iron_pickaxe": 1, "lapis_lazuli": 1}, {"item": "iron_pickaxe", "option": "middle"},
         Reason.NO_LAPIS),
        ({"iron_pickaxe": 1, "lapis_lazuli": 2}, {"item": "iron_pickaxe", "option": "highest"},
         Reason.NO_LAPIS),
        ({"dirt": 1, "lapis_lazuli": 3}, {"item": "dirt"}, Reason.NOT_ENCHANTABLE),
        ({"shears": 1, "lapis_lazuli": 3}, {"item": "shears"}, Reason.NOT_ENCHANTABLE),
        ({"enchanted_book": 1, "lapis_lazuli": 3}, {"item": "enchanted_book"},
         Reason.NOT_ENCHANTABLE),
    ],
)  # fmt: skip
def test_an_enchanting_that_cannot_be_takes_nothing(
    items: dict[str, int], args: dict[str, str], reason: Reason
):
    stage = study(**items)
    outcome = stage.act("enchant", **args).outcome
    assert (outcome.ok, outcome.reason, outcome.delta) == (False, reason, {})
    assert stage.seen.experience == {"level": 100}


def test_without_a_table_in_reach_there_is_none():
    stage = Stage().own(iron_pickaxe=1, lapis_lazuli=3)
    assert stage.reason("enchant", item="iron_pickaxe") == Reason.NEEDS_STATION


def test_one_item_is_enchanted_once():
    stage = study(iron_pickaxe=1, lapis_lazuli=9)
    assert stage.act("enchant", item="iron_pickaxe").outcome.ok
    assert stage.reason("enchant", item="iron_pickaxe") == Reason.NOT_ENCHANTABLE
    stage.own(iron_pickaxe=1)  # another one can be
    assert stage.act("enchant", item="iron_pickaxe").outcome.ok


def test_the_level_that_an_offer_asks_for_must_be_there():
    stage = study(iron_pickaxe=1, lapis_lazuli=3)
    stage.state.level = 0
    step = stage.act("enchant", item="iron_pickaxe")
    assert step.outcome.reason == Reason.NEEDS_LEVEL
    assert step.outcome.delta == {}
    stage.state.level = 1
    ok = stage.act("enchant", item="iron_pickaxe").outcome
    assert ok.ok or ok.reason == Reason.NEEDS_LEVEL


# ---- costs


@pytest.mark.parametrize(("option", "price"), [("lowest", 1), ("middle", 2), ("highest", 3)])
def test_an_offer_costs_its_lapis_and_as_many_levels(option: str, price: int):
    for seed in range(12):
        stage = study(seed, diamond_pickaxe=1, lapis_lazuli=5)
        step = stage.act("enchant", item="diamond_pickaxe", option=option)
        if step.outcome.reason == Reason.NO_OFFER:
            assert option != "lowest"
            assert step.outcome.delta == {}
            continue
        assert step.outcome.delta == {"lapis_lazuli": -price}
        assert step.observation.experience == {"level": 100 - price}
        assert step.audit.advancements == ("story/enchant_item",)
        assert step.outcome.result["item"] == "diamond_pickaxe"
        assert step.outcome.result["enchantments"]


def test_offers_of_an_episode_stay_until_one_is_taken_and_repeat_with_the_seed():
    for seed in range(8):
        patient, hasty = (study(seed, iron_sword=2, lapis_lazuli=9) for _ in range(2))
        patient.state.level = hasty.state.level = 0
        for stage in (patient, hasty):
            stage.act("enchant", item="iron_sword", option="highest")
        for _ in range(3):
            patient.act("wait", ticks=200)
        patient.state.level = hasty.state.level = 100
        taken = [
            stage.act("enchant", item="iron_sword", option="lowest") for stage in (patient, hasty)
        ]
        assert taken[0].outcome == taken[1].outcome


def asked(stage: Stage, option: str) -> int:
    """Return the level that an offer asks for, 0 for none, read off refusals."""
    stage.state.level = 0
    outcome = stage.act("enchant", item="iron_pickaxe", option=option).outcome
    if outcome.reason == Reason.NO_OFFER:
        return 0
    assert outcome.reason == Reason.NEEDS_LEVEL
    return int(outcome.result["detail"].split()[-1])


# With no bookshelf the base is one of 1..8; what an offer of it shows (EnchantmentHelper.getEnchantmentCost),
# nothing below 1, 2, 3. The body needs 1, 2 or 3 levels besides.
BASES = range(1, 9)
SHOWN = {
    "lowest": [max(b // 3, 1) for b in BASES],
    "middle": [b * 2 // 3 + 1 for b in BASES],
    "highest": list(BASES),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_offers_without_bookshelves_ask_for_the_levels_of_the_game_as_often(option: str):
    n, least = 400, OPTIONS.index(option) + 1
    expected = Counter(level if level >= least else 0 for level in SHOWN[option])
    stage = study(iron_pickaxe=1, lapis_lazuli=3)
    seen: Counter[int] = Counter()
    for seed in range(n):
        stage.state.seed = seed * 104729 + 11
        seen[asked(stage, option)] += 1
    assert seen.keys() == expected.keys()
    chi2 = sum((seen[v] - n * k / 8) ** 2 / (n * k / 8) for v, k in expected.items())
    assert chi2 < len(expected) + 4 * sqrt(2 * len(expected))


def test_bookshelves_raise_the_offers_unless_something_stands_between():
    stage = study(iron_pickaxe=1, lapis_lazuli=3)
    station = int(stage.state.station_pos[0])
    x, _, z = (int(v) for v in unpack(station))
    dx, dz = x - int(stage.state.x), z - int(stage.state.z)
    ring = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if max(abs(i), abs(j)) == 2]
    for i, j in ring:
        if (dx + i, dz + j) != (0, 0):
            for dy in (0, 1):
                stage.put(dx + i, dy, dz + j, "bookshelf")
    highest = []
    for seed in range(30):
        stage.state.seed = seed
        highest.append(asked(stage, "highest"))
    assert min(highest) == 30  # fifteen shelves: never under twice fifteen, and hardly ever over
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            for dy in (0, 1):
                if (i, j) != (0, 0):
                    stage.put(dx + i, dy, dz + j, "torch")
    stage.state.seed = 1
    assert asked(stage, "highest") <= 8


# ---- what comes of it


def enchanted(item: str, option: str, seeds: int) -> list[dict[str, int]]:
    found = []
    for seed in range(seeds):
        stage = study(seed, **{item: 1, "lapis_lazuli": 3})
        outcome = stage.act("enchant", item=item, option=option).outcome
        if outcome.ok:
            found.append(outcome.result["enchantments"])
    return found


@pytest.mark.parametrize("item", ["diamond_pickaxe", "golden_sword", "iron_boots", "bow", "book"])
def test_enchantments_fit_the_item_and_each_other(item: str):
    for levels in enchanted(item, "highest", 40):
        assert levels
        for name, level in levels.items():
            facts = VANILLA.enchantments[name]
            assert 1 <= level <= facts.max_level
            assert not facts.treasure
            assert not set(facts.excludes) & set(levels) - {name}
            if item == "diamond_pickaxe":
                assert name in {"efficiency", "unbreaking", "fortune", "silk_touch"}


def test_a_book_becomes_an_enchanted_book():
    stage = study(book=2, lapis_lazuli=3)
    step = stage.act("enchant", item="book")
    assert step.outcome.delta == {"book": -1, "enchanted_book": 1, "lapis_lazuli": -1}
    assert step.outcome.result["item"] == "enchanted_book"
    assert len(step.outcome.result["enchantments"]) == 1


def test_a_book_has_nowhere_to_go_in_a_full_inventory_and_no_tool_takes_its_enchantment():
    stage = study(book=2, iron_pickaxe=1, lapis_lazuli=64).fill()
    step = stage.act("enchant", item="book")
    assert (step.outcome.ok, step.outcome.reason) == (False, Reason.INVENTORY_FULL)
    assert step.outcome.delta == {}
    assert not stage.state.tool_enchants.any()
    alone = study(book=1, lapis_lazuli=64).fill()  # the last book leaves its slot to the new one
    assert alone.act("enchant", item="book").outcome.ok


def test_an_offer_too_weak_for_any_enchantment_takes_nothing():
    """Of a fishing rod's enchantments the cheapest starts at a power of 5."""
    refused = 0
    for seed in range(25):
        stage = study(seed, fishing_rod=1, lapis_lazuli=3)
        step = stage.act("enchant", item="fishing_rod", option="lowest")
        if step.outcome.ok:
            assert step.outcome.result["enchantments"]
        else:
            refused += 1
            assert (step.outcome.reason, step.outcome.delta) == (Reason.NO_OFFER, {})
            assert not step.audit.advancements
    assert refused


def test_an_enchanted_book_is_no_weapon():
    stage = Stage(world="plains-a").own(enchanted_book=1)
    stage.state.tool_enchants[0, 0] = (int(stage.tables.sharpness) + 1) << 4 | 5
    assert stage.act("attack", target="cow").outcome.ok
    assert stage.inventory["enchanted_book"] == 1
    assert stage.seen.equipped["hand"] is None


def test_unbreaking_spares_a_tool_and_fortune_multiplies():
    stage = Stage().room().own(golden_pickaxe=1)
    stage.state.tool_enchants[0, 0] = (int(stage.tables.unbreaking) + 1) << 4 | 3
    for _ in range(60):
        stage.put(1, 0, 0, "netherrack")
        stage.act("mine", block="netherrack")
    assert 5 < int(stage.state.tool_damage[0]) < 30  # sixty uses, of which a quarter wear
    stage.own(diamond_pickaxe=1)
    stage.state.tool_enchants[1, 0] = (int(stage.tables.fortune) + 1) << 4 | 3
    for k in range(24):
        stage.put(k % 6 - 3, 0, k // 6 + 1 if k % 6 < 4 else -1, "diamond_ore")
        stage.act("mine", block="diamond_ore")
    assert 35 < stage.inventory["diamond"] < 70  # 2.2 each on average


def test_silk_touch_keeps_the_ore():
    stage = Stage("M03").room().own(iron_pickaxe=1)
    stage.state.tool_enchants[0, 0] = (int(stage.tables.silk_touch) + 1) << 4 | 1
    stage.put(1, 0, 0, "diamond_ore")
    step = stage.act("mine", block="diamond_ore")
    assert step.outcome.delta == {"diamond_ore": 1}
    assert step.audit.encounters == ()
