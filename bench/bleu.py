"""BLEU: of each answer against the plain rules, of a corpus against sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import plain_bleu_rules as plain_rules

from case import Case, Settings
from data import LATIN, Examples, make_examples, read_squad, squad_files
from fullmarks import load


def plain(examples: Examples) -> list[float]:
    """The best sentence BLEU over the references; 0 without any."""
    return [
        max((plain_rules.bleu(plain_rules.bleu_statistics(text, [gold], 4), 4) for gold in golds), default=0.0)
        for text, golds in zip(*examples, strict=True)
    ]


def sentences(name: str, examples: Examples) -> Case:
    return Case(
        "sentence BLEU-4, best reference",
        name,
        len(examples[0]),
        lambda: load("sentence_bleu").each(predictions=examples[0], references=examples[1]),
        {"plain rules": lambda: plain(examples)},
        wanted={"plain rules": 60},
        turns=3,
    )


def corpus(module: Any, examples: Examples) -> Case:
    predictions, first = examples[0], [golds[0] for golds in examples[1]]
    metric = load("bleu")
    return Case(
        "corpus BLEU-4, one reference",
        "made, Latin",
        len(predictions),
        lambda: metric.compute(predictions=predictions, references=first)["bleu"],
        {"sacrebleu": lambda: module.corpus_bleu(predictions, [first], smooth_method="none").score / 100},
        same=lambda one, other: abs(one - other) < 1e-12,  # its logarithms are added in another order
        turns=3,
    )


def cases(settings: Settings) -> Iterator[Case]:
    name, gold, predictions = squad_files(settings.folder)
    made = make_examples(LATIN, 10_000, 1)
    yield sentences(name, read_squad(gold, predictions))
    yield sentences("made, Latin", made)
    module = settings.peer("sacrebleu")
    if module is not None:
        yield corpus(module, made)
