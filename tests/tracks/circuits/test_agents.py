"""Engineers and scientists, with a model and without: what they do, and what is kept of it."""

import json

import pytest
from tracks.circuits.scripted import BENCH, ENTRY, REPORT, build_calls, calls, engineer, scripted

from mirrorcraft.agents.model import ScriptedModel
from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits import metrics, physics, protocol
from mirrorcraft.tracks.circuits.agents import AGENTS, Help, make_agent
from mirrorcraft.tracks.circuits.book import FORMATS, PARTS, STRUCTURED, Book, Report
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.measure import measure
from mirrorcraft.tracks.circuits.physics import Physics, physics_for
from mirrorcraft.tracks.circuits.protocol import Chain
from mirrorcraft.tracks.circuits.tasks import CircuitTask, names


def lab(rules=None):
    return Laboratory(CircuitTask.load("A_L1"), rules)


FEW = [f"{family}_L{level}" for family in "ABCDE" for level in (1, 3)]


def rates(agent, suite="vanilla", conditions=("baseline",), tasks=FEW):
    """Condition -> success of one run, in percent."""
    chosen = [CircuitTask.load(name) for name in tasks]
    cases = [protocol.condition(name) for name in conditions]
    records = protocol.play(agent, AGENTS[agent], chosen, cases, runs=1, suite=suite)
    groups = metrics.by(records, lambda r: r.condition)
    return {name: metrics.success(group) for name, group in groups.items()}


def test_the_builder_is_the_ceiling_and_chance_the_floor():
    assert rates("builder") == {"baseline": 100.0}
    assert rates("random") == {"baseline": 0.0}
    assert 0 < (rates("prior")["baseline"] or 0) < 50


def test_equal_seeds_play_equally():
    task, case = [CircuitTask.load("A_L1")], [protocol.condition("baseline")]
    first, second = (list(protocol.play("random", AGENTS["random"], task, case)) for _ in range(2))
    assert first == second
    assert len({record.why for record in first}) > 1  # runs differ in their luck


@pytest.mark.parametrize("suite", physics.suites())
def test_changed_rules_hurt_who_does_not_know_them_and_an_experiment_helps(suite):
    assert (rates("builder", suite)["baseline"] or 0) < 100
    gap = metrics.gaps(rates("experimenter", suite, ("baseline", "hint", "both")))
    assert gap is not None
    assert gap.discovery > 0
    assert gap.identification == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "rigid", "measured"), [("R01", 60, 72), ("R02", 60, 100), ("R03", 0, 100)]
)
def test_the_success_on_all_tasks_is_what_the_docs_say(suite, rigid, measured):
    assert rates("builder", suite, tasks=names()) == {"baseline": rigid}
    assert rates("experimenter", suite, ("scientist",), names()) == {"scientist": measured}
    assert rates("experimenter", conditions=("scientist",), tasks=names()) == {"scientist": 100}


@pytest.mark.parametrize("suite", physics.suites())
def test_measuring_finds_the_physics(suite):
    made, book = lab(rules=physics_for(suite)), Book()
    measure(made, book)
    truth = physics_for(suite)
    assert made.trials == 12
    for name in ("dust_decay", "button_gt", "repeater_gt", "lamp_off_gt", "torch_gt"):
        assert book.values[name] == getattr(truth, name)
    assert set(book.values["conductors"]) == set(truth.conductors)
    assert len(book.reports) == len(book.entries) == 8


@pytest.mark.parametrize("format", FORMATS)
def test_findings_are_kept_in_every_format(format):
    book = Book(format)
    measure(lab(), book)
    assert all(tuple(entry) == FORMATS[format] for entry in book.entries.values())
    assert "20" in str(book.entries["button_gt"])


def test_a_report_has_its_parts_and_three_trials():
    parts: dict[str, str] = {part: "text" for part in PARTS}
    rows = [{"condition": "c", "observed": "o", "matches": "yes"}] * 3
    text = Report(parts, rows).text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {i}. {part}" for i, part in enumerate(PARTS, 1)
    ]
    with pytest.raises(InputError, match="3 trials"):
        Report(parts, rows[:2])
    with pytest.raises(InputError, match="Hypothesis"):
        Report(parts | {"Hypothesis": " "}, rows)


def attempted(task, worker, help=None):
    """The attempt of an engineer at a task, and the help that it had."""
    help = help or Help()
    chain = Chain("m", "vanilla", protocol.condition("baseline"), 0)
    return protocol.attempt(chain, task, worker, help, Physics()), help


