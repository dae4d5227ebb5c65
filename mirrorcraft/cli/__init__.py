"""The command line: which verbs there are. What a verb does is imported when it is called."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from mirrorcraft import __version__
from mirrorcraft.cli.circuits_verbs import add_circuits
from mirrorcraft.cli.server_verbs import add_server, which_server
from mirrorcraft.core.errors import MirrorcraftError, UnknownNameError


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 not as hoped, 2 wrong input, 130 stopped.

    Args:
        argv: the arguments; those of the process when None.
    """
    args = vars(_parser().parse_args(argv))
    module, _, function = args.pop("run").partition(":")
    try:
        return getattr(import_module(f"mirrorcraft.cli.{module}"), function)(**args)
    except UnknownNameError as e:
        known = f"; there are: {', '.join(e.known)}" if len(e.known) <= 100 else ""
        print(
            f"mirrorcraft: {f'unknown {e.kind} {e.name!r}{known}' if known else e}", file=sys.stderr
        )
        return 2
    except MirrorcraftError as e:
        print(f"mirrorcraft: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader, such as head, has what it wanted
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="mirrorcraft",
        description="Paired evaluation of agents in Minecraft worlds whose rules silently change.",
    )
    parser.add_argument("--version", action="version", version=f"mirrorcraft {__version__}")
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_study(verbs)
    _add_runs(verbs)
    _add_episode(verbs)
    _add_models(verbs)
    _add_rules(verbs)
    _add_worlds(verbs)
    add_circuits(verbs, _verb, _json, _positive)
    add_server(verbs, _verb, _json, _positive)
    return parser


