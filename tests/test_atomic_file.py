from __future__ import annotations

import os

import pytest

from fullmarks.atomic_file import written_whole
from fullmarks.errors import UsageError


def test_the_file_appears_at_the_end(tmp_path):
    path = tmp_path / "x"
    with written_whole(path) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_after_an_error_all_is_as_before(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail() -> None:
        with written_whole(path) as stream:
            stream.write(b"new")
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_keeps_pointing(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with written_whole(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_ordinary_permissions(tmp_path):
    path, usual = tmp_path / "x", tmp_path / "usual"
    with written_whole(path) as stream:
        stream.write(b"new")
    usual.touch()
    assert path.stat().st_mode == usual.stat().st_mode


def test_places_that_cannot_be_written(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "x"):
        with pytest.raises(UsageError, match="cannot be written"), written_whole(path):
            pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_is_told():
    from pathlib import Path

    with pytest.raises(UsageError, match="No space left"), written_whole(Path("/dev/full")) as stream:
        stream.write(b"new")
