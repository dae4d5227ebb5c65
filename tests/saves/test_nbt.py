"""NBT: what is written is read, by us and by another library; what is damaged is named."""

import io
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrorcraft.core.errors import SaveError
from mirrorcraft.saves import nbt
from mirrorcraft.saves.nbt import At, Byte, Double, Float, Int, List, Long, Short, dumps, loads

HERE = At("file", "chunk 0,0")


def integers(kind: Any, bits: int) -> st.SearchStrategy[Any]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1).map(kind)


def arrays(bits: int) -> st.SearchStrategy[Any]:
    return st.lists(integers(int, bits), max_size=9).map(lambda v: np.array(v, f"i{bits // 8}"))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)  # lone surrogates are no text
PLAIN = st.text(st.characters(min_codepoint=1, max_codepoint=0xD7FF), max_size=12)


def trees(text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    leaves = [
        integers(Byte, 8),
        integers(Short, 16),
        integers(Int, 32),
        integers(Long, 64),
        st.floats(width=32, allow_nan=False).map(Float),
        st.floats(allow_nan=False).map(Double),
        text,
        arrays(8),
        arrays(32),
        arrays(64),
    ]
    lists = st.one_of(
        *(
            st.lists(leaf, min_size=1, max_size=4).map(lambda v: List(nbt.tag_of(v[0]), v))
            for leaf in leaves
        ),
        st.just(List()),
    )
    values = st.recursive(
        st.one_of(*leaves, lists), lambda v: st.dictionaries(text, v, max_size=4), max_leaves=12
    )
    return st.dictionaries(text, values, max_size=5)


def same(a: Any, b: Any) -> bool:
    """Equal in value and in type, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, List):
        return a.of == b.of and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


@given(trees(TEXT))
def test_what_is_written_is_read_with_every_type(tree: dict[str, Any]):
    assert same(loads(dumps(tree), HERE), tree)


@given(trees(PLAIN))
def test_another_library_reads_it_and_writes_the_same_bytes(tree: dict[str, Any]):
    nbtlib = pytest.importorskip("nbtlib", reason="nbtlib is not installed")
    ours = dumps(tree)
    file = nbtlib.File.parse(io.BytesIO(ours))
    theirs = io.BytesIO()
    file.write(theirs)
    assert theirs.getvalue() == ours


@given(trees(TEXT), st.data())
def test_bytes_that_end_too_early_are_an_error(tree: dict[str, Any], data: st.DataObject):
    whole = dumps(tree)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(SaveError, match="file: chunk 0,0: NBT byte"):
        loads(whole[:cut], HERE)


@given(st.binary(max_size=60))
def test_garbage_gives_a_tree_or_an_error_that_names_the_place(garbage: bytes):
    place = ""
    try:
        loads(b"\x0a\0\0" + garbage, HERE)
    except SaveError as error:
        place = error.place
    assert place == "" or place.startswith("chunk 0,0: NBT byte")


@pytest.mark.parametrize(
    ("text", "raw"),
    [("é", b"\xc3\xa9"), ("\0", b"\xc0\x80"), ("😀", b"\xed\xa0\xbd\xed\xb8\x80")],
)
def test_texts_are_in_the_modified_utf8_of_java(text: str, raw: bytes):
    assert dumps({"k": text}) == b"\x0a\0\0\x08\0\1k" + struct.pack(">H", len(raw)) + raw + b"\0"


def test_bytes_after_the_root_are_left_unread():
    assert loads(dumps({"a": Int(1)}) + b"rest", HERE) == {"a": 1}


def test_nesting_too_deep_is_an_error_and_no_crash():
    with pytest.raises(SaveError, match="at most 128 levels"):
        loads(b"\x0a\0\0" + b"\x0a\0\1a" * 5000, HERE)
    with pytest.raises(SaveError, match="at most 128 levels"):
        loads(b"\x0a\0\0\x09\0\1a" + b"\x09\0\0\0\1" * 5000, HERE)


@pytest.mark.parametrize(
    "body",
    [
        b"\x0b\0\1a\x7f\xff\xff\xff",  # an array of two thousand million
        b"\x0b\0\1a\xff\xff\xff\xff",  # of minus one
        b"\x09\0\1a\0\x7f\xff\xff\xff",  # a list of as many Ends
        b"\x0d\0\1a",  # tag 13
        b"\x08\0\1a\0\1\xff",  # text that is none
    ],
)
def test_sizes_and_tags_that_cannot_be_are_errors(body: bytes):
    with pytest.raises(SaveError, match="NBT byte"):
        loads(b"\x0a\0\0" + body, HERE)


def test_a_value_of_another_type_is_named_with_both_types():
    with pytest.raises(SaveError, match=r"chunk 0,0: x: got 'a Short'; expected a Int"):
        nbt.need({"x": Short(1)}, "x", nbt.INT, HERE)
    with pytest.raises(SaveError, match=r"chunk 0,0: y: got 'nothing'; expected a Int"):
        nbt.need({}, "y", nbt.INT, HERE)
    with pytest.raises(SaveError, match="got 'a List of Int'; expected a List of String"):
        nbt.need_list({"l": List(nbt.INT, [Int(1)])}, "l", nbt.STRING, HERE)


def test_a_value_without_a_type_is_refused_when_written():
    with pytest.raises(TypeError, match="int 3 is no NBT value"):
        dumps({"a": 3})
    with pytest.raises(TypeError, match="a Short in a List of Int"):
        dumps({"a": List(nbt.INT, [Int(1), Short(2)])})
