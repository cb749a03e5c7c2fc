"""Reading from and writing to S3, for real over loopback."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

import fullmarks
from fullmarks.atomic_file import write_whole, written_whole
from fullmarks.cli.main import main
from fullmarks.errors import FullmarksError, InputError, UsageError
from fullmarks.readers.listing import files_of
from tests.loopback_storage import KEY, SECRET, Server, Storage, empty_bucket, loopback_server

pytestmark = pytest.mark.cluster

RECORDS = [
    {"id": f"q{n}", "prediction": f"the {n % 3} cat", "references": [f"{n % 2} cat"], "topic": f"t{n % 2}"}
    for n in range(300)
]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
GOLD = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}], "is_impossible": False}]}]}]}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with loopback_server() as found:
        yield found


@pytest.fixture
def storage(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    with empty_bucket(server, monkeypatch) as found:
        yield found


def parquet(records: list[dict[str, Any]], **options: Any) -> bytes:
    import pyarrow
    from pyarrow.parquet import write_table

    buffer = io.BytesIO()
    write_table(pyarrow.Table.from_pylist(records), buffer, **options)
    return buffer.getvalue()


def scored(*files: Any) -> tuple[Any, ...]:
    result = fullmarks.score("qa", *files, by="topic")
    return result.official, result.by("topic"), result.signature, list(result.per_example), result.audit.to_dict()


@pytest.fixture
def expected(tmp_path: Path) -> tuple[Any, ...]:
    (tmp_path / "all.jsonl").write_bytes(LINES)
    return scored(tmp_path / "all.jsonl")


FORMS = {
    "jsonl": lambda: LINES,
    "jsonl.gz": lambda: gzip.compress(LINES),
    "jsonl.zst": lambda: zstandard.compress(LINES),
    "json": lambda: json.dumps(RECORDS).encode(),
    "parquet": lambda: parquet(RECORDS),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_address_gives_what_the_file_gives(form: str, storage: Storage, expected: Any):
    assert scored(storage.put(f"runs/a b%20ü.{form}", FORMS[form]())) == expected


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "parquet"])
def test_folders_and_patterns(form: str, storage: Storage, expected: Any):
    cuts = [(0, 1), (1, 200), (200, 300)]
    for number, (start, end) in enumerate(cuts):
        if form == "parquet":
            data = parquet(RECORDS[start:end])
        else:
            data = b"".join(LINES.splitlines(keepends=True)[start:end])
        storage.put(f"runs/day=1%20/part-{number}.{form}", gzip.compress(data) if form.endswith("gz") else data)
    storage.put("runs/day=1%20/_SUCCESS", b"")
    storage.put("runs/other.txt", b"x")
    for path in (
        "s3://bucket/runs/day=1%20",
        "s3://bucket/runs/day=1%20/",
        "s3://bucket/runs/*/part-*",
        "s3a://bucket/**/part-?.*",
    ):
        assert scored(path) == expected


def test_two_official_documents(storage: Storage, capsys: pytest.CaptureFixture[str]):
    gold, answers = (
        storage.put("gold.json", json.dumps(GOLD).encode()),
        storage.put("p.json.gz", gzip.compress(b'{"a": "x"}')),
    )
    assert main(["score", "squad2", gold, answers]) == 0
    assert json.loads(capsys.readouterr().out)["exact"] == 100.0


def test_only_the_footer_and_the_chosen_columns_of_parquet_are_read(storage: Storage):
    import random

    draw = random.Random(7)
    long = [{**record, "ballast": draw.randbytes(20_000).hex()} for record in RECORDS]
    data = parquet(long, row_group_size=50, compression="none")
    address = storage.put("long.parquet", data)
    storage.asked.clear()
    assert fullmarks.score("qa", address, keep=False).audit.scored == 300
    read = sum(size for method, path, size in storage.asked if method == "GET" and "long.parquet" in path)
    assert len(data) > 10_000_000
    assert 0 < read < 100_000


def test_lines_are_read_in_large_pieces_and_in_a_stream(storage: Storage):
    address = storage.put("long.jsonl", LINES * 1)
    storage.asked.clear()
    fullmarks.score("qa", address, keep=False)
    gets = [size for method, path, size in storage.asked if method == "GET" and "long.jsonl" in path]
    assert sum(gets) == len(LINES)
    assert len(gets) == 1


def test_what_is_listed(storage: Storage):
    storage.put("runs/b.csv", b"12")
    storage.put("runs/a.csv", b"1")
    found = files_of("s3://bucket/runs")
    assert [(file.path, file.size) for file in found] == [("s3://bucket/runs/a.csv", 1), ("s3://bucket/runs/b.csv", 2)]
    assert all(file.stamp.isdecimal() and len(file.stamp) == 19 for file in found)


REFUSED = {
    "s3://bucket/none.jsonl": "s3://bucket/none.jsonl: there is no such file. Check the address.",
    "s3://nobucket/none.jsonl": "s3://nobucket/none.jsonl: there is no such bucket. Check the address.",
    "s3://bucket/none-*": "s3://bucket/none-*: no file fits this pattern. Check the path.",
}


@pytest.mark.parametrize("address", REFUSED)
def test_what_is_not_there(address: str, storage: Storage):
    with pytest.raises(InputError) as caught:
        fullmarks.score("qa", address)
    assert str(caught.value) == REFUSED[address]
    with pytest.raises(InputError) as caught:
        fullmarks.score("squad2", [{"id": "a", "references": ["x"]}], address)
    assert str(caught.value) == REFUSED[address]


def denied(environ: dict[str, Any]) -> str:
    return "403 Forbidden"


def test_no_access(storage: Storage, capsys: pytest.CaptureFixture[str]):
    address = storage.put("x.jsonl", LINES)
    storage.faults.append(denied)
    says = "no access with the credentials that were found. Check the credentials"
    given = f"s3://{KEY}:{SECRET}@bucket/x.jsonl?region=us-east-1&endpoint_override={storage.url}"
    for path in (address, given):
        for words in ([path], [path, "-o", "s3://bucket/out.json"]):
            assert main(["score", "qa", *words]) == 2
            told = capsys.readouterr().err
            assert f"s3://bucket/x.jsonl: {says}" in told
            assert not any(secret in told for secret in (SECRET, KEY, "endpoint"))
    assert main(["score", "qa", f"{given}&session_token=tokenThatNobodyMaySee"]) == 2
    told = capsys.readouterr().err
    assert "s3://bucket/x.jsonl: the storage says: Unexpected query parameter" in told
    assert not any(secret in told for secret in (SECRET, KEY, "tokenThatNobodyMaySee"))
    with pytest.raises(UsageError, match=r"^s3://bucket/y: cannot be written: no access"):
        write_whole("s3://bucket/y", b"x")


def set_free_requests(storage: Storage, count: str) -> None:
    """How many requests the server answers before it checks keys and signatures."""
    import urllib.request

    place, kind = f"{storage.url}/moto-api/reset-auth", {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(place, data=count.encode(), headers=kind)).close()


def test_credentials_that_the_server_does_not_know(storage: Storage):
    """By the server's own check of keys, not by a fault."""
    address = storage.put("x.jsonl", LINES)
    set_free_requests(storage, "0")
    try:
        with pytest.raises(InputError, match="no access with the credentials that were found"):
            fullmarks.score("qa", address)
    finally:
        set_free_requests(storage, "inf")


