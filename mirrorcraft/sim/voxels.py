"""The voxel world that the kernels read: blocks, their search index, the cache on disk."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

import numpy as np
from numba import njit

import mirrorcraft.sim as sim
from mirrorcraft.core.biome import BiomeSpec, vanilla_features
from mirrorcraft.core.errors import BiomeError, InputError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.sim.blocks import (
    FLUID,
    GROUND,
    HALF,
    HEIGHT,
    MIN_Y,
    SIDE,
    block_numbers,
    block_traits,
    pack,
)
from mirrorcraft.sim.layout import (
    MAX_CELLS,
    MAX_KINDS,
    MAX_MOBS,
    N_SECTIONS,
    SECTION,
    SECTIONS_XZ,
    SECTIONS_Y,
    VOXELS,
    rows,
)
from mirrorcraft.sim.worldgen import grow

UNSOUGHT = ("air", "water", "bedrock")  # never searched for
COMMON_CELLS = 400_000  # of a kind with more cells (stone) the index lists sections, not cells
GENERATOR = (
    "noise",
    "blocks",
    "terrain",
    "placement",
    "ores",
    "features",
    "trees",
    "worldgen",
    "voxels",
)


def generate(spec: BiomeSpec, seed: int) -> np.record:
    """Return the world of a spec and a signed 64-bit seed, without the cache on disk.

    Raises:
        BiomeError: the spec gives more kinds of blocks, or more animals, than a world may hold.
    """
    grown = grow(spec, seed)
    return assemble(grown.blocks, grown.mobs, spec.id, BiomeError)


def assemble(
    blocks: np.ndarray, mobs: np.ndarray, source: object, error: type[InputError]
) -> np.record:
    """Return the world of given blocks and animals: ground and search index are made here.

    Args:
        blocks: uint16 [SIDE * SIDE * HEIGHT], block numbers by packed position.
        mobs: int32 [n, 5], as in ``VOXELS``.
        source: where they come from, for errors.
        error: raised with ``source`` if there are more kinds of blocks, or more animals, than a
            world may hold.
    """
    book = Rulebook.vanilla("1.19")
    counts = np.bincount(blocks, minlength=len(book.blocks))
    wanted = counts > 0
    wanted[[block_numbers(book)[name] for name in UNSOUGHT]] = False
    found = np.flatnonzero(wanted)
    listed = counts[found] <= COMMON_CELLS
    for what, n, limit in (
        ("kinds of blocks", found.size, MAX_KINDS),
        ("cells of searchable blocks", int(counts[found][listed].sum()), MAX_CELLS),
        ("animals", len(mobs), MAX_MOBS),
    ):
        if n > limit:
            raise error(source, "", f"{n} {what}", f"at most {limit}")
    voxels = rows(1, VOXELS)[0]
    voxels.blocks[:] = blocks
    voxels.ground[:] = _ground(blocks, block_traits(book))
    voxels.kinds[:], voxels.kind_of[:] = -1, -1
    voxels.kinds[: found.size] = found
    voxels.kind_of[found] = np.arange(found.size)
    names, logs = list(book.blocks), book.tag("blocks", "logs")
    voxels.trunks = sum(1 << k for k, b in enumerate(found) if names[b] in logs)
    _index(voxels.blocks, voxels.kind_of, listed, voxels.cells, voxels.offsets, voxels.sections)
    voxels.n_mobs = len(mobs)
    voxels.mobs[: len(mobs)] = mobs
    return voxels


@njit(cache=True)
def section_of(p):
    """Return the section of a packed position."""
    column, y = p // HEIGHT, p % HEIGHT
    x, z = column // SIDE, column % SIDE
    return ((x // SECTION) * SECTIONS_XZ + z // SECTION) * SECTIONS_Y + y // SECTION


@njit(cache=True)
def cell_of(p):
    """Return the place of a packed position within its section: x << 8 | z << 4 | y."""
    column, y = p // HEIGHT, p % HEIGHT
    return (column // SIDE % SECTION) << 8 | (column % SIDE % SECTION) << 4 | y % SECTION


@njit(cache=True)
def _index(blocks, kind_of, listed, cells, offsets, sections):
    """Counting sort of the searchable cells by (kind, section), into the last three arrays; see ``VOXELS``."""
    for p in range(blocks.size):
        k = kind_of[blocks[p]]
        if k >= 0:
            s = section_of(p)
            if listed[k]:
                offsets[k, s + 1] += 1
            sections[s] |= np.uint64(1) << np.uint64(k)
    start = 0
    for k in range(MAX_KINDS):
        offsets[k, 0] = start
        for s in range(N_SECTIONS):
            offsets[k, s + 1] += offsets[k, s]
        start = offsets[k, N_SECTIONS]
    cursor = offsets[:, :N_SECTIONS].copy()
    for p in range(blocks.size):
        k = kind_of[blocks[p]]
        if k >= 0 and listed[k]:
            s = section_of(p)
            cells[cursor[k, s]] = cell_of(p)
            cursor[k, s] += 1


@njit(cache=True)
def _ground(blocks, traits):
    ground = np.empty((SIDE, SIDE), np.int16)
    for i in range(SIDE):
        for j in range(SIDE):
            y = MIN_Y + HEIGHT - 1
            while (
                y > MIN_Y and (traits[blocks[pack(i - HALF, y, j - HALF)]] & (GROUND | FLUID)) == 0
            ):
                y -= 1
            wet = (traits[blocks[pack(i - HALF, y, j - HALF)]] & FLUID) != 0
            ground[i, j] = y if wet else y + 1
    return ground


def digest(voxels: np.record) -> str:
    """Return the sha256 of a world, as hex."""
    return hashlib.sha256(voxels.tobytes()).hexdigest()


def open_world(world: World, *, rebuild: bool = False) -> np.record:
    """Return a world from the cache on disk as a read-only map, generating it if it is not there.

    Args:
        world: which one.
        rebuild: generate it even if it is cached.
    """
    spec = BiomeSpec.load(world.biome)
    path = sim.CACHE_DIR / "worlds" / f"{world.id}-{_key(spec, world.seed)}.voxels"
    if rebuild or not path.is_file() or path.stat().st_size != VOXELS.itemsize:
        _store(generate(spec, world.seed), path)
    return np.memmap(path, VOXELS, mode="r")[0]


def _key(spec: BiomeSpec, seed: int) -> str:
    """Hash of all that decides a world's file: generator, spec, features, names, seed, layout."""
    book = Rulebook.vanilla("1.19")
    here = Path(__file__).parent
    key = hashlib.sha256(b"".join((here / f"{name}.py").read_bytes() for name in GENERATOR))
    key.update(spec.model_dump_json().encode())
    key.update(vanilla_features().model_dump_json().encode())
    key.update(json.dumps([list(book.blocks), list(book.entities), seed]).encode())
    key.update(block_traits(book).tobytes())
    key.update(repr(VOXELS.fields).encode())  # the file is the record, read as it lies
    return key.hexdigest()[:16]


def _store(voxels: np.record, path: Path) -> None:
    """Write a world beside its place and move it there whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
        try:
            file.write(voxels.tobytes())
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
