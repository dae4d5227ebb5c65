"""Saves: what goes out comes back, another program agrees on every cell, and damage is named."""

import gzip
import io
import json
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from npm import node

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import SaveError
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.saves import anvil, nbt
from mirrorcraft.saves.animals import entity_chunks
from mirrorcraft.saves.anvil import export_world, import_save
from mirrorcraft.saves.chunks import bits_of, pack, read_chunk, unpack
from mirrorcraft.saves.level import GAME_RULES, read_level
from mirrorcraft.saves.nbt import At, Int, Short
from mirrorcraft.saves.region import read_regions
from mirrorcraft.saves.states import states_of
from mirrorcraft.sim.blocks import HALF, HEIGHT, SIDE
from mirrorcraft.sim.voxels import assemble, open_world

NPM = Path(__file__).resolve().parents[1] / "anvil"
BOOK = Rulebook.vanilla("1.19")
BLOCKS = list(BOOK.blocks)
SHAPE = (SIDE, SIDE, HEIGHT)
NAME = "snowy_plains-a"  # of the ten worlds the one with most kinds of special states


@cache
def world() -> np.record:
    return open_world(World.load(NAME))


def write(voxels: np.record, name: str, path: Path, **more: Any) -> Path:
    place = World.load(name)
    export_world(voxels, place, BiomeSpec.load(place.biome), path, **more)
    return path


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(world(), NAME, tmp_path_factory.mktemp("saves") / NAME)


# --- round trips


def test_what_is_exported_is_imported_again(save: Path):
    assert import_save(save).tobytes() == world().tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", World.names())
def test_every_world_survives_the_round_trip(name: str, tmp_path: Path):
    voxels = open_world(World.load(name))
    assert import_save(write(voxels, name, tmp_path / name)).tobytes() == voxels.tobytes()


def test_two_exports_are_the_same_files(save: Path, tmp_path: Path):
    again = write(world(), NAME, tmp_path / "again")
    files = {p.relative_to(save): p.read_bytes() for p in save.rglob("*") if p.is_file()}
    assert files == {p.relative_to(again): p.read_bytes() for p in again.rglob("*") if p.is_file()}
    assert len(files) == 9  # level.dat, four regions of blocks and of animals


