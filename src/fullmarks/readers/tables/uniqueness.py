"""Repeated ids in a stream of examples, here or over many processes.

To find that there are any, eight bytes per id are enough: a hash, the same in every process. Which ones they are is
looked up only then. Many hashes lie in files, in buckets by their highest bits, each of which is looked at alone.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import TYPE_CHECKING

from fullmarks.errors import UsageError
from fullmarks.text.kernel import id_hashes
from fullmarks.types import Audit, Examples, FindingKind, Identifier

if TYPE_CHECKING:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from _typeshed import ReadableBuffer

SMALL = 1 << 19
"""Up to so many ids a set is quicker than importing NumPy to sort them."""
MOST_IN_MEMORY = 1 << 22
"""From so many hashes on they go to files."""
BUCKETS = 256
_PIECE = 1 << 18
_BATCH = 1 << 14


class HashedIds:
    """The hashes of all ids that went by; a first chunk is hashed when another follows, or if its ids repeat.

    Files that were made are gone when it is left as a context.
    """

    def __init__(self) -> None:
        self._first: Sequence[Identifier] = ()
        self._hashes = array("Q")
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> HashedIds:
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def add(self, examples: Examples) -> None:
        """Take in the ids of the next chunk; mere positions cannot repeat."""
        if isinstance(examples.ids, range):
            return
        if not self._first and not self._hashes and self._folder is None:
            self._first = examples.ids
            return
        self.add_hashes(id_hashes(examples.ids))

    def add_hashes(self, hashes: ReadableBuffer) -> None:
        """Take in hashes that were made elsewhere, eight bytes each."""
        self._hash_first()
        self._take(hashes)

    def repeated(self) -> Set[int]:
        """The hashes that came more than once: of repeated ids or, very rarely, of different ones."""
        if self._folder is None:
            if len(set(self._first)) == len(self._first) and not self._hashes:
                return set()
            self._hash_first()
        if self._folder is None:
            return _repeated_few(self._hashes) if len(self._hashes) <= SMALL else set(_repeated(self._hashes))
        folder = self._spill()
        contents = (_bucket_file(folder, number).read_bytes() for number in range(BUCKETS))
        return {value for content in contents for value in _repeated(content)}

    def _hash_first(self) -> None:
        first, self._first = self._first, ()
        self._take(id_hashes(first))

    def _take(self, hashes: ReadableBuffer) -> None:
        self._hashes.frombytes(memoryview(hashes).cast("B"))
        if len(self._hashes) >= MOST_IN_MEMORY:
            self._spill()

    def _spill(self) -> str:
        """Append what is in memory to the files of the buckets, in pieces that are quickly sorted; their folder."""
        held = memoryview(self._hashes)
        pieces = [buckets(held[start : start + _PIECE], BUCKETS) for start in range(0, len(held), _PIECE)]
        try:
            if self._folder is None:
                from tempfile import TemporaryDirectory

                self._folder = TemporaryDirectory(prefix="fullmarks-")
            for number, contents in enumerate(zip(*pieces, strict=True)):
                with _bucket_file(self._folder.name, number).open("ab") as file:
                    file.writelines(contents)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UsageError(
                f"the hashes of more than {MOST_IN_MEMORY:,} ids lie in temporary files, and these cannot be written: "
                f"{reason}. Set TMPDIR to a folder with room, eight bytes for each id"
            ) from None
        self._hashes = array("Q")
        return self._folder.name


def _bucket_file(folder: str, number: int) -> Path:
    from pathlib import Path

    return Path(folder, str(number))


def buckets(hashes: ReadableBuffer, count: int) -> list[bytes]:
    """The hashes in so many buckets by their highest bits, eight bytes each: equal ones are in the same bucket."""
    if count == 1:
        return [bytes(memoryview(hashes))]
    import numpy

    values = numpy.frombuffer(memoryview(hashes), dtype=numpy.uint64)
    half = numpy.uint64(32)
    places = ((values >> half) * numpy.uint64(count) >> half).astype(numpy.uint16 if count <= 1 << 16 else numpy.uint32)
    ordered = values[numpy.argsort(places, kind="stable")]
    ends = numpy.cumsum(numpy.bincount(places, minlength=count)).tolist()
    return [ordered[start:end].tobytes() for start, end in zip([0, *ends], ends, strict=False)]


def repeated_in(parts: Iterable[bytes]) -> bytes:
    """The hashes that come more than once in the parts of a bucket, each once."""
    return _repeated(b"".join(parts)).tobytes()


def _repeated_few(hashes: array[int]) -> Set[int]:
    if len(set(hashes)) == len(hashes):
        return set()
    return {value for value, times in Counter(hashes).items() if times > 1}


def _repeated(hashes: ReadableBuffer) -> array[int]:
    import numpy

    ordered = numpy.sort(numpy.frombuffer(memoryview(hashes), dtype=numpy.uint64))
    return array("Q", numpy.unique(ordered[1:][ordered[1:] == ordered[:-1]]).tobytes())


def repeated_ids(ids: Iterable[Identifier], hashes: Set[int]) -> list[Identifier]:
    """The ids that come again, among those with these hashes."""
    seen: set[Identifier] = set()
    repeated = []
    rest = iter(ids)
    while batch := list(islice(rest, _BATCH)):
        for identifier, value in zip(batch, id_hashes(batch), strict=True):
            if value in hashes:
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
