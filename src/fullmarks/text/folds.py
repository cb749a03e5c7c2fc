"""Sums of rows, all of them or by the codes of their labels.

Invariant: every sum is a strict left fold in row order. Values may be any contiguous buffer of doubles, codes and
places any of whole numbers of 32 bits; plain bytes count as either.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

TYPE_CHECKING = False  # typing's import takes longer than a small job
if TYPE_CHECKING:
    from typing import Any, Literal

    from _typeshed import ReadableBuffer, WriteableBuffer

_BYTES = ("B", "b", "c")
_WORDS = {"d": "doubles", "i": "whole numbers of 32 bits", "q": "whole numbers of 64 bits"}


def fold(values: ReadableBuffer, width: int, start: Sequence[float] | ReadableBuffer | None = None) -> list[float]:
    """The sum of each column of rows of `width` values, added to the start (0.0 each) in row order.

    >>> fold(array("d", [1.0, 0.5, 2.0, 0.25]), 2, [10.0, 0.0])
    [13.0, 0.75]
    """
    numbers = _numbers(values, "values", "d")
    if width < 1 or len(numbers) % width:
        raise ValueError(f"{len(numbers)} values do not make rows of {width}")
    begun = [0.0] * width if start is None else _start(start, width)
    columns = (numbers[column::width] for column in range(width))
    if sys.version_info < (3, 12):  # from 3.12 on the built-in sum compensates its rounding
        return [sum(column, first) for column, first in zip(columns, begun, strict=True)]
    totals = []
    for column, first in zip(columns, begun, strict=True):
        total = first
        for total in accumulate(column, initial=first):  # noqa: B007 - the last one is the sum
            pass
        totals.append(total)
    return totals


def column_of(values: ReadableBuffer, width: int, column: int) -> list[float]:
    """One column of rows of `width` values, as a list."""
    numbers = _numbers(values, "values", "d")
    if width < 1 or len(numbers) % width or not 0 <= column < width:
        raise ValueError(f"{len(numbers)} values do not make rows of {width} with a column {column}")
    return list(numbers[column::width])


def mapped_codes(codes: ReadableBuffer, table: ReadableBuffer) -> array[int]:
    """What the table has at each code."""
    found, places = _numbers(codes, "codes", "i"), _numbers(table, "codes", "i").tolist()
    _check_places(found, len(places))
    return array("i", map(places.__getitem__, found))


def count_by(counts: WriteableBuffer, places: ReadableBuffer) -> None:
    """Adds one to the count at each place."""
    into = _numbers(counts, "counts", "q")
    for place in _numbers(places, "places", "i"):
        _check_places((place,), len(into))
        into[place] += 1


def fold_by(
    sums: WriteableBuffer,
    values: ReadableBuffer,
    width: int,
    places: ReadableBuffer,
    where: ReadableBuffer | None = None,
) -> None:
    """Adds each row of `width` values to the sums at its place, in row order; `where` names the row of each place."""
    into, numbers, found = _numbers(sums, "sums", "d"), _numbers(values, "values", "d"), _numbers(places, "places", "i")
    rows = range(len(numbers) // max(1, width)) if where is None else _numbers(where, "rows", "i")
    if width < 1 or len(into) % width or len(numbers) % width or len(rows) != len(found):
        raise ValueError(f"{len(numbers)} values do not make {len(found)} rows of {width}")
    for row, place in zip(rows, found):  # noqa: B905 - the lengths are equal
        _check_places((place,), len(into) // width)
        _check_places((row,), len(numbers) // width)
        for column in range(width):
            into[place * width + column] += numbers[row * width + column]


def _numbers(values: ReadableBuffer, name: str, kind: Literal["d", "i", "q"]) -> memoryview[Any]:
    """The numbers in any contiguous buffer of them or of bytes."""
    view = memoryview(values)
    if view.format not in (kind, *_BYTES):
        raise TypeError(f"{name} are not {_WORDS[kind]}")
    if not view.c_contiguous:
        raise TypeError(f"{name} are not in one piece")
    none: array[Any] = array(kind)
    if view.nbytes % none.itemsize:
        raise ValueError(f"{name} are {view.nbytes} bytes, which make no {_WORDS[kind]}")
    return view.cast("B").cast(kind) if view.nbytes else memoryview(none)


def _start(start: Sequence[float] | ReadableBuffer, width: int) -> list[float]:
    is_listed = isinstance(start, (list, tuple))
    begun = list(array("d", start) if is_listed else _numbers(start, "sums", "d"))  # type: ignore[arg-type]
    if len(begun) != width:
        raise ValueError(f"{len(begun)} sums to start from, expected {width}")
    return begun


def _check_places(places: Iterable[int], count: int) -> None:
    for place in places:
        if not 0 <= place < count:
            raise IndexError(f"place {place}, expected 0 to {count - 1}")
