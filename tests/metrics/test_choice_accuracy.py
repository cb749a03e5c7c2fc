"""Choices: every reading equal to its program's single cases, and the fast way equal to one answer at a time."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import fullmarks
from fullmarks.metrics.choice_accuracy import ChoiceAccuracy
from fullmarks.text.choice_readings import READINGS, options_of, read_mmmu, read_mmmu_lmms_eval
from fullmarks.types import Examples
from hard_texts import hard_text


def test_golden_single_cases(shared: Path) -> None:
    cases = json.loads((shared / "golden" / "mmmu" / "answers.json").read_text())["cases"]
    choices = [case for case in cases if case["what"] == "choice"]
    assert len(choices) == 420
    for case in choices:
        options = options_of(case["options"])
        assert (read_mmmu(case["response"], options).letter or None) == case["official"], case
        assert (read_mmmu_lmms_eval(case["response"], options).letter or None) == case["lmms"], case


# MMMU's program on options dog / the cat / bird / cat; None where it guesses
@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B.", "B"),
        ("Answer: B", "B"),
        ("A: B", "B"),
        ("b", ""),
        ("**B**", ""),
        ("C. A pretty girl", "A"),
        ("B or C", "C"),
        ("(B) not (C)", "C"),
        ("I think that it must be the cat here", "D"),
        ("the cat", ""),
    ],
)
def test_mmmu_reading(response: str, letter: str) -> None:
    assert read_mmmu(response, options_of(["dog", "the cat", "bird", "cat"])).letter == letter


def test_alone() -> None:
    scorer = fullmarks.load("choice_accuracy", reading="llava")
    assert scorer.each(predictions=["B. x", "E", "b"], references=["B", "E", "B"], choices=[4, 4, 4]) == [1.0, 0.0, 0.0]
    assert fullmarks.load("choice_accuracy").each(predictions=["B", ""], references=["B", "A"]) == [1.0, 0.0]
    options = ("dog", "the cat", "bird", "cat")
    read = fullmarks.load("choice_accuracy", reading="mmmu").compute(
        predictions=["I think that it must be the cat here"], references=["D"], choices=[options]
    )
    assert read == {"choice_accuracy": 1.0}
    with pytest.raises(fullmarks.UsageError, match="reading must be 'exact' or 'mmmu'"):
        fullmarks.load("choice_accuracy", reading="first")


@pytest.mark.parametrize("reading", READINGS)
def test_many_at_once_equal_one_at_a_time(reading: str) -> None:
    source = random.Random(5)
    pieces = [
        "A",
        "(B)",
        " C ",
        "D.",
        "the cat",
        "Answer: ",
        "The answer is ",
        ". ",
        "b",
        " ",
        "cat",
        "one two three four ",
    ]
    count = 10_000  # of each of the six readings
    texts, choices, golds = [], [], []
    for number in range(count):
        text = "".join(source.choices(pieces, k=source.randrange(5)))
        texts.append(text + hard_text(source) if number % 20 == 0 else text)
        choices.append(source.choice((None, 2, 4, ["dog", "the cat", "bird", "cat"], {"B": "cat", "A": "dog"})))
        golds.append([source.choice("ABCD"), *(["E"] if number % 7 == 0 else [])])
    metric = ChoiceAccuracy(reading)
    rows = metric.rows(Examples(range(count), texts, golds, facts={"choices": choices}))
    one_by_one = [
        metric.judge(text, gold, options)[0] for text, gold, options in zip(texts, golds, choices, strict=True)
    ]
    assert rows.tolist() == one_by_one
    assert 0 < sum(one_by_one) < count
