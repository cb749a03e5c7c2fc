"""A metric in use: computes at once, one number per example, or batch by batch."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.types import Examples, Explanation


class Scorer:
    """What `fullmarks.load` gives. Of the batches it keeps only rows of numbers; the metric itself never changes."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._forget()

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """The score of these examples, or of all batches added before, which are then forgotten.

        Other keywords are options of the metric, or columns (one value per example) to break the score down by.
        """
        options = {name: value for name, value in others.items() if name in self.metric.options()}
        columns = {name: value for name, value in others.items() if name not in options and value is not None}
        if predictions is None and references is None:
            return self._compute_batches(options, columns)
        direct = Scorer(replace(self.metric, **options))
        direct.add_batch(predictions=predictions or (), references=references or (), **columns)
        return direct._compute_batches({}, {})

    def each(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> list[float]:
        """The main score of every example alone, in order."""
        examples = _to_examples(predictions, references, columns)
        return self.metric.each(self.metric.rows(examples))

    def add_batch(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> None:
        """Take in some examples for a later `compute`."""
        examples = _to_examples(predictions, references, columns)
        if self._n and columns.keys() != self._columns.keys():
            raise UsageError(f"this batch has the columns {sorted(columns)}, those before had {sorted(self._columns)}")
        self._rows.extend(self.metric.rows(examples))
        self._n += len(examples)
        for name, values in examples.columns.items():
            self._columns.setdefault(name, []).extend(values)

    def merge(self, other: Scorer) -> None:
        """Take over the batches of another scorer of the same metric, after one's own."""
        if other.metric != self.metric:
            raise UsageError(f"cannot merge {other.metric!r} into {self.metric!r}: the options differ")
        if self._n and other._n and other._columns.keys() != self._columns.keys():
            raise UsageError("cannot merge: the two have different columns")
        self._rows.extend(other._rows)
        self._n += other._n
        for name, values in other._columns.items():
            self._columns.setdefault(name, []).extend(values)

    def explain(self, *, prediction: Any, references: Sequence[Any]) -> Explanation:
        """Why this answer gets its score."""
        return self.metric.explain(_to_examples([prediction], [references], {})[0])

    def signature(self, n: int) -> str:
        """All that determines the number, in one line."""
        return self.metric.signature(n)

    def __repr__(self) -> str:
        return f"Scorer({self.metric!r})"

    def _forget(self) -> None:
        self._rows: array[float] = array("d")
        self._columns: dict[str, list[Any]] = {}
        self._n = 0

    def _compute_batches(self, options: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
        if columns:
            raise UsageError(f"{sorted(columns)} belong to the batches: pass them to add_batch")
        late = sorted(options.keys() - set(self.metric.finish_options))
        if late:
            raise UsageError(f"{late} change the rows of batches already taken in: pass them to fullmarks.load")
        metric = replace(self.metric, **options)
        tally = Tally([metric], tuple(self._columns), keep=False)
        tally.add(Examples(range(self._n), [None] * self._n, [], self._columns), (self._rows,))
        slices = {name: {value: totals[0] for value, totals in tally.by(name).items()} for name in self._columns}
        self._forget()
        return metric.published(tally.totals()[0], slices)


def _to_examples(predictions: Sequence[Any], references: Sequence[Any], columns: dict[str, Any]) -> Examples:
    """The lists as examples; a reference given as one text stands for a list of one."""
    _check_length("references", references, len(predictions))
    for name, values in columns.items():
        _check_length(name, values, len(predictions))
    for position, prediction in enumerate(predictions):
        if not isinstance(prediction, str):
            raise InputError(f"predictions[{position}]", f"expected a string, found {type(prediction).__name__}")
    lists = [[texts] if isinstance(texts, str) else list(texts) for texts in references]
    for position, texts in enumerate(lists):
        for text in texts:
            if not isinstance(text, str):
                raise InputError(f"references[{position}]", f"expected strings, found {type(text).__name__}")
    named = {name: list(values) for name, values in columns.items()}
    return Examples(range(len(predictions)), list(predictions), lists, named)


def _check_length(name: str, values: Sequence[Any], wanted: int) -> None:
    if isinstance(values, str) or len(values) != wanted:
        found = "one string" if isinstance(values, str) else f"{len(values)}"
        raise InputError(name, f"expected {wanted} of them, one per prediction, found {found}")
