"""Answers of worker processes: any object through a pipe, its large buffers beside it.

Where the system has it, large buffers lie in memory that is handed over with the answer as a file without a name: the
worker need not wait until they are read, nothing is left of them when both processes are gone, and the other side pays
only for what it looks at. What pickling alone would do, four copies of every row, takes longer than adding the rows up.
"""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle

from fullmarks.engines.packing import Packed
from fullmarks.errors import WorkerError

LARGE = 1 << 16
"""Bytes from which on all buffers of an answer together are handed over in memory."""
OURS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors that are not the end of the other side, though they come from the system too."""
STEP = 64
"""Buffers in memory begin at multiples of this, so that numbers of any kind lie well."""


def send(pipe: Connection, answer: Packed) -> None:
    """Send an answer; where there is no memory to hand over, it blocks until its buffers are read."""
    sizes = [buffer.nbytes for buffer in answer.buffers]
    memory = _in_memory(answer.buffers) if sum(sizes) >= LARGE else None
    pipe.send_bytes(pickle.dumps((answer.head, sizes, memory is not None)))
    if memory is None:
        for buffer in answer.buffers:
            pipe.send_bytes(buffer)
        return
    try:
        send_handle(pipe, memory, None)
    finally:
        os.close(memory)


def receive(pipe: Connection) -> Packed:
    """The answer that comes next, over memory of its own; an EOFError or OSError where the other side is gone."""
    head, sizes, is_in_memory = pickle.loads(pipe.recv_bytes())  # noqa: S301 - made by a process of our own
    if not is_in_memory:
        return Packed(head, [bytearray(pipe.recv_bytes()) for _ in sizes])
    mapped = _mapped(pipe)
    buffers, start = [], 0
    for size in sizes:
        buffers.append(mapped[start : start + size])
        start += _rounded(size)
    return Packed(head, buffers)


def _mapped(pipe: Connection) -> memoryview:
    """The memory that is handed over next."""
    try:
        memory = recv_handle(pipe)
        try:
            return memoryview(mmap.mmap(memory, 0))
        finally:
            os.close(memory)
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno not in OURS:
            raise
        raise WorkerError(
            "the answer of a worker cannot be taken: too many files are open, or memory is short. Raise the limit "
            "(ulimit -n), or use fewer workers"
        ) from error


def _in_memory(buffers: Sequence[memoryview]) -> int | None:
    """A file in memory with the buffers, or None where it cannot be had."""
    if sys.platform != "linux":
        return None
    try:
        memory = os.memfd_create("fullmarks")
    except (OSError, AttributeError):
        return None
    try:
        start = 0
        for buffer in buffers:
            written = 0
            while written < buffer.nbytes:
                written += os.pwrite(memory, buffer[written:], start + written)
            start += _rounded(buffer.nbytes)
    except OSError:
        os.close(memory)
        return None
    return memory


def _rounded(size: int) -> int:
    return -(-size // STEP) * STEP
