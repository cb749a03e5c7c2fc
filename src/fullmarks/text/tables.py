"""The fixed word tables of the protocols, read from the package's data files when first needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"


@cache
def table(name: str) -> Any:
    """The table of that name, decoded; treat it as read-only."""
    import msgspec

    return msgspec.json.decode(DATA.joinpath(f"{name}.json").read_bytes())
