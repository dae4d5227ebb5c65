"""Tasks of any size: the generator, and the paper's table of parameters that its 25 tasks are made from."""

from typing import Any, NamedTuple

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full
from mirrorcraft.tracks.circuits.tasks import BUDGET, FAMILIES, LEVELS, PALETTE, CircuitTask

LAMPS = dict(zip(LEVELS, (4, 8, 16, 32, 64), strict=True))
"""Level -> number of lamps, for every family (paper, table 3)."""
REACH = dict(zip(LEVELS, (8, 12, 15, 18, 20), strict=True))
"""Level -> wire cells to the farthest lamp of family B."""
TAU = dict(zip(LEVELS, (4, 6, 8, 10, 12), strict=True))
"""Level -> redstone ticks that the lamps of family E stay lit."""
DISTANCES = (4, 8, 12, 16)
"""Wire cells to the four groups of lamps of family D."""
_PRESS = "Build a circuit so that one press of its single stone button"
_TOGETHER: dict[str, Any] = {"type": "simultaneous", "max_skew_gt": 1}
_EXACT: dict[str, Any] = {"tolerance_gt": 1, "tick_gt": 2}


class _Terms(NamedTuple):
    """What sets a family's tasks apart.

    Attributes:
        name: what the family is about.
        text: the instruction.
        check: name of the check in the test case.
        contract: the contract's fields.
        window_gt: game ticks that the check looks at.
    """

    name: str
    text: str
    check: str
    contract: dict[str, Any]
    window_gt: int = 60


def generate(
    family: str,
    lamps: int,
    *,
    reach: int = 0,
    delays: tuple[int, ...] = (),
    distances: tuple[int, ...] = DISTANCES,
    tau: int = 0,
    level: str = "custom",
    hint: str = "",
) -> CircuitTask:
    """Return a task of a family for any size.

    Args:
        family: A simultaneous, B branch reach, C sequence, D equal delay, E pulse.
        lamps: number of lamps; for D a multiple of the number of distances.
        reach: wire cells to the farthest lamp, for B.
        delays: redstone ticks from each lamp to the next, for C: one fewer than lamps.
        distances: wire cells to each group of lamps, for D.
        tau: redstone ticks that the lamps stay lit, for E.
        level: level of the task, such as ``L1``.
        hint: the area of missing knowledge.

    Raises:
        InputError: the numbers do not fit the family.
    """
    match family:
        case "A":
            terms = _simultaneous(lamps)
        case "B":
            terms = _branch_reach(lamps, reach)
        case "C":
            terms = _sequence(lamps, delays)
        case "D":
            terms = _equal_delay(lamps, distances)
        case "E":
            terms = _pulse(lamps, tau)
        case _:
            raise InputError("generate", "family", family, f"one of {', '.join(FAMILIES)}")
    return CircuitTask.from_data(_file(family, lamps, level, hint, terms), "generate")


def _file(family: str, lamps: int, level: str, hint: str, terms: _Terms) -> dict[str, Any]:
    """Return what stands in the file of a task."""
    check = {"action": terms.check, "params": {"window_gt": terms.window_gt}}
    case = {"name": "press_once", "sequence": ({"action": "press_button"}, check)}
    return {
        "task_id": f"{family}_{level}",
        "family": family,
        "level": level,
        "task_name": f"{terms.name} {level} (N={lamps})",
        "task_description": terms.text,
        "world": {"anchor": (0, 4, 0), "radius": 10, "floor_y": 3},
        "allowed_blocks": tuple(full(block) for block in PALETTE),
        "inputs": {"button": {"block": "minecraft:stone_button", "count": 1}},
        "outputs": {"lamps": {"block": "minecraft:redstone_lamp", "count": lamps}},
        "contract": terms.contract,
        "test_cases": (case,),
        "budget": {"verification_trials": BUDGET},
        "metadata": {"hint": hint, "learning_objectives": []},
    }


