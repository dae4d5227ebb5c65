"""A plan of the protocol, from a TOML file or the command line, and how it is played."""

import threading
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from mirrorcraft import __version__
from mirrorcraft.agents import open_model
from mirrorcraft.agents.model import ModelSettings
from mirrorcraft.agents.pace import Purse
from mirrorcraft.agents.prices import price_of
from mirrorcraft.agents.session import RunCapReached, Terms
from mirrorcraft.core.errors import Fault, InputError, did_you_mean
from mirrorcraft.core.validated import validated
from mirrorcraft.tracks.circuits.agents import AGENTS, Engineer
from mirrorcraft.tracks.circuits.engineer import MAX_REPLIES, ModelEngineer
from mirrorcraft.tracks.circuits.folder import SPENT, Folder
from mirrorcraft.tracks.circuits.physics import VANILLA, physics_for
from mirrorcraft.tracks.circuits.protocol import (
    CONDITIONS,
    RUNS,
    Chain,
    condition,
    play_chain,
)
from mirrorcraft.tracks.circuits.record import Record
from mirrorcraft.tracks.circuits.tasks import CircuitTask, names

ENGINEER = "engineer"
"""The agent that plays on a model."""
_Names = Annotated[tuple[str, ...], Field(min_length=1)]


class AgentRow(ModelSettings):
    """One agent of a plan: the settings of its model, if it has one."""

    name: str
    """``engineer``, which needs ``model`` and ``base_url``, or one that needs no model."""
    max_replies: int = Field(default=MAX_REPLIES, ge=1)
    """Replies that an engineer may give in an attempt."""

    @property
    def label(self) -> str:
        """How records call it."""
        return f"{self.name}:{self.model}" if self.model else self.name

    def settings(self) -> ModelSettings:
        """Return the part that is about the model."""
        return ModelSettings(**{name: getattr(self, name) for name in ModelSettings.model_fields})


