"""How benchmarks and harnesses read the letter of an option out of a text, each reading with how it found it.

A reading is a pure function of the text, the letters on offer and, where it looks for them, the options' texts. None of
them guesses: a text that names no option gives no letter. Invariant: the compiled kernel reads as `read_mmmu` and
`read_llava` do.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EDGES = ",.!?;:'"
_FEWEST_WORDS = 6
"""MMMU looks for the texts of options in responses of at least so many words."""
_ANNOUNCED = re.compile("The answer is ([A-Z]).")
LLAVA_LETTERS = "ABCDE"


class Letter(NamedTuple):
    """The letter that was read, empty where there is none, and how it was found."""

    letter: str
    how: str


NO_LETTER = Letter("", "nothing found")


class Options(NamedTuple):
    """The letters on offer, and the texts of options by letter, each in its own order.

    A text may be None where it is not known. A letter may be on offer twice, and a text may belong to one that is not:
    MMMU's rows have both.
    """

    letters: tuple[str, ...]
    texts: Mapping[str, str | None]


Reading = Callable[[str, Options], Letter]


def read_exact(text: str, options: Options) -> Letter:
    """The text itself."""
    del options
    return Letter(text, "the text as it is")


def read_mmmu(text: str, options: Options) -> Letter:
    """The last "(X)", else the last " X ", else the option whose text ends last in a response of more than five words.

    Marks at the edges are taken off first, one kind after the other. Source: MMMU.

    >>> read_mmmu("C. A pretty girl", options_of(3)).letter
    'A'
    """
    padded = _padded(text)
    return (
        _last_marked(padded, options, "({})", "({})")
        or _last_marked(padded, options, " {} ", " {} ")
        or _last_text(padded, options)
    )


def read_mmmu_lmms_eval(text: str, options: Options) -> Letter:
    """The same with "X " and "X." in place of " X ", of several such the one that stands last between blanks.

    Source: lmms-eval.

    >>> read_mmmu_lmms_eval("A. dog", options_of(["dog", "cat"])).letter
    'A'
    """
    padded = _padded(text)
    return (
        _last_marked(padded, options, "({})", "({})")
        or _last_marked(padded, options, "{} ", " {} ")
        or _last_marked(padded, options, "{}.", " {} ")
        or _last_text(padded, options)
    )


def read_mmmu_pro(text: str, options: Options) -> Letter:
    """The one letter that stands anywhere after the last "Answer:", else as lmms-eval reads MMMU. Source: MMMU-Pro.

    >>> read_mmmu_pro("(A) is near. Answer: $B$", options_of(3)).letter
    'B'
    """
    _, announced, rest = text.rpartition("Answer:")
    found = [letter for letter in options.letters if letter in rest] if announced else []
    if len(found) == 1:
        return Letter(found[0], 'the only letter after the last "Answer:"')
    return read_mmmu_lmms_eval(text, options)


def read_llava(text: str, options: Options) -> Letter:
    """The whole text as A to E, such a letter before ". " at the start, or the X of the only "The answer is X?".

    The question mark stands for any character. A letter that is not on offer is none. Source: LLaVA, for ScienceQA.

    >>> read_llava("The answer is Banana.", options_of(["apple", "pear"]))
    Letter(letter='B', how='the capital after "The answer is "')
    """
    if len(text) == 1 and text in LLAVA_LETTERS:
        found = Letter(text, "the whole text")
    elif text[1:3] == ". " and text[0] in LLAVA_LETTERS:
        found = Letter(text[0], 'the letter before ". " at the start')
    else:
        announced = _ANNOUNCED.findall(text)
        if len(announced) != 1:
            how = f'"The answer is X" with a character after it stands there {len(announced)} times, not once'
            return Letter("", how)
        found = Letter(announced[0], 'the capital after "The answer is "')
    if found.letter in options.letters[: len(LLAVA_LETTERS)]:
        return found
    return Letter("", f"{found.letter} ({found.how}), which is no option")


def read_scienceqa_lmms_eval(text: str, options: Options) -> Letter:
    """The whole text as a letter of any case, blanks around it taken off, or a capital before "." at the start.

    Source: lmms-eval.
    """
    del options
    bare = text.strip()
    if len(bare) == 1 and bare.upper() in LETTERS:
        return Letter(bare.upper(), "the whole text")
    if bare[1:2] == "." and bare[0] in LETTERS:
        return Letter(bare[0], 'the capital before "." at the start')
    return NO_LETTER


READINGS: dict[str, Reading] = {
    "exact": read_exact,
    "mmmu": read_mmmu,
    "mmmu-lmms-eval": read_mmmu_lmms_eval,
    "mmmu-pro": read_mmmu_pro,
    "llava": read_llava,
    "scienceqa-lmms-eval": read_scienceqa_lmms_eval,
}


LOOKS_AT_TEXTS = frozenset({"mmmu", "mmmu-lmms-eval", "mmmu-pro"})
"""The readings that look for the texts of the options where no letter is marked."""


def options_of(choices: object) -> Options:
    """The options as they come: their number, their texts, or texts by letter; every letter where nothing is known.

    >>> options_of(2).letters, options_of(["red", "blue"]).texts
    (('A', 'B'), {'A': 'red', 'B': 'blue'})
    """
    if isinstance(choices, Options):
        return choices
    if isinstance(choices, Mapping):
        return Options(tuple(choices), choices)
    if isinstance(choices, int):
        return Options(tuple(LETTERS[:choices]), {})
    if isinstance(choices, Sequence) and not isinstance(choices, str):
        return options_of(dict(zip(LETTERS, choices, strict=False)))
    return options_of(len(LETTERS))


def read_letter(reading: str, text: str, choices: object) -> str | None:
    """The letter alone, None where there is none."""
    return READINGS[reading](text, options_of(choices)).letter or None


def choice_letters(
    predictions: list[str], choices: list[Any], *, is_llava: bool, read: Callable[[str, Any], str | None]
) -> list[str | None]:
    """The letter in every text by `read`: the reading "llava" or "mmmu", which the compiled kernel knows by itself."""
    del is_llava
    return [read(text, each) for text, each in zip(predictions, choices, strict=True)]


def choice_rows(
    predictions: list[str],
    references: list[list[str]],
    choices: list[Any],
    *,
    is_llava: bool,
    read: Callable[[str, Any], str | None],
) -> array[float]:
    """1.0 where the letter that `choice_letters` gives is one of the references, else 0.0."""
    letters = choice_letters(predictions, choices, is_llava=is_llava, read=read)
    return array("d", [float(letter in golds) for letter, golds in zip(letters, references, strict=True)])


def _padded(text: str) -> str:
    """The text without marks at its edges, between blanks."""
    if text[:1] in _EDGES or text[-1:] in _EDGES:
        for mark in _EDGES:
            text = text.strip(mark)
    return f" {text} "


def _last_marked(padded: str, options: Options, mark: str, place: str) -> Letter | None:
    """Of the letters that stand there marked so, the one whose place is last; the first of equals."""
    around, behind = mark.split("{}")
    found = [letter for letter in options.letters if around + letter + behind in padded]
    if not found:
        return None
    if len(found) == 1:
        return Letter(found[0], f'"{around}{found[0]}{behind}"')
    last = max(found, key=lambda letter: padded.rfind(place.format(letter)))
    return Letter(last, f'"{around}{last}{behind}", the last of {len(found)}')


def may_name_texts(text: str) -> bool:
    """Whether a response has so many words that MMMU looks for the texts of options in it."""
    return len(_padded(text).split()) >= _FEWEST_WORDS


def read_texts(text: str, options: Options) -> Letter:
    """The last part of MMMU's readings alone: the option whose text begins last in a long response."""
    return _last_text(_padded(text), options)


def _last_text(padded: str, options: Options) -> Letter:
    """The option whose text is in the response and begins last there; the first of equals."""
    if len(padded.split()) < _FEWEST_WORDS:
        return NO_LETTER
    lower = padded.lower()
    places = {letter: lower.rfind(option.lower()) for letter, option in options.texts.items() if option is not None}
    found = [letter for letter, place in places.items() if place >= 0]
    if not found:
        return NO_LETTER
    last = max(found, key=places.__getitem__)
    return Letter(last, "the text of an option" + (f", the last of {len(found)}" if len(found) > 1 else ""))
