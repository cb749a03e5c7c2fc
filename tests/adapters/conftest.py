"""Folders with a requirements.txt need tools of their own: `make test-adapters` runs them, one environment at a time."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = {path.parent.name for path in HERE.glob("*/requirements.txt")}
collect_ignore = sorted(ENVIRONMENTS - {os.environ.get("FULLMARKS_ADAPTERS", "")})
