"""Tags, fuels, blocks, items and advancements of rules/vanilla/1.19 against the game's own files."""

import pickle
import subprocess
import sys
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from oracle import oracle

from mirrorcraft.core.data import rules_dir
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.families import Families
from mirrorcraft.core.rulebook import MINING_CLASSES, Rulebook
from mirrorcraft.core.vanilla import _Reader

VANILLA = Rulebook.vanilla("1.19")
PROJECT = Path(__file__).resolve().parents[2]


def plain(value: Any) -> Any:
    """Return a JSON value of the oracle without the namespace."""
    if isinstance(value, str):
        return value.replace("minecraft:", "")
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    return value


@pytest.mark.parametrize("kind", ["items", "blocks"])
def test_tags_are_those_of_the_game_as_written_and_flattened(kind):
    tags = oracle("tags_119.json")
    ours = VANILLA.item_tags if kind == "items" else VANILLA.block_tags
    assert {n: list(members) for n, members in ours.items()} == plain(tags[kind])
    flat = {name: VANILLA.tag(kind, name) for name in ours}
    assert flat == {n: set(members) for n, members in plain(tags[kind + "_flat"]).items()}


def test_an_unknown_tag_is_an_error_with_a_hint():
    with pytest.raises(UnknownNameError, match="planks"):
        VANILLA.tag("items", "plank")


def test_fuels_burn_as_long_as_in_the_game():
    assert dict(VANILLA.fuels) == plain(oracle("fuels_119.json")["ticks"])


def test_blocks_have_the_hardness_tool_and_tier_of_the_game():
    blocks = plain(oracle("blocks_119.json")["blocks"])
    ours = {
        name: (b.hardness, b.requires_tool, sorted(b.tools), b.tier)
        for name, b in VANILLA.blocks.items()
    }
    assert ours == {
        name: (b["hardness"], b["requires_tool"], sorted(b["tools"]), b["tier"])
        for name, b in blocks.items()
    }
    assert list(VANILLA.blocks) == sorted(blocks)


def test_items_have_the_stack_wear_food_block_and_remainder_of_the_game():
    items = plain(oracle("items_119.json")["items"])
    ours = {
        name: (i.stack, i.durability, i.food, i.block, i.remainder)
        for name, i in VANILLA.items.items()
    }
    assert ours == {
        name: (
            i["stack"],
            i.get("durability"),
            i.get("food", False),
            i.get("block"),
            i.get("craft_remainder"),
        )
        for name, i in items.items()
    }
    assert list(VANILLA.items) == sorted(items)


def test_tools_wear_by_their_tier():
    durability = oracle("blocks_119.json")["rules"]["durability"]
    tools = {n: i for n, i in VANILLA.items.items() if i.tier}
    assert len(tools) == 6 * 5
    for name, item in tools.items():
        assert name == f"{item.tier}_{item.tool}"
        assert item.durability == durability[item.tier]


def test_names_that_facts_refer_to_exist():
    for block in VANILLA.blocks.values():
        assert block.item is None or block.item in VANILLA.items
    for item in VANILLA.items.values():
        assert item.block is None or item.block in VANILLA.blocks
        assert item.remainder is None or item.remainder in VANILLA.items
    for entity in VANILLA.entities.values():
        assert entity.loot in VANILLA.loot
    file = _Reader(rules_dir() / "vanilla" / "1.19").file("blocks")
    families = Families(_Reader(rules_dir() / "vanilla" / "1.19").file("families"), "families")
    for part in ("replaceable", "passable"):
        assert set(families.ids(file[part])) <= VANILLA.blocks.keys()


