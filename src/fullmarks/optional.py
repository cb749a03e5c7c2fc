"""The one way to import an optional package: at the moment of use, with a helpful message when it is absent."""

from __future__ import annotations

import importlib
from typing import Any

from fullmarks.errors import MissingDependencyError


def require(module: str, *, needed_by: str, extra: str) -> Any:
    """Return the imported module, or raise an error with the line that installs it.

    >>> require("json", needed_by="this example", extra="none").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        raise MissingDependencyError(
            f"{needed_by} needs '{missing}', which is not installed: pip install 'fullmarks[{extra}]'"
        ) from error


def require_package(module: str, *, needed_by: str, package: str | None = None) -> Any:
    """The same for a tool that fullmarks works with and no extra brings: its own package is named.

    >>> require_package("json", needed_by="this example").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = package or (error.name or module).partition(".")[0]
        raise MissingDependencyError(
            f"{needed_by} needs '{missing}', which is not installed: pip install {missing}"
        ) from error
