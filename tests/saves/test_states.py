"""Block states: those of the game, and those that follow from a block's neighbours."""

import json
from functools import cache
from pathlib import Path

import numpy as np
from npm import node
from oracle import oracle

from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.saves.states import block_entities, standing, states_of
from mirrorcraft.sim.blocks import HEIGHT, SIDE
from mirrorcraft.sim.voxels import open_world

NPM = Path(__file__).resolve().parents[1] / "anvil"
BLOCKS = list(Rulebook.vanilla("1.19").blocks)
SHAPE = (SIDE, SIDE, HEIGHT)


@cache
def world() -> np.record:
    return open_world(World.load("snowy_plains-a"))


def test_every_state_has_just_the_properties_and_values_of_the_game():
    known = oracle("registries_119.json")["block_states"]
    assert len(known) == len(standing())
    for state in standing():
        values = known[f"minecraft:{state.block}"]
        assert set(state.properties) == set(values), state.block
        assert all(v in values[k] for k, v in state.properties.items()), state.block
    kinds = oracle("registries_119.json")["registry"]["block_entity_type"]
    assert {f"minecraft:{kind}" for kind in block_entities().values()} == set(kinds)
    assert set(block_entities()) <= set(BLOCKS)


def test_blocks_stand_in_the_states_that_another_program_calls_default():
    defaults = json.loads(node(NPM / "defaults.js"))
    ours = {state.block: dict(state.properties) for state in standing()}
    assert {b for b in ours if ours[b] != defaults[b]} == {"sweet_berry_bush"}  # grown ripe


def test_leaves_tell_their_distance_from_the_nearest_trunk():
    numbers, states = states_of(world().blocks)
    blocks, numbers = world().blocks.reshape(SHAPE), numbers.reshape(SHAPE)
    leaves = np.argwhere(blocks == BLOCKS.index("spruce_leaves"))[::20]
    found = {str(walked(blocks, tuple(cell))) for cell in leaves.tolist()}
    assert found >= {"1", "2", "3"}
    for cell in map(tuple, leaves.tolist()):
        assert states[numbers[cell]].properties["distance"] == str(walked(blocks, cell))


def walked(blocks: np.ndarray, cell: tuple[int, ...]) -> int:
    """Steps through leaves to the nearest log, 7 at most, by plain search."""
    seen, edge = {cell}, [cell]
    for distance in range(1, 7):
        step = []
        for at in edge:
            for axis, by in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)):
                near = (*at[:axis], at[axis] + by, *at[axis + 1 :])
                if near in seen or not all(0 <= v < n for v, n in zip(near, SHAPE, strict=True)):
                    continue
                if BLOCKS[blocks[near]].endswith("_log"):
                    return distance
                if BLOCKS[blocks[near]].endswith("_leaves"):
                    seen.add(near)
                    step.append(near)
        edge = step
    return 7


def test_grass_is_snowy_just_below_snow():
    numbers, states = states_of(world().blocks)
    texts, cells = [str(state) for state in states], numbers.reshape(SHAPE)
    above = {
        yes: np.unique(cells[..., 1:][cells[..., :-1] == texts.index(f"grass_block[snowy={yes}]")])
        for yes in ("true", "false")
    }
    assert [texts[n] for n in above["true"]] == ["snow[layers=1]"]
    assert len(above["false"]) > 1
    assert not any(texts[n].startswith("snow") for n in above["false"])


def test_plants_of_two_blocks_stand_lower_half_first_and_restart_at_the_bottom_of_a_column():
    blocks = np.full(SHAPE, BLOCKS.index("air"), np.uint16)
    fern = BLOCKS.index("large_fern")
    blocks[5, 7, -1] = blocks[5, 8, :2] = blocks[9, 9, 50:54] = blocks[9, 9, 60] = fern
    numbers, states = states_of(blocks.reshape(-1))
    cells = numbers.reshape(SHAPE)
    half = {c: states[cells[c]].properties["half"] for c in map(tuple, np.argwhere(blocks == fern))}
    assert half == {
        (5, 7, 191): "lower", (5, 8, 0): "lower", (5, 8, 1): "upper", (9, 9, 50): "lower",
        (9, 9, 51): "upper", (9, 9, 52): "lower", (9, 9, 53): "upper", (9, 9, 60): "lower",
    }  # fmt: skip
