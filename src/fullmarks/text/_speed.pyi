from array import array
from collections.abc import Callable, Sequence
from typing import Any

from fullmarks.text.meteor import Meteor
from fullmarks.text.overlap import Plan

class Tokeniser:
    def __init__(self, normal: Callable[[str], str], plan: Plan | None = None) -> None: ...
    def __call__(self, text: str) -> list[str]: ...

def overlap_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    tokeniser: Tokeniser,
    both_empty: float = 0.0,
    drop_empty_references: bool = False,
    whole_answers: tuple[str, ...] = (),
) -> array[float]: ...
def overlap_each(
    predictions: list[str],
    references: list[list[str]],
    *,
    tokeniser: Tokeniser,
    both_empty: float = 0.0,
    whole_answers: tuple[str, ...] = (),
) -> array[float]: ...
def squad_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    both_empty: float,
    drop_empty_references: bool,
) -> array[float]: ...
def squad_each_reference(prediction: str, references: list[str], *, both_empty: float) -> list[tuple[float, float]]: ...
def set_rows(
    predictions: Sequence[Sequence[Any] | None], references: Sequence[Sequence[Any]], *, both_empty: float = 0.0
) -> array[float]: ...
def joint_rows(parts: list[array[float]]) -> array[float]: ...
def meteor_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    meteor: Meteor,
    tokeniser: Tokeniser,
    gold_tokeniser: Tokeniser,
) -> array[float]: ...
def bleu_rows(predictions: list[str], references: list[list[str]], *, max_order: int) -> array[float]: ...
def relaxed_rows(
    predictions: list[str], references: list[list[str]], *, tolerance: float, is_swapped: bool
) -> array[float]: ...
def contains_rows(predictions: list[str], references: list[list[str]], *, case: str) -> array[float]: ...
def cleaned_rows(
    predictions: list[str],
    references: list[list[str]],
    kinds: list[Any],
    *,
    formulas: str,
    judge: Callable[[str, list[str], Any], bool],
) -> array[float]: ...
def number_rows(predictions: list[str], references: list[list[str]], *, reading: str) -> array[float]: ...
def yes_no_rows(predictions: list[str], references: list[list[str]], *, is_pope: bool) -> array[float]: ...
def choice_rows(
    predictions: list[str],
    references: list[list[str]],
    choices: list[Any],
    *,
    is_llava: bool,
    read: Callable[[str, Any], str | None],
) -> array[float]: ...
def choice_letters(
    predictions: list[str], choices: list[Any], *, is_llava: bool, read: Callable[[str, Any], str | None]
) -> list[str | None]: ...
def fold(values: array[float], width: int) -> list[float]: ...
def tokens_squad(text: str, /) -> list[str]: ...
def tokens_13a(text: str, /) -> list[str]: ...
def porter_stem(word: str, /) -> str: ...
