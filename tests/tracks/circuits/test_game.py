"""Builds in the real game: the pack against the command tree of 1.19, and the whole conversation with a fake of it."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from live import need_server
from tracks.circuits.fake_game import PASSWORD, FakeGame, FakePlayer, FakeRcon
from tracks.circuits.random_builds import random_build
from validators import function_errors, pack_errors

from mirrorcraft.core.errors import Fault, InputError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.server.vanilla import VanillaServer
from mirrorcraft.server.worlds import lay_out
from mirrorcraft.tracks.circuits import game as game_module
from mirrorcraft.tracks.circuits.blocks import STONE, Kind
from mirrorcraft.tracks.circuits.build import Build
from mirrorcraft.tracks.circuits.builders import solve
from mirrorcraft.tracks.circuits.conform import conform, differences
from mirrorcraft.tracks.circuits.game import HOME, Game, open_game
from mirrorcraft.tracks.circuits.game_pack import (
    components,
    game_pack,
    read_group,
    rested,
    stand_for,
)
from mirrorcraft.tracks.circuits.presser import NAME, Player
from mirrorcraft.tracks.circuits.tasks import CircuitTask
from mirrorcraft.tracks.circuits.trace import trace


def still(build):
    found = rested(build)
    assert found is not None
    return found


def of(name):
    return solve(CircuitTask.load(name))


def opened(builds, change=lambda game: None):
    """A game of builds on a fake server, and the fake."""
    fake = FakeGame(game_pack(builds))
    change(fake)

    def join():
        fake.join(NAME)
        return fake.press

    rcon = Rcon(FakeRcon(fake).port, PASSWORD)
    return Game(rcon, builds, join, poll_s=0), fake, rcon


@contextmanager
def entered(builds):
    game, _, rcon = opened(builds)
    with rcon:
        yield game


def test_the_pack_is_one_that_the_game_loads(tmp_path):
    every_kind = [
        *([0, 4, 0, "stone"], [0, 5, 0, "stone_button"], [1, 4, 0, "redstone_wire"]),
        *([2, 4, 0, "repeater[facing=west]"], [3, 4, 0, "glass"], [4, 4, 0, "redstone_lamp"]),
        *([0, 4, 1, "redstone_wall_torch[facing=south]"], [4, 4, 3, "redstone_torch"]),
    ]
    floor = {"y": 3, "x": [-9, 9], "z": [-9, 9]}
    pack = game_pack([still(Build.from_data({"floor": floor, "blocks": every_kind}))])
    pack.write_zip(tmp_path / "circuits.zip")
    assert function_errors(tmp_path / "circuits.zip") == []
    assert pack_errors(tmp_path / "circuits.zip") == []


@pytest.mark.parametrize("name", ["B_L1", "C_L1", "E_L1"])
def test_what_the_game_records_is_the_engines_trace(name):
    build = still(of(name))
    game, fake, rcon = opened([still(of("A_L1")), build])
    with rcon:
        recorded = game.record(1)
    assert np.array_equal(recorded, trace(build, before=1).states)
    assert recorded.any()
    assert fake.blocks == {}  # cleared away
    tps = [line for line in fake.commands if line.startswith("tp ")]
    assert tps[-1] == f"tp {NAME} {HOME[0]}.5 {HOME[1]} {HOME[2]}.5"


def test_several_builds_are_played_one_after_another_and_compared():
    builds = {"first": of("C_L1"), "second": random_build(3), "clock": clock()}
    told = []
    found = conform(builds, entered, told.append)
    assert found == {"builds": 3, "agree": 2, "differences": [], "skipped": ["clock"]}
    assert told == ["first: same", "second: same"]


def clock():
    """Two repeaters that feed each other for ever."""
    ring = [
        [0, 4, 0, "redstone_wire"],
        [1, 4, 0, "repeater[facing=west]"],
        [2, 4, 0, "redstone_wire"],
    ]
    ring += [[2, 4, 1, "redstone_wire"], [1, 4, 1, "repeater[facing=east,powered=true]"]]
    ring += [[0, 4, 1, "redstone_wire"], [0, 4, 5, "stone_button"]]
    floor = {"y": 3, "x": [-5, 5], "z": [-5, 5]}
    return Build.from_data({"floor": floor, "blocks": ring})


def test_a_difference_is_named_by_component_and_tick():
    build = still(of("C_L1"))
    recorded = trace(build, before=1).states.copy()
    lamp = build.of(Kind.LAMP)[1]
    column = components(build).index(lamp)
    recorded[4:, column] ^= 1
    (found,) = differences("mine", build, recorded)
    assert (found.build, found.pos, found.block, found.tick) == ("mine", lamp, "redstone_lamp", 3)
    assert {found.game, found.engine} == {0, 1}


def test_a_click_that_does_not_arrive_is_a_fault():
    game, _, rcon = opened([still(of("A_L1"))], lambda fake: setattr(fake, "deaf", True))
    with rcon, pytest.raises(Fault, match="ticks have passed before the recording ends"):
        game.record(0)


def test_a_block_that_the_game_does_not_keep_is_a_fault():
    build = still(of("A_L1"))
    lamp = build.of(Kind.LAMP)[0]
    game, _, rcon = opened([build], lambda fake: setattr(fake, "brittle", lamp))
    with rcon, pytest.raises(Fault, match="1 components are not in the game's world"):
        game.record(0)


def test_an_answer_that_is_none_of_the_games_is_a_fault():
    assert read_group("Storage circuits:trace has the following contents: {c3: 1b, c61: 15b}") == {
        3: 1,
        61: 15,
    }
    assert read_group("Storage circuits:trace has the following contents: {}") == {}
    with pytest.raises(Fault, match="Found no elements"):
        read_group("Found no elements matching rows[3].g0")


def test_the_player_stands_in_reach_and_touches_nothing():
    for build in (of("A_L5"), of("E_L4"), random_build(7)):
        x, y, z = stand_for(build)
        bx, by, bz = build.button
        eye = (x + 0.5 - bx - 0.5, y + 1.62 - by - 0.5, z + 0.5 - bz - 0.5)
        assert sum(n * n for n in eye) < 36  # the game's reach, squared
        near = [
            (x + a, y - 1 + b, z + c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)
        ]
        assert not any(pos in build.blocks for pos in near)


def test_a_build_outside_of_the_world_is_refused():
    build = of("A_L1")
    far = Build({(x + 200, y, z): b for (x, y, z), b in build.blocks.items()}, None)
    with pytest.raises(InputError, match="x and z from"):
        game_pack([far])
    bx, by, bz = build.button
    walls = {
        (bx + x, by + y, bz + z): STONE
        for x in range(-6, 7)
        for y in range(-3, 9)
        for z in range(-6, 7)
    }
    with pytest.raises(InputError, match="room for a player"):
        game_pack([Build(walls | dict(build.blocks), None)])


JAVA = """#!{python}
import sys
if "-version" in sys.argv:
    sys.exit(print('openjdk version "17.0.9" 2025-04-15', file=sys.stderr))
