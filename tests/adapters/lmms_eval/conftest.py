"""What lmms-eval warns of among its packages, and one of them that is not needed here."""

from __future__ import annotations

import sys

import pytest

FOREIGN = ("default", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

# It is required for images alone, and its usual build does not load beside a torch that was built without CUDA.
sys.modules["torchvision"] = None  # type: ignore[assignment]


def pytest_configure(config: pytest.Config) -> None:
    for line in FOREIGN:
        config.addinivalue_line("filterwarnings", line)
