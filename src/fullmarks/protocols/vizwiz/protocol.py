"""VizWiz: accuracy of answers by type, and how well unanswerable questions are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.metrics.votes import Votes
from fullmarks.protocols.protocol import Kind, Protocol, duplicate_option, option
from fullmarks.protocols.vizwiz.files import ANSWERABLE, check_numbers, note_absent_parts
from fullmarks.protocols.vizwiz.rules import AS_FOUND, LEAVE_ONE_OUT, LLAVA_UPLOAD, RECIPE
from fullmarks.protocols.vizwiz.scores import VizwizScores
from fullmarks.readers.alignment import RepeatedGold
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Total

LMMS_EVAL = "lmms-eval"
_RULES = {"script": (RECIPE.name, AS_FOUND), "leave-one-out": (RECIPE.name, LEAVE_ONE_OUT)}
_RULES["llava-upload"] = (LLAVA_UPLOAD.name, AS_FOUND)
OUT_OF_REACH = FindingKind("out-of-reach", "questions whose gold answers are all out of normal form")


@dataclass(frozen=True, kw_only=True)
class Vizwiz(Protocol):
    """The VizWiz-VQA evaluation."""

    name: ClassVar[str] = "vizwiz"
    title: ClassVar[str] = "VizWiz: agreement with annotators by answer type, and unanswerable questions found"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "[{image, question, answers: [{answer}], answer_type, answerable}]"
    prediction_format: ClassVar[str] = "[{image, answer, answerable}], either of the two or both"
    variants: ClassVar[dict[str, str]] = {
        "script": "the program as found: nobody is left out, min(1, annotators with this answer / 3)",
        "leave-one-out": "its other text that circulates: one annotator at a time is left out",
        LMMS_EVAL: "lmms-eval's: the EvalAI normal form on both sides, one annotator at a time left out, 0-1",
        "llava-upload": "as the script, after the EvalAI normal form that LLaVA's upload gives to predictions",
    }
    slices: ClassVar[tuple[str, ...]] = ("answer_type",)
    other_columns: ClassVar[tuple[str, ...]] = ("question",)
    scale: ClassVar[float] = 100.0
    official_names: ClassVar[dict[str, str]] = {
        "accuracy": "accuracy.overall",
        "f1_score": "unanswerability.f1_score",
    }
    repeated_gold: ClassVar[RepeatedGold] = "last"
    gold_form: ClassVar[RecordForm] = RecordForm(
        "image",
        "answers[].answer",
        columns={"answer_type": "answer_type", "question": "question"},
        facts={ANSWERABLE: f"{ANSWERABLE}?"},
        shape='[{"image", "answers": [{"answer"}], "answer_type", "answerable"}]',
    )
    prediction_form: ClassVar[PartsForm] = PartsForm(
        {"answer": Part("answer"), ANSWERABLE: Part(ANSWERABLE, "any")}, id="image"
    )

    on_duplicate: OnDuplicate = duplicate_option("last")
    precision: int = option(2, "Round to so many digits.", kind=int, least=0, most=15)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; numbers are checked, and golds that predictions cannot equal are counted."""
        for examples in super().read(gold, predictions, audit, by):
            check_numbers(examples, audit, gold.name, "predictions" if predictions is None else predictions.name)
            if self.variant != LMMS_EVAL:
                note_absent_parts(examples, audit)
                _note_out_of_reach(examples, audit, gold.name)
            yield examples

    def metrics(self) -> tuple[Metric, ...]:
        """Accuracy and unanswerability under the variant; lmms-eval has the first alone."""
        return (Votes(recipe="evalai"),) if self.variant == LMMS_EVAL else (self.scores,)

    @property
    def scores(self) -> VizwizScores:
        """The metric of all variants but lmms-eval's."""
        return VizwizScores(*_RULES[self.variant])

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The type of the answer."""
        return ("answer_type",) if "answer_type" in first.columns else ()

    def keeps_rows(self, first: Examples) -> bool:
        """Average precision ranks all questions at once."""
        return any(belief is not None for belief in first.parts.get(ANSWERABLE, ()))

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published result, 0-100, rounded: of the two parts those that the predictions have."""
        del audit
        total = tally.totals()[0]
        if self.variant == LMMS_EVAL:
            return {"exact_match": total.sums[0] / total.n}
        result: dict[str, Any] = {}
        if total.sums[1]:
            groups = tally.by("answer_type") if "answer_type" in tally.columns else {}
            types = {str(value): self._percentage(totals[0]) for value, totals in groups.items()}
            result["accuracy"] = {"overall": self._percentage(total), "perAnswerType": types}
        if total.sums[2]:
            found = {
                "average_precision": self.scores.average_precision(tally.rows[0]),
                "f1_score": self.scores.finish(total)["f1_score"],
            }
            result["unanswerability"] = {name: round(100 * value, self.precision) for name, value in found.items()}
        return result

    def _percentage(self, total: Total) -> float:
        return round(100 * total.sums[0] / total.n, self.precision)

    def signature(self) -> dict[str, str]:
        """The normaliser, and the digits that are kept."""
        if self.variant == LMMS_EVAL:
            return {"norm": "evalai", **super().signature()}
        return {"norm": _RULES[self.variant][0], "precision": str(self.precision), **super().signature()}


def _note_out_of_reach(examples: Examples, audit: Audit, name: str) -> None:
    """Count the questions all of whose answers the normaliser would change: no such answer can be equal to them."""
    changed = {text for text in set(chain.from_iterable(examples.references)) if RECIPE(text) != text}
    if not changed:
        return
    lost = [
        identifier
        for identifier, golds in zip(examples.ids, examples.references, strict=True)
        if golds and changed.issuperset(golds)
    ]
    if lost:
        detail = "predictions are normalised and gold answers are not, so that the same text scores 0"
        audit.add(OUT_OF_REACH, "warning", lost, detail=detail, where=name)