def test_a_model_builds_asks_a_scientist_and_is_told_no_verdict():
    task = CircuitTask.load("A_L1")
    model = ScriptedModel(
        [
            "Let me think.",
            calls(("ask-scientist", {"question": "How long is a button pressed?"})),
            BENCH,
            calls(("report", {"parts": {}, "record": []})),
            calls(("report", REPORT)),
            "an entry follows",
            json.dumps(ENTRY),
            build_calls(task),
            calls(("activate-button", {}), ("no-such-tool", {}), ("set-block", {"a": 1})),
            calls(("done", {"notes": "a button lasts 20 gt"})),
        ]
    )
    made, help = attempted(task, engineer(model), Help(hint="signal path", scientist=True))
    record = made.record
    assert record.passed
    assert (record.trials, record.scientist_trials, record.rebuilds) == (4, 3, 0)
    assert (record.notes, record.blocks) == ("a button lasts 20 gt", len(solve(task).blocks))
    assert help.book.entries["button"]["Claim"] == "20 gt"
    assert set(record.learned) == {"entries", "reports"}
    told = "\n".join(m["content"] for m in model.asked[-1])
    assert "signal path" in told
    assert "one of get-block-state" in told
    assert "set-block takes" in told
    assert "passed" not in told


def test_the_account_of_a_model_is_kept():
    task = CircuitTask.load("A_L1")
    made, _ = attempted(task, engineer(scripted()), Help(scientist=True))
    account = made.record.usage
    assert account is not None
    assert account["purposes"] == {"consolidation": 1, "engineer": 4, "scientist": 2}
    assert account["calls"] == len(made.calls) == 7
    assert made.record.tokens == account["tokens"]["input"] + account["tokens"]["output"] > 0
    assert made.calls[0]["messages"][0]["content"].startswith("You build redstone circuits")
    assert json.loads(json.dumps(made.calls)) == made.calls


def test_a_cap_ends_an_attempt_and_the_build_as_it_stands_counts():
    task = CircuitTask.load("A_L1")
    made, _ = attempted(task, engineer(scripted(), max_calls=1))
    assert made.record.passed  # it was built in the one reply, and never pressed
    assert made.record.trials == 0
    assert made.record.usage is not None
    assert made.record.usage["stopped"] == "max_calls"
    again, help = attempted(task, engineer(scripted(), max_calls=2), Help(scientist=True))
    assert (again.record.passed, again.record.trials, again.record.scientist_trials) == (
        False,
        3,
        3,
    )
    assert help.book.entries == {}


def test_a_conversation_that_grows_too_long_loses_its_oldest_part():
    sizes = []

    def looks_around(messages):
        sizes.append(sum(len(m["content"]) for m in messages))
        assert messages[0]["content"].startswith("You build redstone circuits")
        if len(sizes) > 30:
            return calls(("done", {}))
        return calls(("get-block-state", {"x": 0, "y": 4, "z": 0})) + "x" * 200

    model = ScriptedModel(looks_around)
    made, _ = attempted(CircuitTask.load("A_L1"), engineer(model, context_chars=5000))
    assert max(sizes) <= 5000
    assert sizes != sorted(sizes)
    assert made.record.usage is not None
    assert made.record.usage["compactions"] > 0
    stuck, _ = attempted(CircuitTask.load("A_L1"), engineer(ScriptedModel([]), context_chars=1000))
    assert stuck.record.usage is not None
    assert "context" in stuck.record.usage["stopped"]


def test_rebuilds_are_presses_after_changes():
    task = CircuitTask.load("A_L1")
    press = ("activate-button", {})
    edit = ("set-block", {"x": 9, "y": 4, "z": 9, "block": "stone"})
    model = ScriptedModel(
        [build_calls(task), calls(press, press, edit, press), calls(("done", {}))]
    )
    made, _ = attempted(task, engineer(model))
    assert (made.record.trials, made.record.rebuilds) == (3, 1)


def test_a_curriculum_remembers_and_an_independent_run_does_not():
    prompts = {}
    tasks = [CircuitTask.load("A_L1"), CircuitTask.load("A_L2")]
    for curriculum in (True, False):
        model = scripted()
        case = [protocol.condition("both")]
        list(
            protocol.play(
                "m", lambda m=model: engineer(m), tasks, case, runs=1, curriculum=curriculum
            )
        )
        prompts[curriculum] = [m[0]["content"] for m in model.asked][-1]
    assert "3 presses" not in prompts[True]
    assert "Your notes: dust has no delay" in prompts[True]
    assert "Knowledge book" in prompts[True]
    assert "Earlier tasks" not in prompts[False]


def test_a_book_is_what_its_additions_make_of_it():
    book = Book()
    measure(lab(), book)
    later = book.copy()
    later.add("button_gt", dict.fromkeys(FORMATS[STRUCTURED], "changed"))
    later.values["torch_gt"] = 9
    again = Book()
    for step in (book.since(Book()), later.since(book)):
        again.take(json.loads(json.dumps(step)))
    assert again == later
    assert later.since(later.copy()) == {}


def test_an_unknown_agent_condition_or_format_is_refused():
    for call in (
        lambda: make_agent("x"),
        lambda: protocol.condition("x"),
        lambda: protocol.condition("both:x"),
        lambda: Book("x"),
    ):
        with pytest.raises(InputError, match="one of"):
            call()
    assert protocol.condition("both:reports").format == "reports"
