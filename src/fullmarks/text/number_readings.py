"""The number that ends a worked solution, as GSM8K and the harnesses that score it read it; rows in Python alone.

Numbers are compared as texts: 18 and 18.0 differ in every reading. Invariant: the same doubles as the C kernel.
Sources: grade_school_math/dataset.py (`marked`), lm-evaluation-harness (`strict-match`, `flexible-extract`).
"""

from __future__ import annotations

import re
from array import array

from fullmarks.text.inputs import check_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

READINGS = {
    "marked": "the first number after '#### ', commas deleted; nothing else is forgiven",
    "strict-match": "the same number, but commas, dollars and one full stop at its end do not count",
    "flexible-extract": "the last number anywhere, cleaned as for strict-match",
}
MARK = "#### "
INVALID = "[invalid]"
"""What stands for a prediction without a number."""

_MARKED = re.compile(r"#### (-?[0-9.,]+)")
_ANY = re.compile(r"-?[$0-9.,]{2,}|-?[0-9]")


def number_in(prediction: str, reading: str) -> str | None:
    """The number as it stands in a prediction, None where there is none.

    >>> number_in("5 + 13 = 18\\n#### 1,800.", "marked"), number_in("18 eggs, $2 each", "flexible-extract")
    ('1,800.', '$2')
    """
    if reading == "flexible-extract":
        found = _ANY.findall(prediction)
        return found[-1] if found else None
    marked = _MARKED.search(prediction)
    return marked[1] if marked else None


def compared(number: str | None, reading: str) -> str | None:
    """What of a prediction's number is compared; without one nothing equals it in `marked`, `INVALID` elsewhere."""
    if reading == "marked":
        return None if number is None else number.replace(",", "")
    return cleaned(INVALID if number is None else number)


def wanted(reference: str, reading: str) -> str:
    """What a prediction's number has to equal; in `marked` a reference without a mark stands for itself.

    >>> wanted("So 5 + 13 = 18.\\n#### 1,800", "marked"), wanted("1,800", "marked"), wanted("#### $18.", "strict-match")
    ('1800', '1800', '18')
    """
    if reading == "marked":
        marked = _MARKED.search(reference)
        return (marked[1] if marked else reference).replace(",", "")
    return cleaned(reference)


def cleaned(text: str) -> str:
    """The text without commas and dollars, after its last mark, without one full stop at its end, in lower case."""
    bare = text.replace(",", "").replace("$", "")
    return re.sub(r"\.$", "", bare[bare.rfind(MARK) + len(MARK) :] if MARK in bare else bare).lower()


def number_rows(predictions: Sequence[str], references: Sequence[Sequence[str]], *, reading: str) -> array[float]:
    """1.0 for every prediction whose number equals that of one of its references, else 0.0.

    >>> list(number_rows(["#### 18", "#### 18."], [["#### 18"], ["#### 18"]], reading="marked"))
    [1.0, 0.0]
    """
    check_texts(predictions, references)  # type: ignore[arg-type]
    if reading not in READINGS:
        raise ValueError(f"reading is '{reading}', expected one of {', '.join(READINGS)}")
    rows = array("d")
    for prediction, golds in zip(predictions, references, strict=True):
        number = compared(number_in(prediction, reading), reading)
        rows.append(float(number is not None and any(wanted(gold, reading) == number for gold in golds)))
    return rows
