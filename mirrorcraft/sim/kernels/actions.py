"""Writing an ACTION row: the plain arguments, and a crafting grid in the form in which recipes are looked up."""

from mirrorcraft.sim.kernels.compiled import inner, kernel
from mirrorcraft.sim.layout import NONE


@kernel
def encode(actions, i, skill, target, number, station, cells, width, height):
    """Write row ``i``.

    Args:
        actions: array of ACTION rows.
        skill, target, number, station: see ``layout.ACTION``.
        cells: int64 [9]: a grid's ``width * height`` cells row by row, item index or NONE; no grid if width is 0.
    """
    action = actions[i]
    action.skill, action.target, action.number, action.station = skill, target, number, station
    action.mask, action.n_cells, action.n_needs, action.width = 0, 0, 0, 0
    if width > 0:
        _grid(action, cells, width, height)


@inner
def _grid(action, cells, width, height):
    """Move a grid, not all NONE, to the top left: the game tries a recipe at every offset. Count what it is made of."""
    top, left, right = 3, 3, 0
    for k in range(width * height):
        if cells[k] != NONE:
            top, left, right = min(top, k // width), min(left, k % width), max(right, k % width)
    for k in range(9):
        action.grid[k] = NONE
    for k in range(width * height):
        item = cells[k]
        if item != NONE:
            to = (k // width - top) * 3 + k % width - left
            action.grid[to] = item
            action.mask |= 1 << to
            action.n_cells += 1
            _need(action, item)
    action.width = right - left + 1


@inner
def _need(action, item):
    for i in range(action.n_needs):
        if action.need_item[i] == item:
            action.need_count[i] += 1
            return
    action.need_item[action.n_needs] = item
    action.need_count[action.n_needs] = 1
    action.n_needs += 1
