"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.repository import ROOT, golden_folder

with suppress(ImportError):  # Hypothesis, without its bounds on time: a busy machine is no failure
    from hypothesis import HealthCheck, settings

    settings.register_profile("no bounds on time", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("no bounds on time")

REAL_DATA = Path(os.environ.get("FULLMARKS_DATA") or ROOT.parent / "shared" / "data")


def pytest_sessionstart() -> None:
    """Collecting tests makes many objects and no garbage: looking for it took a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that need real data sets."""
    for item in items:
        if "real_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


@pytest.fixture(scope="session")
def golden_files() -> Path:
    """The folder of golden files, decompressed: one folder per benchmark."""
    return golden_folder()


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets, which have licences of their own and so are not part of the repository."""
    if not REAL_DATA.is_dir():
        pytest.skip("needs the real data sets: download them and set FULLMARKS_DATA to their folder")
    return REAL_DATA


@pytest.fixture
def one_minute() -> Iterator[None]:
    """Ends what blocks: the test fails after a minute instead of waiting for ever."""

    def too_late(*_: object) -> None:
        raise TimeoutError("a minute is over")

    if not hasattr(signal, "SIGALRM"):
        pytest.skip("there are no alarms on this system")
    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
