"""Which owned tool breaks a block, and how long that takes."""

import numpy as np

from mirrorcraft.sim.kernels.compiled import inner, kernel
from mirrorcraft.sim.kernels.inventory import enchant_level
from mirrorcraft.sim.layout import NONE, ToolClass

BARE = np.int64(10)  # speed of the bare hand, of 1/10
SHEARS, SWORD = np.int64(ToolClass.SHEARS), np.int64(ToolClass.SWORD)
NEVER = np.int64(1 << 30)  # ticks to break what cannot be broken


@inner
def suits(tables, block, item):
    """Return whether a block drops something when broken with an item (NONE = bare hand)."""
    if tables.requires_tool[block] == 0:
        return True
    if item == NONE:
        return False
    return (tables.tools[block] >> tables.tool_class[item]) & 1 != 0 and tables.tier[
        item
    ] >= tables.block_tier[block]


@inner
def _speed(tables, block, item):
    """Return the digging speed of an item on a block, of 1/10."""
    tool = tables.tool_class[item]
    if tool == SHEARS:
        return np.int64(tables.shears_speed[block])
    if tool == SWORD:
        return np.int64(tables.sword_speed[block])
    if (tables.tools[block] >> tool) & 1 != 0:
        return np.int64(tables.tool_speed[item])
    return BARE


@kernel
def break_ticks(tables, state, block, tool):
    """Return the ticks to break a block with tool entry ``tool`` (NONE = bare hand), 0 when instant.

    Vanilla: speed / hardness / (30 if the tool suits, else 100) a tick; Efficiency adds level^2 + 1 to a fitting
    tool, Haste multiplies by 1 + 0.2 * level. In whole numbers, so that no rounding costs a tick.
    """
    hardness = np.int64(tables.hardness[block])
    if hardness < 0:
        return NEVER
    item, speed = NONE, BARE
    if tool != NONE:
        item = np.int64(state.tool_item[tool])
        speed = _speed(tables, block, item)
        efficiency = np.int64(enchant_level(state, tool, tables.efficiency))
        if speed > BARE and efficiency > 0:
            speed += 10 * (efficiency * efficiency + 1)
    work = hardness * (30 if suits(tables, block, item) else 100)  # of 1/100
    rate = speed * (5 + np.int64(tables.haste))  # of 1/50
    ticks = (work + 2 * rate - 1) // (2 * rate)
    return 0 if ticks <= 1 else ticks


@inner
def best_tool(tables, state, block):
    """Return (tool entry or NONE, ticks): the owned tool that suits and is fastest; the hand when none is faster."""
    best, best_ticks = NONE, break_ticks(tables, state, block, NONE)
    best_suits = suits(tables, block, NONE)
    for t in range(state.n_tools):
        good = suits(tables, block, np.int64(state.tool_item[t]))
        ticks = break_ticks(tables, state, block, t)
        if (good and not best_suits) or (good == best_suits and ticks < best_ticks):
            best, best_ticks, best_suits = t, ticks, good
    return best, best_ticks
