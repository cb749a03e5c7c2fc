"""How other tools score short answers."""

from __future__ import annotations

from typing import Any

from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import SentenceBleu
from fullmarks.metrics.compensated import CompensatedBleu, CompensatedSentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.other_rules import OnChangedTexts
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.rules_of_other_normalisers import LATER_PYTHON, LATER_SUM, other_normalisers


def other_rules(metrics: tuple[Metric, ...]) -> list[OtherRule]:
    """The sum of later Pythons, another rule for empty answers, other cases, other normalisers."""
    exact: Any = metrics[0]
    answers, bleu = metrics[:2], metrics[2:]
    found = [
        OtherRule(
            LATER_PYTHON,
            f"{LATER_SUM}: here the logarithms of BLEU",
            (*answers, *map(_with_compensated_logarithms, bleu)),
            is_elsewhere=True,
        ),
        OtherRule(
            "squad2-empty-rule",
            "two answers without words score F1 1, as in SQuAD 2.0",
            (ExactMatch(exact.aggregate), TokenF1(exact.aggregate), *bleu),
        ),
        OtherRule(
            "lower-case-bleu",
            "BLEU of lower-cased texts",
            (*answers, *(OnChangedTexts(metric, lower_case=True) for metric in bleu)),
        ),
        OtherRule(
            "first-reference",
            "only the first gold answer counts",
            tuple(OnChangedTexts(metric, first_reference_only=True) for metric in metrics),
        ),
    ]
    if exact.aggregate == "max":  # the other normalisers take the best reference
        found += other_normalisers(
            both_empty=0.0,
            drop_empty_references=False,
            score_names=(metrics[0].scores[0], metrics[1].scores[0]),
            beside=bleu,
            prefix="exact match and F1: ",
        )
    return found


def _with_compensated_logarithms(metric: Metric) -> Metric:
    bleu: Any = metric
    if isinstance(bleu, SentenceBleu):
        return CompensatedSentenceBleu(bleu.max_order, bleu.aggregate)
    return CompensatedBleu(bleu)
