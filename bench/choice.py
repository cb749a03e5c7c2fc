"""The letters of multiple-choice responses by MMMU's and LLaVA's readings, against the rules written out plainly."""

from __future__ import annotations

import json
import random
import re
from array import array
from collections.abc import Callable, Iterator

from case import SHARED, Case, Settings
from fullmarks.metrics.choice_accuracy import ChoiceAccuracy
from fullmarks.text import kernel
from fullmarks.types import Examples

LETTERS = "ABCDEFGHIJ"
FORMS = ("{}", "{}.", "({})", "Answer: {}", "The answer is {}.", "The answer is ({}).", "{}. ", "**{}**", "{}. the one")
"""How models write a letter."""


def plain_mmmu(response: str, options: dict[str, str]) -> str:
    for mark in (",", ".", "!", "?", ";", ":", "'"):
        response = response.strip(mark)
    response = f" {response} "
    for mark in ("({})", " {} "):
        places = {letter: response.rfind(mark.format(letter)) for letter in options if mark.format(letter) in response}
        if places:
            return max(places, key=lambda letter: places[letter])
    if len(response.split()) > 5:
        lower = response.lower()
        places = {letter: lower.rfind(text.lower()) for letter, text in options.items() if text.lower() in lower}
        if places:
            return max(places, key=lambda letter: places[letter])
    return ""


def plain_llava(response: str, options: dict[str, str]) -> str:
    letters = ["A", "B", "C", "D", "E"]
    if response in letters:
        letter = response
    elif len(response) >= 3 and response[0] in letters and response[1:3] == ". ":
        letter = response[0]
    else:
        found = re.findall(r"The answer is ([A-Z]).", response)
        letter = found[0] if len(found) == 1 else ""
    return letter if letter in letters[: len(options)] else ""


PLAIN: dict[str, Callable[[str, dict[str, str]], str]] = {"mmmu": plain_mmmu, "llava": plain_llava}


def plain(reading: str, examples: Examples, by_letter: list[dict[str, str]]) -> array[float]:
    rows = array("d")
    read = PLAIN[reading]
    for text, golds, options in zip(examples.predictions, examples.references, by_letter, strict=True):
        letter = read(text, options)
        rows.append(1.0 if letter != "" and letter in golds else 0.0)
    return rows


def made(count: int) -> Examples:
    """Short answers, as models give them when they are asked for a letter."""
    source = random.Random(3)
    texts = [source.choice(FORMS).format(source.choice("ABCD")) for _ in range(count)]
    words = ["north", "a red car", "12.5", "mitosis", "the cat", "none of the above", "10 %", "west"]
    options = [tuple(source.sample(words, 4)) for _ in range(count)]
    return Examples(range(count), texts, [[source.choice("ABCD")] for _ in range(count)], {"choices": options})


def real() -> Examples | None:
    """Qwen-VL's responses on MMMU, where they lie beside the repository: many are long, and hardly two are equal."""
    path = SHARED / "mmmu" / "raw_qwen_vl.json"
    if not path.is_file():
        return None
    rows = [row for part in json.loads(path.read_text(encoding="utf-8")).values() for row in part]
    rows = [row for row in rows if row["question_type"] == "multiple-choice"]
    golds = [[row["answer"]] if isinstance(row["answer"], str) else row["answer"] for row in rows]
    choices = [tuple(row["index2ans"].values()) for row in rows]
    return Examples(range(len(rows)), [row["response"] for row in rows], golds, {"choices": choices})


def _wanted(reading: str, title: str) -> float:
    """Less for LLaVA's reading of long responses: there the plain rule is one search by an expression, which is C."""
    return 5 if reading == "llava" and not title.startswith("made") else 15


def cases(settings: Settings) -> Iterator[Case]:
    sets = {"made short answers": made(10_000), "Qwen-VL on MMMU": real()}
    for reading in PLAIN:
        for title, examples in sets.items():
            if examples is None:
                settings.absent["Qwen-VL's responses on MMMU"] = "not beside the repository"
                continue
            by_letter = [dict(zip(LETTERS, texts, strict=False)) for texts in examples.columns["choices"]]
            yield Case(
                f"letters of choices by the reading {reading}",
                title,
                len(examples),
                lambda reading=reading, examples=examples: ChoiceAccuracy(reading).rows(examples),
                {"plain rules": lambda reading=reading, args=(examples, by_letter): plain(reading, *args)},
                wanted={"plain rules": _wanted(reading, title)} if kernel.IMPLEMENTATION == "c" else {},
                rounds=2 if settings.quick else 5,
                turns=3,
            )
