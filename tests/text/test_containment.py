"""Containment of short answers: both kernels against the condition as PopQA's program states it."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import Any

import pytest

from fullmarks.text import containment
from tests.hard_texts import hard_text

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rule alone
    speed = containment
BOTH = pytest.mark.parametrize("kernel", [containment, speed], ids=["python", "c"])


def contained(text: str, golds: list[str], case: str) -> bool:
    """The condition of PopQA's program, and the two plainer ones."""
    if case == "spellings":
        return any(gold in text or gold.lower() in text or gold.capitalize() in text for gold in golds)
    if case == "lower":
        return any(gold.lower() in text.lower() for gold in golds)
    return any(gold in text for gold in golds)


def pairs_of_texts(count: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Predictions, and golds that are often a part of them in another case; short ASCII texts among hard ones."""
    source = random.Random(seed)
    predictions, references = [], []
    for number in range(count):
        if number % 3:
            text = "".join(source.choices("abAB -", k=source.choice((0, 1, 3, 7, 8, 9, 16, 17, 30))))
        else:
            text = hard_text(source)
        golds = []
        for _ in range(source.choice((0, 1, 1, 2, 3))):
            start, length = source.randint(0, len(text)), source.choice((0, 1, 2, 3, 8, 12))
            part = text[start : start + length]
            golds.append(
                source.choice((part, part.upper(), part.swapcase(), part.capitalize(), part + "b", hard_text(source)))
            )
        predictions.append(text)
        references.append(golds)
    return predictions, references


@pytest.mark.parametrize("count", [2_500, pytest.param(50_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("case", containment.CASES)
def test_containment_of_hard_texts(case: str, count: int) -> None:
    predictions, references = pairs_of_texts(count, seed=len(case))
    wanted = [float(contained(text, golds, case)) for text, golds in zip(predictions, references, strict=True)]
    assert 0.1 < sum(wanted) / count < 0.9
    for kernel in (containment, speed):
        assert kernel.contains_rows(predictions, references, case=case).tolist() == wanted


@BOTH
def test_long_and_wide_texts(kernel: Any) -> None:
    long = "x " * 5_000
    for filler in (long, f"é{long}", f"🍎{long}", f"\u2323{long}"):
        assert kernel.contains_rows([f"{filler}New york"], [["zz", "New York"]], case="spellings").tolist() == [1.0]
        assert kernel.contains_rows([filler], [["yx", "X  "]], case="lower").tolist() == [0.0]


@BOTH
def test_what_is_no_text_is_refused_alike(kernel: Any) -> None:
    with pytest.raises(TypeError, match="prediction 1 is of type NoneType, expected str"):
        kernel.contains_rows(["x", None], [[], []], case="keep")
    with pytest.raises(TypeError, match="reference 0 of example 0 is of type int, expected str"):
        kernel.contains_rows(["x"], [[3]], case="keep")
    with pytest.raises(TypeError, match="references of example 0 are of type str, expected a list"):
        kernel.contains_rows(["x"], ["x"], case="keep")
    with pytest.raises(ValueError, match="2 predictions for 1 lists of references"):
        kernel.contains_rows(["x", "y"], [["x"]], case="keep")
    with pytest.raises(ValueError, match="case is 'loud', expected one of"):
        kernel.contains_rows(["x"], [["x"]], case="loud")
    assert kernel.contains_rows([], [], case="keep").tolist() == []


def test_the_compiled_rows_leave_nothing_behind() -> None:
    predictions, references = ["Straße " * 30, "ascii " * 300] * 50, [["STRASSE", "é"], ["ASCII", "x"]] * 50
    tracemalloc.start()
    try:
        for turn in range(30):
            speed.contains_rows(predictions, references, case="spellings")
            if turn == 4:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()