def _add_study(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    study = _verb(
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
        type=_positive,
        metavar="N",
        help="worker processes (default: the number of cores)",
    )
    study.add_argument(
        "--max-cost", type=_dollars, metavar="USD", help="stop when the run's models cost so much"
    )
    study.add_argument(
        "--max-faults", type=_positive, metavar="N", help="stop when so many attempts broke"
    )
    _json(study)


def _add_runs(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    report = _verb(
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
    _json(report)
    replay = _verb(verbs, "replay", "runs:replay", "print what an episode of a run did")
    replay.add_argument("folder", metavar="DIR", help="a run folder")
    replay.add_argument("id", metavar="EPISODE", help="its id, or enough of the beginning")
    _json(replay)
    verify = _verb(
        verbs, "verify", "runs:verify", "play a run again and name what does not come out the same"
    )
    verify.add_argument("folder", metavar="DIR", help="a run folder")
    _json(verify)
    compare = _verb(verbs, "compare", "runs:compare", "say how two runs differ")
    compare.add_argument("a", metavar="RUN_A")
    compare.add_argument("b", metavar="RUN_B")
    _json(compare)
    merge = _verb(verbs, "merge", "runs:merge", "make one run of several of the same study")
    merge.add_argument("folders", nargs="+", metavar="DIR", help="run folders")
    merge.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export = _verb(verbs, "export", "runs:export", "write a run as Parquet files")
    export.add_argument("folder", metavar="DIR", help="a run folder")
    export.add_argument("--out", metavar="DIR", help="where to (default: the run folder)")


def _add_episode(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    episode = _verb(
        verbs, "episode", "episode:episode", "play one episode and print its trajectory"
    )
    play = _verb(verbs, "play", "episode:play", "play one episode yourself, in the terminal")
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
            type=_natural,
            default=0,
            metavar="N",
            help="the episode's luck: its repetition (default: 0)",
        )
    which_server(episode)
    episode.add_argument("--agent", required=True, help="such as planner or react")
    episode.add_argument("--model", metavar="NAME", help="the model of a configuration")
    episode.add_argument("--base-url", metavar="URL", help='its endpoint, or "offline"')
    episode.add_argument(
        "--budget", type=_positive, metavar="N", help="actions allowed (default: the task's)"
    )
    _json(episode)
    play.add_argument("--disclosed", action="store_true", help="show the rule sheet first")


def _add_models(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    model = verbs.add_parser("model", help="models", description="Models.")
    asks = model.add_subparsers(metavar="COMMAND", required=True)
    serve = _verb(
        asks, "serve", "model:serve", "serve offline/prior as an OpenAI-compatible endpoint"
    )
    serve.add_argument("--port", type=_natural, default=8808, metavar="N", help="default: 8808")
    serve.add_argument(
        "--trouble",
        metavar="NAME=SHARE,...",
        help="let requests fail: rate_limited, server_error, cut, garbage, dropped",
    )
    estimate = _verb(
        verbs, "estimate", "model:estimate", "say what a study takes: calls, tokens, cost, hours"
    )
    estimate.add_argument("study", metavar="STUDY", help="a study file or name, or a run folder")
    estimate.add_argument(
        "--worlds", type=_positive, default=1, metavar="N", help="worlds to sample (default: 1)"
    )
    estimate.add_argument(
        "--workers", type=_positive, default=1, metavar="N", help="episodes at once (default: 1)"
    )
    estimate.add_argument(
        "--seconds-per-call",
        type=float,
        metavar="S",
        help="default: 2, or what the calls of the run folder took",
    )
    _json(estimate)


def _add_rules(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    rules = verbs.add_parser(
        "rules",
        help="the rulebook at one's fingertips",
        description="The rulebook at one's fingertips.",
    )
    asks = rules.add_subparsers(metavar="QUESTION", required=True)
    for name, does in (
        ("check", "check manifests, and that every task can still be finished"),
        ("show", "list what each suite changes, by rule id"),
        ("describe", "print the rule sheet in plain English"),
    ):
        run = "check_suites" if name == "check" else name
        verb = _verb(asks, name, f"rules:{run}", does)
        verb.add_argument(
            "suites",
            nargs="*",
            metavar="SUITE",
            help="a suite or a manifest file (default: all suites)",
        )
        _json(verb)
    craft = _verb(asks, "craft", "rules:craft", "say what a grid crafts")
    craft.add_argument(
        "grid",
        metavar="GRID",
        help='rows as JSON, or as text: "oak_planks,/oak_planks," (an empty cell is empty)',
    )
    drops = _verb(
        asks, "drops", "rules:drops", "say what a broken block drops, as an exact distribution"
    )
    drops.add_argument("block", metavar="BLOCK")
    drops.add_argument(
        "--tool", metavar="ITEM", help="what it is broken with (default: the bare hand)"
    )
    drops.add_argument("--silk-touch", action="store_true")
    drops.add_argument(
        "--fortune", type=_natural, default=0, metavar="N", help="level of Fortune (default: 0)"
    )
    smelt = _verb(asks, "smelt", "rules:smelt", "say what a station makes of an item")
    smelt.add_argument("item", metavar="ITEM")
    smelt.add_argument(
        "--station", default="furnace", help="furnace, blast_furnace or smoker (default: furnace)"
    )
    route = _verb(asks, "route", "rules:route", "print a plan that finishes a task")
    route.add_argument("task", metavar="TASK")
    build = _verb(asks, "build", "design:build", "write a suite's datapack for the 1.19 game")
    build.add_argument("suite", metavar="SUITE", help="a suite or a manifest file")
    build.add_argument("--out", required=True, metavar="PACK.zip")
    audit = _verb(asks, "audit", "design:audit", "print the static report of a manifest")
    audit.add_argument("manifest", metavar="MANIFEST", help="a suite or a manifest file")
    audit.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    _json(audit)
    prove = _verb(asks, "prove", "prove:prove", "say what holds of a suite, with counterexamples")
    prove.add_argument("file", metavar="FILE", help="a suite, a manifest file, or a pack")
    prove.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    prove.add_argument("--pack", metavar="PACK", help="what a server plays for this manifest")
    _json(prove)
    for verb in (craft, drops, smelt, route):
        verb.add_argument(
            "--suite", default="vanilla", help="vanilla (default), a suite or a manifest file"
        )
        _json(verb)


def _add_worlds(verbs: "argparse._SubParsersAction[_Parser]") -> None:
    world = verbs.add_parser(
        "world", help="worlds, saves and biome packs", description="Worlds, saves and biome packs."
    )
    asks = world.add_subparsers(metavar="VERB", required=True)
    build = _verb(asks, "build", "world:build", "make worlds ready in the cache")
    build.add_argument("worlds", nargs="*", metavar="WORLD", help="default: all")
    _json(build)
    show = _verb(asks, "show", "world:show", "draw a world, or a save, as an SVG")
    show.add_argument("world", metavar="WORLD", help="a world's name, or the folder of a save")
    show.add_argument("--section", type=int, metavar="Z", help="cut along z instead of from above")
    show.add_argument("--out", metavar="FILE", help="where to (default: WORLD-map.svg)")
    export = _verb(asks, "export", "world:export", "write a world as a save of the 1.19 game")
    export.add_argument("world", metavar="WORLD")
    export.add_argument("--out", required=True, metavar="DIR", help="the new save's folder")
    export.add_argument(
        "--pack", action="append", default=[], dest="packs", metavar="PACK",
        help="a datapack to enable in it; the last one is the strongest",
    )  # fmt: skip
    import_ = _verb(asks, "import", "world:import_", "read a save, and say what is in it")
    import_.add_argument("save", metavar="DIR", help="the folder of a save")
    import_.add_argument("--out", metavar="FILE", help="write the world's record here")
    _json(import_)
    pack = _verb(asks, "pack", "world:pack", "write the datapack that generates a biome")
    pack.add_argument("biome", metavar="BIOME", help="a biome's name, or a spec file (.json)")
    pack.add_argument("--out", required=True, metavar="PACK.zip")
    design = verbs.add_parser(
        "design", help="draw specifications", description="Draw specifications."
    ).add_subparsers(metavar="VERB", required=True)
    sample = _verb(design, "sample", "design:sample", "draw a valid specification from a seed")
    sample.add_argument("--kind", required=True, choices=("biome", "mirror"))
    sample.add_argument("--seed", required=True, type=_natural, metavar="N")
    sample.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    sample.add_argument("--out", metavar="FILE", help="default: the terminal")


def _verb(verbs: "argparse._SubParsersAction[_Parser]", name: str, run: str, does: str) -> _Parser:
    verb = verbs.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")
    verb.set_defaults(run=run)
    return verb


def _json(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", dest="as_json", help="print JSON")


def _positive(text: str) -> int:
    return _at_least(text, 1)


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected US dollars, such as 2.50")
    return value


def _natural(text: str) -> int:
    return _at_least(text, 0)


def _at_least(text: str, low: int) -> int:
    if not text.isdecimal() or int(text) < low:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected an integer of at least {low}")
    return int(text)
