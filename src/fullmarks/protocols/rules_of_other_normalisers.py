"""Exact match and F1 after the normalisers that other libraries have, for the protocols that are scored by them."""

from __future__ import annotations

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.other_rules import RuledOverlap
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.text.other_normalisers import RAW, Normaliser

LATER_PYTHON = "python-3.12"
LATER_SUM = "the script on Python 3.12 or later, whose sum() compensates for rounding"

NORMALISERS: dict[str, tuple[str, Normaliser]] = {
    "keep-articles": ("lower case and no punctuation, but a, an and the stay", Normaliser(articles="keep")),
    "keep-punctuation": ("lower case and no articles, but punctuation stays", Normaliser(punctuation="keep")),
    "ascii-lower-case": ("only A-Z are lower-cased, other scripts keep their case", Normaliser(case="ascii-lower")),
    "unicode-punctuation": (
        "punctuation of all scripts is deleted, symbols such as $ and + stay",
        Normaliser(punctuation="unicode"),
    ),
    "lower-case-only": (
        "lower case and single blanks, nothing else",
        Normaliser(punctuation="keep", articles="keep"),
    ),
    "raw-text": ("the texts as they are, without white space around them: plain string comparison", RAW),
}


def other_normalisers(
    *,
    both_empty: float,
    drop_empty_references: bool,
    threshold: float = 1.0,
    score_names: tuple[str, str] = ("exact", "f1"),
    beside: tuple[Metric, ...] = (),
    prefix: str = "",
) -> list[OtherRule]:
    """One rule for each normaliser; metrics that it does not change stand beside it."""
    return [
        OtherRule(
            name,
            prefix + description,
            (
                RuledOverlap(
                    both_empty,
                    drop_empty_references=drop_empty_references,
                    threshold=threshold,
                    normaliser=normaliser,
                    score_names=score_names,
                ),
                *beside,
            ),
        )
        for name, (description, normaliser) in NORMALISERS.items()
    ]
