"""WebQA accuracy: the overlap of an answer with its keywords, or with the right answer where keywords are not public.

Both are here as metrics (for many examples at once) and as plain functions of one answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.lexicons.spacy_lemmas import DEFAULT_MODEL, open_lemmatiser
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.webqa.rules import (
    CATEGORIES,
    NO_OVERLAP,
    SMOOTHING,
    Overlap,
    kept_tokens,
    normalize_webqa,
    token_overlap,
)
from fullmarks.types import Example, Examples, Explanation

CATEGORY = "category"
"""The column that says how an example is judged."""


@dataclass(frozen=True)
class WebqaAccuracy(Metric):
    """F1 (colours, shapes, yes or no, numbers) or recall (all else) of an answer's lemmas against keywords.

    The category of every example comes in the column `category`. Of several references the one with the highest
    accuracy counts; without any, an answer scores 0.0. Source: WebQA.
    """

    name: ClassVar[str] = "webqa_accuracy"
    summary: ClassVar[str] = "WebQA accuracy: F1 or recall of lemmas against keywords, by category"
    needs: ClassVar[str] = "webqa"
    smoothing: ClassVar[float] = SMOOTHING

    spacy_model: str = DEFAULT_MODEL

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, then what it is made of."""
        return (self.name, *Overlap._fields)

    @property
    def lemmatiser_name(self) -> str:
        """The lemmatiser and its version; loads it."""
        return open_lemmatiser(self.spacy_model).name

    def overlaps(
        self, predictions: Sequence[str], golds: Sequence[Sequence[str]], categories: Sequence[str]
    ) -> Iterator[Overlap]:
        """The overlap of every prediction with its best gold text; all texts are normalised in one go."""
        texts = [*predictions, *(gold for several in golds for gold in several)]
        normal = dict(zip(texts, normalize_webqa(texts, open_lemmatiser(self.spacy_model)), strict=True))
        for prediction, several, category in zip(predictions, golds, categories, strict=True):
            tokens = kept_tokens(normal[prediction], category)
            best = NO_OVERLAP
            for gold in several:
                overlap = token_overlap(tokens, kept_tokens(normal[gold], category), self.smoothing)
                if (overlap.accuracy(category), overlap.f1) > (best.accuracy(category), best.f1):
                    best = overlap
            yield best

    def rows(self, examples: Examples) -> array[float]:
        """Accuracy, F1, recall, precision and exact match of every example."""
        categories = checked_categories(examples, self.name)
        rows = array("d")
        overlaps = self.overlaps(examples.predictions, examples.references, categories)
        for overlap, category in zip(overlaps, categories, strict=True):
            rows.extend((overlap.accuracy(category), *overlap))
        return rows

    def explain(self, example: Example) -> Explanation:
        """Normal forms, the tokens that count, and the overlap with every reference."""
        scores = super().explain(example).scores
        facts, table = self.steps(example.prediction, example.references, example.columns[CATEGORY])
        return Explanation(example.id, scores, facts, {"references": table})

    def steps(
        self, prediction: str, golds: Sequence[str], category: str
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """What becomes of the prediction, and one row for every gold text."""
        normal, *others = normalize_webqa([prediction, *golds], open_lemmatiser(self.spacy_model))
        tokens = kept_tokens(normal, category)
        facts = {"prediction": prediction, "category": category, "normalised": normal, "tokens that count": tokens}
        table = []
        for gold, form in zip(golds, others, strict=True):
            wanted = kept_tokens(form, category)
            overlap = token_overlap(tokens, wanted, self.smoothing)
            row = {"compared with": gold, "normalised": form, "tokens that count": wanted}
            table.append({**row, **overlap._asdict(), "accuracy": overlap.accuracy(category)})
        return facts, table

    def signature_parts(self) -> dict[str, str]:
        """The lemmatiser by version."""
        return {"lemmas": self.lemmatiser_name}


@dataclass(frozen=True)
class AccApprox(WebqaAccuracy):
    """The accuracy for questions without public keywords: the same against the right answer itself, F1 unsmoothed."""

    name: ClassVar[str] = "acc_approx"
    summary: ClassVar[str] = "WebQA accuracy without keywords: lemmas of the answer against the right answer"
    smoothing: ClassVar[float] = 0.0


def webqa_accuracy(prediction: str, ground_truth: str, category: str, *, spacy_model: str = DEFAULT_MODEL) -> float:
    """The accuracy of one answer against its keywords."""
    return _single(WebqaAccuracy(spacy_model), prediction, ground_truth, category)


def acc_approx(prediction: str, ground_truth: str, category: str, *, spacy_model: str = DEFAULT_MODEL) -> float:
    """The accuracy of one answer against the right answer."""
    return _single(AccApprox(spacy_model), prediction, ground_truth, category)


def checked_categories(examples: Examples, name: str) -> list[str]:
    """The category of every example; an error when they are missing or unknown."""
    known = ", ".join(CATEGORIES)
    if CATEGORY not in examples.columns:
        raise UsageError(f"{name} needs the category of every example: pass {CATEGORY}=[...], each one of {known}")
    categories: list[str] = examples.columns[CATEGORY]
    for identifier, category in zip(examples.ids, categories, strict=True):
        if category not in CATEGORIES:
            raise UsageError(f"{name}: example {identifier!r} has the unknown category {category!r}. Known: {known}")
    return categories


def _single(metric: WebqaAccuracy, prediction: str, ground_truth: str, category: str) -> float:
    return metric.rows(Examples([0], [prediction], [[ground_truth]], {CATEGORY: [category]}))[0]
