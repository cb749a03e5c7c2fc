"""The text kernel: the compiled functions where they were built, the Python ones otherwise.

Invariant: both give the same doubles for the same texts. FULLMARKS_KERNEL=python in the environment asks for
the Python ones.
"""

from __future__ import annotations

import os
import sys
from array import array
from itertools import accumulate

TYPE_CHECKING = False  # typing's import takes longer than a small job

__all__ = [
    "IMPLEMENTATION",
    "Tokeniser",
    "VqaForm",
    "bleu_each",
    "bleu_rows",
    "choice_letters",
    "choice_rows",
    "cleaned_rows",
    "column_of",
    "contains_rows",
    "fold",
    "fold_by",
    "joint_rows",
    "meteor_rows",
    "number_rows",
    "overlap_each",
    "overlap_rows",
    "porter_stem",
    "relaxed_rows",
    "set_rows",
    "squad_each_reference",
    "squad_exact",
    "squad_f1",
    "squad_rows",
    "text_lists",
    "vote_rows",
    "yes_no_rows",
]


def fold_in_python(values: array[float], width: int) -> list[float]:
    """The sum of each column of rows of `width` values, added from 0.0 in row order."""
    if width < 1 or len(values) % width:
        raise ValueError(f"{len(values)} values do not make rows of {width}")
    columns = (values[column::width] for column in range(width))
    if sys.version_info < (3, 12):  # from 3.12 on the built-in sum compensates its rounding
        return [sum(column, 0.0) for column in columns]
    totals = []
    for column in columns:
        total = 0.0
        for total in accumulate(column, initial=0.0):  # noqa: B007 - the last one is the sum
            pass
        totals.append(total)
    return totals


def column_in_python(values: array[float], width: int, column: int) -> list[float]:
    """One column of rows of `width` values, as a list."""
    if width < 1 or len(values) % width or not 0 <= column < width:
        raise ValueError(f"{len(values)} values do not make rows of {width} with a column {column}")
    return values[column::width].tolist()


def fold_by_in_python(sums: array[float], values: array[float], width: int, places: list[int]) -> None:
    """Adds each row of `width` values to the sums at its place, in row order."""
    if width < 1 or len(sums) % width or len(values) != width * len(places):
        raise ValueError(f"{len(values)} values do not make {len(places)} rows of {width}")
    groups = len(sums) // width
    for start, place in zip(range(0, len(values), width), places):  # noqa: B905 - the lengths are equal
        if not 0 <= place < groups:
            raise IndexError(f"place {place}, expected 0 to {groups - 1}")
        for column in range(width):
            sums[place * width + column] += values[start + column]


def _compiled() -> bool:
    """Whether the compiled kernel is here and wanted."""
    if os.environ.get("FULLMARKS_KERNEL") == "python":
        return False
    try:
        from fullmarks.text import _speed  # noqa: F401
    except ImportError:
        return False
    return True


IMPLEMENTATION: str = "c" if _compiled() else "python"

if TYPE_CHECKING or IMPLEMENTATION == "python":
    from fullmarks.text.bleu import bleu_each, bleu_rows
    from fullmarks.text.choice_readings import choice_letters, choice_rows
    from fullmarks.text.containment import cleaned_rows, contains_rows
    from fullmarks.text.inputs import text_lists
    from fullmarks.text.meteor import meteor_rows
    from fullmarks.text.number_readings import number_rows
    from fullmarks.text.overlap import Tokeniser, overlap_each, overlap_rows
    from fullmarks.text.porter import porter_stem
    from fullmarks.text.relaxed import relaxed_rows
    from fullmarks.text.sets import joint_rows, set_rows
    from fullmarks.text.squad import squad_each_reference, squad_exact, squad_f1, squad_rows
    from fullmarks.text.votes import VqaForm, vote_rows
    from fullmarks.text.yes_no import yes_no_rows

    column_of = column_in_python
    fold = fold_in_python
    fold_by = fold_by_in_python
else:
    from fullmarks.text._speed import (
        Tokeniser,
        VqaForm,
        bleu_each,
        bleu_rows,
        choice_letters,
        choice_rows,
        cleaned_rows,
        column_of,
        contains_rows,
        fold,
        fold_by,
        joint_rows,
        meteor_rows,
        number_rows,
        overlap_each,
        overlap_rows,
        porter_stem,
        relaxed_rows,
        set_rows,
        squad_each_reference,
        squad_exact,
        squad_f1,
        squad_rows,
        text_lists,
        vote_rows,
        yes_no_rows,
    )
