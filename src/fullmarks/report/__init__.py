"""A result as people and programs read it: terminal, JSON, Markdown, CSV, plots, pages.

This package can be called: `fullmarks.report(runs, "page.html")` writes runs as a page to explore, or as a table for a
paper. What it takes: `help(fullmarks.report.written_report.report)`. A function of the package's name could not stay in
`fullmarks`, for Python puts the package there as soon as one of its modules is imported.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature


class _CallablePackage(ModuleType):
    """This package, which writes a report where it is called."""

    def __call__(self, runs: Any, path: Any, **options: Any) -> None:
        """Write runs as a page to explore, or as a table: see `fullmarks.report.written_report.report`."""
        from fullmarks.report.written_report import report

        report(runs, path, **options)

    @property
    def __signature__(self) -> Signature:
        from inspect import signature

        from fullmarks.report.written_report import report

        return signature(report)

    def __reduce__(self) -> tuple[Any, ...]:
        from importlib import import_module

        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _CallablePackage
