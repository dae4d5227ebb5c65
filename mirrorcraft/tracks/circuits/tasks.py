"""Tasks: what to build, where, out of what, and the contract that its lamps must keep (paper, C.7).

A task is a YAML file; the 25 of the paper lie in ``rules/circuits/tasks``, and ``generate`` makes
one for any number of lamps, reach, delays, distances or duration. What the paper leaves open is in
the files too: floor, windows, hints, and that a tick of a contract is a redstone tick, 2 gt.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mirrorcraft.core.data import named_file, names_in
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full
from mirrorcraft.tracks.circuits.blocks import PROPERTIES, Pos

FOLDER = "circuits/tasks"
FAMILIES = ("A", "B", "C", "D", "E")
LEVELS = ("L1", "L2", "L3", "L4", "L5")
LAMPS = dict(zip(LEVELS, (4, 8, 16, 32, 64), strict=True))
"""Level -> number of lamps, for every family (paper, table 3)."""
REACH = dict(zip(LEVELS, (8, 12, 15, 18, 20), strict=True))
"""Level -> wire cells to the farthest lamp of family B."""
TAU = dict(zip(LEVELS, (4, 6, 8, 10, 12), strict=True))
"""Level -> redstone ticks that the lamps of family E stay lit."""
DISTANCES = (4, 8, 12, 16)
"""Wire cells to the four groups of lamps of family D."""
BUDGET = 50
"""Verification trials a task (paper, 5.2)."""
_PALETTE = (
    "stone_button",
    "redstone_wire",
    "redstone_repeater",
    "redstone_torch",
    "redstone_lamp",
    "stone",
    "glass",
    "air",
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Count = Annotated[int, Field(strict=True, ge=1)]
_Natural = Annotated[int, Field(strict=True, ge=0)]


class Region(_Strict):
    """The build region: a cube around an anchor, on a floor that conducts and cannot be changed."""

    anchor: tuple[int, int, int]
    """Its middle."""
    radius: Annotated[int, Field(strict=True, ge=1, le=50)]
    """Cells from the middle to each side."""
    floor_y: int = 3
    """Height of the floor; nothing is built at or under it."""

    def holds(self, pos: Pos) -> bool:
        """Return whether something may be built in a cell."""
        near = all(abs(p - a) <= self.radius for p, a in zip(pos, self.anchor, strict=True))
        return near and pos[1] > self.floor_y

    def __str__(self) -> str:
        (x, y, z), r = self.anchor, self.radius
        low = max(y - r, self.floor_y + 1)
        return f"x {x - r}..{x + r}, y {low}..{y + r}, z {z - r}..{z + r}"


class Part(_Strict):
    """How many blocks of a kind a build must hold; where is up to the agent."""

    block: str
    count: _Count = 1
    position: Literal["agent_chosen"] = "agent_chosen"


class Inputs(_Strict):
    """What is pressed."""

    button: Part


class Outputs(_Strict):
    """What is watched."""

    lamps: Part


class Simultaneous(_Strict):
    """All lamps light up together: families A, B and D; the extra fields are those of B and D."""

    type: Literal["simultaneous"]
    max_skew_gt: _Natural = 1
    """Game ticks between the first and the last lamp."""
    min_t_junctions: _Natural = 0
    """Dust cells that join at least three wires."""
    required_reach: _Natural = 0
    """Wire cells that the farthest lamp must be away from the button's block."""
    repeaters_required: bool = False
    """Whether the build must hold a repeater."""
    distance_buckets: tuple[_Count, ...] = ()
    """Wire cells needed to each group of lamps: the Manhattan distance less one."""
    lamps_per_bucket: _Natural = 0
    """Lamps in each group."""


class Sequential(_Strict):
    """The lamps light up one after another: family C."""

    type: Literal["sequential"]
    tolerance_gt: _Natural = 1
    """Game ticks that each delay may be off."""
    tick_gt: _Count = 2
    """Game ticks in a tick of ``delays``: 2 reads them as redstone ticks."""
    delays: Annotated[tuple[_Count, ...], Field(min_length=1)]
    """Ticks from each lamp to the next."""


