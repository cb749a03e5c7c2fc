"""Sets of items, alone and jointly with other parts."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

import fullmarks
from fullmarks.metrics.joint import Scores, joint_scores
from fullmarks.text import kernel, sets
from fullmarks.types import Examples


def test_scores_of_sets() -> None:
    metric = fullmarks.load("set_f1")
    predictions = [[["A", 0], ["A", 0.0], ["B", 1]], [], ["x"]]
    found = metric.compute(predictions=predictions, references=[[["A", False]], [], ["x", "x"]])
    assert found == {"f1": (2 / 3 + 0 + 1) / 3, "precision": 0.5, "recall": 2 / 3, "exact": 2 / 3}
    assert fullmarks.load("set_f1", both_empty=1.0).each(predictions=[[]], references=[[]]) == [1.0]


def test_a_text_stands_for_a_list_of_one() -> None:
    metric = fullmarks.load("set_f1")
    assert metric.each(predictions=["ab", ["ab"]], references=["ab", ["a", "b"]]) == [1.0, 0.0]
    assert [row["verdict"] for row in metric.explain(prediction="ab", references=["ab"]).tables["items"]] == ["found"]


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([["x"], 3], [["x"], ["x"]], r"predictions\[1\]: expected a list of items, found int"),
        ([[{}]], [["x"]], r"predictions\[0\]: it holds an item that cannot be compared"),
        ([["x"]], [[["x", []]]], r"references\[0\]: it holds an item that cannot be compared"),
        ([["x"]], [3], r"references\[0\]: expected a list, found int"),
        ([["x"]], [], "references: expected 1 of them"),
    ],
)
def test_refuses(predictions: Any, references: Any, message: str) -> None:
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.load("set_f1").compute(predictions=predictions, references=references)


@pytest.mark.parametrize("joint_rows", [kernel.joint_rows, sets.joint_rows])
def test_joint_scores_are_those_of_the_products(joint_rows: Any) -> None:
    parts = [Scores(1.0, 0.5, 0.4, 2 / 3), Scores(0.0, 0.8, 1.0, 2 / 3), Scores(1.0, 0.0, 0.3, 2.0)]
    rows = joint_rows([array("d", part) for part in parts])
    assert rows[:12].tolist() == [value for part in parts for value in part]
    assert rows[12:].tolist() == list(joint_scores(parts))
    precision, recall = 0.4 * 1.0 * 0.3, 2 / 3 * (2 / 3) * 2.0
    assert rows[13] == 2 * precision * recall / (precision + recall)
    assert joint_rows([array("d"), array("d")]).tolist() == []
    assert joint_rows([array("d", [1, 0.5, 0, 1])]).tolist() == [1, 0.5, 0, 1, 1, 0, 0, 1]
    with pytest.raises(ValueError, match="equally many rows of 4"):
        joint_rows([array("d", [1] * 4), array("d", [1] * 8)])
    with pytest.raises(ValueError, match="equally many rows of 4"):
        joint_rows([array("d", [1] * 3)])


def test_metrics_of_benchmarks_score_texts_alone() -> None:
    for name in ("hotpotqa", "twowiki", "musique"):
        found = fullmarks.load(name).compute(predictions=["in Marlow"], references=[["Marlow"]])
        assert found["f1"] == 2 / 3
        examples = Examples([1], ["in Marlow"], [["Marlow"]])
        assert len(fullmarks.load(name).metric.rows(examples)) == len(fullmarks.load(name).metric.columns)
