"""What the harnesses warn of among themselves: nothing of ours can change it."""

from __future__ import annotations

import gc
import sys

import pytest

FOREIGN = ("default", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def pytest_configure(config: pytest.Config) -> None:
    for line in FOREIGN:
        config.addinivalue_line("filterwarnings", line)


def pytest_sessionfinish() -> None:
    """Collect the streams that Inspect left open, unheard: pytest's last look at them is after these filters."""
    sys.unraisablehook = lambda _: None
    gc.collect()
