"""A scene of a conformance case, set up by hand on both backends: the room around the body, its things, its level."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from mirrorcraft.core.action import Action
from mirrorcraft.core.backend import Step
from mirrorcraft.core.errors import Fault
from mirrorcraft.core.ids import full
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Milestone, Task
from mirrorcraft.core.world import World
from mirrorcraft.server.backend import PLAYER, ServerBackend
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.sim.blocks import pack
from mirrorcraft.sim.kernels.grid import set_block
from mirrorcraft.sim.kernels.inventory import give
from mirrorcraft.sim.kernels.step import begin
from mirrorcraft.sim.layout import NONE, SLOTS
from mirrorcraft.sim.observe import STATIONS

SIDE, HIGH = 3, 4  # the room: so many cells to each side, and upwards
FAST = 200  # ticks in a second of a squid server for scenes: stations cook, and bodies do not wait
# Cases are no episodes: the one milestone is out of their reach.
ENDLESS = Task("conformance", "", (Milestone("story/enter_the_end", 100, "", ""),), 1_000_000)
Cell = tuple[int, int, int]
Enchantments = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Scene:
    """What is around the body before a case's action.

    Attributes:
        items: item id to count.
        tools: (item, enchantments) one by one, for those with enchantments.
        blocks: cell relative to the feet to block; the rest of the room is air over a floor of stone.
        level: experience level.
        fill: item whose stacks fill every slot that is left.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    tools: tuple[tuple[str, Enchantments], ...] = ()
    blocks: Mapping[Cell, str] = field(default_factory=dict)
    level: int = 100
    fill: str | None = None

    def cells(self) -> dict[Cell, str]:
        """Return all cells of the room with their blocks."""
        room = {}
        for dx in range(-SIDE, SIDE + 1):
            for dz in range(-SIDE, SIDE + 1):
                room[dx, -1, dz] = "stone"
                room.update({(dx, dy, dz): "air" for dy in range(HIGH)})
        return {**room, **self.blocks}


class Draw(NamedTuple):
    """A distribution to be held against draws of the server: of a block's loot with a tool, or of an animal's."""

    id: str
    block: str | None
    tool: str | None
    enchantments: Enchantments
    animal: str | None


class Stage(Protocol):
    """A backend on which scenes can be set up."""

    def open(self, world: World, rules: Rulebook) -> None:
        """Start an episode that has no end."""
        ...

    def set_up(self, scene: Scene) -> None:
        """Make the scene; all that earlier cases did is gone."""
        ...

    def act(self, action: Action) -> Step:
        """Run one action in the scene."""
        ...

    def close(self) -> None:
        """Let go of everything held."""
        ...


class SimStage(SimBackend):
    """The simulator as a stage."""

    def open(self, world: World, rules: Rulebook) -> None:
        """Start an episode that has no end."""
        self._place = world, rules

    def set_up(self, scene: Scene) -> None:
        """Make the scene in a fresh copy of the world."""
        world, rules = self._place
        self.reset(world, rules, ENDLESS, seed=7)
        state: Any = self._states[0]
        tables: Any = self._tables[0]
        x, y, z = world.spawn
        for (dx, dy, dz), block in scene.cells().items():
            p = pack(x + dx, y + dy, z + dz)
            set_block(state, p, self._names.block[block])
            if block in STATIONS:
                _note_station(state, STATIONS.index(block), p)
        for item, count in scene.items.items():
            self._own(item, count)
        for item, enchantments in scene.tools:
            self._own(item, 1)
            for k, (name, level) in enumerate(enchantments):
                number = self._names.enchantments.index(name)
                state.tool_enchants[state.n_tools - 1, k] = (number + 1) << 4 | level
        if scene.fill:
            self._own(
                scene.fill,
                (SLOTS - int(state.occupied)) * int(tables.stack[self._names.item[scene.fill]]),
            )
        state.level = scene.level
        begin(state)
        self._gain(int(state.advancements))

    def _own(self, item: str, count: int) -> None:
        given = give(
            self._tables[0], self._states[0], np.int64(self._names.item[item]), np.int64(count)
        )
        if given != count:
            raise ValueError(f"a scene with {count} {item}, of which {given} fit")

    def act(self, action: Action) -> Step:
        """Run one action in the scene."""
        return self.step(action)


