"""Exact match, token F1, precision and recall of answers after any recipe, in Python alone.

Invariant: the digits of the published definitions (precision and recall by division, F1 as 2PR / (P + R)), and the
same doubles as the C kernel.
"""

from __future__ import annotations

from array import array

from fullmarks.text.inputs import check_texts
from fullmarks.text.squad import _count_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    class Plan(Protocol):
        """What `character_plan` makes of a recipe that is one pass over the characters."""

        @property
        def prepare(self) -> Callable[[str], str]:
            """What is done to a text before its characters are looked up."""

        @property
        def words(self) -> tuple[str, ...]:
            """The whole words that become a blank."""

        @property
        def anywhere(self) -> str:
            """The piece that becomes a blank wherever it stands."""

        def kind(self, code: int) -> int:
            """The kind of a character."""


DELETED, BLANK, OTHER, WORD, ALONE = 1, 2, 3, 4, 5
"""The kinds of characters: ALONE is a token by itself, OTHER stays but is no part of a word."""


class Tokeniser:
    """Cuts texts into tokens: by the plan where there is one, otherwise at the white space of the normal form."""

    def __init__(self, normal: Callable[[str], str], plan: Plan | None = None) -> None:
        if not callable(normal):
            raise TypeError("normal must be callable")
        self.normal = normal
        self._words: frozenset[str] = frozenset()
        self._table = b""
        if plan is not None and not plan.anywhere:
            self._words = frozenset(plan.words)
            self._table, self._deleted = _ascii_tables(plan)

    def __call__(self, text: str) -> list[str]:
        """The tokens of the text."""
        if self._table and text.isascii():
            bare = text.encode().translate(self._table, self._deleted).decode()
            if "\0" not in bare:
                words = bare.split()
                return words if self._words.isdisjoint(words) else [word for word in words if word not in self._words]
        return self.normal(text).split()

    def both(self, text: str) -> tuple[str, list[str]]:
        """The normal form and the tokens."""
        if self._table:
            tokens = self(text)
            return " ".join(tokens), tokens
        normal = self.normal(text)
        return normal, normal.split()


def _ascii_tables(plan: Plan) -> tuple[bytes, bytes]:
    """What becomes of every ASCII character, and which are deleted; \\0 where the steps have to be done one by one."""
    becomes = bytearray(256)
    deleted = bytearray()
    for code in range(128):
        changed = plan.prepare(chr(code))
        kind = plan.kind(ord(changed)) if changed else DELETED
        if kind == DELETED:
            deleted.append(code)
        elif kind == BLANK:
            becomes[code] = 32
        elif kind == WORD:
            becomes[code] = ord(changed)
    return bytes(becomes), bytes(deleted)


_Scores = tuple[float, float, float, float]
_NOTHING: _Scores = (0.0, 0.0, 0.0, 0.0)


def _scores(
    prediction: tuple[str, list[str]],
    reference: tuple[str, list[str]],
    both_empty: float,
    whole_answers: tuple[str, ...] = (),
) -> _Scores:
    """Exact match, F1, precision and recall of one answer against one reference, as normal forms with their tokens."""
    exact = float(prediction[0] == reference[0])
    ours, theirs = prediction[1], reference[1]
    if not ours or not theirs:
        return (exact, 0.0, 0.0, 0.0) if ours or theirs else (exact, both_empty, both_empty, both_empty)
    if whole_answers and not exact and (_is_whole(ours, whole_answers) or _is_whole(theirs, whole_answers)):
        return _NOTHING
    same = _count_common(ours, theirs)
    if not same:
        return (exact, 0.0, 0.0, 0.0)
    precision = same / len(ours)
    recall = same / len(theirs)
    return exact, 2 * precision * recall / (precision + recall), precision, recall


def _is_whole(tokens: list[str], whole_answers: tuple[str, ...]) -> bool:
    return len(tokens) == 1 and tokens[0] in whole_answers


def _judged(
    predictions: list[str],
    references: list[list[str]],
    *,
    tokeniser: Tokeniser,
    both_empty: float,
    drop_empty_references: bool,
    whole_answers: tuple[str, ...],
) -> Iterator[list[_Scores]]:
    """What is found for each reference that counts, example by example."""
    check_texts(predictions, references)
    for prediction, golds in zip(predictions, references):  # noqa: B905 - the lengths are equal
        ours = tokeniser.both(prediction)
        wanted = [tokeniser.both(gold) for gold in golds]
        if drop_empty_references:
            wanted = [gold for gold in wanted if gold[0]] or [("", [])]
        yield [_scores(ours, gold, both_empty, whole_answers) for gold in wanted]


def overlap_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    tokeniser: Tokeniser,
    both_empty: float = 0.0,
    drop_empty_references: bool = False,
    whole_answers: tuple[str, ...] = (),
) -> array[float]:
    """Exact match, F1, precision and recall of each example, four doubles a row, each the best over the references.

    With `drop_empty_references` a reference whose normal form is empty does not count, and an example with no other
    wants the empty answer; without it, an example that has no references scores 0 throughout.
    """
    rows = array("d")
    judged = _judged(
        predictions,
        references,
        tokeniser=tokeniser,
        both_empty=both_empty,
        drop_empty_references=drop_empty_references,
        whole_answers=whole_answers,
    )
    for found in judged:
        rows.extend(map(max, zip(*found, strict=True)) if found else _NOTHING)
    return rows


def overlap_each(
    predictions: list[str],
    references: list[list[str]],
    *,
    tokeniser: Tokeniser,
    both_empty: float = 0.0,
    whole_answers: tuple[str, ...] = (),
) -> array[float]:
    """Exact match, F1, precision and recall of each prediction against each of its references, four doubles a pair."""
    rows = array("d")
    judged = _judged(
        predictions,
        references,
        tokeniser=tokeniser,
        both_empty=both_empty,
        drop_empty_references=False,
        whole_answers=whole_answers,
    )
    for found in judged:
        for scores in found:
            rows.extend(scores)
    return rows
