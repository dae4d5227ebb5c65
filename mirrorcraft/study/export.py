"""Episodes and steps as two Parquet files, for pandas, polars, DuckDB or R."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.store import EPISODES, collector_paused, read_lines, read_run

EPISODE_FILE, STEP_FILE = "episodes.parquet", "steps.parquet"
_AT_ONCE = 500  # episodes in memory

# Column to its type; values whose form differs from skill to skill are JSON text.
EPISODE_COLUMNS = {
    "id": "string",
    "pair_id": "string",
    "world": "string",
    "suite": "string",
    "task": "string",
    "agent": "string",
    "model": "string",
    "budget": "int32",
    "disclosure": "string",
    "repetition": "int32",
    "score": "int32",
    "success": "bool_",
    "actions": "int32",
    "ending": "string",
    "elapsed_s": "float64",
    "calls": "int32",
    "input": "int64",
    "cached": "int64",
    "output": "int64",
    "cost_usd": "float64",
    "model_returned": "string",
    "provenance": "string",
}
STEP_COLUMNS = {
    "id": "string",
    "step": "int32",
    "skill": "string",
    "args": "string",
    "ok": "bool_",
    "reason": "string",
    "result": "string",
    "delta": "string",
    "ticks": "int32",
    "score": "int32",
    "advancements": "string",
    "encounters": "string",
    "observation": "string",
    "x": "float64",
    "y": "float64",
    "z": "float64",
}
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
Columns = dict[str, list[Any]]


def export(folder: Path, out: Path) -> tuple[int, int]:
    """Write ``episodes.parquet`` and ``steps.parquet``; return their numbers of rows.

    Args:
        folder: a run folder, finished or not.
        out: the folder to write to; made if absent.

    Raises:
        StudyError: it is no run folder, a line of it cannot be read, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        expected = "the extra: pip install 'mirrorcraft[parquet]'"
        raise StudyError(out, "", "no pyarrow", expected) from None
    planned = {spec.id for spec in read_run(folder, episodes=False).specs}
    out.mkdir(parents=True, exist_ok=True)
    schemas = [
        pa.schema([(name, getattr(pa, kind)()) for name, kind in columns.items()])
        for columns in (EPISODE_COLUMNS, STEP_COLUMNS)
    ]
    files = [out / EPISODE_FILE, out / STEP_FILE]
    partial = [file.with_name(file.name + ".part") for file in files]
    writers = [parquet.ParquetWriter(p, s) for p, s in zip(partial, schemas, strict=True)]
    counts = [0, 0]
    records = _records(folder / EPISODES, planned)
    with collector_paused():
        while batch := list(islice(records, _AT_ONCE)):
            for i, columns in enumerate((_episode_columns(batch), _step_columns(batch))):
                rows = pa.table(columns, schema=schemas[i])
                writers[i].write_table(rows)
                counts[i] += rows.num_rows
    for writer, part, file in zip(writers, partial, files, strict=True):
        writer.close()
        part.replace(file)
    return counts[0], counts[1]


def _records(path: Path, planned: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the parsed lines of a store, each planned episode once."""
    seen: set[str] = set()
    for number, line in enumerate(read_lines(path).lines, 1):
        try:
            record = json.loads(line)
            known = record["id"] in planned
        except (ValueError, KeyError, TypeError) as e:
            expected = f"an episode record ({type(e).__name__}: {e})"
            raise StudyError(path, f"line {number}", line, expected) from None
        if not known:
            raise StudyError(path, f"line {number}", record["id"], "an id of plan.jsonl")
        if record["id"] not in seen:
            seen.add(record["id"])
            yield record


def _episode_columns(records: list[dict[str, Any]]) -> Columns:
    columns: Columns = {name: [] for name in EPISODE_COLUMNS}
    for record in records:
        used = record.get("usage") or {}
        own = {"model_returned": used.get("model"), "provenance": _encode(record["provenance"])}
        row = used | record | record["spec"] | own
        for name, column in columns.items():
            column.append(row.get(name))
    return columns


def _step_columns(records: list[dict[str, Any]]) -> Columns:
    columns: Columns = {name: [] for name in STEP_COLUMNS}
    into = [column.append for column in columns.values()]
    for record in records:
        for number, step in enumerate(record["steps"], 1):
            row = (record["id"], number, *_step_row(step))
            for append, value in zip(into, row, strict=True):
                append(value)
    return columns


def _step_row(step: Mapping[str, Any]) -> tuple[Any, ...]:
    outcome = step.get("outcome")
    told = (
        (outcome["ok"], outcome["reason"], _encode(outcome["result"]), _encode(outcome["delta"]),
         outcome["ticks"])
        if outcome
        else (None,) * 5
    )  # fmt: skip
    return (
        step["skill"],
        _encode(step["args"]),
        *told,
        step["score"],
        _names(*step.get("advancements", ())),
        _names(*step.get("encounters", ())),
        step.get("observation"),
        *(step.get("at") or (None, None, None)),
    )


@lru_cache(maxsize=4096)
def _names(*names: str) -> str:
    return _encode(names)
