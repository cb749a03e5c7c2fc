"""Tables scored in shards give what they give in one piece: numbers, slices, audit, examples, errors."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.engines.here import Here
from fullmarks.errors import FullmarksError, UsageError
from fullmarks.evaluate import make_protocol
from fullmarks.jobs.job import Job
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import read_sample, sample_folder, sample_names
from fullmarks.readers import shards as shards_module
from fullmarks.readers.shards import plan
from fullmarks.readers.source import Source


class Elsewhere(Here):
    """Does its tasks here, but as if they were done elsewhere: each work and task is pickled."""

    works_elsewhere = True
    at_once = 3

    def run(self, work: Any, tasks: Any, parcels: int = 0) -> Any:
        work = pickle.loads(pickle.dumps(work))
        return super().run(work, (pickle.loads(pickle.dumps(task)) for task in tasks), parcels)


@pytest.fixture(params=[2000, *(pytest.param(size, marks=pytest.mark.deep) for size in (37, 1000, 10_000))])
def small_shards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Tables are cut into pieces of about so many bytes."""
    monkeypatch.setattr(shards_module, "SMALLEST", request.param)
    monkeypatch.setattr(shards_module, "LARGEST", request.param)
    return int(request.param)


def records(count: int, seed: int = 0) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    words = ["the cat", "a dog", "Paris", "42", "", "блин", "naïve"]
    return [
        {
            "id": f"q{number}",
            "prediction": chance.choice(words),
            "references": chance.choices(words[:-3], k=chance.randint(1, 3)),
            "kind": chance.choice(["who", "what", None, "why"]),
        }
        for number in range(count)
    ]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def outcome(protocol: str, table: Path, **options: Any) -> Any:
    """Everything that a result shows, or its error."""
    try:
        result = fullmarks.score(protocol, table, **options)
    except FullmarksError as error:
        return type(error), str(error)
    return result.to_dict(), list(result.per_example) if result.tally.keep else None


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("protocol", ["squad1", "squad2", "qa", "nq_open", "triviaqa"])
@pytest.mark.usefixtures("small_shards")
def test_shards_give_what_one_piece_gives(tmp_path: Path, protocol: str, keep: bool) -> None:
    table = write_lines(tmp_path / "table.jsonl", records(200))
    whole = outcome(protocol, table, by="kind", keep=keep, engine="here")
    assert outcome(protocol, table, by="kind", keep=keep, engine=Elsewhere()) == whole
    assert len(plan(Source(table, "gold"), 1000)) > 1


@pytest.mark.parametrize("keep", [True, False])
def test_a_shard_may_hold_one_record_or_none(tmp_path: Path, keep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards_module, "SMALLEST", 37)
    monkeypatch.setattr(shards_module, "LARGEST", 37)
    table = write_lines(tmp_path / "table.jsonl", records(20))
    assert len(plan(Source(table, "gold"), 37)) > 20
    for protocol in ("squad1", "squad2"):
        whole = outcome(protocol, table, by="kind", keep=keep, engine="here")
        assert outcome(protocol, table, by="kind", keep=keep, engine=Elsewhere()) == whole, protocol


@pytest.mark.usefixtures("small_shards")
def test_records_without_ids_have_the_numbers_that_they_have_in_the_table(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "id"} for row in records(120)]
    text = "".join(json.dumps(row) + "\n" + ("\n" if number % 7 == 0 else "") for number, row in enumerate(rows))
    table = tmp_path / "table.jsonl"
    table.write_text(text)
    assert outcome("squad1", table, engine=Elsewhere()) == outcome("squad1", table, engine="here")


@pytest.mark.usefixtures("small_shards")
def test_repeated_ids_are_found_across_shards(tmp_path: Path) -> None:
    rows = records(150)
    for later, earlier in ((149, 3), (80, 79), (140, 3), (60, 2)):
        rows[later]["id"] = rows[earlier]["id"]
    table = write_lines(tmp_path / "table.jsonl", rows)
    whole = outcome("squad1", table, engine="here")
    assert "q2" in whole[1]
    assert outcome("squad1", table, engine=Elsewhere()) == whole


BROKEN = [
    '{"id": "x", "prediction": "a", "references": ["a"]',
    '{"id": "x", "prediction": 5, "references": ["a"]}',
    '{"id": "x", "prediction": "a", "references": [7]}',
    '{"id": true, "prediction": "a", "references": ["a"]}',
    '{"id": "x", "prediction": "a", "references": []}',
    '{"id": "x", "id": "y", "prediction": "a", "references": ["a"]}',
    "[]",
]


