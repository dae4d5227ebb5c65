"""An OpenAI-compatible server on loopback whose models are the offline ones; it can misbehave on purpose."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from mirrorcraft.agents.model import ModelRefused
from mirrorcraft.agents.offline_model import NAME, OfflineModel
from mirrorcraft.core.rng import seed_from, uniform

_LONGEST_BODY = 8_000_000


class Troubles(NamedTuple):
    """Shares of the requests that go wrong, each 0 to 1, together at most 1.

    Attributes:
        rate_limited: answered with 429 and ``Retry-After: 0``.
        server_error: answered with 500.
        cut: answered with a body that ends in the middle.
        garbage: answered with 200 and a body that is no JSON.
        dropped: the connection is closed without an answer.
    """

    rate_limited: float = 0.0
    server_error: float = 0.0
    cut: float = 0.0
    garbage: float = 0.0
    dropped: float = 0.0

    def of(self, number: int) -> str | None:
        """Return what goes wrong with a request, by its number; None if nothing does."""
        at = uniform(seed_from("troubles", number), 0, 0)
        for name, share in self._asdict().items():
            if at < share:
                return name
            at -= share
        return None


class ModelServer:
    """Serves ``/v1/chat/completions`` and ``/v1/models`` on 127.0.0.1. Use it in a ``with`` block.

    Args:
        port: 0 for a free one.
        troubles: how much goes wrong.

    Attributes:
        answered: requests by what came of them: ``ok``, ``refused`` or a name in ``Troubles``.
    """

    def __init__(self, port: int = 0, troubles: Troubles | None = None):
        self.answered: Counter[str] = Counter()
        self._troubles = troubles or Troubles()
        self._lock = threading.Lock()
        self._number = 0
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def run(self) -> None:
        """Serve until interrupted."""
        self._http.serve_forever()

    def __enter__(self) -> "ModelServer":
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def trouble(self) -> str | None:
        """Return what is to go wrong with the request that has just come in."""
        with self._lock:
            self._number += 1
            return self._troubles.of(self._number)

    def count(self, what: str) -> None:
        """Note what came of a request."""
        with self._lock:
            self.answered[what] += 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(
            6, 1, 1
        )  # TCP_NODELAY: headers and body go out as they are written

    def do_GET(self) -> None:
        """List the models."""
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": NAME, "object": "model"}]})
        else:
            self._refuse(404, f"no {self.path[:80]!r} here")

    def do_POST(self) -> None:
        """Answer a chat request."""
        size = self.headers.get("content-length", "")
        if not size.isdecimal() or int(size) > _LONGEST_BODY:
            self.close_connection = True
            self._refuse(413, "a body of known and moderate length is needed")
            return
        body = self.rfile.read(int(size))
        trouble = self.owner.trouble()
        if trouble is None:
            self._answer(body)
            return
        self.owner.count(trouble)
        if trouble == "rate_limited":
            self._send(429, {"error": {"message": "slow down"}}, {"Retry-After": "0"})
        elif trouble == "server_error":
            self._send(500, {"error": {"message": "out of order"}})
        elif trouble == "garbage":
            self._send(200, "<html>not what you asked for</html>")
        else:
            self._break_off(cut=trouble == "cut")

    def _answer(self, body: bytes) -> None:
        try:
            request = json.loads(body)
            messages = tuple(request["messages"])
            if not all(isinstance(m["content"], str) for m in messages) or not messages:
                raise TypeError
            reply = OfflineModel.named(str(request["model"])).ask(messages)
        except ModelRefused as e:
            self._refuse(404, str(e))
            return
        except (ValueError, LookupError, TypeError):
            self._refuse(400, "the body must be a chat request with a model and text messages")
            return
        self.owner.count("ok")
        self._send(200, _completion(request["model"], reply))

    def _refuse(self, status: int, message: str) -> None:
        self.owner.count("refused")
        self._send(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def _break_off(self, cut: bool) -> None:
        """Close the connection, after the first half of an answer or without any."""
        self.close_connection = True
        if cut:
            self._head(200, 1000, {})
            self.wfile.write(b'{"object": "chat.completion", "choices": [{"mess')

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self._head(status, len(data), headers or {})
        self.wfile.write(data)

    def _head(self, status: int, size: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(size))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet; ``ModelServer.answered`` counts."""


def _completion(model: str, reply: Any) -> dict[str, Any]:
    usage = reply.usage
    return {
        "id": "chatcmpl-offline",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
        },
    }
