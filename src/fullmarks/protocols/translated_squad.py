"""What the translations of SQuAD 1.1 share: its files, its two numbers, its denominators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option
from fullmarks.readers.alignment import NO_REFERENCES, OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.source import Source
from fullmarks.readers.squad import read_squad
from fullmarks.types import Audit, Examples, FindingKind


@dataclass(frozen=True, kw_only=True)
class TranslatedSquad(Protocol):
    """A benchmark in SQuAD's files whose program is that of SQuAD 1.1 but for the normaliser."""

    prediction_format: ClassVar[str] = "{id: text}, or rows with id and prediction_text"
    slices: ClassVar[tuple[str, ...]] = ("title",)
    other_columns: ClassVar[tuple[str, ...]] = ("paragraph", "question")
    scale: ClassVar[float] = 100.0
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES,)
    prints_one_line: ClassVar[bool] = True
    official_names: ClassVar[dict[str, str]] = {"exact": "exact_match"}
    repeated_gold: ClassVar[RepeatedGold] = "each"

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """Official files or tables."""
        del audit
        return self.pairing(read_squad, by, optional=("title", "question"))

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; an answered question without any gold answer is an error."""
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name, only_answered=True)
            yield examples
