"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden files and real data beside the repository; tests that need it are skipped without it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "golden").is_dir():
        pytest.skip("the golden files (../shared) are not present")
    return folder
