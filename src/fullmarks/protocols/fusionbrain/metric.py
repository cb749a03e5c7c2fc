"""The FusionBrain contest's scores of Russian answers, each usable alone: TextQA, MathQA, VisualQA.

Invariant: the dictionary is opened once per process, outside of the metrics, which stay plain values.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, get_args

from fullmarks.lexicons.morphology import RussianLemmatiser, morphology_name
from fullmarks.metrics.meteor import REMEMBERED_TEXTS, Nltk, cuts_dashes, lexicon_name, open_meteor
from fullmarks.metrics.meteor_explanation import alignment_facts, alignment_steps
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.protocols.fusionbrain.rules import (
    AnswerScore,
    MeteorScore,
    checked,
    is_numeric,
    mathqa_score,
    numeric_score,
    textqa_score,
    visual_form,
    visualqa_score,
)
from fullmarks.text.kernel import Tokeniser, meteor_rows
from fullmarks.text.meteor import Meteor
from fullmarks.text.russian import RussianNormaliser, answer_words
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class _RussianAnswer(Metric):
    """What the answers have in common: one score, at least one reference, normal forms."""

    citation: ClassVar[str] = "FusionBrain Challenge 2.0, AI Journey Contest 2022"
    needs: ClassVar[str] = "ru"
    fewest_references: ClassVar[int] = 1
    is_expensive: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return (self.name,)

    def signature_parts(self) -> dict[str, str]:
        """The options, then the dictionary by version."""
        return {**super().signature_parts(), "lemmas": morphology_name()}


@dataclass(frozen=True)
class _SecondTry(_RussianAnswer):
    """Normalised texts compared; where that fails, the first letter a-e of the answer gets a second try."""

    kept_marks: ClassVar[str] = ""

    second_try: bool = True

    @property
    def _normalise(self) -> Callable[[str], str]:
        return _normaliser(self.kept_marks)

    @abstractmethod
    def judge(self, prediction: str, references: list[str], *, second_try: bool) -> AnswerScore:
        """The score of one answer, with the texts that gave it."""

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example."""
        pairs = zip(examples.predictions, examples.references, strict=True)
        return array("d", [self.judge(*pair, second_try=self.second_try).score for pair in pairs])

    def explain(self, example: Example) -> Explanation:
        """Normal forms, the first score, and the letter that was tried second, if any."""
        first = self.judge(example.prediction, example.references, second_try=False)
        final = self.judge(example.prediction, example.references, second_try=self.second_try)
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "normalised": first.prediction,
            "best reference": example.references[first.option],
            "first try": first.score,
        }
        if final.letter is not None:
            facts["second try"] = f"the letter '{final.letter}' alone: {final.score:g}"
        elif self.second_try:
            facts["second try"] = "none: the first was good enough, or the answer holds no letter a-e"
        table = [{"reference": text, "normalised": self._normalise(text)} for text in example.references]
        return Explanation(example.id, {self.name: final.score}, facts, {"references": table})


@dataclass(frozen=True)
class FusionbrainTextqa(_SecondTry):
    """Token F1 of normal forms with numerals in digits; at most 0.5 lets the letter a-e replace it, even if lower.

    The best reference counts; two empty texts give 1.0. Source: FusionBrain Challenge 2.0.
    """

    name: ClassVar[str] = "fusionbrain_textqa"
    summary: ClassVar[str] = "token F1 of Russian normal forms, with a second try by the letter a-e"

    def judge(self, prediction: str, references: list[str], *, second_try: bool) -> AnswerScore:
        """Best token F1."""
        return textqa_score(prediction, references, self._normalise, second_try=second_try)


@dataclass(frozen=True)
class FusionbrainMathqa(_SecondTry):
    """1 where the normal forms (minus signs kept) equal a reference's, or the answer's first letter a-e does.

    Source: FusionBrain Challenge 2.0.
    """

    name: ClassVar[str] = "fusionbrain_mathqa"
    summary: ClassVar[str] = "exact match of Russian normal forms, with a second try by the letter a-e"
    kept_marks: ClassVar[str] = "-"

    def judge(self, prediction: str, references: list[str], *, second_try: bool) -> AnswerScore:
        """Exact match with any reference."""
        return mathqa_score(prediction, references, self._normalise, second_try=second_try)


