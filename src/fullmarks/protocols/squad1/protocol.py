"""SQuAD 1.1: exact match and F1, a missing prediction counting 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol, missing_option
from fullmarks.readers.alignment import NO_REFERENCES, OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.source import Source
from fullmarks.readers.squad import read_squad
from fullmarks.types import Audit, Example, Examples, Explanation, FindingKind

if TYPE_CHECKING:
    from fullmarks.protocols.other_rule import OtherRule


@dataclass(frozen=True, kw_only=True)
class Squad1(Protocol):
    """The SQuAD 1.1 evaluation."""

    name: ClassVar[str] = "squad1"
    title: ClassVar[str] = "SQuAD 1.1: exact match and F1"
    gold_format: ClassVar[str] = "SQuAD JSON (dev-v1.1.json)"
    prediction_format: ClassVar[str] = "{id: text}, or rows with id and prediction_text"
    slices: ClassVar[tuple[str, ...]] = ("title",)
    other_columns: ClassVar[tuple[str, ...]] = ("paragraph", "question")
    scale: ClassVar[float] = 100.0
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES,)
    prints_one_line: ClassVar[bool] = True
    official_names: ClassVar[dict[str, str]] = {"exact": "exact_match"}
    repeated_gold: ClassVar[RepeatedGold] = "each"

    on_missing: OnMissing = missing_option("zero")

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """Official files or tables."""
        del audit
        return self.pairing(read_squad, by, optional=("title", "question"))

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables."""
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name, "for SQuAD 2.0 files use squad2", only_answered=True)
            yield examples

    def metrics(self) -> tuple[SquadScores]:
        """Exact match and F1 without any special case for empty sides."""
        return (SquadScores(both_empty=0.0, drop_empty_references=False),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published script's result, 0-100."""
        del audit
        total = tally.totals()[0]
        exact, f1 = total.sums
        return {"exact_match": 100.0 * exact / total.n, "f1": 100.0 * f1 / total.n}

    def explain(self, example: Example) -> Explanation:
        """The overlap with every reference."""
        return self.metrics()[0].explain(example)

    def other_rules(self) -> Sequence[OtherRule]:
        """What other tools do."""
        from fullmarks.protocols.squad1.other_rules import other_rules

        return other_rules(self.metrics()[0])

    def signature(self) -> dict[str, str]:
        """Normaliser and the rule for missing predictions."""
        return {"norm": "squad", **super().signature()}
