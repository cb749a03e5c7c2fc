"""The order in which examples are shown, so that the first few are the largest and not all of one slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

DIGITS = 2
"""Sizes that are alike to so many decimals, as they are shown, are one size."""


def spread(sizes: Sequence[float], columns: Sequence[Sequence[Hashable]]) -> list[int]:
    """The places of all, the largest size first; among those of one size the values of the columns take turns.

    Of several columns the one with the most values takes turns, and within each of its turns the next does.

    >>> spread([1, 1, 1, 2, 1], [["a", "a", "b", "a", "c"]])
    [3, 0, 2, 4, 1]
    """
    shown = [round(size, DIGITS) for size in sizes]
    order = sorted(range(len(sizes)), key=lambda place: -sizes[place])
    for values in sorted(columns, key=lambda column: len(set(column))):
        turns = _turns([(shown[place], values[place]) for place in order])
        order = [place for _, place in sorted(zip(turns, order, strict=True), key=lambda each: each[0])]
    return sorted(order, key=lambda place: -shown[place])


def _turns(values: Sequence[Hashable]) -> list[int]:
    """How often each value came before."""
    seen: Counter[Hashable] = Counter()
    turns = []
    for value in values:
        turns.append(seen[value])
        seen[value] += 1
    return turns


def finest(columns: Mapping[str, Sequence[Hashable]]) -> str | None:
    """The column with the most values that are not all different; None where there is none.

    >>> finest({"id": [1, 2, 3], "kind": ["a", "b", "b"], "all": [0, 0, 0]})
    'kind'
    """
    counts = {name: len(set(column)) for name, column in columns.items()}
    useful = [name for name, column in columns.items() if 1 < counts[name] < len(column)]
    return max(useful, key=lambda name: counts[name], default=None)
