"""Plans of the protocol: read, played, stopped and gone on with, with models behind an endpoint too."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tracks.circuits.scripted import Endpoint, knows_its_trade

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.folder import ATTEMPTS, DETAILS, Folder, read_details
from mirrorcraft.tracks.circuits.plan import Plan, play_plan
from mirrorcraft.tracks.circuits.record import read_records
from mirrorcraft.tracks.circuits.report import report, rows_of

TASKS = ["A_L1", "C_L1", "A_L2"]


def plan(**fields):
    base = {"schema_version": "1.0", "kind": "circuits", "agents": [{"name": "prior"}], "runs": 1}
    return Plan.from_data({**base, "tasks": TASKS, **fields}, "test")


def on(endpoint, **fields):
    row = {
        "name": "engineer",
        "model": "m",
        "base_url": endpoint.url,
        "attempts": 1,
        "backoff_s": 0.0,
    }
    return plan(agents=[row], conditions=["both"], **fields)


def kept(folder, played):
    with Folder(folder, played.identity()) as opened:
        return play_plan(played, opened)


def test_a_plan_file_is_read_and_checked(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(
        'schema_version = "1.0"\nkind = "circuits"\nruns = 2\nconditions = ["both:reports"]\n'
        '[[agents]]\nname = "engineer"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\ntemperature = 0.0\n'
    )
    made = Plan.load(file)
    assert len(made.tasks) == 25
    assert [row.label for row in made.agents] == ["engineer:m"]
    assert made.agents[0].settings().temperature == 0.0
    assert [chain.case.format for _, chain in made.chains()] == ["reports", "reports"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "mirror"}, "kind"),
        ({"agents": []}, "agents"),
        ({"agents": [{"name": "bulder"}]}, "did you mean builder"),
        ({"agents": [{"name": "engineer"}]}, "model and base_url"),
        ({"agents": [{"name": "prior", "model": "m", "base_url": "u"}]}, "for no other agent"),
        ({"agents": [{"name": "prior"}, {"name": "prior"}]}, "each name once"),
        ({"tasks": ["Z_L1"]}, "Z_L1"),
        ({"tasks": ["A_L1", "A_L1"]}, "each name once"),
        ({"suites": ["R99"]}, "R99"),
        ({"conditions": ["help"]}, "one of baseline"),
        ({"runs": 0}, "runs"),
        ({"setting": "both"}, "setting"),
        ({"more": 1}, "more"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change, message):
    with pytest.raises(Exception, match=message) as caught:
        plan(**change)
    assert type(caught.value).__module__ == "mirrorcraft.core.errors"


def test_what_an_experiment_found_is_read_back_as_it_was_kept(tmp_path):
    measured = plan(agents=[{"name": "experimenter"}], conditions=["scientist"], suites=["R03"])
    played = kept(tmp_path, measured)
    assert read_records(tmp_path / ATTEMPTS) == played.records
    assert [r.passed for r in played.records] == [True, True, True]
    lines = (tmp_path / ATTEMPTS).read_text().splitlines(keepends=True)
    (tmp_path / ATTEMPTS).write_text(
        lines[0]
    )  # what is left to do goes by the first one's findings
    assert kept(tmp_path, measured).records == played.records


def test_attempts_are_kept_with_the_builds_that_stood(tmp_path):
    played = kept(tmp_path / "run", plan())
    assert len(played.records) == 12
    assert read_records(tmp_path / "run" / ATTEMPTS) == played.records
    for record in played.records:
        build, calls = read_details(tmp_path / "run", record.id)
        assert (len(build.blocks), calls) == (record.blocks, [])


def test_a_run_goes_on_where_it_was_and_refuses_another_plan(tmp_path):
    whole = kept(tmp_path / "whole", plan())
    file = tmp_path / "cut" / ATTEMPTS
    kept(tmp_path / "cut", plan())
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:5]) + lines[5][:40])  # killed in mid-write
    assert kept(tmp_path / "cut", plan()).records == whole.records
    assert file.read_text() == (tmp_path / "whole" / ATTEMPTS).read_text()
    with pytest.raises(InputError, match="runs"):
        kept(tmp_path / "cut", plan(runs=2))
    with (
        Folder(tmp_path / "cut", plan().identity()),
        pytest.raises(InputError, match="no other run in this folder"),
    ):
        kept(tmp_path / "cut", plan())


def test_a_broken_line_is_named(tmp_path):
    kept(tmp_path, plan())
    with (tmp_path / ATTEMPTS).open("a") as file:
        file.write('{"agent": 1}\n')
    with pytest.raises(InputError, match="line 13"):
        kept(tmp_path, plan())


def test_workers_make_the_same_attempts(tmp_path):
    one, three = plan(runs=3), plan(runs=3)
    assert play_plan(one).records == play_plan(three, workers=3).records


def test_a_model_behind_an_endpoint_is_played_with_its_account(tmp_path):
    with Endpoint() as endpoint:
        played = kept(tmp_path, on(endpoint))
    assert played.broken == []
    assert [r.passed for r in played.records] == [True, True, True]
    first, second, _ = played.records
    assert (first.agent, first.scientist_trials, second.scientist_trials) == ("engineer:m", 3, 0)
    assert first.usage is not None
    assert first.usage["model"] == "scripted-1"
    assert first.tokens == 110 * first.usage["calls"]
    assert first.learned["entries"]["button"]["Claim"] == "20 gt"
    assert second.learned == {}
    _, calls = read_details(tmp_path, first.id)
    assert [call["purpose"] for call in calls][:2] == ["engineer", "scientist"]


def test_an_endpoint_that_fails_leaves_the_rest_to_be_made_from_what_was_learnt(tmp_path):
    with Endpoint(most=8) as endpoint:
        cut = kept(tmp_path, on(endpoint))
        assert len(cut.records) == 1
        assert "no answer in 1 attempts" in cut.broken[0]
        text = (tmp_path / ATTEMPTS).read_text()
    prompts = []

    def watched(messages):
        prompts.append(messages[0]["content"])
        return knows_its_trade(messages)

    plan_again = on(endpoint)
    with Endpoint(watched) as again:
        row = plan_again.agents[0].model_copy(update={"base_url": again.url})
        moved = plan_again.model_copy(update={"agents": (row,)})
        with pytest.raises(InputError, match="base_url"):
            kept(tmp_path, moved)
        known = {record.id: record for record in cut.records}
        with Folder(tmp_path / "on", moved.identity()) as folder:
            folder.records |= known
            done = play_plan(moved, folder)
    assert len(done.records) == 3
    assert (tmp_path / ATTEMPTS).read_text() == text
    assert "Knowledge book" in prompts[0]  # from the first attempt's record
    assert "Your notes: dust has no delay" in prompts[0]


def test_a_cap_on_cost_stops_a_run_and_needs_a_price_and_a_folder(tmp_path):
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": {"input": 100.0, "output": 100.0}}))
    with Endpoint(
        tokens=5000
    ) as endpoint:  # half a dollar a call, and seven calls in the first attempt
        capped = on(endpoint, prices=str(prices), max_cost_usd=4.2)
        with pytest.raises(InputError, match="--out"):
            play_plan(capped)
        cut = kept(tmp_path / "run", capped)
        assert len(cut.records) == 1
        assert "the run has cost" in cut.broken[0]
        assert cut.records[0].cost_usd is not None
        more = on(endpoint, prices=str(prices), max_cost_usd=50.0)
        assert len(kept(tmp_path / "run", more).records) == 3
        with pytest.raises(InputError, match="a known price"):
            kept(tmp_path / "other", on(endpoint, max_cost_usd=1.0))


def test_a_run_that_is_killed_loses_nothing_that_it_wrote(tmp_path):
    """Killed in the middle; gone on with, its attempts are those of a run that was left alone."""
    command = [sys.executable, "-m", "mirrorcraft.cli", "circuits", "run", "prior", "--runs", "3"]
    command += ["--task", "A_L1", "--task", "C_L2", "--out", str(tmp_path / "run")]
    file = tmp_path / "run" / ATTEMPTS
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if file.exists() and file.read_text().count("\n") > 3:
            os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.002)
    process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    whole = kept(tmp_path / "whole", plan(runs=3, tasks=["A_L1", "C_L2"]))
    stored = {record.id: record for record in read_records(file)}
    assert stored == {record.id: record for record in whole.records}
    assert file.read_text().count("\n") == len(stored)  # none twice
    assert not list((tmp_path / "run" / DETAILS).glob("*.part"))


def test_a_report_has_the_numbers_and_builds_to_replay(tmp_path):
    played = kept(
        tmp_path, plan(agents=[{"name": "prior"}, {"name": "builder"}], suites=["vanilla", "R02"])
    )
    rows = rows_of(played.records)
    assert {(row["agent"], row["suite"]) for row in rows} == {
        (a, s) for a in ("prior", "builder") for s in ("vanilla", "R02")
    }
    effect = next(row["rie"] for row in rows if (row["agent"], row["suite"]) == ("builder", "R02"))
    assert effect > 0
    page = report(tmp_path, played.records)
    assert "RIE of R02 on builder" in page
    assert page.count('class="player"') == 12
    one = report(tmp_path, played.records, [played.records[0].id])
    assert one.count('class="player"') == 1
    with pytest.raises(InputError, match="the id of an attempt"):
        report(tmp_path, played.records, ["nothing"])
