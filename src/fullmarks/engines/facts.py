"""What a worker says of itself before it works: digits are promised among equal versions only."""

from __future__ import annotations

import platform
from typing import NamedTuple

from fullmarks.errors import WorkerError
from fullmarks.text import kernel
from fullmarks.version import __version__


class WorkerFacts(NamedTuple):
    """The versions that run in a process."""

    fullmarks: str
    python: str
    kernel: str
    """`c` or `python`: both give the same digits, at another speed."""


def facts() -> WorkerFacts:
    """The facts of this process."""
    return WorkerFacts(__version__, platform.python_version(), kernel.IMPLEMENTATION)


def check_facts(ours: WorkerFacts, theirs: WorkerFacts) -> None:
    """An error unless a worker gives the digits that this process would give.

    Another fullmarks may score by other rules; another Python, by its first two numbers, has other tables of letters.
    """
    if theirs.fullmarks != ours.fullmarks:
        raise WorkerError(
            f"a worker has fullmarks {theirs.fullmarks}, this process {ours.fullmarks}; their digits may differ. "
            f"Install the same version in both places: pip install fullmarks=={ours.fullmarks}"
        )
    if _series(theirs.python) != _series(ours.python):
        raise WorkerError(
            f"a worker has Python {theirs.python}, this process {ours.python}; they know other letters. "
            f"Start the workers with Python {'.'.join(_series(ours.python))}"
        )


def _series(version: str) -> list[str]:
    return version.split(".")[:2]
