"""The arguments of the verbs about real servers."""

import argparse
from collections.abc import Callable
from typing import Any

KINDS = ("squid", "vanilla")


def add_server(
    verbs: Any,
    verb: Callable[..., Any],
    as_json: Callable[[Any], None],
    positive: Callable[[str], int],
) -> None:
    """Add ``server``, ``conform`` and ``doctor`` to the command line.

    Args:
        verbs: the subparsers of the command line.
        verb: adds one verb.
        as_json: adds ``--json`` to a verb.
        positive: reads a positive integer.
    """
    server = verbs.add_parser("server", help="real servers", description="Real servers.")
    asks = server.add_subparsers(metavar="COMMAND", required=True)
    fetch = verb(
        asks, "fetch", "server:fetch", "download Mojang's server jar of 1.19, sha1 checked"
    )
    fetch.add_argument("--jar", metavar="FILE", help="where to put it (default: the cache)")
    conform = verb(verbs, "conform", "server:conform", "compare a real server with the simulator")
    conform.add_argument("--server", choices=KINDS, required=True)
    _which(conform)
    conform.add_argument("--quick", action="store_true", help="fewer cases")
    conform.add_argument("--json", metavar="FILE", dest="json_file", help="write the report there")
    conform.add_argument("--worlds", nargs="+", metavar="WORLD", help="default: plains-a")
    conform.add_argument(
        "--parts",
        nargs="+",
        choices=("cases", "sequences", "episodes"),
        help="default: all; with --quick: cases",
    )
    conform.add_argument(
        "--suites", nargs="+", metavar="SUITE", help="vanilla, M01 ... (default: all)"
    )
    conform.add_argument(
        "--jobs", type=positive, default=2, metavar="N", help="servers at once (default: 2)"
    )
    doctor = verb(verbs, "doctor", "server:doctor", "say whether everything needed is in place")
    doctor.add_argument("--server", choices=KINDS, help="for a real server of this kind")
    _which(doctor)
    as_json(doctor)


def _which(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--jar", metavar="FILE", help="the server jar (default: the fetched one)")
    verb.add_argument("--accept-eula", action="store_true", help="you accept Mojang's EULA")
    verb.add_argument(
        "--transport",
        choices=("bridge", "process"),
        default="bridge",
        help="how the body is spoken to",
    )
