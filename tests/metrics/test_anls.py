"""ANLS: the cases that were run through three programs, and a plain statement of the rule over hard texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import fullmarks
from fullmarks.metrics.anls import Anls
from fullmarks.types import Examples
from tests.hard_texts import hard_text

RULES = {"rrc": ("rrc", 0.5), "rrc_uncut": ("rrc", 0.0), "mmf": ("mmf", 0.5), "pix2struct": ("pix2struct", 0.5)}


@pytest.mark.parametrize("benchmark", ["docvqa", "infovqa", "stvqa"])
@pytest.mark.parametrize("rule", RULES)
def test_cases(golden_files: Path, benchmark: str, rule: str) -> None:
    path = golden_files / benchmark / "answers.json"
    cases = [case for case in json.loads(path.read_text(encoding="utf-8"))["cases"] if not isinstance(case[rule], str)]
    assert len(cases) > 690
    reading, threshold = RULES[rule]
    scorer = fullmarks.load("anls", reading=reading, threshold=threshold)
    found = scorer.each(predictions=[case["prediction"] for case in cases], references=[case["gold"] for case in cases])
    assert found == [case[rule] for case in cases]


# Results of the RRC script, mmf and pix2struct at the commits that the cards name.
@pytest.mark.parametrize(
    ("gold", "prediction", "rrc", "mmf", "pix2struct"),
    [
        ("abcd", "abxy", 0.5, 0.5, 0.0),
        (" ab ", "ac", 0.75, 0.5, 0.0),
        ("x", " " * 1000 + "wrong", 0.9950248756218906, 0.0, 0.0),
        ("İ", "i", 0.0, 0.5, 0.0),
        ("ß", "SS", 0.0, 0.0, 0.0),
        ("cafe\u0301", "caf\u00e9", 0.6, 0.6, 0.6),
    ],
)
def test_table(gold: str, prediction: str, rrc: float, mmf: float, pix2struct: float) -> None:
    found = [
        fullmarks.load("anls", reading=reading).each(predictions=[prediction], references=[gold])[0]
        for reading in ("rrc", "mmf", "pix2struct")
    ]
    assert found == pytest.approx([rrc, mmf, pix2struct], abs=1e-12)


def plain_distance(one: str, other: str) -> int:
    before = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        line = [i]
        for j, right in enumerate(other, start=1):
            line.append(min(before[j] + 1, line[-1] + 1, before[j - 1] + (left != right)))
        before = line
    return before[-1]


def plain_anls(prediction: str, golds: list[str], reading: str, threshold: float) -> float:
    """The three programs' rule, written out."""
    best = 0.0
    for gold in golds:
        one, other = gold.lower(), prediction.lower()
        if reading == "rrc":
            one, other = " ".join(one.strip().split()), " ".join(other.strip().split())
            length = max(len(gold.upper()), len(prediction.upper()))
        else:
            one, other = (one.strip(), other.strip()) if reading == "mmf" else (one, other)
            length = max(len(one), len(other))
        share = plain_distance(one, other) / length if length else 0.0
        counts = share < 1 - threshold if reading == "pix2struct" else 1 - share >= threshold
        best = max(best, 1 - share if counts else 0.0)
    return best


def near(source: random.Random, text: str) -> str:
    """A text with a few characters changed, and perhaps blanks."""
    characters = list(text)
    for _ in range(source.randrange(4)):
        characters.insert(source.randrange(len(characters) + 1), source.choice("aB \t\u00a0ßİ,"))
        if source.random() < 0.6:
            del characters[source.randrange(len(characters))]
    return " " * source.choice((0, 0, 0, 1, 3)) + "".join(characters)


@pytest.mark.parametrize("count", [1_000, pytest.param(16_700, marks=pytest.mark.deep)])
def test_the_batch_equals_the_plain_rule(count: int) -> None:
    """Texts are short, for the plain distance takes the square of their length."""
    source = random.Random(11)
    pool = [text[:6] for text in (hard_text(source) for _ in range(min(count, 4_000)))]
    for reading in ("rrc", "mmf", "pix2struct"):
        predictions = [source.choice(pool) for _ in range(count)]
        references = [
            [
                near(source, text)[:7] if source.random() < 0.6 else source.choice(pool)
                for _ in range(source.randrange(4))
            ]
            for text in predictions
        ]
        threshold = source.choice((0.5, 0.5, 0.0, 0.3))
        found = Anls(reading, threshold).rows(Examples(range(len(predictions)), predictions, references))
        for prediction, golds, score in zip(predictions, references, found, strict=True):
            assert plain_anls(prediction, golds, reading, threshold) == score, (reading, prediction, golds)


def test_options_are_checked() -> None:
    with pytest.raises(fullmarks.UsageError, match="reading must be one of 'rrc', 'mmf', 'pix2struct', found 'x'"):
        fullmarks.load("anls", reading="x")
    with pytest.raises(fullmarks.UsageError, match="threshold must be a number from 0 to 1"):
        fullmarks.load("anls", threshold=1.5)


def test_no_references_and_two_empty_texts() -> None:
    scorer = fullmarks.load("anls", reading="mmf")
    assert scorer.each(predictions=["a", "", "b"], references=[[], [" "], ["b"]]) == [0.0, 1.0, 1.0]
