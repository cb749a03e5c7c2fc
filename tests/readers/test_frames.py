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


def library(name: str) -> Any:
    """A library, imported when a test needs it: that takes seconds, and every process collects every file."""
    return pytest.importorskip(name, reason=f"needs {name}: make install")


@pytest.fixture
def np() -> Any:
    return library("numpy")


@pytest.fixture
def pd() -> Any:
    return library("pandas")


@pytest.fixture
def pl() -> Any:
    return library("polars")


@pytest.fixture
def pa() -> Any:
    return library("pyarrow")


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


SMALL = rows_of(60)


class Speaks:
    """A table of a library that nobody knows, which speaks the protocol."""

    def __init__(self, rows: Rows) -> None:
        self._table = as_arrow(rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def as_arrow(rows: Rows) -> Any:
    return library("pyarrow").Table.from_pylist(rows)


def as_arrow_batch(rows: Rows) -> Any:
    return library("pyarrow").RecordBatch.from_pylist(rows)


def as_pandas(rows: Rows) -> Any:
    return library("pandas").DataFrame(rows)


def as_polars(rows: Rows) -> Any:
    return library("polars").DataFrame(rows)


def relation(rows: Rows) -> Any:
    """A table of DuckDB. None may outlive its test: what is left at the end DuckDB reports after pytest's summary."""
    connection = library("duckdb").connect()
    connection.register("examples", as_arrow(rows))
    return connection.table("examples")


def as_dictionaries(rows: Rows) -> Any:
    """Columns of texts as codes and words."""
    pa, table = library("pyarrow"), as_arrow(rows)
    for place, name in enumerate(table.schema.names):
        if pa.types.is_string(table.schema.types[place]):
            table = table.set_column(place, name, table[name].dictionary_encode())
    return table


def as_categories(rows: Rows) -> Any:
    return as_pandas(rows).astype({name: "category" for name in rows[0] if isinstance(rows[0][name], str)})


def as_polars_categories(rows: Rows) -> Any:
    pl = library("polars")
    return pl.DataFrame(rows).with_columns(pl.col(pl.String).cast(pl.Categorical))


WAYS: dict[str, Callable[[Rows], Any]] = {
    "pandas": as_pandas,
    "pandas, index": lambda rows: as_pandas(rows).set_index(next(iter(rows[0]))),
    "pandas, other index": lambda rows: library("pandas").DataFrame(rows, index=range(len(rows), 0, -1)),
    "pandas, objects": lambda rows: as_pandas(rows).astype(object),
    "pandas, categories": as_categories,
    "pandas, Arrow": lambda rows: as_arrow(rows).to_pandas(types_mapper=library("pandas").ArrowDtype),
    "pandas, arrays": lambda rows: as_arrow(rows).to_pandas(),
    "polars": as_polars,
    "polars, query": lambda rows: as_polars(rows).lazy(),
    "polars, categories": as_polars_categories,
    "arrow": as_arrow,
    "arrow, pieces": lambda rows: library("pyarrow").Table.from_batches(as_arrow(rows).to_batches(max_chunksize=7)),
    "arrow, batch": as_arrow_batch,
    "arrow, reader": lambda rows: as_arrow(rows).to_reader(1000),
    "arrow, dictionary": as_dictionaries,
    "duckdb": relation,
    "another library": Speaks,
}
EVERY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@EVERY
def test_one_table_of_both(way: Callable[[Rows], Any], block_records: int) -> None:
    """In three blocks."""
    rows = rows_of(5 * block_records // 2)
    wanted = fullmarks.score("squad2", rows, by="topic")
    found = fullmarks.score("squad2", way(rows), by="topic")
    assert (found.official, found.by("topic")) == (wanted.official, wanted.by("topic"))
    assert found.audit.to_dict() == wanted.audit.to_dict()
    assert list(found.tally.examples.ids) == [row["id"] for row in rows]


@EVERY
def test_gold_and_predictions(way: Callable[[Rows], Any]) -> None:
    gold = [{name: row[name] for name in ("id", "references", "topic")} for row in SMALL if row["references"]]
    answers = [{name: row[name] for name in ("prediction", "id")} for row in reversed(SMALL) if row["references"]]
    for protocol in ("squad2", "qa"):
        wanted = fullmarks.score(protocol, gold, answers, by="topic")
        for one, other in ((way(gold), answers), (gold, way(answers)), (way(gold), way(answers))):
            found = fullmarks.score(protocol, one, other, by="topic")
            assert (found.official, found.by("topic")) == (wanted.official, wanted.by("topic")), protocol


@EVERY
def test_validate_and_explain(way: Callable[[Rows], Any]) -> None:
    assert fullmarks.validate("qa", way(SMALL)).to_dict() == fullmarks.validate("qa", SMALL).to_dict()
    assert fullmarks.explain("qa", way(SMALL), id="q9") == fullmarks.explain("qa", SMALL, id="q9")


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("pandas", "polars, query", "another library") else pytest.param(name, marks=pytest.mark.deep)
        for name in WAYS
    ],
)
def test_engines(name: str) -> None:
    wanted = fullmarks.score("squad2", SMALL).official
    for engine in ("here", "cores:2"):
        assert fullmarks.score("squad2", WAYS[name](SMALL), engine=engine).official == wanted, engine


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
    reader = as_arrow(SMALL).to_reader()
    fullmarks.score("squad2", reader)
    with pytest.raises(fullmarks.InputError, match=r"RecordBatchReader.*(once|closed)"):
        fullmarks.score("squad2", reader)


