"""Study files: a wrong one is answered in one line, a right one becomes episodes in order."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from fake import AGENTS

from mirrorcraft import agents as known_agents
from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.plan import parse_study, plan, rules_for, study_names, study_text

WORLD, OTHER = World.names()[:2]
GOOD = f"""
schema_version = "1.0"
name = "small"
worlds = ["{WORLD}", "{OTHER}"]
suites = ["vanilla", "M01"]
tasks = ["diamond", "enchantment"]
budgets = {{ enchantment = 9 }}
[[agents]]
name = "steady"
disclosure = "disclosed"
[[agents]]
name = "fickle"
repetitions = 3
"""


def test_a_study_is_every_agent_in_every_cell_world_by_world():
    specs = plan(parse_study(GOOD, "small.toml", AGENTS))
    assert len(specs) == 2 * 2 * 2 * (1 + 3)
    assert [s.world for s in specs] == [WORLD] * 16 + [OTHER] * 16
    assert len({s.id for s in specs}) == len(specs)
    assert {(s.task, s.budget) for s in specs} == {("diamond", 50), ("enchantment", 9)}
    assert {(s.agent, s.disclosure) for s in specs} == {
        ("steady", "disclosed"),
        ("fickle", "hidden"),
    }
    assert [s.repetition for s in specs[:4]] == [0, 0, 1, 2]


def test_a_mirror_episode_shares_its_luck_and_pair_with_its_vanilla_twin():
    specs = plan(parse_study(GOOD, "small.toml", AGENTS))
    vanilla = {s.pair_id: s for s in specs if s.suite == "vanilla"}
    for mirror in (s for s in specs if s.suite == "M01"):
        twin = vanilla[mirror.pair_id]
        assert (mirror.world_seed, mirror.agent_seed) == (twin.world_seed, twin.agent_seed)
        assert mirror.id != twin.id


@pytest.mark.parametrize(
    ("old", "new", "place", "expected"),
    [
        (f'"{WORLD}"', '"plain-a"', "worlds[0]", "did you mean"),
        ('"M01"', '"M99"', "suites[1]", "M01"),
        ('"diamond"', '"dragon"', "tasks[0]", "diamond"),
        ('"steady"', '"stedy"', "agents[0].name", "steady"),
        ('"M01"', '"vanilla"', "suites[1]", "each name once"),
        ('name = "fickle"', 'name = "steady"\ndisclosure = "disclosed"', "agents[1]", "once"),
        (
            "repetitions = 3",
            "repetitions = 0",
            "agents[1].repetitions",
            "greater than or equal to 1",
        ),
        ("repetitions = 3", "repetition = 3", "agents[1].repetition", "no field of this name"),
        ('"disclosed"', '"told"', "agents[0].disclosure", "'hidden' or 'disclosed'"),
        ('"1.0"', '"2.0"', "schema_version", "'1.0'"),
        ("enchantment = 9", "enchantment = 0", "budgets.enchantment", "greater than or equal to 1"),
        ("enchantment = 9", "iron_armor = 9", "budgets", "a known name"),
        ('name = "small"', 'name = "../up"', "name", "match pattern"),
        ('["diamond", "enchantment"]', "[]", "tasks", "at least 1 item"),
        ('["diamond", "enchantment"]', "3", "tasks", "valid tuple"),
        ("[[agents]]", "[agents", "small.toml", "valid TOML"),
    ],
)
def test_a_bad_study_names_file_place_and_what_was_expected(old, new, place, expected):
    with pytest.raises(StudyError) as caught:
        parse_study(GOOD.replace(old, new), "small.toml", AGENTS)
    message = str(caught.value)
    assert message.startswith("small.toml")
    assert place in message
    assert expected in message
    assert "\n" not in message


def test_a_study_that_is_not_there_is_an_error_that_lists_the_built_in_ones():
    with pytest.raises(StudyError, match="quick"):
        study_text("no/such/study.toml")


def test_every_built_in_study_is_a_good_one():
    from mirrorcraft.agents import AGENTS as OFFLINE

    for name in study_names():
        assert plan(parse_study(*study_text(name), OFFLINE))


def test_the_quick_study_plays_everything_there_is():
    from mirrorcraft.agents import AGENTS as OFFLINE

    config = parse_study(*study_text("quick"), OFFLINE)
    assert set(config.worlds) == set(World.names())
    assert set(config.tasks) == set(Task.names())
    assert set(config.suites) == {"vanilla", "M01", "M02", "M03", "M04", "M05", "M06"}
    assert len(plan(config)) == 10 * 7 * 3 * (1 + 1 + 1 + 3)


def test_every_suite_of_a_study_has_rules_of_its_own():
    assert rules_for("vanilla").changes == ()
    assert rules_for("M01").changes
    assert rules_for("M01") != rules_for("vanilla")


MODELS = """
[models.one]
model = "first-model"
base_url = "http://127.0.0.1:1/v1"
[models.two]
model = "second-model"
base_url = "http://127.0.0.1:2/v1"
temperature = 0.1
"""


def test_a_row_that_names_models_is_one_agent_for_each():
    text = GOOD.replace('name = "steady"', 'name = "steady"\nmodels = ["one", "two"]') + MODELS
    config = parse_study(text, "small.toml", AGENTS)
    assert [(a.name, a.model) for a in config.agents] == [
        ("steady", "first-model"),
        ("steady", "second-model"),
        ("fickle", None),
    ]
    assert [a.temperature for a in config.agents[:2]] == [0.7, 0.1]


def test_an_unknown_model_is_named():
    text = GOOD.replace('name = "steady"', 'name = "steady"\nmodels = ["three"]') + MODELS
    with pytest.raises(StudyError, match=r"agents\[0\]\.models\[0\].*'three'.*one, two"):
        parse_study(text, "small.toml", AGENTS)


def test_an_agent_may_play_some_suites_and_a_world_may_have_no_mirror():
    text = GOOD.replace("repetitions = 3", 'repetitions = 3\nsuites = ["M01"]')
    text = text.replace("tasks =", f'mirror_worlds = ["{OTHER}"]\ntasks =')
    specs = plan(parse_study(text, "small.toml", AGENTS))
    assert {(s.agent, s.suite, s.world) for s in specs} == {
        ("steady", "vanilla", WORLD),
        ("steady", "vanilla", OTHER),
        ("steady", "M01", OTHER),
        ("fickle", "M01", OTHER),
    }


def test_the_executor_does_not_make_another_study():
    here = parse_study(GOOD, "s", AGENTS)
    there = parse_study('executor = "ray"\n' + GOOD, "s", AGENTS)
    assert here != there
    assert here.identity() == there.identity()


@pytest.mark.parametrize(
    ("name", "episodes", "vanilla"),
    [("main", 8640, 1080), ("diamond", 456, 120), ("horizon", 4080, 1200)],
)
def test_a_built_in_study_has_the_plan_of_the_paper(name: str, episodes: int, vanilla: int):
    config = parse_study(*study_text(name), known_agents.AGENTS)
    specs = plan(config)
    assert len(specs) == len({s.id for s in specs}) == episodes
    assert sum(s.suite == "vanilla" for s in specs) == vanilla


def test_the_horizon_study_has_25_vanilla_and_60_mirror_worlds():
    config = parse_study(*study_text("horizon"), known_agents.AGENTS)
    pairs = {(s.world, s.suite) for s in plan(config)}
    assert sum(suite == "vanilla" for _, suite in pairs) == 25
    assert sum(suite != "vanilla" for _, suite in pairs) == 60
    biomes = Counter(World.load(w).biome for w in config.worlds)
    assert set(biomes.values()) == {5}
    assert {s.budget for s in plan(config)} == {200}
    assert config.checkpoints == (100, 150, 200)


@pytest.mark.parametrize("name", ["main", "diamond", "horizon"])
def test_a_built_in_study_plays_real_models_once_their_tables_are_written(name: str):
    text, source = study_text(name)
    before = parse_study(text, source, known_agents.AGENTS)
    offline = re.findall(r'^model = "(offline/.*)"\nbase_url = "offline"$', text, re.MULTILINE)
    assert offline
    for number, old in enumerate(offline):
        new = f'model = "real-{number}"\nbase_url = "https://models.example/v1"'
        text = text.replace(f'model = "{old}"\nbase_url = "offline"', new)
    after = parse_study(text, source, known_agents.AGENTS)
    assert "offline" not in {row.base_url for row in after.agents}
    names = [f"real-{number}" for number in range(len(offline))]
    assert {row.model for row in after.agents} == set(names)
    real = dict(zip(offline, names, strict=True))
    renamed = [replace(s, model=real[str(s.model)]) for s in plan(before)]
    assert plan(after) == renamed
