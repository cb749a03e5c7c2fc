"""The one-to-one assignment of greatest total, by shortest augmenting paths.

Invariant: of several best assignments it finds the one that `scipy.optimize.linear_sum_assignment` finds, for the
order in which equal totals are added up shows in the last digit. Source: Crouse 2016, "On implementing 2D rectangular
assignment algorithms", with the ties of SciPy: columns are looked through from the last to the first, and among equal
costs one that is still free is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

FREE = -1


def best_assignment(gains: Sequence[Sequence[float]]) -> list[int | None]:
    """For every row the column that is assigned to it; None for rows that are left over.

    >>> best_assignment([[0.5, 1.0], [0.0, 0.8]]), best_assignment([[0.2], [0.9]]), best_assignment([[]])
    ([0, 1], [None, 0], [None])
    """
    rows, columns = len(gains), len(gains[0]) if gains else 0
    if rows <= columns:
        return list(_Search(gains).run())
    found: list[int | None] = [None] * rows
    for column, row in enumerate(_Search(list(zip(*gains, strict=True))).run()):
        found[row] = column
    return found


@dataclass
class _Search:
    """Rows are taken up one after the other, each by the cheapest path to a free column; a cost is a negative gain."""

    gains: Sequence[Sequence[float]]
    rows: int = field(init=False)
    columns: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = len(self.gains)
        self.columns = len(self.gains[0]) if self.gains else 0
        self.row_price = [0.0] * self.rows
        self.column_price = [0.0] * self.columns
        self.column_of = [FREE] * self.rows
        self.row_of = [FREE] * self.columns

    def run(self) -> list[int]:
        """The column of every row."""
        for row in range(self.rows):
            self._take_up(row)
        return self.column_of

    def _take_up(self, start: int) -> None:
        cost_to = [inf] * self.columns
        reached_from = [FREE] * self.columns
        seen_rows, seen_columns = [start], []
        left = list(range(self.columns - 1, -1, -1))
        row, so_far = start, 0.0
        while True:
            place = self._nearest(row, so_far, left, cost_to, reached_from)
            column = left[place]
            so_far = cost_to[column]
            seen_columns.append(column)
            left[place] = left[-1]
            left.pop()
            if self.row_of[column] == FREE:
                break
            row = self.row_of[column]
            seen_rows.append(row)
        self.row_price[start] += so_far
        for seen in seen_rows[1:]:
            self.row_price[seen] += so_far - cost_to[self.column_of[seen]]
        for seen in seen_columns:
            self.column_price[seen] -= so_far - cost_to[seen]
        self._switch(start, column, reached_from)

    def _nearest(self, row: int, so_far: float, left: list[int], cost_to: list[float], reached_from: list[int]) -> int:
        """The place, among the columns that are left, of the one with the cheapest path, now that `row` is reached."""
        gains, price = self.gains[row], self.row_price[row]
        lowest, nearest = inf, FREE
        for place, column in enumerate(left):
            cost = so_far - gains[column] - price - self.column_price[column]
            if cost < cost_to[column]:
                cost_to[column] = cost
                reached_from[column] = row
            known = cost_to[column]
            if known < lowest or (known == lowest and self.row_of[column] == FREE):
                lowest, nearest = known, place
        return nearest

    def _switch(self, start: int, column: int, reached_from: list[int]) -> None:
        """Give every column of the path to the row that it was reached from."""
        while True:
            row = reached_from[column]
            self.row_of[column] = row
            self.column_of[row], column = column, self.column_of[row]
            if row == start:
                return
