"""Paths that have to be on this machine: of pictures, plots and samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fullmarks.checks import check_local


class _LocalPath(click.Path):
    """A path that is no address."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; an address is an error that names the option."""
        check_local(param.opts[0] if param is not None and param.opts else "the path", value)
        return super().convert(value, param, ctx)


LOCAL_PATH = _LocalPath(path_type=Path)
