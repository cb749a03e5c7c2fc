"""The rules of other tools as metrics, to set beside a benchmark's own. Their scores bear the names of its scores."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.vqa_accuracy import leave_one_out
from fullmarks.text.other_normalisers import RAW, Normaliser
from fullmarks.text.squad import normalize_answer, token_f1
from fullmarks.text.vqa import normalize_vqa, trim
from fullmarks.types import Examples, Total

if TYPE_CHECKING:
    from fullmarks.text.squad_rule import Rule


@dataclass(frozen=True)
class RuledOverlap(SquadScores):
    """Exact match and token F1 as SQuAD has them, after another normaliser."""

    name: ClassVar[str] = "ruled_overlap"

    normaliser: Normaliser = RAW
    score_names: tuple[str, str] = ("exact", "f1")

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1 under their names elsewhere."""
        return self.score_names

    def raw_rows(self, examples: Examples) -> array[float]:
        """Best exact match and best F1 over the references that count."""
        rows = array("d")
        for prediction, references in zip(examples.predictions, examples.references, strict=True):
            golds = [self.normaliser(reference) for reference in references]
            if self.drop_empty_references:
                golds = [gold for gold in golds if gold] or [""]
            answer = self.normaliser(prediction)
            words = answer.split()
            rows.append(max((float(gold == answer) for gold in golds), default=0.0))
            rows.append(max((token_f1(words, gold.split(), self.both_empty) for gold in golds), default=0.0))
        return rows

    def _rule(self) -> Rule:
        from fullmarks.text.squad_rule import Rule

        return Rule(self.normaliser, self.both_empty, self.drop_empty_references)


@dataclass(frozen=True)
class RuledVotes(Metric):
    """An answer against ten annotators by another rule: how texts are compared, and how votes become a score."""

    name: ClassVar[str] = "ruled_votes"
    summary: ClassVar[str] = "VQA accuracy by the rules of other tools"

    normaliser: Literal["vqa", "squad", "none"] = "vqa"
    rule: Literal["leave-one-out", "thirds", "any", "most-frequent"] = "leave-one-out"

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example."""
        normal = _COMPARED[self.normaliser]
        vote = _VOTES[self.rule]
        pairs = zip(examples.predictions, examples.references, strict=True)
        return array("d", [vote(normal(answer), [normal(gold) for gold in golds]) for answer, golds in pairs])


_COMPARED: dict[str, Callable[[str], str]] = {
    "vqa": lambda text: normalize_vqa(trim(text)),
    "squad": normalize_answer,
    "none": trim,
}


def _most_frequent(answer: str, golds: list[str]) -> float:
    return float(bool(golds) and Counter(golds).most_common(1)[0][0] == answer)


_VOTES: dict[str, Callable[[str, list[str]], float]] = {
    "leave-one-out": lambda answer, golds: leave_one_out([gold == answer for gold in golds]),
    "thirds": lambda answer, golds: min(1.0, golds.count(answer) / 3),
    "any": lambda answer, golds: float(answer in golds),
    "most-frequent": _most_frequent,
}


@dataclass(frozen=True)
class Prepared(Metric):
    """Another metric on texts that were changed before it sees them."""

    name: ClassVar[str] = "prepared"
    summary: ClassVar[str] = "another metric on changed texts"

    inner: Metric
    lower_case: bool = False
    first_reference_only: bool = False

    @property
    def is_mean(self) -> bool:  # type: ignore[override]
        """As the other metric is."""
        return self.inner.is_mean

    @property
    def columns(self) -> tuple[str, ...]:
        """As the other metric's."""
        return self.inner.columns

    @property
    def scores(self) -> tuple[str, ...]:
        """As the other metric's."""
        return self.inner.scores

    def rows(self, examples: Examples) -> array[float]:
        """The other metric's rows of the changed texts."""
        predictions, references = examples.predictions, examples.references
        if self.first_reference_only:
            references = [golds[:1] for golds in references]
        if self.lower_case:
            predictions = [text.lower() for text in predictions]
            references = [[text.lower() for text in golds] for golds in references]
        changed = Examples(examples.ids, predictions, references, examples.columns, examples.unanswered)
        return self.inner.rows(changed)

    def unanswered_row(self, row: array[float]) -> array[float]:
        """As the other metric's."""
        return self.inner.unanswered_row(row)

    def finish(self, total: Total) -> dict[str, float]:
        """The other metric's scores."""
        return self.inner.finish(total)

    def options(self) -> dict[str, Any]:
        """The other metric's options and what was changed."""
        return {**super().options(), "inner": self.inner.name}
