"""Files that are written whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from mirrorcraft.core.files import write_whole


def test_what_is_written_replaces_what_was_there(tmp_path: Path):
    file = tmp_path / "a.json"
    for content in ("first\n", "zweite Fassung: \u00fc\r\n", b"\x00\xff"):
        write_whole(file, content)
        assert file.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("stop", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: BaseException
):
    def fails(_: int):
        raise stop

    file = tmp_path / "a.json"
    write_whole(file, "kept")
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(type(stop)):
        write_whole(file, "half", sync=True)
    assert file.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [file]
