"""The commands ``episode`` and ``play``: one episode by an agent, or by a person."""

import json

from mirrorcraft.agents import AGENTS, make
from mirrorcraft.agents.agent import Agent
from mirrorcraft.agents.model import ModelSettings
from mirrorcraft.agents.prices import price_of
from mirrorcraft.agents.session import Terms
from mirrorcraft.cli.runs import print_episode
from mirrorcraft.cli.server import wanted
from mirrorcraft.cli.text import observation_text, parse_action, usage
from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Backend
from mirrorcraft.core.episode import DISCLOSED, HIDDEN, EpisodeSpec
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.plan import BUILT_IN, parse_study, rules_for, study_text
from mirrorcraft.study.record import EpisodeRecord, Usage


def episode(
    world: str,
    suite: str,
    task: str,
    agent: str,
    seed: int,
    budget: int | None,
    model: str | None,
    base_url: str | None,
    server: str | None,
    jar: str | None,
    accept_eula: bool,
    transport: str,
    as_json: bool,
) -> int:
    """Play one episode by an agent and print what it did; 1 if the goal was not reached."""
    if agent not in AGENTS and ":" not in agent:
        raise UnknownNameError("agent", agent, AGENTS)
    player = make(agent, _terms(model, base_url))
    spec = _spec(world, suite, task, agent, _disclosure(agent), seed, budget, model)
    backend = wanted(server, jar, accept_eula, transport).backend() if server else None
    record = _played(spec, player, backend)
    if as_json:
        print(json.dumps(record.content(), indent=1, sort_keys=True))
        return 0
    print_episode(record)
    if record.usage is not None:
        print(_spending(record.usage))
    return 0 if record.success else 1


def play(world: str, suite: str, task: str, seed: int, disclosed: bool) -> int:
    """Let the person at the terminal play one episode."""
    told = DISCLOSED if disclosed else HIDDEN
    record = _played(_spec(world, suite, task, "person", told, seed), Person())
    print(_verdict(record))
    return 0


class Person:
    """The agent at the terminal: reads an action a line, until the end of input or ``quit``."""

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        print(f"{task.title}: {task.budget} actions. Type help for the skills, quit to stop.")
        for line in rules.describe() if rules else ():
            print(f"  {line}")

    def act(self, observation: Observation) -> Action | None:
        print(f"\n{observation_text(observation)}")
        while True:
            try:
                line = input("> ").strip()
            except EOFError:
                return None
            if line == "quit":
                return None
            if line == "help":
                print(usage())
                continue
            try:
                return parse_action(line)
            except InputError as e:
                print(e)


def _spec(
    world: str,
    suite: str,
    task: str,
    agent: str,
    disclosure: str,
    seed: int,
    budget: int | None = None,
    model: str | None = None,
) -> EpisodeSpec:
    """Return the spec of an episode whose names all exist."""
    rules_for(suite)
    allowed = budget or Task.load(task).budget
    return EpisodeSpec(
        World.load(world).id, suite, task, agent, model, allowed, disclosure, repetition=seed
    )


def _played(spec: EpisodeSpec, agent: Agent, backend: Backend | None = None) -> EpisodeRecord:
    """Play on a backend, on the simulator if it is None; it is closed afterwards."""
    if backend is None:
        from mirrorcraft.sim.backend import SimBackend  # loads the compiler, which takes a while

        backend = SimBackend()
    try:
        return run_episode(spec, backend, agent)
    finally:
        backend.close()


def _disclosure(agent: str) -> str:
    """Return whether an agent is told the rules: by what it is, or by the built-in study."""
    if agent == "react_rules":
        return DISCLOSED
    rows = parse_study(*study_text(BUILT_IN), AGENTS).agents
    return next((row.disclosure for row in rows if row.name == agent), HIDDEN)


def _terms(model: str | None, base_url: str | None) -> Terms | None:
    """Return what a model is asked with, None if none is named."""
    if model is None and base_url is None:
        return None
    settings = ModelSettings(model=model, base_url=base_url)
    return Terms(settings, price_of(settings))


def _spending(usage: Usage) -> str:
    cost = "price unknown" if usage.cost_usd is None else f"US$ {usage.cost_usd:.4f}"
    return f"{usage.calls} calls, {usage.input} + {usage.output} tokens, {cost}"


def _verdict(record: EpisodeRecord) -> str:
    return f"{record.ending}: Score {record.score} after {record.actions} actions"
