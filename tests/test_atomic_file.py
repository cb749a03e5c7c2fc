from __future__ import annotations

import gzip
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import zstandard

from fullmarks.atomic_file import remove_unfinished, write_whole, written_whole
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


def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    for mode in (0o600, 0o640, 0o755):
        path.chmod(mode)
        write_whole(path, b"new")
        assert path.stat().st_mode & 0o777 == mode


def test_what_is_being_written_cannot_be_read_by_more_than_the_file_may(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with written_whole(path):
        (part,) = set(tmp_path.iterdir()) - {path}
        assert part.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everything")
def test_a_write_protected_file_stays(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(UsageError, match="write-protected"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_names_while_writing_are_fresh_and_cannot_be_foreseen(tmp_path, monkeypatch):
    """Two runs in two containers may have the same process id."""
    monkeypatch.setattr(os, "getpid", lambda: 7)
    with written_whole(tmp_path / "x") as one, written_whole(tmp_path / "x") as two:
        one.write(b"one")
        two.write(b"two")
        assert len(list(tmp_path.iterdir())) == 2
    assert (tmp_path / "x").read_bytes() == b"one"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_laid_where_it_would_be_written_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    monkeypatch.setattr(os, "urandom", bytes)
    link = tmp_path / f".fullmarks-{'00' * 16}.part"
    link.symlink_to(victim)
    with pytest.raises(UsageError, match="File exists"):
        write_whole(tmp_path / "x", b"new")
    assert victim.read_bytes() == b"precious"
    assert link.is_symlink()


def test_threads_may_write_the_same_file(tmp_path):
    contents = [bytes([number]) * 100_000 for number in range(120)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: write_whole(tmp_path / "x", content), contents))
    assert (tmp_path / "x").read_bytes() in contents
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["x" * 255, "я" * 127 + "x"], ids=["letters", "bytes"])
def test_the_longest_names_can_be_written(name, tmp_path):
    write_whole(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x" * 256, "a\0b", "a\ud800b"], ids=["too long", "NUL", "surrogate"])
def test_what_is_no_name_is_told(name, tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / name, b"new")
    assert list(tmp_path.iterdir()) == []


def test_links_in_a_circle_are_told(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    for path in (one, one / "x"):
        with pytest.raises(UsageError, match="symbolic links"):
            write_whole(path, b"new")
    assert sorted(tmp_path.iterdir()) == [one, two]


def test_what_was_begun_can_be_removed_at_once(tmp_path):
    other = tmp_path / ".fullmarks-0.part"
    other.write_bytes(b"of another process")

    def end() -> None:
        with written_whole(tmp_path / "x") as stream:
            stream.write(b"new")
            assert len(list(tmp_path.iterdir())) == 2
            remove_unfinished()
            assert list(tmp_path.iterdir()) == [other]

    with pytest.raises(UsageError, match="No such file"):
        end()
    assert list(tmp_path.iterdir()) == [other]
