"""RCON: commands and replies of any length, and every way in which a server can fail to answer."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

from mirrorcraft.core.errors import Fault
from mirrorcraft.server.rcon import Rcon

PASSWORD = "secret"


def packet(ident: int, kind: int, body: bytes) -> bytes:
    return struct.pack("<iii", 10 + len(body), ident, kind) + body + b"\0\0"


class Listener:
    """A server of one connection, whose replies a test decides."""

    def __init__(self, reply: Callable[[int, str], bytes]):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._reply = reply
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            connection, _ = self._socket.accept()
            with connection:
                while head := connection.recv(4):
                    data = connection.recv(struct.unpack("<i", head)[0], socket.MSG_WAITALL)
                    ident, kind = struct.unpack("<ii", data[:8])
                    body = data[8:-2].decode()
                    if kind == 3:
                        connection.sendall(packet(ident if body == PASSWORD else -1, 2, b""))
                    else:
                        connection.sendall(self._reply(ident, body))
        except OSError:
            return

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listen() -> Iterator[Callable[[Callable[[int, str], bytes]], Listener]]:
    made: list[Listener] = []

    def start(reply: Callable[[int, str], bytes]) -> Listener:
        made.append(Listener(reply))
        return made[-1]

    yield start
    for listener in made:
        listener.close()


def echo(ident: int, body: str) -> bytes:
    return packet(ident, 0, f"did {body}".encode())


def test_a_command_gets_its_reply(listen):
    with Rcon(listen(echo).port, PASSWORD) as rcon:
        assert rcon.command("list") == "did list"
        assert rcon.command("seed ü") == "did seed ü"


def test_a_reply_in_several_packets_is_put_together(listen):
    def long(ident: int, body: str) -> bytes:
        return (
            packet(ident, 0, b"x" * 4096) + packet(ident, 0, b"y" * 4096) + packet(ident, 0, b"z")
        )

    with Rcon(listen(long).port, PASSWORD) as rcon:
        assert rcon.command("list") == "x" * 4096 + "y" * 4096 + "z"


def test_a_wrong_password_is_named(listen):
    with pytest.raises(Fault, match="refuses the password"):
        Rcon(listen(echo).port, "wrong")


def test_nobody_listening_is_a_fault():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Fault, match="does not answer on port"):
        Rcon(port, PASSWORD)


def test_a_late_reply_is_a_fault_in_time(listen):
    rcon = Rcon(listen(lambda ident, body: b"").port, PASSWORD, timeout=0.2)
    with pytest.raises(Fault, match="no reply to 'list'"):
        rcon.command("list")
    rcon.close()


def test_a_server_that_hangs_up_is_a_fault(listen):
    rcon = Rcon(listen(lambda ident, body: packet(ident, 0, b"")[:6]).port, PASSWORD, timeout=0.2)
    with pytest.raises(Fault, match="no reply"):
        rcon.command("stop")
    rcon.close()


def test_a_packet_of_absurd_size_is_no_rcon(listen):
    rcon = Rcon(listen(lambda ident, body: struct.pack("<i", 1 << 30)).port, PASSWORD)
    with pytest.raises(Fault, match="that is no RCON server"):
        rcon.command("list")
    rcon.close()


@pytest.mark.parametrize(
    "reply",
    [
        "Unknown or incomplete command, see below for errorfly<--[HERE]",
        "Unknown item 'minecraft:ston'...e Bot minecraft:ston<--[HERE]",
        "No player was found",
        "That position is not loaded",
        "An unexpected error occurred trying to execute that command",
    ],
)
def test_a_command_that_the_server_refuses_is_a_fault(listen, reply):
    port = listen(lambda ident, body: packet(ident, 0, reply.encode())).port
    with Rcon(port, PASSWORD) as rcon, pytest.raises(Fault, match="the server refuses 'fly'"):
        rcon.command("fly")


@pytest.mark.parametrize(
    ("reply", "passes"), [("Test passed, count: 1", True), ("Test failed", False)]
)
def test_a_question_is_answered_by_yes_or_no(listen, reply, passes):
    with Rcon(listen(lambda ident, body: packet(ident, 0, reply.encode())).port, PASSWORD) as rcon:
        assert rcon.ask("execute if entity @a") is passes


def test_another_answer_to_a_question_is_a_fault(listen):
    port = listen(lambda ident, body: packet(ident, 0, b"hm")).port
    with Rcon(port, PASSWORD) as rcon, pytest.raises(Fault, match="answers"):
        rcon.ask("execute if entity @a")
