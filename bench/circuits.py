"""The redstone engine: trials, random circuits, and the same circuits in mc-tick where node is."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure import measure, report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tracks.circuits.nucleation_engine import mctick
from tracks.circuits.random_builds import random_build

from mirrorcraft.sim.redstone.engine import run
from mirrorcraft.sim.redstone.grid import Grid
from mirrorcraft.sim.redstone.state import Times
from mirrorcraft.tracks.circuits import protocol
from mirrorcraft.tracks.circuits.agents import AGENTS
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.game_pack import rested
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask, names
from mirrorcraft.tracks.circuits.trace import grid_of, index_of, times_of, trace


def milliseconds(work: Callable[[], object]) -> float:
    """What a call takes of this process's own time."""
    begun = time.process_time()
    work()
    return 1000 * (time.process_time() - begun)


def trials() -> None:
    """A 60-tick trial of each family's build of 64 lamps, from blocks to trace."""
    for family in "ABCDE":
        build = solve(CircuitTask.load(f"{family}_L5"))
        measure(
            f"trial_{family}_L5", "ms", lambda b=build: milliseconds(lambda: trace(b, ticks=60))
        )


def random_circuits() -> None:
    """A thousand random circuits, 9 by 9, for 60 ticks, from blocks to trace."""
    builds = [random_build(n) for n in range(1000)]
    measure(
        "random_circuits_1000", "ms", lambda: milliseconds(lambda: [trace(b) for b in builds]), 3
    )


def side_by_side() -> None:
    """The 60 ticks of 200 random circuits in both engines, loading left out in both; processor time."""
    builds = [build for n in range(210) if (build := rested(random_build(n)))][:200]
    made = [prepared(build) for build in builds]

    def runs(ticks: int) -> float:
        return milliseconds(lambda: [run(g, t, b, 0, 0, ticks) for g, t, b in made])

    def ours() -> float:
        return runs(60) - runs(0)

    measure("ticks_here_200", "ms", ours)
    with tempfile.TemporaryDirectory() as folder:
        theirs = [sum(a.ms for a in mctick(builds, Path(folder))) for _ in range(3)]
    report("ticks_mctick_200", "ms", theirs)
    report("times_faster_than_mctick", "x", [t / ours() for t in theirs])


def prepared(build: Build) -> tuple[Grid, Times, int]:
    """A build as the kernel takes it."""
    grid, corner, size = grid_of(build, Physics())
    return grid, times_of(Physics()), index_of(build.button, corner, size)


def whole_protocol() -> None:
    """8 runs of 25 tasks under 4 conditions with the four agents that need no model."""
    tasks = [CircuitTask.load(name) for name in names()]
    cases = list(protocol.CONDITIONS.values())[:4]

    def once() -> float:
        begun = time.process_time()
        for name, make in AGENTS.items():
            for _ in protocol.play(name, make, tasks, cases):
                pass
        return time.process_time() - begun

    report("protocol_all_agents", "s", [once()])


if __name__ == "__main__":
    trials()
    random_circuits()
    side_by_side()
    whole_protocol()
