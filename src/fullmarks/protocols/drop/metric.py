"""DROP's exact match and F1 of lists of spans, and the same as harnesses read it.

The fast path here gives the digits of `rules.judge`: every distinct span is normalised once, and lists that are equal
or hold one span need no assignment.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.drop.assignment import best_assignment
from fullmarks.protocols.drop.rules import RECIPE, Span, bag_f1, judge, read_span, slot_mean, two_digits
from fullmarks.text.recipes import SQUAD
from fullmarks.types import Example, Examples, Explanation

ANSWER = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")
"""Where simple-evals looks for the answer in a response."""


class SpanScores:
    """Exact match and F1 of lists of spans, each distinct span being read once."""

    def __init__(self, scale: float = 1.0) -> None:
        self._spans = _Spans()
        self._scale = scale
        self._best = two_digits(scale)

    def read(self, texts: Sequence[str]) -> list[Span]:
        """The spans of an answer."""
        return list(map(self._spans.__getitem__, texts))

    def pair(self, ours: list[Span], theirs: list[Span]) -> tuple[float, float]:
        """Exact match and F1 of a prediction against one gold answer."""
        normal, wanted = [span.normal for span in ours], [span.normal for span in theirs]
        if len(normal) == len(wanted) and (normal == wanted or sorted(normal) == sorted(wanted)):
            return 1.0, self._best
        em = float(len(normal) == len(wanted) and set(normal) == set(wanted))
        return em, two_digits(self._aligned(ours, theirs))

    def single(self, ours: Span, theirs: Span) -> tuple[float, float]:
        """The same for one span against one."""
        if ours.normal == theirs.normal:
            return 1.0, self._best
        return 0.0, two_digits(self._scale * bag_f1(ours, theirs))

    def _aligned(self, ours: list[Span], theirs: list[Span]) -> float:
        scores = [[self._scale * bag_f1(span, gold) for span in ours] for gold in theirs]
        if not any(map(any, scores)):
            return 0.0
        if len(theirs) <= len(ours):  # if every gold span has its best in another place, no total can be greater
            best = list(map(max, scores))
            if len({row.index(top) for row, top in zip(scores, best, strict=True)}) == len(best):
                return slot_mean([*best, *[0.0] * (len(ours) - len(best))])
        slots = [0.0] * max(len(ours), len(theirs))
        for row, column in enumerate(best_assignment(scores)):
            if column is not None:
                slots[row] = scores[row][column]
        return slot_mean(slots)

    def every(
        self, prediction: Sequence[str], golds: Sequence[Sequence[str]], *, skip_blank: bool = True
    ) -> list[tuple[float, float] | None]:
        """The scores against each gold answer; None where it does not count because its first span is blank."""
        spans = self._spans
        ours = self.read(prediction)
        only = ours[0] if len(ours) == 1 else None
        found: list[tuple[float, float] | None] = []
        before: Sequence[str] | None = None
        for gold in golds:
            if gold == before:  # annotators mostly agree
                found.append(found[-1])
                continue
            before = gold
            if skip_blank and not gold[0].strip():
                found.append(None)
            elif only is not None and len(gold) == 1:
                found.append(self.single(only, spans[gold[0]]))
            else:
                found.append(self.pair(ours, self.read(gold)))
        return found


class _Pieces(dict[str, Span]):
    """What stands between blanks and hyphens, each piece read when it is first met."""

    def __missing__(self, piece: str) -> Span:
        found = self[piece] = read_span(piece)
        return found


class _Spans(dict[str, Span]):
    """Spans by their texts, put together from their pieces when they are first met."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces = _Pieces()

    def __missing__(self, text: str) -> Span:
        pieces = self._pieces
        found = [pieces[piece] for piece in text.replace("-", " ").split(" ") if piece]
        if len(found) == 1:
            span = found[0]
        else:
            span = Span(
                " ".join([piece.normal for piece in found if piece.normal]),
                _NO_WORDS.union(*[piece.tokens for piece in found]),
                _NO_WORDS.union(*[piece.numbers for piece in found if piece.numbers]),
            )
        self[text] = span
        return span


_NO_WORDS: frozenset[str] = frozenset()


def spans_of(answer: str | Sequence[str]) -> Sequence[str]:
    """The spans of an answer; a text is one span."""
    return (answer,) if isinstance(answer, str) else answer


