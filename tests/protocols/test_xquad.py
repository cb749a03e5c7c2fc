"""XQuAD: SQuAD 1.1's digits in every language, and MLQA's Chinese as a variant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official


def gold_of(golds: dict[str, list[str]]) -> dict[str, Any]:
    qas = [{"id": name, "answers": [{"text": text} for text in texts]} for name, texts in golds.items()]
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "", "qas": qas}]}]}


def check_every_run(folder: Path) -> None:
    runs = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    assert len(runs) >= 6
    for run in runs.values():
        assert_official("xquad", folder / run["gold"], folder / run["predictions"], run["official"])


def test_every_run_of_the_published_program(golden_files: Path) -> None:
    check_every_run(golden_files / "xquad")


def test_every_run_on_real_data(real_data: Path) -> None:
    check_every_run(real_data / "xquad")


def test_every_single_case_of_the_published_program(golden_files: Path) -> None:
    cases = json.loads((golden_files / "xquad" / "answers.json").read_text(encoding="utf-8"))["cases"]
    gold = gold_of({str(at): case["golds"] for at, case in enumerate(cases)})
    result = fullmarks.score("xquad", gold, {str(at): case["prediction"] for at, case in enumerate(cases)})
    found = [(record["exact"], record["f1"]) for record in result.per_example]
    assert found == [(case["em"], pytest.approx(case["f1"], abs=1e-12)) for case in cases]


def test_the_variant_has_the_digits_of_mlqa_for_chinese(golden_files: Path) -> None:
    folder = golden_files / "mlqa"
    runs = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    for run in (runs["zh"], runs["zh_missing"]):
        files = folder / run["gold"], folder / run["predictions"]
        result = assert_official("xquad", *files, run["official"], variant="mlqa-zh")
        assert result.signature.startswith("xquad|norm:xquad-zh|variant:mlqa-zh|")


def test_gaps_and_repeats_are_as_in_the_published_program() -> None:
    gold = gold_of({"a": ["x"], "b": []})
    assert fullmarks.score("xquad", gold, {"a": "x"}).official == {"exact_match": 50.0, "f1": 50.0}
    with pytest.raises(fullmarks.MismatchError, match=r"without any gold answer: 1 \(first ids: 'b'\)"):
        fullmarks.score("xquad", gold, {"a": "x", "b": "y"})
    gold["data"].append(gold_of({"a": ["z"]})["data"][0])
    assert fullmarks.score("xquad", gold, {"a": "x"}).official["exact_match"] == 100.0 / 3


def test_a_chinese_answer_is_one_token_unless_the_variant_is_asked_for() -> None:
    gold, answers = gold_of({"a": ["东京塔"]}), {"a": "东京"}
    assert fullmarks.score("xquad", gold, answers).official["f1"] == 0.0
    assert fullmarks.score("xquad", gold, answers, variant="mlqa-zh").official["f1"] == 80.0
    (rule,) = fullmarks.crosscheck("xquad", gold, answers).rules
    assert (rule.name, rule.scores) == ("variant mlqa-zh", {"exact": 0.0, "f1": 0.8})
    assert fullmarks.explain("xquad", gold, answers, id="a").facts["tokens"] == ["东京"]
