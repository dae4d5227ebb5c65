"""The chat client against an endpoint that answers as it is told."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mirrorcraft.agents.endpoint import HttpModel, seconds_to_wait
from mirrorcraft.agents.model import (
    ContextTooLong,
    Messages,
    ModelRefused,
    ModelSettings,
    Usage,
    chat_body,
)
from mirrorcraft.agents.pace import Pace, Purse
from mirrorcraft.core.errors import Fault, InputError

KEY = "sk-very-secret"
ASKED: Messages = ({"role": "system", "content": "s"}, {"role": "user", "content": "ü"})


def answer(text: Any, **usage: Any) -> bytes:
    message = {"choices": [{"message": {"content": text}}], "model": "m-2026-11-01"}
    return json.dumps(message | ({"usage": usage} if usage else {})).encode()


OK = (200, {}, answer("hello", prompt_tokens=10, completion_tokens=3))


@contextmanager
def endpoint(*answers: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve these (status, headers, body) in order, the last one for ever; None drops the connection, a number of seconds late."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            given = answers[min(len(got), len(answers) - 1)]
            got.append(
                {"body": json.loads(body), "key": self.headers["authorization"], "at": time.time()}
            )
            if isinstance(given, float):
                time.sleep(given)
            if not isinstance(given, tuple):
                return
            status, headers, data = given
            self.send_response(status)
            for name, value in ({"content-length": str(len(data))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/", got
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def model(url: str, **given: Any) -> HttpModel:
    return HttpModel(ModelSettings(model="m", base_url=url, backoff_s=0.001, **given))


def test_a_request_has_the_settings_of_the_paper_and_the_key_in_its_header_alone():
    with endpoint(OK) as (url, got):
        reply = model(url).ask(ASKED)
    assert (reply.text, reply.usage, reply.model) == ("hello", Usage(10, 0, 3), "m-2026-11-01")
    assert got[0]["body"] == {
        "model": "m",
        "messages": [dict(m) for m in ASKED],
        "temperature": 0.7,
        "max_tokens": 2048,
    }
    assert got[0]["key"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("https://generativelanguage.googleapis.com/v1beta/openai", {"reasoning_effort": "none"}),
        ("https://openrouter.ai/api/v1", {"reasoning": {"enabled": False}}),
        ("https://api.deepseek.com", {"thinking": {"type": "disabled"}}),
        ("http://127.0.0.1:8000/v1", {}),
    ],
)
def test_providers_that_think_are_asked_not_to(url: str, field: dict[str, Any]):
    plain = {"model", "messages", "temperature", "max_tokens"}
    settings = ModelSettings(model="m", base_url=url)
    assert {k: v for k, v in chat_body(settings, ASKED).items() if k not in plain} == field
    thinking = settings.model_copy(update={"reasoning": "default"})
    assert chat_body(thinking, ASKED).keys() == plain


@pytest.mark.parametrize(
    ("model", "thinking"), [("gpt-5.6-luna", {"reasoning_effort": "none"}), ("gpt-4o-mini", {})]
)
def test_openai_is_asked_in_the_words_that_all_its_models_know(
    model: str, thinking: dict[str, Any]
):
    body = chat_body(ModelSettings(model=model, base_url="https://api.openai.com/v1"), ASKED)
    assert body.pop("max_completion_tokens") == 2048
    plain = {"model", "messages", "temperature"}
    assert {k: v for k, v in body.items() if k not in plain} == thinking


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        ((429, {"retry-after": "0"}, b"slow"), "rate_limited"),
        ((500, {}, b"broken"), "server_error"),
        ((503, {"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, b""), "server_error"),
        ((408, {}, b""), "timeout"),
        ((200, {}, b"<html>"), "garbled"),
        ((200, {}, b""), "garbled"),
        ((200, {}, b'{"choices": []}'), "garbled"),
        ((200, {}, b'{"choices": [{"message": {"content": 7}}]}'), "garbled"),
        ((200, {}, b'{"choices": [{"message": null}]}'), "garbled"),
        ((200, {"content-length": "500"}, b'{"choices": ['), "connection"),
        (None, "connection"),
    ],
)
def test_what_may_pass_is_tried_again_and_counted(trouble: Any, kind: str):
    with endpoint(trouble, trouble, OK) as (url, got):
        reply = model(url).ask(ASKED)
    assert reply.text == "hello"
    assert reply.troubles == {kind: 2}
    assert len(got) == 3


def test_a_slow_answer_is_a_timeout_and_tried_again():
    with endpoint(0.5, OK) as (url, _):
        assert model(url, timeout_s=0.1).ask(ASKED).troubles == {"timeout": 1}


def test_retry_after_is_waited_for():
    with endpoint((429, {"retry-after": "0.3"}, b""), OK) as (url, got):
        model(url).ask(ASKED)
    assert got[1]["at"] - got[0]["at"] >= 0.3


def test_an_endpoint_that_stays_down_is_a_fault_that_counts_the_attempts_and_hides_the_key():
    with (
        endpoint((500, {}, f"key {KEY} is odd".encode())) as (url, got),
        pytest.raises(Fault, match="3 attempts") as caught,
    ):
        model(url, attempts=3).ask(ASKED)
    assert len(got) == 3
    assert "3 x server_error" in str(caught.value)
    assert KEY not in str(caught.value)
    assert "[key]" in str(caught.value)


def test_a_key_that_an_endpoint_repeats_is_not_kept(monkeypatch: pytest.MonkeyPatch):
    with endpoint((200, {}, answer(f"your key is {KEY}"))) as (url, _):
        assert model(url).ask(ASKED).text == "your key is [key]"
        monkeypatch.setenv("OPENAI_API_KEY", "key")  # a stand-in, and a word
        assert model(url).ask(ASKED).text == f"your key is {KEY}"


def test_an_endless_retry_after_is_a_fault():
    with (
        endpoint((429, {"retry-after": "86400"}, b"")) as (url, got),
        pytest.raises(Fault, match="86400"),
    ):
        model(url).ask(ASKED)
    assert len(got) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_tried_again(status: int):
    with (
        endpoint((status, {}, b"no such model")) as (url, got),
        pytest.raises(ModelRefused, match=f"HTTP {status}.*no such model"),
    ):
        model(url).ask(ASKED)
    assert len(got) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"error": {"code": "context_length_exceeded"}}',
        "This model's maximum context length is 8192",
    ],
)
def test_a_request_that_is_too_long_is_told_apart(text: str):
    with endpoint((400, {}, text.encode())) as (url, got), pytest.raises(ContextTooLong):
        model(url).ask(ASKED)
    assert len(got) == 1


def test_an_empty_answer_is_a_reply_and_lone_surrogates_are_replaced():
    with endpoint((200, {}, answer(None)), (200, {}, answer("\ud800!"))) as (url, _):
        asked = model(url)
        assert asked.ask(ASKED).text == ""
        assert asked.ask(ASKED).text == "?!"


def test_the_key_is_asked_for_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        model("https://api.example.com/v1")
    model("http://127.0.0.1:1/v1")  # loopback does without


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("soon", None),
        ("nan", None),
        ("Thu, 01 Jan 1970 00:00:40 GMT", 30.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str | None, seconds: float | None):
    assert seconds_to_wait(header, now=10.0) == seconds


def test_a_limit_is_shared_by_everyone_who_asks_the_same_endpoint(tmp_path):
    ours, theirs = (Pace("e", per_minute=60, folder=tmp_path) for _ in range(2))
    assert [ours.reserve(100.0), theirs.reserve(100.0), ours.reserve(100.5)] == [0.0, 1.0, 1.5]
    assert Pace("other", per_minute=60, folder=tmp_path).reserve(100.0) == 0.0
    ours.hold(200.0)
    assert theirs.reserve(103.0) == 97.0


def test_without_a_limit_nobody_waits_until_someone_is_told_to(tmp_path):
    pace = Pace("e", None, tmp_path)
    assert [pace.reserve(5.0), pace.reserve(5.0)] == [0.0, 0.0]
    pace.hold(9.0)
    assert Pace("e", None, tmp_path).reserve(5.0) == 4.0


def test_threads_lose_no_cent_of_the_account(tmp_path):
    purse = Purse(tmp_path / "spent.json")
    assert purse.cost_usd == 0.0
    threads = [
        threading.Thread(target=lambda: [purse.spend(0.25) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert purse.cost_usd == 100.0


def test_requests_of_many_threads_share_the_gate():
    with endpoint(OK) as (url, got):
        asked = model(url, in_flight=2)
        threads = [threading.Thread(target=asked.ask, args=(ASKED,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(got) == 12
