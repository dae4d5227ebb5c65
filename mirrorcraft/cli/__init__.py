"""The command line: which verbs there are. What a verb does is imported when it is called."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from mirrorcraft import __version__
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
    _add_episode(verbs)
    _add_rules(verbs)
    doctor = _verb(verbs, "doctor", "study:doctor", "say whether everything needed is in place")
    _json(doctor)
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
        "--workers",
        type=_positive,
        metavar="N",
        help="worker processes (default: the number of cores)",
    )
    _json(study)
    report = _verb(verbs, "report", "study:report", "print the tables of a run folder")
    report.add_argument("folder", metavar="DIR", help="a run folder")
    _json(report)


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
    episode.add_argument("--agent", required=True, help="such as planner")
    episode.add_argument(
        "--budget", type=_positive, metavar="N", help="actions allowed (default: the task's)"
    )
    _json(episode)
    play.add_argument("--disclosed", action="store_true", help="show the rule sheet first")


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
    for verb in (craft, drops, smelt, route):
        verb.add_argument(
            "--suite", default="vanilla", help="vanilla (default), a suite or a manifest file"
        )
        _json(verb)


def _verb(verbs: "argparse._SubParsersAction[_Parser]", name: str, run: str, does: str) -> _Parser:
    verb = verbs.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")
    verb.set_defaults(run=run)
    return verb


def _json(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", dest="as_json", help="print JSON")


def _positive(text: str) -> int:
    return _at_least(text, 1)


def _natural(text: str) -> int:
    return _at_least(text, 0)


def _at_least(text: str, low: int) -> int:
    if not text.isdecimal() or int(text) < low:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected an integer of at least {low}")
    return int(text)
