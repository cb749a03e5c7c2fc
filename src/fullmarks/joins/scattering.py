"""Records dealt out to parts by a hash of their ids, so that everything about one id is in one part."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fullmarks.joins.packing import Chunk, form_of, packed, put_chunk
from fullmarks.text.kernel import id_hashes
from fullmarks.types import Identifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ENOUGH = 1 << 15
"""So many records are dealt out at once: fewer make small chunks, more take memory."""
ID = "id"


def parts_of(ids: Sequence[Identifier], parts: int) -> NDArray[np.uint32]:
    """The part of every id, told from its text: 1 and "1" are in the same, on every machine."""
    import numpy

    hashes = numpy.frombuffer(id_hashes(ids, as_text=True), dtype=numpy.uint64)
    return (hashes % numpy.uint64(parts)).astype(numpy.uint32)


def picked(values: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """The values at these positions, in this order."""
    return list(itemgetter(*order)(values)) if len(order) > 1 else [values[at] for at in order]


class Scatter:
    """Takes columns of records in order and deals them out into one parcel for each part."""

    def __init__(self, parts: int) -> None:
        self.count = 0
        """How many records there were."""
        self._parcels = [bytearray() for _ in range(parts)]
        self._pending: dict[str, list[Any]] = {ID: []}

    def add(self, columns: dict[str, list[Any]]) -> None:
        """Take the next records; a column that some do not have is empty there."""
        held = len(self._pending[ID])
        count = len(columns[ID])
        for name, values in columns.items():
            self._pending.setdefault(name, [None] * held).extend(values)
        for name, values in self._pending.items():
            if name not in columns:
                values.extend([None] * count)
        if held + count >= _ENOUGH:
            self._deal_out()

    def parcels(self) -> list[bytearray]:
        """The parcels, one for each part."""
        self._deal_out()
        return self._parcels

    def _deal_out(self) -> None:
        import numpy

        ids = self._pending[ID]
        if not ids:
            return
        which = parts_of(ids, len(self._parcels))
        order = numpy.argsort(which, kind="stable")
        positions = (order + self.count).astype(numpy.uint32)
        at = order.tolist()
        columns = [(name, form_of(values, name), picked(values, at)) for name, values in self._pending.items()]
        ends = numpy.cumsum(numpy.bincount(which, minlength=len(self._parcels))).tolist()
        for parcel, start, end in zip(self._parcels, [0, *ends], ends, strict=False):
            if start < end:
                own = {name: packed(values[start:end], form) for name, form, values in columns}
                put_chunk(parcel, Chunk(memoryview(positions[start:end].tobytes()), own))
        self.count += len(ids)
        self._pending = {ID: []}
