"""The simulator behind the Backend contract: actions in, observations and audit out."""

from functools import lru_cache
from typing import Any

import numpy as np

from mirrorcraft.core.action import (
    COOKERS,
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
from mirrorcraft.core.outcome import Ending, Outcome
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.kernels.looking import ROW, look
from mirrorcraft.sim.kernels.step import reset, step
from mirrorcraft.sim.layout import ACTION, NONE, STATE, Skill, Station, encode_grid, rows
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

_STATION = {name: NONE if name == "inventory" else int(Station[name.upper()]) for name in
            ("inventory", "crafting_table", *COOKERS)}  # fmt: skip


@lru_cache(maxsize=16)
def _voxels(world: World) -> np.record:
    return open_world(world)


@lru_cache(maxsize=64)
def _encounters(rules: Rulebook) -> Encounters:
    return Encounters(Rulebook.vanilla(rules.version), rules)


@lru_cache(maxsize=4)
def _names(version: str) -> Names:
    return Names(Rulebook.vanilla(version))


class SimBackend:
    """One simulated world at a time. Observations share their unchanged parts: treat them as read-only."""

    def __init__(self) -> None:
        self._states, self._actions = rows(1, STATE), rows(1, ACTION)
        self._state, self._action = self._states[0], self._actions[0]
        self._row = np.zeros(ROW, np.int64)
        self._over = True

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        self._rules, self._task, self._biome = rules, task, world.biome
        self._voxels, self._tables = _voxels(world), compile_tables(rules)[0]
        self._encounters, self._names = _encounters(rules), _names(rules.version)
        self._over, self._done, self._seen_at = False, set(), None
        reset(self._state, np.uint64(seed), *world.spawn, body()["experience_level"])
        self._describe_task()
        return self._observe(self._look(), None)

    def step(self, action: Action) -> Step:
        if self._over:
            raise EpisodeOver("the episode is over; call reset before the next step")
        checked = check(action, self._rules)
        if isinstance(checked, Refusal):
            return self._refuse(action, checked)
        self._encode(checked)
        before = int(self._state.tick)
        step(self._tables, self._voxels, self._state, self._action)
        r = self._look()
        result = result_of(checked, r, self._names)
        reason = REASONS[r.code]
        if reason is not None and (detail := detail_of(checked, r, self._names, self._rules)):
            result["detail"] = detail
        outcome = Outcome(reason is None or r.number > 0, reason, result, r.delta, r.tick - before)
        met: dict[str, None] = {}
        if self._rules.changes:
            for event in events_of(checked, r, self._names):
                met.update(dict.fromkeys(self._encounters.of(event)))
        gained = self._gain(r.gained)
        return self._finish(r, checked.skill, checked.args, outcome, Audit(gained, tuple(met)))

    def close(self) -> None:
        self._over = True

    def snapshot(self) -> bytes:
        """Return the whole state as bytes: equal states, equal bytes."""
        return self._states.tobytes()

    # ---- inside

    def _refuse(self, action: Any, refusal: Refusal) -> Step:
        """An action that cannot be tried costs one unit of budget and changes nothing."""
        self._state.used += 1
        outcome = Outcome(False, refusal.reason, {"detail": refusal.detail}, {}, 0)
        skill = getattr(action, "skill", None)
        shown = skill if isinstance(skill, str) and skill in SKILLS else None
        return self._finish(self._look(), shown, {}, outcome, Audit((), ()))

    def _finish(self, r: Reading, skill: str | None, args: dict[str, Any], outcome: Outcome, audit: Audit) -> Step:
        ending = None
        if self._task.goal.id in self._done:
            ending = Ending.GOAL
        elif not r.alive:
            ending = Ending.DEATH
        elif r.used >= self._task.budget:
            ending = Ending.BUDGET
        self._over = ending is not None
        observation = self._observe(r, {"skill": skill, "args": args, **outcome.as_dict()})
        return Step(observation, outcome, audit, ending)

    def _encode(self, action: Checked) -> None:
        """Write a checked action as the row that the kernels read."""
        a, args, names = self._action, action.args, self._names
        skill = Skill[action.skill.upper()]
        target: int | None = NONE
        a.station = NONE
        if skill in (Skill.MINE, Skill.PREPARE_ACCESS, Skill.EXPLORE):
            name = args.get("block") or args.get("target")
            target = ANY_TRUNK if name == LOG else names.block.get(name)
            if target is None:  # a living entity, to be explored for
                target, a.station = names.entity[name], 0
        elif skill == Skill.ATTACK:
            target = names.entity[args["target"]]
        elif skill == Skill.CRAFT_GRID:
            encode_grid(a, [[NONE if c is None else names.item[c] for c in row] for row in args["grid"]])
        elif skill not in (Skill.ASCEND, Skill.WAIT, Skill.TRADE):
            target = names.item[args.get("input") or args.get("item") or args.get("block")]
        if "station" in args:
            a.station = _STATION[args["station"]]
        number = args.get("count", args.get("height", args.get("ticks", 1)))
        a.number = ENCHANT_OPTIONS.index(args["option"]) if skill == Skill.ENCHANT else number
        a.skill, a.target = skill, target

    def _gain(self, bits: int) -> tuple[str, ...]:
        """Return the advancements of a bit set, and note them as done."""
        if not bits:
            return ()
        gained = tuple(name for i, name in enumerate(self._names.advancements) if bits >> i & 1)
        self._done.update(gained)
        self._describe_task()
        return gained

    def _describe_task(self) -> None:
        """Make the parts of the observation that only milestones change."""
        task, done = self._task, self._done
        milestones = [
            {"id": m.id, "title": m.title, "value": m.value, "description": m.description, "done": m.id in done}
            for m in task.milestones
        ]
        following = next((m.id for m in task.milestones if m.id not in done), None)
        self._task_view = {"id": task.id, "title": task.title, "goal": task.goal.id, "milestones": milestones, "next": following}
        self._progress = {"score": task.score(done), "done": [m.id for m in task.milestones if m.id in done]}

    def _look(self) -> Reading:
        """Read the state out; blocks are searched again only when the body or a block has moved."""
        s = self._state
        here = (int(s.x), int(s.y), int(s.z), int(s.revision))
        n = look(self._tables, self._voxels, s, self._row, here != self._seen_at)
        r = Reading(self._row[:n].tolist(), self._names)
        if here == self._seen_at:
            r.targets = self._targets
        self._seen_at, self._targets = here, r.targets
        return r

    def _observe(self, r: Reading, last: dict[str, Any] | None) -> Observation:
        names = self._names
        equipped = {"hand": names.item_or_none(r.hand)}
        equipped.update((slot, names.item_or_none(i)) for slot, i in zip(WORN_SLOTS, r.worn, strict=True))
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
