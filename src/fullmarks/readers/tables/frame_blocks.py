"""Data frames and datasets as blocks of columns, and as records where a reader wants those."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fullmarks.errors import FullmarksError, InputError
from fullmarks.readers.frames.frame import Frame
from fullmarks.readers.tables.arrow import arrow_values, check_names, plain
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser

_MEDIA = {"bytes", "path"}
"""The fields of an image or a sound in a dataset."""


def frame_blocks(frame: Frame, name: str, choose: Chooser) -> Iterator[Block]:
    """The chosen columns a block at a time; no other column is looked at."""
    with _told(frame, name):
        available = frame.names
    chosen = choose(available)
    names = list(dict.fromkeys(chosen.values()))
    check_names(names, available, name, "table")
    number = 1
    for batch in _batches(frame, name, names):
        values = {column: _values(found, column, name) for column, found in batch.items()}
        block = Block({role: values[column] for role, column in chosen.items()}, number, "record")
        number += len(next(iter(values.values()), ()))
        yield block
    if number == 1:
        once = f"{frame.kind[0].upper()}{frame.kind[1:]} can be read only once: make it anew, or pass a table."
        advice = "Check what it was made of." if frame.is_repeatable else once
        raise InputError(name, "there is no record in it", advice)


def frame_records(frame: Frame, name: str) -> list[dict[str, Any]]:
    """All records as objects, without images and sounds."""
    with _told(frame, name):
        available = frame.names
    check_names(available, available, name, "table")
    records: list[dict[str, Any]] = []
    for batch in _batches(frame, name, available):
        kept = {column: found for column, found in batch.items() if not _is_media(found)}
        values = [_values(found, column, name) for column, found in kept.items()]
        records += [dict(zip(kept, cells, strict=True)) for cells in zip(*values, strict=True)]
    return records


def _batches(frame: Frame, name: str, names: list[str]) -> Iterator[dict[str, Any]]:
    """The batches of a frame; what its library says against that, as an error of ours."""
    batches = frame.batches(names)
    while True:
        with _told(frame, name):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _values(found: Any, column: str, name: str) -> list[Any]:
    return (
        [plain(value, column, name) for value in found]
        if isinstance(found, list)
        else arrow_values(found, column, name)
    )


def _is_media(found: Any) -> bool:
    """Whether this is a column of images or sounds, as `datasets` keeps them."""
    kind: Any = getattr(found, "type", None)
    return str(kind).startswith("struct<") and {kind.field(at).name for at in range(kind.num_fields)} == _MEDIA


class _told:  # noqa: N801 - reads as a statement: with _told(frame, name)
    """Turns what the library of a frame raises, which may be anything, into an error that names the table."""

    def __init__(self, frame: Frame, name: str) -> None:
        self._frame = frame
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, FullmarksError):
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            found = f"{self._frame.kind} cannot be read ({reason})"
            raise InputError(self._name, found, "Check that it can be shown or collected.") from error
