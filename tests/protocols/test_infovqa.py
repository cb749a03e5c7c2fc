"""InfographicVQA: what it has beside DocVQA's rule, the types of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import fullmarks
from fullmarks.errors import FullmarksError
from fullmarks.testing import assert_official
from tests.protocols.anls_sets import GoldenSet


def test_infographic_types(golden_files: Path) -> None:
    golden = GoldenSet(golden_files / "infovqa", "questionId")
    run = golden.expected["with_answer_types (-a True)"]
    expected = {**run["result"], "scores_by_types": run["scores_by_types"]}
    result = assert_official("infovqa", golden.gold, golden.predictions, expected, answer_types=True)
    plain = fullmarks.score("infovqa", golden.gold, golden.predictions).to_dict()["slices"]
    for key, column in (
        ("answer_types", "answer_type"),
        ("evidence_types", "evidence"),
        ("operation_types", "operation"),
    ):
        shown = {name: scores["anls"] for name, scores in plain[column].items()}
        assert shown == pytest.approx(result.official["scores_by_types"][key], abs=1e-12)


@pytest.mark.parametrize(
    ("types", "message"),
    [(["image span"], "no question has one of the answer_types 'Question-Span'"), (["list"], "'list' is none of the")],
)
def test_types_that_the_script_fails_on_are_an_error(golden_files: Path, types: list[str], message: str) -> None:
    golden = GoldenSet(golden_files / "infovqa", "questionId")
    gold = golden.gold
    for record in gold["data"]:
        record["answer_type"] = types
    with pytest.raises(FullmarksError, match=message):
        fullmarks.score("infovqa", gold, golden.predictions, answer_types=True)
    assert fullmarks.score("infovqa", gold, golden.predictions).official == golden.expected["result"]
    for record in gold["data"]:
        del record["answer_type"]
    with pytest.raises(FullmarksError, match="lack the field 'answer_type'"):
        fullmarks.score("infovqa", gold, golden.predictions, answer_types=True)
