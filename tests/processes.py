"""Processes that tests start, send signals to, and never wait for without a limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE_SECONDS = 120.0
"""How long to wait for what is a matter of moments: a limit for what would never happen, not a measure of speed."""
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
{preparation}
from fullmarks.cli.main import main
sys.exit(main())
"""


def command(*words: object, preparation: str = "") -> list[str]:
    """The command `fullmarks` with these words, its signals as a shell would leave them."""
    return [sys.executable, "-c", COMMAND.format(preparation=preparation), *map(str, words)]


@contextmanager
def started(words: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own; whatever is left of the group is killed at the end."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def group_members(group: int) -> list[int]:
    """The living processes of a group; Linux tells in /proc."""
    members = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, _, found = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(found) == group and state not in "ZX":
                members.append(int(folder.name))
    return members


def handles(process: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def wait_until(true: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for something that happens soon, however busy the machine is; an error where it never does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
