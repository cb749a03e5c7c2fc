"""The texts of WebQA: the normaliser of its accuracy, the tokens that count in each category, and their overlap.

Lemmatising is left to the caller, because it needs a model and is far quicker for many texts at once: everything before
it is done here text by text, and every distinct outcome is lemmatised once.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from fullmarks.text.tables import table

CATEGORIES = ("color", "shape", "YesNo", "number", "choose", "Others", "text")
JUDGED_BY_F1 = frozenset(("color", "shape", "YesNo", "number"))
"""The categories whose accuracy is F1; that of the others is recall."""
NUMBER = frozenset({"NUMBER"})
"""The domain of the category `number`: whole numbers, whichever they are."""
SMOOTHING = 1e-5
"""What the accuracy with keywords adds to the denominator of F1."""

Lemmatise = Callable[[Sequence[str]], list[str]]

_MARKS_BUT_PERIOD = str.maketrans(dict.fromkeys(string.punctuation.replace(".", "")))
_PERIOD = re.compile(r"\.(?!\d)")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


class Prepared(NamedTuple):
    """A text on its way to its normal form."""

    text: str
    needs_lemmas: bool


class Overlap(NamedTuple):
    """How far the tokens of an answer cover those that were asked for, and no others."""

    f1: float
    recall: float
    precision: float
    exact_match: float

    def accuracy(self, category: str) -> float:
        """The measure that counts in the category."""
        return self.f1 if category in JUDGED_BY_F1 else self.recall


NO_OVERLAP = Overlap(0.0, 0.0, 0.0, 0.0)


def number_for_word(word: str) -> str:
    """The number that a single lower-case word means, in digits; any other word as it is.

    As the `word2number` package 1.1 reads one word, except that "point" stays a word.

    >>> number_for_word("twelve"), number_for_word("007"), number_for_word("cats")
    ('12', '7', 'cats')
    """
    number: str | None = table("words", beside=__file__)["numbers"].get(word)
    if number is not None:
        return number
    if word.isdigit():
        try:
            return str(int(word))
        except ValueError:  # a superscript digit, or more digits than Python agrees to read
            return word
    return word


def prepare(text: str) -> Prepared:
    """The text before lemmatising: lower case, no punctuation but decimal points, no articles, numbers in digits.

    One character is only lower-cased and mapped to its number; one word keeps its article.

    >>> prepare("The two dogs, 1.5 m.").text
    '2 dogs 1.5 m'
    """
    given = text.strip()
    lower = text.lower()
    if len(given) != 1:
        lower = _PERIOD.sub("", lower.translate(_MARKS_BUT_PERIOD))
        if len(given.split(maxsplit=1)) != 1:
            lower = _ARTICLE.sub(" ", lower)
    return Prepared(" ".join(map(number_for_word, lower.split())), len(given) != 1)


def normalize_webqa(texts: Sequence[str], lemmatise: Lemmatise) -> list[str]:
    """The normal form of every text, in order; the lemmatiser is called once, with distinct texts."""
    forms = {text: prepare(text) for text in dict.fromkeys(texts)}
    to_lemmatise = list(dict.fromkeys(form.text for form in forms.values() if form.needs_lemmas))
    lemmas = dict(zip(to_lemmatise, lemmatise(to_lemmatise), strict=True))
    normal = {text: lemmas[form.text] if form.needs_lemmas else form.text for text, form in forms.items()}
    return [normal[text] for text in texts]


def kept_tokens(normal: str, category: str) -> list[str]:
    """The tokens of a normalised text that count in the category.

    Of colours, shapes and yes or no each known word once, in alphabetical order, so that equal sets are equal lists;
    of numbers the whole ones in canonical form; otherwise every token.

    >>> kept_tokens("red and red or blue", "color"), kept_tokens("2 of 007", "number")
    (['blue', 'red'], ['2', '7'])
    """
    return tokens_in(normal.split(), domain_of(category))


def tokens_in(tokens: list[str], domain: Set[str] | None) -> list[str]:
    """The tokens that belong to a domain: all without one, the whole numbers of `NUMBER`, else each known word once."""
    if domain is None:
        return tokens
    return whole_numbers(tokens) if domain == NUMBER else sorted(set(domain).intersection(tokens))


def whole_numbers(tokens: Iterable[str]) -> list[str]:
    """Those tokens that are whole numbers, in canonical form.

    >>> whole_numbers(["2", "of", "007"])
    ['2', '7']
    """
    return [number for number in map(_whole_number, tokens) if number is not None]


def domain_of(category: str) -> frozenset[str] | None:
    """What counts in a category: the words of its list, whole numbers, or (None) everything."""
    return NUMBER if category == "number" else _word_sets().get(category)


def token_overlap(tokens: Sequence[str], wanted: Sequence[str], smoothing: float = SMOOTHING) -> Overlap:
    """Precision, recall and F1 of the tokens counted with repeats, and whether the lists are equal.

    Nothing in common gives 0 for all, two empty lists included.
    """
    common = (Counter(tokens) & Counter(wanted)).total()
    if common == 0:
        return NO_OVERLAP
    precision = common / len(tokens)
    recall = common / len(wanted)
    f1 = 2 * precision * recall / (precision + recall + smoothing)
    return Overlap(f1, recall, precision, float(list(tokens) == list(wanted)))


def _whole_number(token: str) -> str | None:
    try:
        return str(int(token))
    except ValueError:
        return None


@lru_cache(maxsize=1)
def _word_sets() -> dict[str, frozenset[str]]:
    return {category: frozenset(words) for category, words in table("words", beside=__file__)["words"].items()}
