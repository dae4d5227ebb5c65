"""A fake of the 1.19 game for circuits: RCON, the few commands that are used, and the plain twin for its blocks.

It stands in for Mojang's server, which cannot be had here. Replies are those of 1.19 in English; what it does
not know, it answers as the game does: with a mark at the place where the command cannot be read.
"""

import re
import socket
import struct
import sys
import threading
from pathlib import Path
from typing import Any

from java import DONE, LISTENS
from tracks.circuits.naive_redstone import Naive

from mirrorcraft.datapack.pack import Datapack
from mirrorcraft.saves.level import read_level
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.tracks.circuits.blocks import Block, Kind, Pos, id_of, parse, properties
from mirrorcraft.tracks.circuits.build import Build, Floor
from mirrorcraft.tracks.circuits.presser import NAME

PASSWORD = "secret"
CELL = r"(-?\d+) (-?\d+) (-?\d+)"


class FakeGame:
    """A world of blocks, a storage, scores, and the functions of a pack.

    Args:
        pack: path -> content, as a datapack has them.
        ticks: game ticks that pass at every command.
    """

    def __init__(self, pack: Any, ticks: int = 3):
        self.pack, self.ticks, self.time, self.loaded_at = pack, ticks, 1000, 1 << 60
        self.blocks: dict[Pos, Block] = {}
        self.floor: Floor | None = None
        self.redstone: Naive | None = None
        self.storage: dict[str, Any] = {}
        self.scores: dict[str, int] = {}
        self.player: str | None = None
        self.commands: list[str] = []
        self.deaf = False  # the player's clicks go nowhere
        self.brittle: Pos | None = None  # a block that the game breaks at once

    # Time and blocks.

    def game_tick(self) -> None:
        self.time += 1
        for name in self.pack["data/minecraft/tags/functions/tick.json"]["values"]:
            self.function(name)
        self.world().game_tick()

    def world(self) -> Naive:
        if self.redstone is None:
            self.redstone = Naive(Build(dict(self.blocks), self.floor))
        return self.redstone

    def press(self, pos: Pos) -> None:
        if not self.deaf:
            self.world().press(pos)

    def state(self, pos: Pos) -> tuple[str, dict[str, str]]:
        if pos not in self.blocks:
            return "air", {}
        block, world = self.blocks[pos], self.world()
        if block.kind == Kind.DUST:
            return "redstone_wire", {"power": str(world.level[pos])}
        now = {k: v for k, v in properties(block).items() if k not in ("lit", "powered")}
        on = "true" if world.on[pos] else "false"
        now["lit" if block.kind in (Kind.LAMP, Kind.TORCH) else "powered"] = on
        if block.kind == Kind.REPEATER:
            now["locked"] = "true" if world.locked(pos) else "false"
        return id_of(block), now

    # Commands: each method of _COMMANDS answers one, or None where 1.19 says "Test failed".

    def run(self, line: str) -> str:
        for pattern, method in _COMMANDS:
            if found := re.fullmatch(pattern, line):
                return method(self, *found.groups())
        return f"Unknown or incomplete command, see below for error{line[:10]}<--[HERE]"

    def function(self, name: str) -> str:
        space, _, path = name.partition(":")
        lines = self.pack[f"data/{space}/functions/{path}.mcfunction"].splitlines()
        for line in lines:
            assert "<--[HERE]" not in self.run(line), line
        return f"Executed {len(lines)} commands from function '{name}'"

    def setblock(self, x: str, y: str, z: str, state: str) -> str:
        pos = int(x), int(y), int(z)
        if state != "minecraft:barrier" and pos != self.brittle:
            self.blocks[pos], self.redstone = parse(state), None
        return f"Changed the block at {x}, {y}, {z}"

    def fill(self, *given: str) -> str:
        x0, y0, z0, x1, y1, z1 = map(int, given[:6])
        assert (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1) <= 32768
        self.redstone = None
        if given[6] == "stone":
            self.floor = Floor(y0, (x0, x1), (z0, z1))
            return "Successfully filled 9 blocks"
        if self.floor and self.floor.y == y0:
            self.floor = None
        inside = [p for p in self.blocks if x0 <= p[0] <= x1 and p[1] == y0 and z0 <= p[2] <= z1]
        for pos in inside:
            del self.blocks[pos]
        return f"Successfully filled {len(inside)} blocks"

    def if_block(self, word: str, x: str, y: str, z: str, wanted: str, then: str | None) -> str:
        if self.time < self.loaded_at:
            return "That position is not loaded"
        name, _, listed = wanted.removeprefix("minecraft:").rstrip("]").partition("[")
        is_, now = self.state((int(x), int(y), int(z)))
        pairs = [pair.split("=") for pair in listed.split(",") if pair]
        return self.branch(word, is_ == name and all(now[k] == v for k, v in pairs), then)

    def if_score(self, word: str, name: str, low: str, up: str, then: str | None) -> str:
        value = self.scores.get(name)
        holds = value is not None and (value <= int(up) if low == ".." else value == int(up))
        return self.branch(word, holds, then)

    def branch(self, word: str, holds: bool, then: str | None) -> str:
        if holds != (word == "if"):
            return "Test failed"
        return self.run(then) if then else "Test passed"

    def if_data(self, path: str) -> str:
        found = self.find(path.removesuffix("[]")) or []
        return f"Test passed, count: {len(found)}" if found else "Test failed"

    def find(self, path: str) -> Any:
        at: Any = self.storage
        for key, index in re.findall(r"(\w+)|\[(-?\d+)\]", path):
            at = at.get(key) if key else at[int(index)]
            if at is None:
                return None
        return at

    def modify(self, path: str, how: str, value: str) -> str:
        made: Any = {"{}": {}, "[]": []}.get(value, value)
        if how == "append":
            self.find(path).append(made)
        else:
            parent, _, key = path.rpartition(".")
            (self.find(parent) if parent else self.storage)[key] = made
        return "Modified storage circuits:trace"

    def get(self, path: str) -> str:
        found = self.find(path)
        if found is None:
            return f"Found no elements matching {path}"
        text = ", ".join(f"{k}: {v}" for k, v in found.items())
        return f"Storage circuits:trace has the following contents: {{{text}}}"

    def set_score(self, name: str, value: str) -> str:
        self.scores[name] = int(value)
        return f"Set [circuits] for {name} to {value}"

    def remove_score(self, name: str, value: str) -> str:
        self.scores[name] -= int(value)
        return f"Removed {value} from [circuits] for {name} (now {self.scores[name]})"

    def forceload(self, *_: str) -> str:
        self.loaded_at = min(self.loaded_at, self.time + 10)
        return "Marked 4 chunks in minecraft:overworld from [-1, -1] to [0, 0] to be force loaded"

    def join(self, name: str) -> str:
        self.player = name
        return f"{name} joined the game"

    def teleport(self, name: str, x: str, y: str, z: str) -> str:
        if name != self.player:
            return "No player was found"
        return f"Teleported {name} to {x}, {y}, {z}"


