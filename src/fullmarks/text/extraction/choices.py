"""The letter of an option in a text. A letter counts where it stands alone, never as the beginning of a word.

How clearly a letter is marked decides, then its place: first what is announced as the answer or stands in a box, then a
marked letter at the very beginning, then other marked letters, then bare capitals. Of several equally clear ones the
last is taken. A bare "A" before a word is an article and a bare "I" a pronoun: neither is an option.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from fullmarks.text.extraction.found import Found
from fullmarks.text.extraction.lines import answer_places

LETTERS = "ABCDEFGHIJ"
"""The options where their number is not known."""

_LETTER = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ]")
_FULL_WIDTH = 0xFEE0
_AROUND = "*_`\"'“”‘’「『《<([{（【$\\:： \t"
_BOX = re.compile(r"\\(?:boxed|fbox)")
_CLOSED = ")]}）】>"
_ANNOUNCED = re.compile(
    r"\b(?:answer|option|choice|letter|choose|choosing|chose|select|pick|go with|going with|opción|вариант|выбираю)"
    r"[ \t*_`\"'(]{1,4}$|(?:选项|選項|选择|選擇|选|選|选项是)[\s*(（:：]{0,3}$|(?:الخيار|الاختيار)[\s(:]{1,3}$",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"(?:[\s*_`\"'“(\[（【:：$\\{}-]|text|mathrm|mathbf|textbf|boxed|the\b|option\b|choice\b|letter\b|clearly\b|probably\b|"
    r"most likely\b|likely\b|therefore\b|thus\b|вариант\b|буква\b|под\b|буквой\b|选项|選項|选择|选|الخيار|الحرف|"
    r"l'option\b|opción\b|la\b|die\b|der\b){0,12}",
    re.IGNORECASE,
)
_OPTION_IS = re.compile(r"\b(?:option|choice|selection)[ ](?:is|was|would be|should be|must be)\b", re.IGNORECASE)
_BETWEEN_SEVERAL = re.compile(
    r"[)\]}）*_\"']{0,4}\s{0,2}(?:,|/|;|&|、|，|and|or|und|oder|y|et|ou|и|или|或|和)\s{0,2}(?:and |or )?"
    r"[(\[{（*_\"']{0,4}",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r" ([^\W\d_]{1,20})")
_AFTER_OPTIONS = re.compile(r"and|or|is|was|would|seems|because|since|und|oder|et|ou|y|и|или")
"""Words before which an A or an I is an option and no English word."""


class _Letter(NamedTuple):
    """A letter that stands alone."""

    letter: str
    place: int
    is_capital: bool


def choice(text: str, letters: str = LETTERS) -> Found:
    """The option's letter, as a capital."""
    alone = list(_alone(text, letters))
    if not alone:
        return Found("", "none")
    for clearest in (_answers, _first, _marked, _bare):
        if candidates := clearest(text, alone):
            return Found(candidates[-1], "several" if len(set(candidates)) > 1 else "one")
    return Found("", "none")


def _alone(text: str, letters: str) -> Iterator[_Letter]:
    for match in _LETTER.finditer(text):
        place = match.start()
        plain = match[0] if match[0].isascii() else chr(ord(match[0]) - _FULL_WIDTH)
        if plain.upper() in letters and _stands_alone(text, place):
            yield _Letter(plain.upper(), place, plain.isupper())


def _stands_alone(text: str, place: int) -> bool:
    """Whether nothing makes the letter a part of a word, a number, an abbreviation or a name such as C++."""
    before, after = text[max(0, place - 2) : place], text[place + 1 : place + 4]
    if (before and _is_of_word(before[-1])) or (after and (_is_of_word(after[0]) or after[0] in "+#&°^²")):
        return False
    if before[-1:] in ("'", "’", "-", "&", ".", "‑") and len(before) == 2 and _is_of_word(before[0]):
        return False
    if before[-1:] == "\\":
        return False
    if len(after) > 1 and after[0] in "'’-‑" and _is_of_word(after[1]):
        return False
    return not (len(after) > 1 and after[0] == "." and _is_of_word(after[1]) and not _is_of_word(after[2:3]))


