"""Agents that need no model: the reference, a naive one, chance, and one that measures first."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.tracks.circuits import builders
from mirrorcraft.tracks.circuits.blocks import DIRECTIONS, SIDES, Kind
from mirrorcraft.tracks.circuits.book import Book
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.laboratory import Laboratory, place
from mirrorcraft.tracks.circuits.measure import measure
from mirrorcraft.tracks.circuits.physics import Physics, from_values
from mirrorcraft.tracks.circuits.tasks import CircuitTask


@dataclass
class Help:
    """What an engineer is given beside the task.

    Attributes:
        hint: the area of missing knowledge, None without hints.
        scientist: whether it may have questions investigated.
        book: the knowledge book, carried from task to task in the curriculum setting.
        experience: a line for each earlier task of the run, in that setting.
    """

    hint: str | None = None
    scientist: bool = False
    book: Book = field(default_factory=Book)
    experience: tuple[str, ...] = ()


@dataclass
class Effort:
    """What an attempt took.

    Attributes:
        tokens: of all model calls.
        scientist_trials: presses of the scientist, which count towards the task's budget.
        rebuilds: presses of the engineer after it had changed what it pressed before.
        notes: what the engineer wants to remember in later tasks.
        usage: the account of the model's calls; None without a model.
        calls: every request and reply, JSON-ready.
    """

    tokens: int = 0
    scientist_trials: int = 0
    rebuilds: int = 0
    notes: str = ""
    usage: dict[str, Any] | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)


class Engineer(Protocol):
    """An agent that builds in a laboratory; the build that it leaves is what counts."""

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        """Work on the laboratory's task and return what it took."""
        ...


class Builder:
    """Lays out the reference, believing in the game's own rules, and presses once."""

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        _lay_out(lab, Physics())
        return Effort()


class Experimenter:
    """Lays out the reference under the rules it believes in; a scientist measures them first.

    Without a scientist it believes in the game's rules, or in what its book holds.
    """

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        effort = Effort()
        if help.scientist and not help.book.values:
            measure(lab, help.book)
            effort.scientist_trials = lab.trials
        _lay_out(lab, from_values(help.book.values))
        return effort


class Prior:
    """Wires the way one does who has never seen a signal fade: long lines, no repeaters."""

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        place(lab, naive_wiring(lab.task))
        lab.activate_button()
        return Effort()


class Chance:
    """Sets a hundred random blocks of the palette on the ground, and presses a button."""

    def attempt(self, lab: Laboratory, help: Help, seed: int) -> Effort:
        region = lab.task.world
        (x, _, z), ground = region.anchor, region.floor_y + 1
        lab.set_block(x, ground, z, "stone")
        lab.set_block(x, ground + 1, z, "stone_button")
        names = ("redstone_wire", "redstone_wire", "repeater", "redstone_torch", "redstone_lamp", "stone", "glass")  # fmt: skip
        for i in range(100):
            dx, dz = (below(9, seed, axis, i) - 4 for axis in (1, 2))
            name = names[below(len(names), seed, 3, i)]
            facing = DIRECTIONS[SIDES[below(4, seed, 4, i)]]
            if (dx, dz) != (0, 0):
                given = {"facing": facing} if name == "repeater" else None
                lab.set_block(x + dx, ground, z + dz, name, given)
        lab.activate_button()
        return Effort()


def naive_wiring(task: CircuitTask) -> Build:
    """Return a line of dust to and fro with a lamp under each; for family B a comb, unamplified."""
    if task.family == "B":
        comb = builders.solve(task)
        if not comb.of(Kind.REPEATER):
            return comb
    return builders.line(task)


def _lay_out(lab: Laboratory, beliefs: Physics) -> None:
    """Build the reference and press; where it cannot be under the beliefs, build the game's."""
    lab.reset()
    try:
        build = builders.solve(lab.task, beliefs)
    except InputError:
        build = builders.solve(lab.task)
    place(lab, build)
    lab.activate_button()


AGENTS: dict[str, Callable[[], Engineer]] = {
    "builder": Builder,
    "experimenter": Experimenter,
    "prior": Prior,
    "random": Chance,
}
"""Name -> agent that needs no model; ``engineer`` is one on a model."""


def make_agent(name: str) -> Engineer:
    """Return an agent that needs no model.

    Raises:
        InputError: there is none of that name.
    """
    if name not in AGENTS:
        raise InputError("agent", "", name, f"one of {', '.join(AGENTS)}")
    return AGENTS[name]()


def attempt_seed(agent: str, task: str, run: int) -> int:
    """Return the luck of an attempt; conditions share it."""
    return seed_from("circuits", agent, task, run)
