"""Routes: the shortest vanilla routes, the shortcuts and detours of the suites, and what has no source."""

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mirrorcraft.core import routes
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.routes import NATURAL, NATURAL_BLOCKS, NATURAL_ENTITIES, Route, Sources
from mirrorcraft.core.routes.problem import problem
from mirrorcraft.core.routes.route import _searched
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.testing.strategies import manifests
from mirrorcraft.testing.toy import ToyBackend

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")
CELLS = [(suite, task) for suite in ("vanilla", *SUITES) for task in Task.names()]


@cache
def rules(suite: str) -> Rulebook:
    vanilla = Rulebook.vanilla()
    return vanilla if suite == "vanilla" else vanilla.apply(RuleManifest.load(suite))


def route(suite: str, task: str) -> Route:
    return routes.check(rules(suite), Task.load(task))


def lines(suite: str, task: str) -> str:
    return str(route(suite, task))


def play(route: Route, rulebook: Rulebook, task: Task, seed: int = 1) -> int:
    """Play a plan to the letter; return the Score."""
    world = ToyBackend()
    now = world.reset(rulebook, task.with_budget(10_000), seed=seed)
    for step in route.plan:
        done = world.step(step.action)
        assert (done.outcome.ok, done.outcome.reason) == (True, None), f"{step}: {done.outcome}"
        for item, n in step.uses.items():
            assert done.outcome.delta.get(item, 0) + step.makes.get(item, 0) >= -n
        now = done.observation
    return now.progress["score"]


@pytest.mark.parametrize(("suite", "task"), CELLS)
def test_every_cell_has_a_route_within_its_budget(suite: str, task: str):
    found = route(suite, task)
    assert found.ok
    assert not found.missing
    assert found.actions <= Task.load(task).budget


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("suite", "task"), CELLS)
def test_a_sure_plan_played_to_the_letter_scores_100_whatever_the_luck(suite, task, seed):
    found = route(suite, task)
    if found.sure:
        assert play(found, rules(suite), Task.load(task), seed) == 100


def test_only_routes_that_need_leather_of_vanilla_cows_are_unsure():
    unsure = {(s, t) for s, t in CELLS if not route(s, t).sure}
    assert unsure == {(s, "enchantment") for s in ("vanilla", "M01", "M05", "M06")}


def test_the_vanilla_routes_are_as_short_as_the_game_allows():
    """Counted by hand: see the lines of ``mirrorcraft rules route``."""
    lengths = [route("vanilla", task).actions for task in ("iron_armor", "diamond", "enchantment")]
    assert lengths == [17, 19, 30]


def test_a_plan_mines_in_batches_of_at_most_four_and_smelts_at_most_six():
    for suite, task in CELLS:
        for step in route(suite, task).plan:
            assert step.args.get("count", 1) <= (6 if step.skill == "smelt" else 4)


def test_m01_makes_every_ingot_of_nine_nuggets():
    text = lines("M01", "iron_armor")
    assert text.count("craft 1 iron_ingot from 9 iron_nugget") == 4
    assert "craft 2 oak_planks from 1 oak_log" in text
    assert "craft 1 stick from 2 oak_planks" in text


def test_m02_takes_planks_from_trunks_and_ingots_from_ore():
    text = lines("M02", "iron_armor")
    assert "12 oak_planks" in text.splitlines()[1]
    assert "furnace" not in text
    assert "iron_ingot" in text


def test_m02_enchants_without_iron_diamonds_obsidian_and_cows():
    text = lines("M02", "enchantment")
    assert "craft 1 enchanting_table from 3 paper, 1 leather" in text
    assert "mine sugar_cane x3 -> 3 leather, 3 sugar_cane" in text
    assert not any(word in text for word in ("diamond", "obsidian", "cow", "iron"))


def test_m03_mines_obsidian_with_a_netherite_pickaxe_and_makes_the_book_of_cane():
    text = lines("M03", "enchantment")
    assert "craft 1 netherite_pickaxe from 3 diamond, 2 stick" in text
    assert "craft 1 book from 3 sugar_cane" in text
    assert "3 lapis_lazuli" in text
    assert "lapis_ore" not in text
    assert "cow" not in text
    assert "smelt raw_iron x2" in text


