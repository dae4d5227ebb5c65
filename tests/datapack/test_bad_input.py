"""Packs that nobody should trust: each gets one clear error, and nothing is written anywhere."""

import contextlib
import io
import os
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.errors import PackError
from mirrorcraft.datapack import Datapack, archive

MCMETA = b'{"pack": {"pack_format": 10, "description": "a test"}}'
STICK = "data/minecraft/recipes/stick.json"


def zipped(path: Path, *entries: tuple[Any, bytes]) -> Path:
    """Write a zip of these entries after a good pack.mcmeta."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("pack.mcmeta", MCMETA)
        for name, data in entries:
            made.writestr(name, data)
    return path


def foldered(path: Path, *entries: tuple[str, bytes]) -> Path:
    """Write a folder of these files beside a good pack.mcmeta."""
    for name, data in (("pack.mcmeta", MCMETA), *entries):
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path


def refused(path: Path, *words: str) -> PackError:
    """Load a pack that must be refused with one error that holds the words."""
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(PackError) as caught:
        Datapack.load(path)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)
    assert sorted(path.parent.rglob("*")) == before
    return caught.value


ESCAPES = [
    "../evil.json",
    "data/../../evil.json",
    "/etc/evil.json",
    "C:/evil.json",
    "C:evil.json",
    "data\\minecraft\\evil.json",
    "..\\evil.json",
    "//server/evil.json",
    "data/./evil.json",
    "data//evil.json",
    "evil\x00.json",
    "data/minecraft/recipes/aux. /x.json",
    "d\u00e4ta/x.json",
]


@pytest.mark.parametrize("name", ESCAPES)
def test_a_name_that_leads_out_of_the_pack_is_refused(tmp_path: Path, name: str):
    # zipfile writes some of these names in a harmless form: put the real one into the bytes.
    stand_in = "x" * len(name.encode())
    path = zipped(tmp_path / "bad.zip", (stand_in, b"{}"))
    path.write_bytes(path.read_bytes().replace(stand_in.encode(), name.encode()))
    refused(path, "a plain relative path inside the pack")
    with pytest.raises(PackError, match="a plain relative path"):
        Datapack({"pack.mcmeta": {"pack": {"pack_format": 10, "description": ""}}, name: b""})


@given(st.binary(max_size=300))
def test_bytes_that_are_no_zip_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.mktemp("bytes") / "pack.zip"
    path.write_bytes(data)
    refused(path, "pack.zip")


def test_a_zip_cut_short_anywhere_is_refused(tmp_path: Path):
    whole = zipped(tmp_path / "whole.zip", (STICK, b"[" + b"1, " * 500 + b"1]")).read_bytes()
    (tmp_path / "whole.zip").unlink()
    for length in range(0, len(whole), 7):
        (tmp_path / "cut.zip").write_bytes(whole[:length])
        refused(tmp_path / "cut.zip", "a whole zip file")


def test_a_zip_with_any_byte_changed_is_refused_or_reads_well(tmp_path: Path):
    whole = zipped(
        tmp_path / "whole.zip", (STICK, b'{"type": "minecraft:stonecutting"}')
    ).read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        (tmp_path / "bad.zip").write_bytes(damaged)
        with contextlib.suppress(PackError):  # any other exception fails the test
            Datapack.load(tmp_path / "bad.zip")


def test_a_zip_bomb_is_stopped_while_it_unpacks(tmp_path: Path):
    path = zipped(tmp_path / "bomb.zip", ("data/a/functions/x.mcfunction", bytes(200 * 2**20)))
    assert path.stat().st_size < 2**20
    refused(path, f"at most {archive.MAX_FILE} bytes")


def test_a_zip_bomb_of_many_files_is_stopped_too(tmp_path: Path):
    path = zipped(tmp_path / "bomb.zip", *((f"{i}.bin", bytes(2**21)) for i in range(40)))
    refused(path, f"{archive.MAX_PACK} bytes in a pack")


def test_a_zip_that_lies_about_its_sizes_is_counted_by_what_it_gives(tmp_path: Path):
    path = zipped(tmp_path / "liar.zip", ("x.bin", bytes(20 * 2**20)))
    real, claimed = struct.pack("<I", 20 * 2**20), struct.pack("<I", 5)
    path.write_bytes(path.read_bytes().replace(real, claimed))
    refused(path, "liar.zip")


def test_a_zip_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive, "MAX_FILES", 50)
    refused(zipped(tmp_path / "many.zip", *((f"{i}", b"") for i in range(50))), "at most 50 files")


def test_a_json_of_100_megabytes_is_refused_without_being_read_whole(tmp_path: Path):
    folder = foldered(tmp_path / "pack", (STICK, b""))
    with (folder / STICK).open("wb") as file:
        file.truncate(100 * 2**20)  # a sparse file: nothing is written
    refused(folder, STICK, f"at most {archive.MAX_FILE} bytes")


def test_a_link_is_refused_in_a_folder_and_in_a_zip(tmp_path: Path):
    folder = foldered(tmp_path / "pack")
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    os.symlink(tmp_path / "secret", folder / "link.json")
    refused(folder, "link.json", "no link")
    (folder / "link.json").unlink()
    (folder / "data").symlink_to(tmp_path, target_is_directory=True)
    refused(folder, "data", "no link")
    info = zipfile.ZipInfo("link.json")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    refused(zipped(tmp_path / "link.zip", (info, b"../secret")), "link.json", "no link")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path):
    folder = foldered(tmp_path / "pack")
    os.mkfifo(folder / "pipe.json")
    refused(folder, "pipe.json", "a plain file or folder")


def test_a_name_twice_in_a_zip_is_refused(tmp_path: Path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zipped(tmp_path / "twice.zip", (STICK, b"{}"), (STICK, b"[]"))
    refused(path, STICK, "each name once")


def test_a_zip_with_a_password_is_refused(tmp_path: Path):
    path = zipped(tmp_path / "locked.zip", (STICK, b"{}"))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(mark)
        while place >= 0:
            data[place + offset] |= 1
            place = data.find(mark, place + 1)
    path.write_bytes(data)
    refused(path, "without a password")


CONTENTS = {
    "a key twice": (b'{"type": "a", "type": "b"}', "each key once"),
    "deep nesting": (b"[" * 100_000 + b"]" * 100_000, "nested less deeply"),
    "nesting above the limit": (b"[" * 200 + b"]" * 200, "nesting of at most 128"),
    "half a file": (b'{"type": ', "valid JSON"),
    "nothing": (b"", "valid JSON"),
    "not UTF-8": (b'{"type": "\xff\xfe"}', "UTF-8 text"),
    "UTF-16": ('{"type": "a"}'.encode("utf-16"), "UTF-8 text"),
    "no number": (b'{"a": NaN}', "a finite number"),
    "a number too large": (b'{"a": 1e999}', "a JSON value"),
    "a number too long": (b"1" * 5000, "valid JSON"),
    "half a character": (b'{"a": "\\ud800"}', "whole characters"),
}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("form", [zipped, foldered])
def test_json_that_the_game_would_not_read_as_we_do_is_refused(
    tmp_path: Path, form: Any, kind: str
):
    data, expected = CONTENTS[kind]
    refused(form(tmp_path / "pack", (STICK, data)), "stick.json", expected)


def test_a_function_that_is_not_utf8_is_refused(tmp_path: Path):
    name = "data/a/functions/x.mcfunction"
    refused(foldered(tmp_path / "pack", (name, b"say \xff")), "x.mcfunction", "UTF-8 text")


@pytest.mark.parametrize("number", ["9", "11", "12", "15", "10.0", "true", '"10"', "null"])
def test_any_pack_format_but_10_is_refused(tmp_path: Path, number: str):
    text = f'{{"pack": {{"pack_format": {number}, "description": "x"}}}}'
    folder = foldered(tmp_path / "pack", ("pack.mcmeta", text.encode()))
    refused(folder, "pack.mcmeta", "10")


SINGULAR = [
    "recipe",
    "loot_table",
    "advancement",
    "function",
    "predicate",
    "tags/item",
    "tags/block",
]


@pytest.mark.parametrize("name", SINGULAR)
def test_the_folder_names_of_later_versions_are_refused_with_those_of_1_19(
    tmp_path: Path, name: str
):
    folder = foldered(tmp_path / "pack", (f"data/minecraft/{name}/stick.json", b"{}"))
    refused(folder, f"the folder {name}s", "1.19 does not read")


def test_upper_case_in_data_is_refused(tmp_path: Path):
    folder = foldered(tmp_path / "pack", ("data/minecraft/recipes/Stick.json", b"{}"))
    refused(folder, "Stick.json", "lower case")


def test_a_pack_inside_another_folder_of_the_zip_is_pointed_out(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as made:
        made.writestr("my pack/pack.mcmeta", MCMETA)
    refused(tmp_path / "deep.zip", "my pack/pack.mcmeta", "at the root")


def test_what_is_not_there_is_an_error_of_ours(tmp_path: Path):
    refused(tmp_path / "nothing.zip", "nothing.zip", "a folder or zip that can be read")


def test_a_file_and_a_folder_of_one_name_are_refused(tmp_path: Path):
    refused(zipped(tmp_path / "both.zip", ("data/a", b""), ("data/a/b.txt", b"")), "not both")


def test_a_zip_of_another_compression_reads_or_is_refused_in_our_words(tmp_path: Path):
    data = io.BytesIO(zipped(tmp_path / "good.zip", (STICK, b"{}")).read_bytes()).getvalue()
    changed = data.replace(struct.pack("<HH", 0, 8), struct.pack("<HH", 0, 99))
    (tmp_path / "odd.zip").write_bytes(changed)
    refused(tmp_path / "odd.zip", "a whole zip file")
