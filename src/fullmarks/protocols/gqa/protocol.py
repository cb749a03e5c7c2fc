"""GQA: accuracy over the balanced questions with its companions, and tables by type, steps and words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace

from fullmarks.checks import are_labels
from fullmarks.errors import InputError
from fullmarks.metrics.answers import ExactMatch
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.gqa.files import add_choices, add_entailed, note_missing, read_questions
from fullmarks.protocols.gqa.metric import GqaScores
from fullmarks.protocols.gqa.rules import LMMS_EVAL, converted, distribution
from fullmarks.protocols.protocol import Protocol, duplicate_option, option
from fullmarks.readers.alignment import note_without_references
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

NOT_BALANCED = FindingKind("not-balanced", "questions that are not balanced")


@dataclass(frozen=True, kw_only=True)
class Gqa(Protocol):
    """The GQA evaluation."""

    name: ClassVar[str] = "gqa"
    title: ClassVar[str] = "GQA: accuracy, binary and open, consistency, validity, plausibility, distribution"
    kind: ClassVar = "visual"
    gold_format: ClassVar[str] = "questions JSON {id: {question, answer, isBalanced, types, ...}}"
    prediction_format: ClassVar[str] = "[{questionId, prediction}]"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes: answers must be equal to the letter",
        "llava": "LLaVA's converter first (full stops at the end off, lower case), then the published program",
        "lmms-eval": "lmms-eval's exact match without case and punctuation, from 0 to 1",
    }
    slices: ClassVar[tuple[str, ...]] = ("structural", "semantic", "steps", "words")
    other_columns: ClassVar[tuple[str, ...]] = ("group", "image")
    scale: ClassVar[float] = 100.0
    denominator: ClassVar[str] = "the balanced questions"
    prediction_form: ClassVar[RowForm] = RowForm("questionId", ("prediction", "answer", "text"))

    on_duplicate: OnDuplicate = duplicate_option("last")
    choices: Any = option(None, "The choices file {id: {valid, plausible}}: without it both are 0.", kind=Source)
    consistency: bool = option(
        False, "Also tell how many entailed questions are right; all questions then need an answer.", kind=bool
    )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables."""
        if predictions is None:
            for examples in self.pairing(read_questions, by, optional=(*self.slices, "group")).chunks(
                gold, None, audit
            ):
                note_without_references(examples, audit, gold.name)
                yield self._with_choices(examples, audit)
            return
        pairing = self.pairing(read_questions, by, optional=(*self.slices, "group"))
        pairing = replace(pairing, gaps=replace(self.gaps, on_missing="zero", limit=None))
        every = pairing.join(gold, predictions, audit).examples
        balanced = every.facts.pop("is_balanced", [True] * len(every))
        wanted = [True] * len(every) if self.consistency else balanced
        note_missing(every, wanted, audit, self.on_missing, predictions.name)
        yield self._with_choices(self._balanced(every, balanced, audit, gold.name), audit)

    def _balanced(self, every: Examples, balanced: list[Any], audit: Audit, name: str) -> Examples:
        """The questions that count, with the entailed ones where they are asked for."""
        without = set(every.unanswered)
        skipped = without if self.on_missing == "skip" else set[int]()
        kept = [at for at, counts in enumerate(balanced) if counts and at not in skipped][: self.limit]
        left_out = len(balanced) - sum(map(bool, balanced))
        if left_out:
            audit.add(NOT_BALANCED, "note", count=left_out, detail="they are not scored")
        if not kept:
            raise InputError(name, "no question is balanced", "Check that this is the questions file.")
        examples = every.take(kept)
        examples.unanswered = tuple(place for place, at in enumerate(kept) if at in without)
        note_without_references(examples, audit, name)
        if self.consistency and "entailed" in examples.facts:
            skips = self.on_missing == "skip"
            add_entailed(examples, every, name, convert=self.variant == "llava", skips_missing=skips)
        if (
            "group" in examples.columns
            and self.variant != "lmms-eval"
            and not any(group is not None for group in examples.columns["group"])
        ):
            problem = "no balanced question has a global group, so that the distribution divides by zero"
            raise InputError(name, problem, "Check 'groups' in the questions.")
        return examples

    def _with_choices(self, examples: Examples, audit: Audit) -> Examples:
        if not are_labels(examples.columns.get("group", ()), may_be_several=False):
            raise InputError("gold", "a question's global group must be a text", "Check 'groups' in the questions.")
        if self.choices is not None:
            add_choices(examples, Source(self.choices, "choices"), audit)
        return examples

    def metrics(self) -> tuple[Metric]:
        """All shares from one pass; lmms-eval's single one."""
        if self.variant == "lmms-eval":
            return (ExactMatch(recipe=LMMS_EVAL.name),)
        return (GqaScores(convert=self.variant == "llava", consistency=self.consistency),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The published tables."""
        return tuple(column for column in self.slices if column in first.columns)

    def keeps_rows(self, first: Examples) -> bool:
        """The distribution is of all answers together."""
        del first
        return self.variant != "lmms-eval"

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published shares, 0-100, and the distribution."""
        del audit
        metric = tally.metrics[0]
        scores = metric.finish(tally.totals()[0])
        if self.variant == "lmms-eval":
            return scores
        names = ("binary", "open", "accuracy", *(("consistency",) if self.consistency else ()))
        result: dict[str, Any] = {name: scores[name] * 100 for name in (*names, "validity", "plausibility")}
        return {**result, "distribution": self._distribution(tally.examples)}

    def _distribution(self, examples: Examples) -> float | None:
        """None where the questions come without groups, as from a table."""
        if "group" not in examples.columns:
            return None
        golds = [references[0] if references else "" for references in examples.references]
        given = examples.predictions
        return distribution(
            examples.columns["group"], golds, [*map(converted, given)] if self.variant == "llava" else given
        )

    def signature(self) -> dict[str, str]:
        """Whether there were choices, and whether consistency was asked for."""
        given = {"choices": "no" if self.choices is None else "yes"}
        return {**super().signature(), **given, **({"consistency": "yes"} if self.consistency else {})}
