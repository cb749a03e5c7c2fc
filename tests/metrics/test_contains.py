"""Containment as a metric: units, cases and recipes."""

from __future__ import annotations

import pytest

import fullmarks


def test_contains_as_whole_words_and_after_a_recipe() -> None:
    words = fullmarks.load("contains", unit="tokens", case="lower")
    cases = [("the New\tYork  times", "new york", 1.0), ("New Yorker", "new york", 0.0), ("york new", "new york", 0.0)]
    cases += [("", "", 1.0), ("x", " ", 1.0), ("", "x", 0.0)]
    for prediction, gold, score in cases:
        assert words.each(predictions=[prediction], references=[gold]) == [score], prediction
        why = words.explain(prediction=prediction, references=[gold])
        assert why.tables["references"][0]["contained"] == score
    normal = fullmarks.load("contains", recipe="squad", unit="tokens")
    assert normal.each(predictions=["It is The Cat's hat!"], references=["a cats hat"]) == [1.0]
    assert normal.signature(1).startswith("contains|norm:squad|unit:tokens|case:keep|score_name:contains|n:1|")
    with pytest.raises(fullmarks.UsageError, match="case must be one of 'keep', 'lower', 'spellings', found 'upper'"):
        fullmarks.load("contains", case="upper")
    with pytest.raises(fullmarks.UsageError, match="unknown recipe 'squat'"):
        fullmarks.load("contains", recipe="squat")
    with pytest.raises(fullmarks.UsageError, match="reading must be one of 'marked',"):
        fullmarks.load("numeric_answer", reading="loose")