@given(st.integers(1, 16), st.data())
def test_packed_numbers_are_unpacked_again(bits: int, data: st.DataObject):
    values = data.draw(st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=200))
    longs = pack(np.array(values, np.uint16), bits)
    assert unpack(longs, bits, len(values)).tolist() == values
    first = [int(longs[0]) >> (i * bits) & (2**bits - 1) for i in range(64 // bits)]
    assert first[: len(values)] == values[: len(first)]


@pytest.mark.parametrize(
    ("states", "longs"), [(2, 256), (16, 256), (17, 342), (33, 410), (65, 456), (129, 512)]
)
def test_a_section_takes_as_many_longs_as_in_the_game(states: int, longs: int):
    assert pack(np.zeros(4096, np.uint16), bits_of(states)).size == longs


def test_a_world_with_stations_and_steps_of_every_palette_size_survives(tmp_path: Path):
    kinds = [BLOCKS.index(n) for n in ("air", "furnace", "chest", "oak_stairs", "white_bed")]
    kinds += [i for i in range(len(BLOCKS)) if i not in kinds][:55]
    blocks = np.full(SHAPE, BLOCKS.index("stone"), np.uint16)
    for section in range(12):  # as many kinds as fit into 0 and 4 to 6 bits a cell
        some = kinds[: (1, 2, 15, 16, 17, 31, 32, 33, 59, 60, 5, 3)[section]]
        layer = np.resize(np.array(some, np.uint16), 16 * 16 * 16).reshape(16, 16, 16)
        blocks[:16, :16, section * 16 : section * 16 + 16] = layer
    voxels = assemble(blocks.reshape(-1), np.zeros((0, 5), np.int32), "test", SaveError)
    assert import_save(write(voxels, NAME, tmp_path / "s")).tobytes() == voxels.tobytes()


# --- another program


def test_another_program_reads_the_same_state_in_every_cell(save: Path, tmp_path: Path):
    told = json.loads(node(NPM / "read.js", save, tmp_path / "cells"))
    cells = np.fromfile(tmp_path / "cells", np.uint16).reshape(SIDE, SIDE, 384)
    numbers, states = states_of(world().blocks)
    ours, theirs = np.array([str(s) for s in states]), np.array(told["states"])
    pairs = numbers.astype(np.int64) * len(theirs) + cells[..., :HEIGHT].reshape(-1)
    here, there = np.divmod(np.flatnonzero(np.bincount(pairs)), len(theirs))
    assert (ours[here] == theirs[there]).all()
    assert len(here) == len(theirs)  # no state of theirs stands for two of ours
    assert (theirs[cells[..., HEIGHT:]] == "air").all()
    assert told["biomes"] == ["snowy_plains"]
    assert told["name"] == NAME
    assert told["spawn"] == list(World.load(NAME).spawn)
    assert told["packs"] == ["vanilla"]


def test_a_save_that_another_program_wrote_is_imported_exactly(tmp_path: Path):
    told = json.loads(node(NPM / "write.js", tmp_path / "theirs", tmp_path / "cells"))
    number = np.array([BLOCKS.index(name) for name in told["blocks"]])
    wanted = number[np.fromfile(tmp_path / "cells", np.uint16)]
    assert len(told["blocks"]) == 15
    assert (import_save(tmp_path / "theirs").blocks == wanted).all()


def test_another_library_reads_level_and_animals(save: Path):
    nbtlib = pytest.importorskip("nbtlib", reason="nbtlib is not installed")
    level = nbtlib.load(save / "level.dat")["Data"]
    assert type(level["DayTime"]).__name__ == "Long"
    assert level["GameRules"] == GAME_RULES
    for path in (save / "entities").iterdir():
        data = path.read_bytes()
        for at in range(0, 4096, 4):
            (location,) = struct.unpack_from(">I", data, at)
            if location:
                start = (location >> 8) * 4096
                (length,) = struct.unpack_from(">I", data, start)
                raw = zlib.decompress(data[start + 5 : start + 4 + length])
                assert nbtlib.File.parse(io.BytesIO(raw))["DataVersion"] == 3105


# --- level.dat, packs, animals


def level_of(path: Path) -> dict[str, Any]:
    return nbt.loads(gzip.decompress((path / "level.dat").read_bytes()), At("level.dat", ""))[
        "Data"
    ]


def test_the_world_border_runs_around_the_box(save: Path):
    level = level_of(save)
    for axis in "XZ":
        centre, half = level[f"BorderCenter{axis}"], level["BorderSize"] / 2
        assert (centre - half, centre + half) == (-HALF, SIDE - HALF)


def test_outside_the_box_nothing_is_generated(save: Path):
    for dimension in level_of(save)["WorldGenSettings"]["dimensions"].values():
        settings = dimension["generator"]["settings"]
        assert [layer["block"] for layer in settings["layers"]] == ["minecraft:air"]
        assert settings["features"] == 0  # the void's only feature is a platform


def test_packs_are_copied_and_enabled_the_strongest_last(tmp_path: Path):
    zipped, folder = tmp_path / "a.zip", tmp_path / "b"
    zipped.write_bytes(b"zip")
    folder.mkdir()
    (folder / "pack.mcmeta").write_text("{}")
    made = write(world(), NAME, tmp_path / "save", packs=[folder, zipped])
    assert level_of(made)["DataPacks"]["Enabled"] == ["vanilla", "file/b", "file/a.zip"]
    assert (made / "datapacks" / "a.zip").read_bytes() == b"zip"
    assert (made / "datapacks" / "b" / "pack.mcmeta").read_text() == "{}"
    place = World.load(NAME)
    assert read_level(made) == (NAME, place.seed, place.spawn, ("b", "a.zip"))


def test_sheep_keep_their_colour_and_animals_their_order(tmp_path: Path):
    voxels = world().copy().view(np.recarray)
    cow, sheep = (list(BOOK.entities).index(n) for n in ("cow", "sheep"))
    rows = [(sheep, 0, 70, 0, 14), (cow, -96, -64, 95, 0), (sheep, -1, 127, -96, 3)]
    rows += [(cow, 0, 70, 0, 0)]
    voxels.n_mobs = len(rows)
    voxels.mobs[:] = 0
    voxels.mobs[: len(rows)] = rows
    back = import_save(write(voxels, NAME, tmp_path / "s"))
    assert back.mobs[: back.n_mobs].tolist() == [list(row) for row in rows]


# --- what can go wrong

REGION = "r.-1.0.mca"
CHUNK = (-1, 5)  # the last of its region, so that a cut file loses no other
SLOT = 4 * ((CHUNK[0] & 31) + 32 * (CHUNK[1] & 31))


@pytest.fixture
def broken(
    save: Path, tmp_path: Path
) -> Callable[[Callable[[bytearray, int], bytes | None]], Path]:
    """Copy the region folder, with one region file changed by a function of (bytes, chunk start)."""

    def make(change: Callable[[bytearray, int], bytes | None]) -> Path:
        (tmp_path / "region").mkdir()
        for path in (save / "region").iterdir():
            (tmp_path / "region" / path.name).write_bytes(path.read_bytes())
        file = tmp_path / "region" / REGION
        data = bytearray(file.read_bytes())
        start = (struct.unpack_from(">I", data, SLOT)[0] >> 8) * 4096
        changed = change(data, start)
        file.write_bytes(data if changed is None else changed)
        return tmp_path

    return make


def edited(edit: Callable[[dict[str, Any]], None]) -> Callable[[bytearray, int], bytes]:
    """A change of the chunk's NBT, put at the end of the file."""

    def change(data: bytearray, start: int) -> bytes:
        (length,) = struct.unpack_from(">I", data, start)
        root = nbt.loads(zlib.decompress(data[start + 5 : start + 4 + length]), At("", ""))
        edit(root)
        packed = zlib.compress(nbt.dumps(root))
        sectors = -(-(5 + len(packed)) // 4096)
        struct.pack_into(">I", data, SLOT, len(data) // 4096 << 8 | sectors)
        framed = struct.pack(">IB", len(packed) + 1, 2) + packed
        return bytes(data) + framed.ljust(sectors * 4096, b"\0")

    return change


def set_byte(offset: int, value: int) -> Callable[[bytearray, int], None]:
    return lambda data, start: data.__setitem__(start + offset, value)


def first_palette(root: dict[str, Any]) -> dict[str, Any]:
    return root["sections"][0]["block_states"]


FAULTS = {
    "cut in the chunk": (lambda data, start: data[: start + 100], "the file is cut"),
    "cut before the chunk": (lambda data, start: data[:start], "the file is cut"),
    "cut in the header": (lambda data, start: data[:5000], "header: got '5000 bytes'"),
    "an unknown compression": (set_byte(4, 9), "compression: got 9; expected 1 (gzip), 2 (zlib)"),
    "an external file that is not there": (set_byte(4, 130), "its file c.-1.5.mcc beside"),
    "a length beyond its sectors": (set_byte(0, 1), "length: got 167"),
    "damaged data": (set_byte(30, 255), "compressed data: got "),
    "a location in the header": (
        lambda data, start: struct.pack_into(">I", data, SLOT, 1 << 8 | 1),
        "location: got 'sector 1'",
    ),
    "a chunk that is not there": (
        lambda data, start: struct.pack_into(">I", data, SLOT, 0),
        "got 'nothing'; expected a chunk; 1 of the 144 in the box are missing",
    ),
    "a chunk of another place": (
        edited(lambda root: root.update(xPos=Int(4))),
        "xPos, zPos: got [4, 5]; expected [-1, 5], where it lies in its region",
    ),
    "a wrong type": (
        edited(lambda root: root.update(xPos=Short(-1))),
        "xPos: got 'a Short'; expected a Int",
    ),
    "a wrong type far inside": (
        edited(lambda root: first_palette(root).update(palette=Int(1))),
        "sections[0].block_states: palette: got 'a Int'; expected a List",
    ),
    "an unfinished chunk": (
        edited(lambda root: root.update(Status="features")),
        "Status: got 'features'; expected full",
    ),
    "another version": (
        edited(lambda root: root.update(DataVersion=Int(2975))),
        "DataVersion: got 2975; expected 3105 to 3120",
    ),
    "an unknown block": (
        edited(lambda root: first_palette(root)["palette"][0].update(Name="minecraft:cheese")),
        "sections[0].block_states: palette: got ['cheese']; expected blocks of 1.19",
    ),
    "too few cells": (
        edited(lambda root: first_palette(root).update(data=np.zeros(3, np.int64))),
        "data: got '3 longs'; expected 256, for",
    ),
    "a cell beyond the palette": (
        edited(lambda root: first_palette(root)["data"].fill(-1)),
        "data: got 'state 15'; expected a state below",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_chunk_is_named(fault: str, broken: Callable[..., Path]):
    change, expected = FAULTS[fault]
    folder = broken(change)
    with pytest.raises(SaveError) as caught:
        import_save(folder)
    assert caught.value.file == str(folder / "region" / REGION)
    assert expected in str(caught.value)
    assert "chunk -1,5" in str(caught.value) or "header" in fault


@given(st.data())
def test_a_chunk_with_flipped_bytes_is_read_or_refused_and_nothing_else(
    save: Path, data: st.DataObject
):
    ((chunk, at, raw),) = read_regions(save / "region", [CHUNK])
    flipped = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 4))):
        flipped[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    number = {name: i for i, name in enumerate(BLOCKS)}
    with suppress(SaveError):
        assert read_chunk(bytes(flipped), chunk, number, at).max() < len(BLOCKS)


def test_a_chunk_in_a_file_of_its_own_or_in_gzip_or_bare_is_read(broken: Callable[..., Path]):
    folder = broken(set_byte(4, 128))
    region = folder / "region" / REGION
    data = bytearray(region.read_bytes())
    start = (struct.unpack_from(">I", data, SLOT)[0] >> 8) * 4096
    (length,) = struct.unpack_from(">I", data, start)
    raw = zlib.decompress(data[start + 5 : start + 4 + length])
    for kind, packed in ((1, gzip.compress(raw)), (2, zlib.compress(raw)), (3, raw)):
        data[start + 4] = 128 | kind
        region.write_bytes(data)
        (folder / "region" / "c.-1.5.mcc").write_bytes(packed)
        assert (import_save(folder).blocks == world().blocks).all()


def test_more_animals_than_a_world_may_hold_are_refused(tmp_path: Path, monkeypatch: Any):
    def crowd(mobs: np.ndarray) -> dict[tuple[int, int], bytes]:
        return entity_chunks(np.repeat(mobs[:1], 200, axis=0))

    monkeypatch.setattr(anvil, "entity_chunks", crowd)
    path = write(world(), NAME, tmp_path / "s")
    with pytest.raises(SaveError, match="got '200 animals'; expected at most 192"):
        import_save(path)


def test_a_folder_that_is_no_save_is_named(tmp_path: Path):
    with pytest.raises(SaveError, match=r"r.-1.-1.mca: chunk -6,-6: .* 144 of the 144 in the box"):
        import_save(tmp_path)
    with pytest.raises(SaveError, match="is the folder a save"):
        read_level(tmp_path)
    (tmp_path / "level.dat").write_bytes(b"no gzip")
    with pytest.raises(SaveError, match="compressed data"):
        read_level(tmp_path)


def test_nothing_is_overwritten_and_a_failed_export_leaves_nothing(
    tmp_path: Path, monkeypatch: Any
):
    (tmp_path / "taken").mkdir()
    with pytest.raises(SaveError, match="nothing is overwritten"):
        write(world(), NAME, tmp_path / "taken")
    with pytest.raises(SaveError, match=r"packs: got '.*gone.zip'"):
        write(world(), NAME, tmp_path / "new", packs=[tmp_path / "gone.zip"])

    def full_disk(*_: Any) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(anvil, "level_dat", full_disk)  # after the regions are written
    with pytest.raises(SaveError, match="No space left on device"):
        write(world(), NAME, tmp_path / "new")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]
