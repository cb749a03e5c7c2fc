"""SQuAD scores against torchmetrics, on answerable questions alone: it knows the rules of SQuAD 1.1 only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from case import Case, Settings, SkippedError
from data import LATIN, make_examples
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import Tally
from fullmarks.types import Examples


def cases(settings: Settings) -> Iterator[Case]:
    module: Any = settings.peer("torchmetrics.functional.text")
    if module is None:
        reason = settings.absent["torchmetrics.functional.text"]
        raise SkippedError(f"torchmetrics needs torch, which is large: bench/run.py --torch ({reason})")
    predictions, references = make_examples(LATIN, 10_000, 1)
    examples = Examples(range(len(predictions)), predictions, references)
    metric = SquadScores(both_empty=0.0, drop_empty_references=False)
    answers = [{"id": str(at), "prediction_text": text} for at, text in enumerate(predictions)]
    golds = [
        {"id": str(at), "answers": {"text": texts, "answer_start": [0] * len(texts)}}
        for at, texts in enumerate(references)
    ]

    def ours() -> tuple[float, float]:
        tally = Tally([metric], keep=False)
        tally.add(examples, (metric.rows(examples),))
        exact, f1 = tally.totals()[0].sums
        return 100 * exact / len(examples), 100 * f1 / len(examples)

    def theirs() -> tuple[float, float]:
        found = module.squad(answers, golds)
        return float(found["exact_match"]), float(found["f1"])

    yield Case(
        "exact match and F1 as SQuAD 1.1",
        "made, Latin",
        len(predictions),
        ours,
        {"torchmetrics": theirs},
        same=lambda one, other: all(abs(a - b) < 1e-2 for a, b in zip(one, other, strict=True)),  # it adds in float32
        turns=5,
    )
