"""Relaxed accuracy: cases that were run through five tools, and a plain statement over numbers and hard texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import fullmarks
from fullmarks.metrics.relaxed_accuracy import RelaxedAccuracy
from fullmarks.text.relaxed import READINGS, golds_of
from fullmarks.types import Examples
from tests.hard_texts import hard_text

KEYS = {
    "pix2struct": "pix2struct",
    "lmms-eval": "lmms",
    "VLMEvalKit": "vlmeval",
    "Qwen-VL": "qwen_vl",
    "lm-eval-bare": "lm_eval",
}


@pytest.mark.parametrize("reading", KEYS)
def test_cases(golden_files: Path, reading: str) -> None:
    cases = json.loads((golden_files / "chartqa" / "answers.json").read_text(encoding="utf-8"))["cases"]
    scorer = fullmarks.load("relaxed_accuracy", reading=reading)
    found = scorer.each(predictions=[case["prediction"] for case in cases], references=[case["gold"] for case in cases])
    assert found == [case[KEYS[reading]] for case in cases]


# Results of pix2struct's relaxed_correctness at 945f27e936c9: double arithmetic decides at the edge.
@pytest.mark.parametrize(
    ("gold", "prediction", "is_right"),
    [
        *(
            ("10", "10.5", True),
            ("100", "95", True),
            ("3", "3.15", True),
            ("0.1", "0.105", True),
            ("0.7", "0.665", True),
        ),
        *(("0.1", "0.095", False), ("0.3", "0.315", False), ("0.3", "0.285", False), ("0.7", "0.735", False)),
        *(("14", "14%", False), ("5%", "0.05", True), ("5%%", "5%", True), ("500%", "5", True), ("5%", "5 %", True)),
        *(("0", "0.0", False), ("0%", "0", False), ("0", "0", True), ("1000", "1,000", False), ("1000", "1_000", True)),
        *(("nan", "nan", False), ("inf", "inf", False), ("Yes", " yes", False), ("", "", True), ("1e-400", "0", False)),
    ],
)
def test_table(gold: str, prediction: str, is_right: bool) -> None:
    assert fullmarks.load("relaxed_accuracy").each(predictions=[prediction], references=[gold]) == [is_right]


def plain(prediction: str, golds: list[str], *, is_swapped: bool = False, is_stripped: bool = False) -> bool:
    """pix2struct's rule, written out."""

    def number(text: str) -> float | None:
        try:
            if text.endswith("%"):
                return float(text.rstrip("%")) / 100.0
            return float(text)
        except ValueError:
            return None

    prediction = prediction.strip() if is_stripped else prediction
    for gold in golds:
        target, answer = (prediction, gold) if is_swapped else (gold, prediction)
        wanted, given = number(target), number(answer)
        if given is not None and wanted is not None and wanted != 0:
            if abs(given - wanted) / abs(wanted) <= 0.05:
                return True
        elif answer.lower() == target.lower():
            return True
    return False


def number_text(source: random.Random) -> str:
    """A number, or something that looks like one."""
    value = source.choice((0.0, source.uniform(-3, 3), source.randrange(-20, 2030), source.uniform(0, 1e6)))
    text = source.choice((str(value), f"{value:.2f}", f"{value:.0f}", f"{value:e}", f"{value:,.1f}", f"{value:+g}"))
    marks = ("", "", "", "%", " %", "%%", ".", " ", "\n", "\u00a0", "_", "e5", "E-3", "e", "0_0", "\u0665", "\x00", "x")
    return source.choice(("", "", "", " ", "$", "-", "+", ".", "0x", "\uff15")) + text + source.choice(marks)


def close_to(source: random.Random, text: str) -> str:
    try:
        return repr(float(text) * source.choice((0.95, 1.05, 1.0, 1.049999, 0.96, 1.2)))
    except ValueError:
        return source.choice((text.upper(), text.lower(), text + " ", text.swapcase()))


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_the_batch_equals_the_plain_rule(count: int) -> None:
    source = random.Random(14)
    words = ["nan", "NaN", "inf", "-Infinity", "Infinity%", "1e400", "1e-400", "", "%", "%%", ".", "-", "+", "e5"]
    words += ["1_000", "1__0", "_1", "1_", "1e", "1e+", "0x10", "٣", "½", "²", "Yes", "yes", "İ", "i̇", "ß", "12 "]
    words += ["\t5", "5\x1c"]
    pool = [
        source.choice((number_text(source), number_text(source), hard_text(source)[:9]))
        for _ in range(min(count, 9_000))
    ] + words
    predictions = [source.choice(pool) for _ in range(count)]
    references = [
        [
            close_to(source, text) if source.random() < 0.5 else source.choice(pool)
            for _ in range(source.choice((0, 1, 1, 2)))
        ]
        for text in predictions
    ]
    examples = Examples(range(len(predictions)), predictions, references)
    rows = [RelaxedAccuracy(reading).rows(examples) for reading in ("pix2struct", "Qwen-VL")]
    for prediction, golds, one, swapped in zip(predictions, references, *rows, strict=True):
        assert plain(prediction, golds) == one, (prediction, golds)
        assert plain(prediction, golds, is_swapped=True, is_stripped=True) == swapped, (prediction, golds)


def test_golds_written_like_lists() -> None:
    lists = READINGS["VLMEvalKit"]
    assert golds_of(["[1, 'a']", "x", "[1, x]", " ['b']", "[" * 500], lists) == [
        "1",
        "a",
        "x",
        "[1, x]",
        "b",
        "[" * 500,
    ]
    assert golds_of(["[1]"], READINGS["pix2struct"]) == ["[1]"]


def test_options_are_checked() -> None:
    with pytest.raises(fullmarks.UsageError, match="reading must be one of 'pix2struct'"):
        fullmarks.load("relaxed_accuracy", reading="x")
    assert fullmarks.load("relaxed_accuracy", tolerance=0.2).each(predictions=["12"], references=["10"]) == [1.0]
