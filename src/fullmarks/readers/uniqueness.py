"""Repeated ids in a stream of examples.

To find that there are any, eight bytes per id are enough: a hash. Which ones they are is looked up only then.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Set

from fullmarks.types import Audit, Examples, FindingKind, Identifier

SMALL = 1 << 19
"""Up to so many ids a set is quicker than importing NumPy to sort them."""


class HashedIds:
    """The hashes of all ids that went by."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, examples: Examples) -> None:
        """Take in the ids of the next chunk; mere positions cannot repeat."""
        if not isinstance(examples.ids, range):
            self._hashes.extend(map(hash, examples.ids))

    def repeated(self) -> Set[int]:
        """The hashes that came more than once: of repeated ids or, very rarely, of different ones."""
        if len(self._hashes) <= SMALL:
            if len(set(self._hashes)) == len(self._hashes):
                return set()
            return {value for value, times in Counter(self._hashes).items() if times > 1}
        import numpy

        ordered = numpy.sort(numpy.frombuffer(self._hashes, dtype=numpy.int64))
        return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


def repeated_ids(ids: Iterable[Identifier], hashes: Set[int]) -> list[Identifier]:
    """The ids that come again, among those with these hashes."""
    seen: set[Identifier] = set()
    repeated = []
    for identifier in ids:
        if hash(identifier) in hashes:
            if identifier in seen:
                repeated.append(identifier)
            seen.add(identifier)
    return repeated


class FirstOnly:
    """Lets only the first example of each id pass; remembers every id."""

    def __init__(self, audit: Audit, kind: FindingKind, where: str) -> None:
        self._audit = audit
        self._kind = kind
        self._where = where
        self._seen: set[Identifier] = set()

    def keep(self, examples: Examples) -> Examples:
        """The examples whose ids are new, the others noted in the audit."""
        fresh: list[int] = []
        repeated: list[Identifier] = []
        for position, identifier in enumerate(examples.ids):
            if identifier in self._seen:
                repeated.append(identifier)
            else:
                self._seen.add(identifier)
                fresh.append(position)
        if not repeated:
            return examples
        self._audit.add(self._kind, "warning", repeated, where=self._where)
        return examples.take(fresh)


def keep_last(chunks: Iterable[Examples], audit: Audit, kind: FindingKind, where: str) -> Examples:
    """All examples with the last of each repeated id in the place of the first. Holds everything in memory."""
    merged = Examples([], [], [], {})
    for chunk in chunks:
        merged.extend(chunk)
    place: dict[Identifier, int] = {}
    repeated = []
    for position, identifier in enumerate(merged.ids):
        if identifier in place:
            repeated.append(identifier)
        place[identifier] = position
    if not repeated:
        return merged
    audit.add(kind, "warning", repeated, where=where)
    return merged.take(list(place.values()))