@dataclass(frozen=True)
class FusionbrainVisualqa(_RussianAnswer):
    """METEOR without a penalty; min/max of two numbers where the reference is a single one.

    Texts are lemmatised as one word, stems are Porter's: so the contest computes it. With `by_words` each word is
    brought to its normal form, numerals become digits on both sides and stems are Russian, as its published description
    has it. The best reference counts. `nltk` says whose word tokens are meant: those of 3.9 and before, or of 3.10 and
    later. Source: FusionBrain Challenge 2.0.
    """

    name: ClassVar[str] = "fusionbrain_visualqa"
    summary: ClassVar[str] = "METEOR without penalty of Russian answers, or the ratio of two numbers"

    lexicon: str | None = None
    nltk: Nltk = limited("3.9", choices=get_args(Nltk))
    by_words: bool = False

    @property
    def aligner(self) -> Meteor:
        """The stemmer and lexicon at work; opens them."""
        return open_meteor("russian" if self.by_words else "porter", self.lexicon, 0.9, 3.0, 0.0)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example: that of `visualqa_score`, METEOR by the kernel."""
        own, gold = self._words(is_prediction=True), self._words(is_prediction=False)
        rows = array("d", bytes(8 * len(examples)))
        aligned: list[int] = []
        wordy: list[list[str]] = []
        for at, options in enumerate(examples.references):
            numbers = [option for option in checked(options) if is_numeric(gold(option).split())]
            if numbers:
                words = own(examples.predictions[at]).split()
                rows[at] = max([numeric_score(words, gold(number)).score for number in numbers])
            if len(numbers) < len(options):
                aligned.append(at)
                wordy.append([option for option in options if option not in numbers] if numbers else options)
        found = meteor_rows(
            [examples.predictions[at] for at in aligned],
            wordy,
            meteor=self.aligner,
            tokeniser=Tokeniser(own),
            gold_tokeniser=Tokeniser(gold),
        )
        for at, value in zip(aligned, found, strict=True):
            rows[at] = max(rows[at], value)
        return rows

    def _words(self, *, is_prediction: bool) -> Callable[[str], str]:
        """What makes of a text its words, joined by blanks."""
        number_words, cuts = is_prediction or self.by_words, cuts_dashes(self.nltk)

        @lru_cache(maxsize=REMEMBERED_TEXTS)
        def words(text: str) -> str:
            return " ".join(answer_words(self._normal(text), number_words=number_words, cuts_dashes=cuts)).lower()

        return words

    def _normal(self, text: str) -> str:
        return visual_form(text, _lemmatiser(), by_words=self.by_words)

    def explain(self, example: Example) -> Explanation:
        """The two numbers, or the alignment with the best reference stage by stage."""
        meteor, normal = self.aligner, self._normal(example.prediction)
        cuts, by_words = cuts_dashes(self.nltk), self.by_words
        found = visualqa_score(
            example.prediction, example.references, _lemmatiser(), meteor, cuts_dashes=cuts, by_words=by_words
        )
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "normalised": normal,
            "tokens": answer_words(normal, number_words=True, cuts_dashes=cuts),
            "best reference": example.references[found.option],
            **_reasons(found, meteor),
            "lexicon": lexicon_name(self.lexicon),
        }
        table = [{"reference": text, "normalised": self._normal(text)} for text in example.references]
        tables = {"alignment": alignment_steps(found.alignment, meteor)} if found.alignment else {}
        return Explanation(example.id, {self.name: found.score}, facts, {**tables, "references": table})

    def signature_parts(self) -> dict[str, str]:
        """The lexicon by its kind and content, then the dictionary."""
        return {**super().signature_parts(), "lexicon": lexicon_name(self.lexicon)}


def _reasons(found: MeteorScore, meteor: Meteor) -> dict[str, Any]:
    if found.alignment is not None:
        return alignment_facts(found.alignment, meteor)
    first, gold = found.numbers or (None, None)
    shown = "none in the prediction" if first is None else f"{first:g}"
    if gold is None:
        return {"numbers": f"{shown}; the reference is a numeric sign without a value as a decimal"}
    return {"numbers": f"{shown} against {gold:g}: the smaller divided by the larger"}


@lru_cache(maxsize=1)
def _lemmatiser() -> RussianLemmatiser:
    return RussianLemmatiser()


@lru_cache(maxsize=2)
def _normaliser(kept_marks: str) -> RussianNormaliser:
    return RussianNormaliser(_lemmatiser(), keep=kept_marks)
