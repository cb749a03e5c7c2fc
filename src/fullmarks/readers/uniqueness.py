"""Repeated ids in a stream of examples, found in bounded memory.

The first ids are remembered themselves; beyond that only 64-bit hashes are, eight bytes each, and compared at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from fullmarks.readers.predictions import OnDuplicate
from fullmarks.types import Audit, Examples, Identifier

REMEMBERED = 1 << 19


class UniqueIds:
    """Watches ids go by and applies the rule for repeated ones."""

    def __init__(self, audit: Audit, rule: OnDuplicate, kind: str) -> None:
        self._audit = audit
        self._rule = rule
        self._kind = kind
        self._seen: set[Identifier] = set()
        self._hashes = array("q")

    def keep(self, examples: Examples) -> Examples:
        """The examples that the rule keeps; with `error` all of them, the repeats noted in the audit."""
        if self._rule == "error" and len(self._seen) + len(examples) > REMEMBERED:
            self._hashes.extend(map(hash, examples.ids))
            return examples
        new = set(examples.ids)
        if len(new) == len(examples) and self._seen.isdisjoint(new):
            self._seen |= new
            return examples
        return self._without_repeats(examples)

    def finish(self) -> None:
        """Compare what was only hashed; to be called after the last chunk."""
        if not self._hashes:
            return
        import numpy

        hashes = numpy.frombuffer(self._hashes, dtype=numpy.int64)
        remembered = numpy.fromiter(map(hash, self._seen), dtype=numpy.int64, count=len(self._seen))
        everything = numpy.sort(numpy.concatenate([remembered, hashes]))
        repeats = int(numpy.count_nonzero(everything[1:] == everything[:-1]))
        if repeats:
            self._audit.add(self._kind, "error", count=repeats)

    def _without_repeats(self, examples: Examples) -> Examples:
        fresh: list[int] = []
        repeated: list[Identifier] = []
        for position, identifier in enumerate(examples.ids):
            if identifier in self._seen:
                repeated.append(identifier)
            else:
                self._seen.add(identifier)
                fresh.append(position)
        if self._rule == "error":
            self._audit.add(self._kind, "error", repeated)
            return examples
        self._audit.add(self._kind, "warning", repeated)
        return examples.take(fresh)


def keep_last(chunks: Iterable[Examples], audit: Audit, kind: str) -> Examples:
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
    audit.add(kind, "warning", repeated)
    return merged.take(list(place.values()))
