"""The verbs of ``circuits``; apart from what they do, so that a parser needs no compiler."""

from typing import Any


def add_circuits(verbs: Any, verb: Any, json_flag: Any, positive: Any) -> None:
    """Add the verbs of ``circuits`` to a parser.

    Args:
        verbs: the subparsers of the program.
        verb: makes a parser of one verb: subparsers, name, function to run, what it does.
        json_flag: adds ``--json``.
        positive: the type of a positive number.
    """
    circuits = verbs.add_parser(
        "circuits",
        help="the redstone laboratory (SciCrafter)",
        description="The redstone laboratory (SciCrafter).",
    )
    asks = circuits.add_subparsers(metavar="QUESTION", required=True)
    one = verb(asks, "tasks", "circuits:tasks", "list tasks")
    one.add_argument("names_or_files", nargs="*", metavar="TASK", help="(default: all 25)")
    json_flag(one)
    one = verb(asks, "rules", "circuits:rules", "print the rule sheets of changed physics")
    one.add_argument("suites", nargs="*", metavar="SUITE", help="(default: all)")
    json_flag(one)
    traced = verb(asks, "trace", "circuits:show_trace", "press a build's button and watch it")
    checked = verb(asks, "check", "circuits:check", "say whether a build keeps a task's contract")
    drawn = verb(asks, "picture", "circuits:picture", "draw a build at a tick, or animate it")
    for one in (traced, checked, drawn):
        one.add_argument("build", metavar="BUILD.json", help="floor, blocks, button, ticks")
    checked.add_argument("--task", required=True, help="such as A_L2, or a YAML file")
    drawn.add_argument("--out", required=True, metavar="FILE", help="an .svg, or an .html to play")
    drawn.add_argument(
        "--tick", type=int, default=0, help="game ticks after the press (default: 0)"
    )
    drawn.add_argument("--task", help="a task whose contract is drawn too")
    solved = verb(asks, "solve", "circuits:solve", "lay out and check the reference of a task")
    solved.add_argument("family", metavar="FAMILY", help="A to E")
    solved.add_argument("level", metavar="LEVEL", help="L1 to L5")
    solved.add_argument("--show", action="store_true", help="draw it, layer by layer")
    ran = verb(asks, "run", "circuits:run", "play the protocol with agents that need no model")
    ran.add_argument("agents", nargs="*", metavar="AGENT", help="(default: all)")
    ran.add_argument("--condition", action="append", dest="conditions", metavar="NAME", default=[])
    ran.add_argument("--runs", type=positive, default=8, metavar="N", help="(default: 8)")
    ran.add_argument("--independent", action="store_true", help="no experience carried forward")
    ran.add_argument("--out", metavar="FILE", help="write one JSON line an attempt")
    told = verb(asks, "gaps", "circuits:gaps", "print success and gaps of a file of attempts")
    told.add_argument("file", metavar="FILE")
    served = verb(asks, "serve", "circuits:serve", "serve a task's laboratory over MCP (stdio)")
    served.add_argument("task", metavar="TASK")
    served.add_argument("--save", metavar="FILE", help="write the build that stands at the end")
    for one in (traced, checked, drawn, solved, ran, served):
        one.add_argument("--suite", default="vanilla", help="vanilla (default), a suite or a file")
    for one in (traced, checked, solved, ran, told):
        json_flag(one)
