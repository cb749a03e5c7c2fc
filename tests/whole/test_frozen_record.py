"""Every number is the one that was recorded; and the comparison finds what is planted."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.metrics import METRICS
from fullmarks.text.extraction.extractor import NAMES
from tests.repository import PACKED, ROOT
from tools.freeze import __main__ as command
from tools.freeze.cases import Case, all_cases, chosen_cases
from tools.freeze.golden_sets import GOLDEN_SETS
from tools.freeze.metric_inputs import EXTRACTORS
from tools.freeze.record import compare_cases, read_record, write_record

CHUNKS = 8
TOGETHER = ("extractors", "longbench", "metrics", "webqa")
"""Groups that load the same large packages."""
NO_INPUTS = ("answers.json", "answers_", "evidence", "expected", "facts", "pid_splits", "scores", "support", "variants")
"""How golden files begin that hold results or single cases of a rule."""
MOST_SHOWN = 20


def cases_of(chunk: int, *, quick: bool) -> list[Case]:
    others = sorted({case.group for case in all_cases()} - set(TOGETHER))
    groups = TOGETHER if chunk == 0 else others[chunk - 1 :: CHUNKS - 1]
    return [case for case in chosen_cases(quick=quick) if case.group in groups]


def check(cases: list[Case], *, quick: bool) -> None:
    found = compare_cases(cases, read_record(), quick=quick)
    assert not found.differences, "\n".join(found.lines(MOST_SHOWN))
    if found.skipped:
        pytest.skip("; ".join(sorted(set(found.skipped.values()))))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_number_has_moved(chunk: int) -> None:
    check(cases_of(chunk, quick=True), quick=True)


@pytest.mark.deep
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_number_has_moved_with_any_option(chunk: int) -> None:
    check(cases_of(chunk, quick=False), quick=False)


@pytest.mark.deep
def test_the_python_kernel_has_the_same_numbers() -> None:
    asked = [sys.executable, "-m", "tools.freeze", "compare"]
    surroundings = {**os.environ, "FULLMARKS_KERNEL": "python", "PYTHONHASHSEED": "7", "LC_ALL": "C"}
    done = subprocess.run(asked, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr


def test_the_record_has_every_case_and_no_other() -> None:
    assert set(read_record()) == {case.name for case in all_cases()}
    assert not set(read_record()) - {case.name for chunk in range(CHUNKS) for case in cases_of(chunk, quick=False)}


def test_every_golden_input_has_a_case() -> None:
    used = {
        f"{golden.place}/{name.partition(':')[0]}"
        for golden in GOLDEN_SETS
        for name in (golden.gold, golden.predictions, *golden.files.values())
        if name
    }
    files = {path.relative_to(PACKED).with_suffix("") for path in PACKED.rglob("*.gz")}
    unused = [
        str(file) for file in files if not {str(file), str(file.parent)} & used and not file.name.startswith(NO_INPUTS)
    ]
    assert not unused, f"add to tools/freeze/golden_sets.py: {sorted(unused)}"
    assert {file.parts[0] for file in files} == {golden.place for golden in GOLDEN_SETS}


def test_every_extractor_has_a_case() -> None:
    assert {name.partition(":")[0] for name in NAMES} <= {spec.partition(":")[0] for spec in EXTRACTORS}


# What is planted in the record of a case, and the line that must name it.
PLANTED: dict[str, tuple[tuple[str, ...], Any, str]] = {
    "official": (("official", "f1"), 68.75000000000001, "official/f1: 68.75000000000001 -> 68.75"),
    "kind": (("official", "total"), 8.0, "official/total: 8.0 -> 8"),
    "signature": (("signature",), "squad2|n:8", 'signature: "squad2|n:8" -> "squad2|norm:squad|'),
    "finding": (("findings", "empty-predictions", "count"), 2, "findings/empty-predictions/count: 2 -> 3"),
    "text": (("findings", "empty-predictions", "kind"), "empty", '/kind: "empty" -> "empty predictions"'),
    "step": (("steps", "light-1", "normalised"), "ada", 'steps/light-1/normalised: "ada" -> "ada brandt"'),
    "error": (("error",), "InputError", 'error: "InputError" -> (nothing)'),
    "example": (("examples", "columns", "f1"), [1.0, 1.0, 0.75, 1.0, 0.5, 0.0, 0.0, 1.0], "/bee-1/f1: 0.5 -> 0.75"),
    "slice": (("slices", "title", "columns", "n"), [4, 5], "slices/title/'Honey_bee'/n: 5 -> 4"),
}  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED)
def test_a_change_of_the_record_is_found_and_named(
    planted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, value, line = PLANTED[planted]
    place: Any = copy.deepcopy(read_record()["squad2/sample"])
    record = {**read_record(), "squad2/sample": place}
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    monkeypatch.setattr(command, "read_record", lambda: record)
    monkeypatch.setattr(sys, "argv", ["freeze", "compare", "--only", "squad2/sample", "--quick"])
    assert command.main() == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "squad2/sample"
    assert line in shown[1]
    assert shown[-1].startswith("1 differences in 1 of ")


def test_another_order_of_keys_is_found() -> None:
    recorded = read_record()["squad2/sample"]
    turned = {**recorded, "official": dict(reversed(recorded["official"].items()))}
    differences = compare_cases(chosen_cases("squad2/sample"), {**read_record(), "squad2/sample": turned}).differences
    assert differences == {"squad2/sample": ["order: official/best_f1_thresh -> official/exact"]}


def test_a_changed_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    anls = METRICS.get("anls")
    rows = anls.rows
    monkeypatch.setattr(anls, "rows", lambda *given: type(rows(*given))("d", [x * (1 - 1e-15) for x in rows(*given)]))
    differences = compare_cases(chosen_cases("docvqa/sample", quick=True), read_record()).differences
    assert "examples/1/anls: 1.0 -> 0.999999999999999" in differences["docvqa/sample"]
    assert any(line.startswith("official/score: ") for line in differences["docvqa/sample"])


def test_a_missing_package_skips_a_case_and_keeps_its_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def observe(steps: int) -> dict[str, Any]:
        raise fullmarks.MissingDependencyError("spacy is not installed: pip install spacy")

    case, written = Case("webqa/sample", observe), {}
    monkeypatch.setattr(command, "chosen_cases", lambda *_, **__: [case])
    monkeypatch.setattr(command, "write_record", written.update)
    monkeypatch.setattr(sys, "argv", ["freeze", "write"])
    assert command.main() == 0
    assert "skipped: webqa/sample: spacy is not installed: pip install spacy" in capsys.readouterr().out
    assert written["webqa/sample"] == read_record()["webqa/sample"]
    assert len(written) == len(read_record())


def test_a_written_record_is_read_back_and_has_the_same_bytes_again(tmp_path: Path) -> None:
    record = {name: found for name, found in read_record().items() if name.startswith("squad")}
    for name, given in (("one", record), ("two", dict(reversed(record.items())))):
        write_record(given, tmp_path / name)
    assert json.dumps(read_record(tmp_path / "one"), sort_keys=True) == json.dumps(record, sort_keys=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
