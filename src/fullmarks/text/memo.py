"""A function's values kept in a dictionary: each distinct text is computed once, then only looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memo(dict[str, Value], Generic[Value]):
    """`memo[word]` is `function(word)`, computed on the first read.

    Safe to share between threads: at worst a word is computed twice, with the same value. A pickled memo
    travels empty and fills again where it arrives.

    >>> lengths = Memo(len)
    >>> lengths["word"], dict(lengths)
    (4, {'word': 4})
    """

    def __init__(self, function: Callable[[str], Value]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, word: str) -> Value:
        value = self[word] = self.function(word)
        return value

    def __reduce__(self) -> tuple[type[Memo[Value]], tuple[Callable[[str], Value]]]:
        return type(self), (self.function,)
