"""How other tools score the same answers: for each protocol a table of rules with one line of description each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import SentenceBleu
from fullmarks.metrics.compensated import CompensatedBleu, CompensatedSentenceBleu, CompensatedTally
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.other_rules import Prepared, RuledOverlap, RuledVotes
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.protocols.protocol import Protocol
from fullmarks.text.other_normalisers import RAW, Normaliser
from fullmarks.types import Examples


@dataclass(frozen=True)
class Alternative:
    """One other way to score: its name, what it does, and the metrics that do it."""

    name: str
    description: str
    metrics: tuple[Metric, ...]
    is_elsewhere: bool = False
    """Whether it is the published program itself on another Python: then its official result is shown too."""
    integers: Callable[[Examples], Collection[int]] | None = None
    """Where sums are compensated: the positions of the examples whose scores are of type int in the program."""

    def tally(self, examples: Examples) -> Tally:
        """The sums of its metrics over these examples."""
        kind = Tally(self.metrics) if self.integers is None else CompensatedTally(self.metrics, self.integers(examples))
        kind.add(examples, chunk_rows(self.metrics, examples))
        return kind


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


def alternatives(rules: Protocol) -> tuple[Alternative, ...]:
    """The declared variants of a protocol, then what other tools do; empty where nothing is known."""
    known = _TABLES.get(rules.name)
    return (*_variants(rules), *(known(rules.metrics()) if known else ()))


def _variants(rules: Protocol) -> list[Alternative]:
    others = ((name, meaning) for name, meaning in rules.variants.items() if name != rules.variant)
    return [Alternative(f"variant {name}", meaning, replace(rules, variant=name).metrics()) for name, meaning in others]


def _squad(metrics: tuple[Metric, ...]) -> list[Alternative]:
    base: Any = metrics[0]
    kept = {name: getattr(base, name) for name in ("both_empty", "drop_empty_references", "threshold")}
    found = [
        Alternative(name, description, (RuledOverlap(**kept, normaliser=normaliser),))
        for name, (description, normaliser) in NORMALISERS.items()
    ]
    first = Alternative(
        "first-reference", "only the first gold answer counts", (Prepared(base, first_reference_only=True),)
    )
    if base.drop_empty_references:
        rules = SquadScores(both_empty=0.0, drop_empty_references=False, threshold=base.threshold)
        other = Alternative("squad1-rules", "as SQuAD 1.1: a question without gold answers scores 0", (rules,))
        found.append(Alternative(LATER_PYTHON, _LATER_SUM, metrics, is_elsewhere=True, integers=base.integers))
    else:
        rules = SquadScores(threshold=base.threshold)
        other = Alternative(
            "squad2-rules",
            "as SQuAD 2.0: gold answers without words do not count, and two sides without words score F1 1",
            (rules,),
        )
    return [*found, first, other]


def _vqa(metrics: tuple[Metric, ...]) -> list[Alternative]:
    del metrics
    return [
        Alternative("no-normalising", "texts as they are; each annotator against the others", (RuledVotes("none"),)),
        Alternative(
            "squad-normaliser", "SQuAD's normaliser in place of VQA's: number words stay", (RuledVotes("squad"),)
        ),
        Alternative(
            "thirds",
            "min(1, annotators with this answer / 3), nobody left out: the formula in short",
            (RuledVotes("vqa", "thirds"),),
        ),
        Alternative("any-annotator", "1 if any annotator gave the answer", (RuledVotes("vqa", "any"),)),
        Alternative(
            "any-annotator-raw", "the same without normalising: plain exact match", (RuledVotes("none", "any"),)
        ),
        Alternative("most-frequent", "1 if it is the most frequent answer", (RuledVotes("vqa", "most-frequent"),)),
    ]


def _qa(metrics: tuple[Metric, ...]) -> list[Alternative]:
    exact: Any = metrics[0]
    others = metrics[2:]
    names = (metrics[0].scores[0], metrics[1].scores[0])
    found = [
        Alternative(
            LATER_PYTHON,
            f"{_LATER_SUM}: here the logarithms of BLEU",
            (*metrics[:2], *map(_with_compensated_logarithms, others)),
            is_elsewhere=True,
        ),
        Alternative(
            "squad2-empty-rule",
            "two answers without words score F1 1, as in SQuAD 2.0",
            (ExactMatch(exact.aggregate), TokenF1(exact.aggregate), *others),
        ),
        Alternative(
            "lower-case-bleu",
            "BLEU of lower-cased texts",
            (*metrics[:2], *(Prepared(metric, lower_case=True) for metric in others)),
        ),
        Alternative(
            "first-reference",
            "only the first gold answer counts",
            tuple(Prepared(metric, first_reference_only=True) for metric in metrics),
        ),
    ]
    if exact.aggregate == "max":  # the other normalisers below take the best reference
        for name, (description, normaliser) in NORMALISERS.items():
            overlap = RuledOverlap(0.0, drop_empty_references=False, normaliser=normaliser, score_names=names)
            found.append(Alternative(name, f"exact match and F1: {description}", (overlap, *others)))
    return found


def _with_compensated_logarithms(metric: Metric) -> Metric:
    bleu: Any = metric
    if isinstance(bleu, SentenceBleu):
        return CompensatedSentenceBleu(bleu.max_order, bleu.aggregate)
    return CompensatedBleu(bleu)


_TABLES: dict[str, Callable[[tuple[Metric, ...]], list[Alternative]]] = {
    "squad1": _squad,
    "squad2": _squad,
    "vqa": _vqa,
    "qa": _qa,
}
