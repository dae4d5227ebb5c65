"""Compiling the engine and growing worlds once, before several processes would each do it for themselves."""

from collections.abc import Iterable
from multiprocessing import get_context

import numpy as np

import mirrorcraft.sim as sim
from mirrorcraft.core.world import World
from mirrorcraft.sim.kernels.looking import ROW
from mirrorcraft.sim.kernels.step import act, start
from mirrorcraft.sim.layout import ACTION, NONE, STATE, TABLES, VOXELS, Skill, one_row, rows
from mirrorcraft.sim.voxels import open_world


def prepare(worlds: Iterable[World]) -> None:
    """Leave compiled code and these worlds in the cache; at once when they are there already.

    The engine is compiled in a process of its own while the worlds grow here: on an empty cache that is about as long
    as the compiler alone takes.
    """
    mark = sim.CACHE_DIR / f"compiled-{sim.source_digest()}"
    compiler = None
    if not mark.exists():
        compiler = get_context("spawn").Process(target=compile_engine)
        compiler.start()
    for world in worlds:
        open_world(world)
    if compiler is not None:
        compiler.join()
        if compiler.exitcode == 0:
            mark.touch()


def compile_engine() -> None:
    """Call the compiled entry points once, in an empty world under no rules."""
    voxels, tables = one_row(rows(1, VOXELS)[0]), one_row(rows(1, TABLES)[0])
    states, actions = rows(1, STATE), rows(1, ACTION)
    out, seen, cells = np.zeros(ROW, np.int64), np.zeros(5, np.int64), np.zeros(9, np.int64)
    start(voxels, states, np.uint64(0), 0, 64, 0, 0, tables, out, seen)
    act(
        tables,
        voxels,
        states,
        actions,
        out,
        seen,
        int(Skill.WAIT),
        int(NONE),
        1,
        int(NONE),
        cells,
        0,
        0,
    )
