"""Addresses that fsspec reaches, what is told of one that cannot be used, and what has to be on this machine."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.checks import is_address, shown_path
from fullmarks.cli.main import main
from fullmarks.errors import FullmarksError, InputError, UsageError
from fullmarks.readers.source import Source
from fullmarks.remote_file import same_place, told

RECORDS = [{"id": f"q{n}", "prediction": f"{n % 3} cat", "references": [f"{n % 2} cat"]} for n in range(30)]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()


@pytest.fixture
def memory() -> Any:
    fsspec = pytest.importorskip("fsspec")
    found = fsspec.filesystem("memory")
    found.store.clear()
    found.pseudo_dirs[:] = [""]
    return found


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "json", "parquet"])
def test_an_address_gives_what_the_file_gives(form: str, memory: Any, tmp_path: Path):
    (tmp_path / "all.jsonl").write_bytes(LINES)
    data = gzip.compress(LINES) if form == "jsonl.gz" else LINES
    data = json.dumps(RECORDS).encode() if form == "json" else data
    if form == "parquet":
        import pyarrow
        from pyarrow.parquet import write_table

        write_table(pyarrow.Table.from_pylist(RECORDS), tmp_path / "all.parquet")
        data = (tmp_path / "all.parquet").read_bytes()
    memory.pipe_file(f"/runs/all.{form}", data)
    expected = fullmarks.score("qa", tmp_path / "all.jsonl")
    found = fullmarks.score("qa", f"memory://runs/all.{form}")
    assert found.official == expected.official
    assert list(found.per_example) == list(expected.per_example)


def test_folders_patterns_and_folders_of_a_protocol(memory: Any, tmp_path: Path):
    lines = LINES.splitlines(keepends=True)
    for number in range(3):
        memory.pipe_file(f"/runs/part-{number}.jsonl", b"".join(lines[number * 10 : number * 10 + 10]))
    memory.pipe_file("/runs/_SUCCESS", b"")
    (tmp_path / "all.jsonl").write_bytes(LINES)
    expected = fullmarks.score("qa", tmp_path / "all.jsonl").official
    assert fullmarks.score("qa", "memory://runs").official == expected
    assert fullmarks.score("qa", "memory://runs/part-*").official == expected
    source = Source("memory://runs", "gold")
    assert source.is_folder
    assert [file.name for file in source.files()] == [
        "memory://runs/_SUCCESS",
        *(f"memory://runs/part-{number}.jsonl" for number in range(3)),
    ]


def test_results_and_runs_are_written_there(memory: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "all.jsonl").write_bytes(LINES)
    words = ["score", "qa", str(tmp_path / "all.jsonl"), "-f", "full", "-o", "memory://out/run.json.gz"]
    assert main([*words, "--per-example", "memory://out/records.csv"]) == 0, capsys.readouterr().err
    assert json.loads(gzip.decompress(memory.cat_file("/out/run.json.gz")))["n"] == 30
    assert memory.cat_file("/out/records.csv").count(b"\n") == 31
    assert fullmarks.load_run("memory://out/run.json.gz").n == 30
    assert main(["report", "memory://out/run.json.gz", "-o", "memory://out/page.html"]) == 0
    assert memory.cat_file("/out/page.html").startswith(b"<!")


def test_after_an_error_nothing_is_there(memory: Any):
    from fullmarks.atomic_file import written_whole

    with pytest.raises(KeyError), written_whole("memory://out/x") as stream:  # noqa: PT012
        stream.write(b"half")
        raise KeyError("x")
    assert not memory.exists("/out/x")


def test_what_is_not_there(memory: Any):
    with pytest.raises(InputError) as caught:
        fullmarks.score("qa", "memory://runs/none.jsonl")
    assert str(caught.value) == "memory://runs/none.jsonl: there is no such file. Check the address."
    with pytest.raises(InputError, match=r"^xyz://a/b\.jsonl: no storage of the kind xyz:// is known"):
        fullmarks.score("qa", "xyz://me:word@a/b.jsonl")
    with pytest.raises(UsageError, match=r"^xyz://a/b\.json: cannot be written: no storage of the kind xyz://"):
        fullmarks.save_run(fullmarks.score("qa", RECORDS), "xyz://me:word@a/b.json?key=word")


@pytest.mark.parametrize(
    ("address", "package", "line"),
    [
        ("s3://b/x.jsonl", "pyarrow", "'fullmarks[cloud]'"),
        ("memory://b/x.jsonl", "fsspec", "'fullmarks[cloud]'"),
        ("hf://datasets/b/x.jsonl", "huggingface_hub", "'fullmarks[cloud]'"),
        ("dbfs://b/x.jsonl", "requests", "requests"),
    ],
)
def test_a_missing_package_is_named(address: str, package: str, line: str):
    pytest.importorskip("fsspec")
    code = "import sys; sys.modules[sys.argv[1]] = None; import fullmarks; fullmarks.score('qa', sys.argv[2])"
    ended = subprocess.run([sys.executable, "-c", code, package, address], capture_output=True, text=True, check=False)
    scheme = address.partition(":")[0]
    says = f"MissingDependencyError: {scheme}:// needs '{package}', which is not installed: pip install {line}"
    assert ended.stderr.splitlines()[-1].endswith(says)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("s3://me:word@bucket//a/b.json?session_token=word", "s3://bucket/a/b.json"),
        ("s3://bucket/part-?.json", "s3://bucket/part-?.json"),
        ("https://host/a?word", "https://host/a"),
        ("abfs://data:word@account.dfs.core.windows.net/a", "abfs://data@account.dfs.core.windows.net/a"),
        ("hf://datasets/me/set@main/a.json", "hf://datasets/me/set@main/a.json"),
        ("s3://me:word@bucket", "s3://bucket"),
        ("C:/a?b=c", "C:/a?b=c"),
        ("a/b://c?d=e", "a/b://c?d=e"),
    ],
)
def test_what_is_shown_of_an_address(path: str, shown: str):
    assert shown_path(path) == shown
    assert Source(path, "gold").name == shown
    assert is_address(path) == (path.partition(":")[0] not in ("C", "a/b"))


def test_the_same_place_by_several_names():
    names = ("s3://bucket/a/b", "s3a://bucket//a/b", "s3://me:word@bucket/a/b?region=x", "s3://bucket/a/b/")
    assert len({same_place(name) for name in names}) == 1
    assert same_place("s3://bucket/a/c") != same_place(names[0]) != same_place("gs://bucket/a/b")


@pytest.mark.parametrize(
    "text",
    [
        "HTTP 500 for https://me:word@host/x?sig=word&x=y",
        "cannot parse s3://me:word@bucket/x?session_token=word",
        "failed with ?session_token=word",
        "key word is wrong",
    ],
)
def test_messages_of_libraries_are_told_without_secrets(text: str):
    problem = told(ValueError(text), "s3://me:word@bucket/x?session_token=word").problem
    assert "word" not in problem
    assert problem.startswith("the storage says: ")


def test_what_has_to_be_on_this_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "all.jsonl").write_bytes(LINES)
    run = tmp_path / "run.json"
    assert main(["score", "qa", str(tmp_path / "all.jsonl"), "-f", "full", "-o", str(run)]) == 0
    for words in (
        ["report", str(run), "-o", str(tmp_path / "r.html"), "--images", "s3://me:word@bucket/images"],
        ["report", str(run), "-o", str(tmp_path / "r.html"), "--plots", "s3://me:word@bucket/images"],
        ["power", str(run), "--plot", "s3://me:word@bucket/images"],
        ["compare", "s3://me:word@bucket/images"],
        ["compare", "s3://me:word@bucket/images/"],
        ["demo", "--copy", "s3://me:word@bucket/images"],
    ):
        capsys.readouterr()
        assert main(words) == 2, words
        message = capsys.readouterr().err
        assert "must be on this machine, found the address s3://bucket/images" in message, message
        assert "word" not in message
    from fullmarks.lexicons.recognise import open_lexicon

    with pytest.raises(FullmarksError, match="a synonym lexicon must be on this machine"):
        open_lexicon("s3://me:word@bucket/wordnet")


def test_an_address_in_the_options_of_a_saved_run_is_told_without_secrets(memory: Any, tmp_path: Path):
    from fullmarks.analysis.saved import saved_options

    memory.pipe_file("/na.json", b'{"a": 0.5}')
    gold = [{"id": "a", "references": ["x"]}]
    address = "memory://na.json"
    result = fullmarks.score("squad2", gold, {"a": "x"}, na_prob_file=address)
    result.options["na_prob_file"] = "memory://me:word@na.json?key=word"
    assert saved_options(result)["na_prob_file"] == address
