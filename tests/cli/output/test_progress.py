"""The sign of life of the command: on a terminal, when it takes long, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

from tests.cli.run_cli import QA, START, on_terminal

# The reading ends only when the display has been drawn with all five examples.
SLOW = """
import sys, threading
from fullmarks import progress_bar
from fullmarks.cli.main import main
from fullmarks.readers import source
import fullmarks.evaluate

drawn = threading.Event()
progress_bar.PATIENCE_SECONDS = 0.01
class Noticed(progress_bar.TerminalDisplay):
    def show(self, state):
        super().show(state)
        if state.examples == 5:
            self._bar.refresh()
            drawn.set()
class Slow(source.Source):
    def blocks(self, size=1 << 22):
        yield from super().blocks(size)
        assert drawn.wait(100)
progress_bar.TerminalDisplay = Noticed
fullmarks.evaluate.Source = Slow
sys.exit(main())
"""
# A display would appear at once, however short the work is.
IMPATIENT = """
import sys, threading
class AtOnce(threading.Timer):
    def start(self):
        self.function()
threading.Timer = AtOnce
from fullmarks.cli.main import main
sys.exit(main())
"""
WORDS = ("score", "qa", *QA, "-f", "json")


def test_it_shows_itself_on_a_terminal_when_it_takes_long() -> None:
    assert "5 examples" in on_terminal([sys.executable, "-c", SLOW, *WORDS])


def test_it_stays_away_where_it_would_bother() -> None:
    assert "examples" in on_terminal([sys.executable, "-c", IMPATIENT, *WORDS])
    for words in ([sys.executable, "-c", IMPATIENT, *WORDS, "--quiet"], [*START, *WORDS]):
        shown = on_terminal(words)
        assert "ExactMatch" in shown
        assert "examples" not in shown


def test_nothing_appears_when_nobody_looks() -> None:
    ended = subprocess.run([sys.executable, "-c", IMPATIENT, *WORDS], capture_output=True, check=True)
    assert b"ExactMatch" in ended.stdout
    assert ended.stderr == b""
