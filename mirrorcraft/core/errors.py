"""Every error that mirrorcraft raises on purpose.

MirrorcraftError
├── InputError            something a person wrote cannot be used; says where, what was expected, what to do
│   ├── ManifestError     a rule manifest
│   ├── BiomeError        a world-generation spec
│   ├── PackError         a datapack, or a file of one
│   │   └── OutsideError  fine for the game, but outside of what the rulebook can say
│   ├── SaveError         a Minecraft save, or a file of one
│   └── StudyError        a study file, or a run folder that does not fit it
├── UnknownNameError      a name that is not in a closed list; carries the list and the closest matches
├── EpisodeOver           a step after the episode ended
├── NotReady              this machine lacks what a server needs; trying again does not help
└── Fault                 the infrastructure broke: the episode is run again and never scored
"""

from collections.abc import Iterable
from difflib import get_close_matches


class MirrorcraftError(Exception):
    """Base of all errors raised on purpose."""


class InputError(MirrorcraftError):
    """A file or value given by a person cannot be used.

    Args:
        file: where the input came from (a path, or "<json>" for a value).
        place: the path inside it, such as ``changes[2].count``; empty for the file as a whole.
        given: what was found, shown shortened.
        expected: what was expected, and what to do.
    """

    def __init__(self, file: object, place: str, given: object, expected: str):
        self.file, self.place, self.given, self.expected = str(file), place, given, expected
        shown = repr(given)
        shown = shown if len(shown) <= 120 else shown[:117] + "..."
        at = f"{self.file}: {place}" if place else self.file
        super().__init__(f"{at}: got {shown}; expected {expected}")


class ManifestError(InputError):
    """A rule manifest cannot be used."""


class BiomeError(InputError):
    """A world-generation spec cannot be used."""


class PackError(InputError):
    """A datapack cannot be read or written, or the game would refuse a file of it."""


class OutsideError(PackError):
    """A file of a datapack is fine for the game, but says what a rulebook cannot say."""


class SaveError(InputError):
    """A Minecraft save cannot be read, or written where it should go."""


class StudyError(InputError):
    """A study file, or the run folder it points to, cannot be used."""


class UnknownNameError(MirrorcraftError):
    """A name outside a closed list; the message holds the right names."""

    def __init__(self, kind: str, name: object, known: Iterable[str]):
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(f"unknown {kind} {name!r}{did_you_mean(str(name), self.known)}")


class EpisodeOver(MirrorcraftError):
    """``step`` was called after the episode ended; call ``reset`` first."""


class NotReady(MirrorcraftError):
    """This machine lacks what a server needs: its jar, Java, Node, the consent to the EULA; says what to do.

    Other than after a fault, trying again does not help, so it ends a run at once.
    """


class Fault(MirrorcraftError):
    """The infrastructure broke (server lost, bridge dead, model endpoint down).

    A fault is no outcome: the same episode id is tried again, the attempt is kept, nothing is scored.
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a tail for an error message: the closest of ``known``, or all of them when they are few."""
    known = sorted(known)
    close = get_close_matches(name[:100], known, n=3)
    if close:
        return f"; did you mean {', '.join(close)}?"
    return f"; known: {', '.join(known)}" if len(known) <= 40 else f" ({len(known)} are known)"