sys.path.insert(0, {tests!r})
from tracks.circuits.fake_game import main
main()
"""


def test_a_server_is_started_played_on_and_ended(tmp_path, monkeypatch):
    """Everything but Mojang's jar, in whose place the fake runs, and the player, who clicks over RCON."""
    java = tmp_path / "java"
    java.write_text(JAVA.format(python=sys.executable, tests=str(Path(__file__).parents[2])))
    java.chmod(0o755)
    (tmp_path / "run").mkdir()
    server = VanillaServer(tmp_path / "run", java=str(java), accept_eula=True, check=False)
    monkeypatch.setattr(game_module, "Player", FakePlayer)
    builds = {name: of(name) for name in ("A_L1", "C_L1")}
    found = conform(builds, lambda still: open_game(server, still))
    assert (found["agree"], found["differences"]) == (2, [])
    assert server.pid is None


class Squid:
    kind = "squid"


def test_a_server_without_redstone_says_so_before_anything_is_started():
    with pytest.raises(InputError, match="this kind has no redstone"), open_game(Squid(), []):  # type: ignore[arg-type]
        pass


@pytest.mark.server
def test_the_player_joins_a_server_and_clicks_what_is_a_button(tmp_path):
    need_server()
    world = World.load("plains-a")
    packs = lay_out(tmp_path, world, Rulebook.vanilla("1.19"))
    assert packs == ()
    server = SquidServer(tmp_path, 1)
    server.start()
    player = None
    try:
        player = Player(server.port, tmp_path)
        x, y, z = world.spawn
        with pytest.raises(Fault, match="not a stone_button"):
            player.press((x, y - 1, z))
        with server.rcon() as rcon:
            rcon.command(f"setblock {x + 1} {y} {z} minecraft:stone_button")
        assert pressed(player, (x + 1, y, z))
    finally:
        if player:
            player.close()
        server.stop()


def pressed(player, cell):
    """Click, once the player has been told of the button."""
    for _ in range(50):
        try:
            player.press(cell)
        except Fault:
            time.sleep(0.1)
        else:
            return True
    return False
