"""Episodes from a CSV file with one row each, for tables of what was played elsewhere."""

import csv
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.episode import DISCLOSED, HIDDEN, VANILLA, EpisodeSpec
from mirrorcraft.core.errors import StudyError, did_you_mean
from mirrorcraft.core.task import Task
from mirrorcraft.study.provenance import Provenance
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import tables_of

COLUMNS = (
    "model",
    "task",
    "configuration",
    "rules_disclosed",
    "condition",
    "biome",
    "world_id",
    "repetition",
    "score",
    "success",
)
_ELSEWHERE = Provenance("", "", "", "", "", "", backend="elsewhere")
_TASKS = ("Iron Armor", "Diamond")  # of the comparison within a suite, as such files name them


class EpisodeTable(NamedTuple):
    """What an episode file holds.

    Attributes:
        episodes: records without steps, so without what needs them: actions, IRR, RL, checkpoints.
        biomes: world to its biome.
    """

    episodes: list[EpisodeRecord]
    biomes: dict[str, str]


def read_episode_table(path: Path) -> EpisodeTable:
    """Read a CSV file with the columns ``COLUMNS``.

    Raises:
        StudyError: it cannot be read, a column is missing, a value is none, an episode comes twice,
            or a world has two biomes; the message names the line.
    """
    records: dict[EpisodeSpec, EpisodeRecord] = {}
    biomes: dict[str, str] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            missing = [c for c in COLUMNS if c not in (rows.fieldnames or ())]
            if missing:
                expected = f"the columns {', '.join(COLUMNS)}"
                raise StudyError(path, "line 1", f"no {', '.join(missing)}", expected)
            for row in rows:
                place = f"line {rows.line_num}"
                record = _record(row, path, place)
                if record.spec in records:
                    raise StudyError(path, place, record.spec.id, "each episode once")
                records[record.spec] = record
                world = row["world_id"]
                if biomes.setdefault(world, row["biome"]) != row["biome"]:
                    raise StudyError(path, place, row["biome"], f"{biomes[world]} for {world}")
    except (OSError, UnicodeDecodeError) as e:
        raise StudyError(path, "", str(e), "a CSV file of episodes") from None
    return EpisodeTable(list(records.values()), biomes)


def report_table(path: Path) -> dict[str, Any]:
    """Return the tables of an episode file (``report.tables_of``).

    Raises:
        StudyError: see ``read_episode_table``.
    """
    found = read_episode_table(path)
    suites = sorted({e.spec.suite for e in found.episodes}, key=lambda s: (s != VANILLA, s))
    return tables_of(
        found.episodes,
        path.stem,
        specs=[e.spec for e in found.episodes],
        biomes=found.biomes,
        suites=suites,
        compared_tasks=_TASKS,
    )


def _record(row: dict[str, str], path: Path, place: str) -> EpisodeRecord:
    try:
        score, success = int(row["score"]), int(row["success"])
        disclosure = {"0": HIDDEN, "1": DISCLOSED}[row["rules_disclosed"]]
        repetition = int(row["repetition"])
    except (KeyError, TypeError, ValueError) as e:
        expected = "integers, and 0 or 1 for rules_disclosed"
        raise StudyError(path, place, str(e), expected) from None
    for column in ("task", "configuration", "condition", "world_id"):
        if not row[column]:
            raise StudyError(path, f"{place}: {column}", row[column], "a name")
    scores = _scores(row["task"], path, place)
    if score not in scores or success != (score == 100):
        expected = f"a Score of {', '.join(map(str, scores))}, and success 1 exactly at 100"
        raise StudyError(path, place, (score, success), expected)
    spec = EpisodeSpec(
        world=row["world_id"],
        suite=row["condition"],
        task=row["task"],
        agent=row["configuration"].removesuffix(" w/rules"),
        model=row["model"] or None,
        budget=0,
        disclosure=disclosure,
        repetition=repetition,
    )
    return EpisodeRecord(spec, score, None, "unknown", "", (), _ELSEWHERE, 0.0)


def _scores(task: str, path: Path, place: str) -> list[int]:
    """Return the Scores that a task knows; it goes by its id or its title."""
    tasks = [Task.load(name) for name in Task.names()]
    named = {name: found for found in tasks for name in (found.id, found.title)}
    if task not in named:
        expected = f"a task of the benchmark{did_you_mean(task, named)}"
        raise StudyError(path, f"{place}: task", task, expected)
    return [0, *(m.value for m in named[task].milestones)]
