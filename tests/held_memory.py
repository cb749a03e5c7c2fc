"""How much memory this process holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def resident_kilobytes() -> int:
    """What the process holds at this moment, whatever the most was that it ever held; a skip where it is not told."""
    statistics = Path("/proc/self/statm")
    if not statistics.is_file():
        pytest.skip("needs /proc/self/statm: run it on Linux")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
