"""What a run gives back: numbers, slices, records, and its forms for people and programs."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import slice_confidence
from fullmarks.protocols.sample import read_sample, sample_folder, sample_names
from fullmarks.result import tracked_names

GOLD = {
    "data": [
        {
            "title": "<x>",
            "paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "cat"}]}, {"id": "b", "answers": []}]}],
        }
    ]
}
RESULT = fullmarks.score("squad2", GOLD, {"a": "a cat", "b": "dog"})


def test_records_are_a_sequence_in_input_order() -> None:
    records = RESULT.per_example
    assert len(records) == 2
    assert records[0] == {
        "id": "a",
        "prediction": "a cat",
        "references": ["cat"],
        "has_answer": True,
        "title": "<x>",
        "paragraph": 0,
        "exact": 1.0,
        "f1": 1.0,
    }
    assert records[-1]["id"] == "b"
    assert [record["id"] for record in records[::-1]] == ["b", "a"]
    assert list(records) == [records[0], records[1]]
    with pytest.raises(IndexError):
        records[2]


def test_inner_columns_are_not_shown() -> None:
    result = fullmarks.score("squad2", GOLD, {"a": "x", "b": ""}, na_prob_file={"b": 0.9, "a": 0.1})
    shown = {"id", "prediction", "references", "has_answer", "no_answer_probability", "exact", "f1"}
    assert set(result.per_example[0]) - {"title", "paragraph", "question"} == shown
    assert result.per_example[0]["no_answer_probability"] == 0.1
    with pytest.raises(fullmarks.UsageError, match="no column 'no_answer_order'"):
        result.by("no_answer_order")


def test_slices_sum_to_the_whole() -> None:
    parts = RESULT.by("has_answer")
    assert sum(part["n"] for part in parts.values()) == RESULT.n
    assert parts == {True: {"exact": 1.0, "f1": 1.0, "n": 2 - 1}, False: {"exact": 0.0, "f1": 0.0, "n": 1}}


def test_repr_has_the_numbers_and_the_signature() -> None:
    shown = repr(RESULT)
    assert shown.startswith("<squad2: exact=50, f1=50, total=2")
    assert RESULT.signature in shown


def test_counts_are_shown_whole() -> None:
    many = fullmarks.score(
        "squad2", [{"id": n, "references": ["x"]} for n in range(12345)], dict.fromkeys(range(12345), "x")
    )
    assert "total=12345," in repr(many)
    assert ">12345</td>" in many._repr_html_()


def test_notebook_table_is_escaped() -> None:
    page = fullmarks.score(
        "vqa",
        {"annotations": [{"question_id": 1, "question_type": "<b>", "answers": [{"answer": "y"}] * 4}]},
        [{"question_id": 1, "answer": "y"}],
    )._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_plain_data_is_json() -> None:
    data = json.loads(json.dumps(RESULT.to_dict()))
    assert data["official"] == RESULT.official
    assert data["n"] == 2
    assert data["signature"] == RESULT.signature
    assert set(data["slices"]["has_answer"]) == {"True", "False"}


def test_a_result_pickles() -> None:
    copy = pickle.loads(pickle.dumps(RESULT))
    assert copy == RESULT
    assert list(copy.per_example) == list(RESULT.per_example)


def test_a_column_that_is_not_there_is_told_in_the_same_words_everywhere() -> None:
    """Scoring, the result, its intervals and slices of two results."""
    found = "there is no column 'colour' to slice or cluster by; it offers 'has_answer', 'title', 'paragraph'"
    asked: list[Callable[[], object]] = [
        lambda: fullmarks.score("squad2", GOLD, {"a": "x", "b": ""}, by="colour"),
        lambda: RESULT.by("colour"),
        lambda: slice_confidence(RESULT, "colour"),
        lambda: compare({"one": RESULT, "two": RESULT}, by="colour"),
    ]
    for ask in asked:
        with pytest.raises(fullmarks.FullmarksError, match=found):
            ask()


WITHOUT_ONE = fullmarks.score("squad2", GOLD, {"a": "a cat"}, on_missing="zero")


def plain(value: Any, *, is_listed: bool = False) -> Any:
    """A value of a record as it stands in a table: tuples as lists, and a single value beside lists as one of these."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return [value] if is_listed and value is not None else value


