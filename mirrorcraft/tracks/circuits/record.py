"""What is kept of an attempt: one JSON line."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.study.store import read_lines


@dataclass(frozen=True)
class Record:
    """One attempt.

    Attributes:
        agent, condition, suite, run, task: what was attempted by whom.
        passed: whether the contract is kept.
        why: the verdict in words.
        trials: presses, the scientist's included.
        scientist_trials: presses of the scientist.
        rebuilds: presses of the engineer after it had changed what it pressed before.
        tokens: of all model calls.
        blocks: blocks that stand at the end.
        lit: lamps that were lit.
        lamps: lamps that stand.
        skew_gt: game ticks from the first lamp to the last, None when none was lit.
        notes: what the engineer wants to remember in later tasks.
        learned: what was added to the knowledge book, see ``Book.since``; nothing as a rule.
        usage: the account of the model's calls, see ``Session.summary``; None without a model.
    """

    agent: str
    condition: str
    suite: str
    run: int
    task: str
    passed: bool
    why: str
    trials: int
    scientist_trials: int
    rebuilds: int
    tokens: int
    blocks: int
    lit: int
    lamps: int
    skew_gt: int | None
    notes: str = ""
    learned: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """What tells the attempt from all others; fit for a file's name."""
        return attempt_id(self.agent, self.condition, self.suite, self.run, self.task)

    @property
    def family(self) -> str:
        """The family of the task."""
        return self.task[0]

    @property
    def level(self) -> str:
        """The level of the task."""
        return self.task.partition("_")[2]

    @property
    def cost_usd(self) -> float | None:
        """What the model's calls cost; None without a model or a known price."""
        return self.usage["cost_usd"] if self.usage else None

    def to_line(self) -> str:
        """Return the record as a JSON line, line end included."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "Record":
        """Read what ``to_line`` wrote.

        Raises:
            ValueError: the line is no record.
        """
        try:
            return cls(**json.loads(line))
        except TypeError as e:
            raise ValueError(str(e)) from None


def attempt_id(agent: str, condition: str, suite: str, run: int, task: str) -> str:
    """Return the id of an attempt: its names, and a digest of them in case two are spelt alike."""
    text = f"{agent}/{condition}/{suite}/{run}/{task}"
    plain = re.sub(r"[^A-Za-z0-9.-]+", "_", f"{agent}.{condition}.{Path(suite).stem}.{run}.{task}")
    return f"{plain[:100]}.{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def read_records(path: Path) -> list[Record]:
    """Return the records in a file of JSON lines; a torn last line does not count.

    Raises:
        InputError: the file cannot be read, or a line is no record.
    """
    records = []
    try:
        lines = read_lines(path).lines
        path.stat()
    except OSError as e:
        raise InputError(path, "", str(e), "a readable file of JSON lines") from None
    for i, line in enumerate(lines, 1):
        try:
            records.append(Record.from_line(line))
        except ValueError as e:
            raise InputError(path, f"line {i}", line, f"a record of an attempt ({e})") from None
    return records
