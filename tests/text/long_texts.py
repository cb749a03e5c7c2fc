"""Every extractor on long texts that are unkind to it: prints the processor's seconds for each.

Run as a program, so that whoever started it can end it: python tests/text/long_texts.py CHARACTERS
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from fullmarks.text.extraction.extractor import extractor

SPECS = [
    "after-think",
    "final-answer",
    "first-line",
    "last-line",
    "boxed",
    "number",
    "choice",
    "json:answer",
    "json:a.b",
]
UNITS = [
    *"abA1-._*`'${}()<>#“٤答",
    *[" ", "\n", "\t \n", '"', "\\", "\u0301", "\U0001d400", "\ud800"],
    *["A ", "A. ", "(A", "A)\n", "A. a\nB. b\n", "A or ", "option A ", "**", "* ", "{}", "$$", "\\(", "„“", "[["],
    *["\\boxed", "\\boxed{", "\\boxed{a}", "\\text{", "\\frac{1}{", "\\frac{1}{2}", "<think>", "</think>", "</thin"],
    *["answer", "answer ", "answer is ", "answer: ", "answer to ", "answer to a b c d e ", "the answer is not. "],
    *("answer\n", "####", "#### ", "<answer>", "</answer>", "答案是", "ответ ", "ответ один два ", "Dr. "),
    *("U.S. ", "a. "),
    *["1,", "1.", "123,", "1,234,", "1.234.", "000 ", "123 ", "1 2 ", "12,34,", "1/", "1^", "-1", ".1", "1e", "٤٬"],
    *["1 × 10^", '"answer"', '"answer":', '"answer": {', '"answer": [', '"answer": "', "'answer': '", "'answer': '\\"],
    *['{"answer": "x"}, ', '"a": {"b": '],
]


def texts(size: int) -> Iterator[str]:
    """Texts of about so many characters: every unit repeated, as it is and as an answer with another end."""
    for unit in UNITS:
        run = unit * (size // len(unit))
        yield run
        yield f"The answer is {run}x2345"


if __name__ == "__main__":
    size = int(sys.argv[1])
    for spec in SPECS:
        for text in texts(size):
            start = time.process_time()
            extractor(spec).extract(text)
            spent = time.process_time() - start
            sys.stdout.write(f"{spent:.4f}\t{spec}\t{text[:40]!a}\n")
