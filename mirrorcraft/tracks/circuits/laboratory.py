"""The laboratory: a bounded region, a palette, a button to press, and a budget of presses.

Five operations, the same in Python, for a model and over MCP. They tell raw states and changes of
states, never whether a contract is kept. What is wrong raises an error and changes nothing.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full, strip
from mirrorcraft.tracks.circuits.blocks import (
    Block,
    Kind,
    Pos,
    beside,
    id_of,
    make,
    properties,
)
from mirrorcraft.tracks.circuits.build import Build, Floor, supported
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import SETTLE, Trace, trace
from mirrorcraft.tracks.circuits.wiring import Wiring

MODES = ("player", "dot")
MAX_RADIUS = 10
"""How far ``scan_redstone_area`` looks."""
MAX_EVENTS = 2000
"""The most events that one answer holds."""


class Laboratory:
    """A world of one task that an agent builds and experiments in.

    Args:
        task: region, palette, budget and window; its contract is not looked at.
        physics: the rules of the world; the game's when None.

    Attributes:
        task: the task.
        tick: game ticks since the start.
        trials: presses so far, of whoever made them.
        edits: blocks set so far.
    """

    def __init__(self, task: CircuitTask, physics: Physics | None = None):
        self.task = task
        self._physics = physics or Physics()
        (x, _, z), r = task.world.anchor, task.world.radius
        self._floor = Floor(task.world.floor_y, (x - r, x + r), (z - r, z + r))
        self._allowed = {
            strip(name).replace("redstone_repeater", "repeater") for name in task.allowed_blocks
        }
        if "redstone_torch" in self._allowed:
            self._allowed.add("redstone_wall_torch")
        self.trials = 0
        self.edits = 0
        self.reset()

    def reset(self) -> None:
        """Clear the region and the event stream; the budget of presses stays as it is."""
        self._blocks: dict[Pos, Block] = {}
        self._values: dict[Pos, int] = {}
        self._events: list[dict[str, Any]] = []
        self._restless = False
        self.tick = 0

    def twin(self) -> "Laboratory":
        """Return an empty laboratory of the same task, rules and presses so far."""
        other = Laboratory(self.task, self._physics)
        other.trials = self.trials
        return other

    @property
    def trials_left(self) -> int:
        """Presses that are left."""
        return self.task.trials - self.trials

    def build(self) -> Build:
        """Return what stands in the region, in its present state."""
        return Build(dict(self._blocks), self._floor, self.task.window_gt)

    def get_block_state(self, x: int, y: int, z: int) -> dict[str, Any]:
        """Return the block of a cell and its properties.

        Raises:
            InputError: the cell is outside of the region.
        """
        self._rest()
        return self._state(self._inside(x, y, z))

    def get_event_stream(self, since_tick: int = 0, limit: int = 200) -> list[dict[str, Any]]:
        """Return changes of state from a tick on, oldest first: tick, pos, block, from, to.

        Raises:
            InputError: a number is out of range.
        """
        _integer("since_tick", since_tick, 0, 1 << 60)
        _integer("limit", limit, 1, MAX_EVENTS)
        self._rest()
        return [event for event in self._events if event["tick"] >= since_tick][:limit]

    def scan_redstone_area(
        self, center: list[int] | None = None, radius: int = MAX_RADIUS
    ) -> list[dict[str, Any]]:
        """Return all blocks within a radius of a cell, that of the anchor when None.

        Raises:
            InputError: the center is no cell of the region, or the radius is above 10.
        """
        _integer("radius", radius, 0, MAX_RADIUS)
        if center is not None and (not isinstance(center, list | tuple) or len(center) != 3):
            raise InputError("scan-redstone-area", "center", center, "three integers x, y, z")
        middle = self.task.world.anchor if center is None else self._inside(*center)
        self._rest()
        near = [
            pos
            for pos in sorted(self._blocks)
            if all(abs(a - b) <= radius for a, b in zip(pos, middle, strict=True))
        ]
        return [{"pos": list(pos), **self._state(pos)} for pos in near]

    def set_block(
        self,
        x: int,
        y: int,
        z: int,
        block: str,
        properties: Mapping[str, Any] | None = None,
        mode: str = "player",
    ) -> dict[str, Any]:
        """Set a block of the palette; what it leaves without support falls off.

        Args:
            x: the cell's place to the east.
            y: its height.
            z: its place to the south.
            block: an id, such as ``minecraft:repeater``; ``air`` removes.
            properties: such as ``{"facing": "west", "delay": 2}``; the rest as freshly placed.
            mode: ``player``, or ``dot`` for dust that joins nothing until it finds something.

        Returns:
            The cell's state, and the cells whose blocks fell off.

        Raises:
            InputError: the cell, the block, its properties or the mode cannot be, or the block
                would have nothing to stand or hang on.
        """
        pos = self._inside(x, y, z)
        if mode not in MODES:
            raise InputError("set-block", "mode", mode, f"one of {', '.join(MODES)}")
        made = make(block, _texts(properties))
        if id_of(made) not in self._allowed:
            raise InputError("set-block", "block", block, f"one of {', '.join(self._allowed)}")
        if made.kind == Kind.DUST and mode == "dot":
            made = made._replace(dot=True)
        blocks = {**self._blocks, pos: made}
        if made.kind != Kind.AIR and not supported(blocks, self._floor, pos):
            under = "under it" if made.kind in (Kind.DUST, Kind.REPEATER) else "where it hangs"
            raise InputError("set-block", "", f"{block} at {list(pos)}", f"a solid block {under}")
        fell = self._replace(pos, made)
        return {"pos": list(pos), **self._state(pos), "fell": [list(cell) for cell in fell]}

    def activate_button(self) -> dict[str, Any]:
        """Press the one button and return the trial's number, the tick, and all that changed.

        Raises:
            InputError: there is no button, or several, or no press is left.
        """
        build = self.build()
        if len(build.buttons) != 1:
            raise InputError(
                "activate-button", "", [list(b) for b in build.buttons], "exactly one stone_button"
            )
        if self.trials_left <= 0:
            raise InputError(
                "activate-button", "", self.trials, f"{self.task.trials} presses at most"
            )
        self._rest()
        pressed, known = self.tick, len(self._events)
        self.trials += 1
        self._follow(trace(self.build(), self._physics, settle=0), self.task.window_gt)
        self._restless = True
        return {
            "trial": self.trials,
            "trials_left": self.trials_left,
            "pressed_at": pressed,
            "events": self._events[known:],
        }

    def _inside(self, *pos: Any) -> Pos:
        if any(type(n) is not int for n in pos):
            raise InputError("laboratory", "position", list(pos), "three integers x, y, z")
        if not self.task.world.holds((pos[0], pos[1], pos[2])):
            raise InputError("laboratory", "position", list(pos), f"a cell of {self.task.world}")
        return pos[0], pos[1], pos[2]

    def _state(self, pos: Pos) -> dict[str, Any]:
        block = self._blocks.get(pos)
        if block is None:
            return {"block": "minecraft:air", "properties": {}}
        found = properties(block)
        if block.kind == Kind.DUST:
            found = self._wiring(pos).properties(pos)
            found["power"] = str(self._values.get(pos, 0))
        if block.kind == Kind.REPEATER:
            found["locked"] = "true" if self._values.get(pos, 0) & 2 else "false"
        return {"block": full(id_of(block)), "properties": found}

    def _wiring(self, pos: Pos) -> Wiring:
        """Return the wiring around a cell: what its dust joins depends on nothing farther away."""
        xs, ys, zs = (range(n - 1, n + 2) for n in pos)
        near = {cell: self._blocks[cell] for cell in product(xs, ys, zs) if cell in self._blocks}
        return Wiring(Build(near, self._floor), self._physics)

    def _replace(self, pos: Pos, block: Block) -> list[Pos]:
        """Put a block into a cell and return where something fell off."""
        self.edits += 1
        self._restless = True
        self._values.pop(pos, None)
        self._blocks.pop(pos, None)
        if block.kind != Kind.AIR:
            self._blocks[pos] = block
        fell = []
        for d in range(6):  # what falls off carries nothing itself
            cell = beside(pos, d)
            if cell in self._blocks and not supported(self._blocks, self._floor, cell):
                fell.append(cell)
        for cell in fell:
            del self._blocks[cell]
            self._values.pop(cell, None)
        dots = [p for p, b in self._blocks.items() if b.dot]
        for p in dots:
            if self._wiring(p).joins_any(p):
                self._blocks[p] = self._blocks[p]._replace(dot=False)
        return sorted(fell)

    def _rest(self) -> None:
        """Let the world run until nothing changes any more, or for a while."""
        if self._restless:
            self._restless = False
            seen = trace(self.build(), self._physics, ticks=SETTLE, settle=0, press=False)
            changes = seen.events()
            self._follow(seen, changes[-1].tick if changes else 0)

    def _follow(self, seen: Trace, ticks: int) -> None:
        """Take over the states of a run, and its changes as events."""
        for i, pos in enumerate(seen.cells):
            block, first = seen.blocks[i], int(seen.states[0, i])
            before = self._values.get(pos, int(block.on))
            if before != first:
                self._note(self.tick, pos, block, before, first)
        for event in seen.events():
            if event.tick <= ticks:
                block = seen.blocks[seen.column[event.pos]]
                self._note(self.tick + event.tick, event.pos, block, event.before, event.after)
        for i, (pos, block) in enumerate(zip(seen.cells, seen.blocks, strict=True)):
            value = int(seen.states[ticks, i])
            self._values[pos] = value
            if block.kind != Kind.DUST:
                self._blocks[pos] = block._replace(on=bool(value & 1))
        self.tick += ticks

    def _note(self, tick: int, pos: Pos, block: Block, before: int, after: int) -> None:
        self._events.append(
            {
                "tick": tick,
                "pos": list(pos),
                "block": full(id_of(block)),
                "from": _value_text(block, before),
                "to": _value_text(block, after),
            }
        )


def place(lab: Laboratory, build: Build) -> None:
    """Set all blocks of a build in a laboratory, what others stand on first.

    Raises:
        InputError: a block cannot be set.
    """
    for pos in build.placing_order():
        block = build.blocks[pos]
        mode = "dot" if block.dot else "player"
        lab.set_block(*pos, id_of(block), properties(block), mode)


def _value_text(block: Block, value: int) -> str:
    if block.kind == Kind.DUST:
        return f"power={value}"
    name = "powered" if block.kind in (Kind.BUTTON, Kind.REPEATER) else "lit"
    text = f"{name}={'true' if value & 1 else 'false'}"
    return text + (",locked=true" if value & 2 else "")


def _texts(given: Mapping[str, Any] | None) -> dict[str, str]:
    """Return properties as texts: JSON has true and 2 where the game has "true" and "2"."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError("set-block", "properties", given, "an object of names and values")
    found = {}
    for name, value in given.items():
        if not isinstance(value, str | bool | int):
            raise InputError("set-block", f"properties.{name}", value, "a text, number or boolean")
        found[str(name)] = str(value).lower()
    return found


def _integer(name: str, value: Any, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise InputError("laboratory", name, value, f"an integer from {low} to {high}")
