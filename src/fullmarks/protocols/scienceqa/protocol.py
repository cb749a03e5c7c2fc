"""ScienceQA: accuracy by index, with its groups as texts of two digits; LLaVA's answers read as its script does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from msgspec.structs import replace

from fullmarks.errors import MismatchError
from fullmarks.metrics.choice_accuracy import ChoiceAccuracy
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol, duplicate_option, option
from fullmarks.protocols.scienceqa.files import LACKS_FIELD, NOT_INDICES, read_problems, with_indices
from fullmarks.protocols.scienceqa.rules import (
    CONTEXTS,
    EXPECTED_RESULTS,
    GRADES,
    SUBJECTS,
    TOPICS,
    begins_word,
    read_index,
    share,
)
from fullmarks.readers.alignment import UNKNOWN, OnMissing, note_without_references
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

_READINGS = {"script": "exact", "llava": "llava", "llava-converted": "llava", "lmms-eval": "scienceqa-lmms-eval"}
_COUNTS_MISSING = ("llava", "llava-converted")
_LLAVA = PartsForm({"text": Part("text"), "prompt": Part("prompt")}, id="question_id")
PROMPT_IMAGE = "prompt_image"
"""The column that says whether LLaVA's prompt had an image."""
OTHER_NUMBER = FindingKind("other-number-of-results", "results in the file")
NO_CONTEXT_FIELD = FindingKind(
    "missing-context-fields",
    "problems without the field 'hint' or 'image' that others have",
    "Write both, empty where there is none",
)
FIRST_LETTERS = FindingKind("first-letters", "answers of which a word's first letter was read")