@pytest.mark.parametrize("at", [0, 77, 149])
@pytest.mark.usefixtures("small_shards")
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, at: int) -> None:
    table = tmp_path / "table.jsonl"
    for broken in BROKEN:
        lines = [json.dumps(row) for row in records(150)]
        lines[at] = broken
        table.write_text("\n".join(lines))
        whole = outcome("squad1", table, engine="here")
        assert isinstance(whole[0], type), broken
        assert outcome("squad1", table, engine=Elsewhere()) == whole, broken


@pytest.mark.usefixtures("small_shards")
def test_findings_have_one_order_wherever_shards_end(tmp_path: Path) -> None:
    """What is found first in the table comes last, in one piece and in shards."""
    rows = records(150)
    rows[3]["references"], rows[140]["prediction"] = [7], None
    table = write_lines(tmp_path / "table.jsonl", rows)
    whole = outcome("squad1", table, engine="here")
    assert re.findall("predictions that are not strings|references that are not strings", whole[1]) == [
        "predictions that are not strings",
        "references that are not strings",
    ]
    assert outcome("squad1", table, engine=Elsewhere()) == whole


@pytest.mark.usefixtures("small_shards")
def test_columns_may_begin_late(tmp_path: Path) -> None:
    rows = records(200)
    for row in rows[:120]:
        del row["kind"]
    table = write_lines(tmp_path / "table.jsonl", rows)
    assert outcome("squad1", table, by="kind", engine=Elsewhere()) == outcome("squad1", table, by="kind", engine="here")
    for row in rows[120:]:
        del row["kind"]
    write_lines(table, rows)
    whole = outcome("squad1", table, by="kind", engine="here")
    assert whole[0] is not dict
    assert outcome("squad1", table, by="kind", engine=Elsewhere()) == whole


@pytest.mark.usefixtures("small_shards")
def test_a_late_column_that_decides_the_result_is_read_in_one_piece(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{**row, "references": ["a"] * 10} for row in records(150)]
    for row in rows[100:]:
        row["answer_type"] = "other"
    table = write_lines(tmp_path / "table.jsonl", rows)
    engine, told = Elsewhere(), list[str]()
    engine.tell = told.append  # type: ignore[method-assign]
    assert outcome("vqa", table, engine=engine) == outcome("vqa", table, engine="here")
    assert len(told) == 1
    found = outcome("vqa", table, engine=engine, watch=lambda *_: None)
    assert found[0] is UsageError
    assert "Use --engine here" in found[1]


@pytest.mark.parametrize("group", [1, 7, 64])
@pytest.mark.usefixtures("small_shards")
def test_parquet_is_cut_between_row_groups(tmp_path: Path, group: int) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for rows in (records(130), [{k: v for k, v in row.items() if k != "id"} for row in records(130)]):
        table = tmp_path / "table.parquet"
        parquet.write_table(arrow.Table.from_pylist(rows), table, row_group_size=group)
        whole = outcome("squad1", table, by="kind", engine="here")
        assert outcome("squad1", table, by="kind", engine=Elsewhere()) == whole


