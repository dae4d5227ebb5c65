"""Pictures of a world for a person to look at: a map from above and a cut from the side, as SVG."""

import base64
import struct
import zlib
from functools import cache
from html import escape
from typing import Any, NamedTuple

import numpy as np

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.data import read_json, rules_dir
from mirrorcraft.core.families import Families
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE, block_numbers

ZOOM = 4  # pixels a block
LEFT, TOP = 56, 64  # of the picture proper, in pixels
LEGEND = 300  # width of the legend
LINE = 19  # height of a line of it
INK, PALE = "#22262b", "#5d646c"
SHADE = 0.09  # a step up or down to the north lightens or darkens a column by so much
SNOW = 0.78  # a layer of snow hides so much of the colour below it: trees stay visible
MURK = 0.06  # and so much darker is water for every block of depth
DARKEST = 0.45


class Row(NamedTuple):
    """A line of a legend: a square or a dot of a colour, a name, and a number."""

    colour: str
    name: str
    number: str
    dot: bool = False


@cache
def _table() -> dict[str, Any]:
    return read_json(rules_dir() / "vanilla" / "1.19" / "colours.json")


@cache
def _families() -> Families:
    path = rules_dir() / "vanilla" / "1.19" / "families.json"
    return Families(read_json(path), path)


@cache
def palette(base: str) -> tuple[str, ...]:
    """Return the colour (#rrggbb) of each block number in a vanilla biome."""
    ids = _families().ids
    colours = {b: colour for colour, names in _table()["blocks"].items() for b in ids(names)}
    colours |= _table()["tints"].get(base, {})
    return tuple(colours.get(b, _table()["other"]) for b in Rulebook.vanilla("1.19").blocks)


def draw_map(voxels: np.record, world: World, biome: BiomeSpec) -> str:
    """Return a map from above as SVG, north at the top: ground, water, trees, animals, spawn.

    Args:
        voxels: the blocks and animals.
        world: its name and spawn.
        biome: its spec, for title and tints.
    """
    picture, seen = _from_above(voxels, biome)
    animals, dots = _animals(voxels)
    x, _, z = world.spawn
    marks = [*dots, _spawn(*_centre(x + HALF, z + HALF))]
    rows = [*_shares(seen, biome.base), *animals]
    title = f"{world.id}: {biome.title} from above"
    note = "north is up; lines every 32 blocks; x to the right, z down"
    return _svg(picture, (-HALF, -HALF), marks, rows, (title, note))


def surface(voxels: np.record, biome: BiomeSpec) -> bytes:
    """Return the ground from above as PNG, one pixel a column, x to the right, z down."""
    return png(_from_above(voxels, biome)[0])


def draw_section(voxels: np.record, world: World, biome: BiomeSpec, z: int = 0) -> str:
    """Return a cut through a world along x as SVG, seen from the south: layers, ores, water, trees.

    Args:
        voxels: the blocks.
        world: its name and spawn, which is marked where it lies in front of or behind the cut.
        biome: its spec, for title, tints and sea level.
        z: where the cut is, -96..95.

    Raises:
        ValueError: z lies outside the box.
    """
    if not -HALF <= z < SIDE - HALF:
        raise ValueError(f"z must be from {-HALF} to {SIDE - HALF - 1}, got {z}")
    cut = voxels.blocks.reshape(SIDE, SIDE, HEIGHT)[:, z + HALF]
    above = MIN_Y + HEIGHT  # rows of the picture go down from here
    sea = (above - biome.terrain.sea_level) * ZOOM
    marks = [
        f'<line x1="0" x2="{SIDE * ZOOM}" y1="{sea}" y2="{sea}" stroke="#fff" stroke-width="1.5" '
        'stroke-dasharray="7 5" opacity=".8"/>',
        f'<text x="6" y="{sea - 5}" fill="#fff" stroke="{INK}" stroke-width="3" '
        'paint-order="stroke" font-size="12">sea level</text>',
        _spawn(*_centre(world.spawn[0] + HALF, above - 1 - world.spawn[1])),
    ]
    title = f"{world.id}: {biome.title}, cut at z = {z}"
    note = f"seen from the south; y {MIN_Y} to {MIN_Y + HEIGHT - 1}; lines every 32 blocks"
    picture = _rgb(biome.base)[cut].transpose(1, 0, 2)[::-1]
    rows = _shares(cut[cut != block_numbers(Rulebook.vanilla("1.19"))["air"]], biome.base)
    return _svg(picture, (-HALF, MIN_Y), marks, rows, (title, note), upwards=True)


