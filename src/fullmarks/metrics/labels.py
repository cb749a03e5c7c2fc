"""The labels of a chunk's examples as codes: each different label once, and for every row its place among them.

Whoever reads a chunk can make them and send them; whoever adds chunks up needs nothing else of the column.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from fullmarks.checks import each_label
from fullmarks.text.kernel import Codebook


class Labels(NamedTuple):
    """The different labels in order of first appearance, and the code of every row."""

    values: list[Hashable]
    codes: array[int]
    where: array[int] | None = None
    """The row that each code belongs to, where an example may have several labels or none; None: row after row."""


def coded(values: Sequence[Any]) -> Labels:
    """The labels of examples; one whose value is a tuple has each label in it.

    >>> coded(["x", "y", "x"])
    Labels(values=['x', 'y'], codes=array('i', [0, 1, 0]), where=None)
    >>> coded(["x", ("y", "x"), ()])
    Labels(values=['x', 'y'], codes=array('i', [0, 1, 0]), where=array('i', [0, 1, 1]))
    """
    book = Codebook()
    codes, where = book.codes(values), None
    if codes is None:
        rows, labels = each_label(values)
        codes, where = book.codes(labels), array("i", rows)
    if codes is None:
        raise TypeError("one of several labels is a tuple, expected a text or a number")
    return Labels(book.labels, codes, where)


def listed(labels: Labels, n: int) -> list[Any]:
    """The labels of so many examples as they were before `coded`.

    >>> listed(coded(["x", ("y", "x"), ()]), 3)
    [('x',), ('y', 'x'), ()]
    """
    if labels.where is None:
        return list(map(labels.values.__getitem__, labels.codes))
    each: list[list[Any]] = [[] for _ in range(n)]
    for row, code in zip(labels.where, labels.codes, strict=True):
        each[row].append(labels.values[code])
    return list(map(tuple, each))
