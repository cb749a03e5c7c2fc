"""Votes of annotators, counted over whole lists, in Python alone: how far they agree with each prediction.

Invariant: the same doubles as the C kernel for the same texts, and the same errors for anything else.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from fullmarks.text.evalai import open_up
from fullmarks.text.inputs import check_texts
from fullmarks.text.memo import Memo
from fullmarks.text.vqa import map_words, strip_punctuation, trim

Form = Callable[[str], str]
NORMALISED = ("both", "prediction", "unless-equal")
RULES = ("leave-one-out", "all", "all-in-turn")


class VqaForm:
    """VQA's normal form of a text under a table of changed words; EvalAI's, where texts are opened up before.

    >>> VqaForm({"the": "", "two": "2"})("The two dogs.\\n")
    '2 dogs'
    """

    def __init__(self, changed: Mapping[str, str], *, is_opened: bool = False) -> None:
        self.changed = changed
        self.is_opened = is_opened

    def __call__(self, text: str) -> str:
        """What the text is compared by."""
        if not isinstance(text, str):
            raise TypeError(f"text is of type {type(text).__name__}, expected str")
        opened = open_up(text) if self.is_opened else text
        return map_words(strip_punctuation(trim(opened)), self.changed)


def vote_rows(
    predictions: list[str],
    references: list[list[str]],
    kinds: list[list[int] | None] | None = None,
    *,
    form: Form | None = None,
    normalised: str = "both",
    rule: str = "leave-one-out",
    divisor: float = 3.0,
    cap: float = 1.0,
) -> array[float]:
    """The mean over annotators of min(cap, others with this answer / divisor), a double a row; 0.0 without any.

    Texts are compared by their form, those of the annotators too unless `normalised` is "prediction"; with
    "unless-equal" trimmed texts are compared where those of all annotators are the same. By the rule "all-in-turn" the
    annotator in turn is one of the others, by the rule "all" there is one vote, of all who gave the answer. `kinds` has
    for every record of an annotator the place of the first that differs in nothing but the answer: those with the same
    answer besides are left out together.
    """
    check_texts(predictions, references)
    _check_options(normalised, rule)
    if kinds is not None and len(kinds) != len(predictions):
        raise ValueError(f"{len(predictions)} predictions for {len(kinds)} kinds")
    if form is not None and not callable(form):
        raise TypeError("form must be callable")
    known = None if form is None else Memo(form).__getitem__
    by_agreement: dict[tuple[bool, ...], float] = {}
    rows = array("d", bytes(8 * len(predictions)))
    for at, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        agrees = _agreement(prediction, golds, known, normalised)
        records = None if kinds is None else _checked_kinds(kinds[at], len(golds), at)
        if True not in agrees:
            continue
        if records is not None:
            rows[at] = _mean(_others_by_record(agrees, records), divisor, cap)
            continue
        pattern = tuple(agrees)
        if pattern not in by_agreement:
            by_agreement[pattern] = _mean(_others(agrees, rule), divisor, cap)
        rows[at] = by_agreement[pattern]
    return rows


def _check_options(normalised: str, rule: str) -> None:
    for name, value, names in (("normalised", normalised, NORMALISED), ("rule", rule, RULES)):
        if value not in names:
            raise ValueError(f"{name} is '{value}', expected one of {', '.join(names)}")


def _checked_kinds(kinds: list[int] | None, count: int, at: int) -> list[int] | None:
    if kinds is None:
        return None
    if not isinstance(kinds, (list, tuple)) or len(kinds) != count:
        raise ValueError(f"kinds of example {at} are not those of its {count} annotators")
    for kind in kinds:
        if not 0 <= kind < count:
            raise ValueError(f"a record's kind is {kind}, expected the place of one of {count} records")
    return kinds


def _agreement(prediction: str, golds: Sequence[str], form: Form | None, normalised: str) -> list[bool]:
    """Of every annotator, whether the answers are the same as they are compared."""
    if normalised == "unless-equal" and golds:
        first = trim(golds[0])
        if all(gold == golds[0] or trim(gold) == first for gold in golds):
            return [trim(prediction) == first] * len(golds)
    if form is None:
        return [gold == prediction for gold in golds]
    answer = form(prediction)
    if normalised == "prediction":
        return [gold == answer for gold in golds]
    return [gold == answer for gold in map(form, golds)]


def _others(agrees: Sequence[bool], rule: str) -> list[int]:
    """For every vote the number of annotators behind it."""
    agreeing = agrees.count(True)
    if rule == "all":
        return [agreeing]
    return [agreeing - (same and rule == "leave-one-out") for same in agrees]


def _others_by_record(agrees: Sequence[bool], kinds: Sequence[int]) -> list[int]:
    """The same where all who have an equal record are left out together."""
    equal = Counter(kind for kind, same in zip(kinds, agrees, strict=True) if same)
    agreeing = equal.total()
    return [agreeing - (equal[kind] if same else 0) for kind, same in zip(kinds, agrees, strict=True)]


def _mean(others: Sequence[int], divisor: float, cap: float) -> float:
    total = 0.0
    for number in others:
        total += min(cap, number / divisor)
    return total / len(others)
