"""SQuAD 2.0: exact match and F1 with unanswerable questions, thresholds and precision-recall analysis."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.errors import InputError, UsageError
from fullmarks.frozen import frozen
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.squad import NO_ANSWER, SquadScores
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol, option
from fullmarks.protocols.squad2.no_answer import Curve, RankedQuestions
from fullmarks.readers.alignment import RepeatedGold
from fullmarks.readers.pairing import Joined, Pairing
from fullmarks.readers.predictions import RowForm, ids_like, read_probabilities
from fullmarks.readers.source import Source
from fullmarks.readers.squad import read_squad
from fullmarks.types import FIRST_IDS, Audit, Example, Examples, Explanation, FindingKind, Total

if TYPE_CHECKING:
    from fullmarks.protocols.other_rule import OtherRule

ORDER = "no_answer_order"
"""The part with each question's place in the file of probabilities: equal probabilities keep that order."""
NO_PROBABILITIES = FindingKind(
    "no-probabilities", "questions without a no-answer probability", "Pass the probabilities: --na-prob-file FILE"
)
UNKNOWN_PROBABILITIES = FindingKind(
    "unknown-probabilities",
    "no-answer probabilities for unknown questions",
    "Check that the probabilities belong to this gold file",
)


@frozen(kw_only=True)
class Squad2(Protocol):
    """The SQuAD 2.0 evaluation."""

    name: ClassVar[str] = "squad2"
    title: ClassVar[str] = "SQuAD 2.0: exact match and F1, questions without answer included"
    gold_format: ClassVar[str] = "SQuAD JSON (dev-v2.0.json)"
    prediction_format: ClassVar[str] = "{id: text}, or rows with id and prediction_text"
    slices: ClassVar[tuple[str, ...]] = ("has_answer", "title")
    other_columns: ClassVar[tuple[str, ...]] = ("paragraph", "question")
    scale: ClassVar[float] = 100.0
    repeated_gold: ClassVar[RepeatedGold] = "last"
    prediction_form: ClassVar[RowForm] = RowForm(numbers=(NO_ANSWER,))
    writes_one_line: ClassVar[bool] = True
    notes: ClassVar[tuple[FindingKind, ...]] = (UNKNOWN_PROBABILITIES, NO_PROBABILITIES)
    has_curves: ClassVar[bool] = True
    idle_flags: ClassVar[tuple[str, ...]] = ("--verbose", "-v")

    na_prob_file: Any = option(
        None,
        "Probabilities that a question has no answer, {id: number}.",
        flags=("--na-prob-file", "-n"),
        kind=Source,
        is_of_one_system=True,
    )
    na_prob_thresh: float = option(
        1.0,
        "Predict no answer where the probability is greater.",
        flags=("--na-prob-thresh", "-t"),
        kind=float,
    )
    precision_recall: bool = option(
        False, "Add average precisions (needs probabilities).", kind=bool, is_of_one_system=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            is_number = not math.isnan(self.na_prob_thresh)
        except OverflowError:
            is_number = False
        if not is_number:
            raise UsageError("na_prob_thresh must be a number, found nan or one that no float can hold")

    @property
    def why_whole(self) -> str:
        """A file of probabilities is held whole."""
        return super().why_whole if self.na_prob_file is None else "squad2 needs the file of probabilities at once"

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """Official files or tables."""
        del audit
        wanted = tuple(name for name in by if name != "has_answer")
        return self.pairing(read_squad, wanted, optional=("title", "question", NO_ANSWER))

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; probabilities become a column."""
        pairing = self.paired(by, audit)
        if predictions is None:
            if self.na_prob_file is not None:
                raise UsageError(f"one table of examples brings its probabilities in the column '{NO_ANSWER}'")
            chunks = pairing.chunks(gold, None, audit)
        else:
            joined = pairing.join(gold, predictions, audit)
            self._add_probabilities(joined, predictions.name, audit)
            chunks = iter([joined.examples])
        for chunk in chunks:
            self._note_threshold(chunk, audit)
            chunk.columns["has_answer"] = list(map(bool, chunk.references))
            yield chunk

    def metrics(self) -> tuple[SquadScores]:
        """Exact match and F1, with empty references dropped and two empty sides equal."""
        return (_scores(self.na_prob_thresh),)

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """With probabilities also what the threshold withholds: other thresholds are searched for without it."""
        scores = self.metrics()
        if NO_ANSWER not in examples.columns:
            return scores
        from fullmarks.protocols.squad2.withheld import WithheldScores

        return (*scores, WithheldScores(*scores))

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """HasAns and NoAns."""
        del first
        return ("has_answer",)

    def keeps_rows(self, first: Examples) -> bool:
        """Thresholds are searched over all questions at once."""
        return NO_ANSWER in first.columns

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published script's result, 0-100."""
        del audit
        result = _percentages("", tally.totals()[0])
        groups = tally.by("has_answer")
        for prefix, value in (("HasAns_", True), ("NoAns_", False)):
            if value in groups:
                result.update(_percentages(prefix, groups[value][0]))
        if _has_probabilities(tally):
            ranked = self._ranked(tally)
            result.update(_thresholds(*ranked))
            if self.precision_recall:
                curves = _curves(*ranked)
                result.update({f"pr_{name}_ap": 100.0 * curve.average_precision for name, curve in curves.items()})
        elif self.precision_recall:
            raise UsageError("precision and recall need no-answer probabilities. Pass them with --na-prob-file")
        return result

    def explain(self, example: Example) -> Explanation:
        """The overlap with every reference, and what the threshold did."""
        return self.metrics()[0].explain(example)

    def other_rules(self) -> Sequence[OtherRule]:
        """What other tools do."""
        from fullmarks.protocols.squad2.other_rules import other_rules

        return other_rules(self.metrics()[0])

    def signature(self) -> dict[str, str]:
        """Normaliser, threshold and the rule for missing predictions."""
        threshold = {"na_thresh": f"{self.na_prob_thresh:g}"} if self.na_prob_thresh != 1.0 else {}
        return {"norm": "squad", **threshold, **super().signature()}

    def signature_of(self, tally: Tally) -> dict[str, str]:
        """The same; the threshold only where it was in force: with probabilities, or below 0."""
        parts = self.signature()
        if not _has_probabilities(tally) and self.na_prob_thresh >= 0:
            parts.pop("na_thresh", None)
        return parts

    def curves(self, tally: Tally) -> dict[str, Curve]:
        """Precision-recall curves for exact match, F1 and the oracle; none when no question has an answer."""
        return _curves(*self._ranked(tally))

    def _ranked(self, tally: Tally) -> tuple[RankedQuestions, array[float], array[float]]:
        """The questions by probability, with exact match and F1 of all answers whatever the threshold."""
        from fullmarks.protocols.squad2.withheld import withheld

        examples, (rows, withheld_rows) = tally.examples, tally.rows
        exact, f1 = rows[0::2], rows[1::2]
        for position in withheld(examples.columns[NO_ANSWER], self.na_prob_thresh):
            exact[position], f1[position] = withheld_rows[2 * position : 2 * position + 2]
        ranked = RankedQuestions(
            examples.columns[NO_ANSWER],
            examples.columns["has_answer"],
            list(map(bool, examples.predictions)),
            examples.parts.get(ORDER, range(len(examples))),
            examples.unanswered,
        )
        return ranked, exact, f1

    def _note_threshold(self, examples: Examples, audit: Audit) -> None:
        """Say what a threshold without probabilities does."""
        if NO_ANSWER in examples.columns or self.na_prob_thresh == 1.0:
            return
        is_low = self.na_prob_thresh < 0
        audit.add(
            NO_PROBABILITIES,
            "warning" if is_low else "note",
            count=len(examples),
            detail=f"each counts as 0.0, so that the threshold {self.na_prob_thresh:g} "
            + ("makes every answer 'no answer'" if is_low else "changes nothing"),
        )

    def _add_probabilities(self, joined: Joined, name: str, audit: Audit) -> None:
        examples, values = joined.examples, joined.predictions.numbers.get(NO_ANSWER, {})
        if self.na_prob_file is not None:
            source = Source(self.na_prob_file, "no-answer probabilities")
            read = read_probabilities(source, audit, on_duplicate=self.on_duplicate)
            values, name = ids_like(joined.gold_ids, read), source.name
        elif not joined.has_numbers(NO_ANSWER):
            return
        missing = [identifier for identifier in examples.ids if identifier not in values]
        if missing:
            shown = ", ".join(map(repr, missing[:FIRST_IDS]))
            raise InputError(
                name,
                f"{len(missing)} of {len(examples)} questions have no no-answer probability (first: {shown})",
                "Write one for every question, or leave out those without a prediction: --on-missing skip.",
            )
        if len(values) > len(examples):
            known = set(joined.gold_ids)
            unknown = [identifier for identifier in values if identifier not in known]
            if unknown:
                audit.add(UNKNOWN_PROBABILITIES, "warning", unknown, where=name)
        place = joined.places or {identifier: position for position, identifier in enumerate(values)}
        examples.columns[NO_ANSWER] = [values[identifier] for identifier in examples.ids]
        examples.parts[ORDER] = [place[identifier] for identifier in examples.ids]


@lru_cache(maxsize=8)  # a page asks for it once for every example
def _scores(threshold: float) -> SquadScores:
    return SquadScores(threshold=threshold)


def _has_probabilities(tally: Tally) -> bool:
    return tally.keep and NO_ANSWER in tally.examples.columns


def _thresholds(ranked: RankedQuestions, exact: array[float], f1: array[float]) -> dict[str, float]:
    best_exact, exact_threshold = ranked.best_threshold(exact)
    best_f1, f1_threshold = ranked.best_threshold(f1)
    return {
        "best_exact": best_exact,
        "best_exact_thresh": exact_threshold,
        "best_f1": best_f1,
        "best_f1_thresh": f1_threshold,
    }


def _curves(ranked: RankedQuestions, exact: array[float], f1: array[float]) -> dict[str, Curve]:
    if not ranked.answerable:
        return {}
    return {"exact": ranked.curve(exact), "f1": ranked.curve(f1), "oracle": ranked.curve(None)}


def _percentages(prefix: str, total: Total) -> dict[str, Any]:
    exact, f1 = total.sums
    return {
        f"{prefix}exact": 100.0 * exact / total.n,
        f"{prefix}f1": 100.0 * f1 / total.n,
        f"{prefix}total": total.n,
    }
