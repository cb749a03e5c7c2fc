"""Numbers that a result holds and no engine copies."""

from __future__ import annotations

import pickle
from array import array
from typing import Any


class Numbers:
    """A view of numbers that stay where they are: what pickles it may hand them over beside the pickled form.

    In another process `values` lies where the engine received it, in memory that belongs to the answer: fold it and let
    go of it, or copy what is kept. Most engines do not copy arrays themselves either, but must make new ones of them.
    """

    __slots__ = ("values",)

    def __init__(self, values: array[Any] | memoryview) -> None:
        self.values = memoryview(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self.values == other.values

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.values)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        beside = pickle.PickleBuffer(self.values) if protocol >= 5 else self.values.tobytes()
        return _numbers, (beside, self.values.format)


def _numbers(content: Any, kind: str) -> Numbers:
    return Numbers(memoryview(content).cast("B").cast(kind))  # type: ignore[call-overload]
