"""NBT, the game's typed binary trees: ``loads`` and ``dumps``, and ``need`` to take a typed value out.

A Compound is a dict, a String a str, the arrays numpy arrays of int8, int32 and int64; the numbers
and the list have classes here, since the game reads a Short where an Int should be as zero.
"""

import struct
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import numpy as np

from mirrorcraft.core.errors import SaveError

BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, BYTES, STRING, LIST, COMPOUND, INTS, LONGS = range(1, 13)
TAG_NAMES = (
    "End",
    "Byte",
    "Short",
    "Int",
    "Long",
    "Float",
    "Double",
    "Byte_Array",
    "String",
    "List",
    "Compound",
    "Int_Array",
    "Long_Array",
)  # by tag
MAX_DEPTH = 128  # the game's own files stay below 20; Python's stack is not for a file to fill


class Byte(int):
    """A signed 8-bit number."""

    tag = BYTE


class Short(int):
    """A signed 16-bit number."""

    tag = SHORT


class Int(int):
    """A signed 32-bit number."""

    tag = INT


class Long(int):
    """A signed 64-bit number."""

    tag = LONG


class Float(float):
    """A 32-bit float."""

    tag = FLOAT


class Double(float):
    """A 64-bit float."""

    tag = DOUBLE


class List(list[Any]):
    """Values of one tag.

    Args:
        of: their tag; an empty list keeps none, as the game writes it.
        values: the values.
    """

    __slots__ = ("of",)
    tag = LIST

    def __init__(self, of: int = 0, values: Any = ()):
        super().__init__(values)
        self.of = of if len(self) else 0


class At(NamedTuple):
    """Where something was read, for errors: the file, and the place in it."""

    file: object
    place: str

    def fail(self, inner: str, given: object, expected: str) -> NoReturn:
        """Raise SaveError for what lies at ``inner`` below this place."""
        place = ": ".join(part for part in (self.place, inner) if part)
        raise SaveError(self.file, place, given, expected)


def need(parent: dict[str, Any], key: str, tag: int, at: At) -> Any:
    """Return a value of a Compound; SaveError if it is absent or of another type."""
    value = parent.get(key)
    if value is None:
        at.fail(key, "nothing", f"a {TAG_NAMES[tag]}")
    if tag_of(value) != tag:
        at.fail(key, f"a {TAG_NAMES[tag_of(value)]}", f"a {TAG_NAMES[tag]}")
    return value


def need_list(parent: dict[str, Any], key: str, of: int, at: At) -> List:
    """Return a List of a Compound; SaveError if it is absent or holds another type."""
    values = need(parent, key, LIST, at)
    if values and values.of != of:
        at.fail(key, f"a List of {TAG_NAMES[values.of]}", f"a List of {TAG_NAMES[of]}")
    return values


# --- values to bytes

_ARRAY_TAGS = {"i1": BYTES, "i4": INTS, "i8": LONGS}
_ARRAYS = {BYTES: np.dtype(">i1"), INTS: np.dtype(">i4"), LONGS: np.dtype(">i8")}
_NUMBERS: dict[int, tuple[Any, struct.Struct]] = {
    kind.tag: (kind, struct.Struct(">" + code))
    for kind, code in zip((Byte, Short, Int, Long, Float, Double), "bhiqfd", strict=True)
}
_COUNT, _LENGTH = struct.Struct(">i"), struct.Struct(">H")


def tag_of(value: Any) -> int:
    """Return the tag of a value; TypeError for one that has none, such as a plain int."""
    if isinstance(value, str):
        return STRING
    if isinstance(value, dict):
        return COMPOUND
    tag = _ARRAY_TAGS.get(value.dtype.str[1:]) if isinstance(value, np.ndarray) else None
    tag = tag or getattr(value, "tag", None)
    if tag is None:
        raise TypeError(f"{type(value).__name__} {value!r} is no NBT value")
    return tag


def dumps(root: dict[str, Any]) -> bytes:
    """Return a Compound as uncompressed NBT with an empty root name; keys keep their order."""
    out = [bytes((COMPOUND,)), _string("")]
    _write(root, COMPOUND, out)
    return b"".join(out)


