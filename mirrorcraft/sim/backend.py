"""The simulator behind the Backend contract: actions in, observations and audit out."""

from functools import lru_cache
from typing import Any

import numpy as np

from mirrorcraft.core.action import (
    ENCHANT_OPTIONS,
    LOG,
    SKILLS,
    Action,
    Checked,
    Refusal,
    check,
)
from mirrorcraft.core.backend import Audit, Step
from mirrorcraft.core.data import body
from mirrorcraft.core.encounters import Encounters
from mirrorcraft.core.errors import EpisodeOver
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Outcome
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.kernels.looking import ROW
from mirrorcraft.sim.kernels.step import act, start
from mirrorcraft.sim.layout import ACTION, NONE, STATE, Skill, Station, one_row, rows
from mirrorcraft.sim.layout import LOG as ANY_TRUNK
from mirrorcraft.sim.observe import (
    REASONS,
    WORN_SLOTS,
    Names,
    Reading,
    detail_of,
    events_of,
    result_of,
)
from mirrorcraft.sim.tables import compile_tables
from mirrorcraft.sim.voxels import open_world

SKILL = {name: int(Skill[name.upper()]) for name in SKILLS}
STATION = {"inventory": NONE, **{s.name.lower(): int(s) for s in Station}}
AN_ENTITY = 0  # in the place of a station: the target to explore for is a living entity


@lru_cache(maxsize=16)
def _voxels(world: World) -> np.ndarray:
    return one_row(open_world(world))


@lru_cache(maxsize=64)
def _tables(rules: Rulebook) -> np.ndarray:
    return one_row(compile_tables(rules))


@lru_cache(maxsize=64)
def _encounters(rules: Rulebook) -> Encounters:
    return Encounters(Rulebook.vanilla(rules.version), rules)


@lru_cache(maxsize=4)
def _names(version: str) -> Names:
    return Names(Rulebook.vanilla(version))


