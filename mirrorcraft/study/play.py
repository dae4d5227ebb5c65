"""What plays an episode: a backend and an agent, named so that another process can make them."""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.agents.agent import Accounted, Agent
from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import Fault
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.models import Models, write_trajectory
from mirrorcraft.study.provenance import SIMULATOR

SERVERS = "mirrorcraft.server.wanted:backend_on"  # of a layer above, thus only named


class Setup(NamedTuple):
    """What plays: import paths, so that it can be named to another process.

    Attributes:
        backend: ``module:name`` of a callable that makes a Backend.
        backend_args: what it is called with, such as the server that is wanted.
        agents: ``module:name`` of a callable from an agent's name to an Agent.
        attempts: how often an episode may be tried before a Fault is given up on.
        compact: leave outcomes and observation digests out of the records.
        models: what the agents' models are asked with.
    """

    backend: str = "mirrorcraft.sim.backend:SimBackend"
    agents: str = "mirrorcraft.agents:make"
    attempts: int = 3
    compact: bool = False
    models: Models = Models()
    backend_args: tuple[Any, ...] = ()

    @staticmethod
    def on(backend: str, *args: Any) -> "Setup":
        """Return the setup for a study's ``backend``; ``args`` go to ``server.wanted.backend_on``."""
        if backend == SIMULATOR:
            return Setup()
        return Setup(SERVERS, backend_args=(backend, *args))

    def make_backend(self) -> Backend:
        """Return a new backend."""
        return named(self.backend)(*self.backend_args)


class Report(NamedTuple):
    """What a worker says of one episode.

    Attributes:
        id: the episode's.
        line: its record, or None when every attempt broke.
        faults: what broke in each attempt that did.
        cost_usd: what its model cost; 0 without a model or a known price.
    """

    id: str
    line: str | None
    faults: tuple[str, ...]
    cost_usd: float = 0.0


class Crash(Exception):
    """An exception in a worker that is no Fault, thus a bug; holds the worker's traceback."""


def named(path: str) -> Any:
    """Return what an import path ``module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


class Player:
    """Plays episodes one after another with a backend of its own."""

    def __init__(self, setup: Setup):
        self._setup = setup
        self._make_agent = named(setup.agents)
        self._open: Backend | None = None

    def play(self, spec: EpisodeSpec) -> Report:
        """Return the report of one episode, tried again after each Fault.

        Raises:
            InputError: the agent cannot play as the spec says.
            NotReady: this machine lacks what the backend needs.
        """
        faults: list[str] = []
        while len(faults) < self._setup.attempts:
            try:
                backend = self._open = self._open or self._setup.make_backend()
                agent = self._agent(spec)
                record = run_episode(spec, backend, agent, compact=self._setup.compact)
                if isinstance(agent, Accounted) and self._setup.models.folder:
                    folder = Path(self._setup.models.folder)
                    write_trajectory(folder, spec.id, agent.trajectory())
                cost = record.usage.cost_usd if record.usage else None
                return Report(spec.id, record.to_line(), tuple(faults), cost or 0.0)
            except Fault as e:
                faults.append(str(e))
                self.close()  # what broke is not trusted again
        return Report(spec.id, None, tuple(faults))

    def _agent(self, spec: EpisodeSpec) -> Agent:
        terms = self._setup.models.terms(spec)
        return (
            self._make_agent(spec.agent) if terms is None else self._make_agent(spec.agent, terms)
        )

    def close(self) -> None:
        """Let go of the backend."""
        backend, self._open = self._open, None
        if backend is not None:
            backend.close()
