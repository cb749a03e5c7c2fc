"""ScienceQA: its program's texts, LLaVA's readings, and what both make of odd results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official
from fullmarks.text.choice_readings import options_of, read_llava, read_scienceqa_lmms_eval


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "scienceqa"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_golden(golden: Path) -> None:
    expected = load(golden / "expected.json")
    result = assert_official("scienceqa", golden / "problems.json", golden / "results.json", expected["result"])
    assert {row["id"]: bool(row["choice_accuracy"]) for row in result.per_example} == expected["per_question"]
    assert "insists on 4241" in str(result.audit.findings["other-number-of-results"])


def test_golden_runs(golden: Path) -> None:
    runs = load(golden / "expected.json")["runs"]
    problems, results = load(golden / "problems.json"), load(golden / "results.json")["results"]
    found = fullmarks.score("scienceqa", problems, {"results": {**results, "nosuch": 0}}).official
    assert {key: found[key] for key in ("acc_average", "acc_natural")} == {
        key: runs["extra"][key] for key in ("acc_average", "acc_natural")
    }
    first = next(iter(results))
    without = {key: value for key, value in results.items() if key != first}
    with pytest.raises(fullmarks.MismatchError, match="without a prediction: 1"):
        fullmarks.score("scienceqa", problems, {"results": without})
    for value, shown in (("B", "'B'"), (None, "null")):
        with pytest.raises(fullmarks.MismatchError, match=f"no whole number: 1 .*has {shown}"):
            fullmarks.score("scienceqa", problems, {"results": {**results, first: value}})


def test_llava_golden(golden: Path) -> None:
    expected = load(golden / "expected.json")["llava"]
    files = golden / "problems.json", golden / "llava_answers.jsonl"
    keys = ("acc", "correct", "count", "img_acc")
    assert_official("scienceqa", *files, {key: expected[key] for key in keys}, variant="llava")
    then = expected["then evaluate_acc.py on its results"]["result"]
    assert_official("scienceqa", *files, then, variant="llava-converted")


@pytest.mark.parametrize("run", ["llava_missing_40", "llava_extra", "llava_duplicate"])
def test_llava_runs(golden: Path, run: str) -> None:
    expected = load(golden / "expected.json")["runs"][run]
    rows = lines(golden / "llava_answers.jsonl")
    changed = {
        "llava_missing_40": rows[40:],
        "llava_extra": [*rows, {**rows[0], "question_id": "nosuch"}],
        "llava_duplicate": [*rows, {**rows[1], "text": "FAILED"}],
    }[run]
    wanted = {key: expected[key] for key in ("acc", "correct", "count", "img_acc")}
    assert_official("scienceqa", golden / "problems.json", changed, wanted, variant="llava")


def test_no_prompt_with_an_image_is_an_error(golden: Path) -> None:
    rows = [{**row, "prompt": "?"} for row in lines(golden / "llava_answers.jsonl")]
    with pytest.raises(fullmarks.MismatchError, match="no prompt has '<image>'"):
        fullmarks.score("scienceqa", golden / "problems.json", rows, variant="llava")


def test_lmms_eval_golden(golden: Path) -> None:
    (expected,) = load(golden / "expected.json")["variants"].values()
    files = golden / "problems.json", golden / "llava_answers.jsonl"
    assert_official("scienceqa", *files, {"exact_match": expected}, variant="lmms-eval")


def test_single_cases(golden: Path) -> None:
    cases = load(golden / "answers.json")["cases"]
    assert len(cases) == 700
    for case in cases:
        options = options_of(case["n_choices"])
        letter = read_llava(case["text"], options).letter
        assert ("ABCDE".index(letter) if letter else -1) == case["llava_index"], case
        read = read_scienceqa_lmms_eval(case["text"], options).letter
        assert float(read == "ABCDE"[case["answer"]]) == case["lmms"], case


def test_real_data(real_data: Path) -> None:
    folder = real_data / "scienceqa"
    expected = load(folder / "expected.json")
    files = folder / "problems.json", folder / "llava_answers.jsonl"
    result = fullmarks.score("scienceqa", *files, variant="llava")
    found = result.official
    assert (found["acc"], found["correct"], found["count"]) == (expected["acc"], expected["correct"], expected["count"])
    assert f"{found['img_acc']:.2f}%" in expected["printed"]
    letters = result.tally.metrics[0].letters(result.tally.examples)  # type: ignore[attr-defined]
    indices = ["ABCDE".index(letter) if letter else -1 for letter in letters]
    assert dict(zip(result.tally.examples.ids, indices, strict=True)) == expected["results"]


def test_a_word_after_the_answer_is_counts_as_its_first_letter() -> None:
    problems = {"1": {"choices": ["a", "b"], "answer": 1, "split": "test"}}
    rows = [{"question_id": "1", "prompt": "<image>", "text": "The answer is Banana."}]
    result = fullmarks.score("scienceqa", problems, rows, variant="llava")
    assert result.official == {"acc": 100.0, "correct": 1, "count": 1, "img_acc": 100.0}
    assert result.audit.findings["first-letters"].count == 1
    why = fullmarks.explain("scienceqa", problems, rows, id="1", variant="llava")
    assert why.facts["read as"] == "B"
    assert "The answer is" in why.facts["found"]


def problem(**fields: Any) -> dict[str, Any]:
    return {"choices": ["a", "b"], "answer": 0, "split": "test", **fields}


def test_problems_that_lack_a_field_count_as_having_it() -> None:
    """pandas writes NaN where only some have a field, and NaN is true: evaluate_acc.py gives 66.67 here."""
    problems = {
        "1": problem(hint="", image="a.png"),
        "2": problem(hint="h", image="b.png"),
        "3": problem(hint=""),
        "4": problem(hint="", image=None),
    }
    result = fullmarks.score("scienceqa", problems, {"results": {"1": 0, "2": 1, "3": 0, "4": 1}})
    assert result.official["acc_has_image"] == "66.67"
    assert result.official["acc_has_text"] == "0.00"
    assert result.official["acc_no_context"] == "0.00"
    assert result.audit.findings["missing-context-fields"].first_ids == ["3"]
    other = {**problems, "5": {**problem(image="c.png"), "split": "train"}}  # the field need not be in the same split
    for identifier in "124":
        other[identifier] = {name: value for name, value in problems[identifier].items() if name != "image"}
    found = fullmarks.score("scienceqa", other, {"results": {"1": 0, "2": 1, "3": 0, "4": 1}}).official
    assert found["acc_has_image"] == "50.00"


def test_a_field_that_no_problem_has() -> None:
    found = fullmarks.score("scienceqa", {"1": problem()}, {"results": {"1": 0}})
    assert (found.official["acc_has_image"], found.official["acc_no_context"]) == (-1, -1)
    assert "missing-context-fields" not in found.audit.findings
