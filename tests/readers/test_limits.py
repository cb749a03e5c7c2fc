"""What would take too much memory is refused while it is read, and the limits can be lifted."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import fullmarks
from fullmarks.cli.main import main
from fullmarks.errors import InputError, UsageError
from fullmarks.readers import limits
from fullmarks.readers.limits import VARIABLE, Limits, current_limits, parse_size
from fullmarks.readers.source import Source

MEGABYTE = 1 << 20
MOST_MEMORY = 300 * 10**6
MEASURED = """
import contextlib, io, json, os, resource, sys
from fullmarks.cli.main import main
for path in sys.argv[1:]:
    if child := os.fork():  # every file is read by a process of its own, and none has to import anew
        os.waitpid(child, 0)
        continue
    with contextlib.redirect_stderr(io.StringIO()) as said:
        code = main(["score", "qa", path, "-f", "json"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    try:  # what the system says of a child counts the memory of its parent before it became another program
        with open("/proc/self/status") as status:
            peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        pass
    print(json.dumps([path, code, peak, said.getvalue()]), flush=True)
    os._exit(0)
"""


def gzip_bomb(path: Path) -> None:
    """A gigabyte of spaces, and damage at its end that whoever reads so far would name instead of the size."""
    squeezer = zlib.compressobj(1, zlib.DEFLATED, 31)
    head, piece = (squeezer.compress(b" " * MEGABYTE) + squeezer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    path.write_bytes(head + piece * 1023 + b"\xff" * 100)


def zstandard_bomb(path: Path) -> None:
    """Likewise, in one frame."""
    squeezer = zstandard.ZstdCompressor(level=1).compressobj()
    pieces = [squeezer.compress(b" " * MEGABYTE) + squeezer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for _ in range(9)]
    assert len(set(pieces[2:])) == 1, "pieces after the first are alike and may be repeated"
    path.write_bytes(b"".join(pieces) + pieces[-1] * 1015 + b"\xff" * 100)


def sparse(path: Path, head: bytes) -> None:
    """A gigabyte that takes no room on the disk."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(1 << 30)


BOMBS: dict[str, Callable[[Path], None]] = {
    "bomb.json.gz": gzip_bomb,
    "bomb.jsonl.gz": gzip_bomb,
    "bomb.csv.gz": gzip_bomb,
    "bomb.json.zst": zstandard_bomb,
    "bomb.jsonl.zst": zstandard_bomb,
    "bomb.parquet.zst": zstandard_bomb,
    "line.jsonl": lambda path: sparse(path, b'{"id": 1, "prediction": "'),
    "cell.csv": lambda path: sparse(path, b'id,prediction,references\n1,"'),
    "unnamed": lambda path: sparse(path, b'{"id": 1, "prediction": "'),
}


def test_bombs_are_refused_before_they_are_held_or_read_to_their_end(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: make install")
    for name, make in BOMBS.items():
        make(tmp_path / name)
    words = [sys.executable, "-c", MEASURED, *(str(tmp_path / name) for name in BOMBS)]
    run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert [Path(path).name for path, *_ in found] == list(BOMBS), run.stderr
    for path, code, memory, said in found:
        assert code == 2, (path, said)
        assert "raise the limit: --max-size SIZE" in said, path
        assert memory < MOST_MEMORY, path


def test_the_predictions_of_two_files_as_well(tmp_path: Path) -> None:
    gzip_bomb(tmp_path / "p.json.gz")
    with pytest.raises(InputError, match="more than 100 times as much"):
        fullmarks.score("qa", {"a": ["x"]}, tmp_path / "p.json.gz")


ROW = b'{"id": 1, "prediction": "%s", "references": ["x"]}\n' % (b"x" * 2000)
TABLE = b'id,prediction,references\n1,"%s",x\n' % (b"x\n" * 1000)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.jsonl", ROW, "one record is longer than 1000 bytes"),
        ("t.csv", TABLE, "one record is longer than 1000 bytes"),
        ("t.json", b"[" + ROW + b"]", "the document is larger than 1000 bytes"),
        ("t.jsonl.gz", gzip.compress(ROW, mtime=0), "it holds more than 1000 bytes when decompressed"),
        ("t.csv.zst", zstandard.compress(TABLE), "it holds more than 1000 bytes when decompressed"),
    ],
)
def test_the_size_that_is_asked_for_holds_for_all(
    name: str, content: bytes, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(content)
    assert fullmarks.score("qa", tmp_path / name).n == 1
    monkeypatch.setenv(VARIABLE, "1000")
    with pytest.raises(InputError, match=says):
        fullmarks.score("qa", tmp_path / name)


def test_a_stream_that_is_no_file_is_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1000")
    with pytest.raises(InputError, match="the document is larger than 1000 bytes"):
        Source(io.BytesIO(b" " * 1001), "gold").read()


def test_limits_can_be_lifted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(ROW)
        file.writelines([(b" " * (MEGABYTE - 1) + b"\n")] * 66)
    with pytest.raises(InputError, match="more than 100 times as much"):
        fullmarks.score("qa", path)
    monkeypatch.setenv(VARIABLE, "none")
    assert fullmarks.score("qa", path).n == 1


def test_the_option_is_the_variable_for_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.jsonl").write_bytes(ROW)
    assert main(["score", "qa", str(tmp_path / "t.jsonl"), "--max-size", "1K"]) == 2
    assert "one record is longer than 1 KiB" in capsys.readouterr().err
    assert VARIABLE not in os.environ
    assert main(["score", "qa", str(tmp_path / "t.jsonl"), "--max-size", "3K"]) == 0
    assert main(["score", "qa", str(tmp_path / "t.jsonl"), "--max-size", "much"]) == 2
    assert "--max-size must be a size such as 500MB" in capsys.readouterr().err


def test_sizes() -> None:
    assert [parse_size(text, "x") for text in ("7", "2k", "3 MB", "1GiB")] == [7, 2048, 3 * MEGABYTE, 1 << 30]
    assert parse_size("None", "x") == sys.maxsize
    for wrong in ("", "0", "-1", "1.5G", "1PB", "GiB"):
        with pytest.raises(UsageError):
            parse_size(wrong, "x")


def test_the_usual_limits_are_the_documented_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    text = (Path(__file__).resolve().parents[2] / "docs/limits.md").read_text(encoding="utf-8")
    usual = current_limits()
    for size in (usual.total, usual.document, usual.record, usual.free):
        assert limits.shown_size(size) in text
    assert f"{usual.ratio} times" in text
    assert usual == Limits()


def test_a_window_that_is_too_large_is_no_damage(tmp_path: Path) -> None:
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"
    (tmp_path / "t.jsonl.zst").write_bytes(frame)
    with pytest.raises(InputError, match="needs a window of more than 128 MiB"):
        fullmarks.score("qa", tmp_path / "t.jsonl.zst")


def test_a_small_parquet_file_may_hold_any_number_of_times_its_bytes(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: make install")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = ["x" * 2000] * 1000
    table = arrow.table({"id": range(1000), "prediction": texts, "references": texts})
    parquet.write_table(table, tmp_path / "t.parquet", use_dictionary=False, compression="zstd")
    assert (tmp_path / "t.parquet").stat().st_size * 100 < 2 * 1000 * 2000
    assert fullmarks.score("qa", tmp_path / "t.parquet").official["ExactMatch"] == 1.0
