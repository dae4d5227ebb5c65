"""A fixed list of actions, and the digest of every field of the state after some of them.

As a script: ``python digests.py ACTIONS...`` prints the digests at those actions as JSON. The golden file is made by
``PYTHONPATH=.:tests python tests/digests.py 1 10 50 > tests/golden/sim.json``, after a look at what changed and why.
"""

import hashlib
import json
import sys
from typing import Any

import numpy as np
from stage import Stage

from mirrorcraft.core.action import Action
from mirrorcraft.sim.layout import STATE

WORLD, SUITE, SEED = "taiga-a", "M06", 20
OWNED = {"oak_planks": 30, "coal": 3, "raw_iron": 4, "stone_pickaxe": 1, "cobblestone": 20}
P, S, I, D = "oak_planks", "stick", "iron_ingot", "diamond"  # noqa: E741


def craft(*rows: list[str | None], station: str = "crafting_table") -> tuple[str, dict[str, Any]]:
    return "craft_grid", {"station": station, "grid": list(rows)}


LIST: list[tuple[str, dict[str, Any]]] = [
    craft([P, P], [P, P], station="inventory"),
    ("place", {"block": "crafting_table"}),
    ("mine", {"block": "log", "count": 2}),
    ("attack", {"target": "cow", "count": 2}),
    ("explore", {"target": "cow"}),
    ("attack", {"target": "cow", "count": 2}),
    craft([P], [P], station="inventory"),
    ("mine", {"block": "iron_ore", "count": 2}),
    ("mine", {"block": "stone", "count": 4}),
    ("ascend", {"height": 0}),
    ("mine", {"block": "no_such_block"}),
    craft(["cobblestone"] * 3, ["cobblestone", None, "cobblestone"], ["cobblestone"] * 3),
    ("place", {"block": "furnace"}),
    ("smelt", {"input": "raw_iron", "count": 4}),
    ("place", {"block": "crafting_table"}),
    craft([P, P], [P, P], station="inventory"),
    ("place", {"block": "crafting_table"}),
    craft([I, I, I], [None, S, None], [None, S, None]),
    ("prepare_access", {"target": "diamond_ore"}),
    ("mine", {"block": "diamond_ore", "count": 3}),
    ("mine", {"block": "lapis_ore", "count": 2}),
    ("mine", {"block": "redstone_ore", "count": 4}),
    ("wait", {"ticks": 200}),
    ("ascend", {"height": 3}),
    ("mine", {"block": "gravel", "count": 4}),
    ("explore", {"target": "sugar_cane"}),
    ("mine", {"block": "sugar_cane", "count": 4}),
    ("mine", {"block": "coal_ore", "count": 4}),
    ("equip", {"item": "stone_pickaxe"}),
    ("collect", {"item": "beef"}),
    ("smelt", {"input": "beef", "station": "furnace", "count": 2}),
    ("mine", {"block": "furnace"}),
    ("mine", {"block": "crafting_table"}),
    ("explore", {"target": "log"}),
    ("mine", {"block": "log", "count": 4}),
    ("place", {"block": "furnace"}),
    ("smelt", {"input": "raw_iron", "count": 6}),
    craft([I, None, I], [I, None, I]),
    ("equip", {"item": "iron_boots"}),
    ("enchant", {"item": "iron_boots", "option": "lowest"}),
    ("trade", {"give": "coal", "get": "bread"}),
    ("mine", {"block": "obsidian"}),
    ("attack", {"target": "sheep", "count": 4}),
    ("explore", {"target": "emerald_ore"}),
    ("prepare_access", {"target": "gold_ore"}),
    ("mine", {"block": "gold_ore", "count": 4}),
    ("mine", {"block": "deepslate", "count": 4}),
    ("ascend", {"height": 0}),
    ("mine", {"block": "dirt", "count": 4}),
    ("wait", {"ticks": 7}),
]


def digests(actions: list[int]) -> dict[str, dict[str, str]]:
    """Return, for each number of actions, field of the state to digest; ``seen`` is the observation's."""
    stage = Stage(SUITE, WORLD, task="enchantment", seed=SEED).own(**OWNED)
    found = {}
    for n, (skill, args) in enumerate(LIST[: max(actions)], 1):
        step = stage.backend.step(Action(skill, args))
        if n in actions:
            fields = {
                name: _short(np.asarray(stage.state[name]).tobytes()) for name in STATE.fields or ()
            }
            found[str(n)] = {**fields, "seen": _short(step.observation.to_json().encode())}
        if step.ending:
            raise RuntimeError(f"the list of actions ends the episode at action {n}")
    return found


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


if __name__ == "__main__":
    json.dump(digests([int(n) for n in sys.argv[1:]]), sys.stdout, indent=1)
    sys.stdout.write("\n")