class Plan(BaseModel):
    """What is played: every agent under every suite and condition, so many runs, all tasks in a run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["1.0"]
    """Version of this format."""
    kind: Literal["circuits"]
    """Tells it from studies of the other track."""
    agents: Annotated[tuple[AgentRow, ...], Field(min_length=1)]
    """Who plays."""
    tasks: _Names = Field(default_factory=names)
    """In the order in which they are attempted: names, or files."""
    suites: _Names = (VANILLA,)
    """The rules of the worlds: ``vanilla``, suites of changed physics, or manifest files."""
    conditions: _Names = tuple(CONDITIONS)[:4]
    """The help given; see ``protocol.condition``."""
    runs: Annotated[int, Field(strict=True, ge=1, le=1000)] = RUNS
    """Runs of each condition."""
    setting: Literal["curriculum", "independent"] = "curriculum"
    """Whether book and experience go on from task to task, or every task starts anew."""
    prices: str | None = None
    """A file of prices that go before the table of known ones, see ``agents.prices``."""
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None
    """What the models may cost in all, checked before every call."""

    @classmethod
    def load(cls, path: str | Path) -> "Plan":
        """Read a plan from a TOML file.

        Raises:
            InputError: the file cannot be used; names file, place and what was expected.
        """
        try:
            data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as e:
            raise InputError(path, "", str(e), "a readable TOML file in UTF-8") from None
        return cls.from_data(data, path)

    @classmethod
    def from_data(cls, data: Any, source: object) -> "Plan":
        """Return the plan in parsed TOML, every name in it checked.

        Raises:
            InputError: a value is wrong, or a name does not exist.
        """
        plan = validated(cls, data, source)
        plan._check(source)
        return plan

    def _check(self, source: object) -> None:
        labels = tuple(row.label for row in self.agents)
        for field, listed in {**self._lists(), "agents": labels}.items():
            for i, name in enumerate(listed):
                if name in listed[:i]:
                    raise InputError(source, f"{field}.{i}", name, "each name once")
        for i, row in enumerate(self.agents):
            if row.name not in (*AGENTS, ENGINEER):
                known = (*AGENTS, ENGINEER)
                expected = f"one of {', '.join(known)}{did_you_mean(row.name, known)}"
                raise InputError(source, f"agents.{i}.name", row.name, expected)
            if (row.name == ENGINEER) != (row.model is not None and row.base_url is not None):
                expected = f"model and base_url for {ENGINEER}, and for no other agent"
                raise InputError(source, f"agents.{i}", row.label, expected)
        for name in self.tasks:
            CircuitTask.load(name)
        for suite in self.suites:
            physics_for(suite)
        for name in self.conditions:
            condition(name)

    def _lists(self) -> dict[str, tuple[str, ...]]:
        return {"tasks": self.tasks, "suites": self.suites, "conditions": self.conditions}

    def identity(self) -> dict[str, Any]:
        """Return, JSON-ready, what decides what is played: the rules too, but not when to stop."""
        rules = {suite: asdict(physics_for(suite)) for suite in self.suites}
        played = self.model_dump(mode="json", exclude={"max_cost_usd"})
        return {"version": __version__, **played, "rules": rules}

    def chains(self) -> Iterator[tuple[AgentRow, Chain]]:
        """Yield the runs of the plan, each with who plays it."""
        for row in self.agents:
            for suite in self.suites:
                for name in self.conditions:
                    for run in range(self.runs):
                        yield row, Chain(row.label, suite, condition(name), run)


class Played(NamedTuple):
    """What came of a plan.

    Attributes:
        records: of all attempts that are made, in the order of the plan.
        broken: what kept the rest from being made; nothing when all are.
    """

    records: list[Record]
    broken: list[str]


def play_plan(
    plan: Plan,
    folder: Folder | None = None,
    *,
    workers: int = 1,
    told: Callable[[Record], None] = lambda record: None,
) -> Played:
    """Play what a folder does not hold yet of a plan.

    Args:
        plan: what is played.
        folder: where it is kept; nowhere when None.
        workers: runs at once, for agents that wait for a model.
        told: called with each new record.

    Raises:
        InputError: a model cannot be opened, or the folder cannot be written.
        ModelRefused: an endpoint will not serve a model.
    """
    run = _Run(plan, folder, told)
    chains = [chain for _, chain in plan.chains()]
    _run_all(chains, run.chain, workers, run.stop)
    order = [chain.record_id(task) for chain in chains for task in run.tasks]
    return Played([run.made[name] for name in order if name in run.made], run.broken)


class _Run:
    """A plan that is being played, by several threads perhaps."""

    def __init__(self, plan: Plan, folder: Folder | None, told: Callable[[Record], None]):
        self._makers = {row.label: _maker(row, plan, folder) for row in plan.agents}
        self._folder, self._told = folder, told
        self._curriculum = plan.setting == "curriculum"
        self.tasks = [CircuitTask.load(name) for name in plan.tasks]
        self.made = dict(folder.records) if folder else {}
        self.broken: list[str] = []
        self.stop = threading.Event()

    def chain(self, chain: Chain) -> None:
        """Play what is not made of a chain; what breaks it is noted, and others go on."""
        known, make = dict(self.made), self._makers[chain.agent]
        attempts = play_chain(chain, make, self.tasks, curriculum=self._curriculum, known=known)
        try:
            for attempt in attempts:
                if self._folder:
                    self._folder.add(*attempt)
                self.made[attempt.record.id] = attempt.record
                self._told(attempt.record)
                if self.stop.is_set():
                    return
        except (Fault, RunCapReached) as e:
            self.broken.append(f"{chain.agent}, {chain.case.name}, run {chain.run}: {e}")
            if isinstance(e, RunCapReached):
                self.stop.set()


def _run_all(
    chains: Sequence[Chain], one: Callable[[Chain], None], workers: int, stop: threading.Event
) -> None:
    """Play chains, some at a time, until one raises or all are to stop."""

    def unless_stopped(chain: Chain) -> None:
        if not stop.is_set():
            one(chain)

    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(unless_stopped, chain) for chain in chains]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()  # those that are at it finish the attempt that they are in
            raise


def _maker(row: AgentRow, plan: Plan, folder: Folder | None) -> Callable[[], Engineer]:
    if row.name != ENGINEER:
        return AGENTS[row.name]
    if plan.max_cost_usd and folder is None:
        expected = "a folder for the run (--out), which keeps the account"
        raise InputError("plan", "max_cost_usd", plan.max_cost_usd, expected)
    settings = row.settings()
    price = price_of(settings, Path(plan.prices) if plan.prices else None)
    purse = Purse(folder.path / SPENT) if folder and plan.max_cost_usd else None
    terms = Terms(settings, price, purse, plan.max_cost_usd)
    return partial(ModelEngineer, open_model(settings), terms, row.max_replies)
