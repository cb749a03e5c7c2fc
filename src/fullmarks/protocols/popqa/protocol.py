"""PopQA: the share of answers that contain an alias of the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.contains import Contains
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

EMPTY_ALIASES = FindingKind("empty-aliases", "questions with an empty alias")
NO_ALIASES = FindingKind("no-aliases", "questions without any alias")


@dataclass(frozen=True, kw_only=True)
class Popqa(Protocol):
    """The PopQA evaluation."""

    name: ClassVar[str] = "popqa"
    title: ClassVar[str] = "PopQA: the answer contains an alias of the right one"
    gold_format: ClassVar[str] = "popQA.tsv: id, prop, possible_answers (a JSON list in a cell)"
    prediction_format: ClassVar[str] = "rows with id and pred, as JSON lines, CSV or TSV"
    slices: ClassVar[tuple[str, ...]] = ("prop",)
    other_columns: ClassVar[tuple[str, ...]] = ("subj", "obj", "s_pop", "o_pop", "question")
    gold_form: ClassVar[RecordForm] = RecordForm(
        "id",
        "possible_answers",
        columns={name: name for name in ("prop", "subj", "obj", "s_pop", "o_pop", "question")},
        shape='{"id", "prop", "possible_answers": [...]} a line, or popQA.tsv',
    )
    prediction_form: ClassVar[RowForm] = RowForm("id", ("pred", "prediction", "prediction_text", "answer"))
    column_names: ClassVar[dict[str, tuple[str, ...]]] = {"references": ("possible_answers",), "prediction": ("pred",)}
    keys: ClassVar[dict[str, Key]] = {"accuracy": Mean("accuracy")}
    notes: ClassVar[tuple[FindingKind, ...]] = (EMPTY_ALIASES, NO_ALIASES)

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """The official table or others."""
        del audit
        return self.pairing(self.read_gold, by, optional=self.slices, decisive=self.slices)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official table or others; aliases that decide a question by themselves are counted."""
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            golds = list(zip(examples.ids, examples.references, strict=True))
            for kind, ids, detail in (
                (
                    EMPTY_ALIASES,
                    [each for each, texts in golds if "" in texts],
                    "every answer contains it: always right",
                ),
                (NO_ALIASES, [each for each, texts in golds if not texts], "always wrong"),
            ):
                if ids:
                    audit.add(kind, "warning", ids, detail=detail, where=gold.name)
            yield examples

    def metrics(self) -> tuple[Contains]:
        """An alias as it is, in lower case or capitalised, anywhere in the answer."""
        return (Contains(case="spellings", score_name="accuracy"),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The properties, where the gold names them."""
        return tuple(column for column in self.slices if column in first.columns)

    def other_rules(self) -> Sequence[OtherRule]:
        """Without regard to case, and with whole words only."""
        return (
            OtherRule("any-case", "capitals do not count on either side", (self._contains(case="lower"),)),
            OtherRule("whole-words", "the same, but an alias counts as whole words only", (self._contains("tokens"),)),
        )

    def _contains(self, unit: str = "characters", case: str = "spellings") -> Contains:
        return Contains(unit, case, score_name="accuracy")