_PACKS = "There are 2 data packs enabled: [vanilla (built-in)], [file/circuits.zip (world)]"
_COMMANDS: list[tuple[str, Any]] = [
    (r"function (\S+)", FakeGame.function),
    (rf"setblock {CELL} (\S+)", FakeGame.setblock),
    (rf"fill {CELL} {CELL} minecraft:(\w+)", FakeGame.fill),
    (rf"execute (if|unless) block {CELL} (\S+)(?: run (.+))?", FakeGame.if_block),
    (
        r"execute (if|unless) score (\w+) circuits matches (\.\.)?(-?\d+)(?: run (.+))?",
        FakeGame.if_score,
    ),
    (r"execute if data storage circuits:trace (\S+)", FakeGame.if_data),
    (r"data modify storage circuits:trace (\S+) (set|append) value (\S+)", FakeGame.modify),
    (r"data get storage circuits:trace (\S+)", FakeGame.get),
    (r"scoreboard players set (\w+) circuits (-?\d+)", FakeGame.set_score),
    (r"scoreboard players remove (\w+) circuits (\d+)", FakeGame.remove_score),
    (r"scoreboard objectives add circuits dummy", lambda g: "Created new objective [circuits]"),
    (r"forceload add (-?\d+) (-?\d+) (-?\d+) (-?\d+)", FakeGame.forceload),
    (r"tp (\w+) (\S+) (\S+) (\S+)", FakeGame.teleport),
    (r"gamemode creative (\w+)", lambda g, n: f"Set {n}'s game mode to Creative Mode"),
    (r"time query gametime", lambda g: f"The time is {g.time}"),
    (r"datapack list enabled", lambda g: _PACKS),
    (r"fake: (\w+) joins", FakeGame.join),
    (rf"fake: click {CELL}", lambda g, *at: g.press(tuple(map(int, at))) or "Clicked"),
    (r"kill @e\[type=minecraft:item\]", lambda g: "No entity was found"),
]


class FakeRcon:
    """RCON in front of a fake game, on a port of loopback; ticks pass before every command."""

    def __init__(self, game: FakeGame, port: int = 0, password: str = PASSWORD):
        self._game, self._password, self._turn = game, password, threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            while head := connection.recv(4):
                data = connection.recv(struct.unpack("<i", head)[0], socket.MSG_WAITALL)
                ident, kind = struct.unpack("<ii", data[:8])
                body = data[8:-2].decode()
                if kind == 3:
                    ident, reply = (ident if body == self._password else -1), ""
                else:
                    reply = self._answer(body)
                for start in range(0, max(1, len(reply)), 4096):
                    content = reply[start : start + 4096].encode()
                    head = struct.pack("<iii", 10 + len(content), ident, 0)
                    connection.sendall(head + content + b"\0\0")

    def _answer(self, line: str) -> str:
        with self._turn:
            self._game.commands.append(line)
            for _ in range(self._game.ticks):
                self._game.game_tick()
            return self._game.run(line)


def main() -> None:
    """Be the game in a server's folder: what ``VanillaServer`` starts in Java's place."""
    said = dict(line.split("=", 1) for line in Path("server.properties").read_text().splitlines())
    assert Path("eula.txt").read_text() == "eula=true\n"
    assert read_level(Path("world")).packs == ("circuits.zip",)
    game = FakeGame(Datapack.load("world/datapacks/circuits.zip"))
    _say(DONE)
    FakeRcon(game, int(said["rcon.port"]), said["rcon.password"])
    _say(LISTENS)
    threading.Event().wait()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class FakePlayer:
    """A player who joins and clicks by words that no real server knows.

    Args:
        port: where players would join.
        folder: the server's folder, which says where its RCON is.
    """

    def __init__(self, port: int, folder: Path):
        lines = (folder / "server.properties").read_text().splitlines()
        said = dict(line.split("=", 1) for line in lines)
        assert int(said["server-port"]) == port
        self._rcon = Rcon(int(said["rcon.port"]), said["rcon.password"])
        self._rcon.command(f"fake: {NAME} joins")

    def press(self, pos: Pos) -> None:
        self._rcon.command(f"fake: click {' '.join(map(str, pos))}")

    def close(self) -> None:
        self._rcon.close()
