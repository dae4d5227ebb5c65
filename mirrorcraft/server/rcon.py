"""RCON: commands to a server, and the checks that their replies are held to."""

import socket
import struct
from types import TracebackType

from mirrorcraft.core.errors import Fault

_LOGIN, _COMMAND = 3, 2
_REFUSED = ("An unexpected error occurred", "No player was found", "That position is not loaded")
_WRONG_HERE = "<--[HERE]"  # the game points at what it cannot read in a command
_PART = 4096  # bytes after which a server goes on in another packet
_MOST = 1 << 20


class Rcon:
    """A connection to a server's RCON on loopback; every call has a deadline.

    Args:
        port: where the server listens.
        password: the one that it was started with.
        timeout: seconds that a reply may take.

    Raises:
        Fault: nobody listens, or the password is not the server's.
    """

    def __init__(self, port: int, password: str, timeout: float = 10):
        self._id = 0
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), timeout)
        except OSError as e:
            raise Fault(f"RCON does not answer on port {port}: {e}") from None
        if self._exchange(_LOGIN, password)[0] == -1:
            self.close()
            raise Fault(f"RCON on port {port} refuses the password: is it another server's port?")

    def command(self, line: str) -> str:
        """Send one command and return the reply.

        Raises:
            Fault: the server is gone, late, or cannot carry the command out.
        """
        reply = self._exchange(_COMMAND, line)[1]
        if reply.startswith(_REFUSED) or _WRONG_HERE in reply:
            raise Fault(f"the server refuses {line!r}: {reply.splitlines()[0]}")
        return reply

    def ask(self, line: str) -> bool:
        """Return whether an ``execute if ...`` passes.

        Raises:
            Fault: as for ``command``, or the reply is of another form.
        """
        reply = self.command(line)
        if not reply.startswith(("Test passed", "Test failed")):
            raise Fault(f"the server answers {line!r} with {reply[:200]!r}")
        return reply.startswith("Test passed")

    def close(self) -> None:
        """Close the connection; calling it twice is fine."""
        self._socket.close()

    def __enter__(self) -> "Rcon":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, kind: int, body: str) -> tuple[int, str]:
        self._id += 1
        content = struct.pack("<ii", self._id, kind) + body.encode() + b"\0\0"
        try:
            self._socket.sendall(struct.pack("<i", len(content)) + content)
            ident, part = self._packet()
            text = part
            while len(part) >= _PART:  # a full packet may have a successor
                ident, part = self._packet()
                text += part
        except OSError as e:
            raise Fault(f"RCON: no reply to {body.split(' ')[0]!r}: {e or 'timed out'}") from None
        return ident, text.decode("utf-8", "replace")

    def _packet(self) -> tuple[int, bytes]:
        (size,) = struct.unpack("<i", self._exactly(4))
        if not 10 <= size <= _MOST:
            raise Fault(f"RCON: a packet of {size} bytes; that is no RCON server")
        data = self._exactly(size)
        return struct.unpack("<i", data[:4])[0], data[8:-2]

    def _exactly(self, n: int) -> bytes:
        data = b""
        while len(data) < n:
            part = self._socket.recv(n - len(data))
            if not part:
                raise OSError("the server closed the connection")
            data += part
        return data
