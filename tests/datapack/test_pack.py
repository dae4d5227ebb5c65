"""A datapack as a value: equality by content, the same bytes every time, whole files or none."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mirrorcraft.core.errors import PackError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import Datapack, build

MCMETA = {"pack": {"pack_format": 10, "description": "a test"}}
STICK = "data/minecraft/recipes/stick.json"
# The zip of the suite M01; a new one means that packs in use no longer equal those we write.
M01_ZIP = "a2e73920cb698a4bdeb5e2d7c6818128419a6562ec0eee6ae4decd430e9e8fb1"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc_", max_size=4), inner),
    max_leaves=12,
)  # fmt: skip
names = st.text("abcdefghij_", min_size=1, max_size=8)


@st.composite
def packs(draw: Any) -> Datapack:
    """Packs of any content: JSON, functions, other files."""
    files: dict[str, Any] = {"pack.mcmeta": MCMETA}
    for name in draw(st.sets(names, max_size=4)):
        files[f"data/minecraft/recipes/{name}.json"] = draw(json_values)
    for name in draw(st.sets(names, max_size=3)):
        files[f"data/{name}/functions/{name}.mcfunction"] = draw(st.text("abc \n#", max_size=20))
    for name in draw(st.sets(names, max_size=2)):
        files[f"{name}.png"] = draw(st.binary(max_size=50))
    return Datapack(files)


@given(packs())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pack_comes_back_from_folder_and_zip_as_it_was(tmp_path: Path, pack: Datapack):
    pack.write_folder(tmp_path / "folder")
    pack.write_zip(tmp_path / "pack.zip")
    assert Datapack.load(tmp_path / "folder") == pack
    assert Datapack.load(tmp_path / "pack.zip") == pack
    assert dict(Datapack.load(tmp_path / "pack.zip")) == dict(pack)


@given(json_values, json_values)
def test_packs_are_equal_exactly_if_their_bytes_are(one: Any, other: Any):
    left, right = (Datapack({"pack.mcmeta": MCMETA, STICK: value}) for value in (one, other))
    assert (left == right) == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))
    assert (left == right) == (left.digest == right.digest)


def test_the_name_of_a_pack_and_the_order_of_its_files_make_no_difference():
    one = Datapack({"pack.mcmeta": MCMETA, STICK: {"a": 1, "b": 2}}, "one")
    other = Datapack({STICK: {"b": 2, "a": 1}, "pack.mcmeta": MCMETA}, "other")
    assert one == other
    assert hash(one) == hash(other)


def test_one_and_true_and_one_point_zero_are_three_contents():
    contents = [Datapack({"pack.mcmeta": MCMETA, STICK: value}) for value in (1, True, 1.0)]
    assert len(set(contents)) == 3


def test_the_zip_of_a_suite_has_the_same_bytes_on_every_machine(tmp_path: Path):
    pack = build(Rulebook.vanilla("1.19").apply(RuleManifest.load("M01")))
    pack.write_zip(tmp_path / "M01.zip")
    assert hashlib.sha256((tmp_path / "M01.zip").read_bytes()).hexdigest() == M01_ZIP


def test_another_process_with_another_hash_seed_writes_the_same_bytes(tmp_path: Path):
    program = (
        "import sys; from mirrorcraft.datapack import build; from mirrorcraft.core.rulebook import Rulebook; "
        "from mirrorcraft.core.manifest import RuleManifest; "
        "build(Rulebook.vanilla('1.19').apply(RuleManifest.load('M05'))).write_zip(sys.argv[1])"
    )
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program, str(tmp_path / f"{seed}.zip")]
        environment = os.environ | {"PYTHONHASHSEED": seed, "TZ": f"UTC{seed}"}
        subprocess.run(command, check=True, env=environment)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_a_zip_says_no_time_and_lists_its_files_in_order(tmp_path: Path):
    Datapack({"pack.mcmeta": MCMETA, STICK: {}, "a.txt": b"x"}).write_zip(tmp_path / "p.zip")
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        entries = archive.infolist()
    assert [e.filename for e in entries] == ["a.txt", STICK, "pack.mcmeta"]
    assert {e.date_time for e in entries} == {(1980, 1, 1, 0, 0, 0)}


def test_an_earlier_pack_is_replaced_and_none_of_its_files_stays(tmp_path: Path):
    old = Datapack({"pack.mcmeta": MCMETA, STICK: {}})
    new = Datapack({"pack.mcmeta": MCMETA})
    for pack in (old, new):
        pack.write_folder(tmp_path / "folder")
        pack.write_zip(tmp_path / "pack.zip")
    assert Datapack.load(tmp_path / "folder") == Datapack.load(tmp_path / "pack.zip") == new
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "pack.zip"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mother.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(PackError, match="an earlier pack"):
        Datapack({"pack.mcmeta": MCMETA}).write_folder(tmp_path / "letters")
    assert (tmp_path / "letters" / "mother.txt").read_text(encoding="utf-8") == "dear"


@pytest.mark.parametrize("write", ["write_folder", "write_zip"])
def test_a_write_that_fails_half_way_leaves_the_earlier_pack_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str
):
    old = Datapack({"pack.mcmeta": MCMETA})
    getattr(old, write)(tmp_path / "pack")
    new = Datapack({"pack.mcmeta": MCMETA, STICK: {}, "a.txt": b"1"})
    written = []

    def full_disk(path: Any, *_: Any) -> None:
        written.append(path)
        if len(written) > 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    monkeypatch.setattr(zipfile.ZipFile, "writestr", full_disk)
    with pytest.raises(PackError, match="No space left"):
        getattr(new, write)(tmp_path / "pack")
    monkeypatch.undo()
    assert Datapack.load(tmp_path / "pack") == old
    assert [p.name for p in tmp_path.iterdir()] == ["pack"]


def test_an_earlier_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    old = Datapack({"pack.mcmeta": MCMETA})
    old.write_folder(tmp_path / "pack")

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PackError, match="Permission denied"):
        Datapack({"pack.mcmeta": MCMETA, STICK: {}}).write_folder(tmp_path / "pack")
    assert Datapack.load(tmp_path / "pack") == old


def test_a_place_that_does_not_exist_is_an_error_of_ours(tmp_path: Path):
    with pytest.raises(PackError, match="a place that can be written"):
        Datapack({"pack.mcmeta": MCMETA}).write_zip(tmp_path / "nowhere" / "pack.zip")
