"""How other tools score the same answers: for each protocol a table of rules with one line of description each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import SentenceBleu
from fullmarks.metrics.compensated import CompensatedBleu, CompensatedSentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.other_rules import Prepared, RuledOverlap, RuledVotes
from fullmarks.metrics.squad import SquadScores
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol
from fullmarks.text.other_normalisers import RAW, Normaliser

LATER_PYTHON = "python-3.12"
_LATER_SUM = "the script on Python 3.12 or later, whose sum() compensates for rounding"

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


def alternatives(rules: Protocol) -> tuple[OtherRule, ...]:
    """The declared variants of a protocol, then what other tools do; empty where nothing is known."""
    known = _TABLES.get(rules.name)
    return (*_variants(rules), *(known(rules.metrics()) if known else ()), *rules.other_rules())


def _variants(rules: Protocol) -> list[OtherRule]:
    others = [replace(rules, variant=name) for name in rules.variants if name != rules.variant]
    return [
        OtherRule(f"variant {other.variant}", rules.variants[other.variant], other.metrics(), prepare=other.reread)
        for other in others
    ]


def _squad(metrics: tuple[Metric, ...]) -> list[OtherRule]:
    base: Any = metrics[0]
    kept = {name: getattr(base, name) for name in ("both_empty", "drop_empty_references", "threshold")}
    found = [
        OtherRule(name, description, (RuledOverlap(**kept, normaliser=normaliser),))
        for name, (description, normaliser) in NORMALISERS.items()
    ]
    first = OtherRule(
        "first-reference", "only the first gold answer counts", (Prepared(base, first_reference_only=True),)
    )
    if base.drop_empty_references:
        rules = SquadScores(both_empty=0.0, drop_empty_references=False, threshold=base.threshold)
        other = OtherRule("squad1-rules", "as SQuAD 1.1: a question without gold answers scores 0", (rules,))
        found.append(OtherRule(LATER_PYTHON, _LATER_SUM, metrics, is_elsewhere=True, integers=base.integers))
    else:
        rules = SquadScores(threshold=base.threshold)
        other = OtherRule(
            "squad2-rules",
            "as SQuAD 2.0: gold answers without words do not count, and two sides without words score F1 1",
            (rules,),
        )
    return [*found, first, other]


def _vqa(metrics: tuple[Metric, ...]) -> list[OtherRule]:
    del metrics
    return [
        OtherRule("no-normalising", "texts as they are; each annotator against the others", (RuledVotes("none"),)),
        OtherRule(
            "squad-normaliser", "SQuAD's normaliser in place of VQA's: number words stay", (RuledVotes("squad"),)
        ),
        OtherRule(
            "thirds",
            "min(1, annotators with this answer / 3), nobody left out: the formula in short",
            (RuledVotes("vqa", "thirds"),),
        ),
        OtherRule("any-annotator", "1 if any annotator gave the answer", (RuledVotes("vqa", "any"),)),
        OtherRule("any-annotator-raw", "the same without normalising: plain exact match", (RuledVotes("none", "any"),)),
        OtherRule("most-frequent", "1 if it is the most frequent answer", (RuledVotes("vqa", "most-frequent"),)),
    ]


def _qa(metrics: tuple[Metric, ...]) -> list[OtherRule]:
    exact: Any = metrics[0]
    others = metrics[2:]
    names = (metrics[0].scores[0], metrics[1].scores[0])
    found = [
        OtherRule(
            LATER_PYTHON,
            f"{_LATER_SUM}: here the logarithms of BLEU",
            (*metrics[:2], *map(_with_compensated_logarithms, others)),
            is_elsewhere=True,
        ),
        OtherRule(
            "squad2-empty-rule",
            "two answers without words score F1 1, as in SQuAD 2.0",
            (ExactMatch(exact.aggregate), TokenF1(exact.aggregate), *others),
        ),
        OtherRule(
            "lower-case-bleu",
            "BLEU of lower-cased texts",
            (*metrics[:2], *(Prepared(metric, lower_case=True) for metric in others)),
        ),
        OtherRule(
            "first-reference",
            "only the first gold answer counts",
            tuple(Prepared(metric, first_reference_only=True) for metric in metrics),
        ),
    ]
    if exact.aggregate == "max":  # the other normalisers below take the best reference
        for name, (description, normaliser) in NORMALISERS.items():
            overlap = RuledOverlap(0.0, drop_empty_references=False, normaliser=normaliser, score_names=names)
            found.append(OtherRule(name, f"exact match and F1: {description}", (overlap, *others)))
    return found


def _with_compensated_logarithms(metric: Metric) -> Metric:
    bleu: Any = metric
    if isinstance(bleu, SentenceBleu):
        return CompensatedSentenceBleu(bleu.max_order, bleu.aggregate)
    return CompensatedBleu(bleu)


_TABLES: dict[str, Callable[[tuple[Metric, ...]], list[OtherRule]]] = {
    "squad1": _squad,
    "squad2": _squad,
    "vqa": _vqa,
    "qa": _qa,
}
