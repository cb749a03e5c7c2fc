"""Questions and predictions that do not meet, under each rule."""

from __future__ import annotations

import pytest

from fullmarks.errors import InputError
from fullmarks.readers.alignment import REPEATED_GOLD, Gaps, align, told_apart
from fullmarks.types import Audit, Gold

GOLD = Gold(["a", "b", "a"], [["x"], ["y"], ["z"]], {"level": [1, 2, 3]}, {"support": [[1], [2], [3]]})


@pytest.mark.parametrize(
    ("rule", "level", "ids", "references", "levels", "support"),
    [
        ("error", "error", ["a", "b", "a"], [["x"], ["y"], ["z"]], [1, 2, 3], [[1], [2], [3]]),
        ("each", "warning", ["a", "b", "a (2)"], [["x"], ["y"], ["z"]], [1, 2, 3], [[1], [2], [3]]),
        ("last", "warning", ["a", "b"], [["z"], ["y"]], [3, 2], [[3], [2]]),
    ],
)
def test_a_question_that_comes_twice(rule, level, ids, references, levels, support):
    audit = Audit()
    found = align(GOLD, {"a": "1", "b": "2"}, audit, Gaps(repeated_gold=rule))
    assert (found.ids, found.references) == (ids, references)
    assert found.columns == {"level": levels}
    assert found.facts == {"support": support}
    assert audit.findings[REPEATED_GOLD.code].level == level
    assert audit.findings[REPEATED_GOLD.code].first_ids == ["a"]


def test_a_limit_cuts_columns_and_facts_alike():
    audit = Audit()
    gold = Gold(["a", "b"], [["x"], ["y"]], {"level": [1, 2]}, {"support": [[1], [2]]})
    found = align(gold, {"a": "1", "b": "2"}, audit, Gaps(limit=1))
    assert (found.ids, found.columns, found.facts) == (["a"], {"level": [1]}, {"support": [[1]]})


@pytest.mark.parametrize("odd", [["a"], None, 1.5, True, {}])
def test_an_id_that_no_prediction_could_have(odd):
    with pytest.raises(InputError, match="the id of question 2 must be a string or a whole number"):
        align(Gold(["a", odd], [["x"], ["y"]]), {"a": "1"}, Audit(), Gaps())


def test_names_for_repeated_ids_are_not_ids_themselves():
    assert told_apart(["a", "b"]) == ["a", "b"]
    assert told_apart(["a", "a", "a"]) == ["a", "a (2)", "a (3)"]
    assert told_apart(["a", "a", "a (2)", "a"]) == ["a", "a (3)", "a (2)", "a (4)"]
    assert told_apart(["a", "a"], others=["a (2)"]) == ["a", "a (3)"]
    assert told_apart([1, "1", 1, "1"]) == [1, "1", "1 (2)", "1 (3)"]
