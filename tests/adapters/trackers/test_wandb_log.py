"""`fullmarks.adapters.wandb` with the real package, offline: what its files hold afterwards."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wandb
from wandb.proto import wandb_internal_pb2

import fullmarks
from fullmarks.adapters.wandb import log
from tests.adapters.answered import snippets


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One folder for all runs: wandb stays with the first that it is told in a process."""
    folder = tmp_path_factory.mktemp("wandb")
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


BLOCK, HEADER, IDENTITY = 32768, 7, 7


def pieces(data: bytes) -> Iterator[bytes]:
    """The records in a log of LevelDB's form, in which wandb writes what is to be sent later."""
    at, whole = IDENTITY, b""
    while at + HEADER <= len(data):
        if BLOCK - at % BLOCK < HEADER:
            at += BLOCK - at % BLOCK
        length, kind = struct.unpack_from("<HB", data, at + 4)
        whole += data[at + HEADER : at + HEADER + length]
        at += HEADER + length
        if kind in (1, 4):  # the whole of a record, or its last part
            yield whole
            whole = b""


def records(folder: Path) -> list[Any]:
    """What wandb wrote to be sent later, once its own process has written all of it."""
    deadline = time.monotonic() + 60
    while True:
        path = max(folder.glob("wandb/offline-run-*/*.wandb"), key=lambda path: path.stat().st_mtime_ns)
        found = [wandb_internal_pb2.Record.FromString(piece) for piece in pieces(path.read_bytes())]
        if any(record.WhichOneof("record_type") == "exit" for record in found):
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} has no end")
        time.sleep(0.1)


def history(folder: Path) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for record in records(folder):
        for item in record.history.item:
            items["/".join(item.nested_key) or item.key] = json.loads(item.value_json)
    return items


def test_numbers_signature_and_files_are_in_the_run(result: Any, numbers: dict[str, float], here: Path) -> None:
    with wandb.init(project="gate", mode="offline", dir=str(here)) as run:
        assert log(result, step=2) == numbers
        assert run.config["fullmarks/signature"] == result.signature
    kept = history(here)
    assert {name: kept[name] for name in numbers} == numbers
    assert kept["_step"] == 2
    (artefact,) = [record.artifact for record in records(here) if record.WhichOneof("record_type") == "artifact"]
    assert artefact.type == "evaluation"
    assert sorted(entry.path for entry in artefact.manifest.contents) == ["vqa.html", "vqa.run.json.gz"]


def test_without_a_run_it_is_told(result: Any) -> None:
    assert wandb.run is None
    with pytest.raises(fullmarks.UsageError, match=r"call wandb\.init first"):
        log(result)


def test_a_run_that_is_passed(result: Any, numbers: dict[str, float], here: Path) -> None:
    run = wandb.init(project="gate", mode="offline", dir=str(here))
    log(result, run=run, prefix="val/", report=False)
    run.finish()
    kept = history(here)
    assert {name: value for name, value in kept.items() if name.startswith("val/")} == {
        f"val/{name}": value for name, value in numbers.items()
    }


def test_the_page_shows_what_comes_out(result: Any, here: Path) -> None:
    for snippet in snippets("Weights & Biases"):
        exec(snippet, {"result": result})
    assert history(here)["overall"] == 50.0
