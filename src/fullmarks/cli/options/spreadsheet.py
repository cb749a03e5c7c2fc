"""`--spreadsheet`: CSV for people who open it in a spreadsheet, which runs texts that look like formulas."""

from __future__ import annotations

import click

from fullmarks.errors import UsageError


def spreadsheet_option() -> click.Option:
    """`--spreadsheet`, for commands that write CSV."""
    return click.Option(
        ["spreadsheet", "--spreadsheet"],
        is_flag=True,
        help="In CSV, put an apostrophe before texts that a spreadsheet would run as formulas.",
    )


def check_spreadsheet(spreadsheet: bool, *, is_csv: bool) -> None:
    """An error where the option is given and no CSV is written."""
    if spreadsheet and not is_csv:
        raise UsageError("--spreadsheet is about cells of CSV, and none is written here: add -f csv, or leave it out")