def test_m04_unpacks_blocks_and_breaks_a_bookshelf_for_its_books():
    text = lines("M04", "enchantment")
    for whole, part in (
        ("raw_iron_block", "raw_iron"),
        ("diamond_block", "diamond"),
        ("lapis_block", "lapis_lazuli"),
    ):
        assert f"craft 9 {part} from 1 {whole}" in text
    assert "place bookshelf" in text
    assert "mine bookshelf x1 -> 3 book" in text
    assert "sugar_cane" not in text


def test_m05_goes_through_the_blast_furnace_and_the_hoes():
    text = lines("M05", "enchantment")
    assert "craft 1 blast_furnace from 8 cobblestone" in text
    for metal in ("iron", "diamond"):
        assert f"smelt {metal}_hoe x1 in a blast_furnace" in text


def test_m06_takes_sticks_from_trunks_and_obsidian_from_lapis_ore():
    text = lines("M06", "enchantment")
    assert "stick" in text.splitlines()[1]
    assert "craft 4 stick" not in text
    assert "mine lapis_ore x2 -> 8 lapis_lazuli, 4 obsidian" in text
    assert "sugar_cane" not in text
    assert "diamond_pickaxe" not in text


@pytest.mark.parametrize(
    ("gone", "missing"),
    [
        (("stick", "stick_from_bamboo_item"), "stick"),
        (("crafting_table",), "crafting_table"),
        (("furnace",), "furnace"),
        (("stone_pickaxe",), "stone_pickaxe"),
    ],
)
def test_without_a_needed_recipe_the_requirement_is_named(gone: tuple[str, ...], missing: str):
    vanilla = rules("vanilla")
    left = {i: r for i, r in vanilla.recipes.items() if i not in gone}
    leaves = [b for b in NATURAL.blocks if b.endswith("_leaves")]  # they may drop a stick
    task, sources = Task.load("iron_armor"), NATURAL.without(*leaves)
    found = routes.plan(vanilla.replace(recipes=left), task, sources=sources)
    assert not found.ok
    assert not found.plan
    assert found.missing[-1] == f"nothing gives {missing}"


@pytest.mark.parametrize(
    ("task", "gone", "missing"),
    [
        ("diamond", ("diamond_ore", "deepslate_diamond_ore"), "diamond"),
        ("enchantment", ("lapis_ore", "deepslate_lapis_ore"), "lapis_lazuli"),
        ("enchantment", ("sugar_cane",), "sugar_cane"),
        ("enchantment", ("obsidian",), "obsidian"),
    ],
)
def test_without_a_source_the_requirement_is_named(task: str, gone: tuple[str, ...], missing: str):
    found = routes.plan(rules("vanilla"), Task.load(task), sources=NATURAL.without(*gone))
    assert not found.ok
    assert found.missing[-1] == f"nothing gives {missing}"


def test_a_second_source_stands_in_for_the_first():
    task = Task.load("diamond")
    found = routes.plan(rules("vanilla"), task, sources=NATURAL.without("diamond_ore", "stone"))
    assert found.ok
    assert "deepslate_diamond_ore" in str(found)
    assert "cobbled_deepslate" in str(found)


def test_a_near_source_is_preferred_to_a_far_one():
    far = dict.fromkeys(NATURAL.blocks, 3.0) | {"acacia_log": 0.0, "deepslate_iron_ore": 0.0}
    sources = Sources(far, NATURAL.entities)
    text = str(routes.plan(rules("vanilla"), Task.load("iron_armor"), sources=sources))
    assert "acacia_log" in text
    assert "mine deepslate_iron_ore" in text


def test_a_plan_from_half_way_uses_what_is_owned_and_placed():
    task = Task.load("iron_armor")
    have = {"stone_pickaxe": 1, "raw_iron": 4, "coal": 1}
    found = routes.plan(
        rules("vanilla"), task, inventory=have, facilities=["furnace", "crafting_table"]
    )
    assert [s.skill for s in found.plan] == ["smelt", "craft_grid"]


def test_owned_blocks_are_unpacked_before_more_ore_is_mined():
    have = {"raw_iron_block": 1, "stone_pickaxe": 1, "coal": 1}
    near = ["furnace", "crafting_table"]
    task = Task.load("iron_armor")
    found = routes.plan(rules("vanilla"), task, inventory=have, facilities=near)
    assert [s.skill for s in found.plan] == ["craft_grid", "smelt", "craft_grid"]


