"""The option `--max-size` of all commands that read input: the variable of the same meaning, for one run."""

from __future__ import annotations

import os

import click

from fullmarks.readers.limits import VARIABLE, parse_size


def max_size_option() -> click.Option:
    """How large input may be."""
    return click.Option(
        ["max_size", "--max-size"],
        metavar="SIZE",
        expose_value=False,
        callback=_set_for_this_run,
        help="Read input up to this size, as in 40GiB, whatever its shape; none lifts every limit (docs/limits.md).",
    )


def _set_for_this_run(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is None or context.resilient_parsing:
        return
    parse_size(size, "--max-size")
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = size
    context.find_root().call_on_close(lambda: _restore(before))


def _restore(size: str | None) -> None:
    if size is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = size
