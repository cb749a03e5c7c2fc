"""The functions of WebQA's evaluation of one answer: same names, same calls, same numbers.

What the published description's code uses is here too: the normaliser, the numbers among tokens and the sets of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from fullmarks.checks import check_kind, wrong_value
from fullmarks.lexicons.spacy_lemmas import DEFAULT_MODEL, open_lemmatiser
from fullmarks.protocols.webqa.metric import acc_approx
from fullmarks.protocols.webqa.rules import (
    CATEGORIES,
    domain_of,
    normalize_webqa,
    token_overlap,
    tokens_in,
    whole_numbers,
)

__all__ = [
    "_webqa_acc_approx",
    "acc_approx",
    "color_set",
    "detectNum",
    "normalize_text",
    "shape_set",
    "webqa_metrics_approx",
    "yesno_set",
]

color_set, shape_set, yesno_set = (domain_of(category) or frozenset() for category in ("color", "shape", "YesNo"))


def normalize_text(s: str, *, spacy_model: str = DEFAULT_MODEL) -> str:
    """The normal form of a text: lower case, no punctuation, no articles, numbers in digits, lemmas."""
    check_kind("s", s, str)
    return normalize_webqa([s], open_lemmatiser(spacy_model))[0]


def detectNum(l: Iterable[str]) -> list[str]:  # noqa: E741, N802 - the published names
    """The whole numbers among tokens, in canonical form.

    >>> detectNum(["2", "of", "007"])
    ['2', '7']
    """
    return whole_numbers(l)


def _webqa_acc_approx(
    predction: str,  # the published name
    ground_truth: str,
    domain: Set[str] | None = None,
    *,
    spacy_model: str = DEFAULT_MODEL,
) -> tuple[float, float, float]:
    """F1, recall and precision of an answer's lemmas against those of the right answer; nothing in common gives zeros.

    `domain` is None for all tokens, {"NUMBER"} for whole numbers, or a set of the words that count.
    """
    ours, theirs = (
        tokens_in(normalize_text(text, spacy_model=spacy_model).split(), domain) for text in (predction, ground_truth)
    )
    found = token_overlap(ours, theirs, smoothing=0.0)
    return found.f1, found.recall, found.precision


def webqa_metrics_approx(
    prediction: str,
    ground_truth: str,
    Qcate: str = "text",  # noqa: N803 - the published name
    *,
    spacy_model: str = DEFAULT_MODEL,
) -> dict[str, float]:
    """The accuracy of one answer against the right answer, where keywords are not public, as `acc_approx`.

    F1 of the lemmas for color, shape, YesNo and number, recall for choose, Others and text; nothing in common gives
    0.0. Source: WebQA.
    """
    if Qcate not in CATEGORIES:
        raise wrong_value("Qcate", f"one of {', '.join(CATEGORIES)}", Qcate)
    check_kind("prediction", prediction, str)
    check_kind("ground_truth", ground_truth, str)
    return {"acc_approx": acc_approx(prediction, ground_truth, Qcate, spacy_model=spacy_model)}
