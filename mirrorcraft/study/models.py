"""What a study's models are asked with and what is kept: settings, prices, trajectories."""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.agents.model import ModelSettings
from mirrorcraft.agents.pace import Purse
from mirrorcraft.agents.prices import price_of
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import StudyError
from mirrorcraft.core.files import write_whole
from mirrorcraft.study.plan import AgentRow, StudyConfig

PRICES, SPENT, TRAJECTORIES = "prices.json", "spent.json", "trajectories"


class ModelRow(NamedTuple):
    """The settings of one agent row, as text, so that another process can be told.

    Attributes:
        agent: name of the configuration.
        disclosure: ``hidden`` or ``disclosed``.
        settings: ``ModelSettings`` as JSON.
    """

    agent: str
    disclosure: str
    settings: str


class Models(NamedTuple):
    """What playing with models takes.

    Attributes:
        rows: the agents that have a model.
        folder: the run folder, for trajectories and the account of the run; None keeps neither.
        prices: a file that overrules the table of prices, or None.
        cap_usd: what the run may cost in all, checked before every call; None for no cap.
    """

    rows: tuple[ModelRow, ...] = ()
    folder: str | None = None
    prices: str | None = None
    cap_usd: float | None = None

    def terms(self, spec: EpisodeSpec) -> Terms | None:
        """Return what an episode's model is asked with, None for an agent without one."""
        for row in self.rows:
            settings = ModelSettings.model_validate_json(row.settings)
            if (row.agent, row.disclosure, settings.model) == (
                spec.agent,
                spec.disclosure,
                spec.model,
            ):
                price = price_of(settings, Path(self.prices) if self.prices else None)
                purse = Purse(Path(self.folder) / SPENT) if self.folder and self.cap_usd else None
                return Terms(settings, price, purse, self.cap_usd)
        return None


def models_of(config: StudyConfig, folder: Path | None) -> Models:
    """Return what a study's models are asked with."""
    rows = tuple(
        ModelRow(row.name, row.disclosure, settings_of(row).model_dump_json())
        for row in config.agents
        if row.base_url is not None
    )
    return Models(rows, str(folder) if folder else None, config.prices, config.max_cost_usd)


def settings_of(row: AgentRow) -> ModelSettings:
    """Return the part of an agent row that is about its model."""
    return ModelSettings(**{name: getattr(row, name) for name in ModelSettings.model_fields})


def write_prices(models: Models) -> None:
    """Keep the prices of a study's models as they are at its start; unknown ones are null."""
    if models.folder is None or not models.rows:
        return
    path = Path(models.folder) / PRICES
    if path.exists():
        return
    prices: dict[str, Any] = {}
    for row in models.rows:
        settings = ModelSettings.model_validate_json(row.settings)
        price = price_of(settings, Path(models.prices) if models.prices else None)
        prices[str(settings.model)] = price and price._asdict()
    write_whole(path, json.dumps(prices, indent=1, sort_keys=True) + "\n")


def write_trajectory(folder: Path, episode: str, calls: list[dict[str, Any]]) -> None:
    """Keep every request and reply: ``trajectories/<episode>.jsonl.gz``, whole or not at all."""
    path = trajectory_path(folder, episode)
    path.parent.mkdir(exist_ok=True)
    lines = "".join(json.dumps(call, ensure_ascii=False) + "\n" for call in calls)
    write_whole(path, gzip.compress(lines.encode(), 6, mtime=0))


def read_trajectory(folder: Path, episode: str) -> list[dict[str, Any]]:
    """Return the model calls of an episode of a run folder.

    Raises:
        StudyError: there is no whole trajectory of it.
    """
    path = trajectory_path(folder, episode)
    try:
        return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    except (OSError, EOFError, ValueError) as e:
        raise StudyError(path, "", str(e), "the trajectory of an episode with a model") from None


def trajectory_path(folder: Path, episode: str) -> Path:
    """Return where the trajectory of an episode lies."""
    return folder / TRAJECTORIES / f"{episode}.jsonl.gz"
