"""Every extractor on long texts that are unkind to it: prints the seconds of a text and of one four times as long.

Run as a program, so that whoever started it can end it.
"""

from __future__ import annotations

import sys
import time

from fullmarks.text.extraction.extractor import extractor

SPECS = (
    "after-think",
    "final-answer",
    "first-line",
    "last-line",
    "boxed",
    "number",
    "choice",
    "json:answer",
    "json:a.b",
)
UNITS = (
    "a", " ", "\n", "\t \n", "A ", "A. ", "(A", "A)\n", "**", "* ", "_", "`", '"', "'", "$", "$$", "\\", "\\(", "{", "}", "{}",
    "\\boxed{", "\\boxed{a}", "\\boxed", "\\text{", "<", "<think>", "</think>", "</thin", "answer", "answer ", "answer is ",
    "answer: ", "answer to ", "answer to a b c d e ", "the answer is not. ", "answer\n", "####", "#### ", "答案是", "答", "ответ ",
    "ответ один два ", "1", "1,", "1.", "123,", "1,234,", "1.234.", "000 ", "123 ", "1 2 ", "12,34,", "1/", "1^", "-1", ".1",
    "1e", "1 × 10^", "\\frac{1}{", "\\frac{1}{2}", "٤", "٤٬", '"answer"', '"answer":', '"answer": {', '"answer": [', "'answer': '",
    '"answer": "', '{"answer": "x"}, ', '"a": {"b": ', "[[", "Dr. ", "U.S. ", "a. ", "A. a\nB. b\n", "e.g. ", "option A ", "A or ",
    "“", "„“", "<answer>", "</answer>", "\u0301", "\U0001d400", "\ud800",
)  # fmt: skip


def texts(size: int) -> dict[str, str]:
    """Texts of about so many characters: each unit repeated, alone, after an answer, and before a different end."""
    made: dict[str, str] = {}
    for unit in UNITS:
        run = unit * (size // len(unit))
        made[f"{unit!r}"] = run
        made[f"answer is {unit!r}"] = f"The answer is {run}"
        made[f"{unit!r} x"] = f"{run}x2345"
    return made


def seconds(spec: str, text: str) -> float:
    start = time.process_time()
    extractor(spec).extract(text)
    return time.process_time() - start


if __name__ == "__main__":
    size = int(sys.argv[1])
    for spec in SPECS:
        for name, text in texts(size).items():
            print(f"{seconds(spec, text):.4f}\t{spec}\t{name}", flush=True)
