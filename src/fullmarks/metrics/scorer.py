"""A metric in use: computes at once, one number per example, or batch by batch."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from fullmarks.checks import check_instance, check_labels, is_nan
from fullmarks.errors import InputError, UsageError
from fullmarks.frozen import replaced
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.options import finishing_options
from fullmarks.text.kernel import text_lists
from fullmarks.types import Examples, Explanation

_PLAIN = frozenset((tuple, range, set, frozenset))


class Scorer:
    """What `fullmarks.load` gives. Of the batches it keeps only rows of numbers; the metric itself never changes."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._forget()

    @property
    def description(self) -> str:
        """What the metric computes, and from where: the words of its class."""
        from inspect import getdoc  # its import takes longer than a small job

        return getdoc(type(self.metric)) or self.metric.summary

    @property
    def citation(self) -> str:
        """Where the metric was published; empty where it says nothing."""
        return self.metric.citation

    @property
    def features(self) -> dict[str, str]:
        """What every example brings, by name, with its kind."""
        return dict(self.metric.features)

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
        direct = Scorer(replaced(self.metric, **options))
        direct.add_batch(
            predictions=() if predictions is None else predictions,
            references=() if references is None else references,
            **columns,
        )
        return direct._compute_batches({}, {})

    def each(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> list[float]:
        """The main score of every example alone, in order."""
        examples = self._examples(predictions, references, columns)
        return self.metric.scores_alone(self.metric.rows(examples))[self.metric.scores[0]]

    def each_score(
        self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any
    ) -> dict[str, list[float]]:
        """Every score of every example alone, by its name: `each` for metrics that have several."""
        examples = self._examples(predictions, references, columns)
        return self.metric.scores_alone(self.metric.rows(examples))

    def add_batch(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> None:
        """Take in some examples for a later `compute`."""
        examples = self._examples(predictions, references, columns)
        labels = {name: _labels(name, values) for name, values in examples.columns.items()}
        if self._n and examples.columns.keys() != self._columns.keys():
            ours, before = sorted(examples.columns), sorted(self._columns)
            raise UsageError(f"this batch has the columns {ours}, those before had {before}. Give all the same ones")
        self._rows.extend(self.metric.rows(examples))
        self._n += len(examples)
        for name, values in labels.items():
            self._columns.setdefault(name, []).extend(values)

    def add(self, *, prediction: Any, reference: Any = None, references: Any = None, **columns: Any) -> None:
        """Take in one example for a later `compute`; of `reference` and `references` one is given."""
        if (reference is None) == (references is None):
            raise UsageError("add takes one of reference= and references=: a text, or a list of texts")
        gold = references if reference is None else reference
        each = {name: [value] for name, value in columns.items()}
        self.add_batch(predictions=[prediction], references=[gold], **each)

    def merge(self, other: Scorer) -> None:
        """Take over the batches of another scorer of the same metric, after one's own."""
        check_instance("what is merged", other, Scorer, "a Scorer (what fullmarks.load gives)")
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
        return self.metric.explain(self._examples([prediction], [references], {})[0])

    def signature(self, n: int) -> str:
        """The rules and options behind a number, in one line; the questions themselves are not in it."""
        return self.metric.signature(n)

    def __repr__(self) -> str:
        return f"Scorer({self.metric!r})"

    def _examples(self, predictions: Any, references: Any, columns: dict[str, Any]) -> Examples:
        """The lists as examples; a reference given as one text stands for a list of one."""
        texts = listed("predictions", predictions)
        golds = listed("references", references)
        named = {name: listed(name, values) for name, values in columns.items() if values is not None}
        for name, values in {"references": golds, **named}.items():
            if len(values) != len(texts):
                found = f"expected {len(texts)} of them, one per prediction, found {len(values)}"
                raise InputError(name, found, "Give one per prediction.")
        if self.metric.takes_lists:
            lists = golds if set(map(type, golds)) <= {list} else list(map(_listed_items, golds, range(len(golds))))
        else:
            told = text_lists(texts, golds)
            lists = _checked_lists(texts, golds) if told is None else told
            self._check_counts(lists)
        return Examples(range(len(texts)), texts, lists, named)

    def _check_counts(self, lists: list[list[str]]) -> None:
        """An error where an example has fewer references than the metric needs."""
        fewest = self.metric.fewest_references
        if fewest and lists and min(map(len, lists)) < fewest:
            position = next(at for at, values in enumerate(lists) if len(values) < fewest)
            found = f"{self.metric.name} needs at least {fewest}, found {len(lists[position])}"
            raise InputError(f"references[{position}]", found, "Leave this example out.")

    def _forget(self) -> None:
        self._rows: array[float] = array("d")
        self._columns: dict[str, list[Any]] = {}
        self._n = 0

    def _compute_batches(self, options: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
        if columns:
            raise UsageError(f"{sorted(columns)} belong to the batches: pass them to add_batch")
        late = sorted(options.keys() - finishing_options(self.metric))
        if late:
            raise UsageError(f"{late} change the rows of batches already taken in: pass them to fullmarks.load")
        metric = replaced(self.metric, **options)
        tally = Tally([metric], tuple(self._columns), keep=False)
        tally.add(Examples(range(self._n), [None] * self._n, [], self._columns), (self._rows,))
        slices = {name: {value: totals[0] for value, totals in tally.by(name).items()} for name in self._columns}
        self._forget()
        return metric.published(tally.totals()[0], slices)


def listed(name: str, values: Any) -> list[Any]:
    """The values as a list, itself if it is one; an error for anything that does not hold one per example."""
    if type(values) is list:
        return values
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise InputError(name, f"expected a list, found {type(values).__name__}", "Give one value per example.")
    if type(values) in _PLAIN:
        return list(values)
    from fullmarks.metrics.given_columns import values_of

    return values_of(name, values)


def _labels(name: str, values: list[Any]) -> list[Any]:
    """The values to slice by, NaN as None: it equals nothing, so that every one would be a slice of its own."""
    check_labels(name, values)
    if set(map(type, values)) <= {str, int, bool, type(None)}:
        return values
    return [None if is_nan(value) else value for value in values]


def _checked_lists(texts: list[Any], golds: list[Any]) -> list[list[str]]:
    """The references as lists of texts, or an error that says where something is none."""
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            found = f"expected a string, found {type(text).__name__}"
            raise InputError(f"predictions[{position}]", found, "Give an empty one for no answer.")
    return list(map(_listed_texts, golds, range(len(golds))))


def _listed_texts(values: Any, position: int) -> list[str]:
    texts = _listed_items(values, position)
    for text in texts:
        if not isinstance(text, str):
            found = f"expected strings, found {type(text).__name__}"
            raise InputError(f"references[{position}]", found, "Give every example a list of texts.")
    return texts


def _listed_items(values: Any, position: int) -> list[Any]:
    """The references of an example; a single text stands for a list of one."""
    return [values] if isinstance(values, str) else listed(f"references[{position}]", values)
