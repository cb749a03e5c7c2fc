"""OCRBench's rule: an answer is right where a gold answer is contained in it, after a light clean-up of both.

Formulas (the data set HME100k) keep their case and lose their blanks; all other texts are lower-cased. lmms-eval folds
letters and blanks of full width before. `judge` states the rule for one answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FORMULAS = "HME100k"
"""The data set whose answers are formulas."""
RECOGNITION = (
    "Regular Text Recognition",
    "Irregular Text Recognition",
    "Artistic Text Recognition",
    "Handwriting Recognition",
    "Digit String Recognition",
    "Non-Semantic Text Recognition",
)
TYPES = (
    *RECOGNITION,
    "Scene Text-centric VQA",
    "Doc-oriented VQA",
    "Key Information Extraction",
    "Handwritten Mathematical Expression Recognition",
)
"""The types of questions, in published order."""
DATASETS = (
    *(
        "IIIT5K",
        "svt",
        "IC13_857",
        "IC15_1811",
        "svtp",
        "ct80",
        "cocotext",
        "ctw",
        "totaltext",
        "HOST",
        "WOST",
        "WordArt",
    ),
    *("IAM", "ReCTS", "ORAND", "NonSemanticText", "SemanticText", "STVQA", "textVQA", "ocrVQA", "ESTVQA", "ESTVQA_cn"),
    *("docVQA", "infographicVQA", "ChartQA", "ChartQA_Human", "FUNSD", "SROIE", "POIE", "HME100k"),
)
"""The data sets that the report on any other number of questions names, in its order."""
COMPLETE = 1000
"""The number of questions that a final score needs."""

_NARROW = {0x3000: 0x20, **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}}


class Judged(NamedTuple):
    """Whether an answer is right, what it was searched in, and every gold as it was searched for."""

    is_right: bool
    searched: str
    golds: list[str]


def cleaned(text: str, *, is_formula: bool, narrow: bool = False) -> str:
    """The text as it is compared; `narrow` folds letters and blanks of full width, but not in formulas.

    >>> cleaned(" x ^ 2", is_formula=True), cleaned(" EXIT sign", is_formula=False)
    ('x^2', 'exit sign')
    """
    if is_formula:
        return text.strip().replace("\n", " ").replace(" ", "")
    if narrow and not text.isascii():
        text = text.translate(_NARROW)
    return text.lower().strip().replace("\n", " ")


def judge(prediction: str, golds: Sequence[str], dataset: str, *, narrow: bool = False) -> Judged:
    """Whether a gold answer is contained in the prediction; an empty one always is, and without any none is."""
    is_formula = dataset == FORMULAS
    searched = cleaned(prediction, is_formula=is_formula, narrow=narrow)
    wanted = [cleaned(gold, is_formula=is_formula, narrow=narrow) for gold in golds]
    return Judged(any(gold in searched for gold in wanted), searched, wanted)


def is_right(prediction: str, golds: Sequence[str], dataset: object, *, narrow: bool = False) -> bool:
    """The same without its steps."""
    is_formula = dataset == FORMULAS
    searched = cleaned(prediction, is_formula=is_formula, narrow=narrow)
    return any(cleaned(gold, is_formula=is_formula, narrow=narrow) in searched for gold in golds)
