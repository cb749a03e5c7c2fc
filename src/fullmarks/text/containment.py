"""Whether an answer contains a reference, as characters: the rule for one text, and its rows in Python alone.

Invariant: the same doubles as the C kernel.
"""

from __future__ import annotations

from array import array

from fullmarks.text.inputs import check_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

CASES = ("keep", "lower", "spellings")
"""How case counts: as it is; not at all; a reference may also stand in lower case or capitalised, which the text keeps.
"""


def spellings(reference: str, case: str) -> tuple[str, ...]:
    """What is looked for.

    >>> spellings("New York", "spellings")
    ('New York', 'new york', 'New york')
    """
    if case == "spellings":
        return reference, reference.lower(), reference.capitalize()
    return (reference.lower() if case == "lower" else reference,)


def found_spelling(text: str, reference: str, case: str) -> str | None:
    """The first spelling that the text contains, None where it has none; an empty one is in every text."""
    searched = text.lower() if case == "lower" else text
    return next((spelling for spelling in spellings(reference, case) if spelling in searched), None)


def contains_rows(predictions: Sequence[str], references: Sequence[Sequence[str]], *, case: str) -> array[float]:
    """1.0 for every prediction that contains one of its references, 0.0 for the others and without references.

    >>> list(contains_rows(["in New york", "NEW YORK"], [["New York"], ["New York"]], case="spellings"))
    [1.0, 0.0]
    """
    check_texts(predictions, references)  # type: ignore[arg-type]
    if case not in CASES:
        raise ValueError(f"case is '{case}', expected one of {', '.join(CASES)}")
    pairs = zip(predictions, references, strict=True)
    return array(
        "d", [float(any(found_spelling(text, gold, case) is not None for gold in golds)) for text, golds in pairs]
    )


def cleaned_rows(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    kinds: Sequence[Any],
    *,
    formulas: str,
    judge: Callable[[str, Sequence[str], Any], bool],
) -> array[float]:
    """1.0 where `judge` finds a reference in the prediction, both cleaned as OCRBench does, by the kind of text.

    The compiled kernel does so by itself where all is ASCII; formulas are of the kind of that name.
    """
    del formulas
    check_texts(predictions, references)  # type: ignore[arg-type]
    rows = zip(predictions, references, kinds, strict=True)
    return array("d", [float(judge(text, golds, kind)) for text, golds, kind in rows])
