"""XQuAD: exact match and F1 by SQuAD 1.1's rules, whatever the language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option
from fullmarks.protocols.xquad.rules import CHINESE, RECIPE
from fullmarks.readers.alignment import OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.source import Source
from fullmarks.readers.squad import read_squad
from fullmarks.text.recipes import Recipe
from fullmarks.types import Audit, Examples


@dataclass(frozen=True, kw_only=True)
class Xquad(Protocol):
    """The XQuAD evaluation."""

    name: ClassVar[str] = "xquad"
    title: ClassVar[str] = "XQuAD: exact match and F1 by SQuAD 1.1's rules in every language"
    gold_format: ClassVar[str] = "SQuAD JSON (xquad.zh.json)"
    prediction_format: ClassVar[str] = "{id: text}, or rows with id and prediction_text"
    variants: ClassVar[dict[str, str]] = {
        "script": "SQuAD 1.1's rules: English articles, ASCII punctuation, words between white space",
        "mlqa-zh": "MLQA's rule for Chinese: all Unicode punctuation, each Chinese character a token",
    }
    slices: ClassVar[tuple[str, ...]] = ("title",)
    other_columns: ClassVar[tuple[str, ...]] = ("paragraph", "question")
    scale: ClassVar[float] = 100.0
    prints_one_line: ClassVar[bool] = True
    official_names: ClassVar[dict[str, str]] = {"exact": "exact_match"}
    repeated_gold: ClassVar[RepeatedGold] = "each"
    keys: ClassVar[dict[str, Key]] = {"exact_match": Mean("exact", 100.0), "f1": Mean("f1", 100.0)}

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    @property
    def normaliser(self) -> Recipe:
        """The recipe of the variant."""
        return RECIPE if self.variant == "script" else CHINESE

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; an answered question without any gold answer is an error."""
        for examples in self.pairing(read_squad, by, optional=("title", "question")).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name, only_answered=True)
            yield examples

    def metrics(self) -> tuple[AnswerScores]:
        """Exact match and F1 after the recipe, two empty texts sharing no token."""
        return (AnswerScores(recipe=self.normaliser.name),)

    def signature(self) -> dict[str, str]:
        """Normaliser, variant and the rules for gaps."""
        return {"norm": self.normaliser.name, **super().signature()}
