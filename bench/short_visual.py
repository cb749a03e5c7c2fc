"""ANLS, relaxed accuracy and OCRBench's rule against the same rules written out plainly, on 10,000 questions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from case import Case, Settings
from data import LATIN, make_examples
from fullmarks.metrics.anls import Anls
from fullmarks.metrics.relaxed_accuracy import RelaxedAccuracy
from fullmarks.protocols.ocrbench.metric import OcrbenchMatch
from fullmarks.text import kernel
from fullmarks.types import Examples

SIZE = 10_000


def distance(one: str, other: str) -> int:
    """Levenshtein's table, a line at a time."""
    if len(one) > len(other):
        one, other = other, one
    before = list(range(len(one) + 1))
    for i, right in enumerate(other):
        line = [i + 1]
        for j, left in enumerate(one):
            if left == right:
                line.append(before[j])
            else:
                line.append(1 + min((before[j], before[j + 1], line[-1])))
        before = line
    return before[-1]


def plain_anls(examples: Examples) -> list[float]:
    scores = []
    for prediction, golds in zip(examples.predictions, examples.references, strict=True):
        values = []
        for gold in golds:
            one, other = (" ".join(text.strip().lower().split()) for text in (gold, prediction))
            length = max(len(gold.upper()), len(prediction.upper()))
            values.append(distance(one, other) / length if length else 0.0)
        score = 1 - min(values)
        scores.append(0.0 if score < 0.5 else score)
    return scores


def plain_number(text: str) -> float | None:
    try:
        if text.endswith("%"):
            return float(text.rstrip("%")) / 100.0
        return float(text)
    except ValueError:
        return None


def plain_correct(target: str, prediction: str) -> bool:
    given, wanted = plain_number(prediction), plain_number(target)
    if given is not None and wanted:
        return abs(given - wanted) / abs(wanted) <= 0.05
    return prediction.lower() == target.lower()


def plain_relaxed(examples: Examples) -> list[float]:
    pairs = zip(examples.predictions, examples.references, strict=True)
    return [float(max(plain_correct(gold, prediction) for gold in golds)) for prediction, golds in pairs]


def plain_ocrbench(examples: Examples) -> list[float]:
    scores = []
    for prediction, golds, dataset in zip(
        examples.predictions, examples.references, examples.columns["dataset_name"], strict=True
    ):
        score = 0
        for gold in golds:
            if dataset == "HME100k":
                answer = gold.strip().replace("\n", " ").replace(" ", "")
                predict = prediction.strip().replace("\n", " ").replace(" ", "")
            else:
                answer = gold.lower().strip().replace("\n", " ")
                predict = prediction.lower().strip().replace("\n", " ")
            if answer in predict:
                score = 1
        scores.append(float(score))
    return scores


def chart_examples() -> Examples:
    """Numbers and words as charts have them: half of the answers numbers, of which most are near the gold."""
    source = random.Random(3)
    words = make_examples(LATIN, SIZE, 3)[1]
    predictions, references = [], []
    for golds in words:
        if source.random() < 0.6:
            value = source.choice((source.randrange(1, 3000), round(source.uniform(0, 100), 2)))
            gold = f"{value}{source.choice(('', '', '', '%'))}"
            predictions.append(f"{value * source.choice((1, 1, 1.03, 1.2)):g}{source.choice(('', '', '%'))}")
        else:
            gold = golds[0]
            predictions.append(source.choice((gold, gold.upper(), gold[::-1])))
        references.append([gold])
    return Examples(range(SIZE), predictions, references)


def cases(settings: Settings) -> Iterator[Case]:
    if kernel.IMPLEMENTATION != "c":
        settings.absent["the C kernel for relaxed accuracy"] = "not built: no compiler when fullmarks was installed"
    predictions, references = make_examples(LATIN, SIZE, 2)
    read = Examples(range(SIZE), predictions, references)
    charts = chart_examples()
    seen = Examples(range(SIZE), predictions, references, {"dataset_name": ["svt", "HME100k"] * (SIZE // 2)})
    subjects = [
        ("ANLS", read, Anls(), plain_anls, 100),
        ("relaxed accuracy", charts, RelaxedAccuracy(), plain_relaxed, 15 if kernel.IMPLEMENTATION == "c" else None),
        ("OCRBench's rule", seen, OcrbenchMatch(), plain_ocrbench, 15 if kernel.IMPLEMENTATION == "c" else None),
    ]
    for subject, examples, metric, plain, wanted in subjects:
        yield Case(
            subject,
            "made",
            SIZE,
            lambda metric=metric, examples=examples: metric.rows(examples).tolist(),
            {"plain rules": lambda plain=plain, examples=examples: plain(examples)},
            wanted={} if wanted is None else {"plain rules": wanted},
            rounds=2 if settings.quick else 3,
            turns=5,
        )
