"""Sums of rows: both kernels against plain loops, over buffers of every kind."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from fullmarks.text import folds

KERNELS: list[Any] = [pytest.param(folds, id="python")]
try:
    from fullmarks.text import _speed

    KERNELS.append(pytest.param(_speed, id="c"))
except ImportError:  # then the Python functions are held against plain loops alone
    pass
BOTH = pytest.mark.parametrize("kernel", KERNELS)


def hard_numbers(seed: int, count: int) -> array[float]:
    """Numbers whose sum shows in which order they were added."""
    source = random.Random(seed)
    return array("d", [source.choice((1e16, 1.0, -1e16, 0.1)) * source.random() for _ in range(count)])


def shifted(values: array[float]) -> memoryview:
    """The same bytes at an address where no number would lie."""
    return memoryview(b"x" + values.tobytes())[1:]


def as_arrow(values: array[float]) -> object:
    return pytest.importorskip("pyarrow", reason="needs PyArrow: make install").py_buffer(values.tobytes())


BUFFERS: dict[str, Callable[[Any], Any]] = {
    "array": lambda values: values,
    "bytes": lambda values: values.tobytes(),
    "bytearray": lambda values: bytearray(values.tobytes()),
    "view": memoryview,
    "view of bytes": lambda values: memoryview(values.tobytes()),
    "shifted bytes": shifted,
    "signed bytes": lambda values: memoryview(values.tobytes()).cast("b"),
    "numpy": np.array,
    "numpy of rows": lambda values: np.array(values).reshape(-1, 2) if len(values) % 2 == 0 else np.array(values),
    "arrow": as_arrow,
}
EVERY_BUFFER = pytest.mark.parametrize("buffer", BUFFERS.values(), ids=BUFFERS.keys())


@BOTH
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 10])
def test_fold_is_a_left_fold(kernel: Any, width: int) -> None:
    values = hard_numbers(5, 3_000)
    wanted = [list(accumulate(values[column::width], initial=0.0))[-1] for column in range(width)]
    assert kernel.fold(values, width) == wanted
    assert kernel.fold(array("d"), width) == [0.0] * width
    if width == 1:
        assert kernel.fold(array("d", [1e16, 1.0, -1e16]), 1) == [0.0]


@BOTH
@pytest.mark.parametrize("start", [list, tuple, array, bytes, np.array])
def test_fold_goes_on_from_a_start(kernel: Any, start: Any) -> None:
    for width in (1, 2, 3, 4, 5, 10):
        values = hard_numbers(width, 60 * width)
        whole = kernel.fold(values, width)
        for cut in (0, width, 7 * width, 60 * width):
            sums = array("d", kernel.fold(values[:cut], width))
            begun = array("d", sums) if start is array else sums.tobytes() if start is bytes else start(sums)
            assert kernel.fold(values[cut:], width, begun) == whole, (width, cut)
            assert kernel.fold(values[cut:], width=width, start=begun) == whole, (width, cut)


@BOTH
@EVERY_BUFFER
def test_any_buffer_of_doubles_is_folded(kernel: Any, buffer: Callable[[Any], Any]) -> None:
    values = hard_numbers(3, 240)
    for width in (1, 2, 3, 4, 6):
        wanted = kernel.fold(values, width)
        assert kernel.fold(buffer(values), width) == wanted
        assert kernel.fold(buffer(array("d")), width) == [0.0] * width
        assert kernel.fold(array("d"), width, buffer(array("d", wanted))) == wanted
        assert kernel.column_of(buffer(values), width, 0) == values[::width].tolist()


@BOTH
def test_no_number_is_lost_in_a_fold(kernel: Any) -> None:
    found = kernel.fold(array("d", [1.0, math.nan, math.inf, 1.0]), 2, [-0.0, 0.0])
    assert found[0] == math.inf
    assert math.isnan(found[1])
    assert math.copysign(1.0, kernel.fold(array("d"), 1, [-0.0])[0]) == -1.0
    assert kernel.fold(array("d"), 1, [3]) == [3.0]


@BOTH
@pytest.mark.parametrize("width", [0, -1, 2])
def test_fold_wants_whole_rows(kernel: Any, width: int) -> None:
    with pytest.raises(ValueError, match=f"3 values do not make rows of {width}"):
        kernel.fold(array("d", [1.0, 2.0, 3.0]), width)


@BOTH
@pytest.mark.parametrize(
    ("start", "error", "words"),
    [
        ([], ValueError, "0 sums to start from, expected 2"),
        ((1.0, 2.0, 3.0), ValueError, "3 sums to start from, expected 2"),
        (array("d", [1.0]), ValueError, "1 sums to start from, expected 2"),
        (b"1234", ValueError, "sums are 4 bytes, which make no doubles"),
        (array("f", [1.0, 2.0]), TypeError, "sums are not doubles"),
        ([1.0, "1"], TypeError, "must be real number, not str"),
        (7, TypeError, "bytes-like object is required"),
    ],
)
def test_a_start_has_a_sum_for_each_column(kernel: Any, start: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        kernel.fold(array("d", [1.0, 2.0]), 2, start)


@BOTH
@pytest.mark.parametrize("values", [array("f", [1.0]), array("q", [1]), np.array([1.0], dtype=">f8"), np.array([1])])
def test_values_are_doubles(kernel: Any, values: Any) -> None:
    for call in (
        lambda: kernel.fold(values, 1),
        lambda: kernel.column_of(values, 1, 0),
        lambda: kernel.fold_by(array("d", [0.0]), values, 1, array("i", [0])),
    ):
        with pytest.raises(TypeError, match="values are not doubles"):
            call()
    with pytest.raises(TypeError, match="sums are not doubles"):
        kernel.fold_by(array("f", [0.0]), array("d", [1.0]), 1, array("i", [0]))


@BOTH
def test_values_lie_in_one_piece(kernel: Any) -> None:
    for values in (np.zeros(8)[::2], np.zeros((4, 2)).T, memoryview(array("d", [1.0] * 4))[::2]):
        with pytest.raises(TypeError, match="values are not in one piece"):
            kernel.fold(values, 1)
    with pytest.raises(ValueError, match="values are 9 bytes, which make no doubles"):
        kernel.fold(bytes(9), 1)
    for nothing in (None, [1.0], "text"):
        with pytest.raises(TypeError, match="bytes-like object is required"):
            kernel.fold(nothing, 1)


@BOTH
def test_a_column_of_rows_is_a_list_of_its_numbers(kernel: Any) -> None:
    values = array("d", [0.0, 1.0, -0.0, 0.5, float("inf"), 1.0, 1e-320, 0.0])
    for width in (1, 2, 4):
        for column in range(width):
            found = kernel.column_of(values, width, column)
            assert list(map(repr, found)) == list(map(repr, values[column::width]))
    assert math.isnan(kernel.column_of(array("d", [float("nan")]), 1, 0)[0])
    assert kernel.column_of(array("d"), 3, 1) == []
    for width, column in ((3, 0), (0, 0), (2, 2), (2, -1)):
        with pytest.raises(ValueError, match="8 values do not make rows"):
            kernel.column_of(values, width, column)


@BOTH
@EVERY_BUFFER
def test_rows_are_added_to_the_sums_at_their_places(kernel: Any, buffer: Callable[[Any], Any]) -> None:
    for width in (1, 2, 3, 4, 5):
        source = random.Random(width)
        sums = array("d", [source.random() for _ in range(7 * width)])
        values = hard_numbers(width, 400 * width)
        places = array("i", [source.randrange(6) for _ in range(400)])
        where = array("i", [source.randrange(400) for _ in range(400)])
        for chosen in (None, where):
            wanted = list(sums)
            for at, place in enumerate(places):
                row = at if chosen is None else chosen[at]
                for column in range(width):
                    wanted[place * width + column] += values[row * width + column]
            named = {} if chosen is None else {"where": buffer(chosen)}
            kernel.fold_by(sums, buffer(values), width, buffer(places), **named)
            assert sums.tolist() == wanted, width
        kernel.fold_by(sums, buffer(array("d")), width, buffer(array("i")))
        assert sums.tolist() == wanted, width


@BOTH
@pytest.mark.parametrize(
    ("sums", "values", "width", "places", "where", "error"),
    [
        ([0.0], [1.0], 1, [1], None, IndexError),
        ([0.0], [1.0], 1, [-1], None, IndexError),
        ([0.0], [1.0], 1, [0], [1], IndexError),
        ([0.0], [1.0], 1, [0], [-1], IndexError),
        ([0.0], [1.0], 1, [0], [], ValueError),
        ([0.0, 0.0], [1.0, 2.0], 2, [0, 0], None, ValueError),
        ([0.0, 0.0, 0.0], [1.0, 2.0], 2, [0], None, ValueError),
        ([0.0, 0.0], [1.0, 2.0, 3.0], 2, [0], None, ValueError),
        ([0.0], [1.0], 0, [0], None, ValueError),
        ([0.0], [1.0], -1, [0], None, ValueError),
    ],
)
def test_sums_and_rows_have_to_fit(
    kernel: Any, sums: list[float], values: list[float], width: int, places: list[int], where: Any, error: Any
) -> None:
    rows = None if where is None else array("i", where)
    with pytest.raises(error, match=r"expected 0 to|do not make"):
        kernel.fold_by(array("d", sums), array("d", values), width, array("i", places), rows)


@BOTH
def test_places_are_codes_and_sums_can_be_written(kernel: Any) -> None:
    one = array("d", [1.0])
    for places in (array("q", [0]), one):
        with pytest.raises(TypeError, match="places are not whole numbers of 32 bits"):
            kernel.fold_by(array("d", [0.0]), one, 1, places)
        with pytest.raises(TypeError, match="places are not whole numbers of 32 bits"):
            kernel.count_by(array("q", [0]), places)
    with pytest.raises((BufferError, TypeError)):
        kernel.fold_by(bytes(8), one, 1, array("i", [0]))
    with pytest.raises((BufferError, TypeError)):
        kernel.count_by(bytes(8), array("i", [0]))
    with pytest.raises(TypeError):
        kernel.fold_by(array("d", [0.0]), one, 1, [0])


@BOTH
@EVERY_BUFFER
def test_places_are_counted(kernel: Any, buffer: Callable[[Any], Any]) -> None:
    counts = array("q", [5, 0, 1 << 40])
    kernel.count_by(counts, buffer(array("i", [2, 0, 2, 0])))
    kernel.count_by(counts, buffer(array("i")))
    assert counts.tolist() == [7, 0, (1 << 40) + 2]
    for place in (-1, 3):
        with pytest.raises(IndexError, match=f"place {place}, expected 0 to 2"):
            kernel.count_by(counts, array("i", [place]))


@BOTH
@EVERY_BUFFER
def test_codes_are_mapped_by_a_table(kernel: Any, buffer: Callable[[Any], Any]) -> None:
    table = buffer(array("i", [7, -3, 2**31 - 1, 0]))
    assert kernel.mapped_codes(buffer(array("i", [2, 0, 1, 1])), table) == array("i", [2**31 - 1, 7, -3, -3])
    assert kernel.mapped_codes(buffer(array("i")), buffer(array("i"))) == array("i")
    for code in (-1, 4):
        with pytest.raises(IndexError, match=f"place {code}, expected 0 to 3"):
            kernel.mapped_codes(array("i", [code]), table)