# --- what is seen


def _from_above(voxels: np.record, biome: BiomeSpec) -> tuple[np.ndarray, np.ndarray]:
    """Return float [z, x, 3], the colours of the columns, and int [x, z], their top blocks."""
    blocks = voxels.blocks.reshape(SIDE, SIDE, HEIGHT)
    top = _top(blocks, ("air", *_families().ids(_table()["through"])))
    seen = _cells(blocks, top)
    below = _cells(blocks, np.maximum(top - 1, 0))
    rgb = _rgb(biome.base)
    snowy = (seen == block_numbers(Rulebook.vanilla("1.19"))["snow"])[..., None]
    colours = np.where(snowy, SNOW * rgb[seen] + (1 - SNOW) * rgb[below], rgb[seen])
    return (colours * _relief(blocks, top)[..., None]).transpose(1, 0, 2), seen


def _rgb(base: str) -> np.ndarray:
    """Return float [n_blocks, 3], the colours as 0..255."""
    return np.array([list(bytes.fromhex(c[1:])) for c in palette(base)], np.float64)


def _top(blocks: np.ndarray, through: tuple[str, ...]) -> np.ndarray:
    """Return int [SIDE, SIDE], the highest cell of each column that hides what is below."""
    number = block_numbers(Rulebook.vanilla("1.19"))
    hides = np.ones(len(number), np.bool_)
    hides[[number[name] for name in through]] = False
    return HEIGHT - 1 - hides[blocks][:, :, ::-1].argmax(axis=2)


def _cells(blocks: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Return the block of each column at a height of its own."""
    return np.take_along_axis(blocks, height[..., None], 2)[..., 0]


def _relief(blocks: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Return float [SIDE, SIDE], brightness: slopes as light from the north gives them, and depth."""
    step = np.diff(top, axis=1, prepend=top[:, :1])
    light = 1 + SHADE * np.clip(step, -3, 3)
    water = block_numbers(Rulebook.vanilla("1.19"))["water"]
    bed = _top(blocks, ("air", "water", "lily_pad"))
    return np.where(
        _cells(blocks, top) == water, np.maximum(1 - MURK * (top - bed), DARKEST), light
    )


def _shares(seen: np.ndarray, base: str) -> list[Row]:
    """Return a line for each block seen, the commonest first, with its share of all cells."""
    names, colours = list(Rulebook.vanilla("1.19").blocks), palette(base)
    counts = np.bincount(seen.reshape(-1))
    order = sorted(np.flatnonzero(counts), key=lambda n: (-counts[n], n))
    shares = {n: 100 * counts[n] / seen.size for n in order}
    return [
        Row(colours[n], names[n], f"{share:.1f} %" if share >= 0.1 else "< 0.1 %")
        for n, share in shares.items()
    ]


def _animals(voxels: np.record) -> tuple[list[Row], list[str]]:
    """Return legend lines and dots of the animals."""
    kinds, colours = list(Rulebook.vanilla("1.19").entities), _table()["animals"]
    counts: dict[str, int] = {}
    dots = []
    for entity, x, _, z, _ in voxels.mobs[: voxels.n_mobs].tolist():
        kind = kinds[entity]
        counts[kind] = counts.get(kind, 0) + 1
        dots.append(_dot(*_centre(x + HALF, z + HALF), colours.get(kind, colours["other"])))
    order = sorted(counts, key=lambda kind: (-counts[kind], kind))
    rows = [Row(colours.get(k, colours["other"]), k, f"{counts[k]} alive", dot=True) for k in order]
    return rows, dots


# --- how it is drawn


def _centre(column: int, row: int) -> tuple[float, float]:
    """Return the middle of a block, in pixels of the picture proper."""
    return (column + 0.5) * ZOOM, (row + 0.5) * ZOOM


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}" stroke="{INK}" stroke-width="1.2"/>'


