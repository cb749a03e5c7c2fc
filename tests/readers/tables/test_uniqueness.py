"""Repeated ids by their hashes: in memory, in files and in the parts of many processes."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fullmarks
from fullmarks.errors import UsageError
from fullmarks.readers.tables import uniqueness
from fullmarks.readers.tables.uniqueness import HashedIds, buckets, repeated_ids, repeated_in
from fullmarks.text.kernel import id_hashes
from fullmarks.types import Examples

IDS = st.one_of(st.text("abж", max_size=2), st.integers(-3, 3), st.integers(2**63 - 1, 2**63 + 1))
WORDS = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**63, 2**64 - 1]))


@pytest.fixture(params=["in memory", "sorted", "in files"])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The ways that few, many and very many ids go; no file is left behind on any."""
    if request.param != "in memory":
        monkeypatch.setattr(uniqueness, "SMALL", 0)
    if request.param == "in files":
        monkeypatch.setattr(uniqueness, "MOST_IN_MEMORY", 3)
        monkeypatch.setattr(uniqueness, "_PIECE", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert list(tmp_path.glob("fullmarks-*")) == []


def chunk_of(ids: Any) -> Examples:
    return Examples(ids, [""] * len(ids), [[]] * len(ids), {})


def repeats(ids: list[Any]) -> set[Any]:
    return {each for each, times in Counter(ids).items() if times > 1}


def assert_repeats_are_found(chunks: list[list[Any]]) -> None:
    every = [each for chunk in chunks for each in chunk]
    with HashedIds() as hashed:
        for chunk in chunks:
            hashed.add(chunk_of(chunk))
        found = hashed.repeated()
    assert found == set(id_hashes(list(repeats(every))))
    again = repeated_ids(every, found)
    assert Counter(again) == Counter(every) - Counter(set(every))


CHUNKS = st.lists(st.lists(IDS, max_size=6), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(chunks=CHUNKS)
def test_repeated_ids_are_found_whichever_way_they_go(limits: Path, chunks: list[list[Any]]) -> None:
    del limits
    assert_repeats_are_found(chunks)


@pytest.mark.deep
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(chunks=CHUNKS)
def test_repeated_ids_of_many_tables_are_found_whichever_way_they_go(limits: Path, chunks: list[list[Any]]) -> None:
    del limits
    assert_repeats_are_found(chunks)


def test_hashes_made_elsewhere_are_taken_in_with_the_others(limits: Path) -> None:
    del limits
    with HashedIds() as hashed:
        hashed.add(chunk_of(["a", "b"]))
        hashed.add_hashes(id_hashes(["c", "d"]).tobytes())
        hashed.add_hashes(memoryview(id_hashes(["e", "b"])))
        hashed.add_hashes(np.array(id_hashes(["f"])))
        hashed.add_hashes(b"")
        hashed.add(chunk_of(["d", "g", 1]))
        hashed.add(chunk_of(range(9)))
        assert hashed.repeated() == set(id_hashes(["b", "d"]))
        assert hashed.repeated() == set(id_hashes(["b", "d"]))
    with HashedIds() as hashed:
        hashed.add_hashes(id_hashes(["a"]))
        hashed.add(chunk_of(["a"]))
        assert hashed.repeated() == set(id_hashes(["a"]))
    with pytest.raises(ValueError, match="multiple"):
        HashedIds().add_hashes(b"1234567")


def test_nothing_repeats_where_nothing_is(limits: Path) -> None:
    del limits
    with HashedIds() as hashed:
        assert hashed.repeated() == set()
        hashed.add(chunk_of([]))
        hashed.add(chunk_of(["a"]))
        assert hashed.repeated() == set()


def test_files_are_gone_after_an_error(limits: Path) -> None:
    def fail() -> None:
        with HashedIds() as hashed:
            hashed.add(chunk_of(list("abc")))
            hashed.add(chunk_of(list("def")))
            assert len(list(limits.glob("fullmarks-*"))) == (uniqueness.MOST_IN_MEMORY == 3)
            raise KeyError

    with pytest.raises(KeyError):
        fail()


@pytest.mark.parametrize("bad", [False, True])
def test_a_table_leaves_no_files_behind(
    limits: Path, tmp_path: Path, bad: bool, block_records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    del limits
    count = 5 * block_records // 4
    monkeypatch.setattr(uniqueness, "_PIECE", count // 4)
    path = tmp_path / "t.jsonl"
    numbers = [*range(count), *([3] if bad else [])]  # more than one block
    rows = [{"id": number, "prediction": "x", "references": ["x"]} for number in numbers]
    path.write_text("\n".join(map(json.dumps, rows)))
    if bad:
        with pytest.raises(fullmarks.MismatchError, match=r"repeated id: 1 \(first ids: 3\)"):
            fullmarks.score("qa", path, keep=False)
    else:
        assert fullmarks.score("qa", path, keep=False).n == count
    path.write_text(path.read_text() + "\n{broken")
    with pytest.raises(fullmarks.InputError):
        fullmarks.score("qa", path, keep=False)


def test_a_full_disk_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(uniqueness, "MOST_IN_MEMORY", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(UsageError, match=r"cannot be written: No such file .* Set TMPDIR to a folder with room"):
        HashedIds().add_hashes(id_hashes(["a", "b"]))


@settings(deadline=None, max_examples=30)
@given(hashes=st.lists(WORDS, max_size=30), count=st.sampled_from([1, 2, 3, 7, 256, 1000, 70_000]))
def test_buckets_hold_every_hash_once_by_its_highest_bits(hashes: list[int], count: int) -> None:
    found = [array("Q", content).tolist() for content in buckets(array("Q", hashes), count)]
    assert len(found) == count
    assert sorted(value for values in found for value in values) == sorted(hashes)
    assert all((value >> 32) * count >> 32 == number for number, values in enumerate(found) for value in values)
    assert all(values == [each for each in hashes if each in values] for values in found if values)


@settings(deadline=None)
@given(parts=st.lists(st.lists(st.one_of(WORDS, st.integers(0, 5)), max_size=8), max_size=4))
def test_parts_of_a_bucket_tell_what_repeats_in_it(parts: list[list[int]]) -> None:
    found = array("Q", repeated_in(array("Q", part).tobytes() for part in parts)).tolist()
    assert sorted(found) == sorted(repeats([value for part in parts for value in part]))


def test_many_parts_tell_what_one_process_finds() -> None:
    ids = [f"q{number % 900}" if number < 1000 else number for number in range(5000)]
    shards = [buckets(id_hashes(ids[start : start + 700]), 16) for start in range(0, len(ids), 700)]
    found = b"".join(repeated_in(parts) for parts in zip(*shards, strict=True))
    assert repeated_ids(ids, set(array("Q", found))) == [f"q{number}" for number in range(100)]
