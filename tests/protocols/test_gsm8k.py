"""GSM8K: the published rule's verdicts on made and real solutions, and the harness's two readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official, first_difference

SYSTEMS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
VARIANTS = ("strict-match", "flexible-extract")


def golden(golden_files: Path) -> tuple[Path, Path]:
    folder = golden_files / "gsm8k"
    return folder / "gold.jsonl", folder / "predictions.jsonl"


def loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_golden_run(golden_files: Path) -> None:
    known = loaded(golden_files / "gsm8k" / "expected.json")
    found = assert_official("gsm8k", *golden(golden_files), known["runs"]["main"]["official"])
    assert {str(row["id"]): row["accuracy"] for row in found.per_example} == {
        key: each["correct"] for key, each in known["per_question"].items()
    }
    unread = found.audit.findings["no-number"]
    assert unread.count == known["runs"]["main"]["invalid"]


def test_golden_cases(golden_files: Path) -> None:
    cases = loaded(golden_files / "gsm8k" / "answers.json")["cases"]
    scorer = fullmarks.load("numeric_answer")
    predictions, references = [case["prediction"] for case in cases], [case["gold"] for case in cases]
    assert scorer.each(predictions=predictions, references=references) == [case["correct"] for case in cases]
    for case in cases:
        why = scorer.explain(prediction=case["prediction"], references=[case["gold"]])
        assert why.facts["compared as"] == ("nothing" if case["extracted"] == "[invalid]" else case["extracted"])
        assert why.tables["references"][0]["wanted"] == case["extracted_gold"]


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_variants(golden_files: Path, name: str) -> None:
    known = loaded(golden_files / "gsm8k" / "variants.json")
    found = assert_official("gsm8k", *golden(golden_files), known["runs"][name], variant=name)
    assert {str(row["id"]): row["accuracy"] for row in found.per_example} == {
        key: each[name]["exact_match"] for key, each in known["per_question"].items()
    }
    rules = {rule.name: rule.scores for rule in fullmarks.crosscheck("gsm8k", *golden(golden_files)).rules}
    assert rules[f"variant {name}"]["accuracy"] == pytest.approx(known["runs"][name]["exact_match"], abs=1e-12)


def test_real_solutions(real_data: Path) -> None:
    data = real_data / "gsm8k"
    known = loaded(data / "expected.json")
    found, expected = {}, {}
    for texts, gold in {"whole": data / "test.jsonl", "last lines": data / "compact" / "gold.jsonl"}.items():
        for system in SYSTEMS:
            right, name = known["systems"][system]["is_correct_stored"], f"{system}, {texts}"
            result = fullmarks.score("gsm8k", gold, gold.parent / f"predictions_{system}.jsonl")
            found[name] = [result.official, [row["accuracy"] for row in result.per_example]]
            official = {"correct": right, "total": 1319, "accuracy": right / 1319}
            expected[name] = [official, list(map(float, known["stored_is_correct"][system]))]
    assert first_difference(found, expected) is None


# what stands in a prediction for the gold '#### 18': the published rule, strict-match, flexible-extract
TINY = [
    ("#### 18", 1, 1, 1),
    ("#### 18.", 0, 1, 1),
    ("#### 18.0", 0, 0, 0),
    ("####18", 0, 0, 1),
    ("##### 18", 1, 1, 1),
    ("####  18", 0, 0, 1),
    ("#### 5\n#### 18", 0, 0, 1),
    ("#### 18\n\nQuestion: 7?", 1, 1, 0),
    ("#### $18", 0, 0, 1),
    ("#### 18,", 1, 1, 1),
    ("The answer is $18.00", 0, 0, 0),
    ("3-18", 0, 0, 0),
    ("1,8", 0, 0, 1),
    ("18 .", 0, 0, 1),
    ("...", 0, 0, 0),
    ("#### −18", 0, 0, 1),
    ("#### ١٨", 0, 0, 0),
    ("A: 18...", 0, 0, 0),
]


@pytest.mark.parametrize(("prediction", "official", "strict", "flexible"), TINY)
def test_tiny_inputs(prediction: str, official: int, strict: int, flexible: int) -> None:
    gold = [{"question": "q", "answer": "9+9=18\n#### 18"}]
    given = {"0": prediction}
    assert_official("gsm8k", gold, given, {"correct": official, "total": 1, "accuracy": float(official)})
    for variant, score in zip(VARIANTS, (strict, flexible), strict=True):
        assert_official("gsm8k", gold, given, {"exact_match": float(score), "total": 1}, variant=variant)


def lines(*answers: str) -> list[dict[str, str]]:
    return [{"question": "q", "answer": answer} for answer in answers]


def test_predictions_by_id_by_place_and_in_a_table() -> None:
    gold = lines("#### 1", "#### 2,000")
    expected = {"correct": 1, "total": 2, "accuracy": 0.5}
    assert_official("gsm8k", gold, [{"id": 1, "prediction": "#### 2000"}, {"id": 0, "prediction": "1"}], expected)
    assert_official("gsm8k", gold, ["1", "#### 2000"], expected)
    table = [
        {"id": "a", "prediction": "#### 1", "references": ["1"]},
        {"id": "b", "prediction": "2", "references": ["2"]},
    ]
    assert_official("gsm8k", table, None, expected)
    with pytest.raises(fullmarks.MismatchError, match="1 predictions for 2 questions"):
        fullmarks.score("gsm8k", gold, ["#### 1"])


def test_gaps_and_golds_without_a_number_are_errors() -> None:
    with pytest.raises(fullmarks.MismatchError, match="questions without a prediction: 1"):
        fullmarks.score("gsm8k", lines("#### 1", "#### 2"), {"0": "#### 1"})
    zero = fullmarks.score("gsm8k", lines("#### 1", "#### 2"), {"0": "#### 1"}, on_missing="zero")
    assert zero.official == {"correct": 1, "total": 2, "accuracy": 0.5}
    with pytest.raises(fullmarks.MismatchError, match="gold answers without a number after '#### ': 1"):
        fullmarks.score("gsm8k", lines("#### 1", "18"), {"0": "#### 1", "1": "#### 18"})
    harness = fullmarks.score("gsm8k", lines("18"), {"0": "#### 18"}, variant="strict-match")
    assert harness.official == {"exact_match": 1.0, "total": 1}
    repeated = [{"id": 0, "prediction": "#### 1"}, {"id": 0, "prediction": "#### 2"}]
    with pytest.raises(fullmarks.MismatchError, match="predictions with a repeated id: 1"):
        fullmarks.score("gsm8k", lines("#### 1"), repeated)


def test_extracting_first_helps_bare_answers() -> None:
    found = fullmarks.score(
        "gsm8k", lines("#### 18"), {"0": "so\nA: 18"}, extract=r"regex:A: (\d+)", variant="strict-match"
    )
    assert found.official["exact_match"] == 0.0  # the harness wants the mark all the same
    found = fullmarks.score(
        "gsm8k", lines("#### 18"), {"0": "it is 18 or so, A: 18"}, extract="number", variant="flexible-extract"
    )
    assert found.official["exact_match"] == 1.0
