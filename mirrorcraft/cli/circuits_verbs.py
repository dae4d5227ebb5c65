"""The verbs of ``circuits``; apart from what they do, so that a parser needs no compiler."""

import argparse

from mirrorcraft.cli.arguments import Parser, Verbs, as_json, dollars, new_group, new_verb, positive

_BUILD = "floor, blocks, button, ticks"


def add_circuits(verbs: Verbs) -> None:
    """Add ``circuits``."""
    asks = new_group(verbs, "circuits", "the redstone laboratory (SciCrafter)")
    _add_tasks(asks)
    _add_builds(asks)
    _add_laboratory(asks)
    _add_runs(asks)
    _add_conform(asks)


def _add_tasks(asks: Verbs) -> None:
    one = new_verb(asks, "tasks", "circuits:tasks", "list tasks")
    one.add_argument("names_or_files", nargs="*", metavar="TASK", help="(default: all 25)")
    as_json(one)
    made = new_verb(asks, "generate", "circuits:make_task", "write a task of any size as YAML")
    made.add_argument("family", metavar="FAMILY", help="A to E")
    made.add_argument("lamps", type=positive, metavar="LAMPS")
    made.add_argument("--reach", type=positive, default=0, metavar="N", help="B: wire cells")
    for name, what in (("--delays", "C: redstone ticks from lamp to lamp"), ("--distances", "D: wire cells to each group")):  # fmt: skip
        made.add_argument(name, type=positive, nargs="+", default=[], metavar="N", help=what)
    made.add_argument("--tau", type=positive, default=0, metavar="N", help="E: redstone ticks")
    made.add_argument("--out", metavar="FILE.yaml", help="(default: the terminal)")
    one = new_verb(asks, "rules", "circuits:rules", "print the rule sheets of changed physics")
    one.add_argument("suites", nargs="*", metavar="SUITE", help="(default: all)")
    one.add_argument(
        "--sample", type=positive, dest="sample_seed", metavar="SEED",
        help="print a manifest drawn from a seed instead, to be kept in a file",
    )  # fmt: skip
    as_json(one)
    solved = new_verb(asks, "solve", "circuits:solve", "lay out and check the reference of a task")
    solved.add_argument("family", metavar="FAMILY", help="A to E; or a task's name or file alone")
    solved.add_argument("level", nargs="?", metavar="LEVEL", help="L1 to L5")
    solved.add_argument("--show", action="store_true", help="draw it, layer by layer")
    _suite(solved)
    as_json(solved)


def _add_builds(asks: Verbs) -> None:
    traced = new_verb(asks, "trace", "circuits:show_trace", "press a build's button and watch it")
    shown = new_verb(asks, "show", "circuits:show", "press a build's button and draw what happens")
    checked = new_verb(
        asks, "check", "circuits:check", "say whether a build keeps a task's contract"
    )
    drawn = new_verb(asks, "picture", "circuits:picture", "draw a build at a tick, or animate it")
    for one in (traced, shown, checked, drawn):
        one.add_argument("build", metavar="BUILD.json", help=_BUILD)
        _suite(one)
    shown.add_argument(
        "--tick", type=_tick, action="append", default=[], dest="ticks", metavar="N",
        help="game ticks after the press (default: whenever something changes)",
    )  # fmt: skip
    checked.add_argument("--task", required=True, help="such as A_L2, or a YAML file")
    drawn.add_argument("--out", required=True, metavar="FILE", help="an .svg, or an .html to play")
    drawn.add_argument(
        "--tick", type=_tick, default=0, metavar="N", help="game ticks after the press (default: 0)"
    )
    drawn.add_argument("--task", help="a task whose contract is drawn too")
    for one in (traced, checked):
        as_json(one)


def _add_laboratory(asks: Verbs) -> None:
    played = new_verb(asks, "play", "circuits:play", "build and press yourself, in the terminal")
    served = new_verb(asks, "serve", "circuits:serve", "serve a task's laboratory over MCP (stdio)")
    for one in (played, served):
        one.add_argument("task", metavar="TASK", help="such as A_L1, or a YAML file")
        one.add_argument("--save", metavar="FILE", help="write the build that stands at the end")
        _suite(one)


def _add_runs(asks: Verbs) -> None:
    ran = new_verb(asks, "run", "circuits_runs:run", "play the protocol: agents, conditions, runs")
    ran.add_argument("agents", nargs="*", metavar="AGENT", help="(default: all without a model)")
    ran.add_argument("--model", metavar="NAME", help="an engineer on this model plays too")
    ran.add_argument("--base-url", metavar="URL", help="its endpoint")
    ran.add_argument(
        "--api-key-env", default="OPENAI_API_KEY", metavar="VAR", help="where its key is"
    )
    ran.add_argument("--condition", action="append", dest="conditions", metavar="NAME", default=[])
    ran.add_argument("--task", action="append", dest="tasks", metavar="TASK", default=[])
    ran.add_argument("--runs", type=positive, default=8, metavar="N", help="(default: 8)")
    ran.add_argument("--independent", action="store_true", help="no experience carried forward")
    ran.add_argument(
        "--max-cost", type=dollars, metavar="USD", help="stop when models cost so much"
    )
    ran.add_argument("--out", metavar="DIR", help="keep all; a folder that exists is continued")
    _suite(ran)
    planned = new_verb(
        asks, "study", "circuits_runs:study", "play a plan from a file, or go on with it"
    )
    planned.add_argument("file", metavar="FILE.toml")
    planned.add_argument("--out", required=True, metavar="DIR", help="one that exists is continued")
    for one in (ran, planned):
        one.add_argument(
            "--workers", type=positive, default=1, metavar="N", help="runs at once (default: 1)"
        )
    told = new_verb(asks, "gaps", "circuits_runs:gaps", "print success and gaps of attempts")
    told.add_argument("attempts", metavar="DIR", help="a folder, or a file of JSON lines")
    paged = new_verb(asks, "report", "circuits_runs:page", "write a page of tables and replays")
    paged.add_argument("attempts", metavar="DIR")
    paged.add_argument("--out", metavar="FILE.html", help="(default: report.html in the folder)")
    paged.add_argument("--replay", action="append", dest="replays", metavar="ID", default=[])
    for one in (ran, planned, told):
        as_json(one)


def _add_conform(asks: Verbs) -> None:
    one = new_verb(
        asks, "conform", "circuits_runs:conform", "play builds in the real game and compare"
    )
    one.add_argument("builds", nargs="*", metavar="BUILD.json", help="(default: all references)")
    one.add_argument("--server", choices=("vanilla", "squid"), required=True)
    one.add_argument("--jar", metavar="FILE", help="the server jar (default: the fetched one)")
    one.add_argument("--accept-eula", action="store_true", help="you accept Mojang's EULA")
    as_json(one)


def _suite(one: Parser) -> None:
    one.add_argument("--suite", default="vanilla", help="vanilla (default), a suite or a file")


def _tick(text: str) -> int:
    if not text.isdecimal() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected game ticks, 0 to 10000")
    return int(text)
