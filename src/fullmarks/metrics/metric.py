"""The contract of a metric of examples: rows of sufficient statistics, and scores from their column sums."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from fullmarks.frozen import frozen
from fullmarks.metrics.measure import Measure
from fullmarks.text.kernel import column_of
from fullmarks.types import Example, Examples, Explanation, Total


@frozen
class Metric(Measure):
    """One metric family. Subclasses say how a chunk of examples becomes rows and how sums become scores."""

    is_mean: ClassVar[bool] = True
    """Whether every score is the mean of its column: then resampling is one matrix product."""
    interval_notes: ClassVar[Mapping[str, str]] = {}
    """What is to be known about the interval of a score, by its name; mostly nothing."""
    fewest_references: ClassVar[int] = 0
    """How many references an example needs at least."""
    is_expensive: ClassVar[bool] = False
    """Whether a row costs so much that other cores are worth starting."""
    takes_dictionaries: ClassVar[bool] = False
    """Whether its scorer also takes SQuAD's examples as Hugging Face's dictionaries."""
    takes_lists: ClassVar[bool] = False
    """Whether a prediction may be a list of items, and the references the items that would have been right."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the statistics in a row."""

    @abstractmethod
    def rows(self, examples: Examples) -> array[float]:
        """One row of statistics per example, one after the other in a single buffer."""

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores that `finish` returns, the main one first."""
        return self.columns

    def finish(self, total: Total) -> dict[str, float]:
        """Scores from the column sums: here the mean of every column. Without examples every score is 0.0."""
        if total.n == 0:
            return dict.fromkeys(self.scores, 0.0)
        return {name: value / total.n for name, value in zip(self.scores, total.sums, strict=True)}

    def unanswered_row(self, row: array[float]) -> array[float]:
        """The row of an example without a prediction, given that of an empty one: here zeros.

        What a row says of the question alone, such as the length of its reference, stays: see `only`.
        """
        return array("d", bytes(8 * len(row)))

    def scores_alone(self, rows: array[float]) -> dict[str, list[float]]:
        """Every score of every row alone."""
        width = len(self.columns)
        if self.is_mean:
            return {name: column_of(rows, width, column) for column, name in enumerate(self.columns)}
        found = [self.finish(Total(1, tuple(rows[at : at + width]))) for at in range(0, len(rows), width)]
        return {name: [scores[name] for scores in found] for name in self.scores}

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """What a record of every example shows: all columns where scores are means, otherwise the main score."""
        alone = self.scores_alone(rows)
        return alone if self.is_mean else {self.scores[0]: alone[self.scores[0]]}

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """What `compute` returns: the scores, and for each slicing column the scores of every value.

        Another shape or scale than that of `finish` is for a metric that was published with it, and is what the
        benchmark's official result is made by too.
        """
        result: dict[str, Any] = dict(self.finish(total))
        for column, totals in slices.items():
            result[column] = {value: self.finish(part) for value, part in totals.items()}
        return result

    def explain(self, example: Example) -> Explanation:
        """Why this example scores what it scores. Subclasses add the steps."""
        return Explanation(example.id, self.finish(Total(1, tuple(self.rows(example.alone())))))


def only(kept: Collection[str], columns: Sequence[str], row: array[float]) -> array[float]:
    """A row with zeros in all but the columns that are kept.

    >>> only({"n"}, ("f1", "n"), array("d", [0.5, 1.0])).tolist()
    [0.0, 1.0]
    """
    return array("d", [value if name in kept else 0.0 for name, value in zip(columns, row, strict=True)])
