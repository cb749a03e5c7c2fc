"""ST-VQA: the golden set of mmf's evaluators, the RRC script and other tools on the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import fullmarks
from fullmarks.errors import FullmarksError
from fullmarks.testing import assert_official
from tests.protocols.anls_sets import GoldenSet

TOOLS = {
    "pix2struct": "pix2struct anls (x 100)",
}


@pytest.fixture
def golden(golden_files: Path) -> GoldenSet:
    return GoldenSet(golden_files / "stvqa", "question_id")


def test_the_golden_set(golden: GoldenSet) -> None:
    folder = golden.folder
    result = assert_official("stvqa", folder / "gold.json", folder / "predictions.json", golden.expected["result"])
    for record in result.per_example:
        expected = golden.expected["per_question"][str(record["id"])]
        assert {name: record[name] for name in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("variant", TOOLS)
def test_other_tools(golden: GoldenSet, variant: str) -> None:
    expected = {"anls": golden.expected["variants"][TOOLS[variant]]}
    assert_official("stvqa", golden.gold, golden.predictions, expected, variant=variant)


def test_the_rrc_script_on_the_same_answers(golden: GoldenSet) -> None:
    expected = {"anls": golden.expected["rrc"]["result"]["score"]}
    result = assert_official("stvqa", golden.gold, golden.predictions, expected, variant="rrc")
    found = {str(record["id"]): record["anls"] for record in result.per_example}
    assert found == pytest.approx(golden.expected["rrc"]["per_question"], abs=1e-12)


@pytest.mark.parametrize("gold", ["", " "])
def test_what_mmf_divides_by_zero_on_is_an_error(gold: str) -> None:
    data = {"data": [{"question_id": 1, "answers": [gold, "x"]}]}
    with pytest.raises(FullmarksError, match="empty answers to questions with an empty gold answer: 1"):
        fullmarks.score("stvqa", data, [{"question_id": 1, "answer": ""}])
    assert fullmarks.score("stvqa", data, [{"question_id": 1, "answer": "x"}]).official == {
        "anls": 1.0,
        "accuracy": 1.0,
    }


def test_a_question_without_golds_is_an_error() -> None:
    with pytest.raises(FullmarksError, match="questions without any gold answer: 1"):
        fullmarks.score("stvqa", {"data": [{"question_id": 1, "answers": []}]}, {"1": "x"})


def test_explanations_show_both_rules() -> None:
    data = {"data": [{"question_id": 1, "answers": ["two"]}]}
    told = fullmarks.explain("stvqa", data, {"1": "the 2"}, id=1)
    assert told.scores == {"anls": 0.0, "accuracy": 1.0}
    assert told.facts["normalised"] == "2"
    assert told.tables["references"][0]["edit distance"] == 4


@pytest.mark.parametrize("tool", ["lmms-eval", "VLMEvalKit"])
def test_tools_that_do_not_score_the_benchmark_are_no_variants(golden: GoldenSet, tool: str) -> None:
    with pytest.raises(FullmarksError, match=f"stvqa has no variant '{tool}'"):
        fullmarks.score("stvqa", golden.gold, golden.predictions, variant=tool)
    # Both have the RRC script's rule for other benchmarks: what they give on these answers is the variant rrc.
    found = fullmarks.score("stvqa", golden.gold, golden.predictions, variant="rrc").official["anls"]
    assert found == pytest.approx(golden.expected["variants"]["lmms-eval anls (mean of per-question)"], abs=1e-12)
