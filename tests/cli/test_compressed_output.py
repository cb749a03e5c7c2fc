"""Whatever is written under a name that ends in .gz or .zst is compressed, and can be read again by that name."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard

from tests.cli.run_cli import SQUAD2

DECOMPRESS = {"gz": gzip.decompress, "zst": lambda data: zstandard.ZstdDecompressor().decompress(data)}


@pytest.mark.parametrize("compression", DECOMPRESS)
@pytest.mark.parametrize("kind", ["json", "csv", "markdown", "text", "full"])
def test_every_format_of_a_result(kind, compression, run, tmp_path):
    path = tmp_path / f"result.{kind}.{compression}"
    plain = tmp_path / f"result.{kind}"
    for file in (path, plain):
        assert run("score", "squad2", *SQUAD2, "-f", kind, "-o", file).code == 0
    assert DECOMPRESS[compression](path.read_bytes()) == plain.read_bytes()


@pytest.mark.parametrize("compression", DECOMPRESS)
def test_a_compressed_result_is_a_baseline(compression, run, tmp_path):
    path = tmp_path / f"base.json.{compression}"
    run("score", "squad2", *SQUAD2, "-o", path)
    assert run("score", "squad2", *SQUAD2, "--fail-if-worse", f"{path}:f1").code == 0


@pytest.mark.parametrize("compression", DECOMPRESS)
def test_comparisons_and_verdicts(compression, run, tmp_path):
    first, second = tmp_path / "a.run.json", tmp_path / "b.run.json"
    for path in (first, second):
        run("score", "squad2", *SQUAD2, "-f", "full", "-o", path, "--quiet")
    compared, verdict = tmp_path / f"compared.json.{compression}", tmp_path / f"verdict.xml.{compression}"
    assert run("compare", first, second, "-o", compared, "--resamples", "50").code == 0
    assert json.loads(DECOMPRESS[compression](compared.read_bytes()))["baseline"] == "a"
    run("score", "squad2", *SQUAD2, "--junit", verdict)
    assert b"<testsuite" in DECOMPRESS[compression](verdict.read_bytes())
