"""How loot tables are rolled: known cases of the game, laws of distributions, and what is refused."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.loot import (
    NOTHING,
    LootContext,
    check_table,
    combine,
    distribution,
)
from mirrorcraft.core.loot_notation import LootNotation
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla("1.19")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def roll(*pools, **context):
    """Return the distribution of a table in the short notation."""
    table = LootNotation("test", {}).table("block", list(pools), "stone")
    return distribution(table, LootContext(**context), VANILLA)


def mean(drops, item):
    return sum(p * n for stacks, p in drops.items() for i, n in stacks if i == item)


def test_wrong_tools_give_nothing_and_right_tools_the_drop():
    assert VANILLA.drops("iron_ore", "wooden_pickaxe") == NOTHING
    assert VANILLA.drops("iron_ore", "golden_pickaxe") == NOTHING
    assert VANILLA.drops("iron_ore", "stone_pickaxe") == {(("raw_iron", 1),): 1}
    assert VANILLA.drops("diamond_ore", "stone_pickaxe") == NOTHING
    assert VANILLA.drops("diamond_ore", "iron_axe") == NOTHING
    assert VANILLA.drops("obsidian", "iron_pickaxe") == NOTHING
    assert VANILLA.drops("obsidian", "diamond_pickaxe") == {(("obsidian", 1),): 1}
    assert VANILLA.drops("oak_log") == {(("oak_log", 1),): 1}


def test_silk_touch_comes_first_and_fortune_multiplies():
    silk = VANILLA.drops("diamond_ore", "iron_pickaxe", {"silk_touch": 1, "fortune": 3})
    assert silk == {(("diamond_ore", 1),): 1}
    fortune = VANILLA.drops("diamond_ore", "iron_pickaxe", {"fortune": 3})
    assert fortune == {
        (("diamond", 1),): Fraction(2, 5),
        (("diamond", 2),): Fraction(1, 5),
        (("diamond", 3),): Fraction(1, 5),
        (("diamond", 4),): Fraction(1, 5),
    }


def test_a_bare_hand_still_rolls_for_seeds():
    ripe = VANILLA.drops("wheat", state={"age": "7"})
    p = Fraction(0.5714286).limit_denominator(10**7)
    seeds = {k: comb(3, k) * p**k * (1 - p) ** (3 - k) for k in range(4)}
    assert ripe == {(("wheat", 1), ("wheat_seeds", 1 + k)): q for k, q in seeds.items()}
    assert VANILLA.drops("wheat", state={"age": "6"}) == {(("wheat_seeds", 1),): 1}


def test_the_state_of_the_block_decides():
    assert VANILLA.drops("oak_slab", state={"type": "double"}) == {(("oak_slab", 2),): 1}
    assert VANILLA.drops("oak_door", state={"half": "upper"}) == NOTHING
    assert VANILLA.drops("oak_door", state={"half": "lower"}) == {(("oak_door", 1),): 1}
    snow = VANILLA.drops("snow", "iron_shovel", state={"layers": "3"})
    assert snow == {(("snowball", 3),): 1}
    assert VANILLA.drops("tall_grass", "shears", state={"half": "lower"}) == {(("grass", 2),): 1}


def test_burning_animals_drop_what_the_furnace_makes_of_their_meat():
    assert VANILLA.kill("chicken", on_fire=True).keys() == {
        (("cooked_chicken", 1),),
        (("cooked_chicken", 1), ("feather", 1)),
        (("cooked_chicken", 1), ("feather", 2)),
    }
    raw = {i: r for i, r in VANILLA.recipes.items() if i != "cooked_chicken"}
    unsmelted = VANILLA.replace(recipes=raw).kill("chicken", on_fire=True)
    assert mean(unsmelted, "chicken") == 1


def test_a_sheep_gives_the_wool_of_its_colour():
    assert mean(VANILLA.kill("sheep", variant="light_blue"), "light_blue_wool") == 1
    assert mean(VANILLA.kill("sheep"), "white_wool") == 0
    with pytest.raises(UnknownNameError, match="entities/sheep/green"):
        VANILLA.kill("sheep", variant="greenish")


def test_looting_rounds_a_real_number_so_its_ends_have_half_the_weight():
    drops = VANILLA.kill("squid", looting=2)
    bonus = {0: Fraction(1, 4), 1: HALF, 2: Fraction(1, 4)}
    expected = {}
    for base in (1, 2, 3):
        for extra, p in bonus.items():
            stacks = (("ink_sac", base + extra),)
            expected[stacks] = expected.get(stacks, 0) + p * THIRD
    assert drops == expected


def test_counts_at_or_below_zero_are_nothing():
    assert roll("stick : count -1..1") == {(): Fraction(2, 3), (("stick", 1),): THIRD}
    assert roll("stick : count -5..3, limit 2..") == {
        (("stick", 2),): Fraction(8, 9),
        (("stick", 3),): Fraction(1, 9),
    }


def test_the_order_of_functions_matters():
    assert roll("stick : count 2, add 3") == {(("stick", 5),): 1}
    assert roll("stick : add 3, count 2") == {(("stick", 2),): 1}


def test_weights_rolls_and_pools_combine():
    assert roll("stick *3 ; nothing") == roll("chance 0.75 | stick")
    two = roll("rolls 2 | stick ; coal")
    assert two == {
        (("stick", 2),): Fraction(1, 4),
        (("coal", 1), ("stick", 1)): HALF,
        (("coal", 2),): Fraction(1, 4),
    }
    assert roll("stick", "stick") == {(("stick", 2),): 1}
    assert roll("stick ; coal => count 2") == {(("stick", 2),): HALF, (("coal", 2),): HALF}
    assert roll("stick", "coal", "=> count 2") == {(("coal", 2), ("stick", 2)): 1}


def test_of_choices_the_first_that_holds_is_taken():
    assert roll("stick if chance 0.5 / coal if chance 0.5 / flint") == {
        (("stick", 1),): HALF,
        (("coal", 1),): Fraction(1, 4),
        (("flint", 1),): Fraction(1, 4),
    }
    assert roll("( stick if chance 0.5 / coal ) if chance 0.5 / flint") == {
        (("stick", 1),): Fraction(1, 4),
        (("coal", 1),): Fraction(1, 4),
        (("flint", 1),): HALF,
    }
    # What is not eligible leaves its weight to the others of the pool.
    assert roll("stick if chance 0.5 ; coal") == {
        (("stick", 1),): Fraction(1, 4),
        (("coal", 1),): Fraction(3, 4),
    }


def test_functions_reach_into_a_table_referred_to():
    table = {
        "type": "minecraft:block",
        "pools": [
            {
                "rolls": 1,
                "entries": [
                    {
                        "type": "minecraft:loot_table",
                        "name": "minecraft:blocks/bookshelf",
                        "functions": [{"function": "minecraft:set_count", "count": 1, "add": True}],
                    }
                ],
            }
        ],
    }
    assert distribution(table, LootContext(), VANILLA) == {(("book", 4),): 1}


def odds():
    parts = st.lists(st.integers(1, 9), min_size=1, max_size=3)
    return parts.map(
        lambda ws: {((("ab"[i % 2], i + 1),)): Fraction(w, sum(ws)) for i, w in enumerate(ws)}
    )


@given(odds(), odds(), odds())
def test_sums_of_yields_do_not_depend_on_the_order(a, b, c):
    assert combine(a, b) == combine(b, a)
    assert combine(combine(a, b), c) == combine(a, combine(b, c))
    assert sum(combine(a, b).values()) == 1
    assert combine(NOTHING, a) == a == combine(a, NOTHING)
    for item in "ab":
        assert mean(combine(a, b), item) == mean(a, item) + mean(b, item)


@pytest.mark.parametrize(
    ("pool", "name"),
    [
        ({"rolls": 1, "entries": [{"type": "minecraft:sequence"}]}, "entry sequence"),
        ({"rolls": {"type": "minecraft:score"}, "entries": []}, "number score"),
        (
            {"rolls": 1, "entries": [], "conditions": [{"condition": "minecraft:time_check"}]},
            "condition time_check",
        ),
        (
            {
                "rolls": 1,
                "entries": [
                    {
                        "type": "item",
                        "name": "stick",
                        "functions": [{"function": "minecraft:fill_player_head"}],
                    }
                ],
            },
            "function fill_player_head",
        ),
    ],
)
def test_what_is_not_supported_is_named_and_refused(pool, name):
    table = {"type": "minecraft:block", "pools": [pool]}
    assert check_table(table) == [name]
    with pytest.raises(InputError, match=name.split(" ")[1]):
        distribution(table, LootContext(), VANILLA)


@pytest.mark.parametrize(
    ("pool", "word"),
    [("stick : cuont 2", "cuont 2"), ("sivles | stick", "sivles"), ("stick if silky", "silky")],
)
def test_a_misspelt_word_of_the_notation_is_an_error_that_names_the_table(pool, word):
    with pytest.raises(InputError) as caught:
        roll(pool)
    assert caught.value.place == "minecraft:stone"
    assert caught.value.given == word


@pytest.mark.parametrize(
    "pool",
    ["stick : count two", "chance often | stick", "survives well | stick", "stick : decay 3"],
)
def test_a_word_with_the_wrong_arguments_is_an_error(pool):
    with pytest.raises(InputError, match="minecraft:stone"):
        roll(pool)
