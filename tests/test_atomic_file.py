from __future__ import annotations

import gzip
import os

import pytest
import zstandard

from fullmarks.atomic_file import write_whole, written_whole
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


DECOMPRESS = {
    ".gz": gzip.decompress,
    ".zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}


@pytest.mark.parametrize("ending", DECOMPRESS)
def test_the_name_says_whether_it_is_compressed(ending, tmp_path):
    for name in (f"x.json{ending}", f"x.csv{ending.upper()}"):
        path = tmp_path / name
        write_whole(path, b"new " * 1000)
        assert len(path.read_bytes()) < 200
        assert DECOMPRESS[ending](path.read_bytes()) == b"new " * 1000
        with written_whole(path) as stream:
            stream.write(b"one ")
            stream.write(b"two")
        assert DECOMPRESS[ending](path.read_bytes()) == b"one two"


def test_a_zstandard_file_of_known_size_says_it(tmp_path):
    write_whole(tmp_path / "x.zst", b"new " * 1000)
    assert zstandard.frame_content_size((tmp_path / "x.zst").read_bytes()) == 4000


@pytest.mark.parametrize("ending", DECOMPRESS)
def test_the_same_content_gives_the_same_bytes(ending, tmp_path):
    written = []
    for name in ("one", "two"):
        with written_whole(tmp_path / f"{name}{ending}") as stream:
            stream.write(b"text")
        written.append((tmp_path / f"{name}{ending}").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("ending", DECOMPRESS)
def test_an_error_while_compressing_is_the_one_that_is_raised(ending, tmp_path):
    path = tmp_path / f"x{ending}"

    def fail() -> None:
        with written_whole(path, size=100) as stream:
            stream.write(b"new")
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("ending", DECOMPRESS)
def test_a_full_disk_is_told_by_compressed_files_too(ending, tmp_path):
    link = tmp_path / f"x{ending}"
    link.symlink_to("/dev/full")
    with pytest.raises(UsageError, match="No space left"):
        write_whole(link, os.urandom(1 << 20))
