"""What the strategies make is valid, and the toy world says which changed rules were met."""

from hypothesis import given, settings

from mirrorcraft.core.action import SKILLS, Action, Checked, check
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.testing.strategies import action_lists, actions, vanilla
from mirrorcraft.testing.toy import ToyBackend


@given(actions())
def test_every_action_passes_the_check(action: Action):
    checked = check(action, vanilla())
    assert isinstance(checked, Checked), checked
    assert checked.skill in SKILLS


@given(action_lists(max_size=8))
@settings(max_examples=30)
def test_a_list_of_actions_can_be_played(todo: list[Action]):
    world = ToyBackend()
    world.reset(vanilla(), Task.load("diamond"), seed=1)
    for used, action in enumerate(todo, 1):
        step = world.step(action)
        assert step.observation.budget["used"] == used
        assert min(step.observation.inventory.values(), default=0) >= 0
        assert step.audit.encounters == ()


def test_the_toy_world_names_the_changed_rules_that_an_action_met():
    rules = Rulebook.vanilla("1.19").apply(RuleManifest.load("M06"))
    world = ToyBackend()
    world.reset(rules, Task.load("diamond"), seed=1)
    assert world.step(Action("mine", {"block": "oak_log"})).audit.encounters == ("M06.trunk_drop",)
    assert world.step(Action("attack", {"target": "cow"})).audit.encounters == ("M06.cow",)
    assert world.step(Action("wait", {"ticks": 1})).audit.encounters == ()
