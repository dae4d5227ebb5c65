"""Plays what a run folder does not hold yet of a study, and stores each episode as it ends."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.study.models import models_of, write_prices
from mirrorcraft.study.plan import StudyConfig, plan
from mirrorcraft.study.play import Report, Setup
from mirrorcraft.study.ray_workers import play_on_ray
from mirrorcraft.study.threads import play_in_threads
from mirrorcraft.study.workers import play_here, play_in_processes
from mirrorcraft.study.writer import Writer, missing


class Limits(NamedTuple):
    """When to stop before the end; what is finished is kept, and the next run goes on.

    Attributes:
        cost_usd: what all episodes in the folder may cost; None for no limit. Workers finish the
            episodes that they are in, so the sum can end a little above it.
        faults: attempts that may break in this run; None for no limit.
    """

    cost_usd: float | None = None
    faults: int | None = None

    def reached(self, at: "Progress") -> str | None:
        """Return why to stop, or None."""
        if self.cost_usd is not None and at.cost_usd >= self.cost_usd:
            return f"the cost reached {at.cost_usd:.2f} of {self.cost_usd:.2f} US$"
        if self.faults is not None and at.faults >= self.faults:
            return f"{at.faults} attempts broke, and {self.faults} are the limit"
        return None


class Progress(NamedTuple):
    """How far a study is.

    Attributes:
        done: episodes in the writer.
        total: episodes in the plan.
        faults: attempts that broke in this run.
        cost_usd: what all episodes in the store cost, as far as prices are known.
        stopped: why the run ended early, or None.
    """

    done: int
    total: int
    faults: int
    cost_usd: float = 0.0
    stopped: str | None = None


def run_study(
    text: str,
    config: StudyConfig,
    folder: Path,
    *,
    workers: int | None = None,
    setup: Setup | None = None,
    limits: Limits | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> Progress:
    """Play what ``folder`` does not hold yet of a study, and return how far it is.

    Args:
        text: the study file, kept in the folder as given.
        config: what ``text`` says.
        folder: the run folder; made if absent, continued if it holds the same study.
        workers: processes; as many as there are cores when None; 1 plays in this process.
        setup: what plays; what the study names as its backend when None.
        limits: when to stop early; never when None.
        on_progress: called at the start and after every episode.
        on_note: called with a sentence for each thing repaired.

    Raises:
        StudyError: the folder holds another study, is in use or cannot be written.
        InputError: an agent cannot play as the study says, such as untold of the rules.
        NotReady: this machine lacks what the backend needs.
        Crash: an agent or a backend has a bug. Everything finished is in the writer.
    """
    models = models_of(config, folder)
    setup = (setup or Setup.on(config.backend))._replace(
        compact=config.record == "compact", models=models
    )
    limits = limits or Limits()
    specs = plan(config)
    with Writer(folder, text, config, specs) as writer:
        for note in writer.repaired:
            on_note(note)
        write_prices(models)
        at = Progress(len(writer.done), len(specs), 0, writer.cost_usd)
        on_progress(at)
        left = missing(specs, writer.done)
        if (why := limits.reached(at)) and left:
            return at._replace(stopped=why)
        for report in _reports(left, setup, config.executor, workers):
            _keep(writer, report)
            cost, faults = at.cost_usd + report.cost_usd, at.faults + len(report.faults)
            at = Progress(len(writer.done), len(specs), faults, cost)
            on_progress(at)
            if (why := limits.reached(at)) and at.done < at.total:
                return at._replace(stopped=why)
        return at


def _reports(
    specs: list[EpisodeSpec], setup: Setup, executor: str, workers: int | None
) -> Iterator[Report]:
    if executor == "ray" and specs:
        return play_on_ray(specs, setup, workers)
    if executor == "threads" and specs:
        return play_in_threads(specs, setup, workers)
    count = min(workers or os.cpu_count() or 1, len(specs))
    return play_here(specs, setup) if count <= 1 else play_in_processes(specs, setup, count)


def _keep(writer: Writer, report: Report) -> None:
    for error in report.faults:
        writer.add_fault(report.id, error)
    if report.line is not None:
        writer.add(report.id, report.line)
