"""How a build is wired: which components feed which, how far its lamps are, where wires branch."""

from collections import deque
from dataclasses import dataclass
from functools import cached_property

from mirrorcraft.sim.redstone.grid import Grid, cells_of, joins, shape
from mirrorcraft.sim.redstone.net import Net, build_net
from mirrorcraft.tracks.circuits.blocks import (
    DIRECTIONS,
    SIDES,
    SOLID,
    UP,
    Kind,
    Pos,
    beside,
    id_of,
)
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.trace import cells_at, grid_of, index_of

_WIRE = (Kind.DUST, Kind.REPEATER)


@dataclass(frozen=True, eq=False)
class Wiring:
    """The net of a build, seen from Python."""

    build: Build
    physics: Physics

    @cached_property
    def _grid(self) -> tuple[Grid, Pos, Pos]:
        return grid_of(self.build, self.physics)

    @cached_property
    def _net(self) -> tuple[Net, list[Pos]]:
        grid, corner, size = self._grid
        return build_net(grid), list(cells_at(cells_of(grid), corner, size))

    def sides(self, pos: Pos) -> tuple[int, ...]:
        """Return the directions to which the dust in a cell runs."""
        grid, corner, size = self._grid
        bits = shape(grid, index_of(pos, corner, size))
        return tuple(d for d in SIDES if bits >> d & 1)

    def properties(self, pos: Pos) -> dict[str, str]:
        """Return the sides of the dust in a cell in the game's words: none, side or up."""
        found = dict.fromkeys((DIRECTIONS[d] for d in SIDES), "none")
        for d in self.sides(pos):
            block = self.build.blocks.get(beside(pos, d))
            above = self.build.blocks.get(beside(beside(pos, d), UP))
            over = self.build.blocks.get(beside(pos, UP))
            cut = over is not None and over.kind in SOLID and id_of(over) in self.physics.conductors
            climbs = block is not None and block.kind in SOLID and not cut
            up = climbs and above is not None and above.kind == Kind.DUST
            found[DIRECTIONS[d]] = "up" if up else "side"
        return found

    def joins_any(self, pos: Pos) -> bool:
        """Return whether the dust in a cell finds something to join."""
        grid, corner, size = self._grid
        return any(joins(grid, index_of(pos, corner, size), d) for d in SIDES)

    def branches(self, pos: Pos) -> int:
        """Return how many wires, dust or repeaters on its axis, the dust in a cell joins."""
        grid, corner, size = self._grid
        at = index_of(pos, corner, size)
        joined = [d for d in SIDES if joins(grid, at, d)]
        ends = (Kind.TORCH, Kind.BUTTON)
        blocks = self.build.blocks
        beyond = [blocks.get(beside(pos, d)) for d in joined]
        return sum(block is None or block.kind not in ends for block in beyond)

    def junctions(self) -> list[Pos]:
        """Return the dust cells, sorted, that join at least three wires."""
        return [pos for pos in self.build.of(Kind.DUST) if self.branches(pos) >= 3]

    def distances(self) -> dict[Pos, int]:
        """Return component -> dust and repeaters on the shortest way there from the button.

        Signals go through repeaters forwards only, and through blocks and torches for nothing. A
        component that no signal of the button reaches is left out.
        """
        net, cells = self._net
        near = {cells.index(self.build.button): 0}
        queue = deque(near)
        while queue:  # each step costs 0 or 1, so the near end of the queue is always nearest
            i = queue.popleft()
            onward = [*net.feed[net.feed_at[i] : net.feed_at[i + 1]]]
            onward += [*net.wire[net.wire_at[i] : net.wire_at[i + 1]]]
            for j in map(int, onward):
                if i in (int(k) for k in net.lock[j]):
                    continue
                cost = int(net.kind[j] in _WIRE)
                if near[i] + cost < near.get(j, 1 << 30):
                    near[j] = near[i] + cost
                    queue.append(j) if cost else queue.appendleft(j)
        return {cells[i]: n for i, n in near.items()}
