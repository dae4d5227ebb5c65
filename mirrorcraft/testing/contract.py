"""The contract of a Backend, run on every one: subclass, and give ``backend`` as a fixture."""

import json
from collections.abc import Iterator

import pytest

from mirrorcraft.core.action import SKILLS, Action
from mirrorcraft.core.backend import Backend
from mirrorcraft.core.errors import EpisodeOver
from mirrorcraft.core.outcome import Ending, Reason
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import rules_for

MALFORMED = [
    Action("fly", {}),
    Action("mine", {}),
    Action("mine", {"block": "no_such_block"}),
    Action("mine", {"block": "dirt", "count": -1}),
    Action("mine", {"block": "dirt", "count": True}),
    Action("mine", {"block": ["dirt"]}),
    Action("mine", {"block": "x" * 100_000}),
    Action("craft_grid", {"station": "inventory", "grid": [["oak_log"], ["oak_log", None]]}),
    Action("craft_grid", {"station": "crafting_table", "grid": "oak_log"}),
    Action("wait", {"ticks": float("nan")}),
    Action("smelt", {"input": "raw_iron", "station": "campfire"}),
    Action("wait", {"ticks": 1, "extra": object()}),
]


class BackendContract:
    """What every world does, whatever it is made of."""

    world, suite = World.names()[0], "M01"
    actions = (
        Action("mine", {"block": "log", "count": 2}),
        Action("explore", {"target": "stone"}),
        Action("wait", {"ticks": 40}),
        Action("mine", {"block": "dirt"}),
    )

    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        raise NotImplementedError("give the backend as a fixture")

    def reset(self, backend: Backend, seed: int = 7, budget: int = 20):
        task = Task.load("iron_armor").with_budget(budget)
        rules = rules_for(self.suite)
        return backend.reset(World.load(self.world), rules, task, seed=seed)

    def test_two_resets_with_one_seed_give_the_same_observation(self, backend: Backend):
        first = self.reset(backend).to_json()
        for action in self.actions:
            backend.step(action)
        assert self.reset(backend).to_json() == first

    def test_the_same_actions_have_the_same_consequences(self, backend: Backend):
        runs = []
        for _ in range(2):
            self.reset(backend)
            steps = [backend.step(action) for action in self.actions]
            runs.append([(s.observation.to_json(), s.outcome, s.audit) for s in steps])
        assert runs[0] == runs[1]

    def test_a_new_episode_starts_with_nothing_done(self, backend: Backend):
        seen = self.reset(backend, budget=20)
        assert seen.progress == {"score": 0, "done": []}
        assert seen.inventory == {}
        assert seen.budget == {"used": 0, "left": 20}
        assert seen.last is None
        assert seen.skills == SKILLS

    def test_every_action_costs_one_and_is_shown_as_the_last(self, backend: Backend):
        self.reset(backend, budget=20)
        for used, action in enumerate(self.actions, 1):
            seen = backend.step(action).observation
            assert seen.budget == {"used": used, "left": 20 - used}
            assert seen.last is not None
            assert seen.last["skill"] == action.skill

    def test_the_inventory_difference_is_what_the_outcome_says(self, backend: Backend):
        before = self.reset(backend).inventory
        for action in self.actions:
            step = backend.step(action)
            after = step.observation.inventory
            change = {i: after.get(i, 0) - before.get(i, 0) for i in {*before, *after}}
            assert {i: n for i, n in change.items() if n} == step.outcome.delta
            before = after

    def test_the_budget_ends_the_episode_and_no_step_is_taken_after_it(self, backend: Backend):
        self.reset(backend, budget=3)
        endings = [backend.step(Action("wait", {"ticks": 1})).ending for _ in range(3)]
        assert endings == [None, None, Ending.BUDGET]
        with pytest.raises(EpisodeOver):
            backend.step(Action("wait", {"ticks": 1}))
        assert self.reset(backend).budget["used"] == 0

    @pytest.mark.parametrize("action", MALFORMED, ids=lambda a: f"{a.skill}-{str(a.args)[:30]}")
    def test_a_malformed_action_is_refused_with_a_reason(self, backend: Backend, action: Action):
        self.reset(backend)
        step = backend.step(action)
        assert not step.outcome.ok
        assert isinstance(step.outcome.reason, Reason)
        assert step.outcome.result["detail"]
        assert step.outcome.delta == {}
        assert step.observation.budget["used"] == 1
        assert len(step.observation.to_json()) < 20_000
        assert step.audit == ((), ())

    def test_observations_are_json_and_name_neither_suite_nor_rule(self, backend: Backend):
        seen = [self.reset(backend), *(backend.step(a).observation for a in self.actions)]
        rules = rules_for(self.suite)
        secrets = [change.id for change in rules.changes] + list(rules.describe())
        for text in (observation.to_json() for observation in seen):
            assert json.loads(text)
            assert not [secret for secret in secrets if secret in text]
            assert f'"{self.suite}' not in text

    def test_closing_twice_is_fine(self, backend: Backend):
        self.reset(backend)
        backend.close()
        backend.close()
