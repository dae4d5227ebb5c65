"""Conformance of the engine with the real game: builds played in both, every component at every game tick."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from mirrorcraft.tracks.circuits.blocks import Pos, id_of
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.game import Game
from mirrorcraft.tracks.circuits.game_pack import rested
from mirrorcraft.tracks.circuits.trace import trace


class Difference(NamedTuple):
    """Where game and engine part: in a build, at a component, from a game tick on (-1: at rest)."""

    build: str
    pos: Pos
    block: str
    tick: int
    game: int
    engine: int


def differences(name: str, build: Build, recorded: np.ndarray) -> list[Difference]:
    """Return for each component of a build the first tick at which the game has another state.

    Args:
        name: how the build is called.
        build: the build, at rest.
        recorded: what ``Game.record`` returned.
    """
    seen = trace(build, before=1)
    found = []
    for i, (pos, block) in enumerate(zip(seen.cells, seen.blocks, strict=True)):
        ticks = np.nonzero(seen.states[:, i] != recorded[:, i])[0]
        if len(ticks):
            t = int(ticks[0])
            pair = int(recorded[t, i]), int(seen.states[t, i])
            found.append(Difference(name, pos, id_of(block), t - 1, *pair))
    return found


def conform(
    builds: Mapping[str, Build],
    opened: Callable[[Sequence[Build]], AbstractContextManager[Game]],
    told: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Play builds in the game and compare every component at every game tick with the engine.

    Args:
        builds: name -> build.
        opened: opens a game for builds, such as ``open_game`` with a server.
        told: called with a line for each build.

    Returns:
        ``builds``, ``agree``, ``differences`` and ``skipped`` (builds that never come to rest), JSON-ready.
    """
    still = {name: rest for name, build in builds.items() if (rest := rested(build))}
    skipped = [name for name in builds if name not in still]
    found: dict[str, list[Difference]] = {}
    with opened(list(still.values())) as game:
        for n, (name, build) in enumerate(still.items()):
            found[name] = differences(name, build, game.record(n))
            told(
                f"{name}: {len(found[name])} components differ" if found[name] else f"{name}: same"
            )
    return {
        "builds": len(builds),
        "agree": sum(not listed for listed in found.values()),
        "differences": [d._asdict() for listed in found.values() for d in listed],
        "skipped": skipped,
    }
