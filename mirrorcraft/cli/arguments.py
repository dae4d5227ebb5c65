"""What the parsers of all verbs are made of."""

import argparse
from typing import Any, NoReturn

Verbs = Any  # subparsers, whose class argparse keeps to itself


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def new_verb(verbs: Verbs, name: str, run: str, does: str) -> Parser:
    """Add a verb that calls ``run``, a ``module:function`` of this package, with its arguments by name."""
    verb = verbs.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")
    verb.set_defaults(run=run)
    return verb


def new_group(verbs: Verbs, name: str, does: str, metavar: str = "COMMAND") -> Verbs:
    """Add a word under which verbs stand, and return where they go."""
    said = does[0].upper() + does[1:] + "."
    group = verbs.add_parser(name, help=does, description=said)
    return group.add_subparsers(metavar=metavar, required=True)


def as_json(verb: argparse.ArgumentParser) -> None:
    """Add ``--json``; the function gets it as ``as_json``."""
    verb.add_argument("--json", action="store_true", dest="as_json", help="print JSON")


def positive(text: str) -> int:
    """Read an integer of at least 1."""
    return _at_least(text, 1)


def dollars(text: str) -> float:
    """Read an amount of US dollars of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected US dollars, such as 2.50")
    return value


def natural(text: str) -> int:
    """Read an integer of at least 0."""
    return _at_least(text, 0)


def _at_least(text: str, low: int) -> int:
    if not text.isdecimal() or int(text) < low:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected an integer of at least {low}")
    return int(text)
