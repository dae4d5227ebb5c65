"""A world that the game itself generates from a biome pack, as a save that the simulator can import."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import Fault, InputError, SaveError
from mirrorcraft.datapack.biome import biome_id, build_biome
from mirrorcraft.saves.anvil import import_save
from mirrorcraft.saves.level import GAME_RULES
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.server.vanilla import VanillaServer
from mirrorcraft.server.worlds import new_folder
from mirrorcraft.sim.blocks import CHUNK, HALF, SIDE

ROW_SECONDS = 300  # that the game may take for a row of chunks, or to write all of it
# What belongs to a running server or to a player, and not to a world.
LEFT_OUT = ("session.lock", "playerdata", "advancements", "stats")


class GeneratingServer(VanillaServer):
    """Mojang's server in a folder whose world it has yet to make; see ``VanillaServer``."""

    def __init__(self, folder: Path, biome: BiomeSpec, seed: int, **how: Any):
        super().__init__(folder, **how)
        self._biome, self._seed = biome, seed

    def prepare(self) -> None:
        """Lay the pack of the biome where the game looks before it makes the world."""
        packs = self.level / "datapacks"
        packs.mkdir(parents=True)
        build_biome(self._biome).write_zip(packs / f"{self._biome.id}.zip")
        super().prepare()

    def properties(self) -> dict[str, str]:
        """Return the properties of an episode's server, with the preset that the pack brings."""
        return {
            **super().properties(),
            "level-seed": str(self._seed),
            "level-type": biome_id(self._biome),
        }


def generate(biome: BiomeSpec, seed: int, out: Path, **how: Any) -> None:
    """Have the game generate the box of a world, and keep it as a save: all of it, or nothing.

    What grew is the game's: of the same spec and seed the simulator makes another world.

    Args:
        biome: the spec whose pack the game generates by.
        seed: the world seed, a signed 64-bit integer.
        out: the folder of the save to make; it must not exist.
        how: ``jar``, ``accept_eula``, ``java``, ``check``; see ``VanillaServer``.

    Raises:
        InputError: the seed has more than 64 bits.
        Fault: the game cannot be started, fails, or does not answer.
        SaveError: the place is taken or cannot be written, or what the game wrote is no whole box.
    """
    if not -(1 << 63) <= seed < 1 << 63:
        raise InputError("generate", "seed", seed, "a signed 64-bit integer")
    if out.exists():
        raise SaveError(out, "", "a path that exists", "a free one; nothing is overwritten")
    folder = new_folder(None)
    server = GeneratingServer(folder, biome, seed, **how)
    try:
        server.start()
        with Rcon(server.rcon_port, server.password, ROW_SECONDS) as rcon:
            _grow(rcon)
        server.ended()
        _keep(server.level, out)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _grow(rcon: Rcon) -> None:
    """Freeze the world, load every chunk of the box, which generates it, and have all of it written."""
    for rule, value in GAME_RULES.items():
        rcon.command(f"gamerule {rule} {value}")
    low, high = -HALF, SIDE - HALF - 1
    for z in range(low, high, CHUNK):
        reply = rcon.command(f"forceload add {low} {z} {high} {z}")
        if not reply.startswith("Marked"):
            raise Fault(f"the game does not load the chunks at z = {z}: {reply!r}")
    saved = rcon.command("save-all flush")
    if "Saved the game" not in saved:
        raise Fault(f"the game does not write the world: {saved!r}")
    with suppress(Fault):  # it may hang up before it replies; whether it ends is seen next
        rcon.command("stop")


def _keep(level: Path, out: Path) -> None:
    """Check that the box is whole, and move a copy of the save to its place."""
    import_save(level)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".new-") as beside:
            made = Path(beside) / "save"
            shutil.copytree(level, made, ignore=shutil.ignore_patterns(*LEFT_OUT))
            os.replace(made, out)
    except OSError as e:
        raise SaveError(out, "", e.strerror, "a place that can be written") from e
