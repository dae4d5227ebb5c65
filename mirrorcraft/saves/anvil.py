"""A world of the simulator as a Minecraft 1.19 save, and a save as a world of the simulator.

A save made here holds the box and nothing else: behind the world border lies void. The other way,
kinds of blocks are taken exactly inside the box; their states, their contents and all that lies
outside are left behind, since the simulator has no room for them.
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import SaveError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.saves.animals import entity_chunks, read_animals
from mirrorcraft.saves.chunks import ChunkWriter, read_chunk
from mirrorcraft.saves.level import level_dat
from mirrorcraft.saves.nbt import At
from mirrorcraft.saves.region import Chunk, chunk_name, read_regions, region_name, write_regions
from mirrorcraft.saves.states import states_of
from mirrorcraft.sim.blocks import CHUNK, HALF, HEIGHT, SIDE, block_numbers
from mirrorcraft.sim.voxels import assemble

# The chunks of the box, x and z in chunks.
_ALONG = range(-HALF // CHUNK, (SIDE - HALF) // CHUNK)
BOX = tuple((x, z) for x in _ALONG for z in _ALONG)


def export_world(
    voxels: np.record, world: World, biome: BiomeSpec, path: Path, *, packs: Sequence[Path] = ()
) -> None:
    """Write a world as a save folder: all of it, or nothing.

    Args:
        voxels: the blocks and animals.
        world: its name, seed and spawn.
        biome: its spec; every cell gets the vanilla biome that the spec varies.
        path: the folder to make; it must not exist.
        packs: datapacks (folders or zip files) to copy into the save and enable, the strongest last.

    Raises:
        SaveError: the path is taken or cannot be made, or a pack is missing or named twice.
    """
    if path.exists():
        raise SaveError(path, "", "a path that exists", "a free one; nothing is overwritten")
    names = [pack.name for pack in packs]
    for pack in packs:
        zipped = pack.suffix == ".zip" and pack.is_file()
        if not (zipped or pack.is_dir()) or names.count(pack.name) > 1:
            raise SaveError(path, "packs", str(pack), "a folder or a .zip, each name once")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
            made = Path(folder) / "save"
            _write(voxels, world, biome, made)
            (made / "level.dat").write_bytes(level_dat(world, tuple(names)))
            (made / "datapacks").mkdir()
            for pack in packs:
                copy = shutil.copytree if pack.is_dir() else shutil.copyfile
                copy(pack, made / "datapacks" / pack.name)
            os.replace(made, path)
    except OSError as e:
        raise SaveError(path, "", e.strerror, "a place that can be written") from e


def _write(voxels: np.record, world: World, biome: BiomeSpec, folder: Path) -> None:
    numbers, states = states_of(voxels.blocks)
    numbers = numbers.reshape(SIDE, SIDE, HEIGHT)
    writer = ChunkWriter(states, biome.base)
    chunks = {}
    for chunk in BOX:
        here = _slices(chunk)
        chunks[chunk] = writer.chunk(numbers[here], voxels.ground[here], chunk)
    write_regions(folder / "region", chunks)
    write_regions(folder / "entities", entity_chunks(voxels.mobs[: voxels.n_mobs]))


def import_save(path: Path) -> np.record:
    """Return the world (a row of VOXELS) in the box of a save of 1.19 to 1.19.2.

    Spawn, seed and packs of the save are ``level.read_level``'s; the save itself is not changed.

    Raises:
        SaveError: a chunk of the box is missing, unfinished or damaged, or the box holds more than
            a world may; the file, the chunk and the place in it are named.
    """
    blocks = np.empty((SIDE, SIDE, HEIGHT), np.uint16)
    number = block_numbers(Rulebook.vanilla("1.19"))
    missing = dict.fromkeys(BOX)
    for chunk, at, data in read_regions(path / "region", BOX):
        blocks[_slices(chunk)] = read_chunk(data, chunk, number, at)
        del missing[chunk]
    for chunk in missing:
        at = At(path / "region" / region_name(chunk), chunk_name(chunk))
        at.fail("", "nothing", f"a chunk; {len(missing)} of the {len(BOX)} in the box are missing")
    animals = [
        animal
        for chunk, at, data in read_regions(path / "entities", BOX)
        for animal in read_animals(data, chunk, at)
    ]
    mobs = np.array([row for _, *row in sorted(animals)], np.int32).reshape(-1, 5)
    return assemble(blocks.reshape(-1), mobs, path, SaveError)


def _slices(chunk: Chunk) -> tuple[slice, slice]:
    """Return the columns of a chunk, as slices of x and z in the box."""
    x, z = chunk[0] * CHUNK + HALF, chunk[1] * CHUNK + HALF
    return slice(x, x + CHUNK), slice(z, z + CHUNK)
