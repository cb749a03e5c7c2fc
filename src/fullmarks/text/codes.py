"""The codes of labels: small numbers in their place, given in order of first appearance."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable


class Codebook:
    """Gives each label a code: the number of different ones before it.

    >>> book = Codebook(["y"])
    >>> book.codes(["x", "y", "x"]), book.labels
    (array('i', [1, 0, 1]), ['y', 'x'])
    """

    __slots__ = ("_known",)

    def __init__(self, labels: Iterable[Hashable] = ()) -> None:
        self._known: dict[Hashable, int] = {}
        self.codes(labels)

    def __len__(self) -> int:
        return len(self._known)

    def __reduce__(self) -> tuple[type[Codebook], tuple[list[Hashable]]]:
        return Codebook, (self.labels,)

    @property
    def labels(self) -> list[Hashable]:
        """The different labels by code, in order of first appearance."""
        return list(self._known)

    def codes(self, values: Iterable[Hashable]) -> array[int] | None:
        """The code of each label, None as soon as one is a tuple; new ones are added."""
        known = self._known
        codes = array("i")
        for value in values:
            if type(value) is tuple:
                return None
            codes.append(known.setdefault(value, len(known)))
        return codes
