"""Fixtures that all tests share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden files and real data beside the repository; tests that need it are skipped without it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "golden").is_dir():
        pytest.skip("the golden files (../shared) are not present")
    return folder


@pytest.fixture
def five_seconds() -> Iterator[None]:
    """Ends what blocks: the test fails after five seconds instead of waiting for ever."""

    def too_late(*_: object) -> None:
        raise TimeoutError("five seconds are over")

    if not hasattr(signal, "SIGALRM"):
        pytest.skip("there are no alarms on this system")
    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, 5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