def _simultaneous(lamps: int) -> _Terms:
    text = f"{_PRESS} switches on all {lamps} redstone lamps in the same tick."
    return _Terms("Simultaneous N-Lamp Control", text, "check_simultaneous", _TOGETHER)


def _branch_reach(lamps: int, reach: int) -> _Terms:
    contract = _TOGETHER | {
        "min_t_junctions": 1,
        "required_reach": reach,
        "repeaters_required": reach > 15,
    }
    text = (
        f"{_PRESS} switches on {lamps} lamps together, which branch off a trunk at"
        f" T-junctions; the farthest is at least {reach} wire cells from the button's block."
    )
    return _Terms("Branch Reach", text, "check_branch_reach", contract)


def _sequence(lamps: int, delays: tuple[int, ...]) -> _Terms:
    text = (
        f"{_PRESS} switches on {lamps} lamps one after another, with the delays"
        f" {list(delays)} between them (redstone ticks of 2 game ticks)."
    )
    contract = {"type": "sequential", **_EXACT, "delays": delays}
    window = 60 + 2 * sum(delays)
    return _Terms("Sequential Activation", text, "check_sequence", contract, window)


def _equal_delay(lamps: int, distances: tuple[int, ...]) -> _Terms:
    share = lamps // max(1, len(distances))
    text = (
        f"{_PRESS} switches on {lamps} lamps together: {share} each at distances of"
        f" {', '.join(map(str, distances))} wire cells from the button's block"
        " (Manhattan distance less one)."
    )
    contract = _TOGETHER | {"distance_buckets": distances, "lamps_per_bucket": share}
    return _Terms("Equal-Delay Distribution", text, "check_equal_delay", contract)


def _pulse(lamps: int, tau: int) -> _Terms:
    text = (
        f"{_PRESS} keeps all {lamps} lamps lit together for exactly {tau} redstone ticks"
        f" ({2 * tau} game ticks), then dark again."
    )
    contract = {"type": "pulse", "max_skew_gt": 1, **_EXACT, "tau": tau}
    return _Terms("Pulse Shaping", text, "check_pulse", contract, max(80, 56 + 2 * tau))


_HINTS = {
    "A": (
        "signal path between button and wire",
        "wire branching pattern",
        "which side of a wire delivers power",
        "signal decay ratio",
        "signal regeneration and its delay",
    ),
    "B": (
        "what makes a wire branch",
        "wires that touch by accident",
        "signal decay ratio",
        "where to regenerate a trunk",
        "delay of parallel branches",
    ),
    "C": (
        "what delays a signal",
        "signal flow direction",
        "adding up delays",
        "signal strength along a delay line",
        "pulse length versus delay",
    ),
    "D": (
        "instant and delayed path elements",
        "signal decay ratio",
        "equalising path delay",
        "delay of mandatory regeneration",
        "balancing many paths",
    ),
    "E": (
        "how long the button and the lamp stay on",
        "inverting a signal",
        "cutting a pulse short",
        "edge-triggered pulse",
        "distributing a shaped pulse",
    ),
}


def standard(family: str, level: str) -> CircuitTask:
    """Return the paper's task of a family and level, from its table of parameters.

    Raises:
        InputError: there is no such family or level.
    """
    if family not in FAMILIES or level not in LEVELS:
        expected = f"a family of {', '.join(FAMILIES)} and a level of {', '.join(LEVELS)}"
        raise InputError("standard", "", (family, level), expected)
    n, hint = LAMPS[level], _HINTS[family][LEVELS.index(level)]
    own: dict[str, Any] = {
        "A": {},
        "B": {"reach": REACH[level]},
        "C": {"delays": (1, 2) * (n // 2 - 1) + (1,)},
        "D": {},
        "E": {"tau": TAU[level]},
    }[family]
    return generate(family, n, level=level, hint=hint, **own)