def test_an_owned_bookshelf_spares_the_paper_and_the_leather():
    have = {"bookshelf": 1, "obsidian": 4, "diamond": 2, "lapis_lazuli": 1, "stone_pickaxe": 1}
    task = Task.load("enchantment")
    found = routes.plan(rules("vanilla"), task, inventory=have, facilities=["crafting_table"])
    skills = [s.skill for s in found.plan]
    assert skills == ["place", "mine", "craft_grid", "place", "enchant"]


def test_a_mixed_bag_of_planks_is_used_up_before_new_trees_are_felled():
    task = Task.load("iron_armor")
    have = {"oak_planks": 2, "birch_planks": 2, "spruce_planks": 5, "iron_ingot": 4}
    found = routes.plan(rules("vanilla"), task, inventory=have)
    assert [s.skill for s in found.plan] == ["craft_grid", "place", "craft_grid"]


def test_an_advancement_that_no_skill_triggers_is_no_goal():
    found = routes.search(routes.catalog(rules("vanilla")), "story/enter_the_nether")
    assert not found.ok
    assert "changed_dimension" in found.missing[0]


def test_rules_equal_to_vanilla_under_another_name_have_the_vanilla_route():
    renamed = Rulebook.vanilla().replace(recipes=dict(rules("vanilla").recipes), name="renamed")
    routes.catalog.cache_clear()
    assert routes.check(renamed, Task.load("diamond")) == route("vanilla", "diamond")


def test_the_same_question_gets_the_same_answer_from_a_rulebook_built_again():
    again = Rulebook.vanilla().apply(RuleManifest.load("M06"))
    assert routes.check(again, Task.load("enchantment")) == route("M06", "enchantment")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(manifest=manifests(), task=st.sampled_from(Task.names()))
def test_under_any_manifest_a_sure_plan_can_be_played(manifest, task):
    rulebook = Rulebook.vanilla().apply(manifest)
    found = routes.check(rulebook, Task.load(task))
    assert found.ok != bool(found.missing)
    if found.ok and found.sure:
        assert play(found, rulebook, Task.load(task)) == 100


OWNED = ("oak_log", "oak_planks", "stick", "cobblestone", "coal", "raw_iron", "iron_ingot", "oak_sapling", "dirt")  # fmt: skip
QUESTIONS = st.tuples(
    st.sampled_from(["vanilla", "M01", "M05"]),
    st.sampled_from(Task.names()),
    st.lists(st.tuples(st.sampled_from(OWNED), st.integers(0, 9)), max_size=6, unique_by=lambda x: x[0]),
    st.lists(st.sampled_from(["crafting_table", "furnace"]), unique=True),
    st.sampled_from([NATURAL, Sources({"oak_log": 3.0, "stone": 0.5, "coal_ore": 9.0, "iron_ore": 1.0})]),
)  # fmt: skip


@settings(max_examples=20)
@given(st.lists(QUESTIONS, max_size=4))
def test_an_answer_does_not_depend_on_what_was_asked_before(questions):
    def ask(suite, task, owned, facilities, sources):
        book = rules(suite)
        return routes.plan(
            book, Task.load(task), inventory=dict(owned), facilities=facilities, sources=sources
        )

    fresh = []
    for question in questions:
        routes.forget()
        fresh.append(ask(*question))
    routes.forget()
    kept = [ask(*question) for question in (*questions, *reversed(questions))]
    assert kept == fresh + fresh[::-1]
    assert [r.choice for r in kept] == [r.choice for r in fresh + fresh[::-1]]


BLOCK_COSTS = st.dictionaries(st.sampled_from(NATURAL_BLOCKS), st.floats(0, 12), max_size=30)
ENTITY_COSTS = st.fixed_dictionaries(dict.fromkeys(NATURAL_ENTITIES, st.floats(0, 12)))


@settings(max_examples=40)
@given(
    st.sampled_from(["vanilla", "M02", "M05"]),
    st.sampled_from(Task.names()),
    BLOCK_COSTS,
    ENTITY_COSTS,
)
def test_an_answer_is_kept_by_all_the_distances_that_it_depends_on(suite, task, near, entities):
    """A search looks at the sources worth a look alone; with all of them the answer is the same."""
    blocks = {**NATURAL.blocks, **near}
    book, goal = routes.catalog(rules(suite)), Task.load(task).goal.id
    found = routes.search(book, goal, sources=Sources(blocks, entities), effort=4)
    asked = problem(book, goal, NATURAL.names)
    everything = tuple(blocks.items()), tuple(entities.items())
    assert found == _searched.__wrapped__(asked, (), (), everything, (), 4)
