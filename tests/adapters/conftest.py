"""A folder with a requirements.txt needs tools of its own: `make test-adapters` runs its tests in its environment."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = {path.parent.name for path in HERE.glob("*/requirements.txt")}
collect_ignore = sorted(ENVIRONMENTS - {os.environ.get("FULLMARKS_ADAPTERS", "")})
