"""English number words turned into digits, word for word as the `wordtodigits` package 1.0.2 does it.

The package's oddities are kept, since published scores contain them: neighbouring numbers are added up ("two
three" is 5), "and" before a number word disappears, a lone "hundred" is 0, and "one point two point three" is
"1.2 2.3".
"""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = (
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)  # fmt: skip
_DIGITS = {word: value for value, word in enumerate(_UNITS)}
_ADDENDS = _DIGITS | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_SCALES = {"thousand": 1_000, "million": 1_000_000}
NUMBER_WORDS = frozenset([*_ADDENDS, *_SCALES, "hundred"])


def digits_for_words(words: Sequence[str]) -> list[str]:
    """Return the words with English numbers in digits; expects lower-case words without the marks . ? and !

    No words give no words.

    >>> digits_for_words("one hundred and ten meters in five point two seconds".split())
    ['110', 'meters', 'in', '5.2', 'seconds']
    """
    if NUMBER_WORDS.isdisjoint(words):
        return list(words)
    result: list[str] = []
    total = 0  # the part of the number that thousand or million has closed
    group = 0  # the part that is still growing
    in_number = after_point = False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in NUMBER_WORDS and not after_point:
            in_number = True
            total, group = _grow(total, group, word)
        elif after_point and word in _DIGITS:
            result[-1] += str(_DIGITS[word])
        elif word == "and" and following in NUMBER_WORDS:
            continue
        elif word == "point" and following in NUMBER_WORDS:
            total += group
            in_number, after_point = False, True
            result.append(f"{total}.")
        else:
            result += [str(total + group), word] if in_number else [word]
            total = group = 0
            in_number = after_point = False
    return [*result, str(total + group)] if in_number else result


def _grow(total: int, group: int, word: str) -> tuple[int, int]:
    """Take one more number word into the number."""
    if word in _SCALES:
        return total + group * _SCALES[word], 0
    if word == "hundred":
        return total, group * 100
    return total, group + _ADDENDS[word]
