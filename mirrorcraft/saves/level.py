"""level.dat: name, spawn, rules of play, packs, and nothing but void outside the box."""

import gzip
from pathlib import Path
from typing import Any, NamedTuple

from mirrorcraft.core.data import body
from mirrorcraft.core.world import World
from mirrorcraft.saves import nbt
from mirrorcraft.saves.chunks import DATA_VERSION
from mirrorcraft.saves.nbt import At, Byte, Double, Float, Int, List, Long
from mirrorcraft.saves.region import inflate
from mirrorcraft.sim.blocks import HALF, SIDE

ANVIL = 19133  # the number of the save format, unchanged since 1.2
DIFFICULTIES = ("peaceful", "easy", "normal", "hard")
PACK_PREFIX = "file/"

# Time and weather stand still; nothing spawns, grows, burns or decays by chance. What the world is
# at the start is what both backends know of it, and the random ticks of a server are not
# repeatable.
GAME_RULES = {
    "announceAdvancements": "false",
    "doDaylightCycle": "false",
    "doFireTick": "false",
    "doImmediateRespawn": "true",
    "doInsomnia": "false",
    "doMobSpawning": "false",
    "doPatrolSpawning": "false",
    "doTraderSpawning": "false",
    "doWardenSpawning": "false",
    "doWeatherCycle": "false",
    "mobGriefing": "false",
    "randomTickSpeed": "0",
    "spawnRadius": "0",
}


class Level(NamedTuple):
    """What a save says of itself.

    Attributes:
        name: the name shown to people.
        seed: of its generator.
        spawn: (x, y, z) of the cell of a new player's feet.
        packs: file names of its own datapacks, the strongest last.
    """

    name: str
    seed: int
    spawn: tuple[int, int, int]
    packs: tuple[str, ...]


def level_dat(world: World, packs: tuple[str, ...]) -> bytes:
    """Return level.dat of a world with datapacks, the strongest last."""
    x, y, z = world.spawn
    enabled = ["vanilla", *(PACK_PREFIX + name for name in packs)]
    data = {
        "DataVersion": Int(DATA_VERSION),
        "Version": {"Id": Int(DATA_VERSION), "Name": "1.19", "Series": "main", "Snapshot": Byte(0)},
        "version": Int(ANVIL),
        "LevelName": world.id,
        "initialized": Byte(1),  # else the game looks for a spawn of its own
        "SpawnX": Int(x),
        "SpawnY": Int(y),
        "SpawnZ": Int(z),
        "SpawnAngle": Float(0),
        "GameType": Int(0),
        "Difficulty": Byte(DIFFICULTIES.index(body()["difficulty"])),
        "DifficultyLocked": Byte(0),
        "hardcore": Byte(0),
        "allowCommands": Byte(1),
        "GameRules": dict(GAME_RULES),
        "DataPacks": {"Enabled": List(nbt.STRING, enabled), "Disabled": List()},
        "WorldGenSettings": _void(world.seed),
        "RandomSeed": Long(
            world.seed
        ),  # 1.19 does not read it; a server in JavaScript must have it
        "WasModded": Byte(0),
        "ServerBrands": List(nbt.STRING, ["vanilla"]),
        "LastPlayed": Long(0),
        **_clock(),
        **_border(),
        **_beings(),
    }
    return gzip.compress(nbt.dumps({"Data": data}), mtime=0)


def _clock() -> dict[str, Any]:
    return {
        "Time": Long(0),
        "DayTime": Long(body()["time"]),
        "raining": Byte(0),
        "rainTime": Int(0),
        "thundering": Byte(0),
        "thunderTime": Int(0),
        "clearWeatherTime": Int(0),
        "ScheduledEvents": List(),
    }


def _border() -> dict[str, Any]:
    """Return a world border around the box; it stands still and does not warn."""
    centre = SIDE / 2 - HALF
    return {
        "BorderCenterX": Double(centre),
        "BorderCenterZ": Double(centre),
        "BorderSize": Double(SIDE),
        "BorderSizeLerpTarget": Double(SIDE),
        "BorderSizeLerpTime": Long(0),
        "BorderSafeZone": Double(5),
        "BorderDamagePerBlock": Double(0.2),
        "BorderWarningBlocks": Double(0),
        "BorderWarningTime": Double(0),
    }


def _beings() -> dict[str, Any]:
    return {
        "WanderingTraderSpawnChance": Int(25),
        "WanderingTraderSpawnDelay": Int(24000),
        "CustomBossEvents": {},
        "DragonFight": {
            "DragonKilled": Byte(1),
            "PreviouslyKilled": Byte(1),
            "NeedsStateScanning": Byte(0),
            "Gateways": List(),
        },
    }


def _void(seed: int) -> dict[str, Any]:
    """Return generator settings that make nothing anywhere."""
    generator = {
        "type": "minecraft:flat",
        "settings": {
            "biome": "minecraft:the_void",
            "features": Byte(0),  # the void has one: a platform of stone at its middle
            "lakes": Byte(0),
            "structure_overrides": List(),
            "layers": List(nbt.COMPOUND, [{"block": "minecraft:air", "height": Int(1)}]),
        },
    }
    names = ("overworld", "the_nether", "the_end")
    return {
        "seed": Long(seed),
        "generate_features": Byte(0),
        "bonus_chest": Byte(0),
        "dimensions": {
            f"minecraft:{name}": {"type": f"minecraft:{name}", "generator": generator}
            for name in names
        },
    }


def read_level(path: Path) -> Level:
    """Return what ``level.dat`` of a save folder says.

    Raises:
        SaveError: the file is missing or damaged, or its save is not of 1.19.
    """
    at = At(path / "level.dat", "")
    try:
        packed = (path / "level.dat").read_bytes()
    except OSError as e:
        at.fail("", e.strerror, "a readable file; is the folder a save?")
    data = nbt.need(nbt.loads(inflate(packed, at), at), "Data", nbt.COMPOUND, at)
    at = At(at.file, "Data")
    spawn = tuple(int(nbt.need(data, f"Spawn{axis}", nbt.INT, at)) for axis in "XYZ")
    settings = nbt.need(data, "WorldGenSettings", nbt.COMPOUND, at)
    packs = nbt.need(data, "DataPacks", nbt.COMPOUND, at)
    enabled = nbt.need_list(packs, "Enabled", nbt.STRING, at)
    return Level(
        name=nbt.need(data, "LevelName", nbt.STRING, at),
        seed=int(nbt.need(settings, "seed", nbt.LONG, at)),
        spawn=(spawn[0], spawn[1], spawn[2]),
        packs=tuple(
            name.removeprefix(PACK_PREFIX) for name in enabled if name.startswith(PACK_PREFIX)
        ),
    )
