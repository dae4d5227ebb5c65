"""What an agent sees, and all that it sees."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Observation:
    """The visible half of a step, plain JSON values only.

    Two worlds that differ only in rules give byte-equal observations until a changed rule is triggered.

    Attributes:
        task: ``{"id", "title", "goal", "milestones": [{"id", "title", "value", "description", "done"}], "next"}``;
            ``next`` is the first milestone not done, or None.
        progress: ``{"score": 0..100, "done": [milestone ids]}``.
        budget: ``{"used", "left"}`` in semantic actions.
        inventory: item id to count, worn armor and the held item included.
        equipped: ``{"hand", "head", "chest", "legs", "feet"}``: item id or None.
        experience: ``{"level"}``.
        survival: ``{"health", "food", "alive"}``.
        position: ``{"x", "y", "z"}`` of the feet, rounded to 0.1.
        biome: id such as ``plains``.
        targets: block id to the distance of the nearest such block within the search radius, rounded to 0.1;
            never a count. Blocks of ``hidden_blocks`` in ``rules/body.json`` are left out.
        drops: item id to the distance of the nearest dropped item of that kind.
        entities: entity id to ``{"count", "nearest"}`` of the living ones within the search radius.
        facilities: placed stations near the body, block id to the nearest distance.
        last: the outcome of the last action (``Outcome.as_dict`` with ``"skill"`` and ``"args"`` added), or None.
        skills: names of the skills.
    """

    task: dict[str, Any]
    progress: dict[str, Any]
    budget: dict[str, int]
    inventory: dict[str, int]
    equipped: dict[str, str | None]
    experience: dict[str, int]
    survival: dict[str, Any]
    position: dict[str, float]
    biome: str
    targets: dict[str, float]
    drops: dict[str, float]
    entities: dict[str, dict[str, Any]]
    facilities: dict[str, float]
    last: dict[str, Any] | None
    skills: tuple[str, ...]

    def to_json(self) -> str:
        """Return the canonical text: sorted keys, no spaces."""
        values = {name: getattr(self, name) for name in self.__slots__}
        rare = {name: _encode_rare(values.pop(name)) for name in ("task", "progress", "skills")}
        last = {name: values.pop(name) for name in ("survival", "targets")}
        # The keys in order: everything up to position, then progress, skills, survival, targets, task.
        return (
            f'{_encode(values)[:-1]},"progress":{rare["progress"]},"skills":{rare["skills"]},'
            f'{_encode(last)[1:-1]},"task":{rare["task"]}}}'
        )


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
_rare: dict[int, tuple[Any, str]] = {}


def _encode_rare(value: Any) -> str:
    """Encode a part that changes only with a milestone: backends hand on the same object until then."""
    known = _rare.get(id(value))
    if known is None or known[0] is not value:
        if len(_rare) >= 256:
            _rare.clear()
        known = _rare[id(value)] = (value, _encode(value))
    return known[1]