@pytest.mark.parametrize("lacking", ["id", "kind", "prediction"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_files_that_have_not_the_same_columns(tmp_path: Path, ending: str, lacking: str) -> None:
    halves = [records(40)[:20], records(40)[20:]]
    halves[1] = [{name: value for name, value in row.items() if name != lacking} for row in halves[1]]
    for number, rows in enumerate(halves):
        path = tmp_path / f"part-{number}.{ending}"
        if ending == "parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.Table.from_pylist(rows), path)
        elif ending == "jsonl":
            write_lines(path, rows)
        else:
            cells = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([list(rows[0]), *cells])
    engine = Elsewhere()
    engine.tell = lambda _: None  # type: ignore[method-assign]
    whole = outcome("squad1", tmp_path, by="kind", engine="here")
    assert outcome("squad1", tmp_path, by="kind", engine=engine) == whole
    assert isinstance(whole[0], type) or (ending, lacking) == ("jsonl", "kind")


@pytest.mark.usefixtures("small_shards")
def test_what_cannot_be_cut_is_one_shard(tmp_path: Path) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in records(100)).encode()
    (tmp_path / "table.jsonl.gz").write_bytes(gzip.compress(lines))
    assert len(plan(Source(tmp_path / "table.jsonl.gz", "gold"), 40)) == 1


@pytest.mark.parametrize("options", [{"on_duplicate": "first"}, {"on_duplicate": "last"}, {"limit": 30}])
@pytest.mark.usefixtures("small_shards")
def test_rules_by_which_records_hang_on_others_are_kept(tmp_path: Path, options: dict[str, Any]) -> None:
    rows = records(100)
    rows[50]["id"] = rows[2]["id"]
    table = write_lines(tmp_path / "table.jsonl", rows)
    assert not make_protocol("squad1", options).can_be_cut
    assert outcome("squad1", table, engine=Elsewhere(), **options) == outcome("squad1", table, engine="here", **options)


@pytest.mark.usefixtures("small_shards")
def test_watching_sees_every_example_and_shard(tmp_path: Path) -> None:
    table = write_lines(tmp_path / "table.jsonl", records(300))
    seen: list[str] = []
    steps: list[tuple[int, int, int]] = []
    fullmarks.score(
        "squad1",
        table,
        keep=False,
        engine=Elsewhere(),
        watch=lambda examples, _: seen.extend(map(str, examples.ids)),
        advance=lambda *step: steps.append(step),
    )
    assert seen == [f"q{number}" for number in range(300)]
    assert steps[-1][0] == 300
    assert [settled for _, settled, _ in steps] == list(range(1, steps[-1][2] + 1))


def sample_table(protocol: str, place: Path, times: int) -> Path:
    """The sample of a benchmark as one table, every question so many times."""
    sample, folder = read_sample(protocol), sample_folder(protocol)
    examples = fullmarks.score(protocol, *sample.arguments(folder), **sample.keywords(folder)).tally.examples
    rows = [
        {
            "id": f"{example.id}-{time}",
            "prediction": example.prediction,
            "references": example.references,
            **{name: list(value) if isinstance(value, tuple) else value for name, value in example.columns.items()},
        }
        for time in range(times)
        for example in examples
    ]
    return write_lines(place / "table.jsonl", rows)


SCORED = {
    *("aokvqa", "chartqa", "coqa", "docvqa", "gqa", "gsm8k", "hotpotqa", "infovqa", "mme", "mmmu", "musique"),
    *("nq_open", "ocrbench", "okvqa", "pope", "popqa", "qa", "qasper", "squad1", "squad2", "stvqa", "textvqa"),
    *("triviaqa", "twowiki", "vizwiz", "vqa", "xquad"),
}
"""The benchmarks whose samples, written as one table of examples, can be scored as such."""


@pytest.mark.parametrize("times", [2, pytest.param(6, marks=pytest.mark.deep)])
def test_every_benchmark_is_cut_without_a_difference(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards_module, "SMALLEST", 300)
    monkeypatch.setattr(shards_module, "LARGEST", 300)
    scored, different = set(), []
    for protocol in (name for name in sample_names() if PROTOCOLS.get(name).tables):
        table = sample_table(protocol, tmp_path, times)
        whole = outcome(protocol, table, engine="here")
        if not isinstance(whole[0], type):
            scored.add(protocol)
        if outcome(protocol, table, engine=Elsewhere()) != whole:
            different.append(protocol)
    assert different == []
    assert scored == SCORED


def test_every_protocol_pickles() -> None:
    made = {name: make_protocol(name, {"language": "en"} if name == "mlqa" else {}) for name in PROTOCOLS.own_names()}
    assert [name for name, rules in made.items() if pickle.loads(pickle.dumps(rules)) != rules] == []


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_files_elsewhere_are_cut_as_those_here(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = pytest.importorskip("fsspec").filesystem("memory")
    files.store.clear()
    for number in range(5):
        rows, path = records(500)[100 * number : 100 * (number + 1)], tmp_path / f"part-{number}.{ending}"
        if ending == "parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=20)
        else:
            write_lines(path, rows)
        files.pipe(f"/bucket/{path.name}", path.read_bytes())
    monkeypatch.setattr(shards_module, "SMALLEST", 2000)
    address = "memory://bucket/"
    here, there = (plan(Source(name, "gold"), 2000) for name in (tmp_path, address))
    assert [(shard.unit, shard.start, shard.stop) for shard in there] == [
        (shard.unit, shard.start, shard.stop) for shard in here
    ]
    assert {shard.unit for shard in there} == {"bytes" if ending == "jsonl" else "row groups"}
    assert outcome("squad1", address, engine=Elsewhere())[0] == outcome("squad1", tmp_path, engine="here")[0]


@pytest.mark.usefixtures("small_shards")
def test_what_is_odd_does_not_make_a_shard_be_scored_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{**row, "references": ["42"]} for row in records(200)]
    rows[0]["prediction"] = "#### 42"
    table = write_lines(tmp_path / "table.jsonl", rows)
    scored: list[int] = []
    usual = Job._scored
    monkeypatch.setattr(Job, "_scored", lambda job, shard, line: scored.append(shard.number) or usual(job, shard, line))
    found = fullmarks.score("gsm8k", table, keep=False, engine=Elsewhere())
    assert any(finding.detail for finding in found.audit.findings.values())
    assert scored == sorted(set(scored))
