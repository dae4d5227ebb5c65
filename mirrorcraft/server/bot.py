"""A body on a server: a process of its own, joined to the game, asked for skills and for what it sees."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal

from mirrorcraft.core.data import body
from mirrorcraft.core.errors import Fault, UnknownNameError
from mirrorcraft.core.facts import TIER_SPEED
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.server.node import BODY, find_node, node_environment
from mirrorcraft.sim.blocks import FLUID, GROUND, HALF, HEIGHT, MIN_Y, SIDE, block_traits
from mirrorcraft.sim.tables import ON_GROUND, ON_GROUND_TAGS, members

Transport = Literal["bridge", "process"]

# Seconds after which a skill ends with the reason ``timeout``, wherever it is. Game time is real time here.
DEADLINES = {
    "mine": 120.0,
    "explore": 90.0,
    "prepare_access": 180.0,
    "craft_grid": 40.0,
    "smelt": 100.0,
    "attack": 90.0,
    "enchant": 45.0,
    "place": 25.0,
    "equip": 15.0,
    "collect": 45.0,
    "ascend": 150.0,
    "trade": 45.0,
    "wait": 20.0,
}
JOIN_SECONDS = 40.0
LOOK_SECONDS = 25.0
NEWS_SECONDS = 10.0  # within which the body hears of what was commanded
GRACE_SECONDS = 6.0  # how much later than its own deadline an answer may come


class Bot:
    """A body in a process of its own.

    Args:
        name: the player's name.
        folder: where its settings and its error output go.
        transport: ``bridge``, JSPyBridge in a Python process; or ``process``, Node spoken to directly.

    Raises:
        Fault: Node or the packages are missing, or the process cannot be started.
        UnknownNameError: there is no such transport.
    """

    def __init__(self, name: str, folder: Path, transport: Transport = "bridge"):
        if transport not in ("bridge", "process"):
            raise UnknownNameError("transport", transport, ("bridge", "process"))
        self.name = name
        self._settings = folder / "body.json"
        self._settings.write_text(_settings("1.19"), encoding="utf-8")
        command = [sys.executable, "-m", "mirrorcraft.server.bridge"]
        if transport == "process":
            command = [find_node(), str(BODY / "index.js")]
        try:
            with (folder / "body.log").open("a", encoding="utf-8") as errors:
                self._process = subprocess.Popen(
                    command,
                    env=_environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    start_new_session=True,
                )
        except OSError as e:
            raise Fault(f"the body cannot be started: {e}") from None
        self._log = folder / "body.log"
        self._number = 0
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        out = self._process.stdout
        assert out is not None
        threading.Thread(target=_read, args=(out, self._answers), daemon=True).start()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def join(self, port: int) -> None:
        """Join the server on a port of loopback and wait until the blocks around are there.

        Raises:
            Fault: the server refuses the body, or is late.
        """
        wanted = {
            "port": port,
            "username": self.name,
            "settings": str(self._settings),
            "deadline": JOIN_SECONDS * 1000,
        }
        self._ask("connect", json.dumps(wanted), seconds=JOIN_SECONDS)

    def call(self, skill: str, args: dict[str, Any]) -> dict[str, Any]:
        """Run a skill and return its report.

        Raises:
            Fault: the body or its connection is lost, it crashed, or it does not answer in time.
        """
        seconds = DEADLINES[skill]
        answer = self._ask("call", skill, json.dumps(args), seconds * 1000, seconds=seconds + 2)
        report = answer["value"]
        if "crash" in report:
            raise Fault(f"the body failed in {skill}: {report['crash']}")
        return report

    def look(self) -> dict[str, Any]:
        """Return what the body sees, with ``died`` and ``advancements``, the full ids of those completed.

        Raises:
            Fault: as for ``call``.
        """
        answer = self._ask("observe", LOOK_SECONDS * 1000, seconds=LOOK_SECONDS)
        return {
            **answer["value"],
            "died": answer["died"],
            "advancements": answer["advancements"],
        }

    def look_until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
        """Look until what is seen is as wanted, and return it; None if it is not in time.

        What was commanded on another connection comes to the body a little later.

        Raises:
            Fault: as for ``call``.
        """
        until = time.monotonic() + NEWS_SECONDS
        while time.monotonic() < until:
            seen = self.look()
            if wanted(seen):
                return seen
        return None

    def close(self) -> None:
        """End the process and all that it started; calling it twice is fine."""
        process = self._process
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, how)
            except ProcessLookupError:
                break
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                continue
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # a broken pipe has nothing left to close
                    stream.close()

    def _ask(self, function: str, *args: Any, seconds: float) -> dict[str, Any]:
        """Make one call. A lost, crashed or late body is a Fault, after which it is of no more use."""
        self._number += 1
        call = {"i": self._number, "f": function, "a": args, "s": seconds}
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(call) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=seconds + GRACE_SECONDS)
        except queue.Empty:
            self.close()
            raise Fault(f"the body did not answer {function} within {seconds:.0f} s") from None
        except (OSError, ValueError):
            line = None
        if line is None:
            raise Fault(f"the body is gone (exit code {self._process.poll()}){self._last_words()}")
        message = json.loads(line)
        if message["i"] != self._number or "r" not in message:
            raise Fault(f"the body answered {function} wrongly: {line.strip()[:300]}")
        answer = json.loads(message["r"])
        if not answer["ok"] or answer["fault"]:
            raise Fault(answer["fault"] or answer["error"])
        return answer

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line for line in lines if line.strip()]
        return f": {said[-1][:300]}" if said else ""


def _read(out: IO[str], answers: "queue.SimpleQueue[str | None]") -> None:
    try:
        for line in out:
            answers.put(line)
    except ValueError:
        pass  # closed while it was read
    answers.put(None)


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    known = os.environ.get("PYTHONPATH")
    path = root if not known else os.pathsep.join((root, known))
    return {**node_environment(), "PYTHONPATH": path}


@cache
def _settings(version: str) -> str:
    """Return what a body knows of the game before it looks: its constants, and public facts of the version."""
    rules = Rulebook.vanilla(version)
    traits = block_traits(rules)
    blocks = {
        name: {
            **facts._asdict(),
            "ground": bool(traits[i] & GROUND),
            "fluid": bool(traits[i] & FLUID),
        }
        for i, (name, facts) in enumerate(rules.blocks.items())
    }
    constants = body()
    on_ground = members(rules, "blocks", [*(f"#{t}" for t in ON_GROUND_TAGS), *ON_GROUND])
    settings = {
        "body": constants,
        "box": {"half": HALF, "side": SIDE, "min_y": MIN_Y, "height": HEIGHT},
        "blocks": blocks,
        "items": {name: item._asdict() for name, item in rules.items.items()},
        "entities": list(rules.entities),
        "trunks": sorted(rules.tag("blocks", "logs")),
        "fuels": members(rules, "items", constants["fuels"]),
        "on_ground": on_ground,
        "tier_speeds": TIER_SPEED,
        "tool_speeds": {
            tool: {block: float(speed) for block, speed in speeds.items()}
            for tool, speeds in rules.tool_speeds.items()
        },
    }
    return json.dumps(settings)
