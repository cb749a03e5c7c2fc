"""Objects between processes: the same on the other side, and nothing is left behind."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import resource
import threading
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fullmarks.engines import answers
from fullmarks.engines.answers import LARGE, STEP, receive, send
from fullmarks.engines.numbers import Numbers
from fullmarks.engines.packing import packed, unpacked
from fullmarks.errors import WorkerError

WAYS = pytest.mark.parametrize("way", ["memory", "pipe"])
DOUBLES = LARGE // 8


@pytest.fixture(autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "way" in request.fixturenames and request.getfixturevalue("way") == "pipe":
        monkeypatch.setattr(answers, "_in_memory", lambda buffers: None)


def there_and_back(thing: Any) -> Any:
    one, other = multiprocessing.Pipe()
    sender = threading.Thread(target=send, args=(one, packed(thing)))
    sender.start()
    found = unpacked(receive(other))
    sender.join()
    assert not other.poll()
    one.close()
    other.close()
    return found


@WAYS
@pytest.mark.parametrize("typecode", "bHiqfd")
def test_arrays_come_as_they_were(typecode: str, way: str) -> None:
    for count in (0, 1, DOUBLES - 1, DOUBLES, DOUBLES + 1, 5 * DOUBLES + 3):
        values = array(typecode, [number % 100 for number in range(count)])
        found, numbers, other = there_and_back((values, Numbers(values), {"x": [values[:-1]]}))
        assert type(found) is array, count
        assert (found.typecode, found) == (typecode, values), count
        found.append(1)  # it is nobody else's
        assert numbers.values.format == typecode, count
        assert numbers.values.tobytes() == values.tobytes(), count
        assert other == {"x": [values[:-1]]}, count


@WAYS
def test_arrays_of_numpy_can_be_written(way: str) -> None:
    values = np.arange(60_000, dtype=np.int16).reshape(300, 200)
    found = there_and_back([values, values.T, values[:, ::2]])
    for one, other in zip(found, [values, values.T, values[:, ::2]], strict=True):
        assert np.array_equal(one, other)
        one[0, 0] = 5
    assert values[0, 0] == 0


def test_what_is_small_takes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_in_memory", lambda buffers: pytest.fail("it takes one"))
    small = [array("d", [0.5]) * 1000, Numbers(array("i")), np.zeros((2, 5))]
    for one, other in zip(there_and_back(small), small, strict=True):
        assert np.array_equal(getattr(one, "values", one), getattr(other, "values", other))


def test_buffers_lie_well() -> None:
    odd = array("b", [1]) * (LARGE + 1)
    found = there_and_back([Numbers(odd), Numbers(array("d", [0.5]) * DOUBLES), Numbers(odd)])
    assert [np.frombuffer(each.values).ctypes.data % STEP for each in found[1:2]] == [0]


@WAYS
def test_no_file_stays_open(way: str) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    for _ in range(5):
        there_and_back([Numbers(array("d", [0.5]) * DOUBLES), array("d", [0.5]) * DOUBLES])
    assert count() == before


@pytest.mark.parametrize("free", [0, 1])
def test_too_many_open_files_are_told(free: int) -> None:
    """Receiving takes two: that is no lost worker, whose task would be run again in vain."""
    one, other = multiprocessing.Pipe()
    send(one, packed(array("d", [0.5]) * DOUBLES))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
        taken = _all_files()
        for _ in range(free):
            os.close(taken.pop())
        with pytest.raises(WorkerError, match="too many files are open"):
            receive(other)
    finally:
        for each in taken:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _all_files() -> list[int]:
    taken = []
    while True:
        try:
            taken.append(os.dup(0))
        except OSError:
            return taken


def test_an_end_in_the_middle_is_an_end() -> None:
    one, other = multiprocessing.Pipe()
    one.send_bytes(pickle.dumps((b"x", [LARGE], True)))
    one.close()
    with pytest.raises((EOFError, OSError)):
        receive(other)


@pytest.mark.parametrize("protocol", range(6))
def test_numbers_pickle(protocol: int) -> None:
    numbers = Numbers(array("d", [1.5, -0.0]))
    found = pickle.loads(pickle.dumps(numbers, protocol))
    assert found == numbers
    assert found != Numbers(array("d", [1.5]))
    assert (len(found), found.values.format) == (2, "d")
