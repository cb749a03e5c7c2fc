"""The contract of a metric: rows of sufficient statistics per example, and a score from their column sums.

A metric is a frozen dataclass: its fields are its options, and its options are its signature.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar

from fullmarks.checks import check_kind
from fullmarks.errors import UsageError
from fullmarks.types import Example, Examples, Explanation, Total
from fullmarks.version import __version__

_KINDS: dict[str, type] = {"str": str, "bool": bool, "int": int, "float": float}
"""The annotations of options that are checked. A field's metadata may give limits as `least` and `most`."""


@dataclass(frozen=True)
class Metric(ABC):
    """One metric family. Subclasses say how a chunk of examples becomes rows and how sums become scores."""

    name: ClassVar[str]
    """The name under which it is registered; the first word of its signature."""
    summary: ClassVar[str]
    """What it is, in one line of `fullmarks list`."""
    citation: ClassVar[str] = ""
    """Where it was published, as a list of references has it."""
    features: ClassVar[dict[str, str]] = {"predictions": "text", "references": "list of texts"}
    """What an example brings, by name: its prediction, its references, and the columns that it needs or may have."""
    is_mean: ClassVar[bool] = True
    """Whether every score is the mean of its column: then resampling is one matrix product."""
    less_is_better: ClassVar[tuple[str, ...]] = ()
    """The scores that are better the smaller they are."""
    interval_notes: ClassVar[Mapping[str, str]] = {}
    """What is to be known about the interval of a score, by its name; mostly nothing."""
    finish_options: ClassVar[tuple[str, ...]] = ()
    """The options that change only how a score is finished, never a row."""
    fewest_references: ClassVar[int] = 0
    """How many references an example needs at least."""
    is_expensive: ClassVar[bool] = False
    """Whether a row costs so much that other cores are worth starting."""
    needs: ClassVar[str] = ""
    """The extra that has to be installed, if any."""
    takes_lists: ClassVar[bool] = False
    """Whether a prediction may be a list of items, and the references the items that would have been right."""

    def __post_init__(self) -> None:
        for option in fields(self):
            if option.init:
                self._check_kind(option)

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

    def scores_alone(self, rows: array[float]) -> dict[str, list[float]]:
        """Every score of every row alone."""
        width = len(self.columns)
        if self.is_mean:
            return {name: rows[column::width].tolist() for column, name in enumerate(self.columns)}
        found = [self.finish(Total(1, tuple(rows[at : at + width]))) for at in range(0, len(rows), width)]
        return {name: [scores[name] for scores in found] for name in self.scores}

    def held_columns(self, rows: array[float]) -> tuple[str, ...]:
        """The columns that repeat a number of the whole set in every row: no resampling can tell how sure it is."""
        del rows
        return ()

    def each(self, rows: array[float]) -> list[float]:
        """The main score of every row alone."""
        if self.is_mean:
            return rows[0 :: len(self.columns)].tolist()
        return self.scores_alone(rows)[self.scores[0]]

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """What a record of every example shows: all columns where scores are means, otherwise the main score."""
        return self.scores_alone(rows) if self.is_mean else {self.scores[0]: self.each(rows)}

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """What `compute` returns: the scores, and for each slicing column the scores of every value."""
        result: dict[str, Any] = dict(self.finish(total))
        for column, totals in slices.items():
            result[column] = {value: self.finish(part) for value, part in totals.items()}
        return result

    def explain(self, example: Example) -> Explanation:
        """Why this example scores what it scores. Subclasses add the steps."""
        return Explanation(example.id, self.finish(Total(1, tuple(self.rows(example.alone())))))

    def options(self) -> dict[str, Any]:
        """The options by name, in their order of declaration."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check_choice(self, option: str, choices: Sequence[str]) -> None:
        """An error unless the option has one of these values."""
        value = getattr(self, option)
        if value not in choices:
            known = " or ".join(f"'{choice}'" for choice in choices)
            raise UsageError(f"{option} must be {known}, found {value!r}")

    def _check_kind(self, option: Field[Any]) -> None:
        """An error unless the option is what its annotation says; a path is kept as a text."""
        annotation = option.type.__name__ if isinstance(option.type, type) else str(option.type)
        kind, _, other = annotation.partition(" | ")
        value = getattr(self, option.name)
        if value is option.default or kind not in _KINDS or other not in ("", "None"):
            return
        if kind == "str" and isinstance(value, os.PathLike):
            object.__setattr__(self, option.name, os.fspath(value))
            return
        least, most = option.metadata.get("least"), option.metadata.get("most")
        check_kind(option.name, value, _KINDS[kind], least=least, most=most, or_none=bool(other))

    def signature_parts(self) -> dict[str, str]:
        """What changes the number, besides the metric's name, n and the version: here every option."""
        return {name: signature_value(value) for name, value in self.options().items()}

    def signature(self, n: int) -> str:
        """The rules and options behind a number, in one line.

        On the same questions, two numbers with the same signature are comparable.
        """
        return signature_line(self.name, self.signature_parts(), n)


def signature_line(name: str, parts: Mapping[str, str], n: int) -> str:
    """A signature in the form that every number has.

    >>> signature_line("bleu", {"max_order": "4"}, 100)  # doctest: +ELLIPSIS
    'bleu|max_order:4|n:100|v:...'
    """
    return "|".join([name, *(f"{key}:{value}" for key, value in parts.items()), f"n:{n}", f"v:{__version__}"])


def signature_value(value: object) -> str:
    """An option in a signature; a function is told from the named choice that may have its name.

    >>> signature_value("max"), signature_value(max), signature_value(("a", "b"))
    ('max', 'function:max', 'a+b')
    """
    if callable(value):
        return f"function:{getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "+".join(str(item) for item in value)
    return str(value)
