"""What an action reports: to the agent (broken, collected) and to the evaluator (events)."""

from mirrorcraft.sim.kernels.compiled import ONE, inner
from mirrorcraft.sim.layout import MAX_EVENTS, MAX_REPORT


@inner
def record(state, kind, a, b, c, d):
    """Report to the evaluator what is compared with vanilla; see ``core.encounters``."""
    if state.n_events < MAX_EVENTS:
        row = state.events[state.n_events]
        row[0], row[1], row[2], row[3], row[4] = kind, a, b, c, d
        state.n_events += 1


@inner
def collected(state, item, count):
    """Add to what the action collected."""
    if count > 0:
        state.n_collected = _add(state.collected, state.n_collected, item, count)


@inner
def broken(state, block):
    """Add one block to what the action was asked to break and broke."""
    state.n_broken = _add(state.broken, state.n_broken, block, ONE)


@inner
def _add(report, n, key, count):
    for i in range(n):
        if report[i, 0] == key:
            report[i, 1] += count
            return n
    if n == MAX_REPORT:
        return n
    report[n, 0], report[n, 1] = key, count
    return n + 1
