"""A task: an ordered list of milestones, each a built-in advancement with a value, and an action budget."""

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from mirrorcraft.core.data import named_file, names_in, read_json
from mirrorcraft.core.outcome import Ending


@dataclass(frozen=True, slots=True)
class Milestone:
    """One advancement on a task's route.

    Attributes:
        id: the advancement, such as ``story/mine_stone``.
        value: the Score that completing it is worth; the last one is worth 100.
        title: its name in the game.
        description: what completes it, in plain words, true of vanilla and Mirror rules alike.
    """

    id: str
    value: int
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Task:
    """A progression task (paper v2, section 3.4).

    Attributes:
        id: the task's name, such as ``iron_armor``.
        title: the name shown to people and agents.
        milestones: ordered by value; completing the last ends the episode with the goal.
        budget: semantic actions an episode may use.
    """

    id: str
    title: str
    milestones: tuple[Milestone, ...]
    budget: int

    @staticmethod
    @cache
    def load(name: str) -> "Task":
        """Return the task ``rules/tasks/<name>.json``; UnknownNameError lists the names there are."""
        data = read_json(named_file("tasks", name))
        return Task(
            data["id"],
            data["title"],
            tuple(Milestone(**m) for m in data["milestones"]),
            data["budget"],
        )

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the tasks there are, easiest first."""
        return tuple(sorted(names_in("tasks"), key=lambda n: (len(Task.load(n).milestones), n)))

    def with_budget(self, budget: int) -> "Task":
        """Return the same task under another action budget."""
        return replace(self, budget=budget)

    @property
    def goal(self) -> Milestone:
        """The final milestone."""
        return self.milestones[-1]

    def score(self, advancements: Set[str]) -> int:
        """Return the Score of a set of completed advancements: the value of the deepest milestone, or 0."""
        return max((m.value for m in self.milestones if m.id in advancements), default=0)

    def view(self, done: Set[str]) -> dict[str, Any]:
        """Return an observation's ``task``, given the completed advancements."""
        return {
            "id": self.id,
            "title": self.title,
            "goal": self.goal.id,
            "milestones": [
                {
                    "id": m.id,
                    "title": m.title,
                    "value": m.value,
                    "description": m.description,
                    "done": m.id in done,
                }
                for m in self.milestones
            ],
            "next": next((m.id for m in self.milestones if m.id not in done), None),
        }

    def progress(self, done: Set[str]) -> dict[str, Any]:
        """Return an observation's ``progress``, given the completed advancements."""
        return {
            "score": self.score(done),
            "done": [m.id for m in self.milestones if m.id in done],
        }

    def ending(self, done: Set[str], *, alive: bool, used: int) -> Ending | None:
        """Return why an episode is over after an action, or None while it goes on.

        Args:
            done: the completed advancements.
            alive: whether the body is.
            used: actions taken so far.
        """
        if self.goal.id in done:
            return Ending.GOAL
        if not alive:
            return Ending.DEATH
        return Ending.BUDGET if used >= self.budget else None
