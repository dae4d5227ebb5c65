"""Every single change of every reference build: it breaks the contract, or it is listed here with why not."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from tracks.circuits import naive_redstone

from mirrorcraft.core.rng import below, seed_from
from mirrorcraft.tracks.circuits import check, tasks
from mirrorcraft.tracks.circuits.blocks import AIR, SIDES, Kind
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import Trace, trace

ALL = tasks.names()
SPARE = "spare"
"""No lamp notices: another wire does the same. With dust goes the carrier under it, and the reverse."""
LATER = "later"
"""All lamps are as much later, or earlier: the contract says nothing of when the first one lights up."""
LONGER = "longer"
"""All lamps light up when they did; some go dark at another tick, which the contract does not ask about."""
# Task -> (change, why it is harmless) -> how many. What is not listed breaks the contract, all of it.
HARMLESS = {
    "A_L2": {("removed", SPARE): 5},
    "A_L3": {("removed", SPARE): 13},
    "A_L4": {("removed", SPARE): 29},
    "A_L5": {("removed", SPARE): 60},
    "B_L4": {("removed", SPARE): 4, ("retimed", LATER): 3},
    "B_L5": {("removed", SPARE): 8, ("retimed", LATER): 3},
    "D_L1": {("retimed", LATER): 3},
    "D_L2": {("retimed", LATER): 3},
    "D_L3": {("removed", SPARE): 18, ("retimed", LATER): 3},
    "D_L4": {("removed", SPARE): 84},
    "D_L5": {
        ("removed", SPARE): 282,
        ("turned", SPARE): 6,
        ("turned", LONGER): 3,
        ("retimed", LONGER): 9,
    },
    "E_L1": {("removed", SPARE): 3},
    "E_L2": {("removed", SPARE): 5},
    "E_L3": {("removed", SPARE): 12},
    "E_L4": {("removed", SPARE): 28},
    "E_L5": {("removed", SPARE): 60},
}


@cache
def reference(name):
    task = CircuitTask.load(name)
    return task, solve(task)


def changes(build):
    """Each block removed, each repeater turned to each other side, each delay set to each other value."""
    for pos in build.blocks:
        yield "removed", build.changed(pos, AIR)
    for pos in build.of(Kind.REPEATER):
        block = build.blocks[pos]
        for side in SIDES:
            if side != block.toward:
                yield "turned", build.changed(pos, block._replace(toward=side))
        for delay in range(1, 5):
            if delay != block.delay:
                yield "retimed", build.changed(pos, block._replace(delay=delay))


@cache
def undisturbed(name):
    task, build = reference(name)
    return trace(build, ticks=task.window_gt)


def why_harmless(task, changed):
    """Why a changed build still keeps its contract, from the lamps alone; fails if nothing explains it."""
    before, after = undisturbed(task.task_id), trace(changed, ticks=task.window_gt)
    assert before.lamps.keys() == after.lamps.keys()
    if all(np.array_equal(after.lamps[pos], row) for pos, row in before.lamps.items()):
        return SPARE
    shifts = {(onset or 0) - (before.onsets[pos] or 0) for pos, onset in after.onsets.items()}
    assert len(shifts) == 1
    return LATER if shifts != {0} else LONGER


@pytest.mark.parametrize("name", ALL)
def test_every_change_breaks_the_contract_or_is_listed_as_harmless(name):
    task, build = reference(name)
    harmless, broken = Counter(), 0
    for kind, changed in changes(build):
        if check.judge(task, changed).passed:
            harmless[kind, why_harmless(task, changed)] += 1
        else:
            broken += 1
    assert harmless == HARMLESS.get(name, {})
    gates = len(build.of(Kind.REPEATER))
    assert broken + harmless.total() == len(build.blocks) + 6 * gates


def twin_verdict(task, build):
    """The verdict from the trace of the plain twin, in which nothing of the engine is left."""
    rows = naive_redstone.run(build, ticks=task.window_gt)
    blocks = tuple(build.blocks[pos] for pos in rows)
    seen = Trace(tuple(rows), blocks, np.array(list(rows.values())).T.astype(np.uint8), 0, 0)
    return not (check.blocks_of(task, build) + check.contract(task, build, seen, Physics()))


def sample(name, most):
    """Some changes of a reference, of each kind, that can be pressed and are dark before."""
    task, build = reference(name)
    by_kind = {}
    for kind, changed in changes(build):
        by_kind.setdefault(kind, []).append(changed)
    for kind, found in by_kind.items():
        for n in range(most):
            changed = found[below(len(found), seed_from("perturb", name, kind), n, 0)]
            if len(changed.buttons) == 1 and not check.dark_before(trace(changed, before=20)):
                yield task, changed


@pytest.mark.parametrize("name", [n for n in ALL if n[-1] in "123"])
def test_the_plain_twin_gives_the_same_verdict_on_changed_references(name):
    for task, changed in sample(name, 2):
        assert check.judge(task, changed).passed == twin_verdict(task, changed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_plain_twin_gives_the_same_verdict_on_many_changed_references(name):
    for task, changed in sample(name, 8):
        assert check.judge(task, changed).passed == twin_verdict(task, changed)
