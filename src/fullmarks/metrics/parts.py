"""The parts of predictions where some may be missing: a missing one has a row of zeros."""

from __future__ import annotations

from array import array
from typing import Any

from fullmarks.types import Example, Examples

WIDTH = 4
_NOTHING = array("d", bytes(8 * WIDTH))


def zeros(count: int) -> array[float]:
    """Rows of four scores for so many examples, all of them 0."""
    return array("d", bytes(8 * WIDTH * count))


def without_part(rows: array[float], examples: Examples, part: str) -> array[float]:
    """The rows of four scores, 0 where an example does not have the part; all stay where none is told from parts."""
    values = examples.parts.get(part, [])
    if None in values:
        for position, value in enumerate(values):
            if value is None:
                rows[WIDTH * position : WIDTH * (position + 1)] = _NOTHING
    return rows


def part_of(example: Example, part: str) -> Any:
    """The prediction, or None where the part that it stands for is missing."""
    return None if part in example.parts and example.parts[part] is None else example.prediction
