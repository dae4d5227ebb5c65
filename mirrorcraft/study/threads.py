"""Plays a list of episodes in threads of this process: for agents that mostly wait for a model.

Each thread plays one episode at a time with a backend of its own; their requests share the
process's connections and its limits.
"""

import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.study.play import Crash, Player, Report, Setup

THREADS = 16


def play_in_threads(
    specs: list[EpisodeSpec], setup: Setup, count: int | None = None
) -> Iterator[Report]:
    """Yield the report of each episode as it ends.

    Args:
        specs: what to play.
        setup: what plays.
        count: threads; 16 when None.

    Raises:
        Crash: an agent or a backend has a bug.
        MirrorcraftError: an agent cannot play as the study says.
    """
    own, players = threading.local(), list[Player]()

    def play(spec: EpisodeSpec) -> Report:
        if not hasattr(own, "player"):
            own.player = Player(setup)
            players.append(own.player)
        return own.player.play(spec)

    pool = ThreadPoolExecutor(min(count or THREADS, len(specs)), thread_name_prefix="episodes")
    try:
        flying = {pool.submit(play, spec): spec for spec in specs}
        for done in as_completed(flying):
            spec = flying.pop(done)
            try:
                report = done.result()
            except MirrorcraftError as e:
                raise MirrorcraftError(f"{spec}: {e}") from e
            except Exception:
                raise Crash(f"{spec}: {traceback.format_exc()}") from None
            yield report
    finally:
        pool.shutdown(cancel_futures=True)  # episodes under way are finished, and not stored
        for player in players:
            player.close()
