"""Reference builders: programs that lay out a circuit which keeps a task's contract.

All circuits lie on one plane, two cells above the floor: dust, repeaters and torches there, and
under them either a lamp, which dust lights from above, or glass, which carries nothing. So no
circuit depends on what happens to lie beside a wire.

A and B: dust has no delay, so lamps that hang on one net light up together; B puts its lamps behind
one repeater, which makes a longer trunk possible. C: one repeater a stage. D: one repeater on each
way from the button, at its start, so that sixteen cells are within reach and all are equally late.
E: an edge-triggered pulse, NOT(NOT in OR delayed in), or the bare button.
"""

from collections.abc import Callable, Iterable

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits.blocks import (
    BUTTON,
    DOWN,
    DUST,
    EAST,
    GLASS,
    LAMP,
    NORTH,
    SOUTH,
    STONE,
    UP,
    WEST,
    Block,
    Kind,
    Pos,
    beside,
    repeater,
    torch,
)
from mirrorcraft.tracks.circuits.build import Build, Floor
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, Pulse, Region, Sequential, Simultaneous

Spot = tuple[int, int]
"""A place on the plane, relative to the anchor: x, z."""


class Plane:
    """A plane of components over glass and lamps, inside a region."""

    def __init__(self, region: Region, physics: Physics):
        self.region = region
        conducts = "stone" in physics.conductors or "glass" not in physics.conductors
        self.conductor, self.carrier = (STONE, GLASS) if conducts else (GLASS, STONE)
        self.y = region.floor_y + 2
        self.blocks: dict[Pos, Block] = {}

    def put(self, spot: Spot, block: Block, under: Block | None = None) -> None:
        """Put a block on the plane; what has to stand on something, over a carrier or the block given.

        Raises:
            InputError: the spot is outside of the region.
        """
        x, z = spot[0] + self.region.anchor[0], spot[1] + self.region.anchor[2]
        if not self.region.holds((x, self.y, z)):
            raise InputError("builder", "task", spot, f"room inside of {self.region}")
        self.blocks[x, self.y, z] = block
        stands = block != self.conductor and (block.kind != Kind.TORCH or block.toward == DOWN)
        if stands:
            self.blocks[x, self.y - 1, z] = under or self.carrier

    def pedestal(self, spot: Spot) -> None:
        """Put a conductor with a button on top: what is beside it gets full power."""
        self.put(spot, self.conductor)
        x, z = spot[0] + self.region.anchor[0], spot[1] + self.region.anchor[2]
        self.blocks[beside((x, self.y, z), UP)] = BUTTON

    def wire(self, spots: Iterable[Spot], lamps: Iterable[Spot] = ()) -> None:
        """Lay dust on spots, over a lamp where one is listed."""
        lit = set(lamps)
        for spot in spots:
            self.put(spot, DUST, LAMP if spot in lit else None)

    def build(self, ticks: int) -> Build:
        """Return what is there, on a floor of the region's size."""
        (ax, _, az), r = self.region.anchor, self.region.radius
        floor = Floor(self.region.floor_y, (ax - r, ax + r), (az - r, az + r))
        return Build(dict(self.blocks), floor, ticks)


def solve(task: CircuitTask, physics: Physics | None = None) -> Build:
    """Return a build for a task, laid out for the physics that the builder believes in.

    Raises:
        InputError: the task needs more room, or other means, than this builder has.
    """
    plane = Plane(task.world, physics or Physics())
    _LAYOUTS[task.family](plane, task, physics or Physics())
    return plane.build(task.window_gt)


def line(task: CircuitTask) -> Build:
    """Return what no reference is: one line to and fro, a lamp under each of its first dust cells.

    Raises:
        InputError: the region has no room for so many lamps.
    """
    plane = Plane(task.world, Physics())
    path = _boustrophedon(plane.region.radius)
    _enough(len(path) - 1, task.lamps)
    plane.pedestal(path[0])
    plane.wire(path[1 : task.lamps + 1], path[1 : task.lamps + 1])
    return plane.build(task.window_gt)


def _diamond(radius: int) -> list[Spot]:
    """Return the spots around the middle, nearest first, that are inside of a distance."""
    spots = [
        (x, z)
        for x in range(-radius, radius + 1)
        for z in range(-radius, radius + 1)
        if 0 < abs(x) + abs(z) <= radius
    ]
    return sorted(spots, key=lambda spot: (abs(spot[0]) + abs(spot[1]), spot))


