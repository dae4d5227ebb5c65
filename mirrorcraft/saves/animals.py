"""The living things of a world as the game's entity chunks, and back."""

from typing import Any

import numpy as np

from mirrorcraft.core.ids import full, strip
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.saves import nbt
from mirrorcraft.saves.chunks import DATA_VERSION, READABLE
from mirrorcraft.saves.nbt import At, Byte, Double, Float, Int, List, Short
from mirrorcraft.saves.region import Chunk
from mirrorcraft.sim.blocks import CHUNK, HALF, HEIGHT, MIN_Y, SIDE


def entity_chunks(mobs: np.ndarray) -> dict[Chunk, bytes]:
    """Return the entity chunks (uncompressed NBT) of animals, int32 [n, 5] as in ``VOXELS``."""
    kinds = list(Rulebook.vanilla("1.19").entities)
    members: dict[Chunk, list[dict[str, Any]]] = {}
    for i, (entity, x, y, z, variant) in enumerate(mobs.tolist()):
        tag = _animal(kinds[entity], (x, y, z), variant, i)
        members.setdefault((x // CHUNK, z // CHUNK), []).append(tag)
    return {chunk: _entity_chunk(chunk, tags) for chunk, tags in members.items()}


def _entity_chunk(chunk: Chunk, tags: list[dict[str, Any]]) -> bytes:
    root = {
        "DataVersion": Int(DATA_VERSION),
        "Position": np.array(chunk, np.int32),
        "Entities": List(nbt.COMPOUND, tags),
    }
    return nbt.dumps(root)


def _animal(kind: str, feet: tuple[int, int, int], variant: int, index: int) -> dict[str, Any]:
    """Return an animal in the middle of a cell; the game gives what is left out its default."""
    x, y, z = feet
    tag = {
        "id": full(kind),
        "Pos": List(nbt.DOUBLE, [Double(x + 0.5), Double(y), Double(z + 0.5)]),
        "Motion": List(nbt.DOUBLE, [Double(0)] * 3),
        "Rotation": List(nbt.FLOAT, [Float(0)] * 2),
        # The order of a world's animals is part of it, so it is told by what names them.
        "UUID": np.array([0, 0, 0, index + 1], np.int32),
        "Health": Float(Rulebook.vanilla("1.19").entities[kind].health),
        "Air": Short(300),
        "OnGround": Byte(1),
        "PersistenceRequired": Byte(1),  # else an animal may vanish when nobody is near
    }
    if kind == "sheep":
        tag["Color"] = Byte(variant)
    return tag


def read_animals(data: bytes, chunk: Chunk, at: At) -> list[tuple[int, ...]]:
    """Return the living things of an entity chunk as (UUID, entity, x, y, z, variant).

    What the rulebook does not count as living (items, boats, paintings) is left out, and so is what
    stands outside the box.

    Raises:
        SaveError: it is no entity chunk of 1.19, or lies elsewhere.
    """
    root = nbt.loads(data, at)
    version = nbt.need(root, "DataVersion", nbt.INT, at)
    if version not in READABLE:
        at.fail("DataVersion", int(version), "3105 to 3120, which is 1.19 to 1.19.2")
    place = tuple(nbt.need(root, "Position", nbt.INTS, at).tolist())
    if place != chunk:
        at.fail("Position", place, f"{chunk}, where it lies in its region")
    numbers = {name: i for i, name in enumerate(Rulebook.vanilla("1.19").entities)}
    found = []
    for i, entity in enumerate(nbt.need_list(root, "Entities", nbt.COMPOUND, at)):
        inside = At(at.file, f"{at.place}: Entities[{i}]")
        kind = strip(nbt.need(entity, "id", nbt.STRING, inside))
        if kind in numbers:
            found += _placed(entity, kind, numbers[kind], inside)
    return found


def _placed(entity: dict[str, Any], kind: str, number: int, at: At) -> list[tuple[int, ...]]:
    position = nbt.need_list(entity, "Pos", nbt.DOUBLE, at)
    if len(position) != 3 or not np.isfinite(position).all():
        at.fail("Pos", list(position), "three finite numbers")
    x, y, z = (int(np.floor(v)) for v in position)
    if not (-HALF <= x < SIDE - HALF and -HALF <= z < SIDE - HALF and 0 <= y - MIN_Y < HEIGHT):
        return []
    uuid = nbt.need(entity, "UUID", nbt.INTS, at).astype(">i4").tobytes()
    variant = nbt.need(entity, "Color", nbt.BYTE, at) if kind == "sheep" else 0
    return [(int.from_bytes(uuid, "big"), number, x, y, z, int(variant))]
