"""A server as a process: started, watched, stopped and reaped, whichever kind it is."""

import os
import secrets
import signal
import socket
import subprocess
import threading
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from mirrorcraft.core.errors import Fault
from mirrorcraft.server.rcon import Rcon

_KEPT_LINES = 200
_STOP_SECONDS = 5.0
_END_SECONDS = 120.0  # that a server may take to end by itself, having written its world


def free_port() -> int:
    """Return a TCP port on loopback that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ServerProcess(ABC):
    """One running server. Subclasses say how it is started and what its log lines mean.

    Args:
        folder: where it runs; it holds the world in ``world`` and the log in ``server.log``.
        start_seconds: how long it may take until players can join.

    Attributes:
        port: where players join.
        rcon_port, password: where commands go; the password is drawn anew for every server.
        level: the folder of the world.
        kind: its name.
        version: what of the kind runs, for records.
        news_ticks: so many ticks after something happened, a client has been told of it.
    """

    kind: str
    version: str
    news_ticks = 0

    def __init__(self, folder: Path, start_seconds: float):
        self.folder, self.level = folder, folder / "world"
        self.port, self.rcon_port, self.password = free_port(), free_port(), secrets.token_hex(16)
        self._start_seconds = start_seconds
        self._process: subprocess.Popen[str] | None = None
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._trouble: list[str] = []
        self._ready, self._over = threading.Event(), threading.Event()

    # --- what a kind of server says
    @abstractmethod
    def prepare(self) -> None:
        """Write what the server needs into ``folder``. Fault if something is not in place."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command line."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """Return the environment of the process."""

    @abstractmethod
    def is_ready(self, line: str) -> bool:
        """Return whether a line of the log says that players can join."""

    @abstractmethod
    def trouble(self, line: str) -> str | None:
        """Return what a line of the log says that makes an episode worthless, with advice; else None."""

    def verify(self) -> None:  # noqa: B027, most kinds have nothing to look at
        """Hold a server that is ready to what was asked of it. Fault if it runs otherwise."""

    # --- life
    def start(self) -> None:
        """Start it and wait until players can join.

        Raises:
            Fault: it cannot be started, ends early, complains, or is not ready in time.
        """
        try:
            self.prepare()
            log = (self.folder / "server.log").open("w", encoding="utf-8")
            self._process = subprocess.Popen(
                self.command(),
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as e:
            raise Fault(f"the {self.kind} server cannot be started in {self.folder}: {e}") from None
        threading.Thread(target=self._watch, args=(self._process, log), daemon=True).start()
        try:
            self._wait_until_ready()
            self.verify()
        except BaseException:
            self.stop()
            raise

    def _watch(self, process: subprocess.Popen[str], log: TextIO) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                try:
                    log.write(line)
                    log.flush()
                except OSError as e:
                    self._trouble.append(f"the log cannot be written: {e}; is the disk full?")
                self._heed(line.rstrip("\n"))
        process.wait()
        self._over.set()
        self._ready.set()
        with suppress(OSError):  # what could not be written before has been told of
            log.close()

    def _heed(self, line: str) -> None:
        self._lines.append(line)
        trouble = self.trouble(line)
        if trouble:
            self._trouble.append(trouble)
        if self._trouble or self.is_ready(line):  # trouble needs no waiting for the rest
            self._ready.set()

    def _wait_until_ready(self) -> None:
        if not self._ready.wait(self._start_seconds):
            raise Fault(
                f"the {self.kind} server was not ready after {self._start_seconds:.0f} s; "
                f"last line: {self.last_line!r}"
            )
        self.check()

    @property
    def last_line(self) -> str:
        """The last line of the log."""
        return self._lines[-1] if self._lines else ""

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        running = self._process is not None and self._process.poll() is None
        return self._process.pid if self._process is not None and running else None

    def check(self) -> None:
        """Raise a Fault if the server is gone or has complained since it was started."""
        if self._trouble:
            raise Fault(f"the {self.kind} server: {self._trouble[0]}")
        if self._process is None or self._process.poll() is not None:
            code = self._process.returncode if self._process else None
            raise Fault(f"the {self.kind} server is gone (exit code {code}): {self.last_line!r}")

    def rcon(self) -> Rcon:
        """Return a new connection for commands. Fault if the server does not answer."""
        self.check()
        return Rcon(self.rcon_port, self.password)

    def ended(self) -> None:
        """Wait for a server that was told to stop. Fault if it does not, or complained."""
        if not self._over.wait(_END_SECONDS):
            raise Fault(f"the {self.kind} server was told to stop and runs on: {self.last_line!r}")
        if self._trouble:
            raise Fault(f"the {self.kind} server: {self._trouble[0]}")

    def stop(self) -> None:
        """End it, gently at first, and wait until nothing of it runs; calling it twice is fine."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            for how in (signal.SIGTERM, signal.SIGKILL):
                _signal_group(process.pid, how)
                try:
                    process.wait(_STOP_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    continue
        if process.stdin is not None:
            with suppress(OSError):  # what was left to write has nobody to read it
                process.stdin.close()
        self._over.wait(_STOP_SECONDS)
        self._process = None


def _signal_group(pid: int, how: signal.Signals) -> None:
    try:
        os.killpg(pid, how)
    except ProcessLookupError:
        return  # it ended by itself
