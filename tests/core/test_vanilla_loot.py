"""The loot tables of rules/vanilla/1.19 against the game's own files."""

from fractions import Fraction

import pytest
from oracle import oracle, reading

from mirrorcraft.core.loot import check_table
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla("1.19")
# The other reading knows of no player who breaks a chorus flower, no shears for a cobweb, no functions of a pool.
UNREAD = {
    "cobweb",
    "chorus_flower",
    "nether_wart",
    "sweet_berry_bush",
    "attached_melon_stem",
    "attached_pumpkin_stem",
    "melon_stem",
    "pumpkin_stem",
}
GIVERS = (
    "armorer butcher cartographer cleric farmer fisherman fletcher leatherworker librarian mason "
    "shepherd toolsmith weaponsmith"
)
GAMEPLAY = {
    "cat_morning_gift",
    "fishing",
    "fishing/junk",
    "fishing/treasure",
    "piglin_bartering",
    *(f"hero_of_the_village/{giver}_gift" for giver in GIVERS.split()),
}
TOOLS = [
    (None, {}),
    ("stone_pickaxe", {}),
    ("netherite_pickaxe", {}),
    ("netherite_pickaxe", {"silk_touch": 1}),
    ("netherite_pickaxe", {"fortune": 3}),
    ("diamond_axe", {"fortune": 2}),
    ("diamond_shovel", {}),
    ("shears", {}),
]


@pytest.mark.parametrize(("part", "count"), [("blocks", 869), ("entities", 95)])
def test_every_table_has_the_json_of_the_game(part, count):
    theirs = {i[10:]: t for i, t in oracle("vanilla_119_loot.json")[part].items()}
    ours = {i: t for i, t in VANILLA.loot.items() if i.startswith(part + "/")}
    assert ours == theirs
    assert len(ours) == count


def test_of_the_gameplay_tables_only_the_catch_of_guardians_is_there():
    """The others are gifts, bartering and fishing: no skill brings them about."""
    theirs = {i[10:]: t for i, t in oracle("vanilla_119_loot.json")["gameplay"].items()}
    assert {i.removeprefix("gameplay/") for i in theirs.keys() - VANILLA.loot.keys()} == GAMEPLAY
    assert VANILLA.loot["gameplay/fishing/fish"] == theirs["gameplay/fishing/fish"]


def test_every_table_is_supported_and_its_chances_sum_to_one():
    for name, table in VANILLA.loot.items():
        assert check_table(table) == [], name
    for block in VANILLA.blocks:
        for tool, enchantments in TOOLS:
            assert sum(VANILLA.drops(block, tool, enchantments).values()) == 1, (block, tool)
    for entity in VANILLA.entities:
        for looting in (0, 3):
            for fire in (False, True):
                assert sum(VANILLA.kill(entity, looting=looting, on_fire=fire).values()) == 1


def test_the_golden_drops_are_met_exactly():
    cases = oracle("golden_drops_119.json")["vanilla"]
    assert len(cases) == 615
    for case in cases:
        expected = {tuple(map(tuple, stacks)): Fraction(p) for stacks, p in case["drops"]}
        if "block" in case:
            assert VANILLA.drops(case["block"], case["tool"], case["ench"]) == expected, case
        else:
            assert VANILLA.kill(case["entity"], looting=case["looting"]) == expected, case


@pytest.mark.parametrize(("tool", "enchantments"), TOOLS)
def test_every_block_drops_what_an_independent_reading_says(tool, enchantments):
    world = reading().World()
    for block in VANILLA.blocks.keys() - UNREAD:
        ours = VANILLA.drops(block, tool, enchantments)
        theirs = world.drops(block, tool, enchantments)
        assert _plain(ours) == _plain(theirs), block


def test_every_entity_drops_what_an_independent_reading_says():
    """Except slimes, of which the smallest stands for all here and none there, and guardians, whose fish it never cooks."""
    world = reading().World()
    for entity in VANILLA.entities.keys() - {"slime", "guardian", "elder_guardian"}:
        for looting, fire, player in [(0, False, True), (3, True, True), (1, False, False)]:
            ours = VANILLA.kill(entity, looting=looting, on_fire=fire, by_player=player)
            theirs = world.kill(entity, looting, fire, player)
            assert _plain(ours) == _plain(theirs), entity


def _plain(drops):
    """Without namespaces and impossible outcomes."""
    return {
        tuple((item.removeprefix("minecraft:"), n) for item, n in stacks): p
        for stacks, p in drops.items()
        if p
    }
