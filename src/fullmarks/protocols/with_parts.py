"""Benchmarks whose predictions have parts beside the answer, and whose answers may also come alone.

Answers alone, as `{id: text}` or a table, give the official keys of the answer and a warning that says so. Parts that
are predicted need those of the gold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import Struct

from fullmarks.errors import InputError
from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.official import official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

ANSWERS_ALONE = FindingKind("answers-alone", "questions scored by their answers alone")


class Items(Struct, frozen=True):
    """What one part holds: the field of the gold that it is compared with, and the items that are allowed."""

    field: str
    allows: Callable[[Any], bool]
    complaint: FindingKind
    """What is wrong with predictions that have others."""
    gold_complaint: FindingKind | None = None
    """What is wrong with gold that has others; None where the gold holds items of another kind."""


@dataclass(frozen=True, kw_only=True)
class WithParts(Protocol):
    """A benchmark of answers with further parts; `official_names` has all its keys in their order."""

    items: ClassVar[dict[str, Items]]
    """The parts beside the answer."""

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The examples as the declared forms say, their parts looked at."""
        where = gold.name if predictions is None else predictions.name
        for examples in super().read(gold, predictions, audit, by):
            for part in self.items:
                if part in examples.parts:
                    self._check_part(part, examples, audit, (gold.name, where))
            self.note_answers_alone(examples, audit)
            yield examples

    def note_answers_alone(self, examples: Examples, audit: Audit) -> None:
        """Record that nothing but answers is predicted, if so."""
        if self.are_answers_alone(examples):
            left_out = ", ".join(f"'{name}'" for name in self.items)
            detail = f"the predictions have no part {left_out}, so what needs one is left out of the result"
            audit.add(ANSWERS_ALONE, "warning", count=len(examples), detail=detail)

    def are_answers_alone(self, examples: Examples) -> bool:
        """Whether nothing but answers is predicted."""
        return self.items.keys().isdisjoint(examples.parts)

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """Those of the answers alone where nothing else is predicted."""
        return (self.answers_metric(),) if self.are_answers_alone(examples) else self.metrics()

    def answers_metric(self) -> AnswerScores:
        """The scores of the answers by the benchmark's own rule."""
        return AnswerScores(recipe=self.recipe, with_precision=True)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published keys; of answers alone those of the answer."""
        known = {name for metric in tally.metrics for name in metric.scores}
        kept = {key: self.keys[key] for score, key in self.official_names.items() if score in known}
        return official_result(kept, tally, audit)

    def other_rules(self) -> Sequence[OtherRule]:
        """Toolkits for retrieval report answers alone, by SQuAD 1.1's rule."""
        plain = AnswerScores(recipe="squad", both_empty=0.0, with_precision=True)
        return [OtherRule("squad1-f1", "answers by SQuAD 1.1's rule, as toolkits for retrieval report them", (plain,))]

    def _check_part(self, part: str, examples: Examples, audit: Audit, names: tuple[str, str]) -> None:
        """An error where the gold has nothing to compare with; findings where items are not what they must be."""
        items = self.items[part]
        wanted = examples.facts.get(part, [None] * len(examples))
        bad, wrong = [], []
        for position, (golds, predicted) in enumerate(zip(wanted, examples.parts[part], strict=True)):
            if predicted is None:
                continue
            if golds is None:
                problem = f"the question {examples.ids[position]!r} has no '{items.field}', but some are predicted"
                raise InputError(names[0], problem, "Give the whole gold, or predict answers alone: {id: text}.")
            if items.gold_complaint and not (isinstance(golds, list) and all(map(items.allows, golds))):
                wrong.append(examples.ids[position])
                examples.facts[part][position] = []
            if not all(map(items.allows, predicted)):
                bad.append(examples.ids[position])
                examples.parts[part][position] = []
        if wrong and items.gold_complaint:
            audit.add(items.gold_complaint, "error", wrong, where=names[0])
        if bad:
            audit.add(items.complaint, "error", bad, where=names[1])


def part_keys(columns: Sequence[str], prefixes: Sequence[str]) -> dict[str, str]:
    """The official key of every statistic: em, f1, prec and recall under each prefix.

    >>> part_keys(("sp_exact", "sp_f1", "sp_precision", "sp_recall"), ("sp_",))["sp_precision"]
    'sp_prec'
    """
    keys = (prefix + key for prefix in prefixes for key in ("em", "f1", "prec", "recall"))
    return dict(zip(columns, keys, strict=True))
