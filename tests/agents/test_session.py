"""The conversation with a model: repair, giving up, compaction, caps, the account and the replay."""

import json
import threading
from typing import Any

import pytest
from asking import WAIT, Episode, call, prior, script

from mirrorcraft.agents.model import (
    ContextTooLong,
    ModelSettings,
    ReplayModel,
    Reply,
    ScriptedModel,
    Usage,
)
from mirrorcraft.agents.pace import Purse
from mirrorcraft.agents.prices import Price, price_of
from mirrorcraft.agents.session import RunCapReached, Terms
from mirrorcraft.core.action import Action
from mirrorcraft.core.data import body
from mirrorcraft.core.errors import Fault, InputError
from mirrorcraft.core.outcome import Ending

NONSENSE = "I am not sure what to do."
CHEAP = Price(1.0, 0.1, 2.0, "test")


def terms(price: Price | None = None, **given: Any) -> Terms:
    return Terms(ModelSettings(model="m", **given), price)


def test_an_unusable_reply_has_one_repair_turn_that_shows_it():
    episode = Episode("react", script(NONSENSE, WAIT)).play(1)
    assert episode.actions == [Action("wait", {"ticks": 1})]
    assert episode.purposes == ["action", "action repair"]
    first, repair = (c["messages"] for c in episode.agent.trajectory())
    assert repair[0]["content"].startswith(first[0]["content"])
    assert first[1]["content"] in repair[1]["content"]
    assert NONSENSE in repair[1]["content"]
    account = episode.agent.summary()
    assert (account["repairs"], account["invalid"]) == (1, 0)
    assert account["stages"] == {"strict": 1, "balanced": 0, "repaired": 0, "unusable": 1}


def test_every_stage_is_counted():
    replies = (WAIT, f"so: {json.dumps(WAIT)}", str(WAIT), "", WAIT)
    episode = Episode("direct", script(*replies)).play(4)
    stages = episode.agent.summary()["stages"]
    assert stages == {"strict": 2, "balanced": 1, "repaired": 1, "unusable": 1}


@pytest.mark.parametrize("name", ["direct", "react", "react_rules", "reflexion", "xenon"])
def test_unusable_replies_in_a_row_end_the_episode_without_an_action(name: str):
    limit = body()["max_invalid_replies"]
    graph = [json.dumps({"nodes": [{"item": "stick"}]})] if name == "xenon" else []
    episode = Episode(name, script(*graph, *[NONSENSE] * (2 * limit))).play()
    assert (episode.ending, episode.actions) == (Ending.NO_ACTION, [])
    account = episode.agent.summary()
    assert (account["invalid"], account["repairs"]) == (limit, limit)
    assert account["stopped"] == "unusable replies"


def test_one_usable_reply_starts_the_count_anew():
    replies = [NONSENSE] * 4 + [WAIT] + [NONSENSE] * 4 + [WAIT]
    episode = Episode("react", script(*replies)).play(2)
    assert len(episode.actions) == 2
    assert episode.agent.summary()["invalid"] == 4


def test_a_request_that_is_too_long_is_compacted_once():
    episode = Episode("react", script(*[WAIT] * 20, ContextTooLong(), WAIT)).play(21)
    full, compact = (c["messages"][1]["content"] for c in episode.agent.trajectory()[-2:])
    assert "last 16, oldest first" in full
    assert "last 4, oldest first" in compact
    assert len(compact) < len(full)
    assert len(episode.actions) == 21
    assert episode.agent.summary()["compactions"] == 1


def test_a_request_that_stays_too_long_is_a_failure_of_the_policy():
    episode = Episode("react", ScriptedModel(lambda m: ContextTooLong())).play()
    assert episode.ending == Ending.NO_ACTION
    assert episode.purposes == ["action", "action"]  # in full and compact, and never again
    account = episode.agent.summary()
    assert (account["compactions"], account["stopped"]) == (1, "context length")


def test_a_repair_turn_that_is_too_long_is_a_reply_without_an_action():
    replies = (NONSENSE, ContextTooLong(), ContextTooLong(), WAIT)
    episode = Episode("react", script(*replies)).play(1)
    assert episode.actions == [Action("wait", {"ticks": 1})]
    assert episode.agent.summary()["invalid"] == 1


def test_a_known_limit_compacts_before_the_request_is_sent():
    plain = Episode("react", script(*[WAIT] * 20)).play(20)
    size = max(sum(len(m["content"]) for m in c["messages"]) for c in plain.agent.trajectory())
    limited = terms(context_chars=size - 1)
    model = script(*[WAIT] * 20)
    episode = Episode("react", model, terms=limited).play(20)
    assert len(episode.actions) == 20
    assert episode.agent.summary()["compactions"] >= 1
    assert all(sum(len(m["content"]) for m in asked) < size for asked in model.asked)


def test_an_episode_makes_no_more_calls_than_it_may():
    episode = Episode("direct", script(*[WAIT] * 9), terms=terms(max_calls=5)).play()
    assert episode.ending == Ending.NO_ACTION
    assert len(episode.purposes) == 5
    assert episode.agent.summary()["stopped"] == "max_calls"


def test_a_call_that_could_go_over_the_tokens_of_an_episode_is_not_made():
    replies = [Reply(call("wait"), Usage(6000, 0, 50))] * 9
    limit = terms(max_tokens_total=20_000, max_tokens=400)
    episode = Episode("direct", ScriptedModel(replies), terms=limit).play()
    account = episode.agent.summary()
    assert (account["stopped"], episode.ending) == ("max_tokens_total", Ending.NO_ACTION)
    assert 12_000 < account["tokens"]["input"] + account["tokens"]["output"] <= 20_000


