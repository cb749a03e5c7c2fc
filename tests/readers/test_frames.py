"""Data frames: the same examples in every library give the result of the same list of records."""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import MissingDependencyError
from fullmarks.evaluate import score_all, split_runs
from fullmarks.readers.source import Source

duckdb: Any = pytest.importorskip("duckdb", reason="DuckDB is not installed")
np: Any = pytest.importorskip("numpy")
pd: Any = pytest.importorskip("pandas", reason="pandas is not installed")
pl: Any = pytest.importorskip("polars", reason="Polars is not installed")
pa: Any = pytest.importorskip("pyarrow", reason="PyArrow is not installed")

ANSWERS = ("Paris", "the cat", "", "two dogs", "é")
GOLDS: tuple[list[str], ...] = (["Paris", "paris, France"], ["cat"], [], ["dogs"], ["e", "é"])
Rows = list[dict[str, Any]]


def rows_of(count: int) -> Rows:
    return [
        {
            "id": f"q{at}",
            "prediction": ANSWERS[at % 5],
            "references": GOLDS[at // 5 % 5],
            "topic": f"t{at % 3}",
            "no_answer_probability": at % 7 / 7,
        }
        for at in range(count)
    ]


ROWS = rows_of(40_000)
"""More than two blocks."""
SMALL = rows_of(60)


class Speaks:
    """A table of a library that nobody knows, which speaks the protocol."""

    def __init__(self, rows: Rows) -> None:
        self._table = pa.Table.from_pylist(rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def relation(rows: Rows) -> Any:
    connection = duckdb.connect()
    connection.register("examples", pa.Table.from_pylist(rows))
    return connection.table("examples")


def as_dictionaries(rows: Rows) -> Any:
    """Columns of texts as codes and words."""
    table = pa.Table.from_pylist(rows)
    for place, name in enumerate(table.schema.names):
        if pa.types.is_string(table.schema.types[place]):
            table = table.set_column(place, name, table[name].dictionary_encode())
    return table


def as_categories(rows: Rows) -> Any:
    frame = pd.DataFrame(rows)
    return frame.astype({name: "category" for name in rows[0] if isinstance(rows[0][name], str)})


def as_polars_categories(rows: Rows) -> Any:
    return pl.DataFrame(rows).with_columns(pl.col(pl.String).cast(pl.Categorical))


WAYS: dict[str, Callable[[Rows], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, index": lambda rows: pd.DataFrame(rows).set_index(next(iter(rows[0]))),
    "pandas, other index": lambda rows: pd.DataFrame(rows, index=range(len(rows), 0, -1)),
    "pandas, objects": lambda rows: pd.DataFrame(rows).astype(object),
    "pandas, categories": as_categories,
    "pandas, Arrow": lambda rows: pa.Table.from_pylist(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, arrays": lambda rows: pa.Table.from_pylist(rows).to_pandas(),
    "polars": pl.DataFrame,
    "polars, query": lambda rows: pl.DataFrame(rows).lazy(),
    "polars, categories": as_polars_categories,
    "arrow": pa.Table.from_pylist,
    "arrow, pieces": lambda rows: pa.Table.from_batches(pa.Table.from_pylist(rows).to_batches(max_chunksize=7)),
    "arrow, batch": pa.RecordBatch.from_pylist,
    "arrow, reader": lambda rows: pa.Table.from_pylist(rows).to_reader(1000),
    "arrow, dictionary": as_dictionaries,
    "duckdb": relation,
    "another library": Speaks,
}
EVERY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@EVERY
def test_one_table_of_both(way: Callable[[Rows], Any]) -> None:
    wanted = fullmarks.score("squad2", ROWS, by="topic")
    found = fullmarks.score("squad2", way(ROWS), by="topic")
    assert (found.official, found.by("topic")) == (wanted.official, wanted.by("topic"))
    assert found.audit.to_dict() == wanted.audit.to_dict()
    assert list(found.tally.examples.ids) == [row["id"] for row in ROWS]


@EVERY
@pytest.mark.parametrize("protocol", ["squad2", "qa"])
def test_gold_and_predictions(way: Callable[[Rows], Any], protocol: str) -> None:
    gold = [{name: row[name] for name in ("id", "references", "topic")} for row in SMALL if row["references"]]
    answers = [{name: row[name] for name in ("prediction", "id")} for row in reversed(SMALL) if row["references"]]
    wanted = fullmarks.score(protocol, gold, answers, by="topic")
    for one, other in ((way(gold), answers), (gold, way(answers)), (way(gold), way(answers))):
        found = fullmarks.score(protocol, one, other, by="topic")
        assert (found.official, found.by("topic")) == (wanted.official, wanted.by("topic"))


@EVERY
def test_validate_and_explain(way: Callable[[Rows], Any]) -> None:
    assert fullmarks.validate("qa", way(SMALL)).to_dict() == fullmarks.validate("qa", SMALL).to_dict()
    assert fullmarks.explain("qa", way(SMALL), id="q9") == fullmarks.explain("qa", SMALL, id="q9")


@EVERY
@pytest.mark.parametrize("engine", ["here", "cores:2"])
def test_engines(way: Callable[[Rows], Any], engine: str) -> None:
    assert fullmarks.score("squad2", way(SMALL), engine=engine).official == fullmarks.score("squad2", SMALL).official


@EVERY
def test_one_gold_for_several_systems(way: Callable[[Rows], Any]) -> None:
    """A gold of which something is noted is read for every system again, also where it can be read only once."""
    gold = [{"question_id": at, "answers": [{"answer": text} for text in ("red", "red", "blue")]} for at in range(9)]
    systems = {color: [{"question_id": at, "answer": color} for at in range(9)] for color in ("red", "blue")}
    found = score_all("vqa", way(gold), systems)
    wanted = score_all("vqa", {"annotations": gold}, systems)
    assert {name: run.official for name, run in found.items()} == {name: run.official for name, run in wanted.items()}
    for color, run in found.items():
        assert run.audit.to_dict() == wanted[color].audit.to_dict()
    assert "equal-records" in found["red"].audit.findings


@EVERY
def test_runs_are_told_apart(way: Callable[[Rows], Any]) -> None:
    table = [{"id": row["id"], "prediction": row["prediction"], "run": run} for run in ("a", "b") for row in SMALL]
    gold = [{"id": row["id"], "references": row["references"]} for row in SMALL]
    runs = split_runs("squad2", way(table))
    assert len(runs) == 2
    assert len({fullmarks.score("squad2", gold, run).official["exact"] for run in runs}) == 1


@EVERY
def test_tables_without_runs_are_left_as_they_are(way: Callable[[Rows], Any]) -> None:
    (alone,) = split_runs("squad2", way(SMALL))
    assert fullmarks.score("squad2", alone).official == fullmarks.score("squad2", SMALL).official


@EVERY
def test_repeated_ids(way: Callable[[Rows], Any]) -> None:
    twice = [*SMALL, SMALL[3]]
    with pytest.raises(fullmarks.MismatchError, match="predictions with a repeated id: 1") as failure:
        fullmarks.score("squad2", way(twice))
    is_repeatable = Source(way(SMALL), "gold").is_repeatable
    assert ("q3" in str(failure.value)) is is_repeatable
    first = fullmarks.score("squad2", way(twice), on_duplicate="first")
    assert first.official == fullmarks.score("squad2", SMALL).official


def test_what_can_be_read_again() -> None:
    once = {name for name, way in WAYS.items() if not Source(way(SMALL), "gold").is_repeatable}
    assert once == {"arrow, reader", "another library"}


def test_a_reader_that_is_over_says_so() -> None:
    reader = pa.Table.from_pylist(SMALL).to_reader()
    fullmarks.score("squad2", reader)
    with pytest.raises(fullmarks.InputError, match=r"RecordBatchReader.*(once|closed)"):
        fullmarks.score("squad2", reader)


@pytest.mark.parametrize(
    "empty",
    [
        pd.DataFrame(SMALL).iloc[:0],
        pl.DataFrame(SMALL).clear(),
        pl.DataFrame(SMALL).clear().lazy(),
        pa.Table.from_pylist(SMALL).slice(0, 0),
        pa.Table.from_pylist(SMALL).slice(0, 0).to_reader(),
        relation(SMALL).limit(0),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_an_empty_table(empty: Any) -> None:
    with pytest.raises(fullmarks.InputError, match=r"gold: there is no record in it"):
        fullmarks.score("squad2", empty)


class TestOddColumns:
    """The rules of Parquet files."""

    def test_a_column_called_read_makes_no_file_of_a_frame(self) -> None:
        frame = pd.DataFrame(SMALL).assign(read=1)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    def test_duplicates_that_are_not_read(self) -> None:
        frame = pd.concat([pd.DataFrame(SMALL), pd.DataFrame({"x": range(60)}), pd.DataFrame({"x": range(60)})], axis=1)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    @pytest.mark.parametrize("library", ["pandas", "arrow"])
    def test_duplicates_that_are_read(self, library: str) -> None:
        frame: Any = pd.concat([pd.DataFrame(SMALL), pd.DataFrame({"prediction": ["x"] * 60})], axis=1)
        if library == "arrow":
            table = pa.Table.from_pylist(SMALL)
            frame = table.append_column("prediction", table["topic"])
        with pytest.raises(fullmarks.InputError, match="the table has the column 'prediction' twice"):
            fullmarks.score("squad2", frame)

    def test_names_that_are_no_texts(self) -> None:
        frame = pd.DataFrame(SMALL).rename(columns={"topic": 5, "id": 0})
        found = fullmarks.score("squad2", frame, columns={"id": "0"}, by="5")
        assert found.by("5") == fullmarks.score("squad2", SMALL, by="topic").by("topic")

    @pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
    def test_missing_predictions_of_pandas(self, missing: Any) -> None:
        frame = pd.DataFrame([{**row, "prediction": missing if at == 2 else "x"} for at, row in enumerate(SMALL)])
        with pytest.raises(fullmarks.InputError, match=r"not strings: 1 \(first ids: 'q2'\); record 3 has null"):
            fullmarks.score("squad2", frame)

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
    def test_missing_ids(self, library: Callable[[Rows], Any]) -> None:
        with pytest.raises(
            fullmarks.InputError, match="record 3: the id must be a string or a whole number, found null"
        ):
            fullmarks.score(
                "squad2", library([{**row, "id": None if at == 2 else "x"} for at, row in enumerate(SMALL)])
            )

    def test_ids_that_became_floats(self) -> None:
        frame = pd.DataFrame([{**row, "id": None if at == 2 else at} for at, row in enumerate(SMALL)])
        with pytest.raises(fullmarks.InputError, match="the id must be a string or a whole number, found a number"):
            fullmarks.score("squad2", frame)

    def test_values_of_many_kinds(self) -> None:
        """Arrow does not mix them; an answer that is no text is found all the same, and ids may be of both kinds."""
        mixed: Rows = [{**row, "id": at if at % 2 else f"q{at}"} for at, row in enumerate(SMALL)]
        assert fullmarks.score("squad2", pd.DataFrame(mixed)).official == fullmarks.score("squad2", mixed).official
        mixed[4]["prediction"] = 7.5
        with pytest.raises(fullmarks.InputError, match=r"not strings: 1 \(first ids: 'q4'\); record 5 has a number"):
            fullmarks.score("squad2", pd.DataFrame(mixed))

    def test_what_is_not_read_may_be_anything(self) -> None:
        frame = pd.DataFrame(SMALL).assign(picture=[object()] * 60)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official
        thing = pl.DataFrame(SMALL).with_columns(pl.Series("picture", [object()] * 60, dtype=pl.Object))
        assert fullmarks.score("squad2", thing).official == fullmarks.score("squad2", SMALL).official

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
    def test_times_are_texts_as_in_parquet(self, library: Callable[[Rows], Any], tmp_path: Path) -> None:
        timed = [{**row, "day": datetime(2024, 1, 1 + at % 2)} for at, row in enumerate(SMALL)]
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.Table.from_pylist(timed), tmp_path / "rows.parquet")
        wanted = fullmarks.score("squad2", tmp_path / "rows.parquet", by="day").by("day")
        found = fullmarks.score("squad2", library(timed), by="day").by("day")
        assert [str(label)[:19] for label in found] == [str(label)[:19] for label in wanted]
        assert list(found.values()) == list(wanted.values())

    def test_other_kinds_of_texts(self) -> None:
        table = pa.Table.from_pylist(SMALL).select(["id", "prediction", "references"])
        kinds = [pa.large_string(), pa.string()]
        if hasattr(pa, "string_view"):
            kinds.append(pa.string_view())
        for kind in kinds:
            fields = [("id", kind), ("prediction", kind), ("references", pa.large_list(kind))]
            found = fullmarks.score("squad2", pa.Table.from_pylist(table.to_pylist(), schema=pa.schema(fields)))
            wanted = fullmarks.score("squad2", table.to_pylist())
            assert found.official == wanted.official

    def test_references_in_arrays(self) -> None:
        frame = pd.DataFrame(SMALL)
        frame["references"] = [np.array(golds, dtype=object) for golds in frame["references"]]
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(fullmarks.InputError, match=r"no column 'prediction'; its columns are 'id', 'answers'"):
            fullmarks.score("squad2", pl.DataFrame({"id": ["a"], "answers": [["x"]]}))

    def test_names_with_quotes_in_a_query(self) -> None:
        table = duckdb.sql("""SELECT 'q1' AS id, 'x' AS "my ""own"" answer", ['x'] AS "references" """)
        assert fullmarks.score("qa", table, columns={"prediction": 'my "own" answer'}).audit.scored == 1


NOT_TABLES = {
    "pandas Series": lambda: pd.Series(["a"]),
    "pandas Index": lambda: pd.Index(["a"]),
    "pandas DataFrameGroupBy": lambda: pd.DataFrame(SMALL).groupby("topic"),
    "Polars Series": lambda: pl.Series(["a"]),
    "Polars GroupBy": lambda: pl.DataFrame(SMALL).group_by("topic"),
    "Polars Expr": lambda: pl.col("id"),
    "PyArrow StringArray": lambda: pa.array(["a"]),
    "PyArrow ChunkedArray": lambda: pa.chunked_array([["a"]]),
    "NumPy ndarray": lambda: np.array(["a"]),
    "DuckDB DuckDBPyConnection": duckdb.connect,
}


@pytest.mark.parametrize("name", NOT_TABLES)
def test_what_is_no_table(name: str) -> None:
    thing = NOT_TABLES[name]()
    with pytest.raises(fullmarks.InputError, match=f"^gold: expected a table, found a {name}. Pass a "):
        fullmarks.score("qa", thing)
    with pytest.raises(fullmarks.InputError, match=f"^predictions: expected a table, found a {name}. Pass a "):
        fullmarks.score("qa", SMALL, thing)


def test_a_stream_that_is_no_table() -> None:
    class Column:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.chunked_array([["a"]]).__arrow_c_stream__(requested_schema)

    with pytest.raises(fullmarks.InputError, match=r"a Column.*is no table"):
        fullmarks.score("qa", Column())


def test_lists_of_objects_in_numpy_are_lists() -> None:
    assert (
        fullmarks.score("squad2", np.array(SMALL, dtype=object)).official == fullmarks.score("squad2", SMALL).official
    )


def test_files_of_pyarrow_are_files() -> None:
    data = pa.BufferReader(pickle.dumps(1))
    assert not Source(data, "gold").is_object
    assert not Source(io.BytesIO(), "gold").is_object


def test_a_query_that_fails_names_the_table(tmp_path: Path) -> None:
    with pytest.raises(fullmarks.InputError, match=r"gold: a Polars LazyFrame cannot be read \("):
        fullmarks.score("qa", pl.scan_parquet(tmp_path / "nothing.parquet"))


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame(SMALL)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"a Polars DataFrame needs 'pyarrow'.*'fullmarks\[parquet\]'"):
        fullmarks.score("qa", frame)


def test_a_stream_is_not_held() -> None:
    """Batches are made when they are asked for, and none is kept: at most a few are alive at any time."""
    alive: list[int] = []
    most = 0

    def batches() -> Iterator[Any]:
        nonlocal most
        for number in range(60):
            batch = pa.RecordBatch.from_pylist(
                [{"id": f"{number}-{at}", "prediction": "x" * 1000, "references": ["x"]} for at in range(500)]
            )
            alive.append(pa.total_allocated_bytes())
            most = max(most, alive[-1] - alive[0])
            yield batch

    schema = pa.schema([("id", pa.string()), ("prediction", pa.string()), ("references", pa.list_(pa.string()))])
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    result = fullmarks.score("qa", reader, keep=False)
    assert result.audit.scored == 30_000
    assert most < 4_000_000  # all batches together are thirty megabytes


def test_official_records_in_a_frame() -> None:
    """Where a benchmark's gold is a list of records, a frame of these is that list."""
    records = [
        {"question_id": f"t{at}", "answers": ["red"] * 10, "image_id": "i", "question": "?", "set_name": "val"}
        for at in range(4)
    ]
    answers = [{"question_id": f"t{at}", "answer": "red" if at else "blue"} for at in range(4)]
    wanted = fullmarks.score("textvqa", {"data": records}, answers).official
    assert fullmarks.score("textvqa", pl.DataFrame(records), pd.DataFrame(answers)).official == wanted
    doubled = pd.DataFrame([*answers, answers[0]])
    each = fullmarks.score("textvqa", {"data": records}, [*answers, answers[0]]).official
    assert fullmarks.score("textvqa", pl.DataFrame(records), doubled).official == each != wanted
