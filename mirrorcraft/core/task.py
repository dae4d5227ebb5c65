"""A task: an ordered list of milestones, each a built-in advancement with a value, and an action budget."""

from dataclasses import dataclass, replace
from functools import cache

from mirrorcraft.core.data import named_file, names_in, read_json


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

    def score(self, advancements: set[str] | frozenset[str]) -> int:
        """Return the Score of a set of completed advancements: the value of the deepest milestone, or 0."""
        return max((m.value for m in self.milestones if m.id in advancements), default=0)