def _write(value: Any, tag: int, out: list[bytes]) -> None:
    if tag in _NUMBERS:
        out.append(_NUMBERS[tag][1].pack(value))
    elif tag == STRING:
        out.append(_string(value))
    elif tag == COMPOUND:
        for key, child in value.items():
            child_tag = tag_of(child)
            out.append(bytes((child_tag,)) + _string(key))
            _write(child, child_tag, out)
        out.append(b"\0")
    elif tag == LIST:
        out.append(bytes((value.of,)) + _COUNT.pack(len(value)))
        for child in value:
            if tag_of(child) != value.of:
                given = TAG_NAMES[tag_of(child)]
                raise TypeError(f"a {given} in a List of {TAG_NAMES[value.of]}")
            _write(child, value.of, out)
    else:
        out.append(_COUNT.pack(value.size) + value.astype(_ARRAYS[tag]).tobytes())


@lru_cache(4096)
def _string(text: str) -> bytes:
    """Return a length and Java's modified UTF-8: NUL in two bytes, astral characters as pairs."""
    raw = text.encode()
    if b"\0" in raw or (raw and max(raw) >= 0xF0):
        units = text.encode("utf-16-be", "surrogatepass")
        pairs = "".join(map(chr, struct.unpack(f">{len(units) // 2}H", units)))
        raw = pairs.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")
    return _LENGTH.pack(len(raw)) + raw


# --- bytes to values


def loads(data: bytes, at: At) -> dict[str, Any]:
    """Return the root Compound of uncompressed NBT.

    Bytes after the root are left unread, as the game does: a common writer leaves some there.

    Raises:
        SaveError: the bytes end too early, or a tag, a length or a text is none that NBT has.
    """
    reader = _Reader(data, at)
    if reader.byte() != COMPOUND:
        reader.fail(data[0], f"{COMPOUND}, a Compound, as the root")
    reader.string()
    return reader.value(COMPOUND, 0)


class _Reader:
    def __init__(self, data: bytes, at: At):
        self.data, self.at, self.position = data, at, 0

    def fail(self, given: object, expected: str) -> NoReturn:
        self.at.fail(f"NBT byte {self.position}", given, expected)

    def take(self, size: int) -> int:
        """Step over ``size`` bytes and return where they begin."""
        start = self.position
        if size < 0 or start + size > len(self.data):
            left = len(self.data) - start
            self.fail(
                f"{left} more bytes", "a size that is not negative" if size < 0 else f"{size}"
            )
        self.position = start + size
        return start

    def byte(self) -> int:
        return self.data[self.take(1)]

    def string(self) -> str:
        (size,) = _LENGTH.unpack_from(self.data, self.take(2))
        start = self.take(size)
        raw = self.data[start : start + size]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            pass
        try:
            pairs = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            return pairs.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self.fail(raw, "a text in modified UTF-8")

    def value(self, tag: int, depth: int) -> Any:
        if tag in _NUMBERS:
            kind, form = _NUMBERS[tag]
            return kind(form.unpack_from(self.data, self.take(form.size))[0])
        if tag == STRING:
            return self.string()
        if tag == COMPOUND:
            if depth == MAX_DEPTH:
                self.fail("another level", f"at most {MAX_DEPTH} levels")
            children = {}
            while (child := self.byte()) != 0:
                key = self.string()
                children[key] = self.value(child, depth + 1)
            return children
        if tag not in (LIST, *_ARRAYS):
            self.fail(tag, "a tag from 1 to 12")
        return self.many(tag, depth)

    def many(self, tag: int, depth: int) -> Any:
        of = self.byte() if tag == LIST else 0
        (count,) = _COUNT.unpack_from(self.data, self.take(4))
        if tag == LIST:
            if depth == MAX_DEPTH:
                self.fail("another level", f"at most {MAX_DEPTH} levels")
            if of == 0 and count > 0:
                self.fail(f"a List of {count} Ends", "a List of a type that has values")
            return List(of, [self.value(of, depth + 1) for _ in range(count)])
        kind = _ARRAYS[tag]
        start = self.take(count * kind.itemsize)
        return np.frombuffer(self.data, kind, count, start).astype(kind.newbyteorder("="))
