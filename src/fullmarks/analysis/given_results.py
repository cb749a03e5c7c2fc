"""The check that callers give results, not files or numbers."""

from __future__ import annotations

from fullmarks.checks import check_instance
from fullmarks.result import Result


def check_result(name: str, value: object) -> None:
    """An error unless this is a result."""
    check_instance(name, value, Result, "a Result", "Give what fullmarks.score or fullmarks.load_run returned")
