"""What a comparison or a report is about, by the names that were given or by default: baseline, score, columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fullmarks.analysis.published import official_names
from fullmarks.checks import check_kind, each_label, listed_names
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.pairs import Paired
    from fullmarks.result import Result

MOST_SLICES = 200
"""A column with more values than this names examples rather than kinds of them: it is sliced by only when asked."""


def baseline_name(runs: Mapping[str, Result], wanted: str | None) -> str:
    """The name of the run that the others are compared with, by default the first."""
    check_kind("baseline", wanted, str, or_none=True)
    if wanted is None:
        return next(iter(runs))
    if wanted not in runs:
        known = ", ".join(f"'{name}'" for name in runs)
        raise UsageError(f"no system '{wanted}' to be the baseline; there are {known}")
    return wanted


def chosen_score(base: Result, wanted: str | None) -> str:
    """The score of that name, its own or its official one, by default the first; an error where there is none."""
    names = official_names(base)
    if wanted is None:
        return next(iter(names))
    for name, official in names.items():
        if wanted in (name, official):
            return name
    raise UsageError(f"{base.protocol} has no score '{wanted}'; it has {', '.join(names)}")


def shared_score(base: Result, paired: Paired, wanted: str | None) -> str:
    """The same among the scores that all runs have."""
    shared = [name for metric, _ in paired.rows for name in metric.scores]
    if wanted is None:
        return next(name for name in official_names(base) if name in shared)
    found = chosen_score(base, wanted)
    if found not in shared:
        raise UsageError(f"not every run has the score '{wanted}'; all have {', '.join(shared)}")
    return found


def chosen_columns(base: Result, by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns of these names, by default those of the run and of its protocol."""
    if by is None:
        return slice_columns(base)
    return listed_names("by", by, "a column's name or a list of them")


def slice_columns(base: Result) -> tuple[str, ...]:
    """The columns that say what kind of example each one is: those of the run and of its protocol."""
    offered = dict.fromkeys((*base.tally.slice_columns, *base.rules.slices))
    columns = base.tally.examples.columns
    return tuple(
        name for name in offered if name in columns and 1 < len(set(each_label(columns[name])[1])) <= MOST_SLICES
    )
