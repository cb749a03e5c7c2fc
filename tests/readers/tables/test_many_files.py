"""A folder or a pattern as one table: the same examples as in one file, and errors that name the file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import FullmarksError, InputError
from fullmarks.protocols.sample import sample_folder
from fullmarks.readers.source import Source

RECORDS = [
    {"id": f"q{n}", "prediction": f"the {n % 3} cat", "references": [f"{n % 2} cat", "dog"], "topic": f"t{n % 2}"}
    for n in range(50)
]
CUTS = [(0, 1), (1, 20), (20, 50)]


def without(records: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in record.items() if name not in names} for record in records]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    kind = path.name.partition(".")[2]
    if kind == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow

        parquet.write_table(pyarrow.Table.from_pylist(records), path)
        return
    if kind in ("csv", "tsv"):
        import csv

        with path.open("w", newline="") as file:
            delimiter = "," if kind == "csv" else "\t"
            writer = csv.DictWriter(file, list(records[0]), extrasaction="ignore", delimiter=delimiter)
            writer.writeheader()
            writer.writerows({**record, "references": json.dumps(record.get("references"))} for record in records)
        return
    data = "\n".join(map(json.dumps, records)).encode()  # the last line of a file is not ended
    path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)


def scored(*files: Any, **options: Any) -> tuple[Any, ...]:
    result = fullmarks.score("qa", *files, by="topic", **options)
    return result.official, result.by("topic"), result.signature, list(result.per_example), result.audit.to_dict()


KINDS = ("jsonl", "jsonl.gz", "csv", "tsv", "parquet")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fields", [(), ("id",)], ids=["ids", "numbers"])
def test_many_files_give_what_one_gives(kind: str, fields: tuple[str, ...], tmp_path: Path):
    records = without(RECORDS, *fields)
    write(tmp_path / f"all.{kind}", records)
    (tmp_path / "runs").mkdir()
    for number, (start, end) in enumerate(CUTS):
        write(tmp_path / "runs" / f"part-{number}.{kind}", records[start:end])
    (tmp_path / "runs" / "_SUCCESS").write_text("")
    expected = scored(tmp_path / f"all.{kind}")
    assert scored(tmp_path / "runs") == expected
    assert scored(f"{tmp_path}/runs/part-*.{kind}") == expected
    assert scored(f"{tmp_path}/run?/part*") == expected
    assert Source(tmp_path / "runs", "gold").ending == f".{kind.removesuffix('.gz')}"
    assert Source(tmp_path / "runs", "gold").is_repeatable


@pytest.mark.parametrize("kind", KINDS)
def test_gold_and_predictions_may_both_be_many(kind: str, tmp_path: Path):
    gold, answers = without(RECORDS, "prediction"), without(RECORDS, "references", "topic")[::-1]
    for name, records in (("gold", gold), ("answers", answers)):
        (tmp_path / name).mkdir()
        write(tmp_path / f"{name}.{kind}", records)
        for number, (start, end) in enumerate(CUTS):
            write(tmp_path / name / f"part-{number}.{kind}", records[start:end])
    expected = scored(tmp_path / f"gold.{kind}", tmp_path / f"answers.{kind}")
    assert scored(tmp_path / "gold", tmp_path / "answers") == expected
    assert scored(f"{tmp_path}/gold/*", f"{tmp_path}/answers/part-*") == expected


def test_repeats_are_found_over_all_files(tmp_path: Path):
    write(tmp_path / "a.jsonl", RECORDS[:5])
    write(tmp_path / "b.jsonl", RECORDS[4:9])
    with pytest.raises(FullmarksError, match=r"repeated id: 1 \('q4'\)|repeated id.*q4"):
        scored(tmp_path)
    assert fullmarks.score("qa", tmp_path, on_duplicate="first").audit.scored == 9


BROKEN = {
    "jsonl": ('{"id": 1, "prediction": "a", "references": "a"}\n{"id": \n', "b.jsonl: line 2: not valid JSON"),
    "csv": ("id,prediction,references\n1,a\n", "b.csv: record 1: 2 cells where the header has 3"),
    "tsv": ("id\tprediction\n1\ta\n", "b.tsv: there is no column 'references'"),
    "parquet": ("PAR1", "b.parquet: not a readable Parquet file"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_an_error_names_the_file_and_the_place_in_it(kind: str, tmp_path: Path):
    text, says = BROKEN[kind]
    write(tmp_path / f"a.{kind}", without(RECORDS, "topic"))
    (tmp_path / f"b.{kind}").write_text(text)
    with pytest.raises(InputError) as caught:
        fullmarks.score("qa", tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/{says}")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_what_every_record_needs_is_in_every_file_or_in_none(kind: str, order: str, tmp_path: Path):
    write(tmp_path / f"{order[0]}.{kind}", RECORDS[:3])
    write(tmp_path / f"{order[1]}.{kind}", without(RECORDS[3:], "id"))
    with pytest.raises(InputError, match=rf"b\.{kind}|a\.{kind}") as caught:
        scored(tmp_path)
    assert "'id'" in caught.value.problem or "the id must be" in caught.value.problem


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_without_the_column_to_slice_by_is_named(kind: str, tmp_path: Path):
    write(tmp_path / f"a.{kind}", RECORDS[:3])
    write(tmp_path / f"b.{kind}", without(RECORDS[3:], "topic"))
    with pytest.raises(FullmarksError, match=rf"b\.{kind}.*'topic'"):
        scored(tmp_path)


def test_a_wrong_value_is_told_with_its_file(tmp_path: Path):
    write(tmp_path / "a.jsonl", RECORDS[:3])
    write(tmp_path / "b.jsonl", [*RECORDS[3:5], {**RECORDS[5], "id": 1.5}])
    with pytest.raises(InputError) as caught:
        scored(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/b.jsonl: line 3: the id must be")


def test_patterns_are_for_tables(tmp_path: Path):
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}]}]}]}]}
    for name in ("gold-1.json", "gold-2.json"):
        (tmp_path / name).write_text(json.dumps(gold))
    (tmp_path / "pred.json").write_text('{"a": "x"}')
    answers = tmp_path / "pred.json"
    assert fullmarks.score("squad1", f"{tmp_path}/gold-[1].json", answers).official["exact_match"] == 100.0
    with pytest.raises(InputError, match="these are 2 files, expected one gold file"):
        fullmarks.score("squad1", f"{tmp_path}/gold-*.json", answers)
    with pytest.raises(InputError, match="this is a directory, expected the gold file"):
        fullmarks.score("squad1", tmp_path, answers)
    with pytest.raises(InputError, match="no file fits this pattern"):
        fullmarks.score("squad1", f"{tmp_path}/silver-*.json", answers)


def test_official_json_lines_may_be_many_files(tmp_path: Path):
    folder = sample_folder("musique")
    for name in ("gold", "predictions"):
        lines = (folder / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.jsonl").write_text(lines[0].rstrip("\n"))
        (tmp_path / name / "b.jsonl").write_text("".join(lines[1:]))
    expected = fullmarks.score("musique", folder / "gold.jsonl", folder / "predictions.jsonl")
    assert fullmarks.score("musique", tmp_path / "gold", tmp_path / "predictions").official == expected.official
    (tmp_path / "predictions" / "c.jsonl").write_text("{}\n{\n")
    with pytest.raises(InputError, match=r"c\.jsonl: line 2"):
        fullmarks.score("musique", tmp_path / "gold", tmp_path / "predictions")


def test_logs_of_another_tool_may_be_many_files(tmp_path: Path):
    rows = [{"doc_id": n, "doc": {"id": f"q{n}"}, "resps": [[f"{n}"]], "filtered_resps": [f"{n}"]} for n in range(6)]
    gold = [{"id": f"q{n}", "references": [str(n)]} for n in range(6)]
    write(tmp_path / "a.jsonl", rows[:2])
    write(tmp_path / "b.jsonl", rows[2:])
    result = fullmarks.score("qa", gold, tmp_path)
    assert (result.audit.scored, result.official["F1"]) == (6, 1.0)


def test_runs_in_a_column_are_told_apart_over_files(tmp_path: Path):
    from fullmarks.evaluate import split_runs

    for run in ("x", "y"):
        write(tmp_path / f"{run}.csv", [{**record, "run": run} for record in RECORDS])
    assert [source.name for source in split_runs("qa", tmp_path)] == [f"run {run} of {tmp_path}" for run in "xy"]
