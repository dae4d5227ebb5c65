"""The verbs that play studies and episodes, and that read what came of them."""

from mirrorcraft.cli.arguments import (
    Verbs,
    as_json,
    dollars,
    natural,
    new_group,
    new_verb,
    positive,
)
from mirrorcraft.cli.server_verbs import which_server


def add_studies(verbs: Verbs) -> None:
    """Add ``study``, ``episode``, ``play``, ``model``, ``estimate`` and the verbs about runs."""
    _add_study(verbs)
    _add_runs(verbs)
    _add_episode(verbs)
    _add_models(verbs)


def _add_study(verbs: Verbs) -> None:
    study = new_verb(
        verbs, "study", "study:study", "play a study, or go on with it, and print its tables"
    )
    study.add_argument(
        "file",
        nargs="?",
        default="quick",
        metavar="FILE",
        help="a study file, or the name of a built-in one (default: quick)",
    )
    study.add_argument(
        "--out",
        metavar="DIR",
        help="the run folder (default: runs/NAME); one that exists is continued",
    )
    study.add_argument(
        "--pack",
        action="append",
        default=[],
        dest="packs",
        metavar="PACK",
        help="play this datapack (zip or folder) in place of the study's suites",
    )
    which_server(study)
    study.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="worker processes (default: the number of cores)",
    )
    study.add_argument(
        "--max-cost", type=dollars, metavar="USD", help="stop when the run's models cost so much"
    )
    study.add_argument(
        "--max-faults", type=positive, metavar="N", help="stop when so many attempts broke"
    )
    as_json(study)


def _add_runs(verbs: Verbs) -> None:
    report = new_verb(
        verbs, "report", "runs:report", "print the tables of a run and write its report.html"
    )
    report.add_argument("folder", nargs="?", metavar="DIR", help="a run folder")
    report.add_argument(
        "--episodes", metavar="FILE.csv", help="report on a file with one row an episode instead"
    )
    report.add_argument(
        "--published",
        metavar="FOLDER",
        help="recompute the papers' tables from a folder of cells, or from --episodes",
    )
    report.add_argument(
        "--replay",
        action="append",
        default=[],
        dest="ids",
        metavar="EPISODE",
        help="an episode to replay in the page (default: the pairs that differ most)",
    )
    report.add_argument("--open", action="store_true", dest="show", help="open the page")
    as_json(report)
    replay = new_verb(verbs, "replay", "runs:replay", "print what an episode of a run did")
    replay.add_argument("folder", metavar="DIR", help="a run folder")
    replay.add_argument("id", metavar="EPISODE", help="its id, or enough of the beginning")
    as_json(replay)
    verify = new_verb(
        verbs, "verify", "runs:verify", "play a run again and name what does not come out the same"
    )
    verify.add_argument("folder", metavar="DIR", help="a run folder")
    as_json(verify)
    compare = new_verb(verbs, "compare", "runs:compare", "say how two runs differ")
    compare.add_argument("a", metavar="RUN_A")
    compare.add_argument("b", metavar="RUN_B")
    as_json(compare)
    merge = new_verb(verbs, "merge", "runs:merge", "make one run of several of the same study")
    merge.add_argument("folders", nargs="+", metavar="DIR", help="run folders")
    merge.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export = new_verb(verbs, "export", "runs:export", "write a run as Parquet files")
    export.add_argument("folder", metavar="DIR", help="a run folder")
    export.add_argument("--out", metavar="DIR", help="where to (default: the run folder)")


def _add_episode(verbs: Verbs) -> None:
    episode = new_verb(
        verbs, "episode", "episode:episode", "play one episode and print its trajectory"
    )
    play = new_verb(verbs, "play", "episode:play", "play one episode yourself, in the terminal")
    for verb, needed in ((episode, True), (play, False)):
        verb.add_argument("--world", required=needed, default="plains-a", help="such as plains-a")
        verb.add_argument(
            "--suite",
            required=needed,
            default="vanilla",
            help="vanilla, M01 ... M06, or a manifest file",
        )
        verb.add_argument("--task", required=needed, default="iron_armor", help="such as diamond")
        verb.add_argument(
            "--seed",
            type=natural,
            default=0,
            metavar="N",
            help="the episode's luck: its repetition (default: 0)",
        )
    which_server(episode)
    episode.add_argument("--agent", required=True, help="such as planner or react")
    episode.add_argument("--model", metavar="NAME", help="the model of a configuration")
    episode.add_argument("--base-url", metavar="URL", help='its endpoint, or "offline"')
    episode.add_argument(
        "--budget", type=positive, metavar="N", help="actions allowed (default: the task's)"
    )
    as_json(episode)
    play.add_argument("--disclosed", action="store_true", help="show the rule sheet first")


def _add_models(verbs: Verbs) -> None:
    asks = new_group(verbs, "model", "models")
    serve = new_verb(
        asks, "serve", "model:serve", "serve offline/prior as an OpenAI-compatible endpoint"
    )
    serve.add_argument("--port", type=natural, default=8808, metavar="N", help="default: 8808")
    serve.add_argument(
        "--trouble",
        metavar="NAME=SHARE,...",
        help="let requests fail: rate_limited, server_error, cut, garbage, dropped",
    )
    estimate = new_verb(
        verbs, "estimate", "model:estimate", "say what a study takes: calls, tokens, cost, hours"
    )
    estimate.add_argument("study", metavar="STUDY", help="a study file or name, or a run folder")
    estimate.add_argument(
        "--worlds", type=positive, default=1, metavar="N", help="worlds to sample (default: 1)"
    )
    estimate.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="episodes at once (default: 1)"
    )
    estimate.add_argument(
        "--seconds-per-call",
        type=float,
        metavar="S",
        help="default: 2, or what the calls of the run folder took",
    )
    as_json(estimate)
