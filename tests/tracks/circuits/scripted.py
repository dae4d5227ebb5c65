"""Replies for a scripted engineer and scientist, and a model endpoint on loopback that gives them."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mirrorcraft.agents.model import Model, ModelSettings, ScriptedModel
from mirrorcraft.agents.session import Terms
from mirrorcraft.tracks.circuits.blocks import id_of, properties
from mirrorcraft.tracks.circuits.book import FORMATS, PARTS, STRUCTURED
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.engineer import ModelEngineer
from mirrorcraft.tracks.circuits.tasks import CircuitTask, names

REPORT = {"parts": dict.fromkeys(PARTS, "text"), "record": [{"condition": "c"}] * 3}
ENTRY = {"title": "button", "fields": dict.fromkeys(FORMATS[STRUCTURED], "20 gt")}


def calls(*pairs):
    return json.dumps([{"tool": tool, "args": args} for tool, args in pairs])


def build_calls(task):
    made = solve(task)
    return calls(
        *(
            (
                "set-block",
                dict(zip("xyz", p, strict=True))
                | {"block": id_of(made.blocks[p]), "properties": properties(made.blocks[p])},
            )
            for p in made.placing_order()
        )
    )


BENCH = calls(
    ("set-block", {"x": 0, "y": 4, "z": 0, "block": "stone_button"}),
    *[("activate-button", {})] * 3,
)


def engineer(model: Model, **settings) -> ModelEngineer:
    return ModelEngineer(model, Terms(ModelSettings(model="scripted", **settings)))


def knows_its_trade(messages) -> str:
    """An engineer who builds the reference of A and C tasks, a scientist who reports; by the prompts alone."""
    first, last = messages[0]["content"], messages[-1]["content"]
    if first.startswith("Write what this experiment found"):
        return json.dumps(ENTRY)
    if first.startswith("You are a scientist"):
        return BENCH if last == "Begin." else calls(("report", REPORT))
    if last == "Begin." and "ask-scientist" in first and "Knowledge book" not in first:
        return calls(("ask-scientist", {"question": "How long is a button pressed?"}))
    if '"trial"' in last:
        return calls(("done", {"notes": "dust has no delay"}))
    if '"pos"' in last:
        return calls(("activate-button", {}))
    task = next(t for t in map(CircuitTask.load, names()) if t.task_description in first)
    return build_calls(task) if task.family in "AC" else calls(("done", {}))


def scripted(function: Callable[..., str] = knows_its_trade) -> ScriptedModel:
    return ScriptedModel(function)


class Endpoint:
    """An OpenAI-compatible endpoint whose model is a function of the messages. Use it in a ``with`` block.

    Args:
        function: what answers.
        tokens: of each prompt, as it tells.
        most: answers after which it closes every connection unanswered; never when None.
    """

    def __init__(
        self,
        function: Callable[..., str] = knows_its_trade,
        tokens: int = 100,
        most: int | None = None,
    ):
        self.asked, owner = 0, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if most is not None and owner.asked >= most:
                    self.close_connection = True
                    return
                owner.asked += 1
                message = {"role": "assistant", "content": function(body["messages"])}
                usage = {"prompt_tokens": tokens, "completion_tokens": 10}
                choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
                data = json.dumps(
                    {"model": "scripted-1", "choices": choices, "usage": usage}
                ).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format, *args):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()
