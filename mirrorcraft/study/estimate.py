"""What a study with models will take: calls, tokens, dollars and hours, from a dry run or from a stored one."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from mirrorcraft.agents import make
from mirrorcraft.agents.model import Usage
from mirrorcraft.agents.offline_model import OfflineModel
from mirrorcraft.agents.prices import price_of
from mirrorcraft.agents.session import Terms
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.study.loop import run_episode
from mirrorcraft.study.models import settings_of
from mirrorcraft.study.plan import AgentRow, StudyConfig, plan
from mirrorcraft.study.play import Setup
from mirrorcraft.study.record import EpisodeRecord

_NO_CAPS = {"max_calls": None, "max_tokens_total": None, "max_cost_usd": None}


class Estimate(NamedTuple):
    """What one agent row of a study will take.

    Attributes:
        agent: name of the configuration.
        model: name of its model.
        disclosure: ``hidden`` or ``disclosed``.
        episodes: that are planned.
        sampled: episodes that the estimate rests on.
        calls: model calls.
        input: tokens of the prompts.
        output: tokens of the replies.
        cost_usd: US dollars; None if the model's price is unknown.
        hours: of waiting for the model.
    """

    agent: str
    model: str
    disclosure: str
    episodes: int
    sampled: int
    calls: int
    input: int
    output: int
    cost_usd: float | None
    hours: float


def dry_run(
    config: StudyConfig,
    worlds: int = 1,
    setup: Setup | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[EpisodeRecord]:
    """Play a sample of a study with ``offline/prior`` in place of its models, and return its records.

    Args:
        config: the study.
        worlds: how many of its worlds, the first ones; of each cell there one repetition is played.
        setup: names the backend; the simulator when None.
        on_progress: called with the episodes played and their number.
    """
    rows = {(r.name, r.model, r.disclosure): r for r in config.agents if r.base_url is not None}
    specs = [
        s
        for s in plan(config)
        if (s.agent, s.model, s.disclosure) in rows
        and s.repetition == 0
        and s.world in config.worlds[:worlds]
    ]
    backend = (setup or Setup()).make_backend()
    records = []
    try:
        for number, spec in enumerate(specs, 1):
            settings = settings_of(rows[spec.agent, spec.model, spec.disclosure])
            terms = Terms(settings.model_copy(update=_NO_CAPS))
            agent = make(spec.agent, terms, OfflineModel())
            records.append(run_episode(spec, backend, agent, compact=True))
            on_progress(number, len(specs))
    finally:
        backend.close()
    return records


def estimate(
    config: StudyConfig,
    played: Iterable[EpisodeRecord],
    *,
    seconds_per_call: float | None,
    at_once: int,
) -> list[Estimate]:
    """Scale what played episodes took up to a whole study, cell by cell of suite and task.

    A cell of which nothing was played takes the mean of its agent row; a row of which nothing was played is
    left out.

    Args:
        config: the study.
        played: episodes of it, or of a dry run.
        seconds_per_call: how long a call takes; what ``played`` took when None.
        at_once: episodes that wait for their model at the same time.
    """
    cells: dict[tuple[str, str | None, str], dict[tuple[str, str], list[EpisodeRecord]]] = {}
    for record in played:
        if record.usage is not None:
            row = cells.setdefault(_row(record.spec), defaultdict(list))
            row[record.spec.suite, record.spec.task].append(record)
    specs = plan(config)
    estimates = []
    for agent in config.agents:
        key = (agent.name, agent.model, agent.disclosure)
        if agent.base_url is None or key not in cells:
            continue
        mine = [s for s in specs if _row(s) == key]
        estimates.append(_scaled(config, agent, mine, cells[key], seconds_per_call, at_once))
    return estimates


def _row(spec: EpisodeSpec) -> tuple[str, str | None, str]:
    return spec.agent, spec.model, spec.disclosure


def _scaled(
    config: StudyConfig,
    agent: AgentRow,
    specs: list[EpisodeSpec],
    cells: dict[tuple[str, str], list[EpisodeRecord]],
    seconds_per_call: float | None,
    at_once: int,
) -> Estimate:
    every = [r for records in cells.values() for r in records]
    sums = [0.0] * 4
    seconds = 0.0
    for spec in specs:
        records = cells.get((spec.suite, spec.task)) or every
        used = [r.usage for r in records if r.usage]
        columns = zip(*((u.calls, u.input, u.cached, u.output) for u in used), strict=True)
        means = [sum(column) / len(used) for column in columns]
        sums = [a + b for a, b in zip(sums, means, strict=True)]
        took = sum(r.elapsed_s for r in records) / len(records)
        seconds += took if seconds_per_call is None else means[0] * seconds_per_call
    calls, *tokens = (round(s) for s in sums)
    usage = Usage(*tokens)
    price = price_of(settings_of(agent), Path(config.prices) if config.prices else None)
    cost = None if price is None else round(price.cost(usage), 2)
    return Estimate(
        agent.name, str(agent.model), agent.disclosure, len(specs), len(every),
        calls, usage.input, usage.output, cost, round(seconds / 3600 / at_once, 2),
    )  # fmt: skip
