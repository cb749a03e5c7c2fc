"""Metrics in whose rows numbers of the whole set stand beside those of the examples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array


class HasHeldColumns(ABC):
    """What such a metric is besides a `Metric`, so that comparisons leave alone what they cannot test."""

    @abstractmethod
    def held_columns(self, rows: array[float]) -> tuple[str, ...]:
        """The columns that repeat a number of the whole set in every row: no resampling can tell how sure it is."""
