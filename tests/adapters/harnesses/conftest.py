"""What the harnesses warn of among themselves: nothing of ours can change it."""

from __future__ import annotations

import pytest

FOREIGN = ("default", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def pytest_configure(config: pytest.Config) -> None:
    for line in FOREIGN:
        config.addinivalue_line("filterwarnings", line)


def pytest_configure(config: pytest.Config) -> None:
    """Inspect leaves streams of anyio open at times; Python says so when they are collected."""
    config.addinivalue_line(
        "filterwarnings", "ignore:Exception ignored in.*MemoryObject:pytest.PytestUnraisableExceptionWarning"
    )
