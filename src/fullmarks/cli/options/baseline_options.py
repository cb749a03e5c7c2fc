"""The options of every command that sets systems against one of them."""

from __future__ import annotations

import click


def baseline_options() -> list[click.Option]:
    """Which system the others are compared with, and by which score."""
    return [
        click.Option(
            ["baseline", "--baseline"],
            metavar="NAME",
            help="The system that the others are compared with, by name or by file; the first one by default.",
        ),
        click.Option(
            ["main_score", "--score"],
            metavar="NAME",
            help="The score that slices, examples and ranks are judged by; the protocol's first one by default.",
        ),
    ]
