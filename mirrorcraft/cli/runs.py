"""What can be done with runs: ``report replay verify compare merge export``."""

import json
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from mirrorcraft.cli.files import write_asked
from mirrorcraft.core.errors import InputError, StudyError
from mirrorcraft.study import tables
from mirrorcraft.study.record import EpisodeRecord
from mirrorcraft.study.report import report as make_report
from mirrorcraft.study.store import EPISODES, Stored, read_episodes, read_run
from mirrorcraft.study.table import Table
from mirrorcraft.study.terminal import grid
from mirrorcraft.study.words import action_text, outcome_text

PAGE = "report.html"
_WIDTH = 130  # of a table that is not printed to a terminal


def report(
    folder: str | None,
    episodes: str | None,
    published: str | None,
    ids: Sequence[str],
    show: bool,
    as_json: bool,
) -> int:
    """Print the tables of a run, an episode file or the papers; of a run, write its page too."""
    if published is not None:
        return _published(Path(published), episodes, as_json)
    if (folder is None) == (episodes is None):
        expected = "either a run folder, or --episodes FILE.csv, or --published FOLDER"
        raise InputError("report", "DIR", folder, expected)
    if folder is None:
        from mirrorcraft.study.episode_table import report_table

        values = report_table(Path(str(episodes)))
        _print_values(values, as_json)
        return 0
    stored = read_run(Path(folder), compact=True)
    values = make_report(stored)
    for torn in values["torn"]:
        note(torn)
    _print_values(values, as_json)
    if not as_json or show or ids:
        path = _write_page(Path(folder), stored, values, ids)
        count = f"{values['episodes']} of {values['planned']} episodes, {values['faults']} faults"
        (note if as_json else print)(f"{count}, in {folder}; page: {path}")
        if show:
            webbrowser.open(path.resolve().as_uri())
    return 0


def _print_values(values: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(values, indent=1))
    else:
        _print_tables(tables.of_report(values))


def _published(folder: Path, episodes: str | None, as_json: bool) -> int:
    """Hold the papers' printed numbers against ours; 1 if one differs without a known reason."""
    from mirrorcraft.study.contrast import cells_of
    from mirrorcraft.study.episode_table import read_episode_table
    from mirrorcraft.study.printed import difference_table
    from mirrorcraft.study.published import failures, recompute

    cells = cells_of(read_episode_table(Path(episodes)).episodes) if episodes else None
    rows = recompute(folder, cells)
    wrong = failures(rows)
    if as_json:
        print(json.dumps([row.as_dict() for row in rows], indent=1))
    else:
        _print_tables([difference_table(rows)])
        known = sum(row.excluded is not None for row in rows)
        good = sum(row.agrees for row in rows)
        total = f"{good} of {len(rows)} printed numbers agree"
        print(f"{total}, {known} cannot, {len(wrong)} should but do not")
    return 1 if wrong else 0


def _write_page(
    folder: Path, stored: Stored, values: Mapping[str, Any], ids: Sequence[str]
) -> Path:
    from mirrorcraft.study.page.curves import choose
    from mirrorcraft.study.page.page import page

    wanted = [_whole_id(stored, i) for i in ids] or choose(stored.episodes)
    shown = read_episodes(folder, wanted)
    kept = [e for e in shown if all(step.outcome is not None for step in e.steps)]
    config = stored.config.model_dump(mode="json", exclude_defaults=True)
    text = page(values, stored.episodes, config, shown=kept, ground=_ground)
    write_asked(folder / PAGE, text)
    return folder / PAGE


def _ground(world: str) -> bytes:
    """Return a world from above as PNG."""
    from mirrorcraft.core.biome import BiomeSpec
    from mirrorcraft.core.world import World
    from mirrorcraft.saves.picture import surface
    from mirrorcraft.sim.voxels import open_world

    named = World.load(world)
    return surface(open_world(named), BiomeSpec.load(named.biome))