@pytest.mark.parametrize("name", sample_names())
def test_a_table_of_examples_holds_what_their_records_do(name: str) -> None:
    sample, folder = read_sample(name), sample_folder(name)
    try:
        result = fullmarks.score(name, *sample.arguments(folder), by=sample.by, **sample.keywords(folder))
    except fullmarks.MissingDependencyError as error:
        pytest.skip(str(error))
    table = result.to_arrow()
    assert table.num_rows == result.n
    assert table.column_names == list(result.per_example[0])
    assert str(table.schema.field("references").type).startswith("list<")
    for column in table.column_names:
        cells = [record[column] for record in result.per_example]
        for position in result.tally.examples.unanswered if column == "prediction" else ():
            cells[position] = None
        has_lists = any(isinstance(cell, (list, tuple)) for cell in cells)
        assert table.column(column).to_pylist() == [plain(cell, is_listed=has_lists) for cell in cells]


def test_tables_are_alike_in_every_library() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = RESULT.to_arrow().to_pydict()
    assert RESULT.to_polars().to_dict(as_series=False) == arrow
    assert RESULT.to_pandas().to_dict("list") == arrow
    assert isinstance(RESULT.to_pandas(), pandas.DataFrame)
    assert isinstance(RESULT.to_polars(), polars.DataFrame)


def test_a_missing_prediction_is_no_value_in_a_table() -> None:
    pytest.importorskip("pandas")
    assert WITHOUT_ONE.to_arrow().column("prediction").to_pylist() == ["a cat", None]
    assert WITHOUT_ONE.to_pandas()["prediction"].isna().tolist() == [False, True]
    assert WITHOUT_ONE.to_polars()["prediction"].to_list() == ["a cat", None]
    assert WITHOUT_ONE.per_example[1]["prediction"] == ""  # and it is looked at, not changed


@pytest.mark.parametrize("form", ["to_arrow", "to_pandas", "to_polars"])
def test_a_run_that_kept_nothing_has_no_table(form: str) -> None:
    with pytest.raises(fullmarks.UsageError, match="this run kept only its sums; score with keep=True"):
        getattr(fullmarks.score("squad2", GOLD, {"a": "x", "b": ""}, keep=False), form)()


def test_numbers_are_floats_under_flat_names() -> None:
    assert RESULT.numbers == {name: float(value) for name, value in RESULT.official.items()}
    assert {type(value) for value in RESULT.numbers.values()} == {float}


def result_with(official: dict[str, Any]) -> fullmarks.Result:
    return dataclasses.replace(RESULT, official=official)


def test_what_is_no_finite_number_is_not_among_the_numbers() -> None:
    official = {"a": math.nan, "b": math.inf, "c": None, "d": "text", "e": True, "f": [1], "g": {"h": 1, "i": {}}}
    assert result_with(official).numbers == {"g.h": 1.0}


NAME = re.compile(r"^(?!\.)[\w.-]{1,250}$")
"""What both take: MLflow 3.17, that is [/\\w.\\- :], no path to elsewhere, 250 characters; and TensorBoard's tags."""


@given(
    st.dictionaries(
        st.text(max_size=8), st.one_of(st.floats(0, 1), st.dictionaries(st.text(max_size=3), st.integers()))
    )
)
def test_names_of_numbers_suit_every_tracker_and_none_is_lost(official: dict[str, Any]) -> None:
    numbers = result_with(official).numbers
    assert all(NAME.match(name) for name in numbers)
    values = [
        float(value)
        for entry in official.values()
        for value in (entry.values() if isinstance(entry, dict) else [entry])
    ]
    assert list(numbers.values()) == values


def test_names_that_become_the_same_are_told_apart() -> None:
    found = tracked_names(["a b", "a?b", "a_b", "a_b_2", "", "..", "x" * 300, "x" * 251, "日本 語", "a.b", "a.b"])
    assert found[:6] == ["a_b_3", "a_b_4", "a_b", "a_b_2", "_", "_."]
    assert found[6:8] == ["x" * 250, "x" * 248 + "_2"]
    assert found[8:] == ["日本_語", "a.b", "a.b_2"]


def test_a_result_of_many_numbers_is_shown_by_the_first() -> None:
    many = result_with({f"key {number}": number for number in range(1000)})
    assert len(repr(many)) < 600
    assert "key 19=19, and 980 more |" in repr(many)
    assert many._repr_html_().count("<tr>") == 40
    assert "... and 960 more" in many._repr_html_()
