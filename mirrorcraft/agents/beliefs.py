"""What an agent takes the rules to be: a rulebook, and the facts that overruled it."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mirrorcraft.core.data import body
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.routes import NATURAL_BLOCKS, Catalog, Fact, Method, Yield, catalog
from mirrorcraft.core.rulebook import Rulebook

# An outcome with one of these reasons may lack items that the rules did give, or was never tried.
_SILENT = (
    Reason.PICKUP_FAILED, Reason.INVENTORY_FULL, Reason.DIED,
    Reason.INVALID_ARGS, Reason.UNKNOWN_ID, Reason.NOT_SEARCHABLE,
)  # fmt: skip
_TOLLS = {"mine": "broken", "attack": "killed"}
Key = tuple[str, str, str | None]


class Beliefs:
    """A rulebook corrected by observed outcomes.

    An outcome that the beliefs allow changes nothing. One that they do not allow becomes a fact: the items that
    contradict the believed yields are believed as seen, the others as before.
    """

    def __init__(self, rulebook: Rulebook):
        self.rulebook = rulebook
        self.facts: dict[Key, Fact] = {}
        self.surprises: dict[str, None] = {}  # items that came where nobody expected them

    @property
    def catalog(self) -> Catalog:
        """All methods as they are believed to be."""
        return catalog(self.rulebook, tuple(self.facts[key] for key in sorted(self.facts, key=str)))

    @property
    def trunks(self) -> frozenset[str]:
        """The blocks that ``log`` stands for."""
        return self.rulebook.tag("blocks", "logs")

    def learn(self, last: Mapping[str, Any] | None) -> bool:
        """Take in the outcome of an action; return whether it corrected a belief."""
        seen = self.sighting(last) if last else None
        if seen is None:
            return False
        key, times, got = seen
        believed = self.believed(key)
        gives = believed.gives if believed else {}
        corrected = _corrected(gives, times, got)
        if corrected == dict(gives):
            return False
        self.surprises |= {i: None for i in sorted(corrected) if i not in gives}
        self.facts[key] = Fact(*key, tuple(sorted(corrected.items())))
        return True

    def sighting(self, last: Mapping[str, Any]) -> tuple[Key, int, dict[str, int]] | None:
        """Return what an outcome shows: of which operation, done how often, what came of it in all.

        None when it shows nothing about a rule.
        """
        if last["reason"] in _SILENT:
            return None
        skill, args = last["skill"], last["args"]
        if skill == "craft_grid":
            return self._crafted(args["grid"], last)
        if skill == "smelt":
            return _smelted(args["input"], args["station"], last)
        return self._gathered(skill, last) if skill in _TOLLS else None

    def _crafted(
        self, grid: list[list[str | None]], last: Mapping[str, Any]
    ) -> tuple[Key, int, dict[str, int]] | None:
        usual = self.rulebook.craft(grid)
        if usual is None or not (last["ok"] or last["reason"] == Reason.NO_RESULT):
            return None
        result = last["result"] if last["ok"] else {}
        got = {result["item"]: result["count"]} if result.get("item") else {}
        return ("craft_grid", usual.recipe, None), 1, got

    def _gathered(
        self, skill: str, last: Mapping[str, Any]
    ) -> tuple[Key, int, dict[str, int]] | None:
        """Read mining or killing; an outcome that mixes several kinds says nothing sure about one of them."""
        counts = last["result"].get(_TOLLS[skill], {})
        if len(counts) != 1:
            return None
        (target, times), *_ = counts.items()
        key, got = (skill, target, None), dict(last["result"].get("collected", {}))
        believed = self.believed(key)
        if skill == "mine" and self.rulebook.blocks[target].hardness == 0:
            times = max(times, got.get(target, 0))  # what grew on top of a plant came off with it
        debris = _debris(self.rulebook, target)
        for item in [i for i in got if believed is None or i not in believed.gives]:
            if got[item] >= debris.get(item, math.inf):
                del got[item]  # it may have come out of the way that was dug
        return key, times, got

    def believed(self, key: Key) -> Method | None:
        """Return an operation as it is believed to be, None when nothing is believed to come of it."""
        if key[0] == "mine":
            return self.catalog.mine(key[1])
        if key[0] == "attack":
            return self.catalog.attack(key[1])
        return self.catalog.recipes.get(key)


def _smelted(
    item: str, station: str, last: Mapping[str, Any]
) -> tuple[Key, int, dict[str, int]] | None:
    key = ("smelt", item, station)
    if last["reason"] == Reason.NO_OUTPUT:
        return key, 1, {}
    times = last["result"].get("processed", 0)
    return (key, times, dict(last["result"]["output"])) if last["ok"] and times else None


@lru_cache(maxsize=4096)
def _debris(rulebook: Rulebook, target: str) -> dict[str, int]:
    """Return what the body may have picked up while it dug its way to a block: item to the least of it.

    The body clears only what breaks quickly, which obsidian never does.
    """
    book, least = catalog(rulebook), dict[str, int]()
    haste = body()["effects"]["haste"] + 1
    for block in NATURAL_BLOCKS:
        method = book.mine(block)
        if method is None or block == target:
            continue
        tool = method.tools[-1] if method.tools else None
        ticks = rulebook.break_ticks(block, tool, haste=haste)
        if ticks is not None and ticks <= body()["soft_ticks"]:
            for item, amount in method.gives.items():
                least[item] = min(max(amount.least, 1), least.get(item, 64))
    return least


def _corrected(gives: Mapping[str, Yield], times: int, got: Mapping[str, int]) -> dict[str, Yield]:
    """Return the yields with those replaced that ``times`` applications giving ``got`` contradict."""
    corrected = dict(gives)
    for item in (*gives, *(i for i in got if i not in gives)):
        n, old = got.get(item, 0), gives.get(item, Yield.exactly(0))
        if old.least * times <= n <= old.most * times:
            continue
        mean = Fraction(n, times)
        corrected[item] = Yield(math.floor(mean), float(mean), math.ceil(mean))
        if n == 0:
            del corrected[item]
    return corrected
