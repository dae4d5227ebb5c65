"""A row of counted draws behind one seed, and what the samplers check about their arguments."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.core.task import Task

T = TypeVar("T")


class Draws:
    """Draws one after the other; the names given decide them all."""

    def __init__(self, *names: object):
        self._seed = seed_from(*names)
        self._count = 0

    def below(self, n: int) -> int:
        """Return an integer in ``range(n)``."""
        self._count += 1
        return below(n, self._seed, self._count, 0)

    def between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def percent(self, chance: int) -> bool:
        """Return True in ``chance`` of a hundred cases."""
        return self.below(100) < chance


def selected(seed: int, tasks: Collection[str] | None) -> tuple[str, ...]:
    """Return the selected tasks, sorted and each once; all of them for None.

    Raises:
        InputError: the seed is negative, or no task is left.
        UnknownNameError: there is no such task.
    """
    if seed < 0:
        raise InputError("<seed>", "", seed, "0 or more")
    names = sorted(set(Task.names() if tasks is None else tasks))
    if not names:
        raise InputError("<tasks>", "", names, f"at least one of {', '.join(Task.names())}")
    for name in names:
        Task.load(name)
    return tuple(names)
