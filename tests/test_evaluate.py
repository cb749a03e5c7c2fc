"""The calls behind the Python interface: score, validate, explain, load."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError

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
    assert {code: (finding.level, finding.count, finding.first_ids) for code, finding in audit.findings.items()} == {
        "not-strings": ("error", 1, ["b"]),
        "unknown-predictions": ("warning", 1, ["z"]),
        "missing-predictions": ("error", 1, ["c"]),
        "empty-predictions": ("note", 2, ["a", "b"]),
    }
    findings = json.loads(json.dumps(audit.to_dict()))["findings"]
    assert [(finding["code"], finding["detail"]) for finding in findings] == [
        ("missing-predictions", ""),
        ("not-strings", "'b' has null"),
        ("unknown-predictions", ""),
        ("empty-predictions", ""),
    ]


def test_empty_predictions_are_named_and_gaps_are_not_among_them() -> None:
    gold = [{"id": f"q{number}", "references": ["x"]} for number in range(9)]
    answers = {f"q{number}": "" if number % 2 else "x" for number in range(1, 9)}
    audit = fullmarks.score("qa", gold, answers, on_missing="zero").audit
    assert (audit.findings["empty-predictions"].count, audit.findings["empty-predictions"].first_ids) == (
        4,
        ["q1", "q3", "q5", "q7"],
    )


def test_a_table_names_its_first_empty_predictions_over_all_blocks() -> None:
    number = 40_000  # three blocks
    places = (7, 16_390, 16_391, 20_000, 33_000, 39_999)
    table = [{"id": at, "prediction": "" if at in places else "x", "references": ["x"]} for at in range(number)]
    found = fullmarks.score("qa", table, keep=False).audit.findings["empty-predictions"]
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


GOLD_ROWS = [{"id": "q1", "references": ["x"]}, {"id": "q2", "references": ["y"]}]
ANSWERS = {"q1": "x", "q2": "z"}


@pytest.mark.parametrize("protocol", ["squad1", "squad2", "qa"])
def test_gold_in_every_plain_form(protocol: str) -> None:
    expected = fullmarks.score(protocol, GOLD_ROWS, ANSWERS).official
    lines = "\n".join(json.dumps(row) for row in GOLD_ROWS)
    for gold in (tuple(GOLD_ROWS), iter(GOLD_ROWS), io.StringIO(lines), io.BytesIO(lines.encode())):
        assert fullmarks.score(protocol, gold, ANSWERS).official == expected


def test_number_ids_meet_their_text_however_long() -> None:
    long = 2**63 - 1
    assert fullmarks.score("squad1", [{"id": long, "references": ["x"]}], {str(long): "x"}).scores["exact"] == 1.0
    mixed = [{"id": 1, "references": ["x"]}, {"id": "q2", "references": ["y"]}]
    result = fullmarks.score("squad1", mixed, {"1": "x", "q2": "y"})
    assert result.scores["exact"] == 1.0
    assert not result.audit.findings
    # 1 and "1" may be two questions, or two predictions: then nothing is guessed.
    two = [{"id": 1, "references": ["x"]}, {"id": "1", "references": ["y"]}]
    assert fullmarks.score("squad1", two, [{"id": "1", "prediction": "y"}]).scores["exact"] == 0.5
    both = [{"id": "1", "prediction": "x"}, {"id": 1, "prediction": "no"}]
    found = fullmarks.score("squad1", [{"id": 1, "references": ["x"]}], both)
    assert found.audit.findings["unknown-predictions"].first_ids == ["1"]
    assert found.scores["exact"] == 0.0


def test_columns_by_name_or_in_a_list() -> None:
    rows = [{**row, "prediction": "x", "topic": "t"} for row in GOLD_ROWS]
    assert "topic" in fullmarks.score("qa", rows, also="topic").tally.columns
    wrong: Any
    for wrong in (None, 5, ["topic", 1]):
        with pytest.raises(UsageError, match="by must be the name of a column or a list of names"):
            fullmarks.score("qa", rows, by=wrong)
    with pytest.raises(UsageError, match="watch must be a function"):
        fullmarks.score("qa", rows, watch=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="also must be the name"):
        fullmarks.score("qa", rows, also=5)  # type: ignore[arg-type]


def test_labels_of_numpy_are_those_of_python(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    values = [3, np.int64(3), np.float64("nan"), float("nan"), np.bool_(True), True, np.str_("3"), math.inf, -math.inf]
    rows = [{"id": at, "prediction": "x", "references": ["x"], "c": value} for at, value in enumerate(values)]
    result = fullmarks.score("qa", rows, by="c")
    expected = {3: 2, None: 2, True: 2, "3": 1, "inf": 1, "-inf": 1}
    assert {value: scores["n"] for value, scores in result.by("c").items()} == expected
    fullmarks.save_run(result, tmp_path / "run.json")
    assert fullmarks.load_run(tmp_path / "run.json").by("c") == result.by("c")
    for value in ({1: 2}, {1}, np.array([1, 2])):
        with pytest.raises(InputError, match="holds lists or objects"):
            fullmarks.score("qa", [{**rows[0], "c": value}], by="c")


def test_a_threshold_beyond_all_numbers() -> None:
    with pytest.raises(UsageError, match="na_prob_thresh must be a number, found nan or one that no float can hold"):
        fullmarks.score("squad2", GOLD_ROWS, ANSWERS, na_prob_thresh=10**400)
    assert fullmarks.score("squad2", GOLD_ROWS, ANSWERS, na_prob_thresh=math.inf).official["exact"] == 50.0


def test_a_finding_names_its_first_five_ids_however_they_come() -> None:
    audit = fullmarks.Audit()
    for start in (0, 3, 6, 9):
        audit.add("odd ones", "warning", range(start, start + 3))
    assert audit.findings["odd-ones"].first_ids == [0, 1, 2, 3, 4]
    assert audit.findings["odd-ones"].count == 12
