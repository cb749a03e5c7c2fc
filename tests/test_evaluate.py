"""The calls behind the Python interface: score, validate, explain, load."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks

GOLD = {"a": ["cat"], "b": ["dog"]}
PREDICTIONS = {"a": "cat", "b": "bird"}


def test_paths_texts_and_objects_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD))
    (tmp_path / "pred.json").write_text(json.dumps(PREDICTIONS))
    expected = fullmarks.score("qa", GOLD, PREDICTIONS).official
    ways: list[tuple[Any, Any]] = [
        (tmp_path / "gold.json", tmp_path / "pred.json"),
        (str(tmp_path / "gold.json"), PREDICTIONS),
        (io.StringIO(json.dumps(GOLD)), io.BytesIO(json.dumps(PREDICTIONS).encode())),
    ]
    for gold, predictions in ways:
        assert fullmarks.score("qa", gold, predictions).official == expected


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(PREDICTIONS)))
    assert fullmarks.score("qa", GOLD, "-").official["ExactMatch"] == 0.5


def test_the_watcher_sees_every_chunk() -> None:
    seen: list[int] = []
    fullmarks.score("qa", GOLD, PREDICTIONS, watch=lambda examples, rows: seen.append(len(examples)))
    assert seen == [2]


def test_input_is_not_changed() -> None:
    gold, predictions = json.dumps(GOLD), json.dumps(PREDICTIONS)
    fullmarks.score("qa", GOLD, PREDICTIONS)
    assert (json.dumps(GOLD), json.dumps(PREDICTIONS)) == (gold, predictions)


def test_validation_counts_without_raising() -> None:
    audit = fullmarks.validate("qa", {**GOLD, "c": ["x"]}, {"a": "", "b": None, "z": "?"})
    assert (audit.gold, audit.predictions) == (3, 3)
    assert {kind: (finding.level, finding.count, finding.first_ids) for kind, finding in audit.findings.items()} == {
        "predictions that are not strings": ("error", 1, ["b"]),
        "predictions for unknown questions": ("warning", 1, ["z"]),
        "questions without a prediction": ("error", 1, ["c"]),
        "empty predictions": ("note", 2, ["a", "b"]),
    }
    assert json.loads(json.dumps(audit.to_dict()))["findings"][0]["detail"] == "'b' has null"


def test_empty_predictions_are_named_and_gaps_are_not_among_them() -> None:
    gold = [{"id": f"q{number}", "references": ["x"]} for number in range(9)]
    answers = {f"q{number}": "" if number % 2 else "x" for number in range(1, 9)}
    audit = fullmarks.score("qa", gold, answers, on_missing="zero").audit
    assert (audit.findings["empty predictions"].count, audit.findings["empty predictions"].first_ids) == (
        4,
        ["q1", "q3", "q5", "q7"],
    )


def test_a_table_names_its_first_empty_predictions_over_all_blocks() -> None:
    number = 40_000  # three blocks
    places = (7, 16_390, 16_391, 20_000, 33_000, 39_999)
    table = [{"id": at, "prediction": "" if at in places else "x", "references": ["x"]} for at in range(number)]
    found = fullmarks.score("qa", table, keep=False).audit.findings["empty predictions"]
    assert (found.count, found.first_ids) == (6, list(places[:5]))


def test_validation_of_sound_input() -> None:
    audit = fullmarks.validate("qa", GOLD, PREDICTIONS)
    assert (audit.findings, audit.scored) == ({}, 2)


def test_all_errors_come_in_one_message() -> None:
    with pytest.raises(fullmarks.MismatchError) as caught:
        fullmarks.score("qa", {**GOLD, "c": ["x"]}, {"a": 1, "b": "y", "z": "?"}, strict=True)
    message = str(caught.value)
    for part in ("not strings: 1", "unknown questions: 1", "without a prediction: 1"):
        assert part in message


def test_explain_of_an_unknown_id() -> None:
    with pytest.raises(fullmarks.UsageError, match="no question has the id 'z'; 2 were read"):
        fullmarks.explain("qa", GOLD, PREDICTIONS, id="z")


def test_explain_of_the_beginning_of_an_id() -> None:
    with pytest.raises(fullmarks.UsageError, match=r"Did you mean 'question-1'\?"):
        fullmarks.explain("qa", {"question-1": ["x"], "question-2": ["y"]}, {"question-1": "x"}, id="question")


def test_columns_are_refused_where_there_are_no_tables() -> None:
    with pytest.raises(fullmarks.UsageError, match="fusionbrain reads no tables"):
        fullmarks.score("fusionbrain", {}, {}, columns={"id": "key"})


@pytest.mark.parametrize("protocol", ["squad2", "squad1", "vqa", "qa"])
def test_the_same_table_goes_through_every_text_protocol(protocol: str) -> None:
    table = [{"id": 1, "prediction": "yes", "references": ["yes", "yes", "no"]}]
    result = fullmarks.score(protocol, table)
    assert result.n == 1
    why = fullmarks.explain(protocol, table, id=1)
    assert next(iter(why.scores.values())) == next(iter(result.scores.values()))
    assert json.dumps(why.to_dict())
