"""Data that are compressed otherwise than their name says are told from their first bytes."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest
import zstandard

import fullmarks
from fullmarks.errors import InputError
from fullmarks.readers.source import Source

TEXT = b'{"q1": "cat"}'
SKIPPED_FRAME = b"\x5a\x2a\x4d\x18\x04\x00\x00\x00abcd"


def refused(origin: object) -> str:
    with pytest.raises(InputError) as caught:
        Source(origin, "predictions").read()
    return str(caught.value)


def test_the_advice_fits_what_was_given(tmp_path: Path) -> None:
    path = tmp_path / "pred.json"
    path.write_bytes(gzip.compress(TEXT))
    assert refused(path) == f"{path}: this is gzip data, expected text. Name it pred.json.gz, or decompress it."
    assert (
        refused(io.BytesIO(gzip.compress(TEXT)))
        == "predictions: this is gzip data, expected text. Decompress it first."
    )
    named = path.rename(tmp_path / "pred.json.gz")
    with named.open("rb") as stream:
        assert refused(stream).endswith("Pass its path, or a file object that decompresses it.")
    assert Source(named, "predictions").read() == TEXT


def test_zstandard_may_begin_with_a_frame_that_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "pred.json.zst"
    path.write_bytes(SKIPPED_FRAME + zstandard.compress(TEXT))
    assert Source(path, "predictions").read() == TEXT


@pytest.mark.parametrize("data", [b"\x1f", gzip.compress(TEXT, mtime=0)[:3], gzip.compress(TEXT, mtime=0)[:12]])
def test_what_is_cut_off_is_damaged(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pred.json.gz"
    path.write_bytes(data)
    assert "the compressed data is damaged" in refused(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(("ending", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_a_pipe_is_read_from_its_start(ending: str, compress: object, tmp_path: Path) -> None:
    assert callable(compress)
    path = tmp_path / f"pipe.json{ending}"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(compress(TEXT),))
    writer.start()
    assert Source(path, "predictions").read() == TEXT
    writer.join()


def test_a_folder_is_read_by_its_files(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", ".hidden"):
        (tmp_path / name).write_bytes(TEXT)
    (tmp_path / "inner").mkdir()
    folder = Source(tmp_path, "gold")
    assert folder.is_folder
    assert [file.name for file in folder.files()] == [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    assert folder.files()[0].read() == TEXT
    assert not any(
        Source(other, "gold").is_folder for other in (tmp_path / "a.jsonl", "no\0path", {"a": 1}, io.BytesIO())
    )
    assert Source(tmp_path, "predictions").read() == TEXT + b"\n" + TEXT + b"\n"
    (tmp_path / "inner" / "a.json").write_bytes(TEXT)
    refusal = "this is a directory, expected the predictions file. Name the file in it."
    assert refused(tmp_path / "inner").endswith(refusal)


@pytest.mark.parametrize("text", ["other.json", "\0", "\ud800", "-"])
def test_what_stands_in_a_file_is_never_the_path_of_another(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(json.dumps({"q1": {"passage": "", "qa_pairs": []}}))
    held = Source(tmp_path / "gold.json", "gold").holding(text)
    assert (held.is_object, held.path, held.given) == (True, None, text)
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(str(tmp_path / "other.json") if text == "other.json" else text))
    with pytest.raises(InputError, match="expected an object, found a string"):
        fullmarks.score("drop", str(path), {"q1": "x"})
