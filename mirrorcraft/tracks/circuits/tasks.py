"""Tasks: what to build, where, out of what, and the contract that its lamps must keep (paper, C.7).

A task is a YAML file; the 25 of the paper lie in ``rules/circuits/tasks``. What the paper leaves open
is in the files too: floor, windows, hints, and that a tick of a contract is a redstone tick, 2 gt.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from mirrorcraft.core.data import file_of, names_in
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.validated import validated
from mirrorcraft.tracks.circuits.blocks import PROPERTIES, Pos

FOLDER = "circuits/tasks"
FAMILIES = ("A", "B", "C", "D", "E")
LEVELS = ("L1", "L2", "L3", "L4", "L5")
BUDGET = 50
"""Verification trials a task (paper, 5.2)."""
PALETTE = (
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
        (x, y, z), (ax, ay, az), r = pos, self.anchor, self.radius
        return abs(x - ax) <= r and abs(y - ay) <= r and abs(z - az) <= r and y > self.floor_y

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
        path = file_of(FOLDER, name_or_path, ".yaml", ".yml")
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
        return cls.from_data(data, source)

    @classmethod
    def from_data(cls, data: Any, source: object) -> "CircuitTask":
        """Return the task in parsed YAML; ``source`` is how errors call it.

        Raises:
            InputError: it cannot be used; names source, place and what was expected.
        """
        task = validated(cls, data, source)
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
            raise InputError(source, f"allowed_blocks[{i}]", name, f"one of {', '.join(PALETTE)}")
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
