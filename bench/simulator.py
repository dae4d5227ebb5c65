"""The simulator: random rollouts, replay, single steps, worlds."""

import time
from collections.abc import Callable

import numpy as np
from measure import measure, report
from numba import njit

from mirrorcraft.agents import make
from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.data import body
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.sim.batch import Batch
from mirrorcraft.sim.kernels.actions import encode
from mirrorcraft.sim.kernels.inventory import give
from mirrorcraft.sim.kernels.looking import ROW
from mirrorcraft.sim.kernels.rollout import replay
from mirrorcraft.sim.kernels.step import start
from mirrorcraft.sim.layout import ACTION, NONE, STATE, Skill, Station, rows
from mirrorcraft.sim.voxels import generate, open_world

WORLD, TASK, VANILLA = World.load("plains-a"), Task.load("diamond"), Rulebook.vanilla("1.19")


def rate(work: Callable[[], int]) -> float:
    """Units of work per second of this process's own time, on one core."""
    begun = time.process_time()
    done = work()
    return done / (time.process_time() - begun)


def random_play() -> None:
    """4,096 worlds, uniform over executable actions, episodes of 50 actions, resets included."""
    batch = Batch(WORLD, VANILLA, TASK, 4096)
    measure(
        "batch_actions_per_s",
        "actions/s",
        lambda: rate(lambda: batch.play_at_random(50).actions),
        5,
    )
    # The same without the skills that search and dig: what inventory, stations and bookkeeping cost.
    searching = (Skill.MINE, Skill.PREPARE_ACCESS, Skill.EXPLORE, Skill.ATTACK)
    batch.keep(~np.isin(batch.actions["skill"], searching))
    measure(
        "batch_actions_without_search_per_s",
        "actions/s",
        lambda: rate(lambda: batch.play_at_random(50).actions),
        5,
    )


def crafting_replay() -> None:
    """A valid plan of 96 crafts (planks, sticks, a table, wooden pickaxes), over and over from the same state."""
    batch = Batch(WORLD, VANILLA, TASK, 1)
    item = batch.names.item
    log, planks, stick = item["oak_log"], item["oak_planks"], item["stick"]
    table = int(Station.CRAFTING_TABLE)
    round_of_crafts = [
        (NONE, [[log]]),
        (NONE, [[log]]),
        (NONE, [[planks], [planks]]),
        (table, [[planks] * 3, [NONE, stick, NONE], [NONE, stick, NONE]]),
    ]
    grids = round_of_crafts * 24
    actions, cells = rows(len(grids), ACTION), np.full(9, NONE, np.int64)
    for i, (station, grid) in enumerate(grids):
        flat = [c for line in grid for c in line]
        cells[: len(flat)] = flat
        encode(actions, i, int(Skill.CRAFT_GRID), NONE, 1, station, cells, len(grid[0]), len(grid))
    begun, states = rows(1, STATE), rows(1, STATE)
    start(batch.voxels, begun, np.uint64(1), *WORLD.spawn, 100, batch.tables, np.zeros(ROW, np.int64), np.zeros(5, np.int64))  # fmt: skip
    supply(batch.tables, begun, log, 64)
    supply(batch.tables, begun, item["crafting_table"], 1)
    place, just = rows(1, ACTION), rows(1, STATE)
    encode(place, 0, int(Skill.PLACE), item["crafting_table"], 1, NONE, cells, 0, 0)
    replay(batch.tables, batch.voxels, just, place, begun, 1)
    replay(batch.tables, batch.voxels, states, actions, just, 1)
    assert states[0].counts[item["wooden_pickaxe"]] == 24

    def once() -> float:
        times = 5000
        return rate(
            lambda: (
                replay(batch.tables, batch.voxels, states, actions, just, times)
                or times * len(actions)
            )
        )

    measure("crafting_replay_actions_per_s", "actions/s", once)


@njit
def supply(tables, states, item, count):
    give(tables[0], states[0], item, count)


def single_steps() -> None:
    """A planner's episode through the Backend contract, an Observation built at every step."""
    backend, agent = SimBackend(), make("planner")
    spec = EpisodeSpec(WORLD.id, "vanilla", TASK.id, "planner", None, TASK.budget, "disclosed", 0)
    agent.reset(TASK, seed=spec.agent_seed, rules=VANILLA)
    observation, actions = backend.reset(WORLD, VANILLA, TASK, seed=spec.world_seed), []
    while True:
        action = agent.act(observation)
        assert action is not None
        actions.append(action)
        step = backend.step(action)
        observation = step.observation
        if step.ending:
            break

    def play(text: bool) -> int:
        for _ in range(100):
            backend.reset(WORLD, VANILLA, TASK, seed=spec.world_seed)
            for action in actions:
                seen = backend.step(action).observation
                if text:
                    seen.to_json()
        return 100 * len(actions)

    measure("backend_steps_per_s", "steps/s", lambda: rate(lambda: play(False)))
    measure("backend_steps_with_json_per_s", "steps/s", lambda: rate(lambda: play(True)))


def worlds() -> None:
    """Growing a world, opening it from the cache, and what an episode holds beside it."""
    spec, level = BiomeSpec.load(WORLD.biome), body()["experience_level"]

    def seconds(work: Callable[[], object]) -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    measure("world_generate_s", "s", lambda: seconds(lambda: generate(spec, WORLD.seed)), 5)
    measure("world_open_ms", "ms", lambda: 1000 * seconds(lambda: open_world(WORLD)))
    report("episode_memory_kib", "KiB", [STATE.itemsize / 1024])
    batch = Batch(WORLD, VANILLA, TASK, 1)
    out, seen = np.zeros(ROW, np.int64), np.zeros(5, np.int64)

    def reset_once() -> float:
        n = 2000
        took = seconds(lambda: [start(batch.voxels, batch.states, np.uint64(1), *WORLD.spawn, level, batch.tables, out, seen) for _ in range(n)])  # fmt: skip
        return took / n * 1e6

    measure("reset_and_first_look_us", "us", reset_once)


if __name__ == "__main__":
    random_play()
    crafting_replay()
    single_steps()
    worlds()
