"""MuSiQue: answers and supporting paragraphs; in the full form also whether twins without an answer are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fullmarks.checks import check_columns
from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.musique.files import FIELDS, NOT_NUMBERS, PAIR, join, read_questions
from fullmarks.protocols.musique.metric import ANSWERABLE, SUPPORT, TWINS, MusiqueScores
from fullmarks.protocols.musique.rules import RECIPE
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import option
from fullmarks.protocols.with_parts import Items, WithParts
from fullmarks.readers.alignment import RepeatedGold, note_without_references
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm, read_values
from fullmarks.readers.source import Source
from fullmarks.readers.table import is_table
from fullmarks.types import Audit, Examples, FindingKind, Gold

UNANSWERABLE = FindingKind(
    "unanswerable-left-out",
    "unanswerable questions left out, for answers alone do not meet them",
    "Write the published JSON lines to have them scored",
)
NAMES = {
    "f1": "answer_f1",
    "exact": "answer_em",
    "support_f1": "support_f1",
    "pair_answer_f1": "group_answer_sufficiency_f1",
    "pair_support_f1": "group_support_sufficiency_f1",
}


@dataclass(frozen=True, kw_only=True)
class Musique(WithParts):
    """The MuSiQue evaluation."""

    name: ClassVar[str] = "musique"
    title: ClassVar[str] = "MuSiQue: answers, supporting paragraphs, answerability of twins"
    gold_format: ClassVar[str] = (
        "JSON lines {id, answer, answer_aliases, answerable, paragraphs: [{idx, is_supporting}]}"
    )
    prediction_format: ClassVar[str] = (
        "JSON lines {id, predicted_answer, predicted_support_idxs, predicted_answerable} in the same order; "
        "answers alone: {id: text}"
    )
    slices: ClassVar[tuple[str, ...]] = ("hops", ANSWERABLE)
    other_columns: ClassVar[tuple[str, ...]] = (PAIR, "question")
    official_names: ClassVar[dict[str, str]] = NAMES
    repeated_gold: ClassVar[RepeatedGold] = "each"
    denominator: ClassVar[str] = "answerable questions; for the two group scores pairs"
    recipe: ClassVar[str] = RECIPE.name
    items: ClassVar[dict[str, Items]] = {SUPPORT: Items("paragraphs", bool, NOT_NUMBERS)}
    gold_form: ClassVar[RecordForm] = RecordForm(
        "id",
        ("answer", "answer_aliases"),
        columns={"question": "question"},
        facts={SUPPORT: "paragraphs", ANSWERABLE: "answerable"},
        shape='{"id", "answer", "answer_aliases", "answerable", "paragraphs": [{"idx", "is_supporting"}]} a line',
    )
    prediction_form: ClassVar[RowForm] = RowForm("id", ("predicted_answer", "prediction_text", "prediction", "answer"))
    keys: ClassVar[dict[str, Key]] = {
        key: Mean(score, over="pairs" if score.startswith("pair_") else ANSWERABLE, digits=3, empty=0)
        for score, key in NAMES.items()
    }

    strict: bool = option(True, "Make predictions for unknown questions an error.", kind=bool)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files, whose lines belong together one by one, or answers alone, which are met by their ids."""
        official = None if predictions is None else _official_rows(predictions)
        if official is not None and predictions is not None:
            questions = read_questions(gold, self.gold_form)
            check_columns(by, questions.columns, gold.name)
            yield join(questions, official, audit, self.gaps, (gold.name, predictions.name))
            return
        pairing = self.pairing(lambda source: self._answerable(source, audit), by, optional=self.slices)
        for examples in pairing.chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            self.note_answers_alone(examples, audit)
            yield examples

    def _answerable(self, source: Source, audit: Audit) -> Gold:
        """The questions that answers alone can meet: those that have an answer. The others are counted."""
        gold = read_questions(source, self.gold_form)
        kept = [at for at, is_answerable in enumerate(gold.facts[ANSWERABLE]) if is_answerable]
        if len(kept) < len(gold.ids):
            audit.add(UNANSWERABLE, "warning", count=len(gold.ids) - len(kept), where=source.name)
        columns, facts = (
            {name: [values[at] for at in kept] for name, values in named.items()}
            for named in (gold.columns, gold.facts)
        )
        return Gold([gold.ids[at] for at in kept], [gold.references[at] for at in kept], columns, facts)

    def metrics(self) -> tuple[Metric, ...]:
        """Answers, paragraphs and pairs."""
        return (MusiqueScores(with_pairs=True),)

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """Those of the answers alone, or without pairs, where there is nothing else."""
        if self.are_answers_alone(examples):
            return (self.answers_metric(),)
        return (MusiqueScores(with_pairs=TWINS in examples.facts),)

    def answers_metric(self) -> AnswerScores:
        """F1 and exact match."""
        return AnswerScores(recipe=RECIPE.name)

    def other_rules(self) -> Sequence[OtherRule]:
        """Of toolkits for retrieval, over the questions that have an answer."""
        return [replace(rule, prepare=_with_answers) for rule in super().other_rules()]

    def keeps_rows(self, first: Examples) -> bool:
        """Pairs are added up in the order in which they are first met, whichever twin has the answer."""
        return TWINS in first.facts

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published keys, those of pairs only where there are unanswerable questions."""
        total = tally.totals()[0]
        if isinstance(tally.metrics[0], AnswerScores):
            exact, f1 = (round(value / total.n, 3) for value in total.sums)
            return {"answer_f1": f1, "answer_em": exact}
        result = super().official(tally, audit)
        if TWINS in tally.examples.facts:
            result.update(_pair_means(tally))
        return result


def _with_answers(examples: Examples) -> Examples:
    """The examples whose questions have an answer."""
    flags = examples.facts.get(ANSWERABLE, [True] * len(examples))
    kept = [position for position, is_answerable in enumerate(flags) if is_answerable]
    without = set(examples.unanswered)
    changed = examples.take(kept)
    changed.unanswered = tuple(place for place, position in enumerate(kept) if position in without)
    return changed


def _pair_means(tally: Tally) -> dict[str, float]:
    """The means over pairs, added up in the order of the pairs' first questions."""
    columns = tally.metrics[0].columns
    counted = tally.rows[0][columns.index("pairs") :: len(columns)]
    place: dict[Any, int] = {}
    for position, pair in enumerate(tally.examples.columns[PAIR]):
        if counted[position] or pair not in place:
            place[pair] = position
    means = {}
    for score in ("pair_answer_f1", "pair_support_f1"):
        values = tally.rows[0][columns.index(score) :: len(columns)]
        total = 0.0
        for position in place.values():
            total += values[position]
        n = round(sum(counted))
        means[NAMES[score]] = round(total / n, 3) if n else 0
    return means


def _official_rows(source: Source) -> list[Any] | None:
    """The rows of the official predictions; None for anything else."""
    if is_table(source) and not source.is_json_lines:
        return None
    document = read_values(source)
    rows = [document] if isinstance(document, dict) else document
    if not isinstance(rows, list) or not isinstance(next(iter(rows), None), dict):
        return None
    return rows if any(field in rows[0] for field in FIELDS) else None