EMPTY: dict[str, Callable[[], Any]] = {
    "pandas": lambda: as_pandas(SMALL).iloc[:0],
    "polars": lambda: as_polars(SMALL).clear(),
    "polars, query": lambda: as_polars(SMALL).clear().lazy(),
    "arrow": lambda: as_arrow(SMALL).slice(0, 0),
    "arrow, reader": lambda: as_arrow(SMALL).slice(0, 0).to_reader(),
    "duckdb": lambda: relation(SMALL).limit(0),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_table(name: str) -> None:
    with pytest.raises(fullmarks.InputError, match=r"gold: there is no record in it"):
        fullmarks.score("squad2", EMPTY[name]())


class TestOddColumns:
    """The rules of Parquet files."""

    def test_a_column_called_read_makes_no_file_of_a_frame(self) -> None:
        frame = as_pandas(SMALL).assign(read=1)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    def test_duplicates_that_are_not_read(self, pd: Any) -> None:
        frame = pd.concat([pd.DataFrame(SMALL), pd.DataFrame({"x": range(60)}), pd.DataFrame({"x": range(60)})], axis=1)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    @pytest.mark.parametrize("library", ["pandas", "arrow"])
    def test_duplicates_that_are_read(self, library: str, pd: Any) -> None:
        frame: Any = pd.concat([pd.DataFrame(SMALL), pd.DataFrame({"prediction": ["x"] * 60})], axis=1)
        if library == "arrow":
            arrow_table = as_arrow(SMALL)
            frame = arrow_table.append_column("prediction", arrow_table["topic"])
        with pytest.raises(fullmarks.InputError, match="the table has the column 'prediction' twice"):
            fullmarks.score("squad2", frame)

    def test_names_that_are_no_texts(self) -> None:
        frame = as_pandas(SMALL).rename(columns={"topic": 5, "id": 0})
        found = fullmarks.score("squad2", frame, columns={"id": "0"}, by="5")
        assert found.by("5") == fullmarks.score("squad2", SMALL, by="topic").by("topic")

    @pytest.mark.parametrize("missing", [None, float("nan"), "pandas.NA"])
    def test_missing_predictions_of_pandas(self, missing: Any, pd: Any) -> None:
        if missing == "pandas.NA":
            missing = pd.NA
        frame = pd.DataFrame([{**row, "prediction": missing if at == 2 else "x"} for at, row in enumerate(SMALL)])
        with pytest.raises(fullmarks.InputError, match=r"not strings: 1 \(first ids: 'q2'\); record 3 has null"):
            fullmarks.score("squad2", frame)

    @pytest.mark.parametrize("library", [as_pandas, as_polars, as_arrow])
    def test_missing_ids(self, library: Callable[[Rows], Any]) -> None:
        with pytest.raises(
            fullmarks.InputError, match="record 3: the id must be a string or a whole number, found null"
        ):
            fullmarks.score(
                "squad2", library([{**row, "id": None if at == 2 else "x"} for at, row in enumerate(SMALL)])
            )

    def test_ids_that_became_floats(self) -> None:
        frame = as_pandas([{**row, "id": None if at == 2 else at} for at, row in enumerate(SMALL)])
        with pytest.raises(fullmarks.InputError, match="the id must be a string or a whole number, found a number"):
            fullmarks.score("squad2", frame)

    def test_values_of_many_kinds(self) -> None:
        """Arrow does not mix them; an answer that is no text is found all the same, and ids may be of both kinds."""
        mixed: Rows = [{**row, "id": at if at % 2 else f"q{at}"} for at, row in enumerate(SMALL)]
        assert fullmarks.score("squad2", as_pandas(mixed)).official == fullmarks.score("squad2", mixed).official
        mixed[4]["prediction"] = 7.5
        with pytest.raises(fullmarks.InputError, match=r"not strings: 1 \(first ids: 'q4'\); record 5 has a number"):
            fullmarks.score("squad2", as_pandas(mixed))

    def test_what_is_not_read_may_be_anything(self, pl: Any) -> None:
        frame = as_pandas(SMALL).assign(picture=[object()] * 60)
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official
        thing = pl.DataFrame(SMALL).with_columns(pl.Series("picture", [object()] * 60, dtype=pl.Object))
        assert fullmarks.score("squad2", thing).official == fullmarks.score("squad2", SMALL).official

    @pytest.mark.parametrize("library", [as_pandas, as_polars, as_arrow])
    def test_times_are_texts_as_in_parquet(self, library: Callable[[Rows], Any], tmp_path: Path) -> None:
        timed = [{**row, "day": datetime(2024, 1, 1 + at % 2)} for at, row in enumerate(SMALL)]
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(as_arrow(timed), tmp_path / "rows.parquet")
        wanted = fullmarks.score("squad2", tmp_path / "rows.parquet", by="day").by("day")
        found = fullmarks.score("squad2", library(timed), by="day").by("day")
        assert [str(label)[:19] for label in found] == [str(label)[:19] for label in wanted]
        assert list(found.values()) == list(wanted.values())

    def test_other_kinds_of_texts(self, pa: Any) -> None:
        rows = as_arrow(SMALL).select(["id", "prediction", "references"]).to_pylist()
        text_types = [pa.large_string(), pa.string()]
        if hasattr(pa, "string_view"):
            text_types.append(pa.string_view())
        for kind in text_types:
            fields = [("id", kind), ("prediction", kind), ("references", pa.large_list(kind))]
            found = fullmarks.score("squad2", pa.Table.from_pylist(rows, schema=pa.schema(fields)))
            wanted = fullmarks.score("squad2", rows)
            assert found.official == wanted.official

    def test_references_in_arrays(self, np: Any) -> None:
        frame = as_pandas(SMALL)
        frame["references"] = [np.array(golds, dtype=object) for golds in frame["references"]]
        assert fullmarks.score("squad2", frame).official == fullmarks.score("squad2", SMALL).official

    def test_a_column_that_is_not_there(self, pl: Any) -> None:
        with pytest.raises(fullmarks.InputError, match=r"no column 'prediction'; its columns are 'id', 'answers'"):
            fullmarks.score("squad2", pl.DataFrame({"id": ["a"], "answers": [["x"]]}))

    def test_names_with_quotes_in_a_query(self) -> None:
        found = library("duckdb").sql("""SELECT 'q1' AS id, 'x' AS "my ""own"" answer", ['x'] AS "references" """)
        assert fullmarks.score("qa", found, columns={"prediction": 'my "own" answer'}).audit.scored == 1


NOT_TABLES = {
    "pandas Series": lambda: library("pandas").Series(["a"]),
    "pandas Index": lambda: library("pandas").Index(["a"]),
    "pandas DataFrameGroupBy": lambda: as_pandas(SMALL).groupby("topic"),
    "Polars Series": lambda: library("polars").Series(["a"]),
    "Polars GroupBy": lambda: as_polars(SMALL).group_by("topic"),
    "Polars Expr": lambda: library("polars").col("id"),
    "PyArrow StringArray": lambda: library("pyarrow").array(["a"]),
    "PyArrow ChunkedArray": lambda: library("pyarrow").chunked_array([["a"]]),
    "NumPy ndarray": lambda: library("numpy").array(["a"]),
    "DuckDB DuckDBPyConnection": lambda: library("duckdb").connect(),
}


@pytest.mark.parametrize("name", NOT_TABLES)
def test_what_is_no_table(name: str) -> None:
    thing = NOT_TABLES[name]()
    with pytest.raises(fullmarks.InputError, match=f"^gold: expected a table, found a {name}. Pass a "):
        fullmarks.score("qa", thing)
    with pytest.raises(fullmarks.InputError, match=f"^predictions: expected a table, found a {name}. Pass a "):
        fullmarks.score("qa", SMALL, thing)


def test_a_stream_that_is_no_table(pa: Any) -> None:
    class Column:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.chunked_array([["a"]]).__arrow_c_stream__(requested_schema)

    with pytest.raises(fullmarks.InputError, match=r"a Column.*is no table"):
        fullmarks.score("qa", Column())


def test_lists_of_objects_in_numpy_are_lists(np: Any) -> None:
    assert (
        fullmarks.score("squad2", np.array(SMALL, dtype=object)).official == fullmarks.score("squad2", SMALL).official
    )


def test_files_of_pyarrow_are_files(pa: Any) -> None:
    data = pa.BufferReader(pickle.dumps(1))
    assert not Source(data, "gold").is_object
    assert not Source(io.BytesIO(), "gold").is_object


def test_a_query_that_fails_names_the_table(tmp_path: Path, pl: Any) -> None:
    with pytest.raises(fullmarks.InputError, match=r"gold: a Polars LazyFrame cannot be read \("):
        fullmarks.score("qa", pl.scan_parquet(tmp_path / "nothing.parquet"))


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = as_polars(SMALL)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"a Polars DataFrame needs 'pyarrow'.*'fullmarks\[parquet\]'"):
        fullmarks.score("qa", frame)