class Pulse(_Strict):
    """The lamps light up together, for a while, once: family E."""

    type: Literal["pulse"]
    max_skew_gt: _Natural = 1
    """Game ticks between the first and the last lamp."""
    tolerance_gt: _Natural = 1
    """Game ticks that the duration may be off."""
    tick_gt: _Count = 2
    """Game ticks in a tick of ``tau``: 2 reads it as redstone ticks."""
    tau: _Count
    """Ticks that every lamp stays lit."""


Contract = Annotated[Simultaneous | Sequential | Pulse, Field(discriminator="type")]


class Action(_Strict):
    """A step of a test: the press, or the check with the window it looks at."""

    action: str
    params: dict[str, int] = {}


class TestCase(_Strict):
    """A named sequence of steps."""

    __test__ = False  # it is no test of pytest

    name: str
    sequence: tuple[Action, Action]


class CircuitTask(_Strict):
    """A task: an instruction, a region, a palette and a contract."""

    task_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=40)]
    family: Literal["A", "B", "C", "D", "E"]
    level: Annotated[str, Field(pattern=r"^L[0-9]+$|^custom$")]
    task_name: str
    task_description: str
    """The instruction, in words."""
    world: Region
    allowed_blocks: tuple[str, ...]
    inputs: Inputs
    outputs: Outputs
    contract: Contract
    test_cases: Annotated[tuple[TestCase, ...], Field(min_length=1, max_length=1)]
    budget: dict[Literal["verification_trials"], _Count] = {"verification_trials": BUDGET}
    metadata: dict[str, Any] = {}
    """Not used by the checker: ``hint``, ``learning_objectives``."""

    @property
    def lamps(self) -> int:
        """How many lamps it asks for."""
        return self.outputs.lamps.count

    @property
    def window_gt(self) -> int:
        """Game ticks after the press that the checker looks at."""
        return self.test_cases[0].sequence[1].params["window_gt"]

    @property
    def trials(self) -> int:
        """Presses that an agent has."""
        return self.budget["verification_trials"]

    @property
    def hint(self) -> str:
        """The area of missing knowledge that the hint condition names."""
        return self.metadata.get("hint", "")

    @classmethod
    def load(cls, name_or_path: str | Path) -> "CircuitTask":
        """Read a task by name (``A_L1``), or a file by path (a ``Path``, or text with / or .yaml).

        Raises:
            UnknownNameError: no task has that name; the message lists those there are.
            InputError: the file cannot be used; names file, place and what was expected.
        """
        text = str(name_or_path)
        is_path = isinstance(name_or_path, Path) or "/" in text or text.endswith((".yaml", ".yml"))
        path = Path(text) if is_path else named_file(FOLDER, text, ".yaml")
        try:
            return cls.from_yaml(path.read_text(encoding="utf-8"), path)
        except (OSError, UnicodeDecodeError) as e:
            raise InputError(path, "", str(e), "a readable YAML file in UTF-8") from None

    @classmethod
    def from_yaml(cls, text: str, source: object = "<yaml>") -> "CircuitTask":
        """Read a task from YAML text; ``source`` is how errors call it.

        Raises:
            InputError: the text cannot be used; names source, place and what was expected.
        """
        try:
            data = yaml.load(text, _UniqueKeys)
        except yaml.YAMLError as e:
            raise InputError(source, "", str(e).splitlines()[0], f"valid YAML ({e})") from None
        try:
            task = cls.model_validate(data)
        except ValidationError as e:
            first = e.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InputError(source, place, first["input"], first["msg"]) from None
        _check(task, source)
        return task

    def to_yaml(self) -> str:
        """Return the YAML text that ``from_yaml`` reads back to an equal task."""
        data = self.model_dump(mode="json", exclude_unset=True)
        return yaml.safe_dump(data, sort_keys=False, width=100, default_flow_style=None)


