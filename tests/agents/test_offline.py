"""The offline agents in a world without space: ceilings, floors, and what one of them learns."""

from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrorcraft.agents import OFFLINE, make
from mirrorcraft.agents.beliefs import Beliefs
from mirrorcraft.agents.random_agent import executable
from mirrorcraft.agents.walker import Walker
from mirrorcraft.core.action import Action, Checked, check
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Ending, Reason
from mirrorcraft.core.routes import catalog
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.testing.toy import ToyBackend

SUITES = ("M01", "M02", "M03", "M04", "M05", "M06")
CELLS = [(suite, task) for suite in ("vanilla", *SUITES) for task in Task.names()]


@cache
def rules(suite: str) -> Rulebook:
    vanilla = Rulebook.vanilla()
    return vanilla if suite == "vanilla" else vanilla.apply(RuleManifest.load(suite))


class Episode:
    """One episode of an agent in the toy world."""

    def __init__(self, name: str, suite: str, task: str, seed: int = 1, world: Any = None):
        self.agent, self.world = make(name), world or ToyBackend()
        told = rules(suite) if name == "planner" else None
        self.agent.reset(Task.load(task), seed=seed, rules=told)
        self.now: Observation = self.world.reset(rules(suite), Task.load(task), seed=seed)
        self.actions: list[Action] = []
        self.reasons: list[Reason | None] = []
        self.ending: Ending | None = None
        while self.ending is None:
            action = self.agent.act(self.now)
            assert action is not None
            step = self.world.step(action)
            self.actions.append(action)
            self.reasons.append(step.outcome.reason)
            self.now, self.ending = step.observation, step.ending

    @property
    def score(self) -> int:
        return self.now.progress["score"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("suite", "task"), CELLS)
def test_the_planner_scores_100_in_every_cell(suite: str, task: str, seed: int):
    assert Episode("planner", suite, task, seed).score == 100


def test_the_planner_must_be_told_the_rules():
    with pytest.raises(InputError, match="disclosed"):
        make("planner").reset(Task.load("diamond"), seed=1, rules=None)


@pytest.mark.parametrize("task", Task.names())
def test_with_vanilla_rules_adaptive_and_prior_do_the_same(task: str):
    adaptive, prior = (Episode(name, "vanilla", task) for name in ("adaptive", "prior"))
    assert adaptive.actions == prior.actions
    assert adaptive.score == 100


@pytest.mark.parametrize(("suite", "task"), CELLS)
def test_adaptive_finds_its_way_in_a_world_without_distances(suite: str, task: str):
    assert Episode("adaptive", suite, task).score == 100


def test_adaptive_needs_no_more_actions_than_prior_over_all_changed_worlds():
    lengths = {
        name: sum(len(Episode(name, s, t).actions) for s, t in CELLS if s != "vanilla")
        for name in ("adaptive", "prior")
    }
    assert lengths["adaptive"] < lengths["prior"]


def test_prior_never_gets_past_the_substituted_pickaxe():
    episode = Episode("prior", "M05", "diamond")
    assert episode.ending == Ending.BUDGET
    assert episode.score == 50
    assert episode.now.inventory["iron_hoe"] > 1  # it tries again and again


def facts_of(episode: Episode) -> dict[Any, dict[str, float]]:
    assert isinstance(episode.agent, Walker)
    facts = episode.agent.beliefs.facts
    return {key: {i: y.mean for i, y in fact.gives} for key, fact in facts.items()}


@pytest.mark.parametrize(("suite", "task"), CELLS)
def test_what_adaptive_learned_is_what_the_rules_say(suite: str, task: str):
    """Every fact agrees with the changed rule that it came from, and none is about an unchanged rule."""
    true = catalog(rules(suite))
    usual = catalog(Rulebook.vanilla())
    for key, gives in facts_of(Episode("adaptive", suite, task)).items():
        skill, target, _ = key
        read = {"mine": lambda c, t=target: c.mine(t), "attack": lambda c, t=target: c.attack(t)}
        look = read.get(skill, lambda c, k=key: c.recipes.get(k))
        told, vanilla = look(true), look(usual)
        assert told is not None
        assert vanilla is None or dict(told.gives) != dict(vanilla.gives), f"{key} is as ever"
        assert set(gives) <= set(told.gives)
        for item, mean in gives.items():
            assert told.gives[item].least <= mean <= told.gives[item].most


