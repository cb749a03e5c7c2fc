"""Two runs side by side: the examples of one in the order of the other, paired by id.

Invariant: position i of everything here belongs to the baseline's example i, with the same references.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from fullmarks.analysis.intervals import metric_rows
from fullmarks.errors import MismatchError, UsageError
from fullmarks.metrics.held_columns import HasHeldColumns
from fullmarks.result import rules_part
from fullmarks.types import FIRST_IDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fullmarks.metrics.metric import Metric
    from fullmarks.metrics.tally import Tally
    from fullmarks.result import Result
    from fullmarks.stats.rows import Floats

Shape: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
"""What the rows of two runs must agree in: the name of the metric, its columns and its scores."""


@dataclass(frozen=True, eq=False)
class Paired:
    """A run's predictions and rows in the baseline's order."""

    predictions: Sequence[Any]
    rows: Sequence[tuple[Metric, Floats]]
    places: Sequence[int]
    """For each of the baseline's examples, its position in the run."""
    unanswered: Sequence[int]
    """The baseline's examples that the run has no prediction for."""
    notes: tuple[str, ...] = ()

    @cached_property
    def scores(self) -> dict[str, list[float]]:
        """All scores of every example by name; of a corpus score, that of the example alone."""
        return {
            name: values
            for metric, numbers in self.rows
            for name, values in metric.scores_alone(_buffer(numbers)).items()
        }

    @cached_property
    def held(self) -> tuple[tuple[str, ...], ...]:
        """For each metric the columns that repeat a number of the whole."""
        return tuple(
            metric.held_columns(_buffer(rows)) if isinstance(metric, HasHeldColumns) else ()
            for metric, rows in self.rows
        )

    def of_score(self, score: str) -> tuple[int, int, Floats]:
        """The place of a score's metric, the score's own among those that its rows give, and the rows.

        The columns of means do not touch each other, so of these the score's own is enough.
        """
        for place, (metric, numbers) in enumerate(self.rows):
            if score in metric.scores:
                index = metric.scores.index(score)
                return (place, 0, numbers[:, [index]]) if metric.is_mean else (place, index, numbers)
        raise UsageError(f"no metric gives the score '{score}'")


def alone(tally: Tally) -> Paired:
    """A run's predictions and rows in its own order."""
    examples = tally.examples
    return Paired(examples.predictions, metric_rows(tally), range(len(examples)), sorted(examples.unanswered))


def _buffer(numbers: Floats) -> array[float]:
    """Rows in the form that metrics take them."""
    return array("d", numbers.tobytes())


def pair_all(runs: Mapping[str, Result], against: str) -> dict[str, Paired]:
    """Every run in the order of the one that the others are compared with, itself among them.

    All have the rows of the metrics that every run has; what only some have is noted. None in common is an error.
    """
    base = runs[against]
    paired = {name: _pair(run, base, (name, against)) for name, run in runs.items() if name != against}
    paired = {name: paired[name] if name in paired else alone(base.tally) for name in runs}
    shapes = {name: [_shape(metric) for metric, _ in each.rows] for name, each in paired.items()}
    owners = {shape: [name for name in runs if shape in shapes[name]] for found in shapes.values() for shape in found}
    shared = {shape for shape, names in owners.items() if len(names) == len(runs)}
    if not shared and len(runs) > 1:
        other = next((name for name in runs if shapes[name] != shapes[against]), against)
        raise MismatchError(
            other,
            f"its metrics are not those of {against}: {runs[other].signature} and {base.signature}",
            "Score both with the same options.",
        )
    notes = tuple(
        f"{', '.join(shape[2])}: not compared, for only {' and '.join(names)} can be scored by it"
        for shape, names in owners.items()
        if shape not in shared
    )
    return {
        name: replace(
            each,
            rows=[(metric, rows) for metric, rows in each.rows if _shape(metric) in shared],
            notes=(*each.notes, *notes),
        )
        for name, each in paired.items()
    }


def pair(run: Result, baseline: Result, names: tuple[str, str] = ("run", "baseline")) -> tuple[Paired, Paired]:
    """The run in the baseline's order, and the baseline."""
    paired = pair_all(dict(zip(names, (run, baseline), strict=True)), names[1])
    return paired[names[0]], paired[names[1]]


def _pair(run: Result, baseline: Result, names: tuple[str, str]) -> Paired:
    """The run in the baseline's order; an error unless both are about the same questions with the same references."""
    if run.protocol != baseline.protocol:
        raise MismatchError(
            names[0],
            f"scored by {run.protocol}, but {names[1]} by {baseline.protocol}",
            "Compare runs of one protocol.",
        )
    notes = _notes(run, baseline, names)
    examples = run.tally.examples
    if list(examples.ids) == list(baseline.tally.examples.ids):
        _check_references(run, baseline, range(len(examples)), names)
        return replace(alone(run.tally), notes=notes)
    order = _order(run, baseline, names)
    _check_references(run, baseline, order, names)
    without = set(examples.unanswered)
    return Paired(
        [examples.predictions[position] for position in order],
        [(metric, numbers[order]) for metric, numbers in metric_rows(run.tally)],
        order,
        [place for place, position in enumerate(order) if position in without],
        notes,
    )


def _shape(metric: Metric) -> Shape:
    return metric.name, metric.columns, metric.scores


def _order(run: Result, baseline: Result, names: tuple[str, str]) -> list[int]:
    """For each of the baseline's examples, its position in the run."""
    ids, wanted = run.tally.examples.ids, baseline.tally.examples.ids
    places = {identifier: position for position, identifier in enumerate(ids)}
    missing = [identifier for identifier in wanted if identifier not in places]
    known = set(wanted)
    surplus = [identifier for identifier in ids if identifier not in known]
    if missing or surplus:
        lacks = f"{len(missing)} questions of {names[1]} are not in it{_first(missing)}"
        extra = f"{len(surplus)} of its questions are not in {names[1]}{_first(surplus)}"
        raise MismatchError(
            names[0],
            " and ".join(text for text, ids in ((lacks, missing), (extra, surplus)) if ids),
            "A paired comparison needs the same questions: score both against the same gold, and missing "
            "predictions with --on-missing zero.",
        )
    return [places[identifier] for identifier in wanted]


def _first(ids: Iterable[Any]) -> str:
    shown = ", ".join(map(repr, list(ids)[:FIRST_IDS]))
    return f" (first: {shown})" if shown else ""


def _check_references(run: Result, baseline: Result, order: Sequence[int], names: tuple[str, str]) -> None:
    ours, theirs = run.tally.examples, baseline.tally.examples
    differing = [
        theirs.ids[place]
        for place, position in enumerate(order)
        if ours.references[position] != theirs.references[place]
    ]
    if differing:
        raise MismatchError(
            names[0],
            f"the gold answers of {len(differing)} questions differ from those of {names[1]}{_first(differing)}",
            "Score both against the same gold.",
        )


def _notes(run: Result, baseline: Result, names: tuple[str, str]) -> tuple[str, ...]:
    ours, theirs = rules_part(run.signature), rules_part(baseline.signature)
    if ours == theirs:
        return ()
    return (f"{names[0]} and {names[1]} were scored by different rules: {ours} and {theirs}",)
