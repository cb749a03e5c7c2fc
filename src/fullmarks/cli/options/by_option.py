"""`--by`: the columns that scores are broken down by."""

from __future__ import annotations

from typing import Any

import click


def by_option(description: str) -> click.Option:
    """`--by COLUMN`, to be repeated or to name several columns with commas between them."""
    return click.Option(["by", "--by"], multiple=True, metavar="COLUMN", help=description)


def chosen_columns(given: dict[str, Any]) -> tuple[str, ...]:
    """The columns asked for, each once; none where none was."""
    return tuple(dict.fromkeys(column.strip() for names in given["by"] for column in names.split(",")))
