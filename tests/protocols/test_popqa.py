"""PopQA: the published condition on made answers, by property too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official


def folder(golden_files: Path) -> Path:
    return golden_files / "popqa"


def test_golden_run_and_properties(golden_files: Path) -> None:
    known = json.loads((folder(golden_files) / "expected.json").read_text())
    found = assert_official(
        "popqa", folder(golden_files) / "popQA.tsv", folder(golden_files) / "predictions.jsonl", known["result"]
    )
    assert found.to_dict()["slices"]["prop"] == {
        name: known["by_prop"][name] for name in found.to_dict()["slices"]["prop"]
    }
    assert set(found.by("prop")) == set(known["by_prop"])
    assert {row["id"]: bool(row["accuracy"]) for row in found.per_example} == known["per_question"]


def test_golden_cases(golden_files: Path) -> None:
    cases = json.loads((folder(golden_files) / "answers.json").read_text())["cases"]
    each = fullmarks.load("contains", case="spellings").each(
        predictions=[case["pred"] for case in cases], references=[case["possible_answers"] for case in cases]
    )
    assert each == [float(case["is_correct"]) for case in cases]


# aliases, prediction, what the published condition gives
TINY = [
    (["Paris"], "paris", 1.0),
    (["Paris"], "PARIS", 0.0),
    (["New York"], "New york", 1.0),
    (["New York"], "NEW YORK", 0.0),
    (["iPhone"], "Iphone", 1.0),
    (["man"], "woman", 1.0),
    (["Mark Twain"], "not Mark Twain", 1.0),
    ([""], "anything", 1.0),
    ([], "anything", 0.0),
]


@pytest.mark.parametrize(("aliases", "prediction", "score"), TINY)
def test_tiny_inputs(aliases: list[str], prediction: str, score: float) -> None:
    gold = [{"id": 1, "prop": "p", "possible_answers": aliases}]
    assert_official("popqa", gold, [{"id": 1, "pred": prediction}], {"accuracy": score})


def test_aliases_that_decide_alone_are_counted() -> None:
    gold = [{"id": at, "possible_answers": texts} for at, texts in enumerate((["", "x"], [], ["y"]))]
    found = fullmarks.score("popqa", gold, {"0": "z", "1": "z", "2": "z"})
    assert found.audit.findings["empty-aliases"].first_ids == [0]
    assert found.audit.findings["no-aliases"].first_ids == [1]
    assert found.official == {"accuracy": 1 / 3}


def test_forms_of_the_files(tmp_path: Path) -> None:
    table = tmp_path / "popQA.tsv"
    table.write_text('id\tprop\tpossible_answers\n1\tcapital\t"[""Oslo"", ""Kristiania""]"\n2\tsport\t"[""chess""]"\n')
    rows = tmp_path / "predictions.csv"
    rows.write_text('id,pred\n2,"football, I think"\n1,It was kristiania.\n')
    for predictions in (
        rows,
        {"1": "Oslo", "2": "no"},
        [{"id": 1, "prediction": "oslo"}, {"id": "2", "prediction": ""}],
    ):
        assert_official("popqa", table, predictions, {"accuracy": 0.5})
        assert set(fullmarks.score("popqa", table, predictions, by="prop").by("prop")) == {"capital", "sport"}
    both = tmp_path / "output.csv"
    both.write_text('id,possible_answers,pred\n1,"[""Oslo""]",Oslo\n2,"[""chess""]",go\n')
    assert_official("popqa", both, None, {"accuracy": 0.5})
    generic = [{"id": 1, "references": ["Oslo"], "prediction": "in Oslo"}]
    assert_official("popqa", generic, None, {"accuracy": 1.0})
    with pytest.raises(fullmarks.MismatchError, match="questions without a prediction: 1"):
        fullmarks.score("popqa", table, {"1": "Oslo"})


def test_explanation_shows_the_spelling_and_its_place() -> None:
    gold = [{"id": 1, "possible_answers": ["New York", "NYC"]}]
    why = fullmarks.explain("popqa", gold, {"1": "in new york"}, id=1)
    rows: list[dict[str, Any]] = why.tables["references"]
    assert (rows[0]["found"], rows[0]["at"], rows[0]["contained"]) == ("new york", 3, 1.0)
    assert (rows[1]["found"], rows[1]["at"], rows[1]["contained"]) == ("", None, 0.0)
    assert why.scores == {"accuracy": 1.0}


def test_other_rules() -> None:
    gold = [{"id": at, "possible_answers": ["New York"]} for at in range(2)]
    found = fullmarks.crosscheck("popqa", gold, {"0": "NEW YORK", "1": "New Yorker"})
    assert {rule.name: rule.scores["accuracy"] for rule in found.rules} == {"any-case": 1.0, "whole-words": 0.0}
    assert found.scores == {"accuracy": 0.5}
