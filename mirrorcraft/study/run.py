"""Plays the episodes of a plan in worker processes and stores each one as it ends.

A worker is handed a *batch*, a few episodes of one world, and answers with one message an
episode, so that a stop at any moment loses at most the episode that each worker is in. With one
worker nothing is spawned; the table is the same.
"""

import multiprocessing
import os
import signal
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import Fault, MirrorcraftError
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.plan import StudyConfig, plan
from mirrorcraft.study.store import Store, missing

_BATCH = 16


class Setup(NamedTuple):
    """What plays: import paths, so that it can be named to another process.

    Attributes:
        backend: ``module:name`` of a callable that makes a Backend.
        agents: ``module:name`` of a callable from an agent's name to an Agent.
        attempts: how often an episode may be tried before a Fault is given up on.
        compact: leave outcomes and observation digests out of the records.
    """

    backend: str = "mirrorcraft.sim.backend:SimBackend"
    agents: str = "mirrorcraft.agents:make"
    attempts: int = 3
    compact: bool = False


class Report(NamedTuple):
    """What a worker says of one episode.

    Attributes:
        id: the episode's.
        line: its record, or None when every attempt broke.
        faults: what broke in each attempt that did.
    """

    id: str
    line: str | None
    faults: tuple[str, ...]


class Progress(NamedTuple):
    """How far a study is.

    Attributes:
        done: episodes in the store.
        total: episodes in the plan.
        faults: attempts that broke in this run.
    """

    done: int
    total: int
    faults: int


class Crash(Exception):
    """An exception in a worker that is no Fault, thus a bug; holds the worker's traceback."""


class _Stop(NamedTuple):
    """Why a worker cannot go on: a bug, or input that an agent refuses."""

    text: str
    bug: bool


def run_study(
    text: str,
    config: StudyConfig,
    folder: Path,
    *,
    workers: int | None = None,
    setup: Setup | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> Progress:
    """Play what ``folder`` does not hold yet of a study, and return how far it is.

    Args:
        text: the study file, kept in the folder as given.
        config: what ``text`` says.
        folder: the run folder; made if absent, continued if it holds the same study.
        workers: processes; as many as there are cores when None; 1 plays in this process.
        setup: what plays; the simulator and the offline agents when None.
        on_progress: called at the start and after every episode.
        on_note: called with a sentence for each thing repaired.

    Raises:
        StudyError: the folder holds another study or is in use.
        InputError: an agent cannot play as the study says, such as untold of the rules.
        Crash: an agent or a backend has a bug. Everything finished is in the store.
    """
    setup = (setup or Setup())._replace(compact=config.record == "compact")
    specs = plan(config)
    with Store(folder, text, config, specs) as store:
        for note in store.repaired:
            on_note(note)
        left = missing(specs, store.done)
        faults = 0
        on_progress(Progress(len(store.done), len(specs), faults))
        count = min(workers or os.cpu_count() or 1, len(left))
        reports = _play_here(left, setup) if count <= 1 else _play_in_workers(left, setup, count)
        for report in reports:
            for attempt, error in enumerate(report.faults, 1):
                store.add_fault(report.id, attempt, error)
            faults += len(report.faults)
            if report.line is not None:
                store.add(report.id, report.line)
            on_progress(Progress(len(store.done), len(specs), faults))
        return Progress(len(store.done), len(specs), faults)


def named(path: str) -> Any:
    """Return what an import path ``module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


class _Player:
    """Plays episodes one after another with a backend of its own."""

    def __init__(self, setup: Setup):
        self._setup = setup
        self._make_backend = named(setup.backend)
        self._make_agent = named(setup.agents)
        self._open: Backend | None = None

    def play(self, spec: EpisodeSpec) -> Report:
        faults: list[str] = []
        while len(faults) < self._setup.attempts:
            try:
                backend = self._open = self._open or self._make_backend()
                agent = self._make_agent(spec.agent)
                record = run_episode(spec, backend, agent, compact=self._setup.compact)
                return Report(spec.id, record.to_line(), tuple(faults))
            except Fault as e:
                faults.append(str(e))
                self.close()  # what broke is not trusted again
        return Report(spec.id, None, tuple(faults))

    def close(self) -> None:
        backend, self._open = self._open, None
        if backend is not None:
            backend.close()


def _play_here(specs: list[EpisodeSpec], setup: Setup) -> Iterator[Report]:
    player = _Player(setup)
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
    player: _Player | None = None
    try:
        while True:
            for spec in pipe.recv():
                try:
                    player = player or _Player(setup)
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


def _play_in_workers(specs: list[EpisodeSpec], setup: Setup, count: int) -> Iterator[Report]:
    batches = deque(_batches(specs, count))
    deaths: dict[str, list[str]] = defaultdict(list)
    workers = [_Worker(setup) for _ in range(min(count, len(batches)))]
    try:
        while True:
            for worker in workers:
                if batches and not worker.batch:
                    worker.give(batches.popleft())
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
                    batches.appendleft(rest)
    finally:
        for worker in workers:
            worker.stop()


def _batches(specs: list[EpisodeSpec], workers: int) -> Iterator[list[EpisodeSpec]]:
    """Cut a plan into runs of one world, so short that all workers end at about one time."""
    size = max(1, min(_BATCH, len(specs) // (4 * workers)))
    batch: list[EpisodeSpec] = []
    for spec in specs:
        if batch and (len(batch) >= size or batch[0].world != spec.world):
            yield batch
            batch = []
        batch.append(spec)
    if batch:
        yield batch
