"""The arguments of the verbs about real servers."""

import argparse

from mirrorcraft.cli.arguments import Verbs, as_json, new_group, new_verb, positive

KINDS = ("squid", "vanilla")


def add_server(verbs: Verbs) -> None:
    """Add ``server``, ``conform`` and ``doctor``."""
    asks = new_group(verbs, "server", "real servers")
    fetch = new_verb(
        asks, "fetch", "server:fetch", "download Mojang's server jar of 1.19, sha1 checked"
    )
    fetch.add_argument("--jar", metavar="FILE", help="where to put it (default: the cache)")
    generate = new_verb(
        asks,
        "generate",
        "server:generate",
        "have the real game generate a biome's world, as a save",
    )
    generate.add_argument("biome", metavar="BIOME", help="a biome's name, such as plains")
    generate.add_argument("--seed", type=int, required=True, metavar="N", help="the world seed")
    generate.add_argument("--out", required=True, metavar="DIR", help="the new save's folder")
    _jar(generate)
    conform = new_verb(
        verbs, "conform", "server:conform", "compare a real server with the simulator"
    )
    which_server(conform, required=True)
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
    doctor = new_verb(verbs, "doctor", "doctor:doctor", "say whether everything needed is in place")
    which_server(doctor)
    as_json(doctor)


def _jar(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--jar", metavar="FILE", help="the server jar (default: the fetched one)")
    verb.add_argument("--accept-eula", action="store_true", help="you accept Mojang's EULA")


def which_server(verb: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add the arguments that choose a server; with none of them it is the simulator that is meant."""
    verb.add_argument(
        "--server", choices=KINDS, required=required, help="a real server of this kind"
    )
    _jar(verb)
    verb.add_argument(
        "--transport",
        choices=("bridge", "process"),
        default="bridge",
        help="how the body is spoken to",
    )