def _simultaneous(plane: Plane, task: CircuitTask, physics: Physics) -> None:
    """A: a diamond of dust around the button, a lamp under each of it."""
    spots = _diamond(min(physics.reach, plane.region.radius))[: task.lamps]
    _enough(len(spots), task.lamps)
    plane.pedestal((0, 0))
    plane.wire(spots, spots)


def _branch_reach(plane: Plane, task: CircuitTask, physics: Physics) -> None:
    """B: a trunk along x with a repeater, and branches along z off its far end."""
    terms = task.contract
    assert isinstance(terms, Simultaneous)
    r = plane.region.radius
    near = physics.reach - 4  # without a repeater some signal must be left for the branches
    amplified = terms.repeaters_required or terms.required_reach > physics.reach
    end = min(terms.required_reach, 2 * r if amplified else near)
    trunk = [(i - r, 0) for i in range(1, end + 1)]
    # The last repeater leaves half of its reach to the trunk; earlier ones are a full reach apart.
    gate = max(1, end - physics.reach // 2) if amplified else 0
    # Lamps side by side light each other, so without a repeater they are set apart: each then
    # needs all of the wire up to it.
    apart = 1 if gate else 2
    lamps = _comb(trunk, gate, r, physics.reach, apart)[: task.lamps]
    _enough(len(lamps), task.lamps)
    plane.pedestal((-r, 0))
    plane.wire(trunk)
    for cell in range(gate, 0, -physics.reach - 1):
        plane.put((cell - r, 0), repeater(EAST))
    plane.wire(_stems(lamps), lamps)


def _comb(trunk: list[Spot], gate: int, room: int, reach: int, apart: int) -> list[Spot]:
    """Return the spots on branches off every other trunk cell past the gate, from the far end."""
    found = []
    for i in range(len(trunk), gate, -2):
        length = min(room, reach - (i - gate))
        found += [
            (trunk[i - 1][0], side * n)
            for n in range(1 + (length - 1) % apart, length + 1, apart)
            for side in (-1, 1)
        ]
    return found


def _stems(tips: Iterable[Spot]) -> set[Spot]:
    """Return the tips and all spots between them and the x axis."""
    return {(x, k if z > 0 else -k) for x, z in tips for k in range(1, abs(z) + 1)}


def _sequential(plane: Plane, task: CircuitTask, physics: Physics) -> None:
    """C: a line to and fro over the plane, repeaters and lamps by turns."""
    terms = task.contract
    assert isinstance(terms, Sequential)
    path = _boustrophedon(plane.region.radius)
    _enough(len(path) // 2, task.lamps)
    plane.pedestal(path[0])
    stages = path[1 : 2 * task.lamps]
    plane.wire(stages[::2], stages[::2])
    for i, delay in enumerate(terms.delays):
        here, there = stages[2 * i], stages[2 * i + 1]
        plane.put(there, repeater(_heading(here, there), _setting(delay * terms.tick_gt, physics)))


def _boustrophedon(radius: int) -> list[Spot]:
    """Return a line to and fro over every other row, its corners at odd places."""
    path: list[Spot] = []
    for row, z in enumerate(range(-radius, radius + 1, 2)):
        xs = list(range(-radius, radius + 1))
        path += [(x, z) for x in (xs if row % 2 == 0 else reversed(xs))]
        path.append((path[-1][0], z + 1))
    del path[-1]
    return path[1:]  # the first place is the button's, so the first corner is at an odd one


def _heading(here: Spot, there: Spot) -> int:
    step = there[0] - here[0], there[1] - here[1]
    return {(1, 0): EAST, (-1, 0): WEST, (0, 1): SOUTH, (0, -1): NORTH}[step]


def _setting(gt: int, physics: Physics) -> int:
    """Return the setting of a repeater that lasts so many game ticks, or nearly."""
    setting = round(gt / physics.repeater_gt)
    if not 1 <= setting <= 4 or abs(setting * physics.repeater_gt - gt) > 1:
        raise InputError("builder", "task", f"{gt} game ticks", "what one repeater can delay")
    return setting


def _equal_delay(plane: Plane, task: CircuitTask, physics: Physics) -> None:
    """D: a repeater at the start of each way from the button, and a lamp under the n-th wire."""
    terms = task.contract
    assert isinstance(terms, Simultaneous)
    far, r = max(terms.distance_buckets), plane.region.radius
    if far > physics.reach + 1:
        raise InputError("builder", "task", far, f"distances up to {physics.reach + 1}")
    lamps: list[Spot] = []
    for d in terms.distance_buckets:
        ring = [
            (x, z)
            for x, z in _diamond(d)
            if abs(x) + abs(z) == d and 2 <= abs(x) <= r and abs(z) <= r
        ]
        ring += [(0, z) for z in (-d, d) if 2 <= d <= r]
        ring += [(x, z) for x in (-1, 1) for z in (1 - d, d - 1) if 2 <= d - 1 <= r]
        _enough(len(ring), terms.lamps_per_bucket)
        lamps += ring[: terms.lamps_per_bucket]
    wires = {spot for lamp in lamps for spot in _elbow(lamp)}
    plane.pedestal((0, 0))
    plane.wire(wires, lamps)
    for (x, z), heading in (((1, 0), EAST), ((-1, 0), WEST), ((0, 1), SOUTH), ((0, -1), NORTH)):
        if (2 * x, 2 * z) in wires:
            plane.put((x, z), repeater(heading))


def _elbow(lamp: Spot) -> list[Spot]:
    """Return the way to a spot from beside the button: along one axis, then along the other."""
    x, z = lamp
    if abs(x) >= 2:
        first = [(_toward(x, i), 0) for i in range(2, abs(x) + 1)]
        return first + [(x, _toward(z, i)) for i in range(1, abs(z) + 1)]
    first = [(0, _toward(z, i)) for i in range(2, abs(z) + 1)]
    return [*first, lamp]


def _toward(value: int, steps: int) -> int:
    return steps if value > 0 else -steps


def _pulse(plane: Plane, task: CircuitTask, physics: Physics) -> None:
    """E: an edge-triggered pulse, or the bare button where it lasts as long as asked for."""
    terms = task.contract
    assert isinstance(terms, Pulse)
    lit = terms.tau * terms.tick_gt
    if abs(physics.button_gt + physics.lamp_off_gt - lit) <= terms.tolerance_gt:
        _simultaneous(plane, task, physics)
        return
    x0, z0 = _monostable(plane, _delay_line(lit, terms.tolerance_gt, physics))
    near = [(x0 + x, z0 + z) for x, z in _diamond(physics.reach) if z > 0]
    lamps = [spot for spot in near if max(map(abs, spot)) <= plane.region.radius][: task.lamps]
    _enough(len(lamps), task.lamps)
    plane.wire(lamps, lamps)


def _delay_line(lit: int, tolerance: int, physics: Physics) -> list[int]:
    """Return the settings of the repeaters that make lamps stay lit for so many game ticks."""
    # The pulse: it begins two torches after the press and ends one torch after the delayed signal.
    tail = physics.lamp_off_gt - physics.torch_gt
    longest = (physics.button_gt + physics.torch_gt) // physics.repeater_gt
    shortest = 2 * physics.torch_gt // physics.repeater_gt + 1  # else the torch is overtaken
    steps = min(
        range(shortest, max(shortest, longest) + 1),
        key=lambda n: abs(n * physics.repeater_gt + tail - lit),
    )
    if abs(steps * physics.repeater_gt + tail - lit) > tolerance:
        raise InputError("builder", "task", f"{lit} game ticks", "what one monostable can make")
    settings = [4] * (steps // 4)
    return settings + ([steps % 4] if steps % 4 else [])


def _monostable(plane: Plane, delays: list[int]) -> Spot:
    """Lay out NOT(NOT in OR delayed in) in the north; return the spot of the torch that puts out."""
    r = plane.region.radius
    z = 1 - r
    plane.pedestal((-5, z))
    # in: a fork, one way into the inverter, one through the delay line two rows further south
    plane.wire([(-4, z), (-4, z + 1), (-4, z + 2), (-3, z)])
    plane.put((-2, z), plane.conductor)
    plane.put((-1, z), torch(WEST))
    for i, delay in enumerate(delays):
        plane.put((-3 + i, z + 2), repeater(EAST, delay))
    # OR: both ways end on one line, which runs straight into the block of the second inverter
    joint = max(0, len(delays) - 2)
    plane.wire([(x, z) for x in range(joint + 1)] + [(joint, z + k) for k in (1, 2, 3)])
    plane.wire([(x, z + 2) for x in range(-3 + len(delays), joint)])
    plane.put((joint, z + 4), plane.conductor)
    plane.put((joint, z + 5), torch(NORTH))
    return joint, z + 5


def _enough(found: int, needed: int) -> None:
    if found < needed:
        raise InputError("builder", "task", f"room for {found} lamps", f"room for {needed}")


_LAYOUTS: dict[str, Callable[[Plane, CircuitTask, Physics], None]] = {
    "A": _simultaneous,
    "B": _branch_reach,
    "C": _sequential,
    "D": _equal_delay,
    "E": _pulse,
}
