"""Server and simulator agree; and the suite that says so would notice if they did not."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from live import need_server

from mirrorcraft.core.episode import VANILLA
from mirrorcraft.core.errors import Fault
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.server.backend import ServerBackend
from mirrorcraft.server.cases import cases, draws
from mirrorcraft.server.chances import chi_square
from mirrorcraft.server.conform import (
    Result,
    Servers,
    answer,
    compare_cases,
    compare_episode,
    compare_sequences,
    suites,
)
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.server.stage import FAST, Scene, ServerStage, SimStage
from mirrorcraft.study.plan import rules_for

server = pytest.mark.server

SQUID = Servers(
    "squid",
    lambda: ServerStage(partial(SquidServer, ticks=FAST), transport="process"),
    lambda: ServerBackend(transport="process"),
)


@pytest.mark.parametrize(("quick", "least"), [(True, 600), (False, 2000)])
def test_there_are_at_least_so_many_cases_and_no_two_share_a_name(quick, least):
    total = 0
    for suite in suites():
        rules = rules_for(suite)
        names = [c.id for c in (*cases(rules, quick=quick), *draws(rules, quick=quick))]
        assert len(set(names)) == len(names)
        total += len(names)
    assert total >= least


def test_chi_square_accepts_what_was_drawn_and_doubts_what_was_not():
    expected = {"a": 0.5, "b": 0.3, "c": 0.2}
    value, bound = chi_square(Counter(a=52, b=29, c=19), expected, 100)
    assert value < bound
    value, bound = chi_square(Counter(a=20, b=29, c=51), expected, 100)
    assert value > bound


def test_a_difference_is_listed_with_both_answers():
    result = Result("squid")
    result.add("craft", "one", "M01", {"ok": True}, {"ok": True})
    result.add("craft", "two", "M01", {"ok": True}, {"ok": False})
    report = result.as_dict()
    assert (report["cases"], report["agree"], report["skipped"]) == (2, 1, [])
    assert report["differences"] == [
        {"case": "two", "rules": "M01", "server": {"ok": True}, "simulator": {"ok": False}}
    ]


def test_two_stages_of_the_simulator_agree_on_every_reason_and_differ_under_other_rules():
    world, differ = World.load("plains-a"), 0
    ours, theirs = SimStage(), SimStage()
    ours.open(world, rules_for("M01"))
    theirs.open(world, rules_for(VANILLA))
    for case in cases(rules_for("M01"), quick=True):
        answers = []
        for stage in (ours, theirs):
            stage.set_up(case.scene)
            answers.append(answer(stage.act(case.action), case))
        differ += answers[0] != answers[1]
    assert differ > 10  # a server that ignored the pack would be found out


class Fragile(SimStage):
    """A stage that breaks in its third scene, and is whole again when it is opened anew."""

    def __init__(self) -> None:
        super().__init__()
        self.scenes = 0

    def set_up(self, scene: Scene) -> None:
        self.scenes += 1
        if self.scenes == 3:
            self._place = None
            raise Fault("the body is gone")
        super().set_up(scene)


def test_a_server_that_breaks_costs_one_case_and_not_the_rest():
    names = [case.id for case in cases(rules_for("M01"), quick=True)]
    result = compare_cases(Servers("fragile", Fragile, Fragile), "plains-a", "M01", quick=True)  # type: ignore[arg-type]
    assert result.differences == []
    assert result.skipped == [{"case": names[2], "rules": "M01", "why": "the body is gone"}]
    assert sum(result.cases.values()) == len(names) - 1


@pytest.fixture(scope="module")
def stage():
    need_server()
    stage = SQUID.stage()
    stage.open(World.load("plains-a"), rules_for(VANILLA))
    yield stage
    stage.close()


@server
def test_a_scene_is_what_it_says(stage: ServerStage):
    scene = Scene(
        {"dirt": 3},
        tools=(("iron_pickaxe", (("fortune", 2),)),),
        blocks={(1, 0, 0): "furnace"},
        level=7,
    )
    stage.set_up(scene)
    assert stage._seen["inventory"] == {"dirt": 3, "iron_pickaxe": 1}
    assert stage._seen["facilities"] == {"furnace": 1}
    assert stage._seen["level"] == 7


@server
@pytest.mark.parametrize("suite", [VANILLA, "M01", "M06"])
def test_the_quick_cases_agree(suite: str):
    need_server()
    result = compare_cases(SQUID, "plains-a", suite, quick=True)
    assert result.differences == []
    assert sum(result.cases.values()) > 40


@server
def test_no_rule_shows_before_it_is_met():
    need_server()
    result = compare_sequences(SQUID, "plains-a", ("M02",))
    assert result.differences == []


@server
def test_a_planner_reaches_the_goal_as_in_the_simulator():
    need_server()
    result = compare_episode(SQUID, "plains-a", "M02", "iron_armor")
    assert (result.differences, result.skipped) == ([], [])


@server
def test_the_world_of_an_episode_is_never_written_back(tmp_path):
    need_server()
    backend = ServerBackend(transport="process", runs=tmp_path, keep=True)
    try:
        task = Task.load("iron_armor")
        backend.reset(World.load("plains-a"), rules_for("M01"), replace(task, budget=5), seed=1)
    finally:
        backend.close()
    (folder,) = tmp_path.iterdir()
    files = {p.relative_to(folder / "world").as_posix() for p in folder.rglob("world/**/*")}
    assert "datapacks/mirror.zip" in files
    assert not [f for f in files if f.startswith(("playerdata", "stats"))]
