"""Redstone once more, as plain as can be: a dict of cells and the rules asked anew at every turn."""

from collections import defaultdict

from mirrorcraft.tracks.circuits.blocks import DOWN, SIDES, SOLID, UP, Kind, Pos, beside
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.physics import Physics

READERS = (Kind.LAMP, Kind.REPEATER, Kind.TORCH)
NAMES = {Kind.STONE: "stone", Kind.GLASS: "glass", Kind.LAMP: "redstone_lamp"}


class Naive:
    """One build that can be settled, pressed and ticked."""

    def __init__(self, build: Build, physics: Physics | None = None):
        self.rules = physics or Physics()
        self.blocks, self.floor = dict(build.blocks), build.floor
        self.on = {pos: block.on for pos, block in self.blocks.items()}
        self.now, self.asked = 0, 0
        self.waiting: dict[Pos, tuple[int, int, int]] = {}  # cell -> due, priority, sequence
        self.batch: list[Pos] = []
        self.switch_offs: dict[Pos, list[int]] = defaultdict(list)
        self.sides = {p: self.shape(p) for p in self.blocks if self.kind(p) == Kind.DUST}
        self.level = self.levels()
        for pos in sorted(self.blocks):
            self.react(pos)

    # What stands where.

    def kind(self, pos: Pos) -> Kind:
        if pos in self.blocks:
            return self.blocks[pos].kind
        return Kind.STONE if self.floor and self.floor.holds(pos) else Kind.AIR

    def conducts(self, pos: Pos) -> bool:
        return NAMES.get(self.kind(pos)) in self.rules.conductors

    def faces(self, pos: Pos, kind: Kind, target: Pos) -> bool:
        """Whether a button or torch at pos hangs on target, or a repeater there puts out into it."""
        if self.kind(pos) != kind:
            return False
        toward = self.blocks[pos].toward
        return beside(pos, toward ^ 1 if kind == Kind.REPEATER else toward) == target

    # Dust.

    def shape(self, pos: Pos) -> set[int]:
        found = {d for d in SIDES if self.joins(pos, d)}
        if not found:
            return set() if self.blocks[pos].dot else set(SIDES)
        if not found & {2, 3}:
            found |= {4, 5}
        if not found & {4, 5}:
            found |= {2, 3}
        return found

    def joins(self, pos: Pos, d: int) -> bool:
        q = beside(pos, d)
        climbs = self.kind(beside(q, UP)) == Kind.DUST and self.kind(q) in SOLID
        if climbs and not self.conducts(beside(pos, UP)):
            return True
        if self.kind(q) in (Kind.DUST, Kind.TORCH, Kind.BUTTON):
            return True
        if self.kind(q) == Kind.REPEATER and self.blocks[q].toward in (d, d ^ 1):
            return True
        return not self.conducts(q) and self.kind(beside(q, DOWN)) == Kind.DUST

    def levels(self) -> dict[Pos, int]:
        level = {pos: 15 if self.charged(pos) else 0 for pos in self.sides}
        while True:
            new = {
                pos: max(level[pos], self.inflow(pos, level) - self.rules.dust_decay)
                for pos in level
            }
            if new == level:
                return level
            level = new

    def charged(self, pos: Pos) -> bool:
        emitting = any(self.emits(beside(pos, d), pos) for d in range(6))
        return emitting or any(self.strong(beside(pos, d)) for d in range(6))

    def inflow(self, pos: Pos, level: dict[Pos, int]) -> int:
        best = 0
        for d in SIDES:
            q = beside(pos, d)
            best = max(best, level.get(q, 0))
            if self.conducts(q) and not self.conducts(beside(pos, UP)):
                best = max(best, level.get(beside(q, UP), 0))
            if not self.conducts(q):
                best = max(best, level.get(beside(q, DOWN), 0))
        return best

    # Power.

    def emits(self, source: Pos, target: Pos) -> bool:
        """Whether an active button, torch or repeater gives power right into a cell."""
        if not self.on.get(source):
            return False
        kind = self.kind(source)
        if kind == Kind.TORCH:
            return not self.faces(source, Kind.TORCH, target)
        return kind == Kind.BUTTON or self.faces(source, Kind.REPEATER, target)

    def strong(self, block: Pos) -> bool:
        if not self.conducts(block):
            return False
        around = [beside(block, d) for d in range(6)]
        if any(
            self.on.get(q)
            and (self.faces(q, Kind.BUTTON, block) or self.faces(q, Kind.REPEATER, block))
            for q in around
        ):
            return True
        below = beside(block, DOWN)
        return self.kind(below) == Kind.TORCH and self.on[below]

    def dust_into(self, target: Pos) -> bool:
        above = beside(target, UP)
        if self.level.get(above, 0):
            return True
        return any(
            self.level.get(q, 0) and d ^ 1 in self.sides[q]
            for d in SIDES
            for q in [beside(target, d)]
        )

    def active(self, block: Pos) -> bool:
        return self.conducts(block) and (self.strong(block) or self.dust_into(block))

    def powered(self, pos: Pos) -> bool:
        block = self.blocks[pos]
        if block.kind == Kind.LAMP:
            around = [beside(pos, d) for d in range(6)]
            return self.dust_into(pos) or any(self.emits(q, pos) or self.active(q) for q in around)
        back = beside(pos, block.toward)
        if block.kind == Kind.TORCH:
            return self.active(back)
        return self.level.get(back, 0) > 0 or self.emits(back, pos) or self.active(back)

    def locked(self, pos: Pos) -> bool:
        axis = self.blocks[pos].toward >> 1
        sides = [beside(pos, d) for d in SIDES if d >> 1 != axis]
        return any(self.on.get(q) and self.faces(q, Kind.REPEATER, pos) for q in sides)

    def view(self, pos: Pos) -> tuple[object, ...]:
        """All that a reader could notice: the state of everything within two cells of it."""
        return tuple(
            (q, self.level.get(q), self.on.get(q) if self.kind(q) != Kind.LAMP else None)
            for q in self.read_by(pos)
        )

    def read_by(self, pos: Pos) -> list[Pos]:
        """The cells whose components power a reader, or lock it, when they are active."""
        block, found = self.blocks[pos], []
        cells = [beside(pos, d) for d in range(6)]
        if block.kind != Kind.LAMP:
            cells = [beside(pos, block.toward)]
        for q in cells:
            found.append(q) if self.gives(q, pos, block.kind) else None
            if self.conducts(q):
                found += [r for d in range(6) for r in [beside(q, d)] if self.gives_block(r, q)]
        if block.kind == Kind.REPEATER:
            axis = block.toward >> 1
            sides = [beside(pos, d) for d in SIDES if d >> 1 != axis]
            found += [q for q in sides if self.faces(q, Kind.REPEATER, pos)]
        return found

    def gives(self, q: Pos, pos: Pos, reader: Kind) -> bool:
        if reader == Kind.TORCH:
            return False
        match self.kind(q):
            case Kind.DUST:
                return reader == Kind.REPEATER or self.gives_block(q, pos)
            case Kind.BUTTON:
                return True
            case Kind.TORCH:
                return not self.faces(q, Kind.TORCH, pos)
            case Kind.REPEATER:
                return self.faces(q, Kind.REPEATER, pos)
        return False

    def gives_block(self, q: Pos, block: Pos) -> bool:
        match self.kind(q):
            case Kind.DUST:
                return beside(block, UP) == q or any(beside(q, d) == block for d in self.sides[q])
            case Kind.TORCH:
                return beside(q, UP) == block
            case Kind.BUTTON:
                return self.faces(q, Kind.BUTTON, block)
        return self.faces(q, Kind.REPEATER, block)

    # Time.

    def ask(self, pos: Pos, delay: int, priority: int) -> None:
        if pos not in self.waiting and pos not in self.batch:
            self.waiting[pos] = self.now + delay, priority, self.asked
            self.asked += 1

    def priority(self, pos: Pos) -> int:
        travels = self.blocks[pos].toward ^ 1
        front = beside(pos, travels)
        if self.kind(front) == Kind.REPEATER and self.blocks[front].toward != travels:
            return -3
        return -2 if self.on[pos] else -1

    def react(self, pos: Pos) -> None:
        block = self.blocks[pos]
        if block.kind not in READERS:
            return
        power, on = self.powered(pos), self.on[pos]
        if block.kind == Kind.LAMP and power:
            self.on[pos] = True
        elif block.kind == Kind.LAMP and on:
            self.ask(pos, self.rules.lamp_off_gt, 0)
        elif block.kind == Kind.TORCH and power == on:
            self.ask(pos, self.rules.torch_gt, 0)
        elif block.kind == Kind.REPEATER and power != on and not self.locked(pos):
            self.ask(pos, block.delay * self.rules.repeater_gt, self.priority(pos))

    def switch(self, pos: Pos, value: bool) -> None:
        readers = [p for p in sorted(self.blocks) if self.kind(p) in READERS]
        before = {p: self.view(p) for p in readers}
        self.on[pos] = value
        self.level = self.levels()
        for p in readers:
            if self.view(p) != before[p]:
                self.react(p)

    def run_tick(self, pos: Pos) -> None:
        block = self.blocks[pos]
        power = self.powered(pos) if block.kind in READERS else False
        if block.kind == Kind.LAMP:
            self.on[pos] = power
        elif block.kind == Kind.BUTTON:
            self.switch(pos, False)
        elif block.kind == Kind.TORCH:
            self.torch_tick(pos, power)
        elif not self.locked(pos):
            if self.on[pos] and not power:
                self.switch(pos, False)
            elif not self.on[pos]:
                self.switch(pos, True)
                if not power:
                    self.ask(pos, block.delay * self.rules.repeater_gt, -2)

    def torch_tick(self, pos: Pos, power: bool) -> None:
        recent = [t for t in self.switch_offs[pos] if t >= self.now - self.rules.burnout_gt]
        if self.on[pos] and power:
            self.switch_offs[pos].append(self.now)
            self.switch(pos, False)
        elif not self.on[pos] and not power and len(recent) < self.rules.burnout_offs:
            self.switch(pos, True)

    def game_tick(self) -> None:
        self.now += 1
        due = [(w[1:], pos) for pos, w in self.waiting.items() if w[0] == self.now]
        self.batch = [pos for _, pos in sorted(due)]
        for pos in self.batch:
            del self.waiting[pos]
        while self.batch:
            self.run_tick(self.batch.pop(0))

    def press(self, pos: Pos) -> None:
        if not self.on[pos]:
            self.ask(pos, self.rules.button_gt, 0)
            self.switch(pos, True)


