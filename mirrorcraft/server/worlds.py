"""The world of an episode on disk: exported once, copied afresh for every episode, with the packs it is played by."""

import shutil
import tempfile
from pathlib import Path

import mirrorcraft.sim as sim
from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import Fault, PackError, SaveError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.datapack import build
from mirrorcraft.saves.anvil import export_world
from mirrorcraft.saves.level import level_dat
from mirrorcraft.sim.voxels import digest, open_world

PACK = "mirror.zip"


def pristine(world: World) -> Path:
    """Return the save of a world, exported once into the cache; it is only ever copied.

    Raises:
        Fault: it cannot be written.
    """
    voxels = open_world(world)
    place = sim.CACHE_DIR / "saves" / f"{world.id}-{digest(voxels)[:16]}"
    if not place.is_dir():
        try:
            export_world(voxels, world, BiomeSpec.load(world.biome), place)
        except SaveError as e:
            if not place.is_dir():  # else another process was first
                raise Fault(f"the world {world.id} cannot be exported: {e}") from None
    return place


def new_folder(runs: Path | None) -> Path:
    """Return a new folder for one server, beside which any number of others may run.

    Raises:
        Fault: the place cannot be written.
    """
    try:
        if runs is not None:
            runs.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="mirrorcraft-", dir=runs))
    except OSError as e:
        raise Fault(
            f"no folder for a server can be made in {runs or 'the temporary folder'}: {e}"
        ) from None


def lay_out(folder: Path, world: World, rules: Rulebook) -> tuple[str, ...]:
    """Put a fresh copy of a world, with the pack of its rules last in load order, into ``folder / "world"``.

    Returns:
        The file names of the packs, the strongest last; none for the game's own rules.

    Raises:
        Fault: it cannot be copied (the disk is full, the folder read-only), or the rules are no datapack.
    """
    level = folder / "world"
    try:
        shutil.copytree(pristine(world), level)
        packs: tuple[str, ...] = ()
        if rules.changes:
            build(rules).write_zip(level / "datapacks" / PACK)
            packs = (PACK,)
        (level / "level.dat").write_bytes(level_dat(world, packs))
    except (OSError, PackError, shutil.Error) as e:
        raise Fault(
            f"the world cannot be laid out in {folder}: {e}; is there room, and may it be written?"
        ) from None
    return packs