def test_what_an_episode_may_cost_is_never_gone_over():
    replies = [Reply(call("wait"), Usage(4000, 1000, 100))] * 50
    episode = Episode(
        "direct", ScriptedModel(replies), terms=terms(CHEAP, max_cost_usd=0.05)
    ).play()
    account = episode.agent.summary()
    assert account["stopped"] == "max_cost_usd"
    assert 0.03 < account["cost_usd"] <= 0.05
    each = (3000 * 1.0 + 1000 * 0.1 + 100 * 2.0) / 1e6
    assert account["cost_usd"] == pytest.approx(account["calls"] * each)


def test_a_cap_on_cost_needs_a_price():
    with pytest.raises(InputError, match="known price"):
        Episode("direct", script(), terms=terms(max_cost_usd=1.0))


def test_the_cap_of_a_run_holds_over_all_its_episodes(tmp_path):
    purse = Purse(tmp_path / "spent.json")
    replies = [Reply(call("wait"), Usage(4000, 0, 0))] * 50
    shared = Terms(ModelSettings(model="m", max_tokens=100), CHEAP, purse, 0.05)
    Episode("direct", ScriptedModel(replies), terms=shared).play(8)
    assert purse.cost_usd == pytest.approx(0.032)
    with pytest.raises(RunCapReached, match="raise max_cost_usd"):
        Episode("direct", ScriptedModel(replies), terms=shared).play(8)
    assert purse.cost_usd <= 0.05


def test_episodes_at_the_same_time_do_not_go_over_the_cap_of_a_run_together(tmp_path):
    """Each of eight calls fits the cap alone; all of them are under way before one is paid."""
    purse, waiting = Purse(tmp_path / "spent.json"), threading.Barrier(4, timeout=30)

    def slow(_: Any) -> Reply:
        waiting.wait()  # four calls are let through, and no fifth
        return Reply(call("wait"), Usage(4000, 0, 1000))

    shared = Terms(ModelSettings(model="m", max_tokens=1000), CHEAP, purse, 0.025)
    ended: list[str] = []

    def play() -> None:
        try:
            Episode("direct", ScriptedModel(slow), terms=shared).play(1)
            ended.append("played")
        except RunCapReached:
            ended.append("refused")

    threads = [threading.Thread(target=play) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == ["played"] * 4 + ["refused"] * 4
    assert purse.cost_usd == pytest.approx(4 * 0.006)


def test_what_was_reserved_for_a_call_that_failed_is_given_back(tmp_path):
    purse = Purse(tmp_path / "spent.json")
    shared = Terms(ModelSettings(model="m"), CHEAP, purse, 1.0)
    with pytest.raises(Fault):
        Episode("direct", script(Fault("down")), terms=shared).play(1)
    assert purse.cost_usd == pytest.approx(0.0)


def test_an_unknown_price_is_null_and_a_known_one_is_named():
    unknown = Episode("direct", script(WAIT)).play(1).agent.summary()
    assert (unknown["cost_usd"], unknown["price"]) == (None, None)
    known = Episode("direct", script(WAIT), terms=terms(CHEAP)).play(1).agent.summary()
    assert known["price"]["source"] == "test"


def test_prices_come_from_the_table_unless_a_file_says_otherwise(tmp_path):
    model = ModelSettings(model="gpt-4o-mini", base_url="https://api.openai.com/v1")
    listed = price_of(model)
    assert listed is not None
    assert listed.source == "genai-prices"
    assert listed.cached < listed.input < listed.output
    file = tmp_path / "prices.json"
    file.write_text('{"gpt-4o-mini": {"input": 1, "output": 3}}')
    assert price_of(model, file) == Price(1, 1, 3, str(file))
    assert price_of(ModelSettings(model="no-such-model")) is None


@pytest.mark.parametrize(
    "text", ["[]", '{"m": 1}', '{"m": {"input": 1}}', '{"m": {"input": -1, "output": 1}}']
)
def test_a_malformed_price_file_is_refused(tmp_path, text: str):
    file = tmp_path / "prices.json"
    file.write_text(text)
    with pytest.raises(InputError, match="prices"):
        price_of(ModelSettings(model="m"), file)


@pytest.mark.parametrize("name", ["react", "voyager", "adam"])
def test_a_stored_trajectory_plays_the_same_episode_again(name: str):
    first = Episode(name, prior()).play()
    again = Episode(name, ReplayModel(first.agent.trajectory())).play()
    assert again.actions == first.actions
    assert again.agent.summary() == first.agent.summary()


def test_a_replay_that_is_asked_something_else_says_where():
    calls = Episode("react", prior()).play().agent.trajectory()
    with pytest.raises(InputError, match=r"call 1.*stored request"):
        Episode("direct", ReplayModel(calls)).play()


def test_the_offline_model_is_never_random_and_errs_as_often_as_asked():
    texts = [
        [c["reply"] for c in Episode("react", prior()).play().agent.trajectory()] for _ in "ab"
    ]
    assert texts[0] == texts[1]
    from mirrorcraft.agents.offline_model import OfflineModel

    clean = [c["messages"] for e in ("direct", "react", "xenon") for c in Episode(e, prior()).play().agent.trajectory()]  # fmt: skip
    answers = [(OfflineModel().ask(m).text, OfflineModel(0.3, seed=5).ask(m).text) for m in clean]
    share = sum(a != b for a, b in answers) / len(answers)
    assert 0.15 < share < 0.45