class _UniqueKeys(yaml.SafeLoader):
    """The safe loader, less its habit of taking the last of two equal keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is there twice", node.start_mark
                )
        return super().construct_mapping(node, deep)


def _check(task: CircuitTask, source: object) -> None:
    """Check what the fields cannot say alone."""
    contract, n = task.contract, task.lamps
    for i, name in enumerate(task.allowed_blocks):
        if name.removeprefix("minecraft:") not in {*PROPERTIES, "redstone_repeater"}:
            raise InputError(source, f"allowed_blocks[{i}]", name, f"one of {', '.join(_PALETTE)}")
    if task.inputs.button.count != 1:
        raise InputError(source, "inputs.button.count", task.inputs.button.count, "1")
    if "window_gt" not in task.test_cases[0].sequence[1].params:
        place = "test_cases.0.sequence.1.params"
        raise InputError(source, place, None, "window_gt, the game ticks to look at")
    if isinstance(contract, Sequential) and len(contract.delays) != n - 1:
        raise InputError(source, "contract.delays", contract.delays, f"{n - 1} delays of {n} lamps")
    if isinstance(contract, Simultaneous):
        groups, share = contract.distance_buckets, contract.lamps_per_bucket
        if groups and len(groups) * share != n:
            place = "contract.distance_buckets"
            raise InputError(source, place, f"{groups} x {share}", f"{n} lamps in all")


def names() -> tuple[str, ...]:
    """Return the names of the 25 tasks, sorted."""
    return names_in(FOLDER, ".yaml")


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
    contract, check, window, name, text = _terms(family, lamps, reach, delays, distances, tau)
    task = {
        "task_id": f"{family}_{level}",
        "family": family,
        "level": level,
        "task_name": f"{name} {level} (N={lamps})",
        "task_description": text,
        "world": {"anchor": (0, 4, 0), "radius": 10, "floor_y": 3},
        "allowed_blocks": tuple(full(block) for block in _PALETTE),
        "inputs": {"button": {"block": "minecraft:stone_button", "count": 1}},
        "outputs": {"lamps": {"block": "minecraft:redstone_lamp", "count": lamps}},
        "contract": contract,
        "test_cases": (
            {
                "name": "press_once",
                "sequence": (
                    {"action": "press_button"},
                    {"action": check, "params": {"window_gt": window}},
                ),
            },
        ),
        "budget": {"verification_trials": BUDGET},
        "metadata": {"hint": hint, "learning_objectives": []},
    }
    try:
        made = CircuitTask.model_validate(task)
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError("generate", place, first["input"], first["msg"]) from None
    _check(made, "generate")
    return made


def _terms(
    family: str,
    lamps: int,
    reach: int,
    delays: tuple[int, ...],
    distances: tuple[int, ...],
    tau: int,
) -> tuple[dict[str, Any], str, int, str, str]:
    """Return contract, name of the check, window, name and instruction of a family."""
    together: dict[str, Any] = {"type": "simultaneous", "max_skew_gt": 1}
    exact: dict[str, Any] = {"tolerance_gt": 1, "tick_gt": 2}
    press = "Build a circuit so that one press of its single stone button"
    match family:
        case "A":
            text = f"{press} switches on all {lamps} redstone lamps in the same tick."
            return together, "check_simultaneous", 60, "Simultaneous N-Lamp Control", text
        case "B":
            terms = {
                "min_t_junctions": 1,
                "required_reach": reach,
                "repeaters_required": reach > 15,
            }
            text = (
                f"{press} switches on {lamps} lamps together, which branch off a trunk at"
                f" T-junctions; the farthest is at least {reach} wire cells from the button's block."
            )
            return together | terms, "check_branch_reach", 60, "Branch Reach", text
        case "C":
            text = (
                f"{press} switches on {lamps} lamps one after another, with the delays"
                f" {list(delays)} between them (redstone ticks of 2 game ticks)."
            )
            terms = {"type": "sequential", **exact, "delays": delays}
            return terms, "check_sequence", 60 + 2 * sum(delays), "Sequential Activation", text
        case "D":
            share = lamps // max(1, len(distances))
            terms = {"distance_buckets": distances, "lamps_per_bucket": share}
            text = (
                f"{press} switches on {lamps} lamps together: {share} each at distances of"
                f" {', '.join(map(str, distances))} wire cells from the button's block"
                " (Manhattan distance less one)."
            )
            return together | terms, "check_equal_delay", 60, "Equal-Delay Distribution", text
        case "E":
            text = (
                f"{press} keeps all {lamps} lamps lit together for exactly {tau} redstone ticks"
                f" ({2 * tau} game ticks), then dark again."
            )
            terms = {"type": "pulse", "max_skew_gt": 1, **exact, "tau": tau}
            return terms, "check_pulse", max(80, 56 + 2 * tau), "Pulse Shaping", text
    raise InputError("generate", "family", family, f"one of {', '.join(FAMILIES)}")


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