@pytest.mark.parametrize(
    ("suite", "task", "learned"),
    [
        ("M01", "diamond", ("craft_grid", "stick", None)),
        ("M02", "enchantment", ("craft_grid", "book", None)),
        ("M04", "iron_armor", ("mine", "iron_ore", None)),
        ("M05", "diamond", ("smelt", "iron_hoe", "blast_furnace")),
        ("M05", "enchantment", ("craft_grid", "furnace", None)),
    ],
)
def test_adaptive_learns_the_changed_rules_that_it_meets(suite: str, task: str, learned: Any):
    assert learned in facts_of(Episode("adaptive", suite, task))


def outcome(skill: str, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {"ok": True, "reason": None, "result": {}, "delta": {}, "ticks": 1}
    return {"skill": skill, "args": args, **base, **more}


def mined(block: str, n: int, **collected: int) -> dict[str, Any]:
    result = {"broken": {block: n}, "collected": collected}
    return outcome("mine", {"block": block, "count": n}, result=result, delta=collected)


class TestBeliefs:
    def test_an_outcome_that_the_rules_allow_changes_nothing(self):
        beliefs = Beliefs(Rulebook.vanilla())
        assert not beliefs.learn(mined("lapis_ore", 2, lapis_lazuli=13))
        assert not beliefs.learn(mined("gravel", 4, gravel=3, flint=1))
        assert not beliefs.facts

    def test_what_was_dug_through_on_the_way_is_not_taken_for_a_drop(self):
        beliefs = Beliefs(Rulebook.vanilla())
        assert not beliefs.learn(mined("iron_ore", 1, raw_iron=1, cobblestone=5, dirt=2, coal=1))

    def test_a_whole_stem_of_cane_is_not_taken_for_a_generous_block(self):
        beliefs = Beliefs(Rulebook.vanilla())
        assert not beliefs.learn(mined("sugar_cane", 1, sugar_cane=3))
        assert beliefs.learn(mined("sugar_cane", 1, sugar_cane=3, leather=3))
        assert beliefs.catalog.mine("sugar_cane").gives["leather"].mean == 1  # type: ignore[union-attr]

    def test_an_outcome_with_lost_items_shows_nothing(self):
        beliefs = Beliefs(Rulebook.vanilla())
        lost = mined("iron_ore", 1) | {"reason": "pickup_failed"}
        assert not beliefs.learn(lost)

    @given(n=st.integers(1, 4), extra=st.integers(1, 3))
    @settings(max_examples=20)
    def test_a_new_drop_is_believed_with_the_mean_that_was_seen(self, n: int, extra: int):
        beliefs = Beliefs(Rulebook.vanilla())
        assert beliefs.learn(mined("iron_ore", n, raw_iron=n, paper=extra))
        method = beliefs.catalog.mine("iron_ore")
        assert method is not None
        assert method.gives["raw_iron"].least == 1
        assert method.gives["paper"].mean == float(Fraction(extra, n))
        assert not beliefs.learn(mined("iron_ore", n, raw_iron=n, paper=extra))

    def test_a_grid_that_gives_nothing_any_more_is_forgotten(self):
        beliefs = Beliefs(Rulebook.vanilla())
        grid = [["oak_planks"], ["oak_planks"]]
        failed = outcome(
            "craft_grid",
            {"station": "inventory", "grid": grid},
            ok=False,
            reason=Reason.NO_RESULT,
        )
        assert beliefs.learn(failed)
        assert ("craft_grid", "stick", None) not in beliefs.catalog.recipes
        assert ("craft_grid", "chest", None) in beliefs.catalog.recipes


class Stubborn(ToyBackend):
    """A world where the first of every kind of action fails, for a reason of its own."""

    FIRST: ClassVar = {
        "mine": Reason.BLOCKED,
        "craft_grid": Reason.STATION_UNREACHABLE,
        "smelt": Reason.STATION_UNREACHABLE,
        "place": Reason.NO_SPOT,
        "attack": Reason.UNREACHABLE,
        "enchant": Reason.STATION_UNREACHABLE,
    }

    def reset(self, *args: Any, **kwargs: Any) -> Observation:
        self.failed: set[str] = set()
        return super().reset(*args, **kwargs)

    def step(self, action: Action) -> Any:
        if action.skill in self.FIRST and action.skill not in self.failed:
            self.failed.add(action.skill)
            reason = self.FIRST[action.skill]
            setattr(self, "do_" + action.skill, lambda **_: (False, reason, {}))
            try:
                return super().step(action)
            finally:
                delattr(self, "do_" + action.skill)
        return super().step(action)


@pytest.mark.parametrize("task", Task.names())
def test_the_planner_gets_over_one_obstacle_of_every_kind(task: str):
    episode = Episode("planner", "vanilla", task, world=Stubborn())
    assert episode.score == 100


def test_the_planner_looks_for_what_is_out_of_sight():
    class Bare(ToyBackend):
        """Trunks and ores are seen only after one has looked for them."""

        def reset(self, *args: Any, **kwargs: Any) -> Observation:
            self.blocks = ("stone",)
            return super().reset(*args, **kwargs)

        def do_explore(self, target: str) -> Any:
            self.blocks = (*self.blocks, "birch_log" if target == "log" else target)
            return True, None, {}

    episode = Episode("planner", "vanilla", "diamond", world=Bare())
    assert episode.score == 100
    assert Action("explore", {"target": "log"}) in episode.actions


def test_no_agent_repeats_a_failing_action_for_long():
    class Deaf(ToyBackend):
        """Mining never works."""

        def do_mine(self, block: str, count: int) -> Any:
            return False, Reason.BLOCKED, {}

    for name in ("planner", "adaptive", "prior"):
        actions = Episode(name, "vanilla", "diamond", world=Deaf()).actions
        repeats = max(sum(a == b for b in actions) for a in actions)
        assert repeats < len(actions) / 2


@pytest.mark.parametrize("name", OFFLINE)
def test_equal_seeds_give_equal_episodes_and_agents_keep_nothing_of_the_last_one(name: str):
    first, second = (Episode(name, "M02", "iron_armor", seed=7) for _ in range(2))
    assert first.actions == second.actions
    told = rules("M02") if name == "planner" else None
    task = Task.load("iron_armor")
    first.agent.reset(task, seed=7, rules=told)
    second.agent = make(name)
    second.agent.reset(task, seed=7, rules=told)
    start = ToyBackend().reset(rules("M02"), task, seed=7)
    assert first.agent.act(start) == second.agent.act(start)


def test_random_agents_with_other_seeds_do_other_things():
    assert (
        Episode("random", "vanilla", "diamond", 1).actions
        != Episode("random", "vanilla", "diamond", 2).actions
    )


@pytest.mark.parametrize("seed", range(4))
def test_every_random_action_is_well_formed_and_does_something(seed: int):
    episode = Episode("random", "vanilla", "enchantment", seed)
    registry = rules("vanilla")
    assert all(isinstance(check(a, registry), Checked) for a in episode.actions)
    failed = [a for a, r in zip(episode.actions, episode.reasons, strict=True) if r]
    assert len(failed) < len(episode.actions) / 4


def test_what_is_executable_follows_the_inventory():
    world = ToyBackend()
    now = world.reset(rules("vanilla"), Task.load("diamond"), seed=1)
    book = catalog(rules("vanilla"))

    def mines(now: Observation) -> set[str]:
        return {a.args["block"] for a in executable(book, now) if a.skill == "mine"}

    assert "oak_log" in mines(now)
    assert "iron_ore" not in mines(now)
    world.have = {"stone_pickaxe": 1, "oak_log": 1}
    now = world.observation()
    assert "iron_ore" in mines(now)
    assert "diamond_ore" not in mines(now)
    crafts = [a for a in executable(book, now) if a.skill == "craft_grid"]
    assert Action("craft_grid", {"station": "inventory", "grid": [["oak_log"]]}) in crafts


def test_an_unknown_agent_gets_the_list_of_known_ones():
    with pytest.raises(UnknownNameError, match="planner"):
        make("plan")
