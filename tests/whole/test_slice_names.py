"""Slices by different values never share a name in a document, whatever the values look like as text."""

from __future__ import annotations

import csv
import datetime
import io
import json

from hypothesis import given
from hypothesis import strategies as st

import fullmarks
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.report.documents import comma_separated, slice_rows
from fullmarks.report.intervals import interval_tables
from fullmarks.result import slice_names

VALUES = [1, "1", None, "None", "(none)", 2]
ROWS = [
    {"id": number, "prediction": "a", "references": ["a" if number % 2 else "b"], "n": value, "kind": str(value)}
    for number, value in enumerate(VALUES)
]


def test_names_are_plain_where_they_can_be() -> None:
    assert slice_names(["a", "b", 3, 2.5, True]) == {"a": "a", "b": "b", 3: "3", 2.5: "2.5", True: "True"}
    assert slice_names([]) == {}


def test_a_missing_value_is_no_text() -> None:
    assert slice_names([None, "None"]) == {None: "(none)", "None": "None"}
    assert slice_names([None, "(none)"]) == {None: "(none)", "(none)": '"(none)"'}


def test_values_of_the_same_text_are_told_apart() -> None:
    assert slice_names([1, "1", '"1"']) == {1: "1", "1": '"1"', '"1"': '"\\"1\\""'}
    day = datetime.date(2024, 1, 2)
    assert len(set(slice_names([day, str(day)]).values())) == 2


@given(st.lists(st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4), unique=True))
def test_names_are_all_different(values: list[object]) -> None:
    names = slice_names(values)  # type: ignore[arg-type]
    assert list(names) == values
    assert len(set(names.values())) == len(values)


def test_results_and_intervals_have_one_slice_per_value() -> None:
    result = fullmarks.score("qa", ROWS, by=("n", "kind"))
    names = ["1", '"1"', "(none)", '"None"', '"(none)"', "2"]
    plain = json.loads(json.dumps(result.to_dict()))["slices"]
    assert list(plain["n"]) == names
    assert [scores["n"] for scores in plain["n"].values()] == [1] * 6
    assert list(plain["kind"]) == ["1", "None", "(none)", "2"]
    intervals = result_confidence(result, ("n", "kind"), Sampling(resamples=10)).to_dict()["slices"]
    assert {column: set(groups) for column, groups in intervals.items()} == {
        column: set(groups) for column, groups in plain.items()
    }


def test_tables_tell_them_apart_too() -> None:
    result = fullmarks.score("qa", ROWS, by="n")
    labels = [row[0] for row in slice_rows(result, "n")[1]]
    assert labels == ["1", '"1"', "(none)", '"None"', '"(none)"', "2"]
    lines = csv.reader(io.StringIO(comma_separated(result, ["n"])))
    assert list(dict.fromkeys(row[1] for row in lines if row[0] == "n")) == labels
    confidence = result_confidence(result, ("n",), Sampling(resamples=10))
    assert list(dict.fromkeys(row[0] for row in interval_tables(result, confidence)[1][1])) == labels


def test_compared_slices_are_told_apart() -> None:
    twice = [{**row, "id": f"{row['id']}.{at}", "n": row["n"]} for row in ROWS for at in range(2)]
    one = fullmarks.score("qa", twice, by="n")
    other = fullmarks.score("qa", [{**row, "prediction": "b"} for row in twice], by="n")
    found = fullmarks.compare({"one": one, "other": other}, by=["n"], sampling=Sampling(resamples=10)).slices
    assert {each.label for each in found} == {"1", '"1"', "(none)", '"None"', '"(none)"', "2"}
