"""A chunk of blocks as the game's NBT, and back: sections, palettes, packed cells.

Height maps are left out and light is marked as not computed: the game makes both from the blocks
when it loads a chunk, and what is not written cannot be wrong.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mirrorcraft.core.ids import full, strip
from mirrorcraft.saves import nbt
from mirrorcraft.saves.nbt import At, Byte, Int, List, Long
from mirrorcraft.saves.region import Chunk
from mirrorcraft.saves.states import State, block_entities
from mirrorcraft.sim.blocks import CHUNK, HEIGHT, MIN_Y

DATA_VERSION = 3105  # of 1.19
READABLE = range(3105, 3121)  # 1.19 to 1.19.2, which write chunks alike
SECTION = 16
CELLS = SECTION**3
SECTIONS = range(-4, 20)  # of the overworld, y -64..319
IN_BOX = range(MIN_Y // SECTION, (MIN_Y + HEIGHT) // SECTION)
DAYLIGHT = 15


def pack(values: np.ndarray, bits: int) -> np.ndarray:
    """Return numbers of ``bits`` bits as int64: 64 // bits in each, low bits first, none split."""
    in_one = 64 // bits
    longs = -(-values.size // in_one)
    padded = np.zeros(longs * in_one, np.uint64)
    padded[: values.size] = values
    shifts = np.arange(in_one, dtype=np.uint64) * np.uint64(bits)
    return np.bitwise_or.reduce(padded.reshape(longs, in_one) << shifts, axis=1).view(np.int64)


def unpack(longs: np.ndarray, bits: int, size: int) -> np.ndarray:
    """Return the first ``size`` numbers that ``pack`` packed, as uint64."""
    in_one = 64 // bits
    shifts = np.arange(in_one, dtype=np.uint64) * np.uint64(bits)
    values = (longs.view(np.uint64)[:, None] >> shifts) & np.uint64((1 << bits) - 1)
    return values.reshape(-1)[:size]


def bits_of(palette: int) -> int:
    """Return how many bits a cell takes in a section with a palette of that many states."""
    return max(4, (palette - 1).bit_length())


class ChunkWriter:
    """Writes the chunks of one world.

    Args:
        states: what the state numbers of its cells mean.
        biome: vanilla biome of every cell.
    """

    def __init__(self, states: Sequence[State], biome: str):
        self.states = states
        self.tags = [_state_tag(state) for state in states]
        self.air = [state.block for state in states].index("air")
        self.biomes = {"palette": List(nbt.STRING, [full(biome)])}
        self.has_data = np.array([state.block in block_entities() for state in states])

    def chunk(self, numbers: np.ndarray, ground: np.ndarray, chunk: Chunk) -> bytes:
        """Return a chunk as uncompressed NBT.

        Args:
            numbers: uint16 [16, 16, HEIGHT] of state numbers by x, z, y.
            ground: int16 [16, 16], y of the ground; it is day above it.
            chunk: x and z in chunks.
        """
        yzx = np.ascontiguousarray(numbers.transpose(2, 1, 0))
        day = np.where(np.arange(HEIGHT)[:, None, None] + MIN_Y >= ground.T, DAYLIGHT, 0)
        root = {
            "DataVersion": Int(DATA_VERSION),
            "xPos": Int(chunk[0]),
            "yPos": Int(SECTIONS.start),
            "zPos": Int(chunk[1]),
            "Status": "full",
            "LastUpdate": Long(0),
            "InhabitedTime": Long(0),
            "isLightOn": Byte(0),
            "sections": self._sections(yzx, day.astype(np.uint8)),
            "block_entities": self._block_entities(yzx, chunk),
            "Heightmaps": {},
            "structures": {"References": {}, "starts": {}},
            "block_ticks": List(),
            "fluid_ticks": List(),
            "PostProcessing": List(nbt.LIST, [List() for _ in SECTIONS]),
        }
        return nbt.dumps(root)

    def _sections(self, yzx: np.ndarray, day: np.ndarray) -> List:
        """Return all sections of the overworld: those of the box, and air above them."""
        air = np.full(CELLS, self.air, np.uint16)
        sections = []
        for y in SECTIONS:
            low = (y - IN_BOX.start) * SECTION
            cells = yzx[low : low + SECTION].reshape(-1) if y in IN_BOX else air
            light = (
                day[low : low + SECTION].reshape(-1) if y in IN_BOX else np.full_like(air, DAYLIGHT)
            )
            halves = (light[0::2] | light[1::2] << 4).astype(np.uint8)  # two cells in a byte
            section = {
                "Y": Byte(y),
                "block_states": self._block_states(cells),
                "biomes": self.biomes,
                "SkyLight": halves.view(np.int8),
            }
            sections.append(section)
        return List(nbt.COMPOUND, sections)

    def _block_states(self, cells: np.ndarray) -> dict[str, Any]:
        used = np.flatnonzero(np.bincount(cells))
        tag: dict[str, Any] = {"palette": List(nbt.COMPOUND, [self.tags[n] for n in used])}
        if used.size > 1:  # a section of one state has no cells
            places = np.zeros(used[-1] + 1, np.uint16)
            places[used] = np.arange(used.size)
            tag["data"] = pack(places[cells], bits_of(used.size))
        return tag

    def _block_entities(self, yzx: np.ndarray, chunk: Chunk) -> List:
        """Return the bare extra data of furnaces and their like; the game fills in the rest."""
        found = []
        for y, z, x in np.argwhere(self.has_data[yzx]).tolist():
            kind = block_entities()[self.states[yzx[y, z, x]].block]
            tag = {
                "id": full(kind),
                "x": Int(chunk[0] * CHUNK + x),
                "y": Int(MIN_Y + y),
                "z": Int(chunk[1] * CHUNK + z),
                "keepPacked": Byte(0),
            }
            found.append(tag)
        return List(nbt.COMPOUND, found)


def _state_tag(state: State) -> dict[str, Any]:
    tag: dict[str, Any] = {"Name": full(state.block)}
    if state.properties:
        tag["Properties"] = dict(state.properties)
    return tag


def read_chunk(data: bytes, chunk: Chunk, number: dict[str, int], at: At) -> np.ndarray:
    """Return the block numbers of a chunk, uint16 [16, 16, HEIGHT] by x, z, y; states are dropped.

    A section that is not there is air, as it is for the game.

    Args:
        data: its uncompressed NBT.
        chunk: where it should lie, x and z in chunks.
        number: block numbers by id.
        at: for errors.

    Raises:
        SaveError: it is no complete chunk of 1.19, lies elsewhere, or holds what 1.19 does not know.
    """
    root = nbt.loads(data, at)
    version = nbt.need(root, "DataVersion", nbt.INT, at)
    if version not in READABLE:
        at.fail("DataVersion", int(version), "3105 to 3120, which is 1.19 to 1.19.2")
    place = nbt.need(root, "xPos", nbt.INT, at), nbt.need(root, "zPos", nbt.INT, at)
    if place != chunk:
        at.fail("xPos, zPos", [*map(int, place)], f"{list(chunk)}, where it lies in its region")
    status = nbt.need(root, "Status", nbt.STRING, at)
    if strip(status) != "full":
        at.fail("Status", status, "full: a chunk that is generated to the end")
    blocks = np.full((HEIGHT, SECTION, SECTION), number["air"], np.uint16)
    for i, section in enumerate(nbt.need_list(root, "sections", nbt.COMPOUND, at)):
        inside = At(at.file, f"{at.place}: sections[{i}]")
        y = nbt.need(section, "Y", nbt.BYTE, inside)
        if y in IN_BOX and "block_states" in section:
            low = (y - IN_BOX.start) * SECTION
            states = nbt.need(section, "block_states", nbt.COMPOUND, inside)
            cells = _read_cells(states, number, At(at.file, f"{inside.place}.block_states"))
            blocks[low : low + SECTION] = cells.reshape(SECTION, SECTION, SECTION)
    return blocks.transpose(2, 1, 0)


def _read_cells(states: dict[str, Any], number: dict[str, int], at: At) -> np.ndarray:
    palette = nbt.need_list(states, "palette", nbt.COMPOUND, at)
    names = [strip(nbt.need(entry, "Name", nbt.STRING, at)) for entry in palette]
    unknown = [name for name in names if name not in number]
    if unknown or not names:
        at.fail("palette", unknown, "blocks of 1.19, at least one")
    blocks = np.array([number[name] for name in names], np.uint16)
    if len(names) == 1:
        return np.full(CELLS, blocks[0])
    bits = bits_of(len(names))
    longs = nbt.need(states, "data", nbt.LONGS, at)
    wanted = -(-CELLS // (64 // bits))
    if longs.size != wanted:
        at.fail("data", f"{longs.size} longs", f"{wanted}, for {len(names)} states")
    cells = unpack(longs, bits, CELLS)
    if cells.max() >= len(names):
        at.fail("data", f"state {cells.max()}", f"a state below {len(names)}, as the palette has")
    return blocks[cells]
