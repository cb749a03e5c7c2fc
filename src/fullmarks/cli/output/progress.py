"""A sign of life on standard error for work that lasts longer than a second. Nothing appears when no person looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.types import Examples

PATIENCE_SECONDS = 1.0


class Progress:
    """Counts examples; shows the count once it has been asked to."""

    def __init__(self) -> None:
        from threading import Lock

        self._lock = Lock()
        self._bar: Any = None
        self._task: Any = None
        self._count = 0
        self._over = False

    def watch(self, examples: Examples, rows: object) -> None:
        """Count a chunk."""
        del rows
        with self._lock:
            self._count += len(examples)
            if self._bar is not None:
                self._bar.update(self._task, completed=self._count, description="scoring")

    def advance(self, examples: int, settled: int, shards: int) -> None:
        """Say how many examples are scored, and how many of the shards that they come in."""
        with self._lock:
            self._count = examples
            if self._bar is not None:
                told = f"scoring: {settled:,} of {shards:,} shards" if shards else "scoring"
                self._bar.update(self._task, completed=examples, description=told)

    def step(self, what: str, done: int, total: int) -> None:
        """Say how far a single long computation has come."""
        with self._lock:
            if self._bar is not None:
                self._bar.update(self._task, description=f"{what}: {done:,} of {total:,}")

    def show(self) -> None:
        """Start to show, unless the work is over."""
        from rich.console import Console
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        count = TextColumn("{task.completed:,.0f} examples")
        with self._lock:
            if self._over:
                return
            bar = Bar(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                count,
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = bar.add_task("scoring" if self._count else "reading", total=None, completed=self._count)
            bar.start()
            self._bar = bar

    def end(self) -> None:
        """Remove the display."""
        with self._lock:
            self._over = True
            bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()


@contextmanager
def progress(quiet: bool) -> Iterator[Progress | None]:
    """A progress that shows itself after a second; None when it would bother somebody."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from threading import Timer

    from fullmarks.backends.progress import listening

    shown = Progress()
    timer = Timer(PATIENCE_SECONDS, shown.show)
    timer.daemon = True
    timer.start()
    try:
        with listening(shown.step):
            yield shown
    finally:
        timer.cancel()
        shown.end()