def test_no_network(storage: Storage):
    address = "s3://k:word@bucket/x.jsonl?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"
    with pytest.raises(InputError) as caught:
        fullmarks.score("qa", address)
    assert str(caught.value).startswith("s3://bucket/x.jsonl: the storage cannot be reached. Check the network")


def test_secrets_are_in_no_result(storage: Storage, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    storage.put("x.jsonl", LINES + LINES[:200].split(b"\n")[0] + b"\n")
    storage.put("q.json", json.dumps({"questions": []}).encode())
    query = f"?region=us-east-1&endpoint_override={storage.url}"
    address = f"s3://{KEY}:{SECRET}@bucket/x.jsonl{query}"
    saved, records = tmp_path / "run.json", tmp_path / "records.jsonl"
    words = ["--on-duplicate", "first", "-f", "full", "-o", str(saved), "--per-example", str(records)]
    assert main(["score", "qa", address, *words]) == 0
    streams = capsys.readouterr()
    assert main(["score", "qa", address]) == 2
    for text in (*streams, *capsys.readouterr(), saved.read_text(), records.read_text()):
        assert not any(secret in text for secret in (SECRET, KEY, "endpoint_override"))
    assert "s3://bucket/x.jsonl" in saved.read_text()


OUTPUTS = {
    "result": (["-o", "s3://bucket/out//result.json"], "out/result.json", b'"ExactMatch"'),
    "page": (["-f", "full", "-o", "s3://bucket/out/run.json.gz"], "out/run.json.gz", b"fullmarks-run"),
    "records": (["--per-example", "s3://bucket/out/records.jsonl.zst"], "out/records.jsonl.zst", b'"id": "q299"'),
    "junit": (["--fail-under", "F1=0", "--junit", "s3://bucket/out/j.xml"], "out/j.xml", b"<testsuite"),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_may_go_to_an_address(output: str, storage: Storage, tmp_path: Path, capsys: Any):
    (tmp_path / "all.jsonl").write_bytes(LINES)
    words, key, holds = OUTPUTS[output]
    assert main(["score", "qa", str(tmp_path / "all.jsonl"), "-f", "json", *words]) == 0, capsys.readouterr().err
    data = storage.get(key)
    data = gzip.decompress(data) if key.endswith(".gz") else data
    data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read() if key.endswith(".zst") else data
    assert holds.replace(b" ", b"") in data.replace(b" ", b"")
    assert storage.keys() == [key]


def test_runs_are_read_back_compared_and_reported(storage: Storage, tmp_path: Path, capsys: Any):
    for name, word in (("a", b"cat"), ("b", b"dog")):
        (tmp_path / f"{name}.jsonl").write_bytes(LINES.replace(b'cat", "ref', word + b'", "ref'))
        assert (
            main(["score", "qa", str(tmp_path / f"{name}.jsonl"), "-f", "full", "-o", f"s3://bucket/{name}.run.json"])
            == 0
        )
    runs = ["s3://bucket/a.run.json", "s3://bucket/b.run.json"]
    assert main(["compare", *runs, "-o", "s3://bucket/comparison.json"]) == 0, capsys.readouterr().err
    assert json.loads(storage.get("comparison.json"))["baseline"] == "a"
    assert main(["report", *runs, "-o", "s3://bucket/report.html"]) == 0
    assert storage.get("report.html").startswith(b"<!")
    gate = f"{runs[0]}:F1:0"
    assert main(["score", "qa", str(tmp_path / "b.jsonl"), "--fail-if-worse", gate]) == 1


def test_a_parquet_file_of_records(storage: Storage, tmp_path: Path):
    from pyarrow.parquet import read_table

    (tmp_path / "all.jsonl").write_bytes(LINES)
    assert main(["score", "qa", str(tmp_path / "all.jsonl"), "--per-example", "s3://bucket/r.parquet"]) == 0
    assert read_table(io.BytesIO(storage.get("r.parquet"))).num_rows == 300


def test_an_output_over_an_input_is_refused(storage: Storage, capsys: pytest.CaptureFixture[str]):
    address = storage.put("runs/x.jsonl", LINES)
    for gold in (address, "s3://bucket/runs", "s3://bucket/runs/*"):
        for out in ("s3://bucket//runs/x.jsonl", f"s3://k:word@bucket/runs/x.jsonl?endpoint_override={storage.url}"):
            assert main(["score", "qa", gold, "-o", out]) == 2
            told = capsys.readouterr().err
            assert "this is the same file as the gold" in told
            assert "word" not in told
    assert storage.get("runs/x.jsonl") == LINES


def test_an_upload_that_breaks_off_leaves_nothing(storage: Storage, tmp_path: Path):
    storage.put("big.bin", b"old")
    parts = []

    def second_part(environ: dict[str, Any]) -> str:
        if "partNumber" in environ.get("QUERY_STRING", ""):
            parts.append(environ["QUERY_STRING"])
            return "403 Forbidden" if len(parts) > 1 else ""
        return ""

    storage.faults.append(second_part)
    for key in ("big.bin", "new.bin"):
        with pytest.raises(UsageError, match=rf"^s3://bucket/{key}: cannot be written: no access"):  # noqa: SIM117
            with written_whole(f"s3://bucket/{key}") as stream:
                stream.write(bytes(30 << 20))
    assert len(parts) > 1
    assert storage.keys() == ["big.bin"]
    assert storage.get("big.bin") == b"old"


def test_an_error_before_the_end_uploads_nothing(storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(KeyError), written_whole("s3://bucket/x.json") as stream:  # noqa: PT012
        stream.write(b"half")
        raise KeyError("x")
    assert storage.keys() == []
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_is_told_before_the_work(storage: Storage, capsys: pytest.CaptureFixture[str]):
    storage.put("runs/x.jsonl", LINES)
    for place, says in (
        ("s3://nobucket/x.jsonl", "cannot be written: there is no such bucket. Check the address."),
        ("s3://bucket/runs", None),
        ("s3://bucket", None),
    ):
        words = ["score", "qa", "s3://bucket/runs/x.jsonl", "--per-example", place]
        assert main(words) == 2
        told = capsys.readouterr().err
        assert (says or "the name must end in") in told
    with pytest.raises(FullmarksError, match=r"s3://bucket/runs: cannot be written: this is a folder\. Name a file"):
        write_whole("s3://bucket/runs", b"")
    with pytest.raises(FullmarksError, match=r"s3://bucket: cannot be written: the address names no file"):
        write_whole("s3://bucket", b"")


def test_a_forked_process_reads_what_its_parent_has_read(storage: Storage, expected: Any):
    import multiprocessing

    address = storage.put("x.jsonl", LINES)
    assert scored(address) == expected
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(scored, [address] * 4).get(timeout=60)
    assert found == [expected] * 4
