"""Region files (Anvil): 32 x 32 compressed chunks in sectors of 4 KiB, and what can be wrong with one."""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from mirrorcraft.saves.nbt import At

SECTOR = 4096
HEADER = 2 * SECTOR  # locations, then times of the last write
GZIP, ZLIB, RAW = 1, 2, 3  # compression of a chunk
EXTERNAL = 128  # set beside it for a chunk of over a MiB, which has a file of its own
MAX_CHUNK = 1 << 26  # bytes of a chunk, uncompressed; the game's are below 1 MiB
ANY_HEADER = 47  # zlib's word for "zlib or gzip, whichever the data says"

Chunk = tuple[int, int]


def region_name(chunk: Chunk) -> str:
    """Return the file name of the region that holds a chunk (x, z in chunks)."""
    return f"r.{chunk[0] >> 5}.{chunk[1] >> 5}.mca"


def chunk_name(chunk: Chunk) -> str:
    """Return what errors call a chunk."""
    return f"chunk {chunk[0]},{chunk[1]}"


def write_regions(folder: Path, chunks: Mapping[Chunk, bytes]) -> None:
    """Write uncompressed chunks into the region files of a folder, which is made.

    Order, padding and times are fixed, so equal chunks give equal files wherever zlib is the same.
    """
    folder.mkdir(parents=True)
    regions: dict[str, list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda c: (c[1], c[0])):
        regions.setdefault(region_name(chunk), []).append(chunk)
    for name, members in regions.items():
        locations, body = bytearray(SECTOR), []
        sector = HEADER // SECTOR
        for chunk in members:
            data = zlib.compress(chunks[chunk])
            sectors = -(-(5 + len(data)) // SECTOR)
            # A byte holds the count: 1 MiB, of which a chunk of 128 KiB of cells stays far below.
            struct.pack_into(">I", locations, _slot(chunk), sector << 8 | sectors)
            framed = struct.pack(">IB", 1 + len(data), ZLIB) + data
            body.append(framed.ljust(sectors * SECTOR, b"\0"))
            sector += sectors
        (folder / name).write_bytes(bytes(locations) + bytes(SECTOR) + b"".join(body))


def read_regions(folder: Path, wanted: Iterable[Chunk]) -> Iterator[tuple[Chunk, At, bytes]]:
    """Yield every wanted chunk that the region files of a folder hold, uncompressed.

    Yields:
        (chunk, where it was read, its NBT). Chunks and files that are not there are left out.

    Raises:
        SaveError: a region file or a chunk in it is damaged; file and chunk are named.
    """
    regions: dict[str, list[Chunk]] = {}
    for chunk in wanted:
        regions.setdefault(region_name(chunk), []).append(chunk)
    for name, members in regions.items():
        path = folder / name
        try:
            yield from _region(path, members)
        except FileNotFoundError:
            continue
        except OSError as e:
            At(path, "").fail("", e.strerror, "a readable file")


def _region(path: Path, members: Iterable[Chunk]) -> Iterator[tuple[Chunk, At, bytes]]:
    with path.open("rb") as file:
        header = file.read(HEADER)
        if 0 < len(header) < HEADER:  # the game leaves empty files behind
            At(path, "header").fail("", f"{len(header)} bytes", f"{HEADER}; the file is cut")
        for chunk in members if header else ():
            at = At(path, chunk_name(chunk))
            (location,) = struct.unpack_from(">I", header, _slot(chunk))
            if location:
                yield chunk, at, _read(file, location, chunk, at)


def _slot(chunk: Chunk) -> int:
    return 4 * ((chunk[0] & 31) + 32 * (chunk[1] & 31))


def _read(file: BinaryIO, location: int, chunk: Chunk, at: At) -> bytes:
    """Return the uncompressed bytes of a chunk at a location: first sector << 8 | sectors."""
    first, sectors = location >> 8, location & 255
    if first < HEADER // SECTOR:
        at.fail("location", f"sector {first}", "a sector behind the header, which takes two")
    file.seek(first * SECTOR)
    head = file.read(5)
    if len(head) < 5:
        at.fail("", f"nothing at sector {first}", "the chunk there; the file is cut")
    length, compression = struct.unpack(">IB", head)
    if not 1 <= length <= sectors * SECTOR - 4:
        at.fail("length", length, f"1 to {sectors * SECTOR - 4}, what its {sectors} sectors hold")
    data = file.read(length - 1)
    if len(data) < length - 1:
        at.fail("", f"{len(data)} bytes", f"{length - 1}; the file is cut")
    if compression & EXTERNAL:
        compression &= ~EXTERNAL
        data = _external(Path(file.name).parent / f"c.{chunk[0]}.{chunk[1]}.mcc", at)
    if compression not in (GZIP, ZLIB, RAW):
        at.fail("compression", compression, "1 (gzip), 2 (zlib) or 3 (none)")
    return data if compression == RAW else inflate(data, at)


def _external(path: Path, at: At) -> bytes:
    if not path.is_file():
        at.fail("", "nothing", f"its file {path.name} beside the region")
    return path.read_bytes()


def inflate(data: bytes, at: At) -> bytes:
    """Return zlib or gzip data uncompressed; SaveError if it is damaged, cut or over MAX_CHUNK."""
    stream = zlib.decompressobj(ANY_HEADER)
    try:
        raw = stream.decompress(data, MAX_CHUNK)
    except zlib.error as e:
        at.fail("compressed data", str(e), "data that zlib can uncompress")
    if stream.unconsumed_tail:
        at.fail("compressed data", f"over {MAX_CHUNK} bytes", "a chunk of at most that")
    if not stream.eof:
        at.fail("compressed data", f"an end after {len(raw)} bytes", "a complete stream")
    return raw
