"""Builds in the real game: placed and recorded by a datapack over RCON, pressed by a player who has joined."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import numpy as np

from mirrorcraft.core.errors import Fault, InputError
from mirrorcraft.core.world import World
from mirrorcraft.saves.level import level_dat
from mirrorcraft.server.process import ServerProcess
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.server.starting import check_packs
from mirrorcraft.tracks.circuits.blocks import Pos
from mirrorcraft.tracks.circuits.build import Build, box
from mirrorcraft.tracks.circuits.game_pack import (
    HIGHEST,
    SCORES,
    STORAGE,
    around,
    components,
    game_pack,
    groups,
    read_group,
    stand_for,
)
from mirrorcraft.tracks.circuits.presser import NAME, Player

REST = 40
"""Game ticks that a build stands before it is pressed; longer than any component waits."""
PATIENCE = 400
"""Game ticks within which blocks must be there and a press must arrive."""
HOME = (0, HIGHEST + 10, 0)
"""Where the player stands between builds."""
Press = Callable[[Pos], None]


class Game:
    """A 1.19 game that plays the pack of some builds, spoken to over RCON; see ``game_pack``.

    Args:
        rcon: the connection.
        builds: what its pack holds, each at rest.
        join: lets the player in and returns what clicks a button in the game.
        poll_s: seconds between two looks at the game's clock.
    """

    def __init__(
        self,
        rcon: Rcon,
        builds: Sequence[Build],
        join: Callable[[], Press],
        poll_s: float = 0.05,
    ):
        self._rcon, self._builds, self._poll_s = rcon, builds, poll_s
        rcon.command(f"scoreboard objectives add {SCORES} dummy")
        x, y, z = HOME
        self._load([HOME])
        rcon.command(f"setblock {x} {y - 1} {z} minecraft:barrier")
        self._press = join()
        rcon.command(f"gamemode creative {NAME}")  # a fall must not hurt

    def record(self, number: int) -> np.ndarray:
        """Place a build, press its button, clear it away, and return what its components did.

        Returns:
            States as in ``Trace.states``: a row before the press, and one for each game tick from
            the press to the build's last.

        Raises:
            Fault: the server is gone or late, blocks are not there, or the press does not arrive.
        """
        build, command = self._builds[number], self._rcon.command
        self._load(around(build))
        command(f"function circuits:b{number}/place")
        self._stand(stand_for(build))
        try:
            self._pass(REST)
            self._check(number)
            self._begin(number, build.ticks + 1)
            self._press(build.button)
            self._until(lambda: not self._scored("recording"), "the recording ends", build.ticks)
            self._check(number)
            return self._read(build)
        finally:
            self._stand(HOME)
            command(f"function circuits:b{number}/clear")
            self._pass(REST)

    def _stand(self, feet: Pos) -> None:
        x, y, z = feet
        self._rcon.command(f"tp {NAME} {x}.5 {y} {z}.5")

    def _begin(self, number: int, rows: int) -> None:
        self._rcon.command(f"data modify storage {STORAGE} rows set value []")
        for name, value in (("build", number), ("pressed", 0), ("left", rows), ("recording", 1)):
            self._rcon.command(f"scoreboard players set {name} {SCORES} {value}")
        self._until(lambda: self._rows() > 0, "a row is recorded")

    def _read(self, build: Build) -> np.ndarray:
        """Return the rows from the last one before the press on."""
        cells, total = components(build), self._rows()
        states = np.zeros((build.ticks + 2, len(cells)), np.uint8)
        for row in range(len(states)):
            index = total - len(states) + row
            for group in range(groups(build)):
                said = self._rcon.command(f"data get storage {STORAGE} rows[{index}].g{group}")
                for component, value in read_group(said).items():
                    states[row, component] = value
        return states

    def _check(self, number: int) -> None:
        """Hold every component to be where the build has it."""
        self._rcon.command(f"function circuits:b{number}/check")
        gone = _count(self._rcon.command(f"execute if data storage {STORAGE} gone[]"))
        if gone:
            raise Fault(
                f"build {number}: {gone} components are not in the game's world; was it loaded, and is"
                " everything on something that the game lets it stand on?"
            )

    def _rows(self) -> int:
        return _count(self._rcon.command(f"execute if data storage {STORAGE} rows[]"))

    def _scored(self, name: str) -> bool:
        return self._rcon.ask(f"execute if score {name} {SCORES} matches 1")

    def _now(self) -> int:
        said = self._rcon.command("time query gametime")
        number = said.rpartition(" ")[2]
        if not number.isdecimal():
            raise Fault(f"the server answers 'time query gametime' with {said[:200]!r}")
        return int(number)

    def _pass(self, ticks: int) -> None:
        end = self._now() + ticks
        while self._now() < end:
            time.sleep(self._poll_s)

    def _until(self, there: Callable[[], bool], what: str, ticks: int = 0) -> None:
        end = self._now() + PATIENCE + ticks
        while not there():
            if self._now() > end:
                raise Fault(f"the server: {PATIENCE + ticks} ticks have passed before {what}")
            time.sleep(self._poll_s)

    def _load(self, cells: Sequence[Pos]) -> None:
        """Have the chunks of a box around cells loaded; the game sets no block in others."""
        (x0, _, z0), (x1, _, z1) = box(cells)
        self._rcon.command(f"forceload add {x0} {z0} {x1} {z1}")
        corners = [(x, z) for x in (x0, x1) for z in (z0, z1)]
        self._until(lambda: all(self._loaded(x, z) for x, z in corners), "its chunks are loaded")

    def _loaded(self, x: int, z: int) -> bool:
        with suppress(Fault):  # "That position is not loaded"
            return self._rcon.ask(f"execute if block {x} 0 {z} minecraft:air") or True
        return False


def _count(reply: str) -> int:
    """Return the count of what ``execute if data`` answers."""
    if reply.startswith("Test failed"):
        return 0
    number = reply.removeprefix("Test passed, count: ")
    if not number.isdecimal():
        raise Fault(f"the server answers 'execute if data' with {reply[:200]!r}")
    return int(number)


@contextmanager
def open_game(server: ServerProcess, builds: Sequence[Build]) -> Iterator[Game]:
    """Start a server in an empty world with the pack of some builds, and let a player join.

    Raises:
        InputError: the kind of server has no redstone, or a build does not fit the world.
        Fault: the server or the player cannot be started.
    """
    if server.kind != "vanilla":
        raise InputError("circuits", "server", server.kind, "vanilla; this kind has no redstone")
    pack = game_pack(builds)
    world = World("circuits", "void", 0, HOME)
    try:
        (server.level / "datapacks").mkdir(parents=True, exist_ok=True)
        pack.write_zip(server.level / "datapacks" / pack.name)
        (server.level / "level.dat").write_bytes(level_dat(world, (pack.name,)))
    except OSError as e:
        raise Fault(f"the world cannot be laid out in {server.level}: {e}") from None
    with ExitStack() as stack:
        stack.callback(server.stop)
        server.start()
        rcon = stack.enter_context(server.rcon())
        check_packs(rcon, (pack.name,))

        def join() -> Press:
            player = Player(server.port, server.folder)
            stack.callback(player.close)
            return player.press

        yield Game(rcon, builds, join)
