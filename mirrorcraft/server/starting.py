"""What an episode on a server starts with: the packs in force, the settings, and what records say of it all."""

import hashlib

from mirrorcraft.core.data import body
from mirrorcraft.core.errors import Fault
from mirrorcraft.core.world import World
from mirrorcraft.server.node import find_node, node_version
from mirrorcraft.server.process import ServerProcess
from mirrorcraft.server.rcon import Rcon

FOREVER = 1_000_000  # seconds; the most that an effect of 1.19 can be given for


def check_packs(rcon: Rcon, packs: tuple[str, ...]) -> None:
    """Hold the packs that a server plays by to those that were laid out, the strongest last.

    Raises:
        Fault: it has enabled others, or does not answer.
    """
    listed = rcon.command("datapack list enabled")
    names = [part.split("]")[0] for part in listed.split("[")[1:]]
    wanted = [f"file/{name} (world)" for name in packs]
    if names[1:] != wanted:
        raise Fault(
            f"the server has enabled the packs {names}; wanted after its own: {wanted}. "
            "Was a pack deleted from the world's datapacks, or another one added?"
        )


def settings(player: str, world: World) -> list[str]:
    """Return the commands that give every episode its settings (paper v2, section 3.6)."""
    constants = body()
    x, y, z = world.spawn
    return [
        f"gamemode survival {player}",
        f"difficulty {constants['difficulty']}",
        f"time set {constants['time']}",
        "weather clear",
        f"clear {player}",
        f"advancement revoke {player} everything",
        f"spawnpoint {player} {x} {y} {z}",
        f"tp {player} {x + 0.5} {y} {z + 0.5}",  # a tree over the spawn would carry a new player
        f"experience set {player} 0 points",
        *(
            f"effect give {player} minecraft:{effect} {FOREVER} {amplifier} true"
            for effect, amplifier in constants["effects"].items()
        ),
        # Last, so that a body that sees it has heard of all the others.
        f"experience set {player} {constants['experience_level']} levels",
    ]


def made_with(server: ServerProcess, packs: tuple[str, ...]) -> dict[str, str]:
    """Return what records say of a server; see ``study.provenance``."""
    made = {"backend": server.kind, "server": server.version}
    made["node"] = ".".join(map(str, node_version(find_node())))
    for name in packs:  # at most one: the mirror pack
        pack = (server.level / "datapacks" / name).read_bytes()
        made["datapack"] = hashlib.sha256(pack).hexdigest()[:16]
    return made
