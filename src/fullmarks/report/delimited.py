"""Rows as comma- or tab-separated values: every cell exactly as it is, or safe to open in a spreadsheet.

By default nothing is added to a cell, so that a program reads back what was written. A spreadsheet runs cells that
begin with = + - @ as formulas: where people open the file in one, an apostrophe is put before such texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a cell begins that a spreadsheet may run, white space before the sign included."""


def delimited(rows: Iterable[Sequence[object]], delimiter: str = ",", *, spreadsheet: bool = False) -> str:
    """The lines; what is no valid Unicode is escaped. With `spreadsheet` no text begins like a formula.

    >>> delimited([["=1+1", -0.5, "-0.5"]], spreadsheet=True)
    "'=1+1,-0.5,-0.5\\n"
    """
    import csv

    lines = _Lines()
    # Only characters of the line's end are quoted: a single carriage return must be, too.
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([list(map(_harmless, row)) for row in rows] if spreadsheet else rows)
    return "".join(lines.written).encode("utf-8", "backslashreplace").decode()


class _Lines:
    """Takes each row as the writer gives it, and ends it with a line feed alone."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, row: str) -> None:
        """Take one row."""
        self.written.append(row[:-2] + "\n")


def _harmless(cell: object) -> object:
    """The cell; a text that begins like a formula and is no number with an apostrophe before it."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA) or _is_number(cell):
        return cell
    return f"'{cell}"


def _is_number(text: str) -> bool:
    """Whether this is a number as we write them: digits, sign, point and exponent, nothing around them."""
    if not set(text) <= set("0123456789+-.e"):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
