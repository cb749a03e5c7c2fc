"""MMMU: letters and open answers, or raw responses out of which letters are read and, failing that, drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.choice_accuracy import ChoiceAccuracy
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.mmmu.files import ANSWERS, gold_of_rows, options_in, raw_rows, read_answers, with_texts
from fullmarks.protocols.mmmu.metric import GUESS, MmmuAccuracy
from fullmarks.protocols.mmmu.rules import (
    DOMAIN_OF,
    MULTIPLE_CHOICE,
    QUESTION_TYPE,
    Guesses,
    printed_result,
    subject_of,
    wanted_forms,
)
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option
from fullmarks.readers.alignment import OnMissing, RepeatedGold, note_empty, note_without_references
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.text.choice_readings import options_of
from fullmarks.types import Audit, Examples, FindingKind, Gold, Identifier, Level

_READINGS = {"script": "exact", "raw": "mmmu", "lmms-eval": "mmmu-lmms-eval", "pro": "mmmu-pro"}
RESPONSES_NOT_TEXTS = FindingKind(
    "responses-not-texts", "responses that are not texts", "Write every response as a text"
)
REPEATED_ROWS = FindingKind("repeated-rows", "rows with a repeated id")
NO_LETTER = FindingKind("no-letter", "responses that name no letter", "Give the rows their options", is_unreadable=True)
NO_OPTION = FindingKind(
    "no-option",
    "responses that name no option",
    "Look at some of them: fullmarks explain. If the answer is there, take it out with --extract",
    for_errors_only=True,
    is_unreadable=True,
)
NO_SUBJECT = FindingKind("no-subject", "questions of no subject of MMMU")
UNKNOWN_OF_SUBJECT = FindingKind(
    "unknown-predictions-of-subject",
    "predictions for unknown questions of a known subject",
    "Remove them, and check that both files belong together",
)
EMPTY_GOLDS = FindingKind("empty-open-answers", "open questions with an empty gold answer")


@dataclass(frozen=True, kw_only=True)
class Mmmu(Protocol):
    """The MMMU evaluation."""

    name: ClassVar[str] = "mmmu"
    title: ClassVar[str] = "MMMU: letters and open answers by subject and domain, or raw responses"
    kind: ClassVar = "visual"
    gold_format: ClassVar[str] = "{id: {question_type, ground_truth}}"
    prediction_format: ClassVar[str] = "{id: letter or text}; rows with answer and response by a variant, in one file"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes from letters and open answers",
        "raw": "the program that reads raw responses, and draws a letter at random where it finds none (seed 42)",
        "lmms-eval": "lmms-eval's reading of raw responses: other letters, and open answers that are never right",
        "pro": "MMMU-Pro's reading of raw responses, its guesses drawn as MMMU's are, for it sets no seed",
    }
    slices: ClassVar[tuple[str, ...]] = ("domain", "subject", "question_type")
    official_names: ClassVar[dict[str, str]] = {"accuracy": "Overall"}
    denominator: ClassVar[str] = "the questions that have a prediction"
    repeated_gold: ClassVar[RepeatedGold] = "last"
    gold_form: ClassVar[RecordForm] = ANSWERS
    prediction_form: ClassVar[RowForm] = RowForm("id", ("response", "prediction", "answer"))

    on_missing: OnMissing = missing_option("skip")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files, rows of raw responses, or tables."""
        for examples in self._chunks(gold, predictions, audit, by):
            note_without_references(examples, audit, gold.name)
            scored = examples if self.variant == "pro" else _of_known_subjects(examples, audit, gold.name)
            _note_empty_golds(scored, audit, gold.name)
            yield scored

    def _chunks(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...]
    ) -> Iterator[Examples]:
        rows = None if self.variant == "script" else raw_rows(gold)
        if rows is not None and predictions is None:
            yield self._of_rows(rows, gold, audit)
            return
        pairing = self.pairing(self.read_gold, by, optional=(*self.slices, "choices"), decisive=("subject",))
        if predictions is None:
            guesses = Guesses()
            for examples in pairing.chunks(gold, None, audit):
                self._finish(examples, guesses, audit, range(len(examples)))
                yield examples
            return
        questions = self.read_gold(gold) if self.variant == "script" and not _is_table(gold) else None
        if questions is not None and QUESTION_TYPE in questions.columns:
            kinds = dict(zip(questions.ids, questions.columns[QUESTION_TYPE], strict=True))
            predictions = with_texts(predictions, kinds, audit)
        joined = pairing.join(gold, predictions, audit)
        _refuse_strangers(joined.predictions.texts, joined.gold_ids, audit, predictions.name)
        examples = joined.examples
        if self.variant != "script":
            _take_options(examples, predictions)
        places = {identifier: at for at, identifier in enumerate(examples.ids)}
        order = [places[identifier] for identifier in joined.predictions.texts if identifier in places]
        self._finish(examples, Guesses(), audit, order)
        yield examples

    def _of_rows(self, rows: list[dict[str, Any]], source: Source, audit: Audit) -> Examples:
        """The examples of rows that hold question and response, each row one."""
        gold = self._gold_of_rows(rows, source)
        texts = [row["response"] if isinstance(row.get("response"), str) else "" for row in rows]
        odd = [row["id"] for row in rows if not isinstance(row.get("response"), str)]
        if odd:
            level: Level = "warning" if self.variant == "pro" else "error"
            audit.add(RESPONSES_NOT_TEXTS, level, odd, where=source.name)
        audit.gold = audit.predictions = len(rows)
        repeated = len(gold.ids) - len(set(gold.ids))
        if repeated:
            detail = "each row counts, as in the published program"
            audit.add(REPEATED_ROWS, "warning", count=repeated, detail=detail, where=source.name)
        examples = Examples(gold.ids, texts, gold.references, gold.columns, facts=gold.facts)
        examples = examples if self.limit is None else examples.part(0, self.limit)
        note_empty(examples, audit)
        self._finish(examples, Guesses(), audit, range(len(examples)))
        return examples

    def _finish(self, examples: Examples, guesses: Guesses, audit: Audit, order: Any) -> None:
        """Subjects where they are not known yet, and a guess for every response that names no option."""
        if "subject" not in examples.columns:
            examples.columns["subject"] = [*map(subject_of, examples.ids)]
        if "domain" not in examples.columns:
            examples.columns["domain"] = [DOMAIN_OF.get(subject) for subject in examples.columns["subject"]]
        if self.variant == "script":
            return
        letters = ChoiceAccuracy(_READINGS[self.variant]).letters(examples)
        kinds = examples.columns.get(QUESTION_TYPE) or [MULTIPLE_CHOICE] * len(examples)
        choices = examples.facts.get("choices") or [None] * len(examples)
        without, drawn = set(examples.unanswered), list[Identifier]()
        examples.facts[GUESS] = [None] * len(examples)
        optionless = list[Identifier]()
        for at in order:
            if letters[at] is None and kinds[at] == MULTIPLE_CHOICE and at not in without:
                if choices[at]:
                    examples.facts[GUESS][at] = guesses.draw(options_of(choices[at]).letters)
                (drawn if choices[at] else optionless).append(examples.ids[at])
        if optionless:
            detail = "their options are not known, so that no letter could be drawn: they are wrong"
            audit.add(NO_LETTER, "warning", optionless, detail=detail)
        if drawn:
            detail = "a letter was drawn at random for them, as the program does (seed 42, in file order)"
            audit.add(NO_OPTION, "warning", drawn, detail=detail)

    def read_gold(self, source: Source) -> Gold:
        """The answers by id, or those of rows."""
        rows = None if self.variant == "script" else raw_rows(source)
        return read_answers(source) if rows is None else self._gold_of_rows(rows, source)

    def _gold_of_rows(self, rows: list[dict[str, Any]], source: Source) -> Gold:
        return gold_of_rows(rows, source.name, only_choices=self.variant == "pro")

    def metrics(self) -> tuple[MmmuAccuracy]:
        """Letters as they are, or by the variant's reading."""
        return (MmmuAccuracy(_READINGS[self.variant]),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The subjects."""
        del first
        return ("subject",)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published table; with raw responses also how many letters were drawn at random."""
        del audit
        right, *guessed = tally.totals()[0].sums
        if self.variant == "pro":
            return {"accuracy": right / tally.n * 100, "random_guesses": round(guessed[0])}
        found = {str(subject): totals[0] for subject, totals in tally.by("subject").items()}
        counts = {subject: (total.sums[0], total.n) for subject, total in found.items()}
        table = printed_result(counts, 5 if self.variant == "lmms-eval" else 3)
        return table if self.variant == "script" else {**table, "random_guesses": round(guessed[0])}


def _is_table(source: Source) -> bool:
    from fullmarks.readers.tables.table import is_table

    if source.is_object:
        return not isinstance(source.given, dict)
    return is_table(source) or source.read().lstrip()[:1] == b"["


def _of_known_subjects(examples: Examples, audit: Audit, name: str) -> Examples:
    """The examples of MMMU's subjects; the program does not look at others."""
    unknown = {at for at, subject in enumerate(examples.columns["subject"]) if subject not in DOMAIN_OF}
    if not unknown:
        return examples
    ids = [examples.ids[at] for at in sorted(unknown)]
    detail = "not scored; the subject is what stands between the first and the last underscore of the id"
    audit.add(NO_SUBJECT, "warning", ids, detail=detail, where=name)
    kept = [at for at in range(len(examples)) if at not in unknown]
    left = examples.take(kept)
    left.unanswered = tuple(place for place, at in enumerate(kept) if at in set(examples.unanswered))
    return left


def _refuse_strangers(texts: dict[Identifier, str], gold_ids: list[Identifier], audit: Audit, name: str) -> None:
    """An error for predictions of a subject that the gold has, for a question that it has not: the program crashes."""
    known = set(gold_ids)
    subjects = {*map(subject_of, gold_ids)} & DOMAIN_OF.keys()
    bad = [each for each in texts if each not in known and subject_of(each) in subjects]
    if bad:
        audit.add(UNKNOWN_OF_SUBJECT, "error", bad, where=name)


def _take_options(examples: Examples, predictions: Source) -> None:
    """The options from the rows of the responses, where the gold has none."""
    if "choices" in examples.facts:
        return
    rows = raw_rows(predictions)
    if rows is None:
        return
    kinds = examples.columns.get(QUESTION_TYPE) or [MULTIPLE_CHOICE] * len(examples)
    by_id = {row["id"]: row for row in rows}
    examples.facts["choices"] = [
        options_in(by_id[each], f"{predictions.name}: {each!r}") if each in by_id and kind == MULTIPLE_CHOICE else None
        for each, kind in zip(examples.ids, kinds, strict=True)
    ]


def _note_empty_golds(examples: Examples, audit: Audit, name: str) -> None:
    kinds = examples.columns.get(QUESTION_TYPE) or [MULTIPLE_CHOICE] * len(examples)
    empty = [
        examples.ids[at]
        for at, kind in enumerate(kinds)
        if kind != MULTIPLE_CHOICE and "" in wanted_forms(examples.references[at])
    ]
    if empty:
        detail = "every answer that is not a number contains it and is right, as in the published program"
        audit.add(EMPTY_GOLDS, "warning", empty, detail=detail, where=name)
