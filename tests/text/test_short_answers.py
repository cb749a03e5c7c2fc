"""Containment and numbers of short answers: both kernels against the rules as their programs state them."""

from __future__ import annotations

import gc
import random
import re
from types import SimpleNamespace
from typing import Any

import pytest

import fullmarks
from fullmarks.text import containment, number_readings
from tests.hard_texts import hard_text

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rules alone
    speed = SimpleNamespace(contains_rows=containment.contains_rows, number_rows=number_readings.number_rows)
python = SimpleNamespace(contains_rows=containment.contains_rows, number_rows=number_readings.number_rows)
BOTH = pytest.mark.parametrize("kernel", [python, speed], ids=["python", "c"])
COUNT = 50_000


def contained(text: str, golds: list[str], case: str) -> bool:
    """The condition of PopQA's program, and the two plainer ones."""
    if case == "spellings":
        return any(gold in text or gold.lower() in text or gold.capitalize() in text for gold in golds)
    if case == "lower":
        return any(gold.lower() in text.lower() for gold in golds)
    return any(gold in text for gold in golds)


def pairs_of_texts(seed: int) -> tuple[list[str], list[list[str]]]:
    """Predictions, and golds that are often a part of them in another case; short ASCII texts among hard ones."""
    source = random.Random(seed)
    predictions, references = [], []
    for number in range(COUNT):
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


@pytest.mark.parametrize("case", containment.CASES)
def test_containment_of_hard_texts(case: str) -> None:
    predictions, references = pairs_of_texts(seed=len(case))
    wanted = [float(contained(text, golds, case)) for text, golds in zip(predictions, references, strict=True)]
    assert 0.1 < sum(wanted) / COUNT < 0.9
    for kernel in (python, speed):
        assert kernel.contains_rows(predictions, references, case=case).tolist() == wanted


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


PIECES = [
    "#### ",
    "####",
    "#",
    " ",
    "18",
    "1",
    "8",
    ".",
    ",",
    "$",
    "-",
    "\n",
    "1,8",
    "-18",
    "18.",
    "5",
    "a",
    "é",
    "−",
    "١٨",
]
PIECES += ["🍎", "[invalid]", "[INVALID]", "#,### ", "##$## ", "\u2323", "\u0023\u0023", "Ⅷ", "\t", "K"]


@pytest.mark.parametrize("reading", number_readings.READINGS)
def test_numbers_of_hard_texts(reading: str) -> None:
    source = random.Random(len(reading))
    predictions, references = [], []
    for _ in range(COUNT):
        text = source.choice(("", "#### ", "so #### -")) + "".join(source.choices(PIECES, k=source.randint(0, 7)))
        number = re.sub("[^0-9.-]", "", text)
        near = (f"#### {number}", number, text, "#### 18", f"so #### {number}.", "".join(source.choices(PIECES, k=4)))
        predictions.append(text)
        references.append(source.choices(near, k=source.choice((0, 1, 1, 2))))
    wanted = [
        float(any(is_right(text, gold, reading) for gold in golds))
        for text, golds in zip(predictions, references, strict=True)
    ]
    assert 0.03 < sum(wanted) / COUNT < 0.9
    for kernel in (python, speed):
        assert kernel.number_rows(predictions, references, reading=reading).tolist() == wanted


@BOTH
def test_long_and_wide_texts(kernel: Any) -> None:
    long = "x " * 5_000
    for filler in (long, f"é{long}", f"🍎{long}", f"\u2323{long}"):
        assert kernel.number_rows([f"{filler}#### 18"], [["#### 18"]], reading="marked").tolist() == [1.0]
        assert kernel.number_rows([filler], [["#### 18"]], reading="flexible-extract").tolist() == [0.0]
        assert kernel.contains_rows([f"{filler}New york"], [["zz", "New York"]], case="spellings").tolist() == [1.0]
        assert kernel.contains_rows([filler], [["yx", "X  "]], case="lower").tolist() == [0.0]


@BOTH
@pytest.mark.parametrize(("name", "option"), [("contains_rows", "case"), ("number_rows", "reading")])
def test_what_is_no_text_is_refused_alike(kernel: Any, name: str, option: str) -> None:
    choice = {option: "keep" if option == "case" else "marked"}
    rows = getattr(kernel, name)
    with pytest.raises(TypeError, match="prediction 1 is of type NoneType, expected str"):
        rows(["x", None], [[], []], **choice)
    with pytest.raises(TypeError, match="reference 0 of example 0 is of type int, expected str"):
        rows(["x"], [[3]], **choice)
    with pytest.raises(TypeError, match="references of example 0 are of type str, expected a list"):
        rows(["x"], ["x"], **choice)
    with pytest.raises(ValueError, match="2 predictions for 1 lists of references"):
        rows(["x", "y"], [["x"]], **choice)
    with pytest.raises(ValueError, match=f"{option} is 'loud', expected one of"):
        rows(["x"], [["x"]], **{option: "loud"})
    assert rows([], [], **choice).tolist() == []


def test_the_compiled_rows_leave_nothing_behind() -> None:
    import tracemalloc

    predictions, references = ["Straße " * 30, "ascii " * 300] * 50, [["STRASSE", "é"], ["ASCII", "x"]] * 50
    tracemalloc.start()
    try:
        for turn in range(30):
            speed.contains_rows(predictions, references, case="spellings")
            speed.number_rows(predictions, references, reading="strict-match")
            if turn == 4:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()


def test_contains_as_whole_words_and_after_a_recipe() -> None:
    words = fullmarks.load("contains", unit="tokens", case="lower")
    cases = [("the New\tYork  times", "new york", 1.0), ("New Yorker", "new york", 0.0), ("york new", "new york", 0.0)]
    cases += [("", "", 1.0), ("x", " ", 1.0), ("", "x", 0.0)]
    for prediction, gold, score in cases:
        assert words.each(predictions=[prediction], references=[gold]) == [score], prediction
        why = words.explain(prediction=prediction, references=[gold])
        assert why.tables["references"][0]["contained"] == score
    normal = fullmarks.load("contains", recipe="squad", unit="tokens")
    assert normal.each(predictions=["It is The Cat's hat!"], references=["a cats hat"]) == [1.0]
    assert normal.signature(1).startswith("contains|norm:squad|unit:tokens|case:keep|score_name:contains|n:1|")
    with pytest.raises(fullmarks.UsageError, match="case must be one of 'keep', 'lower', 'spellings', found 'upper'"):
        fullmarks.load("contains", case="upper")
    with pytest.raises(fullmarks.UsageError, match="unknown recipe 'squat'"):
        fullmarks.load("contains", recipe="squat")
    with pytest.raises(fullmarks.UsageError, match="reading must be one of 'marked',"):
        fullmarks.load("numeric_answer", reading="loose")
