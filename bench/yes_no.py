"""Answers to yes-or-no questions as POPE and MME read them, and MathVista's choices, against the rules written out."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from case import Case, Settings
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.metrics.yes_no import YesNo
from fullmarks.protocols.mathvista.metric import MathvistaAccuracy
from fullmarks.types import Examples

SIZE = 10_000
OBJECTS = [
    f"{kind} {thing}" for kind in ("red", "small", "wooden") for thing in ("cup", "dog", "table", "boat", "lamp")
]
SHAPES = (
    "Yes",
    "No",
    "Yes.",
    "Yes, there is a {} in the image.",
    "No, there is no {} in the image.",
    "I do not see a {}.",
)
SHAPES += ("There is a {} at the left.",)


def made(seed: int) -> Examples:
    """Answers such as models give."""
    source = random.Random(seed)
    answers = [source.choice(SHAPES).format(source.choice(OBJECTS)) for _ in range(SIZE)]
    return Examples(range(SIZE), answers, [[source.choice(("yes", "no"))] for _ in range(SIZE)])


def plain_pope(examples: Examples) -> dict[str, float]:
    answers = []
    for whole in examples.predictions:
        text = whole.split(".")[0] if whole.find(".") != -1 else whole
        words = text.replace(",", "").split(" ")
        answers.append("no" if "No" in words or "no" in words or "not" in words else "yes")
    return plain_scores(answers, ["no" if references[0] == "no" else "yes" for references in examples.references])


def plain_mme(examples: Examples) -> dict[str, float]:
    answers = []
    for whole in examples.predictions:
        text = whole.lower()
        if text in ("yes", "no"):
            answers.append(text)
        else:
            start = text[:4]
            answers.append("yes" if "yes" in start else "no" if "no" in start else "other")
    return plain_scores(answers, [references[0].lower() for references in examples.references])


def plain_scores(answers: list[str], labels: list[str]) -> dict[str, float]:
    """As the programs go: texts to numbers, the right ones, those that are neither left out, four counts."""
    numbers = {"yes": 1, "no": 0, "other": -1}
    given = [numbers[answer] for answer in answers]
    right = [numbers[label] for label in labels]
    accuracy = sum([one == other for one, other in zip(given, right, strict=True)]) / len(given)
    kept, wanted = [], []
    for one, other in zip(given, right, strict=True):
        if one != -1:
            kept.append(one)
            wanted.append(other)
    tp = fp = tn = fn = 0
    for one, other in zip(kept, wanted, strict=True):
        if one == 1 and other == 1:
            tp += 1
        elif one == 1 and other == 0:
            fp += 1
        elif one == 0 and other == 0:
            tn += 1
        elif one == 0 and other == 1:
            fn += 1
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    f1 = 2 * precision * recall / (precision + recall)
    share = given.count(1) / len(given)
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": f1, "yes_ratio": share}


def ours(metric: YesNo, examples: Examples) -> dict[str, float]:
    tally = Tally([metric], keep=False)
    tally.add(examples, chunk_rows([metric], examples))
    return metric.finish(tally.totals()[0])


def plain_distance(one: str, other: str) -> int:
    before = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        line = [i]
        for j, right in enumerate(other, start=1):
            line.append(min(before[j] + 1, line[-1] + 1, before[j - 1] + (left != right)))
        before = line
    return before[-1]


def plain_choices(examples: Examples) -> list[float]:
    rows = []
    told = zip(examples.predictions, examples.references, examples.facts["choices"], strict=True)
    for whole, references, choices in told:
        text = whole.strip()
        letters = re.findall(r"\(([a-zA-Z])\)", text)
        if letters:
            text = letters[0].upper()
        names = [chr(ord("A") + at) for at in range(len(choices))]
        if text in names:
            found = choices[names.index(text)]
        else:
            distances = [plain_distance(text, choice) for choice in choices]
            found = choices[distances.index(min(distances))]
        rows.append(float(found == references[0]))
    return rows


def made_choices() -> Examples:
    """Letters, letters in brackets, choices, and choices that are not quite spelt so."""
    source = random.Random(4)
    answers, references, choices = [], [], []
    for _ in range(SIZE):
        offered = source.sample(OBJECTS, 4)
        near = source.choice(offered)
        shapes = ("A", "B", "C", "(D)", f"({source.choice('abcd')}) {near}", near, f"{near}.", f"the {near}")
        answers.append(source.choice(shapes))
        references.append([source.choice(offered)])
        choices.append(offered)
    kinds = {"choices": choices, "question_type": ["multi_choice"] * SIZE, "answer_type": ["text"] * SIZE}
    return Examples(range(SIZE), answers, references, facts=kinds)


def cases(settings: Settings) -> Iterator[Case]:
    rounds = 2 if settings.quick else 5
    for reading, plain in (("pope", plain_pope), ("mme", plain_mme)):
        examples, metric = made(1), YesNo(reading)
        yield Case(
            f"yes or no as {reading} reads it",
            "made",
            SIZE,
            lambda examples=examples, metric=metric: ours(metric, examples),
            {"plain rules": lambda examples=examples, plain=plain: plain(examples)},
            wanted={"plain rules": 15},
            rounds=rounds,
            turns=9,
        )
    examples = made_choices()
    yield Case(
        "choices as mathvista finds them",
        "made",
        SIZE,
        lambda: MathvistaAccuracy().rows(examples).tolist(),
        {"plain rules": lambda: plain_choices(examples)},
        wanted={"plain rules": 15},
        rounds=rounds,
        turns=3,
    )
