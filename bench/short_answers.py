"""GSM8K's numbers and PopQA's contained aliases, against their rules written out plainly, on 10,000 questions."""

from __future__ import annotations

import json
import random
import re
from array import array
from collections.abc import Iterator

from case import SHARED, Case, Settings
from data import LATIN, Examples
from fullmarks.metrics.contains import Contains
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.numeric_answer import NumericAnswer
from fullmarks.text import kernel
from fullmarks.types import Examples as Chunk

COUNT = 10_000
MARKED = re.compile(r"#### (-?[0-9.,]+)")
ANY_NUMBER = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
IGNORED = (",", r"\$", "(?s).*#### ", r"\.$")


def contained(examples: Examples) -> array[float]:
    return array(
        "d",
        [
            float(any(gold in text or gold.lower() in text or gold.capitalize() in text for gold in golds))
            for text, golds in zip(*examples, strict=True)
        ],
    )


def extracted(text: str) -> str:
    found = MARKED.search(text)
    return found.group(1).strip().replace(",", "") if found else "[invalid]"


def marked(examples: Examples) -> array[float]:
    rows = array("d")
    for text, golds in zip(*examples, strict=True):
        wanted = extracted(golds[0])
        assert wanted != "[invalid]"
        rows.append(float(extracted(text) == wanted))
    return rows


def cleaned(text: str) -> str:
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text.lower()


def strict(examples: Examples) -> array[float]:
    rows = array("d")
    for text, golds in zip(*examples, strict=True):
        found = MARKED.findall(text)
        rows.append(float(cleaned(found[0].strip() if found else "[invalid]") == cleaned(golds[0])))
    return rows


def flexible(examples: Examples) -> array[float]:
    rows = array("d")
    for text, golds in zip(*examples, strict=True):
        found = ANY_NUMBER.findall(text)
        number = next(group for group in found[-1] if group).strip() if found else "[invalid]"
        rows.append(float(cleaned(number) == cleaned(golds[0])))
    return rows


def made_aliases() -> Examples:
    """One to ten aliases a question; half of the answers hold one, in a sentence or alone."""
    source = random.Random(1)
    words = ["".join(source.choices(LATIN, k=source.randint(2, 10))).capitalize() for _ in range(5_000)]
    predictions, references = [], []
    for _ in range(COUNT):
        sizes = source.choices((1, 1, 2, 2, 3), k=source.choice((1, 2, 3, 4, 6, 10)))
        aliases = [" ".join(source.choices(words, k=size)) for size in sizes]
        right = source.choice(aliases)
        others = " ".join(source.choices(words, k=source.randint(2, 12)))
        predictions.append(source.choice((right, f"It is {right.lower()}, I think", others, f"The answer is {others}")))
        references.append(aliases)
    return predictions, references


def made_solutions() -> Examples:
    """Solutions of two to five lines, half of them right, as long as GSM8K's."""
    source = random.Random(2)
    predictions, references = [], []
    for _ in range(COUNT):
        lines = [
            f"She has {a}+{b}=<<{a}+{b}={a + b}>>{a + b} apples left after the {c}th day of the week."
            for a, b, c in (source.sample(range(100), 3) for _ in range(source.randint(2, 5)))
        ]
        number = source.randint(1, 9_999)
        told = source.choice((number, number, number + 1, f"{number}."))
        predictions.append("\n".join((*lines, f"#### {told}")))
        references.append(["\n".join((*reversed(lines), f"#### {number:,}"))])
    return predictions, references


def real_solutions() -> Examples | None:
    """GSM8K's test set with the solutions of a real system, as often as makes 10,000."""
    folder = SHARED / "gsm8k"
    if not folder.is_dir():
        return None
    files = (folder / "test.jsonl", folder / "predictions_175b_verification.jsonl")
    gold, given = (
        [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line] for file in files
    )
    pairs = list(zip(given, gold, strict=True)) * (COUNT // len(gold) + 1)
    predictions = [f"{prediction['prediction']} " for prediction, _ in pairs[:COUNT]]
    return predictions, [[f"{right['answer']}"] for _, right in pairs[:COUNT]]


def cases(settings: Settings) -> Iterator[Case]:
    solutions = {"made solutions": made_solutions()}
    real = real_solutions()
    if real is not None:
        solutions["GSM8K test"] = real
    work: list[tuple[str, str, Examples, Metric, object, float]] = [
        ("contained aliases", "made", made_aliases(), Contains(case="spellings"), contained, 15),
    ]
    for title, examples in solutions.items():
        for reading, plain in (("marked", marked), ("strict-match", strict), ("flexible-extract", flexible)):
            work.append((f"numbers read as {reading}", title, examples, NumericAnswer(reading), plain, 30))
    for subject, title, examples, metric, plain, wanted in work:
        chunk = Chunk(range(len(examples[0])), *examples)
        yield Case(
            subject,
            title,
            len(examples[0]),
            lambda metric=metric, chunk=chunk: metric.rows(chunk),
            {"plain rules": lambda plain=plain, examples=examples: plain(examples)},
            wanted={"plain rules": wanted} if kernel.IMPLEMENTATION == "c" else {},
            rounds=3 if settings.quick else 7,
            turns=5,
        )