def test_a_stream_is_not_held(pa: Any) -> None:
    """Batches are made when they are asked for, and none is kept: at most a few are alive at any time."""
    alive: list[int] = []
    most = 0

    def batches() -> Iterator[Any]:
        nonlocal most
        for number in range(20):
            ids = [f"{number}-{at}" for at in range(500)]
            batch = pa.record_batch([ids, ["x" * 1000] * 500, [["x"]] * 500], schema=schema)
            alive.append(pa.total_allocated_bytes())
            most = max(most, alive[-1] - alive[0])
            yield batch

    schema = pa.schema([("id", pa.string()), ("prediction", pa.string()), ("references", pa.list_(pa.string()))])
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    result = fullmarks.score("qa", reader, keep=False)
    assert result.audit.scored == 10_000
    assert most < 4_000_000  # all batches together are ten megabytes


def test_official_records_in_a_frame() -> None:
    """Where a benchmark's gold is a list of records, a frame of these is that list."""
    records = [
        {"question_id": f"t{at}", "answers": ["red"] * 10, "image_id": "i", "question": "?", "set_name": "val"}
        for at in range(4)
    ]
    answers = [{"question_id": f"t{at}", "answer": "red" if at else "blue"} for at in range(4)]
    wanted = fullmarks.score("textvqa", {"data": records}, answers).official
    assert fullmarks.score("textvqa", as_polars(records), as_pandas(answers)).official == wanted
    doubled = as_pandas([*answers, answers[0]])
    each = fullmarks.score("textvqa", {"data": records}, [*answers, answers[0]]).official
    assert fullmarks.score("textvqa", as_polars(records), doubled).official == each != wanted
