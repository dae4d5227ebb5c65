"""The compiled engine beside its plain twin."""

import numpy as np
from tracks.circuits.naive_redstone import run

from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.trace import trace


def differs_from_twin(build: Build, physics: Physics | None = None) -> bool:
    """Whether the compiled engine gives any component another state at any tick."""
    seen, twin = trace(build, physics), run(build, physics)
    assert list(twin) == list(seen.cells)
    return not np.array_equal(np.array(list(twin.values())).T, seen.states)
