"""TriviaQA: exact match and F1 against aliases, by question (Wikipedia) or by document (Web), verified or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.contains import Contains
from fullmarks.metrics.harness_match import STOP_STRINGS, HarnessMatch
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.official import Counted, Key, Mean, Number, official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option
from fullmarks.protocols.triviaqa.files import ALIASES, read_triviaqa
from fullmarks.protocols.triviaqa.rules import LM_EVAL, RECIPE
from fullmarks.readers.alignment import NO_REFERENCES, OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind


@dataclass(frozen=True, kw_only=True)
class Triviaqa(Protocol):
    """The TriviaQA evaluation."""

    name: ClassVar[str] = "triviaqa"
    title: ClassVar[str] = "TriviaQA: exact match and F1 against aliases; Wikipedia, Web and verified files"
    gold_format: ClassVar[str] = "TriviaQA JSON {Domain, VerifiedEval, Data}"
    prediction_format: ClassVar[str] = "{key: text}; the key is QuestionId (Wikipedia) or QuestionId--Filename (Web)"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lm_eval": "lm-evaluation-harness: cut at the first line break, stop or comma, then equal to a raw alias",
        "lm_eval_without_stop_strings": "the same without the cut, for outputs that generation has already cut",
    }
    slices: ClassVar[tuple[str, ...]] = ("answer_type",)
    other_columns: ClassVar[tuple[str, ...]] = ("question_id", "question_source", "question")
    scale: ClassVar[float] = 100.0
    prints_one_line: ClassVar[bool] = True
    official_names: ClassVar[dict[str, str]] = {"exact": "exact_match"}
    recipe: ClassVar[str] = RECIPE.name
    repeated_gold: ClassVar[RepeatedGold] = "last"
    tells_ids_apart: ClassVar[bool] = True
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES,)
    keys: ClassVar[dict[str, Key]] = {
        "exact_match": Mean("exact", 100.0),
        "f1": Mean("f1", 100.0),
        "common": Counted("answered"),
        "denominator": Number(),
        "pred_len": Counted("predictions"),
        "gold_len": Counted("gold"),
    }
    harness_keys: ClassVar[dict[str, Key]] = {"exact_match": Mean("exact"), "total": Number()}
    """The result of the harness's variants, which is from 0 to 1."""

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant != "script":
            object.__setattr__(self, "scale", 1.0)

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """The official files of every form, or tables."""
        needed = self.variant != "script"
        return self.pairing(lambda source: read_triviaqa(source, audit, needs_aliases=needed), by, optional=self.slices)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official files of every form, or tables."""
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name, only_answered=True)
            yield examples

    def metrics(self) -> tuple[Metric]:
        """Exact match and F1; for the harness's variants its exact match."""
        if self.variant == "script":
            return (AnswerScores(recipe=RECIPE.name),)
        stop_strings = STOP_STRINGS if self.variant == "lm_eval" else ()
        return (HarnessMatch(LM_EVAL.name, stop_strings, references_in=ALIASES, score_name="exact"),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published program's six keys, or the harness's two."""
        return official_result(self.keys if self.variant == "script" else self.harness_keys, tally, audit)

    def signature(self) -> dict[str, str]:
        """With the recipe of the variant."""
        norm = RECIPE if self.variant == "script" else LM_EVAL
        return {**super().signature(), "norm": norm.name}

    def other_rules(self) -> Sequence[OtherRule]:
        """SQuAD's normaliser, and the looser rule of tools that look for an alias inside the prediction."""
        return (
            OtherRule("squad-normaliser", "punctuation is deleted, not made a blank: U.S. is us", (AnswerScores(),)),
            OtherRule("contained", "an alias is contained in the prediction, both normalised", (_CONTAINED,)),
        )


_CONTAINED = Contains(recipe=RECIPE.name, score_name="exact")
