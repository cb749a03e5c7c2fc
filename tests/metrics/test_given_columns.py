"""Columns of data frames and datasets are scored as the lists that they hold."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import fullmarks

COLUMNS: dict[str, list[Any]] = {
    "predictions": ["the cat", "dog", "", "é"],
    "references": [["a cat"], ["red dog", "cat"], ["x"], ["é", "e"]],
    "topic": ["a", "b", "a", "b"],
    "part": [1, 2, 1, 2],
}


def pandas() -> Any:
    return pytest.importorskip("pandas", reason="needs pandas: make install")


def polars() -> Any:
    return pytest.importorskip("polars", reason="needs Polars: make install")


def arrow() -> Any:
    return pytest.importorskip("pyarrow", reason="needs PyArrow: make install")


@cache
def dataset() -> Any:
    return pytest.importorskip("datasets", reason="needs datasets: make install").Dataset.from_dict(COLUMNS)


# Imported and made when a test asks for them: together these packages take seconds to import.
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pandas().DataFrame(COLUMNS),
    "pandas, arrays": lambda: arrow().table(COLUMNS).to_pandas(),
    "pandas, Arrow": lambda: arrow().table(COLUMNS).to_pandas(types_mapper=pandas().ArrowDtype),
    "pandas, categories": lambda: pandas().DataFrame(COLUMNS).astype({"topic": "category", "predictions": "category"}),
    "polars": lambda: polars().DataFrame(COLUMNS),
    "arrow": lambda: arrow().table(COLUMNS),
    "arrow, one array": lambda: arrow().table(COLUMNS).combine_chunks().to_batches()[0],
    "datasets": dataset,
    "datasets, shuffled twice": lambda: dataset().select([3, 2, 1, 0]).select([3, 2, 1, 0]),
    "datasets as numpy": lambda: dataset().with_format("numpy"),
    "datasets as pandas": lambda: dataset().with_format("pandas"),
    "datasets as arrow": lambda: dataset().with_format("arrow"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_are_lists(kind: str) -> None:
    frame = FRAMES[kind]()
    given = {column: frame[column] for column in COLUMNS}
    texts = {column: COLUMNS[column] for column in ("predictions", "references")}
    for name in ("squad", "token_f1", "bleu", "vqa_accuracy"):
        scorer = fullmarks.load(name)
        wanted = scorer.compute(**COLUMNS)
        assert scorer.compute(**given) == wanted, name
        scorer.add_batch(**given)
        assert scorer.compute() == wanted, name
        assert scorer.each(**{column: frame[column] for column in texts}) == scorer.each(**texts), name


def test_labels_are_pythons_own() -> None:
    frame = FRAMES["pandas"]()
    found = fullmarks.load("squad").compute(**{name: frame[name] for name in COLUMNS})
    assert {type(label) for label in found["part"]} == {int}


def test_arrays_of_numpy() -> None:
    scorer = fullmarks.load("token_f1")
    texts = np.array(COLUMNS["predictions"])
    assert scorer.each(predictions=texts, references=texts) == [1.0] * 4
    matrix = np.array([["x", "the cat"], ["dog", "y"], ["z", ""], ["e", "e"]])
    assert scorer.each(predictions=texts, references=matrix) == [1.0, 1.0, 1.0, 0.0]


def test_items_of_sets() -> None:
    sets = fullmarks.load("set_f1")
    numbers = [[1, 2], [3]]
    assert sets.compute(predictions=polars().Series(numbers), references=arrow().array(numbers))["exact"] == 1.0


def test_rows_of_numbers_stay_rows() -> None:
    """Embeddings are no lists of values."""
    from fullmarks.metrics.given_columns import values_of

    rows = values_of("predictions", np.zeros((2, 3)))
    assert [type(row) for row in rows] == [np.ndarray, np.ndarray]
    assert values_of("predictions", array("d", [1.0, 2.0])) == [1.0, 2.0]


@pytest.mark.parametrize("kind", ["pandas", "polars", "datasets"])
def test_whole_tables_are_refused(kind: str) -> None:
    frame = FRAMES[kind]()
    with pytest.raises(fullmarks.InputError, match=r"predictions: expected one column, found a Data\w+\. Pass"):
        fullmarks.load("squad").compute(predictions=frame, references=COLUMNS["references"])
    with pytest.raises(fullmarks.InputError, match=r"references: expected one column"):
        fullmarks.load("token_f1").compute(predictions=COLUMNS["predictions"], references=frame)


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (lambda: pandas().Series(["a", float("nan")], dtype=object), "float"),
        (lambda: pandas().Series(["a", None], dtype="string"), "NAType"),
        (lambda: polars().Series(["a", None]), "NoneType"),
        (lambda: arrow().array(["a", None]), "NoneType"),
        (lambda: arrow().chunked_array([["a"], [None]]), "NoneType"),
    ],
    ids=["pandas, not a number", "pandas, texts", "polars", "arrow", "arrow, chunks"],
)
def test_missing_values_are_named(column: Callable[[], Any], found: str) -> None:
    with pytest.raises(fullmarks.InputError, match=rf"predictions\[1\]: expected a string, found {found}"):
        fullmarks.load("squad").compute(predictions=column(), references=["a", "b"])


def test_one_value_is_no_column() -> None:
    with pytest.raises(fullmarks.InputError, match="found one value in a ndarray"):
        fullmarks.load("squad").compute(predictions=np.array("a"), references=["a"])