def test_what_covers_the_ground_can_be_replaced_and_what_is_replaced_mostly_walked_through():
    open_to_building = {n for n, b in VANILLA.blocks.items() if b.replaceable}
    assert {"air", "water", "lava", "grass", "snow", "fire", "vine"} <= open_to_building
    assert not any(VANILLA.blocks[n].solid for n in open_to_building)
    for name in ("stone", "oak_leaves", "ice", "cactus", "chest", "oak_door", "glass", "lily_pad"):
        assert VANILLA.blocks[name].solid
        assert not VANILLA.blocks[name].replaceable
    for name in ("poppy", "torch", "sugar_cane", "oak_sapling", "rail", "wheat"):
        assert not VANILLA.blocks[name].solid


def test_enchantments_and_entities_are_names_of_the_game():
    registry = plain(oracle("registries_119.json")["registry"])
    assert set(VANILLA.enchantments) == set(registry["enchantment"])
    assert set(VANILLA.entities) <= set(registry["entity_type"])
    for name, enchantment in VANILLA.enchantments.items():
        for other in enchantment.excludes:
            assert name in VANILLA.enchantments[other].excludes


def test_advancements_are_those_of_the_game():
    theirs = oracle("advancements_119.json")["advancements"]
    assert set(VANILLA.advancements) == set(plain(theirs))
    for name, advancement in VANILLA.advancements.items():
        theirs_one = theirs["minecraft:" + name]
        assert advancement.parent == plain(theirs_one.get("parent"))
        assert advancement.criteria == theirs_one["criteria"]
        assert [list(g) for g in advancement.requirements] == theirs_one["requirements"]


@pytest.mark.parametrize(
    ("item", "advancements"),
    [
        ("cobblestone", ("story/mine_stone",)),
        ("blackstone", ("story/mine_stone",)),
        ("cobbled_deepslate", ("story/mine_stone",)),
        ("stone", ()),
        ("iron_ingot", ("story/smelt_iron",)),
        ("iron_nugget", ()),
        ("iron_pickaxe", ("story/iron_tools",)),
        ("iron_hoe", ()),
        ("diamond", ("story/mine_diamond",)),
        ("diamond_block", ()),
        ("netherite_pickaxe", ()),
        ("obsidian", ("story/form_obsidian",)),
        ("iron_boots", ("story/obtain_armor",)),
        ("iron_helmet", ("story/obtain_armor",)),
        ("enchanted_book", ()),
    ],
)
def test_a_stack_in_the_inventory_completes(item, advancements):
    assert VANILLA.triggered_by(item) == advancements


# --- breaking


def formula(block, tool, haste, efficiency):
    """The rule of the oracle, written out in exact numbers."""
    file = oracle("blocks_119.json")
    facts, rules = file["blocks"]["minecraft:" + block], file["rules"]
    if facts["hardness"] < 0:
        return None
    tier, _, kind = (tool or "").rpartition("_")
    right = kind in facts["tools"] and kind in MINING_CLASSES
    level = rules["tier_level"]
    harvests = not facts["requires_tool"] or (
        right and level[tier] >= level[facts["tier"] or "wooden"]
    )
    speed = rules["tool_speed"][tier] if right else 1
    speed += efficiency**2 + 1 if speed > 1 and efficiency else 0
    speed = Fraction(speed) * (5 + haste) / 5
    progress = speed / (30 if harvests else 100)
    hardness = Fraction(str(facts["hardness"]))
    return 0 if progress >= hardness else ceil(hardness / progress)


@pytest.mark.parametrize(
    "tool", [None, "wooden_pickaxe", "stone_axe", "diamond_shovel", "iron_hoe"]
)
@pytest.mark.parametrize(("haste", "efficiency"), [(0, 0), (3, 0), (0, 5), (2, 1)])
def test_every_block_breaks_in_the_ticks_of_the_formula(tool, haste, efficiency):
    for block in VANILLA.blocks:
        ticks = VANILLA.break_ticks(block, tool, haste=haste, efficiency=efficiency)
        assert ticks == formula(block, tool, haste, efficiency), block


