"""Plays a list of episodes on a Ray cluster: the same ids, the same store, workers that may die.

The store stays with the process that started the study; Ray's workers hold nothing. A batch whose
worker or machine dies is handed out again, so an episode can be played twice but is stored once.
"""

import os
import traceback
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import MirrorcraftError, StudyError
from mirrorcraft.study.play import Crash, Player, Report, Setup
from mirrorcraft.study.workers import batches

_BATCH = 4  # a batch answers as a whole, so a death loses at most so many episodes
_AHEAD = 2  # batches in flight for each worker, so that none waits for the next

_players: dict[Setup, Player] = {}  # in a Ray worker: it keeps its backend between batches


def play_on_ray(specs: list[EpisodeSpec], setup: Setup, count: int | None) -> Iterator[Report]:
    """Yield the report of each episode as its batch ends.

    Args:
        specs: what to play.
        setup: what plays; importable on every machine of the cluster.
        count: workers; as many as the cluster has CPUs when None. The cluster is that of
            ``RAY_ADDRESS``, or one that is started on this machine and stopped afterwards.

    Raises:
        StudyError: Ray is not installed.
        Crash: an agent or a backend has a bug.
        MirrorcraftError: an agent cannot play as the study says.
    """
    try:
        import ray
    except ImportError:
        expected = "the extra: pip install 'mirrorcraft[ray]'"
        raise StudyError("study", "executor", "ray", expected) from None
    ours = not ray.is_initialized()
    if ours:
        # Only a cluster that was asked for: Ray by itself would join one that it finds here. One
        # that is there already has its own number of CPUs.
        address = os.environ.get("RAY_ADDRESS", "local")
        cpus = count if address == "local" else None
        ray.init(address, num_cpus=cpus, log_to_driver=False, include_dashboard=False)
    try:
        workers = count or max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield from _play(ray, specs, setup, workers)
    finally:
        if ours:
            ray.shutdown()


def _play(ray: Any, specs: list[EpisodeSpec], setup: Setup, workers: int) -> Iterator[Report]:
    # Ray would start a dead batch again by itself; we do, so that each death is kept as a fault.
    remote = ray.remote(max_retries=0)(_play_batch)
    broken = ray.exceptions
    deadly = (  # the worker, its machine, its memory, or the answer that it left there
        broken.WorkerCrashedError,
        broken.NodeDiedError,
        broken.OutOfMemoryError,
        broken.ObjectLostError,
    )
    waiting = deque(batches(specs, workers, _BATCH))
    deaths: dict[str, list[str]] = defaultdict(list)
    flying: dict[Any, list[EpisodeSpec]] = {}
    while waiting or flying:
        while waiting and len(flying) < _AHEAD * workers:
            batch = waiting.popleft()
            flying[remote.remote(batch, setup)] = batch
        done, _ = ray.wait(list(flying), num_returns=1)
        batch = flying.pop(done[0])
        try:
            reports, stop = ray.get(done[0])
        except deadly as e:
            rest = []
            for spec in batch:  # which of them the worker was in, nobody knows
                deaths[spec.id].append(f"the worker died ({type(e).__name__})")
                if len(deaths[spec.id]) >= _patience(setup):
                    yield Report(spec.id, None, tuple(deaths[spec.id]))
                else:
                    rest.append(spec)
            waiting.extendleft([spec] for spec in reversed(rest))
            continue
        for report in reports:
            yield report._replace(faults=(*deaths[report.id], *report.faults))
        if stop is not None:
            text, bug = stop
            raise (Crash if bug else MirrorcraftError)(text)


def _patience(setup: Setup) -> int:
    """Return how many deaths an episode is allowed: those of its batch and machine count too."""
    return setup.attempts * _BATCH


def _play_batch(
    batch: list[EpisodeSpec], setup: Setup
) -> tuple[list[Report], tuple[str, bool] | None]:
    """Return the reports of a batch, and the text of what stopped it and whether that is a bug."""
    reports = []
    for spec in batch:
        try:
            player = _players.get(setup) or _players.setdefault(setup, Player(setup))
            reports.append(player.play(spec))
        except MirrorcraftError as e:
            return reports, (f"{spec}: {e}", False)
        except Exception:
            return reports, (f"{spec}: {traceback.format_exc()}", True)
    return reports, None
