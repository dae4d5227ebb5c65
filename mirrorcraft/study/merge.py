"""One run folder from several of the same study, as when it was played in many places."""

from collections.abc import Sequence
from pathlib import Path

from mirrorcraft.core.errors import StudyError
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.store import EPISODES, STUDY, Stored, read_run
from mirrorcraft.study.writer import Writer


def merge(folders: Sequence[Path], out: Path) -> int:
    """Write the episodes and faults of several run folders into one; return its episodes.

    Running it again adds what is new. An episode that several folders hold is taken once.

    Args:
        folders: runs of the same study.
        out: the folder to write; made if absent.

    Raises:
        StudyError: a folder is no run of the same study, or two hold different records of one
            episode; wall-clock times aside, the same spec gives the same record.
    """
    runs = [read_run(folder) for folder in folders]
    first = runs[0]
    for folder, run in zip(folders, runs, strict=True):
        for field, (old, new) in first.config.differences(run.config).items():
            expected = f"{old!r} as in the first folder: only runs of one study merge"
            raise StudyError(folder / STUDY, field, new, expected)
    text = (folders[0] / STUDY).read_text(encoding="utf-8")
    with Writer(out, text, first.config, first.specs) as writer:
        held = {e.spec.id: e for e in read_run(out).episodes}
        for folder, run in zip(folders, runs, strict=True):
            _add_all(writer, folder, run, held)
        return len(writer.done)


def _add_all(writer: Writer, folder: Path, run: Stored, held: dict[str, EpisodeRecord]) -> None:
    known = {(f["id"], f["error"], f["attempt"]) for f in read_run(writer.folder).faults}
    for episode in run.episodes:
        other = held.setdefault(episode.spec.id, episode)
        if other.content() != episode.content():
            expected = "the same record in every folder; see mirrorcraft verify"
            raise StudyError(folder / EPISODES, episode.spec.id, "a different record", expected)
        writer.add(episode.spec.id, episode.to_line())
    for fault in run.faults:
        if (fault["id"], fault["error"], fault["attempt"]) not in known:
            writer.add_fault(fault["id"], fault["error"])
