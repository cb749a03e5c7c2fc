"""MME: the published program's digits, pairs by image, and two harnesses' readings."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official, first_difference


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "mme"


@pytest.fixture
def expected(golden: Path) -> Any:
    return json.loads((golden / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def changed(golden: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of the folder in which the lines of existence are others."""

    def copy(change: Callable[[list[str]], list[str]]) -> Path:
        folder = tmp_path / "results"
        shutil.copytree(golden / "results", folder, dirs_exist_ok=True)
        lines = (golden / "results" / "existence.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "existence.txt").write_text("".join(change(lines)), encoding="utf-8")
        return folder

    return copy


def printed(text: str) -> dict[str, dict[str, float]]:
    """The official result from what the program printed."""
    found: dict[str, dict[str, float]] = {}
    for line in text.split("\n"):
        if line.startswith("==="):
            group = found.setdefault(line.strip("= "), {})
        elif "score:" in line:
            name, _, value = line.partition("score:")
            group["total score" if name == "total " else name.strip()] = float(value)
    return found


def test_golden(golden: Path, expected: Any) -> None:
    assert printed(expected["printed"]) == expected["result"]
    result = assert_official("mme", golden / "results", None, expected["result"])
    assert len(result.by("task")) == 14
    for task, numbers in expected["per_task_metrics (computed, never printed)"].items():
        found = result.by("task")[task]
        assert (found["accuracy"], found["accuracy_plus"]) == pytest.approx((numbers["acc"], numbers["acc_plus"]))
        assert found["neither"] * found["n"] == pytest.approx(numbers["other_num"])
    assert_official("mme", golden / "results", None, expected["variants"]["lmms-eval"], variant="lmms-eval")
    assert_official("mme", golden / "results", None, expected["variants"]["VLMEvalKit"], variant="vlmevalkit")


def test_real_answers(real_data: Path) -> None:
    data = real_data / "mme"
    expected = json.loads((data / "expected.json").read_text(encoding="utf-8"))["results"]
    systems = ("LaVIN", "llava-v1.5-13b")
    found = {system: fullmarks.score("mme", data / system).official for system in systems}
    assert first_difference(found, {system: printed(expected[system]["printed"]) for system in systems}) is None


def test_single_answers(golden: Path) -> None:
    cases = json.loads((golden / "answers.json").read_text(encoding="utf-8"))["cases"]
    names = {"Yes": "yes", "No": "no", "Unknown": "other"}
    for reading, key in (("mme", "label"), ("letters", "lmms"), ("words", "vlmeval")):
        scorer = fullmarks.load("yes_no", reading=reading)
        found = [scorer.explain(prediction=case["answer"], references=["no"]).facts["read as"] for case in cases]
        assert found == [names.get(case[key], case[key]) for case in cases]


@pytest.mark.parametrize(
    ("run", "change"),
    [
        ("missing_pair", lambda lines: lines[2:]),
        ("shuffled", lambda lines: lines[::-1]),
        ("duplicate_pair", lambda lines: lines[:2] + lines),
        ("last_line_without_newline", lambda lines: [*lines[:-1], lines[-1].rstrip("\n")]),
    ],
)
def test_runs_with_a_number(
    changed: Callable[..., Path], expected: Any, run: str, change: Callable[[list[str]], list[str]]
) -> None:
    result = fullmarks.score("mme", changed(change))
    for name, value in expected["runs"][run]["result"].items():
        assert result.official[name]["total score"] == pytest.approx(value, rel=1e-12)
    assert ("repeated-images" in result.audit.findings) == (run == "duplicate_pair")


def test_pairs_are_made_by_image_where_lines_are_not_in_order(changed: Callable[..., Path], expected: Any) -> None:
    folder = changed(lambda lines: lines[1::2] + lines[::2])
    result = assert_official("mme", folder, None, expected["result"])
    assert "mixed-images" in result.audit.findings


@pytest.mark.parametrize(
    ("run", "change", "message"),
    [
        ("missing_line", lambda lines: lines[1:], "images without exactly two questions: 1 "),
        ("missing_first_line_and_last", lambda lines: lines[1:-1], "images without exactly two questions: 2 "),
        ("extra_tab", lambda lines: [lines[0].replace("\n", "\tx\n"), *lines[1:]], r"line 1: .* found 5 fields"),
        ("no_answer_column", lambda lines: [lines[0].rpartition("\t")[0] + "\n", *lines[1:]], "found 3 fields"),
        ("answer_with_newline", lambda lines: [*lines[:2], "more\n", *lines[2:]], r"line 3: .* found 1 fields"),
        ("gold_with_blank", lambda lines: [lines[0].replace("\tYes\t", "\tYes \t"), *lines[1:]], "found 'Yes '"),
        ("all_other", lambda lines: [f"{line.rpartition(chr(9))[0]}\tmaybe\n" for line in lines], "'existence' says"),
        ("empty_file", lambda lines: [], "the file is empty"),
    ],
)
def test_runs_without_a_number(
    changed: Callable[..., Path], expected: Any, run: str, change: Callable[[list[str]], list[str]], message: str
) -> None:
    assert "crash" in expected["runs"][run] or run == "missing_first_line_and_last"
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.score("mme", changed(change))


def test_files_of_the_folder(changed: Callable[..., Path], expected: Any) -> None:
    folder = changed(lambda lines: lines)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    result = assert_official("mme", folder, None, expected["result"])
    assert result.audit.findings["other-files"].first_ids == ["notes"]
    (folder / "code_reasoning.txt").unlink()
    with pytest.raises(fullmarks.InputError, match="there is no file for code_reasoning"):
        fullmarks.score("mme", folder)
    with pytest.raises(fullmarks.InputError, match="expected the folder"):
        fullmarks.score("mme", folder / "count.txt")
    with pytest.raises(fullmarks.InputError, match="no second file"):
        fullmarks.score("mme", folder, folder / "count.txt")


def test_a_table_stands_for_the_folder(golden: Path, expected: Any) -> None:
    kept = fullmarks.score("mme", golden / "results").per_example
    names = ("id", "prediction", "references", "task", "image")
    table = [{name: record[name] for name in names} for record in kept]
    assert_official("mme", table, None, expected["result"])
    with pytest.raises(fullmarks.InputError, match="there is no question of OCR"):
        fullmarks.score("mme", [row for row in table if row["task"] != "OCR"])


def test_explanation_shows_both_questions(golden: Path) -> None:
    told = fullmarks.explain("mme", golden / "results", id="existence/1")
    assert [row["read as"] for row in told.tables["questions of the image"]] == ["other", "no"]
    assert told.scores == {"accuracy": 0.0, "accuracy_plus": 0.0, "neither": 1.0}
