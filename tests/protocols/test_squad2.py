"""SQuAD 2.0: the published script's digits, and our rules where the script crashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fullmarks


def question(identifier: str, *answers: str) -> dict[str, Any]:
    return {"id": identifier, "answers": [{"text": text} for text in answers]}


def gold(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"data": [{"title": "t", "paragraphs": [{"qas": list(questions)}]}]}


GOLD = gold(question("a", "the cat"), question("b", "two dogs", "dogs"), question("c"), question("d"))
PREDICTIONS = {"a": "cat", "b": "three dogs", "c": "", "d": "something"}

RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "thresholded_0.5": {"na_prob_thresh": 0.5, "na_prob_file": "na_prob.json"},
    "with_pr": {"na_prob_file": "na_prob.json", "precision_recall": True},
}


@pytest.mark.parametrize("run", RUNS)
def test_golden_runs_to_the_last_bit(golden_files: Path, run: str) -> None:
    folder = golden_files / "squad2"
    options = dict(RUNS[run])
    if "na_prob_file" in options:
        options["na_prob_file"] = folder / options["na_prob_file"]
    result = fullmarks.score("squad2", folder / "gold.json", folder / "predictions.json", **options)
    expected = json.loads((folder / "expected.json").read_text())[run]
    assert result.official == expected
    assert list(result.official) == list(expected)


def test_published_models_to_the_last_bit_and_all_empty_but_one(real_data: Path) -> None:
    folder, models = real_data / "squad", ("bert", "bidaf")
    path = folder / "dev-v2.0.json"
    found = {model: fullmarks.score("squad2", path, folder / f"{model}.json").official for model in models}
    assert found == {model: json.loads((folder / f"{model}.expected.json").read_text()) for model in models}
    document = json.loads(path.read_text())
    questions = [question for article in document["data"] for part in article["paragraphs"] for question in part["qas"]]
    predictions = {question["id"]: "" for question in questions}
    answered = next(question for question in questions if question["answers"])
    predictions[answered["id"]] = answered["answers"][0]["text"]
    assert fullmarks.score("squad2", path, predictions).official == {
        "exact": 50.08001347595385,
        "f1": 50.08001347595385,
        "total": 11873,
        "HasAns_exact": 0.016869095816464237,
        "HasAns_f1": 0.016869095816464237,
        "HasAns_total": 5928,
        "NoAns_exact": 100.0,
        "NoAns_f1": 100.0,
        "NoAns_total": 5945,
    }


def test_golden_answers_one_by_one(golden_files: Path) -> None:
    cases = json.loads((golden_files / "squad1" / "answers.json").read_text())
    metric = fullmarks.load("squad").metric
    rows = metric.rows(
        fullmarks.Examples(range(len(cases)), [case["prediction"] for case in cases], [case["golds"] for case in cases])
    )
    assert rows[0::2].tolist() == [case["exact"] for case in cases]
    assert rows[1::2].tolist() == [case["f1"] for case in cases]
    assert [fullmarks.normalize_answer(case["prediction"]) for case in cases] == [case["normalized"] for case in cases]


def test_result_of_a_small_case() -> None:
    result = fullmarks.score("squad2", GOLD, PREDICTIONS)
    assert result.official == {
        "exact": 50.0,
        "f1": 100.0 * (1.0 + 2 / 3 + 1.0 + 0.0) / 4,
        "total": 4,
        "HasAns_exact": 50.0,
        "HasAns_f1": 100.0 * (1.0 + 2 / 3) / 2,
        "HasAns_total": 2,
        "NoAns_exact": 50.0,
        "NoAns_f1": 50.0,
        "NoAns_total": 2,
    }
    assert result.scores == {"exact": 0.5, "f1": (1.0 + 2 / 3 + 1.0 + 0.0) / 4}


def test_a_split_without_questions_has_no_keys() -> None:
    with_answer = fullmarks.score("squad2", gold(question("a", "x")), {"a": "x"}).official
    without = fullmarks.score("squad2", gold(question("a")), {"a": "x"}).official
    assert list(with_answer) == ["exact", "f1", "total", "HasAns_exact", "HasAns_f1", "HasAns_total"]
    assert list(without) == ["exact", "f1", "total", "NoAns_exact", "NoAns_f1", "NoAns_total"]


def test_has_answer_is_decided_before_empty_golds_are_dropped() -> None:
    result = fullmarks.score("squad2", gold(question("a", "the", "..."), question("b")), {"a": "", "b": ""})
    assert (result.official["HasAns_total"], result.official["HasAns_exact"]) == (1, 100.0)


def test_threshold_is_strict() -> None:
    chances = {"a": 0.5, "b": 0.51, "c": 0.0, "d": 0.51}
    result = fullmarks.score("squad2", GOLD, PREDICTIONS, na_prob_file=chances, na_prob_thresh=0.5)
    assert [record["exact"] for record in result.per_example] == [1.0, 0.0, 1.0, 1.0]


# evaluate-v2.0.py -t X without -n: every probability is 0.0 there.
@pytest.mark.parametrize("form", ["official files", "one table"])
@pytest.mark.parametrize(("threshold", "is_in_force"), [(-0.5, True), (-1e-9, True), (0.0, False), (0.5, False)])
def test_a_threshold_without_probabilities(form: str, threshold: float, is_in_force: bool) -> None:
    files: list[Any] = [GOLD, PREDICTIONS]
    if form == "one table":
        golds = {"a": ["the cat"], "b": ["two dogs", "dogs"], "c": [], "d": []}
        files = [[{"id": key, "prediction": PREDICTIONS[key], "references": texts} for key, texts in golds.items()]]
    plain = fullmarks.score("squad2", *files)
    result = fullmarks.score("squad2", *files, na_prob_thresh=threshold)
    found = result.audit.findings["no-probabilities"]
    assert found.count == 4
    if is_in_force:
        assert result.official["HasAns_f1"] == result.official["HasAns_exact"] == 0.0
        assert result.official["NoAns_f1"] == result.official["NoAns_exact"] == 100.0
        assert f"|na_thresh:{threshold:g}|" in result.signature
        assert found.level == "warning"
        assert "makes every answer 'no answer'" in found.detail
        why = fullmarks.explain("squad2", *files, id="a", na_prob_thresh=threshold)
        assert why.facts["no-answer probability"].startswith("0.0, for none is given")
    else:
        assert (result.official, result.signature) == (plain.official, plain.signature)
        assert (found.level, "changes nothing" in found.detail) == ("note", True)


def test_a_threshold_for_rows_with_probabilities_is_in_the_signature() -> None:
    rows = [{"id": key, "prediction_text": text, "no_answer_probability": 0.3} for key, text in PREDICTIONS.items()]
    result = fullmarks.score("squad2", GOLD, rows, na_prob_thresh=0.25, keep=False)
    assert "|na_thresh:0.25|" in result.signature
    assert "no-probabilities" not in result.audit.findings


def test_rows_with_probabilities_equal_two_files() -> None:
    chances = {"d": 0.9, "a": 0.1, "c": 0.9, "b": 0.9}
    rows = [
        {"id": identifier, "prediction_text": PREDICTIONS[identifier], "no_answer_probability": chance}
        for identifier, chance in chances.items()
    ]
    together = fullmarks.score("squad2", GOLD, rows, precision_recall=True)
    apart = fullmarks.score("squad2", GOLD, PREDICTIONS, na_prob_file=chances, precision_recall=True)
    assert together.official == apart.official
    assert "pr_oracle_ap" in together.official


class TestMissingPredictions:
    some: ClassVar = {"a": "cat", "d": "something"}

    def test_error_names_count_and_ids(self) -> None:
        with pytest.raises(fullmarks.MismatchError, match=r"without a prediction: 2 \(first ids: 'b', 'c'\)"):
            fullmarks.score("squad2", GOLD, self.some)

    def test_zero_counts_even_a_question_without_answer_as_wrong(self) -> None:
        result = fullmarks.score("squad2", GOLD, self.some, on_missing="zero")
        assert (result.official["exact"], result.official["total"]) == (25.0, 4)
        assert (result.official["NoAns_exact"], result.official["NoAns_total"]) == (0.0, 2)
        assert "missing:zero" in result.signature
        assert result.audit.findings["missing-predictions"].count == 2

    def test_skip_leaves_them_out_of_every_denominator(self) -> None:
        result = fullmarks.score("squad2", GOLD, self.some, on_missing="skip")
        assert (
            result.official
            == fullmarks.score("squad2", gold(question("a", "the cat"), question("d")), self.some).official
        )
        assert "missing:skip" in result.signature
        assert [record["id"] for record in result.per_example] == ["a", "d"]

    def test_zero_earns_nothing_at_any_threshold(self) -> None:
        chances = dict.fromkeys("abcd", 0.0)
        result = fullmarks.score("squad2", GOLD, {"d": ""}, on_missing="zero", na_prob_file=chances)
        assert result.official["best_exact"] == 25.0

    def test_skip_does_not_call_the_skipped_unknown(self) -> None:
        chances = {**dict.fromkeys("abcd", 0.0), "z": 0.5}
        result = fullmarks.score("squad2", GOLD, self.some, on_missing="skip", na_prob_file=chances)
        assert result.audit.findings["unknown-probabilities"].first_ids == ["z"]


def test_slices() -> None:
    result = fullmarks.score("squad2", GOLD, PREDICTIONS, by="title")
    assert result.by("title") == {"t": {**result.scores, "n": 4}}
    assert result.by("has_answer")[True] == {"exact": 0.5, "f1": (1.0 + 2 / 3) / 2, "n": 2}
    with pytest.raises(fullmarks.UsageError, match="it offers 'has_answer', 'title'"):
        result.by("color")


def test_limit_scores_the_first_questions() -> None:
    result = fullmarks.score("squad2", GOLD, PREDICTIONS, limit=2)
    assert result.official["total"] == 2
    assert "limit:2" in result.signature
    assert "unknown-predictions" not in result.audit.findings


def test_signature_names_what_changes_the_number() -> None:
    plain = fullmarks.score("squad2", GOLD, PREDICTIONS).signature
    assert plain == f"squad2|norm:squad|variant:script|missing:error|n:4|v:{fullmarks.__version__}"
    chances = dict.fromkeys("abcd", 0.2)
    changed = fullmarks.score(
        "squad2", GOLD, PREDICTIONS, na_prob_file=chances, na_prob_thresh=0.25, on_duplicate="last"
    )
    assert "na_thresh:0.25" in changed.signature
    assert "duplicate:last" in changed.signature


def test_explain_shows_normal_forms_and_the_threshold() -> None:
    why = fullmarks.explain(
        "squad2", GOLD, PREDICTIONS, id="b", na_prob_file=dict.fromkeys("abcd", 0.75), na_prob_thresh=0.5
    )
    assert why.scores == {"exact": 0.0, "f1": 0.0}
    assert why.facts["normalised"] == "three dogs"
    assert "greater" in why.facts["no-answer probability"]
    assert [row["matched"] for row in why.tables["references"]] == ["dogs", "dogs"]


def test_explain_of_a_question_without_prediction() -> None:
    with pytest.raises(fullmarks.UsageError, match="'b' has no prediction"):
        fullmarks.explain("squad2", GOLD, {"a": "x"}, id="b")


def test_one_table_of_examples() -> None:
    table = [
        {"id": "a", "prediction": "cat", "references": ["the cat"]},
        {"id": "b", "prediction": "three dogs", "references": ["two dogs", "dogs"]},
        {"id": "c", "prediction": "", "references": []},
        {"id": "d", "prediction": "something", "references": []},
    ]
    assert fullmarks.score("squad2", table).official == fullmarks.score("squad2", GOLD, PREDICTIONS).official


@pytest.mark.parametrize("threshold", [1.0, 0.5, -1.0])
def test_the_official_result_scores_no_text_again(threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    chances = {"a": 0.9, "b": 0.2, "c": 0.6, "d": 0.7}
    options = {"na_prob_file": chances, "na_prob_thresh": threshold, "precision_recall": True}
    result = fullmarks.score("squad2", GOLD, PREDICTIONS, **options)

    def refuse(*_: object) -> None:
        raise AssertionError("a text was scored")

    monkeypatch.setattr("fullmarks.metrics.squad.SquadScores.raw_rows", refuse)
    assert result.rules.official(result.tally, result.audit) == result.official


@pytest.mark.parametrize("threshold", [0.8, 0.5, 0.0, -1.0])
@pytest.mark.parametrize("left_out", ["", "b"])
def test_the_threshold_in_force_hides_no_better_one(threshold: float, left_out: str) -> None:
    chances = {"a": 0.9, "b": 0.2, "c": 0.6, "d": 0.7}
    given = {name: text for name, text in PREDICTIONS.items() if name != left_out}
    options = {"na_prob_file": chances, "precision_recall": True, "on_missing": "zero"}
    free = fullmarks.score("squad2", GOLD, given, **options).official
    bound = fullmarks.score("squad2", GOLD, given, na_prob_thresh=threshold, **options).official
    searched = [key for key in free if key.startswith(("best_", "pr_"))]
    assert len(searched) == 7
    assert {key: bound[key] for key in searched} == {key: free[key] for key in searched}
    assert bound["HasAns_f1"] < free["HasAns_f1"]


def test_what_the_threshold_withholds_is_no_score() -> None:
    chances = {"a": 0.9, "b": 0.2, "c": 0.6, "d": 0.7}
    bound = fullmarks.score("squad2", GOLD, PREDICTIONS, na_prob_file=chances, na_prob_thresh=0.5)
    plain = fullmarks.score("squad2", GOLD, PREDICTIONS)
    assert list(bound.scores) == list(plain.scores) == ["exact", "f1"]
    assert set(bound.per_example[0]) - set(plain.per_example[0]) == {"no_answer_probability"}
    assert list(fullmarks.confidence(bound)) == ["exact", "f1"]
    assert [each.score for each in fullmarks.compare({"plain": plain, "bound": bound}).differences] == ["exact", "f1"]


def test_blocks_of_a_table_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"id": number, "prediction": "cat", "references": ["cat"], "no_answer_probability": number / 10}
        for number in range(9)
    ]
    whole = fullmarks.score("squad2", rows, na_prob_thresh=0.55).official
    assert (whole["exact"], whole["best_exact"], whole["best_exact_thresh"]) == (100 * 6 / 9, 100.0, 0.8)
    monkeypatch.setattr("fullmarks.readers.tables.table._RECORDS", 2)
    chunks: list[int] = []
    again = fullmarks.score("squad2", rows, na_prob_thresh=0.55, watch=lambda chunk, _: chunks.append(len(chunk)))
    assert (again.official, chunks) == (whole, [2, 2, 2, 2, 1])


def test_whole_probabilities_are_printed_whole(tmp_path: Path) -> None:
    """The script prints the threshold as the file has it: 0, not 0.0."""
    questions, predictions = gold(question("1", "x"), question("2")), {"1": "x", "2": ""}
    file = tmp_path / "na_prob.json"
    for chances, shown in (('{"1": 0, "2": 1}', "0"), ('{"1": 0.0, "2": 1}', "0.0"), ('{"1": 1, "2": 2}', "1")):
        file.write_text(chances)
        for given in (file, json.loads(chances)):
            found = fullmarks.score("squad2", questions, predictions, na_prob_file=given).official
            assert [repr(found[f"best_{name}_thresh"]) for name in ("exact", "f1")] == [shown, shown]


def test_a_question_twice_in_the_gold_counts_once_with_its_last_answers() -> None:
    result = fullmarks.score(
        "squad2", gold(question("a", "x"), question("b", "z"), question("a", "y")), {"a": "y", "b": ""}
    )
    assert (result.official["exact"], result.official["total"]) == (50.0, 2)
    finding = result.audit.findings["repeated-questions"]
    assert (finding.level, finding.first_ids) == ("warning", ["a"])


@pytest.mark.parametrize("odd", [None, 5, ["t"], {}])
def test_titles_and_questions_may_be_anything(odd: Any, tmp_path: Path) -> None:
    document = {"data": [{"title": odd, "paragraphs": [{"qas": [{**question("a", "x"), "question": odd}]}]}]}
    file = tmp_path / "gold.json"
    file.write_text(json.dumps(document))
    for given in (document, file):
        assert fullmarks.score("squad2", given, {"a": "x"}).official["exact"] == 100.0


def test_a_null_for_an_unknown_question_is_only_unknown() -> None:
    result = fullmarks.score("squad2", gold(question("a", "x")), {"a": "x", "other": None})
    assert result.official["exact"] == 100.0
    assert list(result.audit.findings) == ["unknown-predictions"]
    with pytest.raises(fullmarks.MismatchError, match=r"unknown questions: 1 \(first ids: 'other'\)"):
        fullmarks.score("squad2", gold(question("a", "x")), {"a": "x", "other": None}, strict=True)
    with pytest.raises(fullmarks.MismatchError, match=r"not strings: 1 \(first ids: 'a'\); 'a' has null"):
        fullmarks.score("squad2", gold(question("a", "x")), {"a": None, "other": None})