def _spawn(x: float, y: float) -> str:
    """Return the mark of the spawn: a ring and the word."""
    return (
        f'<g fill="none"><circle cx="{x}" cy="{y}" r="9" stroke="#fff" stroke-width="5"/>'
        f'<circle cx="{x}" cy="{y}" r="9" stroke="#d8162f" stroke-width="2.5"/></g>'
        f'<text x="{x + 15}" y="{y + 5}" fill="#d8162f" stroke="#fff" stroke-width="4" '
        'paint-order="stroke" font-weight="bold">spawn</text>'
    )


def _svg(
    rgb: np.ndarray,
    origin: tuple[int, int],
    marks: list[str],
    rows: list[Row],
    words: tuple[str, str],
    *,
    upwards: bool = False,
) -> str:
    """Return the finished picture.

    Args:
        rgb: float [rows, columns, 3] of 0..255, one pixel a block.
        origin: world coordinates of the left edge and of the top edge, or of the bottom edge if
            ``upwards``.
        marks: SVG in pixels of the picture proper.
        rows: the legend.
        words: title, and a note below it.
        upwards: the vertical axis grows upwards.
    """
    height, width = rgb.shape[0] * ZOOM, rgb.shape[1] * ZOOM
    size = f'width="{width}" height="{height}"'
    wide, tall = LEFT + width + LEGEND, TOP + max(height + 36, len(rows) * LINE + 24)
    data = base64.b64encode(png(rgb)).decode()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" '
        f'viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="13" fill="{INK}">',
        '<rect width="100%" height="100%" fill="#f6f5f1"/>',
        f'<text x="{LEFT}" y="30" font-size="20" font-weight="bold">{escape(words[0])}</text>',
        f'<text x="{LEFT}" y="50" fill="{PALE}">{escape(words[1])}</text>',
        f'<g transform="translate({LEFT} {TOP})">',
        f'<image {size} style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>',
        *_axes(width, height, origin, upwards),
        f"<svg {size}>",  # so that marks end at its edges
        *marks,
        "</svg>",
        *_legend(rows, width + 28),
        "</g>",
        "</svg>\n",
    ]
    return "\n".join(lines)


def _axes(width: int, height: int, origin: tuple[int, int], upwards: bool) -> list[str]:
    """Return a frame, thin lines and numbers at every multiple of 32 blocks."""
    lines = [f'<rect width="{width}" height="{height}" fill="none" stroke="{INK}"/>']
    thin = 'stroke="#000" stroke-opacity=".18"'
    for at in range(-(-origin[0] // 32) * 32, origin[0] + width // ZOOM + 1, 32):
        x = (at - origin[0]) * ZOOM
        lines.append(f'<line x1="{x}" x2="{x}" y1="0" y2="{height}" {thin}/>')
        lines.append(f'<text x="{x}" y="{height + 18}" text-anchor="middle">{at}</text>')
    for at in range(-(-origin[1] // 32) * 32, origin[1] + height // ZOOM + 1, 32):
        offset = (at - origin[1]) * ZOOM
        y = height - offset if upwards else offset
        lines.append(f'<line x1="0" x2="{width}" y1="{y}" y2="{y}" {thin}/>')
        lines.append(f'<text x="-8" y="{y + 4}" text-anchor="end">{at}</text>')
    return lines


def _legend(rows: list[Row], x: int) -> list[str]:
    lines = []
    for i, row in enumerate(rows):
        y = i * LINE
        lines.append(
            _dot(x + 7, y + 7, row.colour)
            if row.dot
            else f'<rect x="{x}" y="{y}" width="14" height="14" fill="{row.colour}" '
            f'stroke="{INK}" stroke-width=".6"/>'
        )
        name = escape(row.name.replace("_", " "))
        lines.append(f'<text x="{x + 22}" y="{y + 12}">{name}</text>')
        lines.append(
            f'<text x="{x + LEGEND - 48}" y="{y + 12}" text-anchor="end" fill="{PALE}">'
            f"{escape(row.number)}</text>"
        )
    return lines


def png(rgb: np.ndarray) -> bytes:
    """Return a PNG file of [rows, columns, 3] values, rounded and held to 0..255."""
    pixels = np.clip(np.rint(rgb), 0, 255).astype(np.uint8)
    height, width = pixels.shape[:2]
    lines = np.zeros((height, 1 + width * 3), np.uint8)  # each begins with 0: not filtered
    lines[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green, blue
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
