"""Columns of plain values as tables of pyarrow, pandas and Polars: the same cells and the same types in all three."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy
import pytest

from fullmarks.data_frames import arrow_table, pandas_frame, polars_frame, typed
from fullmarks.errors import MissingDependencyError

pyarrow = pytest.importorskip("pyarrow")

CELLS: dict[str, tuple[list[Any], str, list[Any]]] = {
    "texts": (["a", None, ""], "string", ["a", None, ""]),
    "ids_of_two_kinds": ([1, "a", None], "string", ["1", "a", None]),
    "whole": ([1, -2, 3], "int64", [1, -2, 3]),
    "whole_with_a_gap": ([1, None, 3], "int64", [1, None, 3]),
    "of_numpy": ([numpy.int64(1), None, 3], "int64", [1, None, 3]),
    "too_large": ([2**63, 1, None], "string", [str(2**63), "1", None]),
    "largest": ([2**63 - 1, -(2**63), None], "int64", [2**63 - 1, -(2**63), None]),
    "numbers": ([1, 2.5, math.nan], "double", [1.0, 2.5, None]),
    "truth": ([True, False, True], "bool", [True, False, True]),
    "truth_with_a_gap": ([True, None, False], "bool", [True, None, False]),
    "truth_and_numbers": ([True, 1, None], "string", ["True", "1", None]),
    "nothing": ([None, None, None], "string", [None, None, None]),
    "lists": ([["a", "b"], [], None], "list<item: string>", [["a", "b"], [], None]),
    "empty_lists": ([[], [], []], "list<item: string>", [[], [], []]),
    "tuples_and_texts": ([("a",), "b", None], "list<item: string>", [["a"], ["b"], None]),
    "lists_of_two_kinds": ([[1, "a"], [None], []], "list<item: string>", [["1", "a"], [None], []]),
    "lists_of_numbers": ([[1, None], [2.5], None], "list<item: double>", [[1.0, None], [2.5], None]),
    "nested": ([[["a"], ["b", "c"]], ["d"], []], "list<item: list<item: string>>", [[["a"], ["b", "c"]], [["d"]], []]),
    "objects": ([{"é": 1}, "x", None], "string", ['{"é": 1}', "x", None]),
    "half_a_character": (["\ud800", "é", None], "string", ["\\ud800", "é", None]),
    "half_in_a_list": ([["\ud800"], ["é"], None], "list<item: string>", [["\\ud800"], ["é"], None]),
    "half in \udc00 name": (["a", "b", "c"], "string", ["a", "b", "c"]),
}
GIVEN = {name: given for name, (given, _, _) in CELLS.items()}


def name_of(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("name", CELLS, ids=name_of)
def test_arrow(name: str) -> None:
    table = arrow_table(GIVEN)
    _, kind, cells = CELLS[name]
    assert str(table.schema.field(name_of(name)).type) == kind
    assert table.column(name_of(name)).to_pylist() == cells


@pytest.mark.parametrize("name", CELLS, ids=name_of)
def test_polars_has_the_cells_and_types_of_arrow(name: str) -> None:
    pytest.importorskip("polars")
    column = polars_frame(GIVEN).get_column(name_of(name))
    assert column.to_list() == CELLS[name][2]
    kind = str(column.to_arrow().type).replace("large_", "").replace("string_view", "string")
    assert kind == CELLS[name][1]


@pytest.mark.parametrize("name", CELLS, ids=name_of)
def test_pandas_has_the_cells_of_arrow(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas_frame(GIVEN)[name_of(name)]
    _, kind, cells = CELLS[name]
    found = [None if not isinstance(cell, list) and pandas.isna(cell) else cell for cell in column]
    assert found == cells
    gaps = None in cells
    wanted = {"int64": ("int64", "Int64"), "double": ("float64", "float64"), "bool": ("bool", "boolean")}
    if kind in wanted:
        assert str(column.dtype) == wanted[kind][gaps]


def test_columns_without_a_value_are_numbers_where_that_is_known() -> None:
    assert str(arrow_table({"score": [None]}, ["score"]).schema.field("score").type) == "double"
    assert typed([], empty="float") == ("float", 0, [])


def test_a_table_may_have_no_rows_and_no_columns() -> None:
    assert arrow_table({}).shape == (0, 0)
    assert pandas_frame({"a": []}).shape == polars_frame({"a": []}).shape == (0, 1)


def test_what_is_deeper_is_written_as_json() -> None:
    assert typed([[[[["a"]]]]]).values == [[[['["a"]']]]]


def test_whoever_changes_a_cell_of_pandas_changes_nothing_else() -> None:
    given = {"references": [["a"], ["b"]]}
    pandas_frame(given)["references"][0].append("c")
    assert given == {"references": [["a"], ["b"]]}


def test_long_columns_are_cut_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullmarks.data_frames.CHUNK", 2)
    column = arrow_table({"a": ["x", "\ud800", "z"]}).column("a")
    assert column.num_chunks == 2
    assert column.to_pylist() == ["x", "\\ud800", "z"]


@pytest.mark.parametrize(
    ("make", "package", "extra"),
    [(arrow_table, "pyarrow", "parquet"), (pandas_frame, "pandas", "pandas"), (polars_frame, "polars", "polars")],
)
def test_what_is_not_installed_is_named(make: Any, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"to_{make.__name__.split('_')[0]} needs '{package}', .*: pip install 'fullmarks\[{extra}\]'"
    with pytest.raises(MissingDependencyError, match=said):
        make({"a": [1]})


@pytest.mark.parametrize("make", ["to_pandas", "to_polars"])
def test_pyarrow_need_not_be_there(make: str) -> None:
    script = (
        "import sys; sys.modules['pyarrow'] = None; import fullmarks;"
        "rows = [{'id': 1, 'prediction': 'a', 'references': ['a', 'b']},"
        "{'id': 2, 'prediction': 'é', 'references': ['c']}];"
        f"frame = fullmarks.score('qa', rows).{make}();"
        "print(list(frame['prediction']), [list(each) for each in frame['references']])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == "['a', 'é'] [['a', 'b'], ['c']]", ended.stderr
