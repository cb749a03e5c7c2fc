"""MLQA: exact match and F1 by the rules of the language that the answers are in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.mlqa.rules import ARTICLES, LM_EVAL_ARABIC
from fullmarks.protocols.official import Mean, official_result
from fullmarks.protocols.protocol import option
from fullmarks.protocols.translated_squad import TranslatedSquad
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

LANGUAGES = tuple(ARTICLES)
_FILE_NAME = re.compile(r"context-([a-z]{2})-question-([a-z]{2})")
"""How the published files are named: test-context-ar-question-de.json."""
OTHER_LANGUAGE = FindingKind(
    "other-language",
    "gold files of another {what} language",
    "Check --language and --question-language, or take the other file",
)


@dataclass(frozen=True, kw_only=True)
class Mlqa(TranslatedSquad):
    """The MLQA evaluation."""

    name: ClassVar[str] = "mlqa"
    title: ClassVar[str] = "MLQA: exact match and F1 by the rules of the answer's language"
    gold_format: ClassVar[str] = "SQuAD JSON (test-context-ar-question-de.json)"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes: in Arabic the article goes inside words too",
        "lm-eval": "lm-evaluation-harness: the Arabic article only at word starts; 0-1 instead of 0-100",
    }

    language: str | None = option(
        None,
        "The language of contexts and answers; it must be given, as the published program asks for it.",
        choices=LANGUAGES,
    )
    question_language: str | None = option(
        None, "The language of the questions, for the signature; it changes no number.", choices=LANGUAGES
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant == "lm-eval":
            object.__setattr__(self, "scale", 1.0)

    @property
    def recipe_name(self) -> str:
        """The recipe for the language and the variant; an error where no language is given."""
        if self.language is None:
            raise UsageError(f"mlqa needs the language of the answers: pass --language {'|'.join(LANGUAGES)}")
        is_other = self.variant == "lm-eval" and self.language == "ar"
        return LM_EVAL_ARABIC.name if is_other else f"mlqa-{self.language}"

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """As the others, once the language is known."""
        self.recipe_name  # noqa: B018 - a language that is not given is an error before anything is read
        self._compare_with_name(gold.name, audit)
        yield from super().read(gold, predictions, audit, by)

    def metrics(self) -> tuple[AnswerScores]:
        """Exact match and F1 after the language's recipe, two empty texts sharing no token."""
        return (AnswerScores(recipe=self.recipe_name),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published program's result, 0-100; 0-1 as the harness reports it."""
        keys = {"exact_match": Mean("exact", self.scale), "f1": Mean("f1", self.scale)}
        return official_result(keys, tally, audit)

    def signature(self) -> dict[str, str]:
        """Normaliser, the languages, variant and the rules for gaps."""
        parts = {} if self.language is None else {"norm": self.recipe_name, "context": self.language}
        if self.question_language is not None:
            parts["question"] = self.question_language
        return {**parts, **super().signature()}

    def _compare_with_name(self, name: str, audit: Audit) -> None:
        """Record that the gold file's name tells of other languages than were given."""
        told = _FILE_NAME.search(name)
        for what, given, found in zip(
            ("context", "question"),
            (self.language, self.question_language),
            told.groups() if told else (),
            strict=False,
        ):
            if given is not None and given != found:
                detail = f"'{found}' by its name, '{given}' by the option"
                audit.add(OTHER_LANGUAGE.about(what=what), "warning", count=1, detail=detail, where=name)
