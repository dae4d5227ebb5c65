"""A chat client for OpenAI-compatible endpoints: retries, rate limits, and an error for every way to fail."""

import asyncio
import json
import math
import os
import threading
import time
from collections import Counter
from concurrent.futures import CancelledError
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mirrorcraft.agents.model import (
    ContextTooLong,
    Messages,
    ModelRefused,
    ModelSettings,
    Reply,
    Usage,
    chat_body,
)
from mirrorcraft.agents.pace import Pace
from mirrorcraft.core.errors import Fault, InputError
from mirrorcraft.core.rng import seed_from, uniform

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TOO_LONG = ("context_length", "context length", "context window", "maximum context", "too many tokens", "prompt is too long")  # fmt: skip
_SHORTEST_KEY = 8
_RETRIED = {408: "timeout", 409: "conflict", 425: "too_early", 429: "rate_limited"}


class _Trouble(NamedTuple):
    """An attempt that failed and may be made again: what kind, what was said, seconds to wait if told."""

    kind: str
    detail: str
    wait_s: float | None = None


class HttpModel:
    """A model behind an HTTP endpoint. Requests of all threads run on one event loop of the process.

    Args:
        settings: the model, with ``model`` and ``base_url`` given.

    Raises:
        InputError: the extra ``models`` is not installed, the URL is none, or the key is missing.
    """

    def __init__(self, settings: ModelSettings):
        try:
            import httpx2  # noqa: F401  # an optional extra
        except ImportError:
            expected = "the extra: pip install 'mirrorcraft[models]'"
            raise InputError("model", "httpx2", None, expected) from None
        if not settings.model or urlsplit(settings.base_url or "").scheme not in ("http", "https"):
            expected = "a model and the URL of its endpoint"
            raise InputError("model", "base_url", settings.base_url, expected)
        self.settings = settings
        self._url = (settings.base_url or "").rstrip("/") + "/chat/completions"
        self._key = _key(settings)
        self._pace = Pace(self._url, settings.requests_per_minute)

    def ask(self, messages: Messages) -> Reply:
        line = _line(self._url, self.settings.in_flight)
        work = asyncio.run_coroutine_threadsafe(self._answer(line, messages), line.loop)
        try:
            return work.result()
        except CancelledError:
            raise Fault(f"{self._url}: the request was cancelled") from None
        except BaseException:
            work.cancel()  # Ctrl-C must not leave a request behind
            raise

    async def _answer(self, line: "_Line", messages: Messages) -> Reply:
        body = json.dumps(chat_body(self.settings, messages), ensure_ascii=False).encode()
        seed = seed_from("backoff", self._url, sha256(body).hexdigest())
        troubles: Counter[str] = Counter()
        trouble = _Trouble("", "")
        for attempt in range(self.settings.attempts):
            await asyncio.sleep(self._pace.reserve(time.time()))
            async with line.gate:
                answer = await self._send(line.client, body)
            if isinstance(answer, Reply):
                return answer._replace(troubles=dict(troubles))
            trouble = answer
            troubles[trouble.kind] += 1
            if attempt + 1 < self.settings.attempts:
                await asyncio.sleep(self._pause(trouble, attempt, seed))
        counts = ", ".join(f"{n} x {kind}" for kind, n in sorted(troubles.items()))
        raise Fault(
            f"{self._url}: no answer in {sum(troubles.values())} attempts ({counts}); last: {trouble.detail}"
        )

    def _pause(self, trouble: _Trouble, attempt: int, seed: int) -> float:
        if trouble.wait_s is None:
            wait = self.settings.backoff_s * 2.0**attempt * (0.5 + uniform(seed, attempt, 0))
            return min(wait, self.settings.longest_wait_s)
        if trouble.wait_s > self.settings.longest_wait_s:
            raise Fault(
                f"{self._url}: asked to wait {trouble.wait_s:.0f} s; last: {trouble.detail}"
            )
        if trouble.kind == "rate_limited":
            self._pace.hold(time.time() + trouble.wait_s)  # for everyone who asks this endpoint
        return trouble.wait_s

    async def _send(self, client: Any, body: bytes) -> Reply | _Trouble:
        import httpx2

        headers = {"content-type": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        try:
            got = await client.post(
                self._url, content=body, headers=headers, timeout=self.settings.timeout_s
            )
        except httpx2.TimeoutException as e:
            return _Trouble("timeout", type(e).__name__)
        except (httpx2.TransportError, httpx2.DecodingError) as e:
            return _Trouble("connection", self._safe(f"{type(e).__name__}: {e}"))
        text = self._safe(got.content.decode("utf-8", "replace"))
        if got.status_code == 200:
            return _reply(text) or _Trouble("garbled", text[:200])
        return self._failure(got.status_code, text, got.headers.get("retry-after"))

    def _failure(self, status: int, text: str, retry_after: str | None) -> _Trouble:
        detail = f"HTTP {status}: {text[:300]}"
        if status in (400, 413, 422) and any(mark in text.lower() for mark in _TOO_LONG):
            raise ContextTooLong(detail)
        if status in _RETRIED or status >= 500:
            kind = _RETRIED.get(status, "server_error")
            return _Trouble(kind, detail, seconds_to_wait(retry_after, time.time()))
        raise ModelRefused(f"{self._url}: {detail} (model {self.settings.model!r})")

    def _safe(self, text: str) -> str:
        """Return a text without the key; what is shorter than any key is a stand-in, and may be a word."""
        return text.replace(self._key, "[key]") if len(self._key) >= _SHORTEST_KEY else text


def seconds_to_wait(header: str | None, now: float) -> float | None:
    """Return what a Retry-After header asks for, in seconds; it holds seconds or a date. None if nothing usable."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            until = parsedate_to_datetime(header)
        except ValueError:
            return None
        until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)  # noqa: UP017
        seconds = (until - datetime.fromtimestamp(now, timezone.utc)).total_seconds()  # noqa: UP017
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _key(settings: ModelSettings) -> str:
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key and urlsplit(settings.base_url or "").hostname not in LOOPBACK:
        expected = f"the key of {settings.base_url} in this environment variable"
        raise InputError("environment", settings.api_key_env, None, expected)
    return key


def _reply(text: str) -> Reply | None:
    """Return the reply in a response body, or None if the body is none: cut, empty, no JSON, no choices."""
    try:
        data = json.loads(text)
        content = data["choices"][0]["message"]["content"]
        used = data.get("usage") or {}
        cached = (used.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        given = used.get("prompt_tokens") or 0
        usage = Usage(given, min(cached, given), used.get("completion_tokens") or 0)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None
    if content is not None and not isinstance(content, str):
        return None
    if not all(isinstance(n, int) and n >= 0 for n in usage):
        return None
    # A lone surrogate is no text that could be stored or sent again.
    model = data.get("model")
    plain = (content or "").encode("utf-8", "replace").decode()
    return Reply(plain, usage, model=model if isinstance(model, str) else None)


class _Line(NamedTuple):
    """An endpoint as one process sees it: its loop, its connections, and the gate of requests in flight."""

    loop: asyncio.AbstractEventLoop
    client: Any
    gate: asyncio.Semaphore


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop


_opening = threading.Lock()


def _line(url: str, in_flight: int) -> _Line:
    with _opening:  # two threads must not open the same line twice
        return _open_line(url, in_flight)


@cache
def _open_line(url: str, in_flight: int) -> _Line:
    async def opened() -> _Line:
        import httpx2

        limits = httpx2.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
        client = httpx2.AsyncClient(limits=limits, trust_env=urlsplit(url).hostname not in LOOPBACK)
        return _Line(loop, client, asyncio.Semaphore(in_flight))

    loop = _loop()
    return asyncio.run_coroutine_threadsafe(opened(), loop).result()
