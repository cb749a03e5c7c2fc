"""Fixed word tables: shared ones lie in the package's data folder, those of one benchmark beside its rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"


@cache
def table(name: str, beside: str | None = None) -> Any:
    """The table of that name, decoded; treat it as read-only. `beside` is the file that it lies beside."""
    import msgspec

    folder = DATA if beside is None else Path(beside).parent
    return msgspec.json.decode(folder.joinpath(f"{name}.json").read_bytes())