def _note_station(state: Any, kind: int, p: int) -> None:
    """Enter a station into the state's list, cold and empty, as placing it does."""
    s = state.n_stations
    state.station_kind[s], state.station_pos[s], state.burn_end[s] = kind, p, 0
    state.out_item[s], state.out_count[s] = NONE, 0
    state.n_stations = s + 1


class ServerStage(ServerBackend):
    """A server as a stage; the body stays where it is, the room is made anew."""

    def open(self, world: World, rules: Rulebook) -> None:
        """Start an episode that has no end."""
        self._spawn = world.spawn
        self.reset(world, rules, ENDLESS, seed=7)
        self._command("kill @e[type=!player]")

    def set_up(self, scene: Scene) -> None:
        """Make the scene by commands."""
        x, y, z = self._spawn
        low, high = (x - SIDE, y, z - SIDE), (x + SIDE, y + HIGH - 1, z + SIDE)
        self._fill(low, high, "air")
        self._fill((low[0], y - 1, low[2]), (high[0], y - 1, high[2]), "stone")
        for (dx, dy, dz), block in scene.blocks.items():
            self._command(f"setblock {x + dx} {y + dy} {z + dz} {full(block)}")
        self._command(f"clear {PLAYER}")
        self._command("kill @e[type=item]")
        self._command(f"tp {PLAYER} {x + 0.5} {y} {z + 0.5}")
        self._command(f"advancement revoke {PLAYER} everything")
        self._audit.done.clear()
        for item, count in scene.items.items():
            self._give(full(item), count)
        for item, enchantments in scene.tools:
            self._give(f"{full(item)}{_snbt(enchantments)}", 1)
        if scene.fill:
            self._look_again(scene.level)
            self._fill_pockets(scene.fill)
        self._look_again(scene.level)
        self._audit.gained(self._seen["advancements"])

    def _look_again(self, level: int) -> None:
        """Look once the body knows of all that was commanded before: of a level set last, and set back."""
        for mark in (level + 1, level):
            self._command(f"experience set {PLAYER} {mark} levels")
            seen = self.bot.look_until(lambda s, mark=mark: s["level"] == mark)
            if seen is None:
                raise Fault("the body does not hear of the level that the server gives it")
            self._seen = seen

    def act(self, action: Action) -> Step:
        """Run one action in the scene."""
        return self.step(action)

    def draw(self, draw: Draw, n: int) -> Iterator[dict[str, int]]:
        """Yield what ``n`` draws of the server's loot put into the empty inventory."""
        x, y, z = self._spawn
        if draw.block is not None:
            tool = f"{full(draw.tool or 'air')}{_snbt(draw.enchantments)}"
            source = f"mine {x + 2} {y} {z} {tool}"
        else:
            source = f"loot minecraft:entities/{draw.animal}"
        self.set_up(Scene(blocks={(2, 0, 0): draw.block} if draw.block else {}))
        for _ in range(n):
            self._command(f"clear {PLAYER}")
            self._command(f"loot give {PLAYER} {source}")
            self._look_again(100)
            yield self._seen["inventory"]

    def _fill_pockets(self, item: str) -> None:
        owned, items = self._seen["inventory"], self._rules.items
        free = SLOTS - sum(-(-n // items[name].stack) for name, n in owned.items())
        self._give(full(item), free * items[item].stack)

    def _give(self, what: str, count: int) -> None:
        if not self._command(f"give {PLAYER} {what} {count}").startswith("Gave"):
            raise Fault(f"the server does not give {what}")

    def _fill(self, low: Cell, high: Cell, block: str) -> None:
        corners = " ".join(map(str, (*low, *high)))
        self._command(f"fill {corners} {full(block)}")

    def _command(self, line: str) -> str:
        return self.rcon.command(line)


def _snbt(enchantments: Enchantments) -> str:
    """Return what a command writes behind an item's name to enchant it; nothing without any."""
    listed = ",".join(f'{{id:"{full(name)}",lvl:{level}s}}' for name, level in enchantments)
    return f"{{Enchantments:[{listed}]}}" if listed else ""
