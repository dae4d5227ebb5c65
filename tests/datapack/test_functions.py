"""The functions that pay cooking counts, played by a small machine for the few commands they use."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.cooking_counts import EXTENSION
from mirrorcraft.core.errors import PackError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.recipes import CookingRecipe
from mirrorcraft.core.rulebook import STATIONS, Rulebook
from mirrorcraft.datapack import build

VANILLA = Rulebook.vanilla("1.19")


@dataclass
class Furnace:
    """A furnace with its marker: block data, scores, and the functions that run at it each tick."""

    functions: dict[str, list[str]]
    used: dict[str, int] = field(default_factory=dict)
    output: tuple[str, int] | None = None
    scores: dict[str, int] = field(default_factory=dict)

    def finish(self, recipe: CookingRecipe) -> None:
        name = f"minecraft:{recipe.id}" if ":" not in recipe.id else recipe.id
        self.used[name] = self.used.get(name, 0) + 1
        count = self.output[1] if self.output else 0
        self.output = (f"minecraft:{recipe.result}", count + 1)

    def take(self) -> int:
        """A player takes all out; the game then forgets what was used."""
        count = self.output[1] if self.output else 0
        self.output, self.used = None, {}
        return count

    def tick(self) -> None:
        self.run("station")

    def run(self, name: str) -> None:
        for line in self.functions[name]:
            self.command(line)

    def command(self, line: str) -> None:
        if m := re.fullmatch(
            r"execute store result score @s (\w+) run data get block ~ ~ ~ (.+)", line
        ):
            self.scores[m[1]] = self.data(m[2])
        elif m := re.fullmatch(r"scoreboard players set @s (\w+) (-?\d+)", line):
            self.scores[m[1]] = int(m[2])
        elif m := re.fullmatch(r"scoreboard players operation @s (\w+) (\S+) @s (\w+)", line):
            left, right = self.scores.get(m[1], 0), self.scores.get(m[3], 0)
            results = {"=": right, "+=": left + right, "-=": left - right, "<": min(left, right)}
            self.scores[m[1]] = results[m[2]]
        elif m := re.fullmatch(
            r"execute if score @s (\w+) > @s (\w+) run function mirrorcraft:(\w+)", line
        ):
            # A score that was never set makes the comparison fail, whatever it is compared with.
            if (
                m[1] in self.scores
                and m[2] in self.scores
                and self.scores[m[1]] > self.scores[m[2]]
            ):
                self.run(m[3])
        elif m := re.fullmatch(
            r'execute if data block ~ ~ ~ Items\[\{Slot:2b,id:"(.+)"\}\] run (.+)', line
        ):
            if self.output and self.output[0] == m[1]:
                self.command(m[2])
        elif line.startswith("execute if data block ~ ~ ~ Items[{Slot:2b}] store result block"):
            if self.output:
                self.output = (self.output[0], self.scores[line.split()[-1]])
        else:
            assert re.fullmatch(r"execute( unless block ~ ~ ~ minecraft:\w+)+ run kill @s", line), (
                line
            )

    def data(self, query: str) -> int:
        if query == "Items[{Slot:2b}].Count":
            return self.output[1] if self.output else 0
        m = re.fullmatch(r'RecipesUsed\."(.+)" (\d+)', query)
        assert m, query
        return self.used.get(m[1], 0) * int(m[2])


def furnace_of(rules: Rulebook) -> Furnace:
    prefix = "data/mirrorcraft/functions/"
    pack = build(rules)
    functions = {
        path.removeprefix(prefix).removesuffix(".mcfunction"): text.splitlines()
        for path, text in pack.items()
        if path.startswith(prefix)
    }
    return Furnace(functions)


def counted(rules: Rulebook) -> list[CookingRecipe]:
    found = {rules.cook(s, i) for s in STATIONS for i in ("raw_iron", "potato", "chorus_fruit")}
    return sorted((r for r in found if r and r.count > 1), key=lambda r: r.id)


def changed(*changes: dict[str, Any]) -> Rulebook:
    head = {"schema_version": "1.0", "kind": "mirror", "id": "T01", "title": "A test"}
    manifest = {**head, "game_version": "1.19", "changes": changes}
    return VANILLA.apply(RuleManifest.from_json(json.dumps(manifest)))


def mixed(count: int, more: int) -> Rulebook:
    """Rules with two counts in one furnace."""
    both = {"op": "processing_count", "stations": "furnace"}
    return changed(
        {**both, "id": "a", "inputs": "potato", "stations": ["furnace", "smoker"], "count": count},
        {**both, "id": "b", "inputs": "chorus_fruit", "count": more},
    )


RULES = [VANILLA.apply(RuleManifest.load(suite)) for suite in ("M01", "M03")] + [mixed(2, 5)]


@pytest.mark.parametrize("rules", RULES, ids=["M01", "M03", "mixed"])
@given(
    events=st.lists(st.sampled_from(["finish", "take", "wait"]), max_size=40),
    which=st.integers(0, 5),
)
def test_a_furnace_gives_the_count_for_everything_it_finishes(
    rules: Rulebook, events: list[str], which: int
):
    recipe = counted(rules)[which % len(counted(rules))]
    furnace, due = furnace_of(rules), 0
    furnace.tick()  # a player has opened it
    for event in events:
        if event == "finish" and due < 64:
            furnace.finish(recipe)
            due = min(due + recipe.count, 64)
        if event == "take":
            assert furnace.take() == due
            due = 0
        furnace.tick()
        assert (furnace.output[1] if furnace.output else 0) == due


def test_what_was_finished_before_the_furnace_was_first_opened_is_not_paid_again():
    furnace = furnace_of(RULES[0])
    recipe = counted(RULES[0])[0]
    furnace.finish(recipe)
    furnace.tick()
    assert furnace.output == ("minecraft:iron_nugget", 1)
    furnace.finish(recipe)
    furnace.tick()
    assert furnace.output == ("minecraft:iron_nugget", 4)


def test_items_of_small_stacks_stop_at_their_own_limit():
    head = {"id": "a", "op": "processing_result", "inputs": "raw_iron", "stations": "furnace"}
    rules = changed({**head, "result": "ender_pearl", "count": 10})
    furnace, (recipe,) = furnace_of(rules), [r for r in counted(rules) if r.result == "ender_pearl"]
    furnace.tick()
    for expected in (10, 16):
        furnace.finish(recipe)
        furnace.tick()
        assert furnace.output == ("minecraft:ender_pearl", expected)


def test_rules_without_counts_need_no_functions():
    assert EXTENSION not in build(VANILLA)
    assert EXTENSION not in build(VANILLA.apply(RuleManifest.load("M05")))


def test_a_campfire_cannot_make_more_than_one():
    recipe = VANILLA.cook("campfire", "potato")
    assert recipe
    rules = VANILLA.replace(recipes={**VANILLA.recipes, recipe.id: replace(recipe, count=2)})
    with pytest.raises(PackError, match="campfire_cooking"):
        build(rules)
