"""Numbers read out of answers: both kernels against the readings as their programs state them."""

from __future__ import annotations

import gc
import random
import re
import tracemalloc
from typing import Any

import pytest

from fullmarks.text import number_readings

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rule alone
    speed = number_readings
BOTH = pytest.mark.parametrize("kernel", [number_readings, speed], ids=["python", "c"])


def extracted(text: str, reading: str) -> str:
    """As GSM8K's program and the harness's filters state it."""
    if reading == "flexible-extract":
        found = re.findall(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", text)
        return next(group for group in found[-1] if group) if found else "[invalid]"
    match = re.search(r"#### (\-?[0-9\.\,]+)", text)
    if match is None:
        return "[invalid]"
    return match.group(1).strip().replace(",", "") if reading == "marked" else match.group(1).strip()


def ignored(text: str) -> str:
    for pattern in (",", "\\$", "(?s).*#### ", "\\.$"):
        text = re.sub(pattern, "", text)
    return text.lower()


def is_right(prediction: str, gold: str, reading: str) -> bool:
    if reading == "marked":
        number, wanted = extracted(prediction, reading), extracted(gold, reading)
        return number != "[invalid]" and number == (gold.replace(",", "") if wanted == "[invalid]" else wanted)
    return ignored(extracted(prediction, reading)) == ignored(gold)


PIECES = ["#### ", "####", "#", " ", "18", "1", "8", ".", ",", "$", "-", "\n", "1,8", "-18", "18.", "5", "a", "é", "−"]
PIECES += ["١٨", "🍎", "[invalid]", "[INVALID]", "#,### ", "##$## ", "\u2323", "\u0023\u0023", "Ⅷ", "\t", "K"]


@pytest.mark.parametrize("count", [2_500, pytest.param(50_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("reading", number_readings.READINGS)
def test_numbers_of_hard_texts(reading: str, count: int) -> None:
    source = random.Random(len(reading))
    predictions, references = [], []
    for _ in range(count):
        text = source.choice(("", "#### ", "so #### -")) + "".join(source.choices(PIECES, k=source.randint(0, 7)))
        number = re.sub("[^0-9.-]", "", text)
        near = (f"#### {number}", number, text, "#### 18", f"so #### {number}.", "".join(source.choices(PIECES, k=4)))
        predictions.append(text)
        references.append(source.choices(near, k=source.choice((0, 1, 1, 2))))
    wanted = [
        float(any(is_right(text, gold, reading) for gold in golds))
        for text, golds in zip(predictions, references, strict=True)
    ]
    assert 0.03 < sum(wanted) / count < 0.9
    for kernel in (number_readings, speed):
        assert kernel.number_rows(predictions, references, reading=reading).tolist() == wanted


@BOTH
def test_long_and_wide_texts(kernel: Any) -> None:
    long = "x " * 5_000
    for filler in (long, f"é{long}", f"🍎{long}", f"\u2323{long}"):
        assert kernel.number_rows([f"{filler}#### 18"], [["#### 18"]], reading="marked").tolist() == [1.0]
        assert kernel.number_rows([filler], [["#### 18"]], reading="flexible-extract").tolist() == [0.0]


@BOTH
def test_what_is_no_text_is_refused_alike(kernel: Any) -> None:
    with pytest.raises(TypeError, match="prediction 1 is of type NoneType, expected str"):
        kernel.number_rows(["x", None], [[], []], reading="marked")
    with pytest.raises(TypeError, match="reference 0 of example 0 is of type int, expected str"):
        kernel.number_rows(["x"], [[3]], reading="marked")
    with pytest.raises(TypeError, match="references of example 0 are of type str, expected a list"):
        kernel.number_rows(["x"], ["x"], reading="marked")
    with pytest.raises(ValueError, match="2 predictions for 1 lists of references"):
        kernel.number_rows(["x", "y"], [["x"]], reading="marked")
    with pytest.raises(ValueError, match="reading is 'loud', expected one of"):
        kernel.number_rows(["x"], [["x"]], reading="loud")
    assert kernel.number_rows([], [], reading="marked").tolist() == []


def test_the_compiled_rows_leave_nothing_behind() -> None:
    predictions, references = ["Straße " * 30, "ascii " * 300] * 50, [["STRASSE", "é"], ["ASCII", "x"]] * 50
    tracemalloc.start()
    try:
        for turn in range(30):
            speed.number_rows(predictions, references, reading="strict-match")
            if turn == 4:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()
