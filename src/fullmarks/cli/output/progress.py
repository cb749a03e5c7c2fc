"""A sign of life on standard error for work that lasts longer than a second. Nothing appears when no person looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fullmarks.progress_bar import Progress


@contextmanager
def progress(quiet: bool) -> Iterator[Progress | None]:
    """A progress that shows itself after a second; None when it would bother somebody."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from fullmarks.progress_bar import terminal_progress

    with terminal_progress() as shown:
        yield shown
