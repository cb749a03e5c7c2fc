"""A-OKVQA: multiple choice over all questions, direct answers over those that are not difficult."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.tally import Tally
from fullmarks.protocols.aokvqa.files import ASKED, CHOICE, CHOICES, DIRECT_ANSWER, FORM, read_gold
from fullmarks.protocols.aokvqa.scores import AokvqaScores
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Kind, Protocol, duplicate_option, missing_option
from fullmarks.readers.alignment import OnMissing, RepeatedGold
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

OTHER_CHOICES = FindingKind("other-choices", f"predictions whose {CHOICE} is none of the choices")
NONE_DIRECT = FindingKind("no-direct-questions", "questions of which none asks for a direct answer")
NO_DIRECT_ANSWERS = FindingKind("no-direct-answers", "questions without any direct answer")


@dataclass(frozen=True, kw_only=True)
class Aokvqa(Protocol):
    """The A-OKVQA evaluation."""

    name: ClassVar[str] = "aokvqa"
    title: ClassVar[str] = "A-OKVQA: right choices, and direct answers against ten annotators"
    kind: ClassVar[Kind] = "visual"
    also_known_as: ClassVar[tuple[str, ...]] = ("a-okvqa", "a_okvqa")
    gold_format: ClassVar[str] = "[{question_id, choices, correct_choice_idx, direct_answers, difficult_direct_answer}]"
    prediction_format: ClassVar[str] = "{id: {multiple_choice, direct_answer}}, either of the two or both"
    other_columns: ClassVar[tuple[str, ...]] = ("split", "image_id", "question")
    scale: ClassVar[float] = 100.0
    repeated_gold: ClassVar[RepeatedGold] = "last"
    denominator: ClassVar[str] = "all questions for MC, those not difficult for DA"
    gold_form: ClassVar[RecordForm] = FORM
    prediction_form: ClassVar[PartsForm] = PartsForm(
        {DIRECT_ANSWER: Part(DIRECT_ANSWER), CHOICE: Part(CHOICE)}, id="question_id"
    )

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files, or a table of direct answers; what scores nothing for a reason is counted."""
        for examples in self.pairing(self.read_gold, by).chunks(gold, predictions, audit):
            _note_no_choices(examples, audit, "predictions" if predictions is None else predictions.name)
            _note_not_asked(examples, audit, gold.name)
            yield examples

    def read_gold(self, source: Source) -> Gold:
        """The official file, the right choice as a text."""
        return read_gold(source)

    def metrics(self) -> tuple[AokvqaScores]:
        """Both settings."""
        return (AokvqaScores(),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The two numbers from 0 to 100, each if a prediction has it and a question asks for it."""
        del audit
        total = tally.totals()[0]
        choice, choice_given, direct, direct_given, asked = total.sums
        found = {"MC": choice / total.n * 100} if choice_given else {}
        return {**found, "DA": direct / asked * 100} if direct_given and asked else found

    def other_rules(self) -> tuple[OtherRule, ...]:
        """What normalising, and leaving one annotator out, would change about direct answers."""
        return (
            OtherRule(
                "evalai-normal-form",
                "direct answers on both sides in the EvalAI normal form",
                (AokvqaScores("evalai"),),
            ),
            OtherRule(
                "leave-one-out",
                "direct answers against the other annotators, one at a time left out",
                (AokvqaScores(rule="leave-one-out"),),
            ),
        )


def _note_no_choices(examples: Examples, audit: Audit, name: str) -> None:
    choices, given = examples.facts.get(CHOICES, ()), examples.parts.get(CHOICE, ())
    pairs = zip(examples.ids, given, choices, strict=False)
    strange = [identifier for identifier, choice, known in pairs if choice is not None and choice not in known]
    if strange:
        detail = "they score 0: a choice is given by its text, not by its letter or place"
        audit.add(OTHER_CHOICES, "warning", strange, detail=detail, where=name)


def _note_not_asked(examples: Examples, audit: Audit, name: str) -> None:
    if not any(examples.facts.get(ASKED, (True,))):
        detail = "so there is no DA: 'difficult_direct_answer' is false for none of them, or not given"
        audit.add(NONE_DIRECT, "warning", count=len(examples), detail=detail, where=name)
    empty = [
        identifier
        for identifier, golds, asked in zip(
            examples.ids, examples.references, examples.facts.get(ASKED, [True] * len(examples)), strict=True
        )
        if asked and not golds
    ]
    if empty:
        audit.add(NO_DIRECT_ANSWERS, "warning", empty, detail="they score 0 in DA", where=name)
