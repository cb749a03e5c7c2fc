"""What is said on standard error: one line each, without anything that a terminal would obey."""

from __future__ import annotations

import sys

from fullmarks.report.visible import visible


def tell(message: str) -> None:
    """One line that begins with the name of the program; control characters from names and files are escaped."""
    print(f"fullmarks: {visible(message)}", file=sys.stderr)
