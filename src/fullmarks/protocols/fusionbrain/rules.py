"""The text scores of FusionBrain Challenge 2.0, one function per sub-task, each for one example.

Each function takes the prediction and the gold options, and returns a record with the best option's score and
what is needed to explain it. Of equally good options the first is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from fullmarks.errors import UsageError
from fullmarks.text.meteor import Alignment, Meteor
from fullmarks.text.russian import RussianNormaliser, answer_words, normalise_whole, option_letter
from fullmarks.text.squad import token_f1

SECOND_TRY_AT_MOST = 0.5


class AnswerScore(NamedTuple):
    """The score, the option (by position) that gave it, both normalised texts, and the second try's letter.

    With a letter the score is the second try's and `prediction` is that letter, normalised.
    """

    score: float
    option: int
    prediction: str
    gold: str
    letter: str | None


class MeteorScore(NamedTuple):
    """The score, the option (by position) that gave it, and the alignment or else the two numbers compared.

    `numbers` holds the first number of the prediction (None if it has none) and the gold number (None for a numeric
    sign such as ½ that has no value as a decimal: nothing is close to it).
    """

    score: float
    option: int
    alignment: Alignment | None
    numbers: tuple[float | None, float | None] | None


def textqa_score(
    prediction: str,
    options: Sequence[str],
    normalise: Callable[[str], str],
    *,
    second_try: bool = True,
) -> AnswerScore:
    """Best token F1; if at most 0.5, the best F1 of the first letter a-e replaces it, even when lower."""
    at_most = SECOND_TRY_AT_MOST if second_try else None
    return _tried(prediction, options, normalise, _normalised_f1, at_most)


def mathqa_score(
    prediction: str,
    options: Sequence[str],
    normalise: Callable[[str], str],
    *,
    second_try: bool = True,
) -> AnswerScore:
    """Exact match with any option; if there is none, the first letter a-e gets the same chance."""
    return _tried(prediction, options, normalise, _exact, 0.0 if second_try else None)


def _tried(
    prediction: str,
    options: Sequence[str],
    normalise: Callable[[str], str],
    score: Callable[[str, str], float],
    at_most: float | None,
) -> AnswerScore:
    """The best option's score; at most `at_most` of it lets the letter try again."""
    golds = [normalise(option) for option in checked(options)]
    first = _best_answer(normalise(prediction), golds, score)
    if at_most is None or first.score > at_most:
        return first
    return _second_try(prediction, golds, normalise, score) or first


def visualqa_score(
    prediction: str,
    options: Sequence[str],
    lemmatise: Callable[[str], str],
    meteor: Meteor,
    *,
    cuts_dashes: bool = False,
    by_words: bool = False,
) -> MeteorScore:
    """Best METEOR of an answer, or min/max of the two numbers where the gold option is a single numeric token."""
    normal = partial(visual_form, lemmatise=lemmatise, by_words=by_words)
    words = answer_words(normal(prediction), number_words=True, cuts_dashes=cuts_dashes)
    scores: list[MeteorScore] = []
    for option in checked(options):
        gold = answer_words(normal(option), number_words=by_words, cuts_dashes=cuts_dashes)
        scores.append(numeric_score(words, gold[0]) if is_numeric(gold) else _meteor(words, gold, meteor))
    return _best_meteor(scores)


def visual_form(text: str, lemmatise: Callable[[str], str], *, by_words: bool) -> str:
    """The normal form of an answer to VisualQA: lemmatised as one word, or word by word with numerals as digits."""
    return _normaliser(lemmatise)(text) if by_words else normalise_whole(text, lemmatise)


@lru_cache(maxsize=2)
def _normaliser(lemmatise: Callable[[str], str]) -> RussianNormaliser:
    return RussianNormaliser(lemmatise)


def is_numeric(gold: list[str]) -> bool:
    """Whether the gold option is a single numeric token, so that numbers are compared."""
    return len(gold) == 1 and gold[0].isnumeric()


def checked(options: Sequence[str]) -> Sequence[str]:
    """The gold options of an example; none at all is a UsageError."""
    if not options:
        raise UsageError("an example has no gold options; each needs at least one. Add the right answer to it.")
    return options


def _normalised_f1(prediction: str, gold: str) -> float:
    return token_f1(prediction.split(), gold.split())


def _exact(prediction: str, gold: str) -> float:
    return float(prediction == gold)


def _best_answer(
    prediction: str, golds: list[str], compare: Callable[[str, str], float], letter: str | None = None
) -> AnswerScore:
    scores = [compare(prediction, gold) for gold in golds]
    best = max(scores)
    option = scores.index(best)
    return AnswerScore(best, option, prediction, golds[option], letter)


def _second_try(
    prediction: str,
    golds: list[str],
    normalise: Callable[[str], str],
    compare: Callable[[str, str], float],
) -> AnswerScore | None:
    letter = option_letter(prediction)
    return None if letter is None else _best_answer(normalise(letter), golds, compare, letter)


def _best_meteor(scores: list[MeteorScore]) -> MeteorScore:
    values = [score.score for score in scores]
    option = values.index(max(values))
    return scores[option]._replace(option=option)


def _meteor(words: list[str], gold: list[str], meteor: Meteor) -> MeteorScore:
    alignment = meteor.align(words, gold)
    return MeteorScore(meteor.value(alignment), 0, alignment, None)


def numeric_score(words: list[str], token: str) -> MeteorScore:
    """The smaller of the first number among the words and the gold one, divided by the larger; 0.0 without one.

    Two zeros give 1.0, two numbers beyond a double 0.0.
    """
    gold = _number(token)
    found = next((number for number in map(_number, words) if number is not None), None)
    if found is None or gold is None or math.isinf(min(found, gold)):
        score = 0.0
    elif found == gold:
        score = 1.0
    else:
        score = min(found, gold) / max(found, gold)
    return MeteorScore(score, 0, None, (found, gold))


def _number(token: str) -> float | None:
    """The token as a float, infinite beyond a double; None if it is no number ("nan" and "inf" are words here)."""
    try:
        number = float(token)
    except ValueError:
        return None
    return number if math.isfinite(number) or any(map(str.isdecimal, token)) else None


def after_first_sentence(text: str) -> str:
    """The text after its first sentence, which only says what to do; nothing where there is no other.

    Only a period and a blank end the sentence, as in the contest's program.

    >>> after_first_sentence("Нарисуй картинку. Красный дом у реки.")
    'Красный дом у реки.'
    """
    return text.partition(". ")[2]
