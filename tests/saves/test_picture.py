"""Pictures of worlds: what a person sees is what is there."""

import base64
import struct
import xml.etree.ElementTree as ET
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.world import World
from mirrorcraft.saves.picture import ZOOM, draw_map, draw_section, palette, png
from mirrorcraft.sim.blocks import HALF, HEIGHT, MIN_Y, SIDE
from mirrorcraft.sim.voxels import open_world

BOOK = Rulebook.vanilla("1.19")
BLOCKS = list(BOOK.blocks)
NAME = "savanna-a"
PLACE = World.load(NAME)
BIOME = BiomeSpec.load(PLACE.biome)
SVG = "{http://www.w3.org/2000/svg}"


@cache
def world() -> np.record:
    return open_world(PLACE)


@pytest.fixture
def changed() -> np.record:
    return world().copy().view(np.recarray)


def pixels(data: bytes) -> np.ndarray:
    """A PNG of unfiltered 8-bit colours decoded by the book, its checksums checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + size
    width, height, *form = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert form == [8, 2, 0, 0, 0]
    assert list(parts) == [b"IHDR", b"IDAT", b"IEND"]
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def image(svg: str) -> np.ndarray:
    found = ET.fromstring(svg).iter(f"{SVG}image")
    (uri,) = [element.attrib["href"] for element in found]
    return pixels(base64.b64decode(uri.removeprefix("data:image/png;base64,")))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def colour(block: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(palette(BIOME.base)[BLOCKS.index(block)][1:]))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 255))
def test_a_png_holds_the_pixels_that_it_was_given(width: int, height: int, start: int):
    given_pixels = (np.arange(width * height * 3) * 7 + start).reshape(height, width, 3) % 256
    assert (pixels(png(given_pixels)) == given_pixels).all()


def test_colours_beyond_the_range_are_held_to_it():
    assert pixels(png(np.array([[[-5.0, 300.0, 127.6]]]))).tolist() == [[[0, 255, 128]]]


@pytest.mark.parametrize("name", World.names())
def test_every_block_of_a_world_has_a_colour_of_its_own(name: str):
    place = World.load(name)
    colours = np.array(palette(BiomeSpec.load(place.biome).base))
    found = np.unique(open_world(place).blocks)
    assert (colours[found] != "#e63ce6").all()


def test_a_cut_shows_each_block_of_the_plane_in_its_place():
    for z in (-HALF, 0, SIDE - HALF - 1):
        shown = image(draw_section(world(), PLACE, BIOME, z))
        plane = world().blocks.reshape(SIDE, SIDE, HEIGHT)[:, z + HALF]
        colours = np.array([list(bytes.fromhex(c[1:])) for c in palette(BIOME.base)])
        for x, y in ((-96, -64), (95, 127), (0, 63), (17, 40)):
            seen = shown[MIN_Y + HEIGHT - 1 - y, x + HALF]
            assert seen.tolist() == colours[plane[x + HALF, y - MIN_Y]].tolist()


def test_a_cut_outside_the_box_is_refused():
    with pytest.raises(ValueError, match="z must be from -96 to 95, got 96"):
        draw_section(world(), PLACE, BIOME, 96)


def test_a_map_shows_what_lies_on_top_and_changes_where_the_world_does(changed: np.record):
    before = image(draw_map(world(), PLACE, BIOME))
    column = changed.blocks.reshape(SIDE, SIDE, HEIGHT)[20, 30]
    column[-1] = BLOCKS.index("lapis_ore")
    after = image(draw_map(changed, PLACE, BIOME))
    different = {(int(x), int(z)) for z, x in np.argwhere((before != after).any(axis=2))}
    assert (20, 30) in different
    assert different <= {(20, 30), (20, 31)}  # its own place, and the one that it shades
    red, green, blue = (float(v) for v in after[30, 20])
    assert blue > 2 * green > 2 * red  # lapis, lightened by its height


def test_grass_does_not_hide_the_ground_but_leaves_do(changed: np.record):
    blocks = changed.blocks.reshape(SIDE, SIDE, HEIGHT)
    blocks[:, :, 1:] = BLOCKS.index("air")
    blocks[:, :, 0] = BLOCKS.index("sand")
    blocks[5, 5, 1] = BLOCKS.index("grass")
    blocks[6, 6, 1] = BLOCKS.index("acacia_leaves")
    shown = image(draw_map(changed, PLACE, BIOME))
    assert tuple(shown[5, 5]) == colour("sand")
    assert tuple(shown[6, 6]) != colour("sand")


def test_deeper_water_is_darker(changed: np.record):
    blocks = changed.blocks.reshape(SIDE, SIDE, HEIGHT)
    blocks[:, :, 1:20], blocks[:, :, 20:] = BLOCKS.index("stone"), BLOCKS.index("air")
    for column, depth in ((3, 1), (4, 4), (5, 12)):
        blocks[column, :, 20 - depth : 20] = BLOCKS.index("water")
    shown = image(draw_map(changed, PLACE, BIOME)).sum(axis=2)
    assert shown[50, 3] > shown[50, 4] > shown[50, 5]


def test_the_spawn_is_marked_where_it_is():
    svg = draw_map(world(), PLACE, BIOME)
    rings = [c.attrib for c in ET.fromstring(svg).iter(f"{SVG}circle") if c.attrib["r"] == "9"]
    x, _, z = PLACE.spawn
    assert {(float(r["cx"]), float(r["cy"])) for r in rings} == {
        ((x + HALF + 0.5) * ZOOM, (z + HALF + 0.5) * ZOOM)
    }
    assert "spawn" in texts(svg)
    rings = [
        c.attrib
        for c in ET.fromstring(draw_section(world(), PLACE, BIOME)).iter(f"{SVG}circle")
        if c.attrib["r"] == "9"
    ]
    y = PLACE.spawn[1]
    assert {float(r["cy"]) for r in rings} == {(MIN_Y + HEIGHT - 1 - y + 0.5) * ZOOM}


def test_the_legend_names_all_that_is_seen_and_counts_the_animals():
    svg = draw_map(world(), PLACE, BIOME)
    words = texts(svg)
    assert {"savanna-a: Savanna from above", "grass block", "acacia leaves", "water"} <= {*words}
    entities = list(BOOK.entities)
    living = [entities[m[0]] for m in world().mobs[: world().n_mobs]]
    for kind in set(living):
        assert words[words.index(kind) + 1] == f"{living.count(kind)} alive"
    dots = [c for c in ET.fromstring(svg).iter(f"{SVG}circle") if c.attrib["r"] == "4"]
    assert len(dots) == len(living) + len(set(living))


def test_a_block_without_a_colour_stands_out_and_is_named(changed: np.record):
    changed.blocks.reshape(SIDE, SIDE, HEIGHT)[9, 9, -1] = BLOCKS.index("beacon")
    svg = draw_map(changed, PLACE, BIOME)
    assert palette(BIOME.base)[BLOCKS.index("beacon")] == "#e63ce6"
    assert "beacon" in texts(svg)
