"""Builds run in mc-tick, the per-game-tick engine of the npm package nucleation; skips without node."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from npm import node

from mirrorcraft.tracks.circuits.blocks import (
    DIRECTIONS,
    SIDES,
    Block,
    Kind,
    Pos,
    id_of,
    properties,
)
from mirrorcraft.tracks.circuits.build import Build, box
from mirrorcraft.tracks.circuits.physics import Physics
from mirrorcraft.tracks.circuits.trace import trace
from mirrorcraft.tracks.circuits.wiring import Wiring

SCRIPT = Path(__file__).parent / "nucleation" / "run.mjs"


class Answer(NamedTuple):
    """States by cell from the press on, and the milliseconds that the ticks took."""

    states: dict[Pos, list[int]]
    ms: float


def mctick(builds: list[Build], folder: Path) -> list[Answer]:
    """What the engine makes of builds at rest, a hundred in a process: it slows down with more."""
    found = []
    for start in range(0, len(builds), 100):
        part = builds[start : start + 100]
        (folder / "builds.json").write_text(json.dumps([_described(build) for build in part]))
        answers = json.loads(node(SCRIPT, folder / "builds.json"))
        for build, answer in zip(part, answers, strict=True):
            low = _corner(build)
            cells = [(x + low[0], y + low[1], z + low[2]) for x, y, z in answer["probes"]]
            columns = zip(*answer["rows"], strict=True)
            states = dict(zip(cells, map(list, columns), strict=True))
            found.append(Answer(states, answer["ms"]))
    return found


def _corner(build: Build) -> Pos:
    low, _ = box(build.blocks)
    return low[0] - 1, low[1] - 1, low[2] - 1


def _described(build: Build) -> dict[str, Any]:
    low, (_, high) = _corner(build), box(build.blocks)
    wiring, levels = Wiring(build, Physics()), trace(build, ticks=0, press=False).of(Kind.DUST)
    cells = []
    for x in range(low[0], high[0] + 2):
        for z in range(low[2], high[2] + 2):
            for y in range(low[1], high[1] + 1):
                pos = (x, y, z)
                state = "minecraft:stone" if build.floor and build.floor.holds(pos) else None
                if pos in build.blocks:
                    level = int(levels[pos][0]) if pos in levels else 0
                    state = _state(build.blocks[pos], pos, wiring, level)
                if state:
                    cells.append([x - low[0], y - low[1], z - low[2], state])
    size = [b - a + 2 for a, b in zip(low, high, strict=True)]
    button = [b - a for a, b in zip(low, build.button, strict=True)]
    return {"size": size, "cells": cells, "button": button, "ticks": build.ticks}


def _state(block: Block, pos: Pos, wiring: Wiring, level: int) -> str:
    found = properties(block)
    if block.kind == Kind.DUST:
        found = {**wiring.properties(pos), "power": str(level)}
    if block.kind == Kind.REPEATER:
        found["locked"] = "true" if _locked(block, pos, wiring.build) else "false"
    listed = ",".join(f"{k}={v}" for k, v in sorted(found.items()))
    return f"minecraft:{id_of(block)}" + (f"[{listed}]" if listed else "")


def _locked(block: Block, pos: Pos, build: Build) -> bool:
    for d in SIDES:
        step = {"north": (0, -1), "south": (0, 1), "west": (-1, 0), "east": (1, 0)}[DIRECTIONS[d]]
        side = build.blocks.get((pos[0] + step[0], pos[1], pos[2] + step[1]))
        across = d >> 1 != block.toward >> 1
        if across and side and side.kind == Kind.REPEATER and side.toward == d and side.on:
            return True
    return False