class SimBackend:
    """One simulated world at a time. Observations share their unchanged parts: treat them as read-only."""

    def __init__(self) -> None:
        self._actions = rows(1, ACTION)
        self._out, self._seen, self._cells = (
            np.zeros(ROW, np.int64),
            np.zeros(5, np.int64),
            np.zeros(9, np.int64),
        )
        self._over = True

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        self._states = rows(
            1, STATE
        )  # a new one, so that snapshots hold nothing of another episode
        self._rules, self._task, self._biome = rules, task, world.biome
        self._voxels, self._tables = _voxels(world), _tables(rules)
        self._encounters, self._names = _encounters(rules), _names(rules.version)
        self._over, self._done, self._tick, self._targets = False, set(), 0, {}
        self._describe_task()
        level = body()["experience_level"]
        n = start(
            self._voxels,
            self._states,
            np.uint64(seed),
            *world.spawn,
            level,
            self._tables,
            self._out,
            self._seen,
        )
        return self._observe(self._reading(n), None)

    def step(self, action: Action) -> Step:
        if self._over:
            raise EpisodeOver("the episode is over; call reset before the next step")
        checked = check(action, self._rules)
        if isinstance(checked, Refusal):
            return self._refuse(action, checked)
        r = self._act(*self._encode(checked))
        result = result_of(checked, r, self._names)
        reason = REASONS[r.code]
        if reason is not None and (detail := detail_of(checked, r, self._names, self._rules)):
            result["detail"] = detail
        outcome = Outcome(
            reason is None or r.number > 0, reason, result, r.delta, r.tick - self._tick
        )
        self._tick = r.tick
        met: dict[str, None] = {}
        if self._rules.changes:
            for event in events_of(checked, r, self._names):
                met.update(dict.fromkeys(self._encounters.of(event)))
        gained = self._gain(r.gained) if r.gained else ()
        args = checked.args
        if "grid" in args:  # as JSON has it
            args = {**args, "grid": [list(row) for row in args["grid"]]}
        return self._finish(r, checked.skill, args, outcome, Audit(gained, tuple(met)))

    def close(self) -> None:
        self._over = True

    def snapshot(self) -> bytes:
        """Return the whole state as bytes: equal states, equal bytes."""
        return self._states.tobytes()

    # ---- inside

    def _refuse(self, action: Any, refusal: Refusal) -> Step:
        """An action that cannot be tried costs one unit of budget and changes nothing."""
        outcome = Outcome(False, refusal.reason, {"detail": refusal.detail}, {}, 0)
        skill = getattr(action, "skill", None)
        shown = skill if isinstance(skill, str) and skill in SKILLS else None
        return self._finish(self._act(NONE, NONE, 0, NONE, 0, 0), shown, {}, outcome, Audit((), ()))

    def _act(
        self, skill: int, target: int, number: int, station: int, width: int, height: int
    ) -> Reading:
        n = act(self._tables, self._voxels, self._states, self._actions, self._out, self._seen,
                skill, target, number, station, self._cells, width, height)  # fmt: skip
        return self._reading(n)

    def _reading(self, n: int) -> Reading:
        """Read the row of a step; targets that were not searched again are those of before."""
        r = Reading(self._out[:n].tolist(), self._names)
        if r.searched:
            self._targets = r.targets
        else:
            r.targets = self._targets
        return r

    def _finish(
        self, r: Reading, skill: str | None, args: dict[str, Any], outcome: Outcome, audit: Audit
    ) -> Step:
        ending = self._task.ending(self._done, alive=bool(r.alive), used=r.used)
        self._over = ending is not None
        observation = self._observe(r, {"skill": skill, "args": args, **outcome.as_dict()})
        return Step(observation, outcome, audit, ending)

    def _encode(self, action: Checked) -> tuple[int, int, int, int, int, int]:
        """Return skill, target, number, station, grid width and height; the cells of a grid go to ``_cells``."""
        skill, args, names = SKILL[action.skill], action.args, self._names
        match action.skill:
            case "craft_grid":
                grid = args["grid"]
                for k, cell in enumerate(cell for row in grid for cell in row):
                    self._cells[k] = NONE if cell is None else names.item[cell]
                return skill, NONE, 1, STATION[args["station"]], len(grid[0]), len(grid)
            case "mine":
                return skill, self._block(args["block"]), args["count"], NONE, 0, 0
            case "smelt":
                return (
                    skill,
                    names.item[args["input"]],
                    args["count"],
                    STATION[args["station"]],
                    0,
                    0,
                )
            case "explore" if args["target"] in names.entity:
                return skill, names.entity[args["target"]], 1, AN_ENTITY, 0, 0
            case "explore" | "prepare_access":
                return skill, self._block(args["target"]), 1, NONE, 0, 0
            case "attack":
                return skill, names.entity[args["target"]], args["count"], NONE, 0, 0
            case "enchant":
                return (
                    skill,
                    names.item[args["item"]],
                    ENCHANT_OPTIONS.index(args["option"]),
                    NONE,
                    0,
                    0,
                )
            case "place":
                return skill, names.item[args["block"]], 1, NONE, 0, 0
            case "equip" | "collect":
                return skill, names.item[args["item"]], 1, NONE, 0, 0
        return (
            skill,
            NONE,
            args.get("height", args.get("ticks", 1)),
            NONE,
            0,
            0,
        )  # ascend, wait, trade

    def _block(self, name: str) -> int:
        return ANY_TRUNK if name == LOG else self._names.block[name]

    def _gain(self, bits: int) -> tuple[str, ...]:
        """Return the advancements of a bit set, and note them as done."""
        gained = tuple(name for i, name in enumerate(self._names.advancements) if bits >> i & 1)
        self._done.update(gained)
        self._describe_task()
        return gained

    def _describe_task(self) -> None:
        """Make the parts of the observation that only milestones change."""
        self._task_view = self._task.view(self._done)
        self._progress = self._task.progress(self._done)

    def _observe(self, r: Reading, last: dict[str, Any] | None) -> Observation:
        names = self._names
        equipped = {"hand": names.item_or_none(r.hand)}
        equipped.update(
            (slot, names.item_or_none(i)) for slot, i in zip(WORN_SLOTS, r.worn, strict=True)
        )
        return Observation(
            task=self._task_view,
            progress=self._progress,
            budget={"used": r.used, "left": self._task.budget - r.used},
            inventory=r.inventory,
            equipped=equipped,
            experience={"level": r.level},
            survival={"health": 20 if r.alive else 0, "food": 20, "alive": bool(r.alive)},
            position={"x": r.x + 0.5, "y": float(r.y), "z": r.z + 0.5},
            biome=self._biome,
            targets=r.targets,
            drops=r.drops,
            entities=r.entities,
            facilities=r.facilities,
            last=last,
            skills=SKILLS,
        )
