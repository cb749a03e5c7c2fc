"""What is said about intervals: of single slices too, and once for all that it holds for."""

from __future__ import annotations

import fullmarks
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.report.intervals import interval_lines


def test_notes_name_the_slices_that_they_hold_for() -> None:
    kinds = ["x", "x", "y"]
    rows = [{"id": at, "prediction": f"a b{at}", "references": ["a b0"], "kind": kind} for at, kind in enumerate(kinds)]
    result = fullmarks.score("squad1", rows, by=("kind",))
    _, *notes = interval_lines(result_confidence(result, ("kind",), Sampling(resamples=20)))
    assert "kind=y: exact, kind=y: f1: a single unit: its spread cannot be known" in notes


def test_of_many_names_three_are_told_and_the_others_counted() -> None:
    rows = [{"id": at, "prediction": "a", "references": ["a"], "kind": f"k{at}"} for at in range(4)]
    result = fullmarks.score("squad1", rows, by=("kind",))
    lines = interval_lines(result_confidence(result, ("kind",), Sampling(resamples=20)))
    wanted = "kind=k0: exact, kind=k0: f1, kind=k1: exact and 5 more: a single unit: its spread cannot be known"
    assert wanted in lines
