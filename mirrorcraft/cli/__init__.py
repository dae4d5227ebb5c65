"""The command line: which verbs there are. What a verb does is imported when it is called."""

import sys
from collections.abc import Sequence
from importlib import import_module

from mirrorcraft import __version__
from mirrorcraft.cli.arguments import Parser
from mirrorcraft.cli.circuits_verbs import add_circuits
from mirrorcraft.cli.rules_verbs import add_rules
from mirrorcraft.cli.server_verbs import add_server
from mirrorcraft.cli.study_verbs import add_studies
from mirrorcraft.core.errors import MirrorcraftError, UnknownNameError


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


def _parser() -> Parser:
    parser = Parser(
        prog="mirrorcraft",
        description="Paired evaluation of agents in Minecraft worlds whose rules silently change.",
    )
    parser.add_argument("--version", action="version", version=f"mirrorcraft {__version__}")
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (add_studies, add_rules, add_circuits, add_server):
        add(verbs)
    return parser
