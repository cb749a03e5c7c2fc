"""Intervals as they are shown at the prompt, in a notebook and in a data frame; numbers from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fullmarks.showing import Shown, ShowsItself, Table, figure, scaled
from fullmarks.stats.interval import Interval


class Intervals(ShowsItself, dict[str, Interval]):
    """The intervals of scores by name: a dictionary that shows itself as a table."""

    def to_pandas(self) -> Any:
        """One row per score as a `pandas.DataFrame`."""
        from fullmarks.data_frames import pandas_frame

        columns = interval_columns({(None, None): self})
        return pandas_frame({name: values for name, values in columns.items() if name not in ("column", "value")})

    def _shown(self) -> Shown:
        return Shown(f"intervals of {len(self)} score{'s' * (len(self) != 1)}", (interval_table(self),))


def interval_table(intervals: Mapping[str, Interval]) -> Table:
    """One row per score."""
    rows = [
        (name, *map(_plain, (each.low, each.high)), f"{100 * each.level:g} %", each.method, figure(each.standard_error))
        for name, each in intervals.items()
    ]
    return Table(("score", "low", "high", "level", "method", "standard error"), rows, (1, 2, 3, 5))


def _plain(value: float) -> str:
    return scaled(value, 1.0)


def interval_columns(
    parts: Mapping[tuple[str | None, str | None], Mapping[str, Interval]],
) -> dict[str, list[Any]]:
    """The intervals of the whole and of slices by column: what they are of, then what is known of them."""
    rows = [(where, name, each) for where, intervals in parts.items() for name, each in intervals.items()]
    return {
        "score": [name for _, name, _ in rows],
        "column": [where[0] for where, _, _ in rows],
        "value": [where[1] for where, _, _ in rows],
        **{
            part: [getattr(each, part) for _, _, each in rows]
            for part in ("low", "high", "level", "method", "standard_error", "units")
        },
        "note": [each.note or None for _, _, each in rows],
    }
