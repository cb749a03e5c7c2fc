"""How WebQA's questions and answers come together: from one table, or from questions and a submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fullmarks.checks import check_columns
from fullmarks.errors import InputError
from fullmarks.protocols.webqa.files import Questions, Submission, read_questions, read_submission
from fullmarks.protocols.webqa.retrieval import SOURCES
from fullmarks.protocols.webqa.rules import CATEGORIES
from fullmarks.readers.alignment import Gaps, align, note_without_references, repeated, told_apart
from fullmarks.readers.predictions import REPEATED, TakenById
from fullmarks.readers.source import Source
from fullmarks.readers.tables.table import is_table
from fullmarks.types import Audit, Examples, FindingKind

NOT_PUBLIC = "TBD"
"""What the published files write where keywords are kept secret."""
NO_CANDIDATE = FindingKind("no-candidates", "questions with an empty list of candidates")
TOO_FEW = FindingKind(
    "too-few-candidates",
    "questions with fewer candidates than --output-idx asks for",
    "Pass an --output-idx that every question has",
)
SECRET = FindingKind("secret-keywords", f"questions whose keywords are not public ('{NOT_PUBLIC}')")
UNSOURCED = FindingKind("missing-sources", "predictions without sources", "Name the sources of every answer")
LEFT_OUT = FindingKind("other-categories", "questions of other categories left out")


@dataclass(frozen=True)
class WebqaInput:
    """The rules of reading. What is asked for must be in the files; every category must be a known one."""

    needs_keywords: bool
    needs_references: bool
    gaps: Gaps
    output_idx: int = 0
    categories: Sequence[str] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    each_row: bool = False
    """Whether every row of one table counts, also where its id was there before."""

    def read(self, gold: Source, predictions: Source | None, audit: Audit, by: Sequence[str]) -> Examples:
        """All examples, with what is odd about them in the audit."""
        needed = ["id", "category", *(["keywords"] if self.needs_keywords else [])]
        needed += ["references"] if self.needs_references else []
        if predictions is None:
            questions = self._questions(gold, [*needed, "candidates"])
            questions = (self._told_apart if self.each_row else self._unique)(questions, gold.name, audit)
            submission = self._candidates(questions, gold.name, audit)
        else:
            questions = self._questions(gold, needed)
            submission = self._submission(predictions, audit)
        check_columns(by, questions.gold.columns, gold.name)
        questions = self._chosen(questions, submission, audit, gold.name)
        return self._joined(questions, submission, audit, (gold.name, (predictions or gold).name))

    def _questions(self, source: Source, needed: Sequence[str]) -> Questions:
        return read_questions(source, needed=needed, categories=CATEGORIES, renamed=self.renamed)

    def _submission(self, source: Source, audit: Audit) -> Submission:
        if not is_table(source):
            return read_submission(source, audit, self.gaps.on_duplicate)
        table = self._unique(self._questions(source, ["id", "candidates"]), source.name, audit)
        return self._candidates(table, source.name, audit)

    def _told_apart(self, questions: Questions, name: str, audit: Audit) -> Questions:
        """All rows, a repeated id with its number."""
        again = repeated(questions.gold.ids)
        if again:
            detail = "each row counts, as in the published program"
            audit.add(REPEATED, "warning", again, detail=detail, where=name)
            questions.gold.ids = list(told_apart(questions.gold.ids))
        return questions

    def _unique(self, questions: Questions, name: str, audit: Audit) -> Questions:
        """The rows without those that the rule for repeated ids drops."""
        rows = TakenById(audit, self.gaps.on_duplicate, name)
        for position, identifier in enumerate(questions.gold.ids):
            rows.put(identifier, position)
        if (found := audit.findings.get(REPEATED.code)) is not None and found.where == name:
            found.detail = "the published program scores every row of one table: --on-duplicate each"
        return questions if len(rows.values) == len(questions.places) else questions.take(list(rows.values.values()))

    def _candidates(self, questions: Questions, name: str, audit: Audit) -> Submission:
        """The candidate that was asked for of every row; where there is none at all, nothing, which scores 0."""
        submission = Submission()
        rows = zip(questions.gold.ids, questions.candidates or [], questions.places, strict=True)
        for identifier, candidates, place in rows:
            if -len(candidates) <= self.output_idx < len(candidates):
                submission.answers[identifier] = candidates[self.output_idx]
                continue
            submission.answers[identifier] = ""
            if candidates:
                audit.add(TOO_FEW, "error", [identifier], detail=f"{place} has {len(candidates)}", where=name)
            else:
                submission.empty.add(identifier)
                detail = f"they score 0 ({place} is the first)"
                audit.add(NO_CANDIDATE, "warning", [identifier], detail=detail, where=name)
        return submission

    def _chosen(self, questions: Questions, submission: Submission, audit: Audit, name: str) -> Questions:
        """The questions of the categories asked for; answers to the others are none of our business."""
        if not self.categories:
            return questions
        given = questions.gold.columns["category"]
        kept = [position for position, category in enumerate(given) if category in self.categories]
        if not kept:
            has = ", ".join(dict.fromkeys(given))
            found = f"no question is of the categories {', '.join(self.categories)}; it has {has}"
            raise InputError(name, found, "Check --categories.")
        chosen = questions.take(kept)
        others = set(questions.gold.ids) - set(chosen.gold.ids)
        for identifier in others:
            submission.answers.pop(identifier, None)
        if others:
            audit.add(LEFT_OUT, "note", count=len(others))
        return chosen

    def _joined(self, questions: Questions, submission: Submission, audit: Audit, names: tuple[str, str]) -> Examples:
        gold = questions.gold
        if questions.sources is not None and submission.sources:
            gold.facts[SOURCES] = list(questions.sources)
        examples = align(
            gold,
            submission.answers,
            audit,
            self.gaps,
            gold_name=names[0],
            name=names[1],
        )
        if submission.empty:
            empty = [at for at, identifier in enumerate(examples.ids) if identifier in submission.empty]
            examples.unanswered = tuple(sorted({*examples.unanswered, *empty}))
        if SOURCES in examples.facts:
            _add_sources(examples, submission, audit, names[1])
        self._note(examples, audit, names[0])
        return examples

    def _note(self, examples: Examples, audit: Audit, name: str) -> None:
        if self.needs_references:
            note_without_references(examples, audit, name)
        if self.needs_keywords:
            secret = [examples.ids[at] for at, text in enumerate(examples.columns["keywords"]) if text == NOT_PUBLIC]
            if secret:
                detail = "--approx compares with the right answers instead"
                audit.add(SECRET, "warning", secret, detail=detail, where=name)


def _add_sources(examples: Examples, submission: Submission, audit: Audit, name: str) -> None:
    """The sources that were named, None where nothing was said of them, which scores 0."""
    right = examples.facts[SOURCES]
    without = [
        identifier
        for identifier, sources in zip(examples.ids, right, strict=True)
        if sources is not None and identifier not in submission.sources
    ]
    if without:
        audit.add(UNSOURCED, "warning", without, detail="their retrieval scores 0", where=name)
    examples.parts[SOURCES] = [submission.sources.get(identifier) for identifier in examples.ids]