class LockedFirst(Naive):
    """With a known fault of mc-tick: a repeater that locks another has no right of way."""

    def priority(self, pos: Pos) -> int:
        return -2 if self.on[pos] else -1


class DeafTorches(Naive):
    """With the other: a torch that powers itself by its own switch is not asked for again."""

    switching: Pos | None = None

    def torch_tick(self, pos: Pos, power: bool) -> None:
        self.switching = pos
        super().torch_tick(pos, power)
        self.switching = None

    def ask(self, pos: Pos, delay: int, priority: int) -> None:
        if pos != self.switching:
            super().ask(pos, delay, priority)


class BothFaults(DeafTorches, LockedFirst):
    """With both."""


def run(
    build: Build,
    physics: Physics | None = None,
    ticks: int | None = None,
    settle: int = 200,
    rules: type[Naive] = Naive,
) -> dict[Pos, list[int]]:
    """Cell -> its states from the press on: the level of dust, 0 or 1 for the rest."""
    world = rules(build, physics)
    for _ in range(settle):
        if not world.waiting:
            break
        world.game_tick()
    world.press(build.button)
    parts = sorted(p for p in build.blocks if world.kind(p) not in (Kind.STONE, Kind.GLASS))
    states: dict[Pos, list[int]] = {pos: [] for pos in parts}
    for _ in range((build.ticks if ticks is None else ticks) + 1):
        for pos in parts:
            value = world.level[pos] if pos in world.level else int(world.on[pos])
            locked = world.kind(pos) == Kind.REPEATER and world.locked(pos)
            states[pos].append(value + 2 * locked)
        world.game_tick()
    return states