def _is_of_word(character: str) -> bool:
    """Letters of scripts that divide words by blanks, digits and accents; not those of Chinese, Arabic and the like."""
    if not character:
        return False
    category = unicodedata.category(character)
    return character == "_" or category[0] == "N" or category in ("Lu", "Ll", "Lt", "Lm", "Mn")


def _answers(text: str, alone: list[_Letter]) -> list[str]:
    """The letters that are announced as the answer, and those in a box."""
    at = {letter.place: letter for letter in alone}
    found: list[str] = []
    others = (match.end() for pattern in (_BOX, _OPTION_IS) for match in pattern.finditer(text))
    for start in sorted((*answer_places(text), *others)):
        filler = _FILLERS.match(text, start)
        place = filler.end() if filler else start
        letter = at.get(place)
        if letter and not _is_article(text, letter):
            found.append(letter.letter)
    return found


def _first(text: str, alone: list[_Letter]) -> list[str]:
    """The marked letter that the text begins with, unless it begins a list of the options."""
    first = alone[0]
    if text[: first.place].strip(_AROUND + "-#\n"):
        return []
    rest = text[first.place + 1 :].strip(_AROUND + _CLOSED + ".,;。、!\n")
    if not rest:
        return [first.letter]
    if not (_is_closed(text, first.place) or _is_framed(text, first.place) or _ends_line(text, first.place)):
        return []
    if len(alone) > 1 and _BETWEEN_SEVERAL.fullmatch(text, first.place + 1, alone[1].place):
        return []
    lines = [letter for letter in alone[1:] if _begins_line(text, letter.place) and _is_closed(text, letter.place)]
    return [] if any(ord(letter.letter) == ord(first.letter) + 1 for letter in lines[:1]) else [first.letter]


def _marked(text: str, alone: list[_Letter]) -> list[str]:
    """The letters in brackets, in bold or in quotes, after "option", or before a bracket or a stop that begin a line.

    The lines of a list of options are left aside where another letter is marked.
    """
    listed, others = [], []
    for letter in alone:
        place = letter.place
        if _is_framed(text, place) or _ANNOUNCED.search(text, max(0, place - 24), place):
            others.append(letter.letter)
        elif _begins_line(text, place) and _is_closed(text, place) and text[place + 1] not in ",，":
            listed.append(letter.letter)
    return others or listed


def _bare(text: str, alone: list[_Letter]) -> list[str]:
    """Capitals that stand alone, but for the English words A and I."""
    return [
        letter.letter
        for letter in alone
        if letter.is_capital and letter.letter != "I" and not _is_article(text, letter)
    ]


def _is_article(text: str, letter: _Letter) -> bool:
    """Whether an A stands before a word, as an article does; an I before a word is a pronoun."""
    if letter.letter not in "AI":
        return False
    following = _NEXT_WORD.match(text, letter.place + 1)
    return following is not None and not _AFTER_OPTIONS.fullmatch(following[1])


def _is_framed(text: str, place: int) -> bool:
    """Whether the letter stands between brackets, in bold, in quotes or between dollars."""
    before, after = text[max(0, place - 2) : place], text[place + 1 : place + 3]
    pairs = {
        "(": ")",
        "[": "]",
        "{": "}",
        "（": "）",
        "【": "】",
        "「": "」",
        "“": "”",
        '"': '"',
        "'": "'",
        "`": "`",
        "$": "$",
    }
    if before[-1:] in pairs and after[:1] == pairs[before[-1]]:
        return True
    return before[-1:] == "*" and after[:1] in ("*", ".", ")", ":")


def _is_closed(text: str, place: int) -> bool:
    """Whether a bracket, a stop or a colon follows, as after the letter of an option."""
    after = text[place + 1 : place + 4].lstrip("*_`")
    return after[:1] in (".", ")", ":", "：", "）", "、", "．", "]", ",", "，") or after[:2] in (" -", " –", " —")


def _begins_line(text: str, place: int) -> bool:
    """Whether nothing but marks stands before it on its line; only the last few characters are looked at."""
    before = text[max(0, place - 8) : place]
    line = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    return (len(line) < 8 or place == 8) and not line.strip(_AROUND + "-#•")


def _ends_line(text: str, place: int) -> bool:
    return text[place + 1 : place + 8].lstrip("*_`\"') ")[:1] in ("", "\n", "\r")
