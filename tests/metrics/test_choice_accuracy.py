"""Choices: every reading equal to its program's single cases, and the fast way equal to one answer at a time."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.metrics.choice_accuracy import COMPILED, ChoiceAccuracy
from fullmarks.text import choice_readings, kernel
from fullmarks.text.choice_readings import READINGS, options_of, read_letter, read_mmmu, read_mmmu_lmms_eval
from fullmarks.types import Examples
from tests.hard_texts import hard_text


def test_golden_single_cases(golden_files: Path) -> None:
    cases = json.loads((golden_files / "mmmu" / "answers.json").read_text())["cases"]
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
    with pytest.raises(fullmarks.UsageError, match="reading must be one of 'exact', 'mmmu'"):
        fullmarks.load("choice_accuracy", reading="first")


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("reading", READINGS)
def test_many_at_once_equal_one_at_a_time(reading: str, count: int) -> None:
    source = random.Random(5)
    pieces = ["A", "(B)", " C ", "D.", "the cat", "Answer: ", "The answer is ", ". ", "b", " ", "cat"]
    pieces += ["one two three four "]
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


PIECES = (
    *"AABCDEZ( )..,!\n\t'",
    "(A)",
    " B ",
    "The answer is ",
    "The answer is C.",
    "The answer is BT",
    "he answer is D.",
)
PIECES += ("a cat", "A CAT", "cat", "k", "\u212a", "\u0130", "i", "\u00a0", "\u3000", "\x85", "\u00e9", "\U0001f600")
PIECES += ("he answer is D.", "one two three four five six ", "x" * 31)
OPTIONS = ("cat", "a cat", "CAT", "", "k", "i", "\u00c9", "\u212a", "x" * 31, "four", "one two", None)


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("reading", COMPILED)
def test_compiled_letters_of_hard_texts(reading: str, count: int) -> None:
    """What the kernel reads, and what it leaves to the rule, is what the rule reads."""
    source = random.Random(len(reading))
    texts, choices = [], []
    for number in range(count):
        text = "".join(source.choices(PIECES, k=source.choice((0, 1, 2, 3, 5, 9))))
        texts.append(text + hard_text(source) if number % 10 == 0 else text)
        listed = source.choices(OPTIONS, k=source.choice((0, 1, 2, 4, 5, 30)))
        known = (None, 0, 3, 40, -2, 10**30, dict(zip("DCBA", listed, strict=False)), listed, tuple(listed), listed)
        choices.append(source.choice(known))
    golds = [[source.choice("ABCDE")] for _ in range(count)]
    examples = Examples(range(count), texts, golds, {"choices": choices})
    metric = ChoiceAccuracy(reading)
    wanted = [
        READINGS[reading](text, options_of(each)).letter or None for text, each in zip(texts, choices, strict=True)
    ]
    assert metric.letters(examples) == wanted
    scores = [float(letter in gold) for letter, gold in zip(wanted, golds, strict=True)]
    assert metric.rows(examples).tolist() == scores
    assert 0.1 < sum(letter is not None for letter in wanted) / count < 0.9


@pytest.mark.parametrize("module", [choice_readings, kernel], ids=["python", "chosen"])
def test_letters_refuse_unequal_lists(module: Any) -> None:
    read = partial(read_letter, "mmmu")
    with pytest.raises(ValueError, match=r"2|shorter"):
        module.choice_letters(["A"], [2, 2], is_llava=False, read=read)
    with pytest.raises(ValueError, match=r"2|shorter"):
        module.choice_rows(["A"], [["A"]], [2, 2], is_llava=False, read=read)
    assert module.choice_letters(["A", "b"], [2, None], is_llava=False, read=read) == ["A", None]
    assert module.choice_rows(["A", "b"], [["A"], ["B"]], [2, None], is_llava=False, read=read).tolist() == [1.0, 0.0]
