"""A sign of life for long work: a bar on standard error in a terminal, or below the cell in a notebook.

Nothing appears where no person looks. In a terminal it appears after a second and goes when the work is over; in a
notebook it stays as a line that says how much was done. It needs no widgets there: only what every notebook can show.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from fullmarks.types import Examples

PATIENCE_SECONDS = 1.0
BETWEEN_SECONDS = 0.2
"""A notebook keeps every update that it is sent, so there are few."""


class State(NamedTuple):
    """How far the work is: what is being done, and how many examples and shards are."""

    doing: str = "reading"
    examples: int = 0
    settled: int = 0
    shards: int = 0
    """0 where the input is not cut."""

    @property
    def words(self) -> str:
        """What is being done, and the shards that are settled."""
        return f"{self.doing}: {self.settled:,} of {self.shards:,} shards" if self.shards else self.doing


class Display(Protocol):
    """Where the state is shown."""

    def show(self, state: State) -> None:
        """Show it, or what has changed."""

    def close(self, state: State, *, is_done: bool) -> None:
        """Show no more."""


class Progress:
    """Counts examples and shards, and shows them from when it is asked to."""

    def __init__(self) -> None:
        from threading import Lock

        self._lock = Lock()
        self._state = State()
        self._display: Display | None = None
        self._over = False

    def watch(self, examples: Examples, rows: object) -> None:
        """Count a chunk."""
        del rows
        self.advance(self._state.examples + len(examples), 0, 0)

    def advance(self, examples: int, settled: int, shards: int) -> None:
        """Say how many examples are scored, and how many of the shards that they come in."""
        self._tell(State("scoring", examples, settled, shards))

    def step(self, what: str, done: int, total: int) -> None:
        """Say how far a single long computation has come."""
        self._tell(State(f"{what}: {done:,} of {total:,}", self._state.examples))

    def show(self, display: Display) -> None:
        """Start to show, unless the work is over."""
        with self._lock:
            if not self._over:
                display.show(self._state)
                self._display = display

    def end(self, *, is_done: bool = True) -> None:
        """Remove the display."""
        with self._lock:
            self._over = True
            display, self._display = self._display, None
        if display is not None:
            display.close(self._state, is_done=is_done)

    def _tell(self, state: State) -> None:
        with self._lock:
            self._state = state
            if self._display is not None:
                self._display.show(state)


class TerminalDisplay:
    """A line on standard error, which goes when it is closed."""

    def __init__(self, console: Any = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[examples]:,} examples"),
            TimeElapsedColumn(),
            console=console or Console(stderr=True),
            transient=True,
        )
        self._task: Any = None

    def show(self, state: State) -> None:
        """Draw the line anew."""
        facts: Any = {
            "description": state.words,
            "total": state.shards or None,
            "completed": state.settled,
            "examples": state.examples,
        }
        if self._task is None:
            self._task = self._bar.add_task(**facts)
            self._bar.start()
        else:
            self._bar.update(self._task, **facts)

    def close(self, state: State, *, is_done: bool) -> None:
        """Remove the line."""
        del state, is_done
        self._bar.stop()


class NotebookDisplay:
    """A bar in the output of the cell, which becomes a line in the end."""

    def __init__(self) -> None:
        self._begun = monotonic()
        self._shown = 0.0
        self._handle: Any = None

    def show(self, state: State) -> None:
        """Show the bar, and a new one a moment later at the earliest."""
        now = monotonic()
        if self._handle is None or now - self._shown >= BETWEEN_SECONDS:
            share = f' value="{state.settled}" max="{state.shards}"' if state.shards else ""
            self._put(f"<progress{share}></progress>", f"{state.words}, {state.examples:,} examples", now)

    def close(self, state: State, *, is_done: bool) -> None:
        """Say how much was done, and in what time."""
        now = monotonic()
        words = f"{state.examples:,} examples scored" if is_done else f"stopped after {state.examples:,} examples"
        self._put("", f"{words} in {now - self._begun:.1f} s", now)

    def _put(self, bar: str, words: str, now: float) -> None:
        from html import escape
        from importlib import import_module

        data = {"text/plain": words, "text/html": f"<div>{bar} {escape(words)}</div>"}
        if self._handle is None:
            self._handle = import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)
        self._shown = now


def in_notebook() -> bool:
    """Whether a kernel runs this, as in Jupyter; a shell of IPython in a terminal is none."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return getattr(found, "kernel", None) is not None


@contextmanager
def shown_progress() -> Iterator[Progress | None]:
    """A progress that a person sees; None where nobody looks."""
    if in_notebook():
        with _listened(Progress()) as shown:
            shown.show(NotebookDisplay())
            yield shown
    elif sys.stderr is not None and sys.stderr.isatty():
        with terminal_progress() as shown:
            yield shown
    else:
        yield None


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A progress that shows itself in the terminal after a second."""
    from threading import Timer

    shown = Progress()
    timer = Timer(PATIENCE_SECONDS, lambda: shown.show(TerminalDisplay()))
    timer.daemon = True
    timer.start()
    try:
        with _listened(shown):
            yield shown
    finally:
        timer.cancel()


@contextmanager
def _listened(shown: Progress) -> Iterator[Progress]:
    """The progress, told of long computations, and ended in the end."""
    from fullmarks.backends.progress import listening

    is_done = False
    try:
        with listening(shown.step):
            yield shown
        is_done = True
    finally:
        shown.end(is_done=is_done)