@dataclass(frozen=True)
class Drop(Metric):
    """Exact match and F1 of lists of spans, aligned one to one; numbers must meet.

    A prediction is a text or a list of texts, and so is each of its references. The best of these counts, for exact
    match and F1 alone; without any, an answer scores 0. With `skip_blank` a reference whose first span is white space
    does not count, as in the benchmark. With `stop` a predicted text ends where that first stands, as harnesses cut it.
    Source: DROP.
    """

    name: ClassVar[str] = "drop"
    summary: ClassVar[str] = "exact match and F1 of lists of spans, aligned one to one, numbers having to meet"
    citation: ClassVar[str] = (
        "Dua et al.: DROP: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs, NAACL 2019"
    )
    features: ClassVar[dict[str, str]] = {
        "predictions": "text or list of texts",
        "references": "list of texts or lists of texts",
    }
    takes_lists: ClassVar[bool] = True

    skip_blank: bool = False
    stop: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1."""
        return ("em", "f1")

    def rows(self, examples: Examples) -> array[float]:
        """Both scores of every example."""
        check_spans(examples)
        scorer = SpanScores()
        rows = array("d")
        for prediction, references in zip(examples.predictions, examples.references, strict=True):
            spans = self.cut(prediction) if self.stop else spans_of(prediction)
            golds = [(gold,) if isinstance(gold, str) else gold for gold in references]
            counted = [pair for pair in scorer.every(spans, golds, skip_blank=self.skip_blank) if pair is not None]
            rows.extend(map(max, zip(*counted, strict=True)) if counted else (0.0, 0.0))
        return rows

    def cut(self, prediction: str | Sequence[str]) -> Sequence[str]:
        """The predicted spans, up to where they stop."""
        spans = spans_of(prediction)
        return [text.partition(self.stop)[0] for text in spans] if self.stop else spans

    def explain(self, example: Example) -> Explanation:
        """Every reference with its scores, and how its spans were aligned with the predicted ones."""
        spans = self.cut(example.prediction)
        facts: dict[str, Any] = {"prediction": example.prediction, "predicted spans": list(spans)}
        golds, aligned = [], []
        for number, reference in enumerate(map(spans_of, example.references), start=1):
            judged = judge(spans, reference)
            counts = not self.skip_blank or bool(reference[0].strip())
            golds.append(
                {
                    "number": number,
                    "reference": list(reference),
                    "counts": counts,
                    "slots": max(len(spans), len(reference)),
                    "em": judged.em,
                    "f1": judged.f1,
                }
            )
            aligned += [{"reference": number, **step} for step in judged.steps]
        scores = super().explain(example).scores
        return Explanation(example.id, scores, facts, {"references": golds, "aligned spans": aligned})

    def signature_parts(self) -> dict[str, str]:
        """The normaliser, whether blank references count, and where predictions stop."""
        return {"norm": RECIPE.name, "skip_blank": str(self.skip_blank), "stop": self.stop or "none"}


@dataclass(frozen=True)
class _SimpleEvals(Drop):
    """DROP as simple-evals reads it: one text after "Answer:", each reference one text, F1 rounded as a percentage.

    Its headline score is 1 where a reference and the answer, normalised as in SQuAD, contain one another.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1 from 0 to 1, and the headline score."""
        return ("em", "f1", "score")

    def rows(self, examples: Examples) -> array[float]:
        """The three scores of every example."""
        check_spans(examples)
        scorer = SpanScores(100.0)
        rows = array("d")
        for prediction, references in zip(examples.predictions, examples.references, strict=True):
            answer, texts = one_text(prediction), [joined(reference) for reference in references]
            counted = [pair for pair in scorer.every((answer,), [(text,) for text in texts]) if pair is not None]
            rows.append(max((em for em, _ in counted), default=0.0))
            rows.append(max((f1 for _, f1 in counted), default=0.0) / 100.0)
            rows.append(float(any(contain_one_another(answer, text) for text in texts)))
        return rows

    def explain(self, example: Example) -> Explanation:
        """The answer that was found, and every reference as one text."""
        answer = one_text(example.prediction)
        golds = [
            {
                "reference": text,
                "counts": bool(text.strip()),
                "em": judged.em,
                "f1": judged.f1 / 100.0,
                "score": float(contain_one_another(answer, text)),
            }
            for text, judged in ((text, judge([answer], [text], 100.0)) for text in map(joined, example.references))
        ]
        scores = Metric.explain(self, example).scores
        return Explanation(
            example.id, scores, {"prediction": example.prediction, "answer": answer}, {"references": golds}
        )


def simple_evals() -> Metric:
    """The metric of simple-evals."""
    return _SimpleEvals()


def one_text(prediction: str | Sequence[str]) -> str:
    """What stands after the first "Answer:", otherwise the whole text; the spans of a list joined by a comma."""
    text = joined(prediction)
    found = ANSWER.search(text)
    return found.group(1) if found else text


def joined(answer: str | Sequence[str]) -> str:
    """An answer as one text."""
    return answer if isinstance(answer, str) else ", ".join(answer)


def contain_one_another(one: str, other: str) -> bool:
    """Whether one of two texts, normalised as in SQuAD, contains the other; what is empty only equals what is empty."""
    one, other = SQUAD(one), SQUAD(other)
    return one in other or other in one if one and other else one == other


def check_spans(examples: Examples) -> None:
    """An error unless every prediction and every reference is a text or a list of texts, references of at least one."""
    if _are_spans(examples.predictions) and _are_spans(chain.from_iterable(examples.references), fewest=1):
        return
    for at, prediction in enumerate(examples.predictions):
        if not _are_spans([prediction]):
            found = f"expected a text or a list of texts, found {type(prediction).__name__}"
            raise InputError(f"predictions[{at}]", found, "Give an empty text for no answer.")
    for at, references in enumerate(examples.references):
        for reference in references:
            if not _are_spans([reference], fewest=1):
                found = f"expected texts or lists of texts, found {reference!r}"
                raise InputError(f"references[{at}]", found, "Give every reference at least one span.")


def _are_spans(answers: Iterable[Any], fewest: int = 0) -> bool:
    lists = [answer for answer in answers if type(answer) is not str]
    if not set(map(type, lists)) <= {list, tuple}:
        return False
    return (not fewest or all(lists)) and set(map(type, chain.from_iterable(lists))) <= {str}
