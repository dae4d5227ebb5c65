"""Whatever an agent sends, a step comes back with a reason, and no item appears or vanishes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import Stage

from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.backend import Step
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla("1.19")
ITEMS, BLOCKS, ENTITIES = (sorted(m) for m in (VANILLA.items, VANILLA.blocks, VANILLA.entities))
MEGABYTES = "diamond" * 1_500_000  # ten megabytes
DEEP: list[Any] = []
for _ in range(500):
    DEEP = [DEEP]
JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 4, 5, 10**5000, -(10**30), 0.5, float("nan"), float("inf"), "",
    " ", "log", "minecraft:dirt", "minecraft:minecraft:dirt", "Dirt", "dirt\n", "no_such_thing",
    "\ud800", "\x00", "日本", [], {}, (), [[]], [None], [["dirt"], []], [["dirt", "dirt"], ["dirt"]],
    [["dirt"] * 4] * 4, [[1]], [[["dirt"]]], {"dirt": 1}, b"dirt", object(), {1, 2}, DEEP, len,
    "x" * 100_000,
]  # fmt: skip
ARGUMENTS: dict[str, dict[str, Any]] = {
    "mine": {"block": BLOCKS, "count": range(-1, 6)},
    "explore": {"target": BLOCKS + ENTITIES + ITEMS},
    "prepare_access": {"target": BLOCKS},
    "craft_grid": {"station": ["inventory", "crafting_table", "furnace"], "grid": None},
    "smelt": {"input": ITEMS, "station": ["furnace", "blast_furnace", "smoker", "campfire"],
              "count": range(-1, 8)},
    "attack": {"target": ENTITIES, "count": range(-1, 6)},
    "enchant": {"item": ITEMS, "option": ["lowest", "middle", "highest", "best"]},
    "place": {"block": ITEMS},
    "equip": {"item": ITEMS},
    "collect": {"item": ITEMS},
    "ascend": {"height": range(-1, 8)},
    "trade": {"with": ["villager", "cow"], "give": ITEMS, "get": ITEMS, "count": range(66)},
    "wait": {"ticks": range(-1, 203)},
}  # fmt: skip


def any_action(skill: str, seed: int) -> Action:
    """Return an action of a skill, sound in about half of its arguments."""

    def pick(options: Any, site: int) -> Any:
        return options[below(len(options), seed, 1, site)]

    args: dict[str, Any] = {}
    for site, (name, options) in enumerate(ARGUMENTS[skill].items()):
        fate = below(16, seed, 2, site)
        if fate < 3:
            args[name] = pick(JUNK, site)
        elif fate < 14 and options is None:
            width, height = 1 + below(3, seed, 3, 0), 1 + below(3, seed, 3, 1)
            few = [None, pick(ITEMS, 50), "oak_planks", "stick"]
            args[name] = [
                [few[below(4, seed, 4, 3 * y + x)] for x in range(width)] for y in range(height)
            ]
        elif fate < 14:
            args[name] = pick(options, site)
    if below(20, seed, 5, 0) == 0:
        args["and"] = pick(JUNK, 9)
    return Action(skill, args)


def survive(skill: str, count: int) -> None:
    """Send ``count`` random actions of a skill, each held to the invariants of a stage."""
    stage = Stage(task="enchantment").own(oak_planks=40, stick=20, coal=9, raw_iron=9, dirt=90)
    stage.own(crafting_table=1, furnace=1, lapis_lazuli=30, iron_pickaxe=2)
    for station in ("crafting_table", "furnace"):
        stage.act("place", block=station)
    reasons = set()
    for n in range(count):
        if n % 500 == 0:
            stage = Stage(world="plains-b", seed=n).own(**stage.inventory) if n else stage
        step = stage.send(any_action(skill, seed_from("robust", skill, n)))
        reasons.add(step.outcome.reason)
        if step.ending:
            stage = Stage(seed=n)
    assert Reason.INVALID_ARGS in reasons


@pytest.mark.parametrize("skill", SKILLS)
def test_no_action_of_a_skill_breaks_a_step(skill: str):
    survive(skill, 150)


@pytest.mark.slow
@pytest.mark.parametrize("skill", SKILLS)
def test_no_action_of_ten_thousand_of_a_skill_breaks_a_step(skill: str):
    survive(skill, 10_000)


@pytest.mark.parametrize("skill", [*SKILLS, "fly", "", MEGABYTES, None, 3, ["mine"]], ids=repr)
def test_ten_megabytes_and_other_oddities_are_refused_in_a_few_words(skill: Any):
    if isinstance(skill, str) and len(skill) > 99:
        sent = [Action(skill, {})]
    else:
        names = ARGUMENTS.get(skill if isinstance(skill, str) else "", {"block": None})
        sent = [Action(skill, {name: MEGABYTES for name in names}), Action(skill, {MEGABYTES: 1})]
    stage = Stage()
    for action in sent:
        step = stage.send(action)
        assert (step.outcome.ok, step.outcome.delta, step.outcome.ticks) == (False, {}, 0)
        assert len(step.outcome.result["detail"]) < 500
        assert len(step.observation.to_json()) < 20_000


@pytest.mark.parametrize("action", [None, 3, "mine", {}, [], object(), {"skill": "mine"}])
def test_what_is_no_action_is_refused(action: Any):
    assert Stage().send(action).outcome.reason == Reason.INVALID_ARGS


@pytest.mark.parametrize("args", [None, 3, "dirt", [], [("block", "dirt")]])
def test_arguments_that_are_no_object_are_refused(args: Any):
    assert Stage().send(Action("mine", args)).outcome.reason == Reason.INVALID_ARGS


@given(args=st.dictionaries(st.text(max_size=8), st.recursive(st.none() | st.text(max_size=8) |
       st.integers(), lambda inner: st.lists(inner, max_size=4), max_leaves=9), max_size=3),
       skill=st.sampled_from(SKILLS))  # fmt: skip
@settings(max_examples=150)
def test_any_json_is_answered(args: dict[str, Any], skill: str):
    step = Stage().send(Action(skill, args))
    assert isinstance(step.outcome.reason, Reason) or step.outcome.ok


# ---- conservation


@given(seed=st.integers(0, 2**40), kinds=st.lists(st.integers(0, 8), min_size=5, max_size=25))
@settings(max_examples=40)
def test_items_only_move_and_change_as_the_action_says(seed: int, kinds: list[int]):
    """Placing spends one, crafting what lies in the grid, smelting input and fuel; nothing else takes a thing."""
    stage = Stage(seed=seed).own(crafting_table=3, furnace=2, oak_log=30, cobblestone=70, dirt=64)
    stage.own(raw_iron=8, coal=5, iron_boots=1, iron_helmet=1, iron_pickaxe=1, oak_planks=20)
    for n, kind in enumerate(kinds):
        expected = stage.everything()
        owned = sorted(stage.inventory)
        item = owned[below(len(owned), seed, n, 0)]
        step, change = _move(stage, kind, item)
        for name, count in change.items():
            expected[name] += count if step.outcome.ok else 0
        assert +expected == +stage.everything(), step.outcome


def _move(stage: Stage, kind: int, item: str) -> tuple[Step, dict[str, int]]:
    """Act, and return the step with the change of all items that it has to make if it is ok."""
    match kind:
        case 0 | 1:
            return stage.act("place", block=item), {item: -1}
        case 2:
            return stage.act("equip", item=item), {}
        case 3 | 4:
            change = {"oak_log": -1, "oak_planks": 4}
            return stage.act("craft_grid", station="inventory", grid=[["oak_log"]]), change
        case 5:
            grid = [["oak_planks"], ["oak_planks"]]
            change = {"oak_planks": -2, "stick": 4}
            return stage.act("craft_grid", station="inventory", grid=grid), change
        case 6:
            before = stage.everything()
            step = stage.act("smelt", input="raw_iron", count=2)
            if step.outcome.reason == Reason.NEEDS_STATION:
                return step, {}
            done = step.outcome.result["processed"]
            burnt = {f: stage.everything()[f] - before[f] for f in ("coal", "oak_log")}
            assert -2 <= sum(burnt.values()) <= 0
            return step, {"raw_iron": -done, "iron_ingot": done, **burnt}
        case 7:
            return stage.act("trade", give=item, get="bread"), {}
    return stage.act("wait", ticks=5), {}


@pytest.mark.parametrize("suite", ["vanilla", "M02", "M04", "M06"])
def test_what_blocks_drop_is_owned_or_lies_on_the_ground(suite: str):
    """Broken with a full inventory, a block leaves as much as it gives to an empty one."""
    blocks = ("oak_log", "iron_ore", "diamond_ore", "lapis_ore", "gravel", "sugar_cane", "stone")
    for block in blocks:
        empty, full = (Stage(suite).room("glass").own(diamond_pickaxe=1) for _ in range(2))
        full.fill("egg")
        for stage in (empty, full):
            stage.put(1, 0, 0, block)
            stage.act("mine", block=block)
        gained = empty.everything()
        del gained["diamond_pickaxe"]
        assert gained
        assert {i: n for i, n in full.everything().items() if i in gained} == dict(gained)