def replay(folder: str, id: str, as_json: bool) -> int:
    """Print the actions, outcomes, milestones and encounters of one episode."""
    stored = read_run(Path(folder), compact=True)
    record = read_episodes(Path(folder), [_whole_id(stored, id)])[0]
    if as_json:
        print(json.dumps(record.content(), indent=1, sort_keys=True))
    else:
        print_episode(record)
    return 0


def print_episode(record: EpisodeRecord) -> None:
    """Print what an episode did, an action at a time."""
    for number_, step in enumerate(record.steps, 1):
        print(f"{number_:3}  {action_text(step.action)}")
        if step.outcome is not None:
            print(f"     {outcome_text(step.outcome)}")
        for title, ids in (("milestone", step.advancements), ("changed rule", step.encounters)):
            for one in ids:
                print(f"     {title}: {one}")
    print(f"{record.ending}: Score {record.score} after {record.actions} actions")


def _whole_id(stored: Stored, given: str) -> str:
    found = [e.spec.id for e in stored.episodes if e.spec.id.startswith(given)]
    if len(found) != 1:
        expected = "the id of a finished episode, or enough of its beginning to tell it apart"
        raise StudyError(EPISODES, "id", given, f"{expected} ({len(found)} fit)")
    return found[0]


def verify(folder: str, as_json: bool) -> int:
    """Play a run again; 1 if something does not come out the same or is not there."""
    from mirrorcraft.study.verify import verify as play_again

    verdict = play_again(Path(folder))
    whole = not verdict.findings and not verdict.missing
    if as_json:
        print(json.dumps(verdict._asdict() | {"findings": [f._asdict() for f in verdict.findings]}))
        return 0 if whole else 1
    for finding in verdict.findings:
        print(finding)
    bad = len({finding.id for finding in verdict.findings})
    print(f"{verdict.played} episodes played again, {bad} with {len(verdict.findings)} differences")
    if verdict.missing:
        first = ", ".join(verdict.missing[:5]) + (", ..." if len(verdict.missing) > 5 else "")
        print(
            f"{len(verdict.missing)} planned episodes are not there, unplayed or deleted: {first}"
        )
    if verdict.elsewhere:
        print(f"{verdict.elsewhere} of another backend: only their Scores were computed again")
    if verdict.other_code:
        print(f"{verdict.other_code} were made by other code or libraries than those here")
    return 0 if whole else 1


def compare(a: str, b: str, as_json: bool) -> int:
    """Print how run B differs from run A; 1 if an episode of both came out differently."""
    from mirrorcraft.study.compare import changed_table, difference_table
    from mirrorcraft.study.compare import compare as side_by_side

    values = side_by_side(read_run(Path(a)), read_run(Path(b)))
    same = not values["changed"]
    if as_json:
        print(json.dumps(values, indent=1))
        return 0 if same else 1
    for field, (old, new) in (values["fields"] | values["made_with"]).items():
        print(f"{field}: {_short(old)} -> {_short(new)}")
    both, equal = values["both"], values["equal"]
    only = f"{values['only_a']} only in A, {values['only_b']} only in B"
    print(f"{both} episodes in both, {equal} the same; {only}")
    _print_tables([difference_table(values["agents"]), changed_table(values["changed"])])
    return 0 if same else 1


def merge(folders: list[str], out: str) -> int:
    """Make one run folder of several of the same study."""
    from mirrorcraft.study.merge import merge as merged

    count = merged([Path(f) for f in folders], Path(out))
    print(f"{count} episodes in {out}")
    return 0


def export(folder: str, out: str | None) -> int:
    """Write the episodes and steps of a run as Parquet files."""
    from mirrorcraft.study.export import export as written

    target = Path(out or folder)
    episodes, steps = written(Path(folder), target)
    print(f"{episodes} episodes and {steps} steps in {target}")
    return 0


def note(text: str) -> None:
    """Tell the person something beside the output proper."""
    print(text, file=sys.stderr, flush=True)


def _print_tables(found: Sequence[Table]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    for table in found:
        if table.rows:
            console.print(grid(table))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:97] + "..."