def test_known_times():
    assert VANILLA.break_ticks("stone") == 150
    assert VANILLA.break_ticks("stone", "wooden_pickaxe") == 23
    assert VANILLA.break_ticks("obsidian", "diamond_pickaxe") == 188
    assert VANILLA.break_ticks("obsidian", "iron_pickaxe") == 834
    assert VANILLA.break_ticks("oak_log") == 60
    assert VANILLA.break_ticks("bedrock", "netherite_pickaxe") is None
    assert VANILLA.break_ticks("torch") == 0
    assert VANILLA.break_ticks("oak_leaves", "shears") == 0
    assert VANILLA.break_ticks("white_wool", "shears") == 5
    assert VANILLA.break_ticks("cobweb", "stone_sword") == 8
    assert VANILLA.break_ticks("cobweb") == 400


def test_tools_by_class_and_tier():
    assert VANILLA.harvestable("dirt", None)
    assert not VANILLA.harvestable("stone", None)
    assert VANILLA.harvestable("stone", "golden_pickaxe")
    assert not VANILLA.harvestable("iron_ore", "golden_pickaxe")
    assert not VANILLA.harvestable("stone", "netherite_sword")
    assert VANILLA.harvestable("cobweb", "shears")
    assert VANILLA.harvestable("cobweb", "wooden_sword")
    with pytest.raises(UnknownNameError, match="did you mean"):
        VANILLA.harvestable("iron_or", None)
    with pytest.raises(UnknownNameError, match="did you mean"):
        VANILLA.break_ticks("stone", "iron_pickax")


# --- the rulebook as a value


def test_rulebooks_are_equal_by_their_rules_and_not_by_name():
    renamed = VANILLA.replace(name="other")
    assert renamed == VANILLA
    assert hash(renamed) == hash(VANILLA)
    stick = VANILLA.recipes["stick"]
    changed = VANILLA.replace(recipes={**VANILLA.recipes, "stick": VANILLA.recipes["ladder"]})
    assert changed != VANILLA
    assert changed.replace(recipes={**changed.recipes, "stick": stick}) == VANILLA
    assert VANILLA != "vanilla"


def test_a_rulebook_survives_the_way_to_another_process():
    VANILLA.craft([["oak_log"]])
    again = pickle.loads(pickle.dumps(VANILLA))
    assert again == VANILLA
    assert again.craft([["oak_log"]]) == VANILLA.craft([["oak_log"]])


def test_the_digest_does_not_depend_on_the_hash_seed():
    code = "from mirrorcraft.core.rulebook import Rulebook; print(Rulebook.vanilla().digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "7")
    }
    assert digests == {VANILLA.digest}


def test_an_unknown_version_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"1\.19"):
        Rulebook.vanilla("1.7.10")


def test_the_data_files_stay_small_and_have_lines_that_a_person_can_read():
    files = sorted((rules_dir() / "vanilla" / "1.19").glob("*.json"))
    texts = [f.read_text(encoding="utf-8") for f in files]
    assert sum(map(len, texts)) < 200_000
    longest = max(len(line) for text in texts for line in text.splitlines())
    assert longest < 240


def test_a_broken_row_is_an_error_that_names_file_and_row(tmp_path):
    folder = tmp_path / "1.19"
    folder.mkdir()
    for file in (rules_dir() / "vanilla" / "1.19").glob("*.json"):
        (folder / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    recipes = folder / "recipes.json"
    good = recipes.read_text(encoding="utf-8")

    def error(before, after):
        assert before in good
        recipes.write_text(good.replace(before, after, 1), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            list(_Reader(folder).crafting())
        return str(caught.value)

    assert "recipes.json: anvil" in error('"anvil": {"shape"', '"anvil": {"shap"')
    assert "anvil: key: got 'i'" in error(
        '"I": "iron_block", "i": "iron_ingot"', '"I": "iron_block"'
    )
    assert "a family (color" in error("{color}_banner", "{colour}_banner")
    assert "no such field" in error('"mix": ["coal_block"]', '"gruop": "x", "mix": ["coal_block"]')
    assert "each id once" in error('"arrow": {', '"{anvil|arrow}": {')
