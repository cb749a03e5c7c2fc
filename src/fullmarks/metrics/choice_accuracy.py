"""Accuracy of multiple choice: the answer, or the letter read out of it, equals a reference."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from operator import contains, itemgetter
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text import kernel
from fullmarks.text.choice_readings import (
    LOOKS_AT_TEXTS,
    READINGS,
    Letter,
    Options,
    may_name_texts,
    options_of,
    read_letter,
    read_texts,
)
from fullmarks.text.memo import Memo
from fullmarks.types import Example, Examples, Explanation, Total

COMPILED = ("mmmu", "llava")
"""The readings that the compiled kernel knows."""
CHOICES = "choices"
"""The column (or fact) with the options: their number, their texts, or their texts by letter."""


@dataclass(frozen=True)
class ChoiceAccuracy(Metric):
    """1 where the letter that `reading` finds in the answer is a reference; by default the answer as it is.

    The options may come as `choices`: how many there are, or a tuple of their texts; where they are not known every
    letter is on offer. An answer that names no option scores 0.0, and so does every answer without references.
    Source: MMMU, ScienceQA and the harnesses after which the readings are named.
    """

    name: ClassVar[str] = "choice_accuracy"
    summary: ClassVar[str] = "share of answers that are the right option, by a reading of the letter in them"
    citation: ClassVar[str] = "Yue et al.: MMMU: A Massive Multi-discipline Multimodal Understanding, CVPR 2024"
    features: ClassVar[dict[str, str]] = {**Metric.features, CHOICES: "number of options, or a tuple of their texts"}

    reading: str = limited("exact", choices=READINGS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1."""
        return (self.name,)

    def judge(self, prediction: str, golds: Sequence[str], choices: Any = None) -> tuple[float, Letter]:
        """The score of one answer, and the letter with how it was found."""
        found = READINGS[self.reading](prediction, options_of(choices))
        is_read = found.letter or self.reading == "exact"
        return float(bool(is_read) and found.letter in golds), found

    def rows(self, examples: Examples) -> array[float]:
        """The accuracy of every example."""
        if self._is_compiled:
            texts, references = examples.predictions, examples.references
            return kernel.choice_rows(texts, references, _choices_of(examples), **self._how_to_read)
        found = examples.predictions if self.reading == "exact" else self.letters(examples)
        rows = array("d", bytes(8 * len(examples)))
        for at in compress(range(len(examples)), map(contains, examples.references, found)):
            rows[at] = 1.0
        return rows

    def letters(self, examples: Examples) -> list[str | None]:
        """The letter in every answer, None where there is none; each distinct text is read once."""
        choices = _choices_of(examples)
        if self._is_compiled:
            return kernel.choice_letters(examples.predictions, choices, **self._how_to_read)
        offers = _offers(choices)
        if isinstance(offers, list):
            marked = {offer: _marked(self.reading, offer) for offer in set(offers)}
            letters = [marked[offer][text] for offer, text in zip(offers, examples.predictions, strict=True)]
        else:
            marked = {offers: _marked(self.reading, offers)}
            letters = _looked_up(marked[offers], examples.predictions)
        if self.reading in LOOKS_AT_TEXTS:
            unread = {text for memo in marked.values() for text, letter in memo.items() if letter is None}
            _look_at_texts(examples.predictions, choices, letters, set(filter(may_name_texts, unread)))
        return letters

    @property
    def _is_compiled(self) -> bool:
        return self.reading in COMPILED and kernel.IMPLEMENTATION == "c"

    @property
    def _how_to_read(self) -> dict[str, Any]:
        """What tells the compiled kernel the reading, and what it asks where it cannot tell."""
        return {"is_llava": self.reading == "llava", "read": partial(read_letter, self.reading)}

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """The score, and its slices; the options themselves are none."""
        return super().published(total, {name: parts for name, parts in slices.items() if name != CHOICES})

    def explain(self, example: Example) -> Explanation:
        """The letter that was read, how, and the references."""
        choices = example.facts.get(CHOICES, example.columns.get(CHOICES))
        score, found = self.judge(example.prediction, example.references, choices)
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "reading": self.reading,
            "read as": found.letter or "(no option)",
            "found": found.how,
            "references": list(example.references),
        }
        tables = {} if self.reading == "exact" else _offered(choices, found.letter, example.references)
        return Explanation(example.id, {self.name: score}, facts, tables)


def _choices_of(examples: Examples) -> list[Any]:
    for named in (examples.facts, examples.columns):
        if CHOICES in named:
            return named[CHOICES]
    return [None] * len(examples)


def _looked_up(memo: Memo[str | None], texts: list[str]) -> list[str | None]:
    return list(itemgetter(*texts)(memo)) if len(texts) > 1 else [memo[text] for text in texts]


def _look_at_texts(
    predictions: list[str], choices: list[Any], letters: list[str | None], unread: Collection[str]
) -> None:
    """Read once more, with the texts of the options, what names no letter and is long enough."""
    for at, text in enumerate(predictions) if unread else ():
        if letters[at] is None and text in unread and choices[at] is not None:
            letters[at] = read_texts(text, options_of(choices[at])).letter or None


def _offers(choices: list[Any]) -> Any:
    """Which letters are on offer to each: the first so many, or those of a mapping; None where that is not known.

    A list of them, or the one that all have.
    """
    kinds = set(map(type, choices))
    if kinds <= {tuple, list}:
        numbers = set(map(len, choices))
        return [*map(len, choices)] if len(numbers) > 1 else next(iter(numbers), None)
    if kinds <= {int, type(None)}:
        return choices if len(set(choices)) > 1 else choices[0]
    return [
        options_of(each).letters
        if isinstance(each, (dict, Options))
        else each
        if each is None or isinstance(each, int)
        else len(each)
        for each in choices
    ]


def _marked(reading: str, offer: int | tuple[str, ...] | None) -> Memo[str | None]:
    """The letters that texts name by themselves, whatever the options' texts."""
    read = READINGS[reading]
    options = Options(offer, {}) if isinstance(offer, tuple) else options_of(offer)
    return Memo(lambda text: read(text, options).letter or None)


def _offered(choices: Any, letter: str, golds: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    if choices is None:
        return {}
    return {"options": list(_option_rows(choices, letter, golds))}


def _option_rows(choices: Any, letter: str, golds: Sequence[str]) -> Iterator[dict[str, Any]]:
    options = options_of(choices)
    for each in dict.fromkeys((*options.letters, *options.texts)):
        text = options.texts.get(each) or ""
        yield {"letter": each, "text": text, "is read": each == letter, "is right": each in golds}
