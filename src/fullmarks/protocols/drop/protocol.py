"""DROP: exact match and F1 of lists of spans, numbers and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import no_column
from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.drop.files import ANSWER_TYPE, FORM, HARNESS, TYPES, read_drop
from fullmarks.protocols.drop.metric import Drop as DropScores
from fullmarks.protocols.drop.metric import SpanScores, joined, simple_evals, spans_of
from fullmarks.protocols.drop.rules import RECIPE
from fullmarks.protocols.official import Key, Mean, Number, PairwiseMean, official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option
from fullmarks.readers.alignment import OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

TYPE = "type"
"""The column with the type of the answer that a prediction is counted under."""
BLANK = FindingKind("blank-references", "questions whose every answer is blank", "Give these questions an answer")
EMPTY_ANSWERS = FindingKind(
    "empty-references", "questions with an empty answer", "Give them an answer, or take them out of the gold"
)
LISTS = FindingKind(
    "span-lists", "predictions that are lists of spans", "Write each as one text to have it scored by this variant"
)
_KEYS: dict[str, dict[str, Key]] = {
    "script": {"global_em": PairwiseMean("em"), "global_f1": PairwiseMean("f1")},
    "simple-evals": {
        "em": PairwiseMean("em"),
        "f1": PairwiseMean("f1", 100.0),
        "score": PairwiseMean("score"),
        "total": Number(),
    },
}
_LM_EVAL_KEYS: dict[str, Key] = {"em": Mean("em"), "f1": Mean("f1"), "total": Number()}


@dataclass(frozen=True, kw_only=True)
class Drop(Protocol):
    """The DROP evaluation."""

    name: ClassVar[str] = "drop"
    title: ClassVar[str] = "DROP: exact match and F1 of numbers, dates and lists of spans"
    gold_format: ClassVar[str] = "{passage: {qa_pairs: [{query_id, answer, validated_answers}]}}"
    prediction_format: ClassVar[str] = "{query_id: text or list of texts}"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lm_eval": "lm-evaluation-harness: the text up to the first full stop as one span; no lists",
        "lm_eval_without_stop_string": "the same without the cut, for outputs that generation has already cut",
        "simple-evals": "simple-evals: what follows 'Answer:' as one text, each reference one text, F1 0-100",
    }
    slices: ClassVar[tuple[str, ...]] = (TYPE,)
    other_columns: ClassVar[tuple[str, ...]] = ("passage", "question")
    answers_may_be_lists: ClassVar[bool] = True
    writes_one_line: ClassVar[bool] = True
    official_names: ClassVar[dict[str, str]] = {"em": "global_em", "f1": "global_f1"}
    recipe: ClassVar[str] = RECIPE.name
    repeated_gold: ClassVar[RepeatedGold] = "each"
    tells_ids_apart: ClassVar[bool] = True
    gold_form: ClassVar[RecordForm] = FORM
    prediction_form: ClassVar[RowForm] = RowForm("query_id", ("answer", "prediction"), lists=True)

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official files, or tables whose references are one span each."""
        wanted = tuple(name for name in by if name != TYPE)
        pairing = self.pairing(read_drop, wanted, optional=(TYPE, "question"))
        for examples in pairing.chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            if TYPE in by and TYPE not in examples.columns and TYPES not in examples.facts:
                raise no_column(TYPE, examples.columns, gold.name)
            _note_blank(examples, audit, gold.name)
            yield self._without_lists(examples, audit)

    def read_gold(self, source: Source) -> Any:
        """The gold of the official file."""
        return read_drop(source)

    def complete(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """The examples with the type that each prediction is counted under."""
        del audit
        for examples in chunks:
            if TYPES in examples.facts and TYPE not in examples.columns:
                examples.columns[TYPE] = counted_types(examples)
            yield examples

    def metrics(self) -> tuple[Metric]:
        """Exact match and F1 as the variant has them."""
        if self.variant == "simple-evals":
            return (simple_evals(),)
        return (DropScores(skip_blank=True, stop="." if self.variant == "lm_eval" else ""),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The types, which the program prints after its totals."""
        return (TYPE,) if TYPE in first.columns else ()

    def keeps_rows(self, first: Examples) -> bool:
        """NumPy's mean is no running sum."""
        del first
        return True

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The two numbers of the program's file; those of a harness under its own names."""
        return official_result(_KEYS.get(self.variant, _LM_EVAL_KEYS), tally, audit)

    def reread(self, examples: Examples) -> Examples:
        """The examples as this variant reads them: the harness lets 0 be a number and knows no lists."""
        return self._without_lists(examples, Audit())

    def other_rules(self) -> Sequence[OtherRule]:
        """SQuAD's rule on the spans joined."""
        metric = _Joined(recipe="squad", both_empty=0.0)
        description = "SQuAD 1.1's exact match and F1 of the spans joined by commas: no alignment, words for numbers"
        return (OtherRule("squad-on-joined-spans", description, (metric,)),)

    def _without_lists(self, examples: Examples, audit: Audit) -> Examples:
        if self.variant == "script":
            return examples
        if self.variant != "simple-evals":
            examples = _only_texts(examples, audit)
        if HARNESS in examples.facts:
            pairs = zip(examples.references, examples.facts[HARNESS], strict=True)
            references = [own if other is None else other for own, other in pairs]
            examples = Examples(
                examples.ids,
                examples.predictions,
                references,
                examples.columns,
                examples.unanswered,
                examples.parts,
                examples.facts,
            )
        return examples


@dataclass(frozen=True)
class _Joined(AnswerScores):
    """SQuAD's scores of spans joined, under the names that DROP has for them."""

    @property
    def columns(self) -> tuple[str, ...]:
        return ("em", "f1")

    def rows(self, examples: Examples) -> Any:
        texts = list(map(joined, examples.predictions))
        references = [list(map(joined, several)) for several in examples.references]
        return super().rows(Examples(examples.ids, texts, references))


def _note_blank(examples: Examples, audit: Audit, name: str) -> None:
    """Record the questions that no answer could get right, and predictions for questions whose answer is empty."""
    blank = [
        examples.ids[at]
        for at, references in enumerate(examples.references)
        if references and not any(spans_of(reference)[0].strip() for reference in references)
    ]
    if blank:
        detail = "they score 0; the published program stops with an error once it has printed its totals"
        audit.add(BLANK, "warning", blank, detail=detail, where=name)
    own = examples.facts.get(ANSWER_TYPE)
    if own is not None and None in own:
        unanswered = set(examples.unanswered)
        empty = [examples.ids[at] for at, kind in enumerate(own) if kind is None and at not in unanswered]
        if empty:
            audit.add(EMPTY_ANSWERS, "error", empty, detail="'answer' must say a number, spans or a date", where=name)


def _only_texts(examples: Examples, audit: Audit) -> Examples:
    """The examples whose prediction is a text, the others counted."""
    lists = [at for at, prediction in enumerate(examples.predictions) if not isinstance(prediction, str)]
    if not lists:
        return examples
    detail = "left out: the harness knows texts alone"
    audit.add(LISTS, "warning", [examples.ids[at] for at in lists], detail=detail)
    without, unanswered = set(lists), set(examples.unanswered)
    kept = [at for at in range(len(examples)) if at not in without]
    found = examples.take(kept)
    found.unanswered = tuple(place for place, at in enumerate(kept) if at in unanswered)
    return found


def counted_types(examples: Examples) -> list[str | None]:
    """The type of the last reference whose scores are both the best so far; that of the answer without a prediction.

    None where every reference is blank.
    """
    scorer, unanswered = SpanScores(), set(examples.unanswered)
    found: list[str | None] = []
    for at, (references, types) in enumerate(zip(examples.references, examples.facts[TYPES], strict=True)):
        if at in unanswered:
            found.append(examples.facts[ANSWER_TYPE][at] or "number")
            continue
        counted = {kind for kind, spans in zip(types, references, strict=True) if spans[0].strip()}
        if len(counted) < 2:
            found.append(next(iter(counted), None))
        else:
            found.append(_last_best(scorer.every(spans_of(examples.predictions[at]), references), types))
    return found


def _last_best(scores: Sequence[tuple[float, float] | None], types: Sequence[str]) -> str | None:
    best_em = best_f1 = 0.0
    found = None
    for pair, kind in zip(scores, types, strict=True):
        if pair is not None:
            best_em, best_f1 = max(best_em, pair[0]), max(best_f1, pair[1])
            if pair == (best_em, best_f1):
                found = kind
    return found
