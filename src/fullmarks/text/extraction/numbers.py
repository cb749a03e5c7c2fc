"""The last number of a text, written plainly: ASCII digits, a point before decimals, nothing between thousands.

Digits are taken in runs; runs are joined by what may stand inside a number. Every run is looked at once.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from fullmarks.text.extraction.found import Found

_RUN = re.compile(r"[0-9]+")
_MARKS = {"٫": ".", "٬": ",", "−": "-", "﹣": "-", "－": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'"}
_LATEX = (("{,}", ","), ("\\,", ","), ("\\!", ""), ("\\%", "%"), ("\\$", "$"))
_FRACTION = re.compile(r"\\[dtc]?frac[ ]?\{[ ]?([0-9]{1,40})[ ]?\}[ ]?\{[ ]?([0-9]{1,40})[ ]?\}")
_POWER_OF_TEN = re.compile(r"[ ]?(?:×|\*|x|·|\\times|\\cdot)[ ]?10[ ]?\^[ ]?\{?([-+]?[0-9]{1,9})\}?")
_POWER = re.compile(r"[ ]?\^[ ]?\{?(-?[0-9]{1,40})\}?")
_EXPONENT = re.compile(r"[eE][-+]?[0-9]{1,9}(?![0-9A-Za-z])")
_THOUSANDS = " ,.'"
_CURRENCY = "$€£¥₽₹ "


class _Number(NamedTuple):
    text: str
    start: int
    end: int


def last_number(text: str) -> Found:
    """The last number; several that differ are told. A number word is none, nor are digits after a letter (H2O)."""
    plain = _plain(text)
    numbers = _signed(plain, _joined(plain, _runs(plain)))
    if not numbers:
        return Found("", "none")
    last = numbers[-1]
    return Found(last, "several" if any(number != last for number in numbers) else "one")


def _plain(text: str) -> str:
    """The text with ASCII digits and without LaTeX between them."""
    if not text.isascii():
        text = "".join(map(_plain_character, text))
    if "\\" in text or "{" in text:
        for written, meant in _LATEX:
            text = text.replace(written, meant)
        text = _FRACTION.sub(r"\1/\2", text)
    return text


def _plain_character(character: str) -> str:
    if character in _MARKS:
        return _MARKS[character]
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def _runs(text: str) -> list[_Number]:
    """The runs of digits, but those that end a word."""
    return [
        _Number(run[0], *run.span())
        for run in _RUN.finditer(text)
        if not _ends_word(text[max(0, run.start() - 1)], run)
    ]


def _ends_word(before: str, run: re.Match[str]) -> bool:
    return run.start() > 0 and (before == "_" or (before.isalpha() and unicodedata.category(before) != "Lo"))


def _joined(text: str, runs: list[_Number]) -> list[_Number]:
    """Runs joined to numbers: thousands, then decimals."""
    numbers: list[_Number] = []
    place = 0
    while place < len(runs):
        stop = _chain_end(text, runs, place)
        numbers.extend(_of_chain(text, runs[place:stop]))
        place = stop
    return numbers


def _chain_end(text: str, runs: list[_Number], place: int) -> int:
    """Where the runs end that have nothing but a single mark between them."""
    stop = place + 1
    while stop < len(runs) and runs[stop].start - runs[stop - 1].end == 1 and text[runs[stop].start - 1] in _THOUSANDS:
        stop += 1
    return stop


def _of_chain(text: str, chain: list[_Number]) -> list[_Number]:
    """The numbers in runs with single marks between them: 1,234.5 is one, 1,2,3 are three."""
    numbers: list[_Number] = []
    place = 0
    while place < len(chain):
        mark = _mark_after(text, chain, place)
        stop = _same_mark(text, chain, place, mark)
        following = _mark_after(text, chain, stop - 1)
        if stop - place > 1 and _are_thousands(chain[place:stop], mark, following):
            digits = "".join(run.text for run in chain[place:stop])
            if following in (".", ",") and following != mark and _mark_after(text, chain, stop) != following:
                numbers.append(_Number(f"{digits}.{chain[stop].text}", chain[place].start, chain[stop].end))
                stop += 1
            else:
                numbers.append(_Number(digits, chain[place].start, chain[stop - 1].end))
        elif stop - place == 2 and mark in (".", ",") and stop == len(chain):
            first, second = chain[place:stop]
            numbers.append(_Number(f"{first.text}.{second.text}", first.start, second.end))
        else:
            stop -= 1 if stop - place > 1 and stop < len(chain) else 0  # the last may begin another number
            numbers.extend(chain[place:stop])
        place = stop
    return numbers


def _mark_after(text: str, chain: list[_Number], place: int) -> str:
    return text[chain[place].end] if place + 1 < len(chain) else ""


def _same_mark(text: str, chain: list[_Number], place: int, mark: str) -> int:
    """Where the runs end that have this mark between them; groups of a blank end where one is not of three digits."""
    stop = place + 1
    while stop < len(chain) and text[chain[stop].start - 1] == mark:
        if mark == " " and (len(chain[stop].text) != 3 or len(chain[place].text) > 3):
            break
        stop += 1
    return stop


def _are_thousands(runs: list[_Number], mark: str, following: str) -> bool:
    """Whether these are groups of a large number: 1,234,567, 12,34,567, 1.234.567; 1.234 only before a comma."""
    first, *inner, last = (run.text for run in runs)
    if len(first) > 3 or first.startswith("0") or len(last) != 3 or (mark == "." and not inner and following != ","):
        return False
    widths = {len(group) for group in inner}
    return widths <= {3} or (mark == "," and widths == {2} and len(first) < 3)


def _signed(text: str, numbers: list[_Number]) -> list[str]:
    """The numbers with their signs, a missing zero, powers and fractions; what belongs to one is not another."""
    written: list[str] = []
    taken = 0
    for place, number in enumerate(numbers):
        if number.start < taken:
            continue
        shown, start, taken = number
        if text[start - 1 : start] == "." and not text[max(0, start - 2) : start - 1].isalnum() and "." not in shown:
            shown, start = f"0.{shown}", start - 1
        if power := _POWER_OF_TEN.match(text, taken):
            shown, taken = f"{shown}e{int(power[1])}", power.end()
        elif power := _POWER.match(text, taken):
            shown, taken = f"{shown}^{power[1]}", power.end()
        elif exponent := _EXPONENT.match(text, taken):
            shown, taken = f"{shown}{exponent[0]}", exponent.end()
        elif (other := _denominator(text, numbers, place)) is not None:
            shown, taken = f"{shown}/{other.text}", other.end
        written.append(f"-{shown}" if _is_negative(text, start) else shown)
    return written


def _denominator(text: str, numbers: list[_Number], place: int) -> _Number | None:
    """The number after a single slash; with two slashes it is a date."""
    if place + 1 == len(numbers) or text[numbers[place].end : numbers[place + 1].start] != "/":
        return None
    end = numbers[place + 1].end
    is_date = text[end : end + 1] == "/" or text[numbers[place].start - 1 : numbers[place].start] == "/"
    return None if is_date else numbers[place + 1]


def _is_negative(text: str, start: int) -> bool:
    """Whether a minus stands before it, a currency between them or not, and nothing it could be subtracted from."""
    at = start - 1
    if at > 0 and text[at] in _CURRENCY[:-1]:
        at -= 1
    if at < 0 or text[at] != "-":
        return False
    before = text[at - 1] if at else " "
    return not (before.isalnum() or before in ")]}%-")
