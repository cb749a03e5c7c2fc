"""For those who add a benchmark: one call that holds a protocol to what its published program printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fullmarks.evaluate import score
from fullmarks.result import Result

TOLERANCE = 1e-12
"""How far a float may be from the published one: sums of doubles in another order differ by less at these sizes."""


def assert_official(
    protocol: str,
    gold: Any,
    predictions: Any = None,
    expected: Mapping[str, Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    **options: Any,
) -> Result:
    """Score, and fail unless the official result is the expected one: keys, their order, texts, counts, floats.

    Floats may differ by the tolerance, everything else not at all. The result is returned for further checks.
    """
    if not expected:
        raise ValueError("assert_official needs the expected official result: nothing is compared without one")
    result = score(protocol, gold, predictions, **options)
    difference = first_difference(result.official, expected, tolerance)
    if difference:
        raise AssertionError(f"{protocol}: {difference}\n  found    {result.official}\n  expected {dict(expected)}")
    return result


def first_difference(found: Any, expected: Any, tolerance: float = TOLERANCE, place: str = "result") -> str | None:
    """Where two results differ first, in words; None where they do not.

    >>> first_difference({"f1": 50.0}, {"f1": 50.0})
    >>> first_difference({"f1": {"a": 1}}, {"f1": {"a": 2}})
    "result['f1']['a'] is 1, expected 2"
    """
    if isinstance(expected, Mapping):
        return _mappings(found, expected, tolerance, place)
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return _sequences(found, expected, tolerance, place)
    if _are_numbers(found, expected):
        same = (
            found == expected
            if isinstance(expected, int) and isinstance(found, int)
            else _close(found, expected, tolerance)
        )
    else:
        same = type(found) is type(expected) and found == expected
    return None if same else f"{place} is {found!r}, expected {expected!r}"


def _mappings(found: Any, expected: Mapping[str, Any], tolerance: float, place: str) -> str | None:
    if not isinstance(found, Mapping):
        return f"{place} is {found!r}, expected keys {list(expected)}"
    if list(found) != list(expected):
        return f"{place} has the keys {list(found)}, expected {list(expected)} in this order"
    for key, value in expected.items():
        difference = first_difference(found[key], value, tolerance, f"{place}[{key!r}]")
        if difference:
            return difference
    return None


def _sequences(found: Any, expected: Sequence[Any], tolerance: float, place: str) -> str | None:
    if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(expected):
        return f"{place} is {found!r}, expected {expected!r}"
    for position, value in enumerate(expected):
        difference = first_difference(found[position], value, tolerance, f"{place}[{position}]")
        if difference:
            return difference
    return None


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _close(found: float, expected: float, tolerance: float) -> bool:
    if math.isnan(expected):
        return math.isnan(found)
    return math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
