"""Columns as bytes, to be put aside and read again: compact, and back as exactly what they were or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct as Layout
from typing import Any

import msgspec

from fullmarks.engines.engine import Buffer
from fullmarks.errors import UsageError
from fullmarks.readers.objects import are_text_lists, are_texts

_SCALARS = frozenset((str, int, float, bool, type(None)))
_AS_TUPLES, _AS_JSON = 1, 2
_LENGTH = Layout("<Q")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class Packed(msgspec.Struct, array_like=True, gc=False):
    """The values of a column; `form` says what they need to be themselves again."""

    form: int
    data: msgspec.Raw


class Chunk(msgspec.Struct, array_like=True, gc=False):
    """Some records of one piece of the input: their positions in it, and their values by column."""

    positions: memoryview
    """Whole numbers of four bytes, rising."""
    columns: dict[str, Packed]
    buffers: tuple[memoryview, ...] = ()
    """Numbers that need no packing."""


_chunk = msgspec.msgpack.Decoder(Chunk)


def put_chunk(parcel: bytearray, chunk: Chunk) -> None:
    """Append a chunk to a parcel."""
    data = _encode(chunk)
    parcel += _LENGTH.pack(len(data))
    parcel += data


def chunks_of(parcel: Buffer) -> Iterator[Chunk]:
    """The chunks of a parcel."""
    view, start = memoryview(parcel), 0
    while start < len(view):
        (size,) = _LENGTH.unpack_from(view, start)
        start += _LENGTH.size + size
        yield _chunk.decode(view[start - size : start])


def packed(values: Sequence[Any], form: int) -> Packed:
    """The values under the form that `form_of` found for the whole column."""
    try:
        return Packed(form, msgspec.Raw(_encode(values)))
    except (OverflowError, UnicodeEncodeError):  # whole numbers of more than 64 bits, halves of characters
        return Packed(form | _AS_JSON, msgspec.Raw(_encode(json.dumps(values).encode())))


def unpacked(column: Packed) -> list[Any]:
    """The values as they were."""
    values: list[Any] = _decode(column.data)
    if column.form & _AS_JSON:
        values = json.loads(values)  # type: ignore[arg-type]
    if column.form & _AS_TUPLES:
        values = [tuple(value) if isinstance(value, list) else value for value in values]
    return values


def form_of(values: list[Any], name: str) -> int:
    """How the values of a column are packed; an error where they would not come back as they are."""
    if are_texts(values) or are_text_lists(values) or set(map(type, values)) <= _SCALARS:
        return 0
    for form in (0, _AS_TUPLES):
        try:
            if unpacked(packed(values, form)) == values:
                return form
        except TypeError:
            break
    kinds = ", ".join(sorted({kind.__name__ for kind in set(map(type, values)) - _SCALARS}))
    raise UsageError(
        f"'{name}' holds values ({kinds}) that cannot be put aside, as a join in parts has to. "
        "Write texts or numbers there, or join in memory: leave the spilling out"
    )


def named(columns: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Those of the columns whose names begin so, without that beginning."""
    return {name[len(prefix) :]: column for name, column in columns.items() if name.startswith(prefix)}
