"""The result of a run: the official numbers, how they break down, and what determined them."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from fullmarks.checks import check_columns, check_labels
from fullmarks.errors import UsageError
from fullmarks.frozen import declared, frozen
from fullmarks.metrics.tally import Tally
from fullmarks.types import Audit, Total

if TYPE_CHECKING:
    import os

    from fullmarks.protocols.protocol import Protocol

NO_VALUE = "(none)"
"""The name of the slice of the examples that have no value in a column."""

KEPT_WHERE_ASKED = "A table's own columns are kept where they are asked for: score with --by {column} (by='{column}')."
"""What to do about a column that a run does not have."""

LONGEST_NAME = 250
"""Characters of a number's name that MLflow keeps."""

MOST_SHOWN = 20
"""Numbers of the official result that stand in its short form."""

SHARED_SCORES = 1 << 16
"""How many different sums are remembered with their scores while slices are gone through."""


@frozen(repr=False)
class Result:
    """What `fullmarks.score` returns.

    `official` holds the benchmark's own keys and floats; `scores` the same quantities from 0 to 1.
    """

    protocol: str
    official: dict[str, Any]
    scores: dict[str, float]
    signature: str
    audit: Audit
    scale: float
    tally: Tally = declared(compare=False)
    rules: Protocol = declared(compare=False)
    """The protocol with its options: what the numbers were made by."""
    options: dict[str, Any] = declared(default_factory=dict, compare=False)
    """The protocol's options that were given; the others had their defaults."""
    fingerprint: str | None = declared(default=None, compare=False)
    """That of the rules, as a saved run has it, "" where it has none; None for the rules that are installed."""

    @property
    def n(self) -> int:
        """How many examples were scored."""
        return self.tally.n

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of the official result under flat names, as trackers of experiments take them.

        All are floats, and finite: what is undefined is left out. Names of nested results are joined by a dot; see
        `tracked_names` for what they may hold.
        """
        pairs = [(name, float(value)) for name, value in _flat_pairs(self.official) if math.isfinite(value)]
        return dict(zip(tracked_names([name for name, _ in pairs]), (value for _, value in pairs), strict=True))

    @property
    def per_example(self) -> PerExample:
        """One record per example, in input order."""
        self._check_kept()
        return PerExample(self.tally)

    def to_arrow(self) -> Any:
        """One row per example as a `pyarrow.Table`: id, prediction, references, the columns, the scores from 0 to 1.

        A prediction that is missing is null, and so is a score that is undefined. Every column has one type: see
        `fullmarks.data_frames`.
        """
        from fullmarks.data_frames import arrow_table

        return arrow_table(*self._table())

    def to_pandas(self) -> Any:
        """The same as a `pandas.DataFrame`."""
        from fullmarks.data_frames import pandas_frame

        return pandas_frame(*self._table())

    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`."""
        from fullmarks.data_frames import polars_frame

        return polars_frame(*self._table())

    def report(self, path: str | os.PathLike[str], *, name: str = "", **options: Any) -> None:
        """Write the result as a page to explore, or as the table that the ending of the path says.

        `name` is what the system is called. All else is as in `fullmarks.report`.
        """
        import fullmarks  # its public face: the room of reports is built upon this one

        fullmarks.report({name: self} if name else self, path, **options)

    def _check_kept(self) -> None:
        if not self.tally.keep:
            raise UsageError("this run kept only its sums; score with keep=True to have one record per example")

    def _table(self) -> tuple[dict[str, Sequence[Any]], Collection[str]]:
        """What `per_example` shows, by column, and the names of the scores."""
        self._check_kept()
        examples = self.tally.examples
        predictions = examples.predictions
        if examples.unanswered:
            predictions = list(predictions)
            for position in examples.unanswered:
                predictions[position] = None
        scores = PerExample(self.tally).scores
        shown = {"id": examples.ids, "prediction": predictions, "references": examples.references}
        return {**shown, **examples.columns, **scores}, scores.keys()

    def by(self, column: str) -> dict[Hashable, dict[str, float]]:
        """The scores (0-1) for each value of a column, with the number of examples under 'n'."""
        check_columns([column], self.tally.columns, advice=KEPT_WHERE_ASKED.format(column=column))
        return {value: dict(scores) for value, scores in self._slices(column).items()}

    def _slices(self, column: str) -> dict[Hashable, dict[str, float]]:
        """The same, values with equal sums sharing their scores: where slices are many, most are alike."""
        check_labels(column, self.tally.examples.columns.get(column, ()))
        made: dict[tuple[Total, ...], dict[str, float]] = {}
        found: dict[Hashable, dict[str, float]] = {}
        for value, totals in self.tally.by(column).items():
            scores = made.get(totals)
            if scores is None:
                scores = {**finished(self.tally, totals), "n": totals[0].n}
                if len(made) < SHARED_SCORES:
                    made[totals] = scores
            found[value] = scores
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the official result, signature, counts, audit."""
        return {
            "protocol": self.protocol,
            "official": self.official,
            "scores": _defined(self.scores),
            "n": self.n,
            "signature": self.signature,
            "audit": self.audit.to_dict(),
            "slices": {column: self._plain_slices(column) for column in self.tally.slice_columns},
        }

    def _plain_slices(self, column: str) -> dict[str, dict[str, float | None]]:
        slices = self._slices(column)
        names = slice_names(slices)
        made: dict[int, dict[str, float | None]] = {}
        plain: dict[str, dict[str, float | None]] = {}
        for value, scores in slices.items():
            known = made.get(id(scores))
            if known is None:
                known = made[id(scores)] = _defined(scores)
            plain[names[value]] = dict(known)
        return plain

    def __repr__(self) -> str:
        from fullmarks.showing import figure, visible

        numbers = [f"{visible(key)}={figure(value)}" for key, value in flat_numbers(self.official).items()]
        more = [f"and {len(numbers) - MOST_SHOWN:,} more"] if len(numbers) > MOST_SHOWN else []
        return f"<{self.protocol}: {', '.join(numbers[:MOST_SHOWN] + more)} | {self.signature}>"

    def _repr_html_(self) -> str:
        from fullmarks.showing import Shown, Table, figure

        rows = [(key, figure(value, 6)) for key, value in flat_numbers(self.official).items()]
        return Shown(self.signature, (Table((), rows, (1,)),)).html


def _defined(scores: dict[str, float]) -> dict[str, float | None]:
    """The scores with None for those that these examples leave undefined: JSON has no word for NaN."""
    return {name: None if math.isnan(value) else value for name, value in scores.items()}


def finished(tally: Tally, totals: Sequence[Total]) -> dict[str, float]:
    """The scores of all metrics of a tally from their totals."""
    scores: dict[str, float] = {}
    for metric, total in zip(tally.metrics, totals, strict=True):
        scores.update(metric.finish(total))
    return scores


def flat_numbers(official: dict[str, Any]) -> dict[str, float]:
    """The numbers of a nested result under joined keys, in order."""
    return dict(_flat_pairs(official))


def _flat_pairs(official: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in official.items():
        if isinstance(value, dict):
            yield from _flat_pairs(value, f"{prefix}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield f"{prefix}{key}", value


def tracked_names(names: Iterable[str]) -> list[str]:
    """The names as MLflow, Weights & Biases and TensorBoard all take them, no two alike.

    They hold letters and digits of any script, underscores, hyphens and dots. Any other character becomes an
    underscore, and so does a dot at the beginning; a name has 250 characters at most. Where two names become the same,
    the one that was so from the first stays, and others end in _2, _3 and so on, in their order.

    >>> tracked_names(["f1", "type.what is?", "type.what is!", "type.what_is_"])
    ['f1', 'type.what_is__2', 'type.what_is__3', 'type.what_is_']
    """
    listed = list(names)
    allowed = [_tracked(name) for name in listed]
    taken = {new for old, new in zip(listed, allowed, strict=True) if old == new}
    seen: set[str] = set()
    found = []
    for old, new in zip(listed, allowed, strict=True):
        name, number = new, 1
        while name in seen or (name in taken and old != new):
            number += 1
            name = f"{new[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
        seen.add(name)
        found.append(name)
    return found


def _tracked(name: str) -> str:
    plain = "".join(character if character.isalnum() or character in "_-." else "_" for character in name)
    return (f"_{plain[1:]}" if plain[:1] in (".", "") else plain)[:LONGEST_NAME]


def slice_names(values: Iterable[Hashable]) -> dict[Hashable, str]:
    """The values of a column under texts that are all different, for JSON knows only texts as keys.

    Each is its own text and a missing one '(none)'; where two values have the same text, all are written as JSON.

    >>> slice_names([1, 2, None])
    {1: '1', 2: '2', None: '(none)'}
    >>> slice_names([1, "1", None])
    {1: '1', '1': '"1"', None: '(none)'}
    """
    names = {value: NO_VALUE if value is None else str(value) for value in values}
    if len(set(names.values())) < len(names):
        import json

        for value in names:
            if value is not None:
                names[value] = json.dumps(value, ensure_ascii=False, default=repr)
    return names


def rules_part(signature: str) -> str:
    """A signature without the number of examples and the version: the rules that the number was made by."""
    return "|".join(part for part in signature.split("|") if not part.startswith(("n:", "v:")))


def version_part(signature: str) -> str:
    """The version of fullmarks that a signature names; empty where it names none."""
    return next((part[2:] for part in signature.split("|") if part.startswith("v:")), "")


class PerExample(Sequence[dict[str, Any]]):
    """The examples with their scores, each record made when it is looked at."""

    def __init__(self, tally: Tally) -> None:
        self._examples = tally.examples
        self.scores: dict[str, list[Any]] = {}
        """What is shown of every example by its metrics, by name."""
        for metric, rows in zip(tally.metrics, tally.rows, strict=True):
            self.scores.update(metric.per_example(rows))

    def __len__(self) -> int:
        return len(self._examples)

    @overload
    def __getitem__(self, position: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, position: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, position: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(position, slice):
            return [self[index] for index in range(*position.indices(len(self)))]
        example = self._examples[position]
        scores = {name: values[position] for name, values in self.scores.items()}
        return {
            "id": example.id,
            "prediction": example.prediction,
            "references": example.references,
            **example.columns,
            **scores,
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[position] for position in range(len(self)))
