"""NQ-open: exact match of short answers to open questions, keyed by the question itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace

from fullmarks.errors import UsageError
from fullmarks.metrics.answers import ExactMatch
from fullmarks.metrics.harness_match import STOP_STRINGS, HarnessMatch
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.nq_open.metric import PatternMatch
from fullmarks.protocols.nq_open.rules import LM_EVAL, RECIPE, compiled
from fullmarks.protocols.official import Counted, Key, Mean, Number, Sum, official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option, option
from fullmarks.readers.alignment import (
    AS_CHARACTERS,
    LONE_TEXTS,
    NO_REFERENCES,
    OnMissing,
    RepeatedGold,
    note_without_references,
)
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm, read_records
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

CURATED = "CuratedTrec"
BROKEN = FindingKind("broken-patterns", "patterns that are no regular expressions", "Correct them in the gold")
DISAGREEING = FindingKind("regex-disagrees", "gold files whose name and --regex disagree", "Check --regex")


@dataclass(frozen=True, kw_only=True)
class NqOpen(Protocol):
    """The NQ-open evaluation."""

    name: ClassVar[str] = "nq_open"
    title: ClassVar[str] = "NQ-open: exact match of short answers, keyed by the question"
    also_known_as: ClassVar[tuple[str, ...]] = ("efficientqa", "curatedtrec")
    gold_format: ClassVar[str] = "JSON lines {question, answer: [texts]}"
    prediction_format: ClassVar[str] = "JSON lines {question, prediction}"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lm_eval": "lm-evaluation-harness: cut at the first line break, stop or comma; no NFD, some articles stay",
        "lm_eval_without_stop_strings": "the same without the cut, for outputs that generation has already cut",
    }
    recipe: ClassVar[str] = RECIPE.name
    official_names: ClassVar[dict[str, str]] = {"exact_match": "accuracy"}
    repeated_gold: ClassVar[RepeatedGold] = "last"
    notes: ClassVar[tuple[FindingKind, ...]] = (LONE_TEXTS, BROKEN, NO_REFERENCES)
    gold_form: ClassVar[RecordForm] = RecordForm("question", "answer", shape='{"question", "answer": [...]} a line')
    prediction_form: ClassVar[RowForm] = RowForm("question", ("prediction",))
    keys: ClassVar[dict[str, Key]] = {
        "missing_predictions": Counted("missing"),
        "num_correct": Sum("exact_match"),
        "num_total": Number(),
        "accuracy": Mean("exact_match"),
    }
    harness_keys: ClassVar[dict[str, Key]] = {"exact_match": Mean("exact_match"), "total": Number()}
    """The result of the harness's variants."""

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")
    answer_field: str = option(
        "answer",
        "The field of the gold with the right answers; EfficientQA has answer_and_def_correct_predictions too.",
        flags=("--answer-field", "--answer_field"),
    )
    regex: bool = option(
        False,
        "Answers are regular expressions, as in CuratedTREC: matched from the start.",
        flags=("--regex", "--is_regex"),
        kind=bool,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.regex and self.variant != "script":
            raise UsageError(f"the variant '{self.variant}' knows no regular expressions: leave regex out")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official files or tables; what the program does in silence with odd golds is counted."""
        if predictions is not None and self.regex != (CURATED.lower() in gold.name.lower()):
            told = "regular expressions belong to CuratedTrec, and to nothing else"
            audit.add(DISAGREEING, "warning", count=1, detail=told, where=gold.name)
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            self._note_odd_golds(examples, audit, gold.name)
            note_without_references(examples, audit, gold.name, only_answered=True)
            yield examples

    def _note_odd_golds(self, examples: Examples, audit: Audit, name: str) -> None:
        """A lone text is taken as its characters, as the program does; a broken pattern matches nothing."""
        given = examples.facts.pop("answer", ())
        lone = [at for at, answer in enumerate(given) if isinstance(answer, str)]
        if lone:
            audit.add(LONE_TEXTS, "warning", [examples.ids[at] for at in lone], detail=AS_CHARACTERS, where=name)
        for at in lone:
            examples.references[at] = list(given[at])
        if self.regex:
            broken = [examples.ids[at] for at, golds in enumerate(examples.references) if None in map(compiled, golds)]
            if broken:
                audit.add(BROKEN, "warning", broken, detail="they match nothing", where=name)

    def pairing(
        self,
        read_gold: Callable[[Source], Gold],
        by: tuple[str, ...],
        *,
        optional: tuple[str, ...] = (),
        decisive: tuple[str, ...] = (),
    ) -> Pairing:
        """With the field of the answers that was asked for."""
        usual = super().pairing(read_gold, by, optional=optional, decisive=decisive)
        return replace(usual, gold_form=self._form)

    def read_gold(self, source: Source) -> Gold:
        """The questions with their answers; the field as it stands is kept too."""
        return read_records(source, self._form)

    @property
    def _form(self) -> RecordForm:
        return replace(self.gold_form, references=self.answer_field, facts={"answer": self.answer_field})

    def metrics(self) -> tuple[Metric]:
        """Exact match after the recipe, a match of patterns, or the harness's exact match."""
        if self.variant != "script":
            return (HarnessMatch(LM_EVAL.name, STOP_STRINGS if self.variant == "lm_eval" else ()),)
        return (PatternMatch() if self.regex else ExactMatch(recipe=RECIPE.name),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published program's four keys, or the harness's two."""
        return official_result(self.keys if self.variant == "script" else self.harness_keys, tally, audit)

    def other_rules(self) -> Sequence[OtherRule]:
        """What most code for open questions does."""
        if self.regex:
            return ()
        return (OtherRule("squad-exact-match", "SQuAD's exact match: no NFD, as DPR and FiD have it", (ExactMatch(),)),)

    def signature(self) -> dict[str, str]:
        """With the recipe of the variant; the field of the answers where it is not the usual one."""
        norm = "none" if self.regex else RECIPE.name if self.variant == "script" else LM_EVAL.name
        parts = {"norm": norm, **({"rule": "regex"} if self.regex else {})}
        if self.answer_field != "answer":
            parts["answers"] = self.answer_field
        return {**super().signature(), **parts}
