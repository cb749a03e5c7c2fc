"""Where a benchmark lies: the folder with its protocol, card and sample, ours or that of another package."""

from __future__ import annotations

import sys
from pathlib import Path

from fullmarks.errors import UsageError
from fullmarks.protocols import PROTOCOLS

HOME = Path(__file__).parent
"""The folder of all our benchmarks."""


def folder_of(name: str) -> Path:
    """The folder of the benchmark of that name; only that of another package is imported for it."""
    if name in PROTOCOLS.built_in:
        return HOME / name
    place = getattr(sys.modules[PROTOCOLS.get(name).__module__], "__file__", None)
    if place is None:
        raise UsageError(f"the protocol '{name}' lies in no folder, so it has neither a card nor a sample")
    return Path(place).parent


def read_card(name: str) -> str:
    """The benchmark's card: a page in Markdown that says what is scored and how."""
    path = folder_of(name) / "card.md"
    if not path.is_file():
        raise UsageError(f"{name} has no card. What it says of itself: fullmarks list {name}")
    return path.read_text(encoding="utf-8")
