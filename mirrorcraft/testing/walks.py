"""Routes walked and agents at play in the toy world: what can be done there, and which changes are met on the way."""

from collections.abc import Iterator

from mirrorcraft.agents import make
from mirrorcraft.core.rng import seed_from
from mirrorcraft.core.routes import PlanStep, Route
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.testing.toy import ToyBackend

GATHERING = ("mine", "attack")  # skills whose yield may be a matter of luck
PATIENCE = 40  # times that an unlucky step is tried again
PLAYERS = ("planner", "adaptive")  # one knows the rules; one believes vanilla and learns


def stumble(route: Route, rules: Rulebook, task: Task) -> str | None:
    """Walk a plan to the letter; return where it fails, or None if it ends with the goal.

    A step that gathers is repeated while it falls short of what the plan counts on.
    """
    world = ToyBackend()
    world.reset(rules, task.with_budget(1_000_000), seed=seed_from("walk", task.id))
    for number, step in enumerate(route.plan, 1):
        problem = _tried(world, step)
        if problem:
            return f"step {number} of {route.actions}, {step}: {problem}"
    if task.goal.id not in world.done:
        return f"all {route.actions} steps succeed, and {task.goal.id} is not completed"
    return None


def _tried(world: ToyBackend, step: PlanStep) -> str | None:
    """Play a step until it has given what the plan counts on; return what is in the way, if anything."""
    got = dict.fromkeys(step.makes, 0)
    for _ in range(PATIENCE):
        outcome = world.step(step.action).outcome
        if not outcome.ok:
            return f"refused ({outcome.reason})"
        for item in got:
            # What a step both uses and makes shows in the difference only.
            got[item] += outcome.delta.get(item, 0) + step.uses.get(item, 0)
        if all(got[item] >= n for item, n in step.makes.items()):
            return None
        if step.skill not in GATHERING:
            break
    short = [f"{got[item]} of {n} {item}" for item, n in step.makes.items() if got[item] < n]
    return f"it gives {', '.join(short)}"


def met(rules: Rulebook, task: Task) -> Iterator[str]:
    """Yield the ids of the changed rules that an agent meets before its task ends, within the budget."""
    for name in PLAYERS:
        agent, world = make(name), ToyBackend()
        seed = seed_from("met", task.id)
        agent.reset(task, seed=seed, rules=rules if name == "planner" else None)
        seen, ending = world.reset(rules, task, seed=seed), None
        while ending is None and (action := agent.act(seen)) is not None:
            step = world.step(action)
            seen, ending = step.observation, step.ending
            yield from step.audit.encounters
