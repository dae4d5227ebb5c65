"""Checkers: whether a build keeps a task's contract, as functions of its blocks and its trace.

Every check returns what is wrong, in words that name the lamp and the game tick; nothing wrong is
an empty list. Times are game ticks after the press.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from mirrorcraft.core.ids import strip
from mirrorcraft.tracks.circuits.blocks import Kind, Pos, beside, id_of
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, Pulse, Sequential, Simultaneous
from mirrorcraft.tracks.circuits.trace import Trace, trace
from mirrorcraft.tracks.circuits.wiring import Wiring

DARK_GT = 20
"""Game ticks before the press for which every lamp must be dark."""
Onsets = Mapping[Pos, int | None]
"""Lamp -> the game tick at which it is first lit, None for never."""


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    Attributes:
        problems: what is wrong; nothing when the contract is kept.
        lit: lamps that were lit at some time.
        lamps: lamps there are.
        skew_gt: game ticks from the first lamp to the last, None when none was lit.
    """

    problems: tuple[str, ...]
    lit: int = 0
    lamps: int = 0
    skew_gt: int | None = None

    @property
    def passed(self) -> bool:
        """Whether the contract is kept."""
        return not self.problems

    @property
    def why(self) -> str:
        """The verdict in one line."""
        return "; ".join(self.problems) or "the contract is kept"


def judge(task: CircuitTask, build: Build, physics: Physics | None = None) -> Verdict:
    """Return the verdict on a build: its blocks first, then, if it can be pressed, its trace."""
    physics = physics or Physics()
    problems = blocks_of(task, build)
    if len(build.buttons) != 1:
        return Verdict(tuple(problems), 0, len(build.of(Kind.LAMP)))
    seen = trace(build, physics, ticks=task.window_gt, before=DARK_GT)
    problems += dark_before(seen)
    problems += contract(task, build, seen, physics)
    times = [onset for onset in seen.onsets.values() if onset is not None]
    skew = max(times) - min(times) if times else None
    return Verdict(tuple(problems), seen.lit, len(seen.lamps), skew)


def blocks_of(task: CircuitTask, build: Build) -> list[str]:
    """Return what is wrong with the blocks: their number, their kind, their place."""
    problems = []
    counts = Counter(id_of(block) for block in build.blocks.values())
    wanted = {"stone_button": 1, "redstone_lamp": task.lamps}
    for name, n in wanted.items():
        if counts[name] != n:
            problems.append(f"there are {counts[name]} {name}, expected exactly {n}")
    allowed = {strip(name) for name in task.allowed_blocks}
    allowed |= {"repeater"} if "redstone_repeater" in allowed else set()
    allowed |= {"redstone_wall_torch"} if "redstone_torch" in allowed else set()
    problems += [f"{name} is not in the palette" for name in sorted(counts) if name not in allowed]
    outside = sorted(pos for pos in build.blocks if not task.world.holds(pos))
    if outside:
        problems.append(
            f"{len(outside)} blocks lie outside the region ({task.world}), the first at"
            f" {_at(outside[0])}"
        )
    return problems


def dark_before(seen: Trace) -> list[str]:
    """Return which lamps are lit in the rows before the press."""
    problems = []
    for pos in seen.lamps:
        rows = np.nonzero(seen.states[: seen.press, seen.column[pos]])[0]
        if len(rows):
            when = int(rows[0]) - seen.press
            problems.append(f"lamp {_at(pos)} is lit before the press, at tick {when}")
    return _shortened(problems)


def contract(task: CircuitTask, build: Build, seen: Trace, physics: Physics) -> list[str]:
    """Return what is wrong with a trace, and with the layout where the contract speaks of it."""
    terms = task.contract
    if isinstance(terms, Sequential):
        return sequence(seen.onsets, terms.delays, terms.tick_gt, terms.tolerance_gt)
    if isinstance(terms, Pulse):
        problems = together(seen.onsets, terms.max_skew_gt)
        return problems + pulse(seen.lamps, terms.tau * terms.tick_gt, terms.tolerance_gt)
    problems = together(seen.onsets, terms.max_skew_gt)
    if terms.distance_buckets:
        problems += buckets(build, terms.distance_buckets, terms.lamps_per_bucket)
    if terms.required_reach:
        problems += branch_reach(build, terms, physics)
    return problems


