"""Texts from files and names made harmless to look at: what a terminal would obey is shown as an escape instead."""

from __future__ import annotations

from fullmarks.showing import visible

__all__ = ["visible"]
