"""Archives of Inspect that are damaged, hostile or not yet finished; entries compressed in every way that is read."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

import fullmarks
from fullmarks.errors import InputError
from fullmarks.readers.archive import opened_archive
from fullmarks.readers.limits import VARIABLE
from fullmarks.readers.source import Source

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "plan": {}}


def sample(identifier: str, text: str, epoch: int = 1) -> dict[str, object]:
    return {"id": identifier, "epoch": epoch, "input": "?", "target": "a", "output": {"completion": text}}


def log(path: Path, entries: dict[str, object], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in entries.items():
            file.writestr(name, json.dumps(content))
    return path


WHOLE = {
    "_journal/start.json": HEADER,
    "samples/q1_epoch_1.json": sample("q1", "a"),
    "samples/q2_epoch_1.json": sample("q2", "b"),
    "header.json": HEADER,
}


def entry(name: bytes, data: bytes, method: int, *, held: bytes) -> tuple[bytes, bytes]:
    """The local part of an entry, and its line in the directory but for the offset."""
    facts = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(held), len(data), len(held), len(name), 0)
    return b"PK\x03\x04" + facts + name + data, b"PK\x01\x02\x14\x00" + facts + struct.pack("<HHHI", 0, 0, 0, 0)


def packed(path: Path, parts: list[tuple[bytes, bytes, int, bytes]]) -> Path:
    """An archive made by hand: names, stored bytes, methods, and what the directory says that they hold."""
    body, directory = b"", b""
    for name, data, method, held in parts:
        local, listed = entry(name, data, method, held=held)
        directory += listed + struct.pack("<I", len(body)) + name
        body += local
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(parts), len(parts), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_entries_of_python(method, tmp_path):
    assert [r["prediction"] for r in fullmarks.import_logs(log(tmp_path / "l.eval", WHOLE, method))] == ["a", "b"]


def test_entries_of_zstandard_in_several_frames(tmp_path):
    parts = []
    for name, content in WHOLE.items():
        data = json.dumps(content).encode()
        frames = b"".join(zstandard.ZstdCompressor().compress(part) for part in (data[:20], data[20:]))
        parts.append((name.encode(), frames, 93, data))
    assert len(list(fullmarks.import_logs(packed(tmp_path / "l.eval", parts)))) == 2


def test_every_byte_of_a_large_entry_comes_back(tmp_path):
    """Entries larger than a piece: what is left inside the decompressor at the end of the input is not lost."""
    path = tmp_path / "large.zip"
    content = bytes(range(256)) * 9000 + b"x" * 5_000_001
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", content)
    with opened_archive(Source(path, "archive")) as archive:
        assert archive.read("a") == content


def test_of_entries_with_one_name_the_last_counts(tmp_path):
    path = log(tmp_path / "l.eval", WHOLE)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("samples/q1_epoch_1.json", json.dumps(sample("q1", "again")))
    assert [record["prediction"] for record in fullmarks.import_logs(path)] == ["again", "b"]


def test_a_log_that_is_still_being_written(tmp_path):
    started = {name: content for name, content in WHOLE.items() if name != "header.json"}
    started["_journal/start.json"] = {name: HEADER[name] for name in ("version", "eval", "plan")}
    path = log(tmp_path / "l.eval", started)
    with pytest.raises(InputError, match=r"did not succeed: its status is 'started'.*--allow-failed"):
        list(fullmarks.import_logs(path))
    assert len(list(fullmarks.import_logs(path, allow_failed=True))) == 2


def test_a_log_without_samples(tmp_path):
    with pytest.raises(InputError, match="this Inspect log holds no samples"):
        list(fullmarks.import_logs(log(tmp_path / "l.eval", {"header.json": HEADER})))


def test_a_zip_that_is_no_log(tmp_path):
    with pytest.raises(InputError, match=r"holds neither 'header\.json' nor '_journal/start\.json'"):
        list(fullmarks.import_logs(log(tmp_path / "l.eval", {"readme.txt": 1})))
    (tmp_path / "text.eval").write_text("{}")
    with pytest.raises(InputError, match="not a readable ZIP archive"):
        list(fullmarks.import_logs(tmp_path / "text.eval"))


def test_cut_anywhere_it_is_an_error_of_ours(tmp_path):
    whole = log(tmp_path / "whole.eval", WHOLE).read_bytes()
    path = tmp_path / "l.eval"
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"l\.eval"):
            list(fullmarks.import_logs(path))


def test_changed_anywhere_it_is_an_error_of_ours_or_the_same(tmp_path):
    whole = log(tmp_path / "whole.eval", WHOLE).read_bytes()
    wanted = list(fullmarks.import_logs(tmp_path / "whole.eval"))
    path = tmp_path / "l.eval"
    outcomes = set()
    for at in range(0, len(whole), 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            outcomes.add(list(fullmarks.import_logs(path)) == wanted or "other")
        except InputError:
            outcomes.add("error")
    assert "error" in outcomes


def test_a_sample_that_is_no_json(tmp_path):
    path = tmp_path / "l.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps(HEADER))
        file.writestr("samples/q1_epoch_1.json", '{"id": "q1", ')
    with pytest.raises(InputError, match=r"entry 'samples/q1_epoch_1\.json': not valid JSON.*cut off"):
        list(fullmarks.import_logs(path))


def test_a_bomb_is_refused_before_it_is_held(tmp_path, monkeypatch):
    path = tmp_path / "l.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("header.json", json.dumps(HEADER))
        file.writestr("samples/q1_epoch_1.json", b" " * (70 << 20))
    with pytest.raises(InputError, match=r"of it hold 64.* MiB when decompressed.*--max-size"):
        list(fullmarks.import_logs(path))
    monkeypatch.setenv(VARIABLE, "1M")
    with pytest.raises(InputError, match="the document is larger than 1 MiB"):
        list(fullmarks.import_logs(path))


def test_what_the_directory_says_of_sizes_is_not_believed(tmp_path):
    """A stream that goes on after the size that the directory names, with the check sum of its beginning."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = squeezer.compress(b"{}" + b" " * 5_000_000) + squeezer.flush()
    parts = [
        (b"header.json", json.dumps(HEADER).encode(), 0, json.dumps(HEADER).encode()),
        (b"samples/a_epoch_1.json", data, 8, b"{}"),
    ]
    with pytest.raises(InputError, match="its content is not what the archive says of it"):
        list(fullmarks.import_logs(packed(tmp_path / "l.eval", parts)))


def test_methods_that_are_not_read(tmp_path):
    path = log(tmp_path / "l.eval", WHOLE, zipfile.ZIP_BZIP2)
    with pytest.raises(InputError, match=r"in a way that is not read \(method 12\)"):
        list(fullmarks.import_logs(path))


def test_encrypted_entries(tmp_path):
    data = bytearray(log(tmp_path / "l.eval", WHOLE).read_bytes())
    at = data.index(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    (tmp_path / "l.eval").write_bytes(data)
    with pytest.raises(InputError, match=r"it is encrypted\. Write the archive without a password"):
        list(fullmarks.import_logs(tmp_path / "l.eval"))


def test_long_texts_that_were_put_aside(tmp_path):
    long = sample("q1", "attachment://abc")
    long["input"] = [{"role": "system", "content": "x"}, {"role": "user", "content": "attachment://def"}]
    long["attachments"] = {"abc": "the answer", "def": "the question"}
    path = log(tmp_path / "l.eval", {"header.json": HEADER, "samples/q1_epoch_1.json": long})
    (found,) = fullmarks.import_logs(path)
    assert (found["prediction"], found["question"]) == ("the answer", "the question")
