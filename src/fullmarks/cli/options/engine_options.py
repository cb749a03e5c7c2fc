"""`--engine`, `--workers` and `--spill`: where the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.output.messages import tell

if TYPE_CHECKING:
    from fullmarks.engines.engine import Engine


def engine_options() -> list[click.Option]:
    """The options that say where the work is done."""
    return [
        click.Option(
            ["engine", "--engine"],
            metavar="here|cores|ray[:ADDRESS]",
            help="Where to score: in this process, on the cores of this machine (cores:4 for four processes), or on a "
            "Ray cluster. The numbers are the same. By default other cores are used only where that pays.",
        ),
        click.Option(
            ["workers", "--workers"],
            type=int,
            help="How many processes to use: the same as --engine cores:N. At most 64, or 4 for each core.",
        ),
        click.Option(
            ["spill", "--spill"],
            type=click.Path(file_okay=False),
            help="Join gold and predictions that do not fit into memory in parts, which lie in this folder meanwhile "
            "(on Ray, in its object stores).",
        ),
    ]


@contextmanager
def given_engine(given: dict[str, Any]) -> Iterator[Engine | None]:
    """The engine that the options ask for, which says on standard error what it does again; None without them."""
    from fullmarks.engines.choice import chosen_engine

    with chosen_engine(given["engine"], given["workers"], given["spill"]) as engine:
        if engine is not None:
            engine.tell = _nothing if given["quiet"] else tell
        yield engine


def _nothing(text: str) -> None:
    """Where nobody wants to hear."""
