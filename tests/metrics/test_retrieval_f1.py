"""Retrieval F1 over sets of sources."""

from __future__ import annotations

import pytest

from fullmarks.protocols.webqa.retrieval import GOLD_SOURCES, SOURCES, RetrievalF1, source_overlap
from fullmarks.types import Example, Examples


@pytest.mark.parametrize(
    ("named", "right", "f1", "recall", "precision"),
    [
        (["a", "b"], ["a", "b"], 1.0, 1.0, 1.0),
        (["b", "a", "a"], ["a", "b"], 1.0, 1.0, 1.0),
        (["a", "c"], ["a", "b"], 0.5, 0.5, 0.5),
        (["a"], ["a", "b", "c", "d"], 0.4, 0.25, 1.0),
        (["x"], ["a"], 0.0, 0.0, 0.0),
        ([], ["a"], 0.0, 0.0, 0.0),
        (["a"], [], 0.0, 0.0, 0.0),
        ([], [], 1.0, 1.0, 1.0),
    ],
)
def test_sets(named: list[str], right: list[str], f1: float, recall: float, precision: float) -> None:
    assert source_overlap(named, right) == (f1, recall, precision)


def test_rows_follow_the_columns() -> None:
    columns = {SOURCES: [["a"], ["b"]], GOLD_SOURCES: [["a"], ["a", "b"]]}
    rows = RetrievalF1().rows(Examples(["1", "2"], ["", ""], [[], []], columns))
    assert rows.tolist() == [1.0, 1.0, 1.0, 2 / 3, 0.5, 1.0]


def test_explaining_lists_every_source_once() -> None:
    example = Example("1", "", [], {SOURCES: ["c", "a"], GOLD_SOURCES: ["a", "b"]})
    assert RetrievalF1().explain(example).tables["sources"] == [
        {"source": "a", "named": True, "right": True},
        {"source": "b", "named": False, "right": True},
        {"source": "c", "named": True, "right": False},
    ]
