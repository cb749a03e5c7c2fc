"""The functions of WebQA's evaluation of one answer: same names, same calls, same numbers."""

from __future__ import annotations

from fullmarks.checks import check_kind, wrong_value
from fullmarks.lexicons.spacy_lemmas import DEFAULT_MODEL
from fullmarks.protocols.webqa.metric import acc_approx
from fullmarks.protocols.webqa.rules import CATEGORIES

__all__ = ["acc_approx", "webqa_metrics_approx"]


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
