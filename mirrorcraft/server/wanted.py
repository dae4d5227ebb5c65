"""Which server is to run, and the backend on it."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from mirrorcraft.server.backend import MakeServer, ServerBackend
from mirrorcraft.server.bot import Transport
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.server.vanilla import VanillaServer


class Wanted(NamedTuple):
    """The server that is to run.

    Attributes:
        kind: ``squid`` or ``vanilla``.
        jar: the jar of a vanilla server; the fetched one when None.
        java: a Java; found when None.
        accept_eula: the user accepts Mojang's EULA.
        transport: how the body is spoken to.
        runs: where the folders of servers go.
    """

    kind: str
    jar: Path | None = None
    java: str | None = None
    accept_eula: bool = False
    transport: Transport = "bridge"
    runs: Path | None = None

    def maker(self) -> MakeServer:
        """Return what makes the server for a folder and a seed."""
        if self.kind == "squid":
            return SquidServer
        make = partial(VanillaServer, jar=self.jar, accept_eula=self.accept_eula, java=self.java)
        return lambda folder, seed: make(folder)

    def backend(self) -> ServerBackend:
        """Return a backend on it."""
        return ServerBackend(self.maker(), transport=self.transport, runs=self.runs)


def backend_on(
    kind: str, jar: str | None = None, accept_eula: bool = False, transport: Transport = "bridge"
) -> ServerBackend:
    """Return a backend on a server; ``study.play.Setup`` names this function."""
    path = Path(jar) if jar else None
    return Wanted(kind, path, accept_eula=accept_eula, transport=transport).backend()
