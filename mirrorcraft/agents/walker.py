"""Agents that plan: one that is told the rules, one that corrects vanilla beliefs, one that keeps them."""

import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from mirrorcraft.agents.beliefs import Beliefs
from mirrorcraft.agents.setbacks import Setbacks, owns
from mirrorcraft.core.action import COOKERS, LOG, Action
from mirrorcraft.core.data import body
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.routes import (
    NATURAL_BLOCKS,
    NATURAL_ENTITIES,
    Fact,
    PlanStep,
    Route,
    Sources,
    catalog,
    check,
    search,
)  # fmt: skip
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

UNSEEN = 2.5  # extra actions that a source out of sight is expected to cost: looking for it, digging to it
NEAR = 6.0  # blocks; a source within it costs nothing extra
PER_BLOCK = 0.06  # extra actions for every block beyond
GRUDGE = 1.5  # extra actions for every failure at a source
DESCENT = 11.0  # blocks to dig and to walk; beyond it a station left behind is likely out of reach
FIRST_EFFORT, LATER_EFFORT = 6, 0


class Walker:
    """Walks a route under its beliefs; plans again when the world is not as the plan has it.

    Args:
        told: plan with the disclosed rules instead of vanilla beliefs.
        learns: correct the beliefs from observed outcomes.
    """

    def __init__(self, *, told: bool = False, learns: bool = False):
        self.told, self.learns = told, learns

    def reset(self, task: Task, *, seed: int, rules: Rulebook | None) -> None:
        """Begin an episode; see ``Agent.reset``. The seed is not used: planning draws no lots."""
        if self.told and rules is None:
            raise InputError("agent planner", "rules", None, "the rules of the world (disclosed)")
        self.task = task
        self.beliefs = Beliefs(rules if self.told and rules else Rulebook.vanilla())
        self.queue: list[PlanStep] = []
        self.choice: Mapping[Hashable, Any] = check(self.beliefs.rulebook, task).choice
        self.effort = FIRST_EFFORT
        self.setbacks = Setbacks(self.beliefs)
        self.surface = -math.inf  # height of the body when it was last above ground
        self.tried: set[Hashable] = set()  # what was put into which station
        self.pending: PlanStep | None = None

    def act(self, observation: Observation) -> Action | None:
        """Return the next action; see ``Agent.act``."""
        if observation.last is None:
            self.surface = observation.position["y"]  # episodes start on open ground
        remedy = self._notice(observation) if observation.last else None
        if remedy is not None:
            self.pending = None
            return remedy
        return self._go_on(observation)

    # ---- what the last action came to
    def _notice(self, now: Observation) -> Action | None:
        """Take in the last outcome; return an action that removes an obstacle, if that is what is needed."""
        last = now.last or {}
        step, self.pending = self.pending, None
        if self.learns and self.beliefs.learn(last):
            self.queue = []
        if last["skill"] == "smelt" and (last["ok"] or last["reason"] == Reason.NO_OUTPUT):
            self.tried.add(("smelt", last["args"]["input"], last["args"]["station"]))
        if last["ok"]:
            self._succeeded(step, last, now)
            return None
        remedy = self.setbacks.remedy(last, now)
        if remedy is None:
            self.queue = []
        return remedy

    def _succeeded(self, step: PlanStep | None, last: Mapping[str, Any], now: Observation) -> None:
        skill, args = last["skill"], last["args"]
        self.setbacks.overcome(last, now)
        if skill in ("explore", "prepare_access") and args["target"] == LOG:
            self.queue = []  # it may be another tree than the one that was planned with
        if skill in ("ascend", "explore"):
            self.surface = now.position["y"]
        if step is None:
            return
        spare = [last["delta"].get(i, 0) - n for i, n in step.makes.items()]
        if self.queue and min(spare, default=0) >= 0 and last["reason"] is None:
            self.queue.pop(0)
            if max(spare, default=0) <= 0 or not self._repeats(step):
                return
        self.queue = []

    def _repeats(self, step: PlanStep) -> bool:
        """Return whether the rest of the plan gathers from the source of a step again."""
        gathers = [s for s in self.queue if s.skill == step.skill and s.skill in ("mine", "attack")]
        return any(_source(s) == _source(step) for s in gathers)

    # ---- what to do next
    def _go_on(self, now: Observation) -> Action | None:
        if not self.queue or not self._possible(self.queue[0], now):
            self._plan(now)
        if self.queue:
            step = self.queue[0]
            return self._towards(step, now) or self._do(step)
        return next(self._experiments(now), Action("wait", {"ticks": 1}))

    def _possible(self, step: PlanStep, now: Observation) -> bool:
        near = step.station is None or step.station in self._facilities(now)
        return near and all(now.inventory.get(i, 0) >= n for i, n in step.uses.items())

    def _facilities(self, now: Observation) -> list[str]:
        return [f for f in now.facilities if f not in self.setbacks.lost]

    def _do(self, step: PlanStep) -> Action:
        self.pending = step
        return step.action

    def _towards(self, step: PlanStep, now: Observation) -> Action | None:
        """Return an action that must come before a step: finding its source, or taking a station along."""
        if step.skill not in ("mine", "attack"):
            return None
        packed = self._pack_up(now)
        if packed is not None:
            return packed
        name = _source(step)
        if self.setbacks.distance(name, now) is not None:
            return None
        any_trunk = name in self.beliefs.trunks and self.beliefs.trunks.isdisjoint(now.targets)
        return Action("explore", {"target": LOG if any_trunk else name})

    def _grows(self, name: str) -> bool:
        """Return whether a source lives above ground: an animal, a plant, a tree."""
        blocks = self.beliefs.rulebook.blocks
        return name not in blocks or name in self.beliefs.trunks or blocks[name].hardness == 0

    def _pack_up(self, now: Observation) -> Action | None:
        """Break a station at hand that the plan needs again where it leads: far away, or deep down."""
        way = 0.0
        for step in self.queue:
            station = step.station
            if step.skill in ("mine", "attack"):
                at = self.setbacks.distance(_source(step), now)
                way = max(way, at if at is not None else math.inf) + step.args["count"]
            elif station in self._facilities(now) and station not in now.inventory:
                near = now.facilities[station] <= body()["reach"]
                return self._take(station, now) if near and way > DESCENT else None
        return None

    def _take(self, station: str, now: Observation) -> Action | None:
        method = self.beliefs.catalog.mine(station)
        able = method and station in method.gives and owns(now, method.tools)
        if not able or station in self.setbacks.fixed:
            return None
        use = next(i for i, step in enumerate(self.queue) if step.station == station)
        self.queue.insert(use, PlanStep("place", {"block": station}, uses={station: 1}))
        return Action("mine", {"block": station, "count": 1})

    def _plan(self, now: Observation) -> None:
        route = self._route(now)
        if not route.ok and self.setbacks.doubts:
            self.setbacks.doubts.clear()
            route = self._route(now)
        self.queue = list(route.plan)
        self.effort = LATER_EFFORT
        if route.ok:
            self.choice = route.choice

    def _route(self, now: Observation) -> Route:
        """Return a route to the final milestone, or to the deepest one that the beliefs allow."""
        self.setbacks.doubts = {
            k: t for k, t in self.setbacks.doubts.items() if t > now.budget["used"]
        }
        facts = {f[:3]: f for f in self.beliefs.facts.values()}
        facts |= {k: Fact(*k, ()) for k in self.setbacks.doubts}
        book = catalog(self.beliefs.rulebook, tuple(facts[k] for k in sorted(facts, key=str)))
        done = set(now.progress["done"])
        goals = [m.id for m in reversed(self.task.milestones) if m.id not in done]
        route = Route("", False)
        for goal in goals:
            route = search(
                book, goal, now.inventory, self._facilities(now), self._sources(now),
                self.choice, self.effort,
            )  # fmt: skip
            if route.ok and route.plan:
                return route
        return route

    def _sources(self, now: Observation) -> Sources:
        depth = self.surface - now.position["y"]
        woods = not self.beliefs.trunks.isdisjoint(now.targets)

        def far(name: str) -> float:
            at = self.setbacks.distance(name, now)
            cost = UNSEEN if at is None else max(0.0, at - NEAR) * PER_BLOCK
            if at is None and woods and name in self.beliefs.trunks:
                cost *= 2  # where one kind of tree grows, another is rare
            if depth > NEAR and self._grows(name):
                cost = max(cost, UNSEEN)  # the way up is an action or two, and so is the way back
            return cost + GRUDGE * self.setbacks.grudges[name]

        return Sources({b: far(b) for b in NATURAL_BLOCKS}, {e: far(e) for e in NATURAL_ENTITIES})

    # ---- when no route is known
    def _experiments(self, now: Observation) -> Iterator[Action]:
        """Yield things worth trying once: first with items that came unexpectedly, then with any."""
        if not self.learns:
            return
        known = self.beliefs.catalog.recipes
        owned = sorted(now.inventory, key=lambda i: (i not in self.beliefs.surprises, i))
        for item in owned:
            if item in body()["stations"] and item not in now.facilities:
                yield Action("place", {"block": item})
        for item in owned:
            facts = self.beliefs.rulebook.items[item]
            for station in (s for s in COOKERS if s in self._facilities(now)):
                key = ("smelt", item, station)
                # Tools are too good to burn, and what is known needs no trial, unless they came unexpectedly.
                dull = facts.tool is not None or key in known
                if key not in self.tried and (item in self.beliefs.surprises or not dull):
                    yield Action("smelt", {"input": item, "station": station, "count": 1})


def _source(step: PlanStep) -> str:
    return step.args["block" if step.skill == "mine" else "target"]