def together(onsets: Onsets, max_skew_gt: int) -> list[str]:
    """Return what keeps lamps from having been switched on together: dark ones, and late ones."""
    problems = _dark(onsets)
    times = {pos: t for pos, t in onsets.items() if t is not None}
    if times and max(times.values()) - min(times.values()) > max_skew_gt:
        first, last = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
        problems.append(
            f"lamp {_at(last)} is lit at tick {times[last]} and lamp {_at(first)} at tick"
            f" {times[first]}, expected at most {max_skew_gt} between them"
        )
    return problems


def sequence(onsets: Onsets, delays: Sequence[int], tick_gt: int, tolerance_gt: int) -> list[str]:
    """Return where the delays from lamp to lamp, in order of lighting up, are off."""
    problems = _dark(onsets)
    if problems:
        return problems
    if len(onsets) != len(delays) + 1:
        return [f"{len(onsets)} lamps, expected {len(delays) + 1} for {len(delays)} delays"]
    order = sorted((t, pos) for pos, t in onsets.items() if t is not None)
    for i, (((t, pos), (later, after)), delay) in enumerate(
        zip(pairwise(order), delays, strict=True), 1
    ):
        if abs(later - t - delay * tick_gt) > tolerance_gt:
            problems.append(
                f"lamp {i + 1} at {_at(after)} is lit {later - t} ticks after lamp {i} at {_at(pos)},"
                f" at tick {later}, expected {delay * tick_gt} ticks (+-{tolerance_gt})"
            )
    return _shortened(problems)


def pulse(lamps: Mapping[Pos, np.ndarray], tau_gt: int, tolerance_gt: int) -> list[str]:
    """Return which lamps are lit not once, not for ``tau_gt`` game ticks, or still at the end."""
    problems = []
    for pos, lit in lamps.items():
        runs = [len(list(run)) for on, run in groupby(lit) if on]
        if len(runs) > 1:
            problems.append(f"lamp {_at(pos)} is lit {len(runs)} times, expected once")
        elif runs and lit[-1]:
            problems.append(f"lamp {_at(pos)} is still lit at tick {len(lit) - 1}, expected dark")
        elif runs and abs(runs[0] - tau_gt) > tolerance_gt:
            problems.append(
                f"lamp {_at(pos)} is lit for {runs[0]} ticks, expected {tau_gt} (+-{tolerance_gt})"
            )
    return _shortened(problems)


def buckets(build: Build, distances: Sequence[int], share: int) -> list[str]:
    """Return which groups of lamps, by wire cells needed from the button's block, are not full."""
    block = beside(build.button, build.blocks[build.button].toward)
    lamps = build.of(Kind.LAMP)
    away = Counter(sum(abs(a - b) for a, b in zip(p, block, strict=True)) - 1 for p in lamps)
    problems = [
        f"{away[d]} lamps are {d} wire cells from the button's block, expected {share}"
        for d in distances
        if away[d] != share
    ]
    return problems


def branch_reach(build: Build, terms: Simultaneous, physics: Physics) -> list[str]:
    """Return what is wrong with trunk and branches: too few junctions, too short, no repeater."""
    wiring, problems = Wiring(build, physics), []
    found = len(wiring.junctions())
    if found < terms.min_t_junctions:
        problems.append(f"{found} T-junctions, expected at least {terms.min_t_junctions}")
    near = wiring.distances()
    reach = max((near.get(lamp, 0) for lamp in build.of(Kind.LAMP)), default=0)
    if reach < terms.required_reach:
        problems.append(
            f"the farthest lamp is {reach} wire cells from the button's block, expected at least"
            f" {terms.required_reach}"
        )
    if terms.repeaters_required and not build.of(Kind.REPEATER):
        problems.append("there is no repeater, expected at least one")
    return problems


def _dark(onsets: Onsets) -> list[str]:
    dark = [pos for pos, t in onsets.items() if t is None]
    if not dark:
        return []
    return [f"{len(dark)} of {len(onsets)} lamps are never lit, the first is {_at(dark[0])}"]


def _shortened(problems: list[str], most: int = 5) -> list[str]:
    more = len(problems) - most
    return problems if more <= 0 else [*problems[:most], f"and {more} more like this"]


def _at(pos: Pos) -> str:
    return f"({', '.join(map(str, pos))})"
