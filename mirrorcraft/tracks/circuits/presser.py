"""A player in the real game who presses buttons: no command of the game does."""

import json
import queue
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from mirrorcraft.core.errors import Fault
from mirrorcraft.server.node import find_node, node_environment
from mirrorcraft.tracks.circuits.blocks import Pos

NAME = "presser"
_ANSWER_SECONDS = 60.0  # that the player may take to join, or to click


class Player:
    """A player in a process of its own, who presses buttons.

    Args:
        port: where the server takes players.
        folder: where its error output goes.

    Raises:
        Fault: Node or the packages are missing, or the server does not let the player in.
    """

    def __init__(self, port: int, folder: Path):
        script = str(Path(__file__).with_name("presser.js"))
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        try:
            with (folder / "player.log").open("w", encoding="utf-8") as errors:
                self._process = subprocess.Popen(
                    [find_node(), script, str(port), NAME],
                    env=node_environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                )
        except OSError as e:
            raise Fault(f"the player cannot be started: {e}") from None
        out = self._process.stdout
        assert out is not None
        threading.Thread(target=_pass_on, args=(out, self._answers), daemon=True).start()
        try:
            self._answer("join")
        except BaseException:
            self.close()
            raise

    def press(self, pos: Pos) -> None:
        """Click the button in a cell. Fault if the player does not see one there, or is gone."""
        assert self._process.stdin is not None
        with suppress(OSError):  # a player who is gone does not answer either
            self._process.stdin.write(json.dumps({"press": pos}) + "\n")
            self._process.stdin.flush()
        self._answer("press")

    def _answer(self, what: str) -> None:
        try:
            line = self._answers.get(timeout=_ANSWER_SECONDS)
        except queue.Empty:
            raise Fault(f"the player did not {what} within {_ANSWER_SECONDS:.0f} s") from None
        said = json.loads(line) if line else {"error": f"the player is gone; it should {what}"}
        if "error" in said:
            raise Fault(said["error"])

    def close(self) -> None:
        """End the process; calling it twice is fine."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._process.kill()
        self._process.wait()


def _pass_on(out: IO[str], answers: "queue.SimpleQueue[str]") -> None:
    with suppress(ValueError):  # closed while it was read
        for line in out:
            answers.put(line)
    answers.put("")
