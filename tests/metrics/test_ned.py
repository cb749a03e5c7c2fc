"""Edit similarity as a metric; tests/metrics/test_metric.py has what holds for all metrics."""

from __future__ import annotations

import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError
from fullmarks.types import Examples

pytest.importorskip("rapidfuzz", reason="needs rapidfuzz: make install")


def test_ned() -> None:
    predictions, references = ["СТОЛ", "kitten", "", "a"], [["СТОП"], ["sitting"], "", "A"]
    each = fullmarks.load("ned").each(predictions=predictions, references=references)
    assert each == [0.75, 1 - 3 / 7, 0.0, 0.0]


def test_a_reference_is_needed() -> None:
    scorer = fullmarks.load("ned")
    with pytest.raises(InputError, match="needs at least 1"):
        scorer.each(predictions=["x"], references=[[]])
    with pytest.raises(UsageError, match="no reference"):
        scorer.metric.rows(Examples([0], ["x"], [[]]))


def test_the_signature_names_no_dictionary() -> None:
    assert fullmarks.load("ned").signature(5) == f"ned|n:5|v:{fullmarks.__version__}"
