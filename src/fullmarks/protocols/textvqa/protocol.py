"""TextVQA: agreement with ten annotators after the EvalAI normal form, in mmf's and in LLaVA's files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.metrics.votes import Votes
from fullmarks.protocols.official import Key, Mean, official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Kind, Protocol, missing_option, option
from fullmarks.protocols.textvqa.files import (
    answer_rows,
    are_llava,
    each_counted,
    ids_without_ten,
    repeated_texts,
    with_question_ids,
)
from fullmarks.protocols.textvqa.rules import ANNOTATORS, VLMEVAL
from fullmarks.readers.alignment import OnMissing
from fullmarks.readers.predictions import REPEATED, RowForm
from fullmarks.readers.records import RecordForm, read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

EACH = "each"
_RECIPES = {"script": "evalai", "lmms-eval": "evalai", "vlmevalkit": VLMEVAL.name}
_KEYS: dict[str, dict[str, Key]] = {
    "script": {"accuracy": Mean("accuracy")},
    "lmms-eval": {"exact_match": Mean("accuracy")},
    "vlmevalkit": {"Overall": Mean("accuracy", 100.0, is_scaled_last=True)},
}
OTHER_ANNOTATORS = FindingKind(
    "other-number-of-answers",
    f"questions without exactly {ANNOTATORS} gold answers",
    "Score against the official file",
)


@dataclass(frozen=True, kw_only=True)
class Textvqa(Protocol):
    """The TextVQA evaluation."""

    name: ClassVar[str] = "textvqa"
    title: ClassVar[str] = "TextVQA: agreement with ten annotators on texts in images"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "TextVQA JSON {data: [{question_id, image_id, question, answers}]}"
    prediction_format: ClassVar[str] = "[{question_id, answer}], or LLaVA's JSON lines {question_id, prompt, text}"
    variants: ClassVar[dict[str, str]] = {
        "script": "what mmf's evaluator computes, and LLaVA's copy of it",
        "lmms-eval": "lmms-eval's: the same, with any number of annotators",
        "vlmevalkit": "VLMEvalKit's: VQA's normaliser, periods after digits kept; any number of annotators, 0-100",
    }
    other_columns: ClassVar[tuple[str, ...]] = ("image_id", "set_name", "question")
    denominator: ClassVar[str] = "all answers given"
    gold_form: ClassVar[RecordForm] = RecordForm(
        "question_id",
        "answers",
        at="data[]",
        columns={"image_id": "image_id", "set_name": "set_name", "question": "question"},
        shape='{"data": [{"question_id", "image_id", "question", "answers": [10 texts]}]}',
    )
    prediction_form: ClassVar[RowForm] = RowForm("question_id", ("answer", "prediction"))

    on_missing: OnMissing = missing_option("skip")
    on_duplicate: Any = option(
        EACH,
        "What to do about predictions with a repeated id; each counts in the published program.",
        choices=(EACH, "error", "first", "last"),
    )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files, LLaVA's answers or tables; every answer to a question answered twice is an example."""
        again: dict[str, list[str]] = {}
        if predictions is not None:
            rows = answer_rows(predictions)
            if are_llava(rows):
                gold = gold.holding(read_values(gold))
                rows = with_question_ids(rows, self.read_gold(gold), gold.name, predictions.name)
                predictions = predictions.holding(rows)
            if self.on_duplicate == EACH:
                again = repeated_texts(rows, self.prediction_form.text)
        rules = replace(self, on_duplicate="last" if again else "error") if self.on_duplicate == EACH else self
        for examples in Protocol.read(rules, gold, predictions, audit, by):
            if again and REPEATED.code in audit.findings:
                audit.findings[REPEATED.code].detail = "each of them counts, as in the published program"
                examples = each_counted(examples, again)  # noqa: PLW2901 - the same with more answers
            self._note_annotators(examples, audit, gold.name)
            yield examples

    def _note_annotators(self, examples: Examples, audit: Audit, name: str) -> None:
        """Other than ten annotators are an error where the published program insists on ten."""
        odd = ids_without_ten(examples, ANNOTATORS) if self.variant == "script" else []
        if odd:
            detail = "the published program stops at them; --variant lmms-eval takes any number"
            audit.add(OTHER_ANNOTATORS, "error", odd, detail=detail, where=name)

    def metrics(self) -> tuple[Metric, ...]:
        """The votes after the normaliser of the variant."""
        return (Votes(recipe=_RECIPES[self.variant]),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published result: one number."""
        return official_result(_KEYS[self.variant], tally, audit)

    def other_rules(self) -> tuple[OtherRule, ...]:
        """VQA's own normaliser, and mmf's rule for ST-VQA on the same answers."""
        return (
            OtherRule("vqa-normaliser", "VQA's normaliser, always, in place of EvalAI's", (Votes(recipe="vqa"),)),
            OtherRule("stvqa-accuracy", "1 if any annotator gave the answer, as mmf has it for ST-VQA", (_ANY,)),
        )

    def signature(self) -> dict[str, str]:
        """The normaliser of the variant first."""
        return {"norm": _RECIPES[self.variant], **super().signature()}


_ANY = Votes(recipe="evalai", rule="all", divisor=1.0)
