"""MathVista's gains: how far every accuracy lies above that of random guesses."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source

Scores = dict[str, Any]
_ADVICE = "Pass the result of random guesses on the same problems, as this program writes it."


class RandomScores:
    """The accuracies of random guesses, and the file that they are from."""

    def __init__(self, scores: Any, name: str) -> None:
        self._scores = scores
        self._name = name

    def accuracy(self, *place: str) -> float:
        """The accuracy at a place of the result; an error where the file has none."""
        found = self._scores
        for key in (*place, "accuracy"):
            found = found.get(key) if isinstance(found, dict) else None
        try:
            return float(found)
        except (TypeError, ValueError):
            shown = " / ".join(repr(key) for key in place)
            raise InputError(self._name, f"there is no accuracy for {shown}", _ADVICE) from None


def read_scores(source: Source) -> RandomScores:
    """The scores of random guesses."""
    return RandomScores(read_values(source), source.name)


def add_gains(result: Scores, random: RandomScores) -> None:
    """Add `acc_gain` to every number of a result: a number for the average, a text in the tables, as in the program."""
    for table, found in result.items():
        if table == "average":
            found["acc_gain"] = round(found["accuracy"] - random.accuracy(table), 2)
            continue
        for value, numbers in found.items():
            numbers["acc_gain"] = str(round(numbers["accuracy"] - random.accuracy(table, value), 2))
