"""SQuAD's normaliser and its exact match and token F1, in Python alone.

Invariant: every path gives the digits of the published definition for any string, as does the C kernel.
"""

from __future__ import annotations

from array import array

from fullmarks.checks import wrong_value
from fullmarks.text.inputs import check_example, check_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ARTICLES = frozenset(("a", "an", "the"))
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
# Control characters that are not white space end a word but stay: \0 marks a text that holds one.
_TABLE = bytes(
    32 if chr(code) in _WHITE_SPACE else 0 if code < 32 or code > 126 else ord(chr(code).lower()) for code in range(256)
)
_DELETED = _PUNCTUATION.encode()
_WITHOUT_PUNCTUATION = str.maketrans("", "", _PUNCTUATION)
_SHORT = 8


def normalize_answer(text: str) -> str:
    """The text in lower case, without ASCII punctuation and whole-word a, an and the, on single blanks.

    >>> normalize_answer("The  Cat's hat.")
    'cats hat'
    """
    if not isinstance(text, str):
        raise wrong_value("text", "a text", text)
    return " ".join(tokens(text))


def tokens(text: str) -> list[str]:
    """The words of the normalised text; none for a text of articles, punctuation and white space."""
    if text.isascii():
        bare = text.encode().translate(_TABLE, _DELETED).decode()
        if "\0" not in bare:
            words = bare.split()
            if ARTICLES.isdisjoint(words):
                return words
            return [word for word in words if word not in ARTICLES]
    return _tokens_of_any_text(text)


def _tokens_of_any_text(text: str) -> list[str]:
    lowered = text.lower()
    words = lowered.split()
    if "".join(words).isalnum():
        return words if ARTICLES.isdisjoint(words) else [word for word in words if word not in ARTICLES]
    bare = lowered.translate(_WITHOUT_PUNCTUATION)
    if "a" in bare or "the" in bare:
        # Imported here because texts of words and blanks alone, nearly all of them, never need it.
        import re

        bare = re.sub(r"\b(?:an?|the)\b", " ", bare)
    return bare.split()


def token_f1(prediction: Sequence[str], reference: Sequence[str], both_empty: float = 1.0) -> float:
    """Harmonic mean of token precision and recall, counting repeats.

    Both empty gives `both_empty` (1.0 as in SQuAD 2.0), one empty or nothing in common 0.0. Source: SQuAD.

    >>> token_f1(["a", "b", "b"], ["b", "b", "c"])
    0.6666666666666666
    """
    if not prediction or not reference:
        return 0.0 if prediction or reference else both_empty
    same = _count_common(prediction, reference)
    return _f1(same, len(prediction), len(reference)) if same else 0.0


def _f1(same: int, prediction_length: int, reference_length: int) -> float:
    precision = same / prediction_length
    recall = same / reference_length
    return 2 * precision * recall / (precision + recall)


def _count_common(prediction: Sequence[str], reference: Sequence[str]) -> int:
    """The size of the intersection of two multisets."""
    if len(reference) <= _SHORT:
        rest = list(reference)
        for token in prediction:
            if token in rest:
                rest.remove(token)
        return len(reference) - len(rest)
    left: dict[str, int] = {}
    for token in reference:
        left[token] = left.get(token, 0) + 1
    same = 0
    for token in prediction:
        if left.get(token):
            left[token] -= 1
            same += 1
    return same


def squad_exact(prediction: str, reference: str) -> float:
    """Exact match of one answer against one reference."""
    _check_pair(prediction, reference)
    return float(prediction == reference or tokens(prediction) == tokens(reference))


def squad_f1(prediction: str, reference: str) -> float:
    """Token F1 of one answer against one reference, 1.0 where neither has a token."""
    _check_pair(prediction, reference)
    return 1.0 if prediction == reference else token_f1(tokens(prediction), tokens(reference))


def _check_pair(prediction: object, reference: object) -> None:
    if not (isinstance(prediction, str) and isinstance(reference, str)):
        raise TypeError("expected two texts")


def squad_each_reference(prediction: str, references: list[str], *, both_empty: float) -> list[tuple[float, float]]:
    """Exact match and F1 of the prediction against each of the references."""
    check_example(prediction, references)
    predicted = tokens(prediction)
    wanted = [tokens(reference) for reference in references]
    return [(float(predicted == gold), token_f1(predicted, gold, both_empty)) for gold in wanted]


def squad_rows(
    predictions: list[str], references: list[list[str]], *, both_empty: float, drop_empty_references: bool
) -> array[float]:
    """Best exact match and best F1 of each example, two doubles a row.

    With `drop_empty_references` (SQuAD 2.0) a reference without tokens does not count, and an example with no
    other wants the empty answer; without it, an example that has no references scores 0 and 0.
    """
    check_texts(predictions, references)
    scores: list[float] = []
    for prediction, golds in zip(predictions, references):  # noqa: B905 - the lengths are equal
        if prediction in golds and _has_tokens(prediction):
            scores += (1.0, 1.0)
        elif not golds:
            scores += (0.0, 0.0) if _has_tokens(prediction) or not drop_empty_references else (1.0, both_empty)
        elif prediction and (predicted := tokens(prediction)):
            scores += _best(predicted, golds)
        else:
            scores += (1.0, both_empty) if _wants_nothing(golds, drop_empty_references) else (0.0, 0.0)
    return array("d", scores)


def _has_tokens(text: str) -> bool:
    """Whether anything is left of the text: always, if it ends in a word longer than the articles."""
    return (len(text) > 3 and text[-4:].isalnum()) or (text != "" and tokens(text) != [])


def _wants_nothing(references: list[str], drop_empty: bool) -> bool:
    """Whether an empty prediction is right."""
    if drop_empty:
        return not any(map(_has_tokens, references))
    return not all(map(_has_tokens, references))


def _best(prediction: list[str], references: list[str]) -> tuple[float, float]:
    """Best exact match and best F1 of a prediction with tokens: a reference without any adds nothing."""
    distinct = set(prediction)
    length = len(prediction)
    best = 0.0
    for reference in set(references):
        wanted = tokens(reference)
        same = len(distinct.intersection(wanted))
        if same:
            if wanted == prediction:
                return 1.0, 1.0
            if len(distinct) < length:
                same = _count_common(prediction, wanted)
            best = max(best, _f1(same, length, len(wanted)))
    return 0.0, best
