"""What went wrong in an episode and what to do about it, for agents that plan."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from mirrorcraft.agents.beliefs import Beliefs
from mirrorcraft.core.action import LOG, Action
from mirrorcraft.core.data import body
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason

DOUBT = 8  # actions for which a recipe that failed twice is left alone
GIVEN_UP = 3  # failures at a station after which another one is made
_ELSEWHERE = (Reason.NOT_FOUND, Reason.BLOCKED, Reason.NEEDS_TOOL, Reason.UNREACHABLE)


class Setbacks:
    """What failed, and what is therefore left alone for a while.

    Attributes:
        failures: consecutive failures of one operation, or at one station.
        grudges: failures at a block or entity, in all.
        hidden: sources in sight that could not be got at.
        lost: stations that stand near but cannot be reached.
        fixed: stations that could not be broken where they stand.
        stood: the height of the body when it last put a station down.
        doubts: the action until which a recipe is left alone, by (skill, recipe or input, station).
    """

    def __init__(self, beliefs: Beliefs):
        self.beliefs = beliefs
        self.failures: Counter[Hashable] = Counter()
        self.grudges: Counter[str] = Counter()
        self.hidden: set[str] = set()
        self.lost: set[str] = set()
        self.fixed: set[str] = set()
        self.stood: dict[str, float] = {}
        self.doubts: dict[tuple[str, str, str | None], int] = {}

    def distance(self, name: str, now: Observation) -> float | None:
        """Return how far a block or entity is, None when it is not in sight."""
        if name in self.hidden:
            return None
        if name in now.entities:
            return now.entities[name]["nearest"]
        return now.targets.get(name)

    def overcome(self, last: Mapping[str, Any], now: Observation) -> None:
        """Take in an action that went well."""
        skill, args = last["skill"], last["args"]
        self.failures.pop(operation_of(skill, args), None)
        if skill in ("craft_grid", "smelt", "enchant"):
            self.failures.pop(station_of(skill, args), None)
        if skill == "place":
            self.lost.discard(args["block"])
            self.fixed.discard(args["block"])
            self.stood[args["block"]] = now.position["y"]
        if skill in ("explore", "prepare_access"):
            target = args["target"]
            self.hidden -= self.beliefs.trunks if target == LOG else {target}
            if target != LOG and self.distance(target, now) is None:
                self.grudges[target] += 1
        if skill in ("ascend", "explore"):
            self.lost.clear()

    def recall(self, entry: Mapping[str, Any], failures: int, now: Observation) -> None:
        """Take in an action that failed so often before and would fail again, as a prompt tells of it."""
        if failures <= 0:
            return
        skill, args, reason = entry["skill"], entry["args"], entry["reason"]
        self.failures[operation_of(skill, args)] = failures
        source = args.get("block") or args.get("target")
        if skill in ("mine", "attack") and reason in _ELSEWHERE and source:
            self.grudges[source] += failures
            self.hidden.add(source)
        if reason == Reason.STATION_UNREACHABLE:
            station = station_of(skill, args)
            self.failures[station] = failures
            if failures >= GIVEN_UP:
                self.lost.add(station)
        if (
            skill in ("craft_grid", "smelt")
            and failures >= 2
            and reason in (Reason.NO_RESULT, Reason.NO_OUTPUT)
        ):
            self._doubt(now, skill, args)

    def remedy(self, last: Mapping[str, Any], now: Observation) -> Action | None:
        """Take in an action that failed; return one that removes the obstacle, if that is what is needed."""
        skill, args, reason = last["skill"], last["args"], last["reason"]
        if reason in (Reason.INVALID_ARGS, Reason.UNKNOWN_ID):
            return None  # a model's slip: its arguments name nothing that could be doubted
        source = args.get("block") or args.get("target")
        key = operation_of(skill, args)
        self.failures[key] += 1
        again = self.failures[key] % 2 == 0  # a remedy is tried once, then something else
        if reason in (Reason.BLOCKED, Reason.UNREACHABLE) and skill in ("mine", "attack"):
            if not again:
                remedy = "prepare_access" if skill == "mine" else "explore"
                return Action(remedy, {"target": source})
            self.grudges[source] += 1
            self.hidden.add(source)
        elif reason == Reason.BLOCKED and skill == "prepare_access" and not again:
            self.fixed.add(args["target"])
            return Action("ascend", {"height": 0})
        elif reason == Reason.BLOCKED and skill in ("ascend", "explore"):
            return self._dig_aside(now)
        elif reason in (Reason.NOT_FOUND, Reason.BLOCKED, Reason.NEEDS_TOOL) and source:
            self.grudges[source] += 1
            self.hidden.add(source)
        elif reason == Reason.PICKUP_FAILED and now.drops:
            return Action("collect", {"item": min(now.drops, key=lambda i: (now.drops[i], i))})
        elif reason == Reason.STATION_UNREACHABLE:
            return self._reach_station(station_of(skill, args), now)
        elif reason == Reason.INVENTORY_FULL:
            return self._make_room(now)
        elif reason == Reason.NO_SPOT:
            return (
                Action("ascend", {"height": 0}) if not again else Action("explore", {"target": LOG})
            )
        elif again and skill in ("craft_grid", "smelt"):
            self._doubt(now, skill, args)
        return None

    def _reach_station(self, station: str, now: Observation) -> Action | None:
        """Return the next remedy: climb out of one's own shaft, dig towards the station; then give it up."""
        self.failures[station] += 1
        above = self.stood.get(station, now.position["y"]) - now.position["y"]
        remedies = [Action("prepare_access", {"target": station})]
        if above > body()["reach"]:
            remedies.insert(0, Action("ascend", {"height": 0}))
        if self.failures[station] <= len(remedies):
            return remedies[self.failures[station] - 1]
        self.failures[station] = 0
        self.lost.add(station)
        return None

    def _dig_aside(self, now: Observation) -> Action | None:
        """Mine what is nearest, another kind each time: something hard is above, and the way out is elsewhere."""
        for block in sorted(now.targets, key=lambda b: (self.failures["aside", b], now.targets[b])):
            method = self.beliefs.catalog.mine(block)
            if method and owns(now, method.tools) and block not in body()["stations"]:
                self.failures["aside", block] += 1
                return Action("mine", {"block": block, "count": 4})
        return None

    def _make_room(self, now: Observation) -> Action | None:
        """Put down one of the smallest stack of blocks; there is no other way to be rid of something."""
        items = self.beliefs.rulebook.items
        stations = body()["stations"]
        blocks = [i for i in now.inventory if items[i].block and i not in stations]
        if not blocks:
            return None
        return Action("place", {"block": min(blocks, key=lambda i: (now.inventory[i], i))})

    def _doubt(self, now: Observation, skill: str, args: Mapping[str, Any]) -> None:
        """Leave a recipe alone for a while that keeps failing."""
        until = now.budget["used"] + DOUBT
        if skill == "smelt":
            self.doubts["smelt", args["input"], args["station"]] = until
            return
        crafted = self.beliefs.rulebook.craft(args["grid"])
        if crafted is not None:
            self.doubts["craft_grid", crafted.recipe, None] = until


def operation_of(skill: str, args: Mapping[str, Any]) -> Hashable:
    """Return what is the same in two tries of one thing: how often it was to be done does not matter."""
    return skill, str(sorted((name, value) for name, value in args.items() if name != "count"))


def station_of(skill: str, args: Mapping[str, Any]) -> str:
    """Return the station that crafting, smelting or enchanting works at."""
    return {"enchant": "enchanting_table"}.get(skill) or args["station"]


def owns(now: Observation, tools: tuple[str, ...]) -> bool:
    """Return whether one of some tools is owned, or none is needed."""
    return not tools or any(t in now.inventory for t in tools)
