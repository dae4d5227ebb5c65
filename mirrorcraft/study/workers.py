"""Plays a list of episodes here, or in processes of this machine.

A worker is handed a *batch*, a few episodes of one world, and answers with one message an
episode, so that a stop at any moment loses at most the episode that each worker is in. With one
worker nothing is spawned; the table is the same.
"""

import multiprocessing
import signal
import traceback
from collections import defaultdict, deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.core.world import World
from mirrorcraft.study.play import Crash, Player, Report, Setup, named

_BATCH = 16


class _Stop(NamedTuple):
    """Why a worker cannot go on: a bug, or input that an agent refuses."""

    text: str
    bug: bool


def play_here(specs: list[EpisodeSpec], setup: Setup) -> Iterator[Report]:
    """Yield the report of each episode, played in this process."""
    player = Player(setup)
    try:
        for spec in specs:
            yield player.play(spec)
    finally:
        player.close()


class _Worker:
    """One process and the batch that it is in."""

    def __init__(self, setup: Setup):
        context = multiprocessing.get_context("spawn")  # fork would copy locks and numba's threads
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, setup), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends when the worker does
        self.batch: list[EpisodeSpec] = []

    def give(self, batch: list[EpisodeSpec]) -> None:
        self.batch = batch
        self.pipe.send(batch)

    def receive(self) -> Report | None:
        """Return the report of the first episode of the batch; None if the worker died."""
        try:
            message = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.stop()
            return None
        if isinstance(message, _Stop):
            raise (Crash if message.bug else MirrorcraftError)(f"{self.batch[0]}: {message.text}")
        self.batch = self.batch[1:]
        return message

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def _work(pipe: Connection, setup: Setup) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which stops us
    player: Player | None = None
    try:
        while True:
            for spec in pipe.recv():
                try:
                    player = player or Player(setup)
                    message: Report | _Stop = player.play(spec)
                except MirrorcraftError as e:
                    message = _Stop(str(e), bug=False)
                except Exception:
                    message = _Stop(traceback.format_exc(), bug=True)
                pipe.send(message)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone or done
    finally:
        if player:
            player.close()


def play_in_processes(specs: list[EpisodeSpec], setup: Setup, count: int) -> Iterator[Report]:
    """Yield the report of each episode as it ends, played by ``count`` processes.

    Raises:
        Crash: an agent or a backend has a bug.
        MirrorcraftError: an agent cannot play as the study says, or a backend not on this machine.
    """
    if (prepare := getattr(named(setup.backend), "prepare", None)) is not None:
        prepare(World.load(name) for name in sorted({spec.world for spec in specs}))
    waiting = deque(batches(specs, count))
    deaths: dict[str, list[str]] = defaultdict(list)
    workers = [_Worker(setup) for _ in range(min(count, len(waiting)))]
    try:
        while True:
            for worker in workers:
                if waiting and not worker.batch:
                    worker.give(waiting.popleft())
            busy: dict[Any, _Worker] = {w.pipe: w for w in workers if w.batch}
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker = busy[pipe]
                spec = worker.batch[0]
                report = worker.receive()
                broken = deaths[spec.id]
                if report is not None:
                    yield report._replace(faults=(*broken, *report.faults))
                    continue
                broken.append(f"the worker died with exit code {worker.process.exitcode}")
                workers[workers.index(worker)] = _Worker(setup)
                given_up = len(broken) >= setup.attempts
                if given_up:
                    yield Report(spec.id, None, tuple(broken))
                if rest := worker.batch[given_up:]:
                    waiting.appendleft(rest)
    finally:
        for worker in workers:
            worker.stop()


def batches(
    specs: list[EpisodeSpec], workers: int, most: int = _BATCH
) -> Iterator[list[EpisodeSpec]]:
    """Cut a plan into runs of one world, so short that all workers end at about one time."""
    size = max(1, min(most, len(specs) // (4 * workers)))
    batch: list[EpisodeSpec] = []
    for spec in specs:
        if batch and (len(batch) >= size or batch[0].world != spec.world):
            yield batch
            batch = []
        batch.append(spec)
    if batch:
        yield batch
