"""Objects as a few bytes and the large buffers in them apart, so that buffers are sent and received without copies.

What tells its buffers to pickle (an array of numpy, a `pickle.PickleBuffer` in the state of a class) comes back over
the memory that was received, and cannot be written to; an `array.array` is filled from it.
"""

from __future__ import annotations

import io
import pickle
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

PROTOCOL = 5
"""The first protocol of pickle that leaves buffers apart."""


class Packed(NamedTuple):
    """An object in two parts: how to make it, and the buffers that it is made over."""

    head: bytes
    buffers: Sequence[Any]


def packed(value: Any, pickler: type[pickle.Pickler] = pickle.Pickler) -> Packed:
    """An object, packed; its buffers are still its own memory."""
    buffers: list[pickle.PickleBuffer] = []
    file = io.BytesIO()
    _with_arrays(pickler)(file, protocol=PROTOCOL, buffer_callback=buffers.append).dump(value)
    return Packed(file.getvalue(), [buffer.raw() for buffer in buffers])


def unpacked(parts: Packed) -> Any:
    """The object again, over these buffers."""
    return pickle.loads(parts.head, buffers=parts.buffers)  # noqa: S301 - made by a worker of our own


def _with_arrays(pickler: type[pickle.Pickler]) -> type[pickle.Pickler]:
    """A pickler that also leaves the memory of an `array.array` apart, which by itself is copied three times."""

    class Pickler(pickler):  # type: ignore[valid-type, misc]
        def reducer_override(self, value: Any) -> Any:
            if type(value) is array:
                return _filled_array, (value.typecode, pickle.PickleBuffer(value))
            others = getattr(super(), "reducer_override", None)
            return NotImplemented if others is None else others(value)

    return Pickler


def _filled_array(typecode: str, buffer: Any) -> array[Any]:
    filled = array(typecode)
    filled.frombytes(buffer)
    return filled
