"""Signals: the command unwinds, leaves nothing half-done, and takes no handlers away from others."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.run_cli import MOST_SECONDS
from tests.processes import command, started, wait_until

RECORD = b'{"id": 1, "prediction": "a", "references": ["a"]}\n'


class Reading:
    """A command that reads a pipe, in the middle of its work; it ends of itself only when the pipe is closed."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: Path) -> None:
        self.process = process
        self._pipe = pipe
        self._writing: int | None = None

    def has_read(self) -> bool:
        """Whether the first record is gone from the pipe; it is written when the command has opened it."""
        assert self.process.poll() is None, self.process.communicate()
        if self._writing is None:
            with suppress(OSError):  # nobody reads yet
                self._writing = os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK)
                os.write(self._writing, RECORD)
            return False
        return int.from_bytes(fcntl.ioctl(self._writing, termios.FIONREAD, bytes(4)), sys.byteorder) == 0

    def close(self) -> None:
        if self._writing is not None:
            os.close(self._writing)
            self._writing = None

    def end(self) -> tuple[bytes, bytes]:
        """What it has said, once it has ended."""
        return self.process.communicate(timeout=MOST_SECONDS)


@contextmanager
def reading_a_pipe(folder: Path, preparation: str = "") -> Iterator[Reading]:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    words = command("score", "qa", pipe, "--per-example", folder / "each.jsonl", preparation=preparation)
    with started(words) as process:
        reading = Reading(process, pipe)
        try:
            wait_until(reading.has_read, MOST_SECONDS)
            assert list(folder.glob(".*.part"))
            yield reading
        finally:
            reading.close()


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_signals_end_the_command_in_order(number, code, words, tmp_path):
    with reading_a_pipe(tmp_path) as reading:
        reading.process.send_signal(number)
        out, err = reading.end()
    assert (reading.process.returncode, out) == (code, b"")
    assert err == f"fullmarks: error: {words}\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_signals_that_are_ignored_stay_ignored(tmp_path):
    """As under nohup, or in the background of a script: the command goes on to its end."""
    ignore = "\n".join(f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ("SIGINT", "SIGHUP"))
    with reading_a_pipe(tmp_path, ignore) as reading:
        reading.process.send_signal(signal.SIGHUP)
        reading.process.send_signal(signal.SIGINT)
        reading.close()
        out, err = reading.end()
    assert (reading.process.returncode, err) == (0, b"")
    assert b'"ExactMatch": 1.0' in out


STUCK = """
import time, fullmarks.readers.source as source, fullmarks.cli.signals as signals
from pathlib import Path
signals.MOST_SECONDS = {seconds}
class Stuck(source.Source):
    def _close(self, stream):
        Path({marker!r}).touch()
        time.sleep(1000)
import fullmarks.evaluate
fullmarks.evaluate.Source = Stuck
"""


def test_an_end_that_takes_too_long_is_cut_short(tmp_path):
    marker = tmp_path / "stuck"
    with reading_a_pipe(tmp_path, STUCK.format(seconds=0.2, marker=str(marker))) as reading:
        reading.process.send_signal(signal.SIGTERM)
        reading.end()
    assert reading.process.returncode == 143
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "stuck"]


def test_a_second_signal_ends_it_at_once(tmp_path):
    marker = tmp_path / "stuck"
    with reading_a_pipe(tmp_path, STUCK.format(seconds=1000, marker=str(marker))) as reading:
        reading.process.send_signal(signal.SIGINT)
        wait_until(marker.exists, MOST_SECONDS)
        assert reading.process.poll() is None
        reading.process.send_signal(signal.SIGINT)
        reading.end()
    assert reading.process.returncode == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "stuck"]


def test_a_signal_within_a_callback_is_not_swallowed(tmp_path):
    """Where the interpreter only reports errors, as while an object is taken apart."""
    callback = """
import os, fullmarks.readers.source as source
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass
def dying(self, **asked):
    source.Source._open = opened  # once: a second signal is another matter
    Dying()
    return opened(self, **asked)
opened, source.Source._open = source.Source._open, dying
"""
    pipe = tmp_path / "pipe"  # which nobody writes to, so that nothing but the signal ends the command
    os.mkfifo(pipe)
    with started(command("score", "qa", pipe, "-f", "full", preparation=callback)) as process:
        out, err = process.communicate(timeout=MOST_SECONDS)
    assert (process.returncode, out, err) == (143, b"", b"fullmarks: error: ended by SIGTERM\n")


def test_handlers_of_a_calling_program_are_put_back(run):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert run("card", "squad2").code == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
