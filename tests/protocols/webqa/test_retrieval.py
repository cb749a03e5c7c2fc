"""Retrieval F1 over sets of sources."""

from __future__ import annotations

import math

import pytest

from fullmarks.protocols.webqa.retrieval import SOURCES, RetrievalF1, source_overlap
from fullmarks.types import Example, Examples, Total


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


def test_only_known_sources_count() -> None:
    parts = {SOURCES: [["a"], ["b"], None, ["a"]]}
    facts = {SOURCES: [["a"], ["a", "b"], ["a"], None]}
    metric = RetrievalF1()
    rows = metric.rows(Examples(["1", "2", "3", "4"], [""] * 4, [[]] * 4, parts=parts, facts=facts))
    assert rows.tolist() == [1, 1, 1, 1, 2 / 3, 0.5, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    sums = tuple(sum(rows[column::4]) for column in range(4))
    f1, recall, precision = metric.finish(Total(4, sums)).values()
    assert (f1, recall, precision) == ((1 + 2 / 3) / 3, 0.5, 2 / 3)
    assert metric.per_example(rows)["retrieval_f1"] == [1.0, 2 / 3, 0.0, None]


def test_nothing_known_is_undefined_and_no_examples_score_zero() -> None:
    assert all(math.isnan(value) for value in RetrievalF1().finish(Total(2, (0.0,) * 4)).values())
    assert set(RetrievalF1().finish(Total(0, (0.0,) * 4)).values()) == {0.0}


def test_explaining_lists_every_source_once() -> None:
    example = Example("1", "", [], parts={SOURCES: ["c", "a"]}, facts={SOURCES: ["a", "b"]})
    assert RetrievalF1().explain(example).tables["sources"] == [
        {"source": "a", "named": True, "right": True},
        {"source": "b", "named": False, "right": True},
        {"source": "c", "named": True, "right": False},
    ]