@dataclass(frozen=True, kw_only=True)
class Scienceqa(Protocol):
    """The ScienceQA evaluation."""

    name: ClassVar[str] = "scienceqa"
    title: ClassVar[str] = "ScienceQA: multiple choice by index, by subject, context, grade and topic"
    kind: ClassVar = "visual"
    gold_format: ClassVar[str] = "problems.json {id: {choices, answer, split, ...}}"
    prediction_format: ClassVar[str] = '{"results": {id: index}}; LLaVA\'s {question_id, prompt, text} by a variant'
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes from indices",
        "llava": "LLaVA's program: reads a letter out of every text; accuracy overall and with an image in the prompt",
        "llava-converted": "the published program on the indices that LLaVA's program reads and writes",
        "lmms-eval": "lmms-eval's exact match: the text is the letter in any case, or begins with it and a full stop",
    }
    slices: ClassVar[tuple[str, ...]] = ("subject", "context", "grade", "topic")
    other_columns: ClassVar[tuple[str, ...]] = ("choices",)
    scale: ClassVar[float] = 100.0
    official_names: ClassVar[dict[str, str]] = {"choice_accuracy": "acc_average"}
    denominator: ClassVar[str] = "all problems of the split; acc_average: all results"
    prediction_form: ClassVar[RowForm] = RowForm("question_id", ("text", "prediction", "answer"))

    on_missing: OnMissing = option(
        "program",
        "What to do about problems without a result; program: an error, or wrong where LLaVA's program is meant.",
        choices=("program", *get_args(OnMissing)),
    )
    on_duplicate: OnDuplicate = duplicate_option("last")
    split: str = option("test", "The split whose problems are scored.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if str(self.on_missing) == "program":
            object.__setattr__(self, "on_missing", "zero" if self.variant in _COUNTS_MISSING else "error")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables."""
        pairing = self.pairing(self.read_gold, by, optional=(*self.slices, "choices"), decisive=self.slices)
        if predictions is not None and self.variant == "script":
            predictions = with_indices(predictions, audit)
        elif predictions is not None and _has_prompts(predictions):
            pairing = replace(pairing, form=_LLAVA)
        for examples in pairing.chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            _note_fields(examples, audit, gold.name)
            if self.variant == "script":
                _read_indices(examples, audit, (predictions or gold).name)
            elif self.variant in _COUNTS_MISSING:
                _note_words(examples, audit)
            if "prompt" in examples.parts:
                examples.columns[PROMPT_IMAGE] = ["<image>" in (prompt or "") for prompt in examples.parts["prompt"]]
            yield examples
        if self.variant == "script" and audit.predictions != EXPECTED_RESULTS:
            detail = f"the published program insists on {EXPECTED_RESULTS}"
            audit.add(OTHER_NUMBER, "warning", count=audit.predictions, detail=detail)

    def read_gold(self, source: Source) -> Gold:
        """The problems of the split."""
        return read_problems(source, self.split, as_letters=self.variant != "script")

    def metrics(self) -> tuple[ChoiceAccuracy]:
        """Equality of indices, or of letters by the variant's reading."""
        return (ChoiceAccuracy(_READINGS[self.variant]),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """What the result is broken down by, where the problems carry it."""
        return tuple(name for name in (*self.slices, PROMPT_IMAGE) if name in first.columns)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published shares as texts, or what LLaVA's program or lmms-eval writes."""
        total = tally.totals()[0]
        right = total.sums[0]
        if self.variant == "lmms-eval":
            return {"exact_match": right / total.n}
        if self.variant == "llava":
            with_image = _image_accuracy(tally)
            return {"acc": right / total.n * 100, "correct": round(right), "count": total.n, "img_acc": with_image}
        others = audit.findings.get(UNKNOWN.code) if self.variant == "script" else None
        number = total.n + (others.count if others else 0)
        result: dict[str, Any] = {}
        for name, subject in SUBJECTS.items():
            result[f"acc_{name}"] = _group(tally, "subject", (subject,))
        for name, context in CONTEXTS.items():
            result[f"acc_{name}"] = _group(tally, "context", (context,))
        for name, grades in GRADES.items():
            result[f"acc_{name}"] = _group(tally, "grade", grades)
        result["acc_average"] = share(right, number)
        for topic in TOPICS:
            result[f"acc_{topic}"] = _group(tally, "topic", (topic,))
        return result

    def signature(self) -> dict[str, str]:
        """The split where it is another one."""
        return {**super().signature(), **({} if self.split == "test" else {"split": self.split})}


def _group(tally: Tally, column: str, values: tuple[str, ...]) -> str | int:
    """The share of some values of a column together."""
    found = tally.by(column) if column in tally.columns else {}
    totals = [found[value][0] for value in values if value in found]
    return share(sum(total.sums[0] for total in totals), sum(total.n for total in totals))


def _image_accuracy(tally: Tally) -> float | None:
    """The share over the answers whose prompt has an image; None where there are no prompts."""
    if PROMPT_IMAGE not in tally.columns:
        return None
    found = tally.by(PROMPT_IMAGE).get(True)
    if found is None:
        problem = "no prompt has '<image>', so the accuracy over those that have one divides by zero"
        raise MismatchError("predictions", problem, "Pass --variant llava-converted, which does not ask for it.")
    return found[0].sums[0] / found[0].n * 100


def _has_prompts(source: Source) -> bool:
    """Whether these are rows of LLaVA's runs."""
    if not source.is_object and source.ending in (".csv", ".tsv", ".parquet"):
        return False
    values = read_values(source)
    first = values[0] if isinstance(values, list) and values else None
    return isinstance(first, dict) and _LLAVA.id in first and "text" in first and "prompt" in first


def _read_indices(examples: Examples, audit: Audit, name: str) -> None:
    """The predictions as whole numbers in their own spelling; others are errors."""
    known = {text: read_index(text) for text in set(examples.predictions)}
    without = set(examples.unanswered)
    if None in known.values() and NOT_INDICES.code not in audit.findings:
        places = enumerate(examples.predictions)
        bad = [examples.ids[at] for at, text in places if known[text] is None and at not in without]
        if bad:
            audit.add(NOT_INDICES, "error", bad, detail="pass --variant llava for texts and letters", where=name)
    spelled = {text: text if index is None else str(index) for text, index in known.items()}
    examples.predictions = [spelled[text] for text in examples.predictions]


def _note_fields(examples: Examples, audit: Audit, name: str) -> None:
    lacking = [examples.ids[at] for at, lacks in enumerate(examples.facts.get(LACKS_FIELD, ())) if lacks]
    if lacking:
        detail = "they count as having what they lack, as in the published program"
        audit.add(NO_CONTEXT_FIELD, "warning", lacking, detail=detail, where=name)


def _note_words(examples: Examples, audit: Audit) -> None:
    """Count the answers of which the first letter of a word was taken for an option."""
    metric = ChoiceAccuracy("llava")
    words = [at for at, text in enumerate(examples.predictions) if begins_word(text)]
    if not words:
        return
    letters = metric.letters(examples)
    read = [examples.ids[at] for at in words if letters[at] and examples.predictions[at][1:3] != ". "]
    if read:
        detail = 'the first letter of the word after "The answer is " is taken for an option, as LLaVA\'s program does'
        audit.add(FIRST_LETTERS, "warning", read, detail=detail)
