"""The search for loops decides exactly: held against brute force, and against a player who walks a loop."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.action import Action
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.testing.gains import components, gains
from mirrorcraft.testing.simplex import maximise
from mirrorcraft.testing.toy import ToyBackend

VECTORS = st.lists(
    st.tuples(*[st.integers(-3, 3)] * 3).filter(any), min_size=1, max_size=4, unique=True
)


def surplus(vectors: list[tuple[int, ...]], times: tuple[int, ...]) -> list[int]:
    return [sum(n * v[i] for n, v in zip(times, vectors, strict=True)) for i in range(3)]


@given(VECTORS)
def test_a_mixture_that_gains_is_found_whenever_brute_force_finds_one(
    vectors: list[tuple[int, ...]],
):
    rows = [{j: Fraction(-v[i]) for j, v in enumerate(vectors)} for i in range(3)]
    found = maximise({j: Fraction(sum(v)) for j, v in enumerate(vectors)}, rows)
    times = product(range(7), repeat=len(vectors))
    tried = any(min(s := surplus(vectors, t)) >= 0 and any(s) for t in times)
    assert found or not tried
    mixed = [sum(n * vectors[j][i] for j, n in found.items()) for i in range(3)]
    assert min(mixed) >= 0
    assert any(mixed) == bool(found)
    assert all(n > 0 for n in found.values())
    assert sum(found.values()) <= 1


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), max_size=6))
def test_a_component_is_what_reaches_each_other(edges: dict[str, set[str]]):
    def reached(start: str) -> set[str]:
        seen, todo = {start}, [start]
        while todo:
            new = edges.get(todo.pop(), set()) - seen
            seen |= new
            todo += new
        return seen

    nodes = {*edges, *(end for ends in edges.values() for end in ends)}
    expected = {frozenset(m for m in reached(n) if n in reached(m)) for n in nodes}
    found = components(edges)
    assert set(found) == expected
    assert sum(map(len, found)) == len(nodes)


def rules_with(ident: str, n: int) -> Rulebook:
    change = f'{{"id": "c", "op": "recipe_count", "recipes": "{ident}", "count": {n}}}'
    head = '"schema_version": "1.0", "kind": "mirror", "id": "G", "title": "G"'
    text = f'{{{head}, "game_version": "1.19", "changes": [{change}]}}'
    return Rulebook.vanilla("1.19").apply(RuleManifest.from_json(text))


def test_a_player_who_walks_the_loop_of_a_finding_is_richer_afterwards():
    rules = rules_with("iron_ingot_from_iron_block", 10)
    (gain,) = gains(rules)
    world = ToyBackend()
    world.reset(rules, Task.load("diamond"), seed=1)
    world.give({"iron_ingot": 9, "crafting_table": 1})
    world.step(Action("place", {"block": "crafting_table"}))
    for grid in ([["iron_ingot"] * 3] * 3, [["iron_block"]]):
        assert world.step(
            Action("craft_grid", {"station": "crafting_table", "grid": grid})
        ).outcome.ok
    assert world.have == {"iron_ingot": 10}
    assert gain.surplus == {"iron_ingot": 1}
    assert [n for _, n in gain.runs] == [1, 1]


@pytest.mark.parametrize(
    ("ident", "fair"),
    [
        ("iron_ingot_from_iron_block", 9),
        ("honey_bottle", 4),
        ("chiseled_sandstone", 1),
        ("wheat", 9),
    ],
)
def test_the_fair_count_is_the_largest_that_creates_nothing(ident: str, fair: int):
    assert list(gains(rules_with(ident, fair + 1)))
    if fair > 1:
        assert not list(gains(rules_with(ident, fair - 1)))


def test_a_recipe_that_another_one_keeps_from_its_grid_is_no_loop():
    # One oak plank makes a button, whatever a tag lets the plank recipe take.
    vanilla = Rulebook.vanilla("1.19")
    logs = {**vanilla.item_tags, "oak_logs": (*vanilla.item_tags["oak_logs"], "oak_planks")}
    assert not list(gains(vanilla.replace(item_tags=logs)))
