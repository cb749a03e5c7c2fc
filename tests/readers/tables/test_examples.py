"""Tables of examples: the same examples from every kind of file give the same result."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from array import array
from pathlib import Path
from typing import Any

import pytest
import zstandard

import fullmarks
from fullmarks.readers.tables import uniqueness

ROWS = [
    {"id": "q1", "prediction": "the cat", "references": ["cat", "a dog"], "kind": "x"},
    {"id": "q2", "prediction": "two, dogs", "references": ["two\ndogs"], "kind": "y"},
    {"id": "q3", "prediction": "", "references": ["é"], "kind": "x"},
]
EXPECTED = fullmarks.score("qa", ROWS).official


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_table(rows: list[dict[str, Any]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()])
    return text.getvalue().encode()


FILES = {
    "t.jsonl": as_lines(ROWS),
    "t.ndjson": as_lines(ROWS),
    "t.json": json.dumps(ROWS).encode(),
    "unnamed": as_lines(ROWS),
    "t.csv": as_table(ROWS),
    "t.tsv": as_table(ROWS, "\t"),
    "t.JSONL": as_lines(ROWS),
    "t.jsonl.gz": gzip.compress(as_lines(ROWS)),
    "t.csv.zst": zstandard.compress(as_table(ROWS)),
    "two-frames.jsonl.zst": zstandard.compress(as_lines(ROWS[:1])) + zstandard.compress(as_lines(ROWS[1:])),
    "mark.csv": b"\xef\xbb\xbf" + as_table(ROWS),
    "mark.jsonl": b"\xef\xbb\xbf" + as_lines(ROWS),
    "blank.csv": as_table(ROWS).replace(b"\r\n", b"\r\n\r\n"),
    "blank.jsonl": b"\n" + as_lines(ROWS).replace(b"}\n", b"}\n\n"),
    "open.jsonl": as_lines(ROWS).rstrip(b"\n"),
    "windows.jsonl": as_lines(ROWS).replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    result = fullmarks.score("qa", tmp_path / name, by=("kind",))
    assert result.official == EXPECTED
    assert [record["id"] for record in result.per_example] == ["q1", "q2", "q3"]
    assert [scores["n"] for scores in result.by("kind").values()] == [2, 1]


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    arrow = pytest.importorskip("pyarrow")
    parquet.write_table(arrow.Table.from_pylist(ROWS), tmp_path / "t.parquet")
    assert fullmarks.score("qa", tmp_path / "t.parquet").official == EXPECTED
    plain = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(plain))
    (tmp_path / "t.parquet.zst").write_bytes(zstandard.compress(plain))
    assert fullmarks.score("qa", tmp_path / "t.parquet.gz").official == EXPECTED
    assert fullmarks.score("qa", tmp_path / "t.parquet.zst").official == EXPECTED


@pytest.mark.parametrize(
    "references",
    [
        ["cat"],
        "cat",
        {"text": ["cat"], "answer_start": [3]},
        [{"text": "cat", "answer_start": 3}],
        [{"answer": "cat", "answer_id": 1}],
        '["cat"]',
        '{"text": ["cat"], "answer_start": [3]}',
    ],
)
def test_references_in_the_shapes_that_people_have(references: Any) -> None:
    table = [{"id": 1, "prediction": "cat", "answers": references}]
    assert fullmarks.score("squad2", table).per_example[0]["references"] == ["cat"]


@pytest.mark.parametrize("references", [[], "", {"text": [], "answer_start": []}, "[]"])
def test_no_references_mean_no_answer(references: Any) -> None:
    table = [{"id": 1, "prediction": "", "references": references}]
    assert fullmarks.score("squad2", table).official["NoAns_exact"] == 100.0


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    gold, predictions = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("key,golds,sort\n1,cat,x\n2,dog,y\n")
    predictions.write_text("key,guess\n2,dog\n1,cat\n")
    names = {"id": "key", "references": "golds", "prediction": "guess", "kind": "sort"}
    result = fullmarks.score("qa", gold, predictions, columns=names, by=("kind",))
    assert result.official["ExactMatch"] == 1.0
    assert set(result.by("kind")) == {"x", "y"}


def test_gold_columns_that_look_like_predictions_are_not_read(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "references": ["cat"], "prediction": 7}\n')
    assert fullmarks.score("qa", gold, {"a": "cat"}).official["ExactMatch"] == 1.0


def test_rows_with_probabilities_in_a_table(tmp_path: Path) -> None:
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": []}, {"id": "b", "answers": [{"text": "x"}]}]}]}]}
    for name, content in {
        "p.jsonl": '{"id": "a", "prediction_text": "y", "no_answer_probability": 0.9}\n'
        '{"id": "b", "prediction_text": "x", "no_answer_probability": 0.1}\n',
        "p.csv": "id,prediction_text,no_answer_probability\na,y,0.9\nb,x,0.1\n",
    }.items():
        (tmp_path / name).write_text(content)
        official = fullmarks.score("squad2", gold, tmp_path / name).official
        assert (official["exact"], official["best_exact"], official["best_exact_thresh"]) == (50.0, 100.0, 0.1)


def test_vqa_results_in_csv_meet_numbered_annotations(tmp_path: Path) -> None:
    answers = [{"answer": "no", "answer_id": number} for number in range(10)]
    gold = {"annotations": [{"question_id": 12, "answers": answers}]}
    (tmp_path / "r.csv").write_text("question_id,answer\n12,no\n")
    assert fullmarks.score("vqa", gold, tmp_path / "r.csv").official["overall"] == 100.0


@pytest.mark.parametrize("rule", ["error", "first", "last"])
def test_repeated_ids_in_one_table(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(as_lines([*ROWS, {**ROWS[0], "prediction": "a bird"}]))
    if rule == "error":
        with pytest.raises(fullmarks.MismatchError, match="repeated id: 1"):
            fullmarks.score("qa", path)
        return
    result = fullmarks.score("qa", path, on_duplicate=rule)
    assert result.per_example[0]["prediction"] == {"first": "the cat", "last": "a bird"}[rule]
    assert (result.n, result.audit.findings["repeated-predictions"].count) == (3, 1)


@pytest.mark.parametrize("small", [0, 1000])
def test_repeated_ids_are_named_whatever_their_number(
    small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uniqueness, "SMALL", small)
    path = tmp_path / "t.jsonl"
    path.write_bytes(as_lines([{**ROWS[0], "id": f"q{number % 9}"} for number in range(10)]))
    with pytest.raises(fullmarks.MismatchError, match=r"repeated id: 1 \(first ids: 'q0'\)"):
        fullmarks.score("qa", path)


def test_repeated_ids_of_a_stream_are_counted() -> None:
    stream = io.BytesIO(as_lines([*ROWS, ROWS[0]]))
    with pytest.raises(fullmarks.MismatchError, match="repeated id: 1; score a file to see which"):
        fullmarks.score("qa", stream)


@pytest.mark.parametrize("small", [0, 1000])
def test_different_ids_of_the_same_hash_are_not_repeats(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniqueness, "SMALL", small)
    monkeypatch.setattr(uniqueness, "id_hashes", lambda ids: array("Q", [7] * len(ids)))
    rows = [{**ROWS[0], "id": f"q{number % 3}"} for number in range(4)]
    assert fullmarks.score("qa", rows[:3]).n == 3
    with pytest.raises(fullmarks.MismatchError, match=r"repeated id: 1 \(first ids: 'q0'\)"):
        fullmarks.score("qa", rows)


def test_many_blocks_have_the_digits_of_one_piece(block_records: int, tmp_path: Path) -> None:
    rows = [
        {"id": number, "prediction": f"cat {number % 7}", "references": [f"cat {number % 5} x"]}
        for number in range(5 * block_records // 2)
    ]
    (tmp_path / "t.csv").write_bytes(as_table(rows))
    streamed = fullmarks.score("qa", tmp_path / "t.csv", keep=False)
    assert streamed.official == fullmarks.score("qa", rows).official
    with pytest.raises(fullmarks.UsageError, match="keep=True"):
        _ = streamed.per_example


def test_limit_of_a_table() -> None:
    assert fullmarks.score("qa", ROWS, limit=2).n == 2


def test_line_numbers_count_blank_lines() -> None:
    record = b'{"id": "1", "prediction": "a", "references": ["b"]}\n'
    text = b"\n" + record + b"\n\n" + b'{"id": "2", "prediction": null, "references": ["b"]}\n'
    with pytest.raises(fullmarks.InputError, match="line 5 has null"):
        fullmarks.score("squad2", io.BytesIO(text))


def test_optional_field_absent_from_the_first_line_is_not_overlooked() -> None:
    first = b'{"id": "1", "prediction": "a", "references": ["b"]}\n'
    second = b'{"id": "2", "prediction": "a", "references": ["b"], "no_answer_probability": 0.5}\n'
    with pytest.raises(fullmarks.InputError, match="line 1: 'no_answer_probability' must be a finite number"):
        fullmarks.score("squad2", io.BytesIO(first + second))


def test_a_wrong_byte_far_down_is_found_in_its_line(tmp_path: Path) -> None:
    line = b'{"id": "%d", "prediction": "a", "references": ["b"]}\n'
    before = b"".join(line % number for number in range(20_000))  # several blocks
    path = tmp_path / "table.jsonl"
    path.write_bytes(before + line.replace(b"%d", b"\xff"))
    place = re.escape(f"offset {len(before) + 8} (line 20001)")
    with pytest.raises(fullmarks.InputError, match=f"byte 0xff at {place} is not UTF-8"):
        fullmarks.score("qa", path)


def test_nan_is_no_value_to_slice_by(tmp_path: Path) -> None:
    rows = [{**row, "kind": kind} for row, kind in zip(ROWS, (float("nan"), 1.5, float("nan")), strict=True)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for table in (rows, tmp_path / "t.jsonl"):
        slices = fullmarks.score("qa", table, by=("kind",)).by("kind")
        assert {value: scores["n"] for value, scores in slices.items()} == {None: 2, 1.5: 1}


def test_nan_in_parquet_is_no_value_to_slice_by(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    arrow = pytest.importorskip("pyarrow")
    rows = [{**row, "kind": kind} for row, kind in zip(ROWS, (float("nan"), 1.5, float("nan")), strict=True)]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    slices = fullmarks.score("qa", tmp_path / "t.parquet", by=("kind",)).by("kind")
    assert {value: scores["n"] for value, scores in slices.items()} == {None: 2, 1.5: 1}


@pytest.mark.parametrize("by", [("part", "page"), ("page", "part")])
def test_columns_stand_in_the_order_in_which_they_were_asked_for(by: tuple[str, ...]) -> None:
    gold = [{"id": number, "references": ["x"], "part": number % 2, "page": 1} for number in range(4)]
    answers = [{"id": number, "prediction": "x"} for number in range(4)]
    assert list(fullmarks.score("qa", gold, answers, by=by).tally.examples.columns) == list(by)


@pytest.mark.parametrize("kind", ["text", "bytes"])
def test_a_table_that_is_handed_over_open_stays_open(kind: str) -> None:
    text = "id,prediction,references\n1,x,x\n"
    stream: Any = io.StringIO(text) if kind == "text" else io.BytesIO(text.encode())
    stream.name = "t.csv"
    assert fullmarks.score("qa", stream).official["ExactMatch"] == 1.0
    assert not stream.closed
    assert stream.seek(0) == 0
