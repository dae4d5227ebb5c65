"""What is kept of an episode: one JSON line with what was played, and what came of it."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from mirrorcraft.core.action import Action
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Outcome
from mirrorcraft.study.provenance import Provenance, digest

_LONGEST_TEXT, _LONGEST_LIST, _DEEPEST = 200, 32, 4


class StepRecord(NamedTuple):
    """What is kept of one action.

    Attributes:
        action: the action as the agent sent it, made recordable.
        outcome: ``Outcome.as_dict()``, or None in a compact record.
        observation: digest of the observation after the action, or None in a compact record.
        score: Score after the action.
        advancements: those completed by the action.
        encounters: ids of the changed rules whose outcome the action triggered.
        at: (x, y, z) of the feet after the action, or None in a compact record.
    """

    action: Action
    outcome: dict[str, Any] | None
    observation: str | None
    score: int
    advancements: tuple[str, ...]
    encounters: tuple[str, ...]
    at: tuple[float, float, float] | None = None


class Usage(NamedTuple):
    """What the model behind an agent used in one episode; calls that do not act count too.

    Attributes:
        calls: requests answered.
        input: tokens of the prompts, cached ones included.
        cached: those of them that the provider had in its cache.
        output: tokens of the replies.
        cost_usd: US dollars; None where no price is known.
        model: the model's id as the provider returned it; None if it returned none.
        account: how its replies were read, what troubled the requests and what the mechanisms of
            the configuration did, see ``agents.session.Session.summary``; None where it was not kept.
    """

    calls: int
    input: int
    cached: int
    output: int
    cost_usd: float | None
    model: str | None
    account: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """A finished episode.

    Attributes:
        spec: what was played.
        score: the value of the deepest milestone completed, 0 to 100.
        actions: semantic actions used; None where it was not kept.
        ending: a value of ``Ending``.
        start: digest of the first observation.
        steps: one for each action.
        provenance: what it was made with.
        elapsed_s: wall-clock time; the one field in which two runs of a spec may differ.
        usage: of the model behind the agent; None for an agent without one.
    """

    spec: EpisodeSpec
    score: int
    actions: int | None
    ending: str
    start: str
    steps: tuple[StepRecord, ...]
    provenance: Provenance
    elapsed_s: float
    usage: Usage | None = None

    @property
    def success(self) -> bool:
        """Whether the final milestone was reached (Score 100; paper v2, section 3.4)."""
        return self.score == 100

    def content(self) -> dict[str, Any]:
        """Return all but the wall-clock time, JSON-ready: equal for equal specs."""
        content = {
            "id": self.spec.id,
            "pair_id": self.spec.pair_id,
            "spec": asdict(self.spec),
            "score": self.score,
            "success": self.success,
            "actions": self.actions,
            "ending": self.ending,
            "start": self.start,
            "steps": [_step_json(s) for s in self.steps],
            "provenance": self.provenance._asdict(),
        }
        return content | ({"usage": self.usage._asdict()} if self.usage else {})

    def to_line(self) -> str:
        """Return the record as one JSON line without its line end."""
        return _encode(self.content() | {"elapsed_s": self.elapsed_s})

    @staticmethod
    def from_line(line: str, *, compact: bool = False) -> "EpisodeRecord":
        """Read what ``to_line`` wrote.

        Args:
            line: one line of a store.
            compact: leave out what metrics do not need, as a compact record does: a tenth of the
                memory.

        Raises:
            ValueError: the line is no record, or its id is not that of its spec.
        """
        try:
            data = json.loads(line)
            spec = EpisodeSpec(**data["spec"])
            record = EpisodeRecord(
                spec=spec,
                score=data["score"],
                actions=data["actions"],
                ending=data["ending"],
                start=data["start"],
                steps=tuple(_step_from_json(s, compact) for s in data["steps"]),
                provenance=Provenance(**data["provenance"]),
                elapsed_s=data["elapsed_s"],
                usage=Usage(**data["usage"]) if "usage" in data else None,
            )
        except (KeyError, TypeError) as e:
            raise ValueError(f"not an episode record ({type(e).__name__}: {e})") from None
        if data["id"] != spec.id:
            raise ValueError(f"id {data['id']} is not that of its spec, {spec.id}")
        if any(
            type(score) is not int for score in (record.score, *(s.score for s in record.steps))
        ):
            raise ValueError("a Score that is no integer")
        return record


def step_record(
    action: Any,
    outcome: Outcome,
    observation: Observation,
    score: int,
    audit: tuple[tuple[str, ...], tuple[str, ...]],
    *,
    compact: bool,
) -> StepRecord:
    """Return the record of one action; ``audit`` is the pair of advancements and encounters."""
    return StepRecord(
        recordable_action(action),
        None if compact else outcome.as_dict(),
        None if compact else digest(observation.to_json()),
        score,
        *audit,
        at=None if compact else _place(observation),
    )


def _place(observation: Observation) -> tuple[float, float, float]:
    at = observation.position
    return at["x"], at["y"], at["z"]


def recordable_action(action: Any) -> Action:
    """Return whatever an agent sent as an action of short plain JSON values."""
    skill = recordable(getattr(action, "skill", None))
    args = recordable(getattr(action, "args", None))
    return Action(str(skill), args if isinstance(args, dict) else {"not an object": args})


def recordable(value: Any, depth: int = 0) -> Any:
    """Return a value as plain JSON: long texts and lists cut, everything else named by its type."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else "<int too large>"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        clean = value[:_LONGEST_TEXT].encode("utf-8", "replace").decode()
        cut = f"... ({len(value)} characters)" if len(value) > _LONGEST_TEXT else ""
        return clean + cut
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        cells = [recordable(v, depth + 1) for v in value[:_LONGEST_LIST]]
        return [*cells, f"... ({len(value)} in all)"] if len(value) > _LONGEST_LIST else cells
    if depth < _DEEPEST and isinstance(value, Mapping):
        pairs = list(value.items())[:_LONGEST_LIST]
        return {str(recordable(k, _DEEPEST)): recordable(v, depth + 1) for k, v in pairs}
    return f"<{type(value).__name__}>"


def _step_json(step: StepRecord) -> dict[str, Any]:
    kept = {"skill": step.action.skill, "args": step.action.args, "score": step.score}
    optional = {
        "outcome": step.outcome,
        "observation": step.observation,
        "advancements": step.advancements or None,
        "encounters": step.encounters or None,
        "at": step.at,
    }
    return kept | {k: v for k, v in optional.items() if v is not None}


def _step_from_json(data: dict[str, Any], compact: bool) -> StepRecord:
    full = not compact
    return StepRecord(
        Action(data["skill"], data["args"]),
        data.get("outcome") if full else None,
        data.get("observation") if full else None,
        data["score"],
        tuple(data.get("advancements", ())),
        tuple(data.get("encounters", ())),
        tuple(data["at"]) if full and "at" in data else None,
    )


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
