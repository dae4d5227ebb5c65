"""The commands ``episode`` and ``play``: one episode by an agent, or by a person."""

import json

from mirrorcraft.agents import AGENTS, make
from mirrorcraft.agents.agent import Agent
from mirrorcraft.cli.text import action_text, observation_text, outcome_text, parse_action, usage
from mirrorcraft.core.action import Action
from mirrorcraft.core.episode import DISCLOSED, HIDDEN, EpisodeSpec
from mirrorcraft.core.errors import InputError, UnknownNameError
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.plan import BUILT_IN, parse_study, rules_for, study_text
from mirrorcraft.study.record import EpisodeRecord


def episode(
    world: str, suite: str, task: str, agent: str, seed: int, budget: int | None, as_json: bool
) -> int:
    """Play one episode by an offline agent and print what it did; 1 if the goal was not reached."""
    if agent not in AGENTS:
        raise UnknownNameError("agent", agent, AGENTS)
    spec = _spec(world, suite, task, agent, _disclosure(agent), seed, budget)
    record = _played(spec, make(agent))
    if as_json:
        print(json.dumps(record.content(), indent=1, sort_keys=True))
        return 0
    for number, step in enumerate(record.steps, 1):
        print(f"{number:3}  {action_text(step.action)}")
        print(f"     {outcome_text(step.outcome or {})}")
        for title, ids in (("milestone", step.advancements), ("changed rule", step.encounters)):
            for one in ids:
                print(f"     {title}: {one}")
    print(_verdict(record))
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
) -> EpisodeSpec:
    """Return the spec of an episode whose names all exist."""
    rules_for(suite)
    allowed = budget or Task.load(task).budget
    return EpisodeSpec(
        World.load(world).id, suite, task, agent, None, allowed, disclosure, repetition=seed
    )


def _played(spec: EpisodeSpec, agent: Agent) -> EpisodeRecord:
    from mirrorcraft.sim.backend import SimBackend  # loads the compiler, which takes a while

    backend = SimBackend()
    try:
        return run_episode(spec, backend, agent)
    finally:
        backend.close()


def _disclosure(agent: str) -> str:
    """Return whether the built-in study tells an agent the rules."""
    rows = parse_study(*study_text(BUILT_IN), AGENTS).agents
    return next((row.disclosure for row in rows if row.name == agent), HIDDEN)


def _verdict(record: EpisodeRecord) -> str:
    return f"{record.ending}: Score {record.score} after {record.actions} actions"
