"""What is said of many attempts: rows of numbers, lines of gaps, and one HTML page with builds to replay."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.tracks.circuits import metrics
from mirrorcraft.tracks.circuits.folder import read_details
from mirrorcraft.tracks.circuits.page import page, player, table
from mirrorcraft.tracks.circuits.physics import VANILLA, physics_for
from mirrorcraft.tracks.circuits.protocol import CONDITIONS
from mirrorcraft.tracks.circuits.record import Record
from mirrorcraft.tracks.circuits.tasks import CircuitTask

SHOWN = 12
"""Attempts that a page replays when none are named."""


def rows_of(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return, for each agent and suite, means by condition, gaps, ratios and the Rule Intervention Effect."""
    rows = []
    for agent, own in metrics.by(records, lambda r: r.agent).items():
        for suite, played in metrics.by(own, lambda r: r.suite).items():
            gap = metrics.gaps_of(played)
            groups = metrics.by(played, lambda r: r.condition)
            conditions = {
                name: metrics.summary(groups[name])._asdict()
                | {
                    "families": _rates(groups[name], "family"),
                    "levels": _rates(groups[name], "level"),
                }
                for name in sorted(groups, key=_place)
            }
            rows.append(
                {
                    "agent": agent,
                    "suite": suite,
                    "conditions": conditions,
                    "gaps": gap and gap._asdict(),
                    "ratios": gap and gap.ratios(),
                    "rie": None if suite == VANILLA else metrics.intervention_effect(own, suite),
                }
            )
    return rows


def _place(condition: str) -> tuple[int, str]:
    """Return where a condition stands in the order of the protocol."""
    base = condition.partition(":")[0]
    return list(CONDITIONS).index(base) if base in CONDITIONS else len(CONDITIONS), condition


def _rates(records: list[Record], key: str) -> dict[str, float | None]:
    groups = metrics.by(records, lambda r: getattr(r, key))
    return {name: metrics.success(group) for name, group in groups.items()}


def number(value: float | None, digits: int = 1) -> str:
    """Return a number for a table; what there is not is a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def gap_lines(row: dict[str, Any]) -> list[str]:
    """Return what a row of ``rows_of`` says of gaps and of the effect of changed rules."""
    lines = []
    if row["gaps"]:
        ratios = row["ratios"]
        parts = [f"baseline {row['gaps']['baseline']:.1f}"]
        for name, ratio in ratios.items():
            gap = row["gaps"][name]
            if gap is not None:
                parts.append(f"{name} {gap:.1f}" + ("" if ratio is None else f" ({ratio:.2f}x)"))
        lines.append(f"gaps of {row['agent']} ({row['suite']}): {', '.join(parts)}")
    if row["rie"] is not None:
        lines.append(f"RIE of {row['suite']} on {row['agent']}: {row['rie']:.1f}")
    return lines


def report(folder: Path, records: Sequence[Record], replays: Sequence[str] = ()) -> str:
    """Return the page of a folder of attempts.

    Args:
        folder: where the details of the attempts are.
        records: the attempts.
        replays: ids of attempts to replay; some that failed, and passed, when empty.

    Raises:
        InputError: an id is none of the attempts', or its details cannot be read.
    """
    known = {record.id: record for record in records}
    for name in replays:
        if name not in known:
            raise InputError(folder, "replay", name, "the id of an attempt, see attempts.jsonl")
    chosen = [known[name] for name in replays] or _telling(records)
    parts = [_numbers(rows_of(records)), "<h2>Builds</h2>"]
    parts += [_replayed(folder, record, open_=bool(replays)) for record in chosen]
    return page(f"Circuits: {len(records)} attempts", parts)


def _telling(records: Sequence[Record]) -> list[Record]:
    """Return the first failure of each agent and condition, and the first success."""
    first: dict[tuple[str, str, str, bool], Record] = {}
    for record in records:
        first.setdefault((record.agent, record.suite, record.condition, record.passed), record)
    return sorted(first.values(), key=lambda r: (r.passed, r.id))[:SHOWN]


def _numbers(rows: Sequence[dict[str, Any]]) -> str:
    """Return the tables and lines of the page."""
    played = [(row, name, means) for row in rows for name, means in row["conditions"].items()]
    keys = ("sr", "trials", "scientist_trials", "rebuilds", "tokens")
    effort = [
        [
            *(row["agent"], row["suite"], name, str(means["n"])),
            *(number(means[key]) for key in keys),
            *(number(means["cost_usd"], 4), number(means["lit"]), number(means["skew_gt"])),
        ]
        for row, name, means in played
    ]
    who = ("agent", "suite", "condition")
    what = ("attempts", "success %", "trials", "scientist's", "rebuilds", "tokens", "US$", "lit %", "skew gt")  # fmt: skip
    split = [(kind, key) for kind in ("families", "levels") for key in _keys(played, kind)]
    rates = [
        [row["agent"], row["suite"], name, *(number(means[kind].get(key)) for kind, key in split)]
        for row, name, means in played
    ]
    lines = [f"<p>{escape(line)}</p>" for row in rows for line in gap_lines(row)]
    parts = [table((*who, *what), effort, 3), *lines, "<h2>Success by family and level, %</h2>"]
    return "\n".join([*parts, table((*who, *(key for _, key in split)), rates, 3)])


def _keys(played: Iterable[tuple[Any, str, dict[str, Any]]], kind: str) -> list[str]:
    return sorted({key for _, _, means in played for key in means[kind]})


def _replayed(folder: Path, record: Record, open_: bool) -> str:
    build, _ = read_details(folder, record.id)
    task, physics = CircuitTask.load(record.task), physics_for(record.suite)
    word = "passed" if record.passed else "failed"
    title = f"{record.agent}, {record.condition}, {record.suite}, run {record.run}, {record.task}: {word}"
    shown = player(build, task, physics)
    return f"<details{' open' if open_ else ''}><summary>{escape(title)}</summary>{shown}</details>"
