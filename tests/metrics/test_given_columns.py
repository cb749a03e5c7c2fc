"""Columns of data frames and datasets are scored as the lists that they hold."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

import fullmarks

pd: Any = pytest.importorskip("pandas", reason="pandas is not installed")
pl: Any = pytest.importorskip("polars", reason="Polars is not installed")
pa: Any = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
datasets: Any = pytest.importorskip("datasets", reason="datasets is not installed")

COLUMNS: dict[str, list[Any]] = {
    "predictions": ["the cat", "dog", "", "é"],
    "references": [["a cat"], ["red dog", "cat"], ["x"], ["é", "e"]],
    "topic": ["a", "b", "a", "b"],
    "part": [1, 2, 1, 2],
}
TABLE = pa.table(COLUMNS)
DATA = datasets.Dataset.from_dict(COLUMNS)
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, arrays": TABLE.to_pandas(),
    "pandas, Arrow": TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, categories": pd.DataFrame(COLUMNS).astype({"topic": "category", "predictions": "category"}),
    "polars": pl.DataFrame(COLUMNS),
    "arrow": TABLE,
    "arrow, one array": TABLE.combine_chunks().to_batches()[0],
    "datasets": DATA,
    "datasets, shuffled twice": DATA.select([3, 2, 1, 0]).select([3, 2, 1, 0]),
    "datasets as numpy": DATA.with_format("numpy"),
    "datasets as pandas": DATA.with_format("pandas"),
    "datasets as arrow": DATA.with_format("arrow"),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("name", ["squad", "token_f1", "bleu", "vqa_accuracy"])
def test_columns_are_lists(frame: Any, name: str) -> None:
    scorer = fullmarks.load(name)
    given = {column: frame[column] for column in COLUMNS}
    wanted = scorer.compute(**COLUMNS)
    assert scorer.compute(**given) == wanted
    scorer.add_batch(**given)
    assert scorer.compute() == wanted
    texts = {column: COLUMNS[column] for column in ("predictions", "references")}
    assert scorer.each(**{column: frame[column] for column in texts}) == scorer.each(**texts)


def test_labels_are_pythons_own() -> None:
    found = fullmarks.load("squad").compute(**{name: FRAMES["pandas"][name] for name in COLUMNS})
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
    assert sets.compute(predictions=pl.Series(numbers), references=pa.array(numbers))["exact"] == 1.0


def test_rows_of_numbers_stay_rows() -> None:
    """Embeddings are no lists of values."""
    from fullmarks.metrics.given_columns import values_of

    rows = values_of("predictions", np.zeros((2, 3)))
    assert [type(row) for row in rows] == [np.ndarray, np.ndarray]
    assert values_of("predictions", array("d", [1.0, 2.0])) == [1.0, 2.0]


@pytest.mark.parametrize("frame", [FRAMES["pandas"], FRAMES["polars"], DATA], ids=["pandas", "polars", "datasets"])
def test_whole_tables_are_refused(frame: Any) -> None:
    with pytest.raises(fullmarks.InputError, match=r"predictions: expected one column, found a Data\w+\. Pass"):
        fullmarks.load("squad").compute(predictions=frame, references=COLUMNS["references"])
    with pytest.raises(fullmarks.InputError, match=r"references: expected one column"):
        fullmarks.load("token_f1").compute(predictions=COLUMNS["predictions"], references=frame)


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pd.Series(["a", float("nan")], dtype=object), "float"),
        (pd.Series(["a", None], dtype="string"), "NAType"),
        (pl.Series(["a", None]), "NoneType"),
        (pa.array(["a", None]), "NoneType"),
        (pa.chunked_array([["a"], [None]]), "NoneType"),
    ],
)
def test_missing_values_are_named(column: Any, found: str) -> None:
    with pytest.raises(fullmarks.InputError, match=rf"predictions\[1\]: expected a string, found {found}"):
        fullmarks.load("squad").compute(predictions=column, references=["a", "b"])


def test_one_value_is_no_column() -> None:
    with pytest.raises(fullmarks.InputError, match="found one value in a ndarray"):
        fullmarks.load("squad").compute(predictions=np.array("a"), references=["a"])
