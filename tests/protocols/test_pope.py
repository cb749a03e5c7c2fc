"""POPE: the published program's digits, LLaVA's answers, and no answer beside the label of another question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official, first_difference

KEYS = ("Accuracy", "Precision", "Recall", "F1 score", "Yes ratio")
SPLITS = ("adversarial", "popular", "random")
GOLD = [
    {"question_id": 1, "image": "a.jpg", "text": "Is there a cup in the image?", "label": "yes"},
    {"question_id": 2, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "no"},
    {"question_id": 3, "image": "b.jpg", "text": "Is there a cup in the image?", "label": "no"},
]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def printed(text: str) -> dict[str, Any]:
    """The official result from what the program printed for one set."""
    lines = text.strip().split("\n")
    counts = dict(zip(lines[0].split(), map(int, lines[1].split()), strict=True))
    return counts | {key: float(line.partition(": ")[2]) for key, line in zip(KEYS, lines[2:], strict=False)}


def printed_by_category(text: str) -> dict[str, dict[str, Any]]:
    """The same for what LLaVA's program printed, by category."""
    found = {}
    for block in text.split("Category: ")[1:]:
        head, _, rest = block.partition("\n")
        found[head.partition(",")[0]] = printed(rest)
    return found


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "pope"


@pytest.fixture
def expected(golden: Path) -> Any:
    return json.loads((golden / "expected.json").read_text(encoding="utf-8"))


def test_golden(golden: Path, expected: Any) -> None:
    files = golden / "coco_pope_random.json", golden / "answers.jsonl"
    assert printed(expected["printed"]) == expected["result"]
    result = assert_official("pope", *files, expected["result"])
    assert [each["accuracy"] == 1.0 for each in result.per_example] == [
        each["correct"] for each in expected["per_question"]
    ]
    assert_official("pope", *files, expected["variants"]["lmms-eval"], variant="lmms-eval")
    assert_official("pope", *files, expected["variants"]["VLMEvalKit"], variant="vlmevalkit")


def test_runs_with_other_answers(golden: Path, expected: Any) -> None:
    """Where the program shifts answers or stops early, we refuse; the last ones may be left out by name."""
    gold, answers, runs = read_lines(golden / "coco_pope_random.json"), read_lines(golden / "answers.jsonl"), {}
    runs["missing_last_10"], runs["missing_first"] = answers[:-10], answers[1:]
    runs["extra_5"], runs["duplicate_first"] = answers + answers[:5], answers[:1] + answers
    for name, given in runs.items():
        assert "result" in expected["runs"][name]
        with pytest.raises(fullmarks.MismatchError):
            fullmarks.score("pope", gold, given)
    wanted = expected["runs"]["missing_last_10"]["result"]
    result = assert_official("pope", gold, answers[:-10], wanted, on_missing="skip")
    assert result.audit.findings["missing-predictions"].count == 10
    with pytest.raises(fullmarks.MismatchError, match="record 1 asks 'Is there a truck"):
        fullmarks.score("pope", gold, answers[1:], on_missing="skip")


def test_single_answers(golden: Path) -> None:
    cases = json.loads((golden / "answers.json").read_text(encoding="utf-8"))["cases"]
    answers, unknown = [case["answer"] for case in cases], {"yes": "Yes", "no": "No", "other": "Unknown"}
    for reading, wanted in {
        "pope": [case["label"] for case in cases],
        "strict": [case["lmms"] if case["lmms"] in ("yes", "no") else "other" for case in cases],
        "words": [case["vlmeval"] for case in cases],
    }.items():
        scorer = fullmarks.load("yes_no", reading=reading)
        found = [scorer.explain(prediction=answer, references=["yes"]).facts["read as"] for answer in answers]
        assert ([unknown[each] for each in found] if reading == "words" else found) == wanted
        right = [float(each == "yes") for each in found]
        assert scorer.each(predictions=answers, references=["yes"] * len(answers)) == right


def test_golden_answers_of_llava(golden: Path, expected: Any) -> None:
    wanted = printed_by_category(expected["llava"]["printed"])
    answers = golden / "llava_answers.jsonl"
    assert set(wanted) == set(SPLITS)
    for category, result in wanted.items():
        gold = golden / f"llava_coco_pope_{category}.json"
        assert_official("pope", gold, answers, result, questions=golden / "llava_pope_test.jsonl")
        given = of_category(golden / "llava_pope_test.jsonl", answers, category)
        assert_official("pope", gold, given, result)  # by position: the ids begin at 0 there and at 1 here


def of_category(questions: Path, answers: Path, category: str) -> list[dict[str, Any]]:
    known = {row["question_id"]: row for row in read_lines(questions)}
    return [row for row in read_lines(answers) if known[row["question_id"]]["category"] == category]


def test_real_answers_of_llava(real_data: Path) -> None:
    data = real_data / "pope"
    expected = json.loads((data / "expected.json").read_text(encoding="utf-8"))["results"]["e3e3926"]["printed"]
    wanted, questions, answers = (
        printed_by_category(expected),
        data / "llava_questions.jsonl",
        data / "llava_answers.jsonl",
    )
    texts = {row["question_id"]: row for row in read_lines(questions)}
    for category, result in wanted.items():
        gold = data / f"coco_pope_{category}_e3e3926.json"
        assert_official("pope", gold, answers, result, questions=questions)
        given = of_category(questions, answers, category)
        plain = [{"question": texts[row["question_id"]]["text"], "answer": row["text"]} for row in given]
        assert_official("pope", gold, plain, result)
        by_image = [{**row, "image": texts[old["question_id"]]["image"]} for row, old in zip(plain, given, strict=True)]
        assert_official("pope", gold, by_image[::-1], result)
    check_that_another_label_file_is_never_scored_in_silence(data)


def check_that_another_label_file_is_never_scored_in_silence(data: Path) -> None:
    """The program gives F1 0.4565 here, for most answers meet the label of another question."""
    gold, questions = data / "coco_pope_random_HEAD.json", data / "llava_questions.jsonl"
    with pytest.raises(fullmarks.MismatchError, match=r"no single category has exactly .*'random' 2766 of 2910"):
        fullmarks.score("pope", gold, data / "llava_answers.jsonl", questions=questions)
    with pytest.raises(fullmarks.MismatchError, match=r"without a prediction: 234 .*unknown questions: 144 "):
        fullmarks.score("pope", gold, data / "llava_answers.jsonl", questions=questions, category="random")
    with pytest.raises(fullmarks.MismatchError, match="predictions for unknown questions: 5910 "):
        fullmarks.score("pope", gold, data / "llava_answers.jsonl")
    given = of_category(questions, data / "llava_answers.jsonl", "random")
    with pytest.raises(fullmarks.MismatchError, match="not one of them for any question: 2910 "):
        fullmarks.score("pope", gold, given)
    texts = {row["question_id"]: row["text"] for row in read_lines(questions)}
    with pytest.raises(fullmarks.MismatchError, match=r"not the questions of .*: record 11 asks"):
        fullmarks.score("pope", gold, [{**row, "prompt": texts[row["question_id"]]} for row in given])


def test_answers_are_paired_by_id_in_any_order() -> None:
    wanted = {"TP": 1, "FP": 1, "TN": 1, "FN": 0, "Accuracy": 2 / 3, "Precision": 0.5, "Recall": 1.0}
    wanted |= {"F1 score": 2 / 3, "Yes ratio": 2 / 3}
    rows = [{"question_id": 3, "text": "no"}, {"question_id": 1, "text": "yes"}, {"question_id": 2, "text": "Sure"}]
    assert_official("pope", GOLD, rows, wanted)
    assert_official(
        "pope", GOLD, [{"question_id": str(row["question_id"]), "answer": row["text"]} for row in rows], wanted
    )
    assert_official("pope", GOLD, {"3": "no", "1": "yes", "2": "Sure"}, wanted)
    asked = [{**row, "prompt": GOLD[int(str(row["question_id"])) - 1]["text"]} for row in rows]
    assert_official("pope", GOLD, asked, wanted)
    longer = [
        {**row, "prompt": f"{row['prompt']}\nAnswer the question using a single word or phrase."} for row in asked
    ]
    assert_official("pope", GOLD, longer, wanted)
    table = [{"id": row["question_id"], "references": [row["label"]], "prediction": "yes"} for row in GOLD]
    assert fullmarks.score("pope", table).official["TP"] == 1


def test_ids_with_other_questions_are_no_ids_of_ours() -> None:
    rows = [{"question_id": each, "prompt": "Is there a cat?", "text": "no"} for each in (1, 2, 3)]
    with pytest.raises(fullmarks.MismatchError, match="record 1 asks 'Is there a cat"):
        fullmarks.score("pope", GOLD, rows)


def test_what_tells_nothing_is_not_paired() -> None:
    with pytest.raises(fullmarks.MismatchError, match="neither the gold's ids nor their questions"):
        fullmarks.score("pope", GOLD, [{"question_id": None, "text": "no"}] * 3)
    with pytest.raises(fullmarks.InputError):
        fullmarks.score("pope", GOLD, ["yes", "no", "no"])
    with pytest.raises(fullmarks.UsageError, match="--questions"):
        fullmarks.score("pope", GOLD, {"1": "yes"}, category="random")


@pytest.mark.parametrize("answers", [("no", "no", "no"), ("no", "yes", "no"), ("no", "yes", "yes")])
def test_no_true_positive_is_an_error_where_the_program_divides_by_zero(answers: tuple[str, ...]) -> None:
    given = {str(at): text for at, text in enumerate(answers, start=1)}
    with pytest.raises(fullmarks.InputError, match=r"TP 0, .* is undefined\. .*--variant lmms-eval"):
        fullmarks.score("pope", GOLD, given)
    assert fullmarks.score("pope", GOLD, given, variant="lmms-eval").official["pope_f1_score"] == 0.0
    assert fullmarks.validate("pope", GOLD, given).scored == 3


def test_every_label_but_no_means_yes(expected: Any) -> None:
    gold = [{**row, "label": label} for row, label in zip(GOLD, ("Yes", "No", ""), strict=True)]
    result = fullmarks.score("pope", gold, {"1": "yes", "2": "yes", "3": "no"})
    assert first_difference(result.official, expected["runs"]["label_other_words"]["result"]) is None
    assert result.audit.findings["other-labels"].count == 3


def test_gaps() -> None:
    given = {"1": "yes", "2": "yes"}
    with pytest.raises(fullmarks.MismatchError, match="without a prediction: 1 "):
        fullmarks.score("pope", GOLD, given)
    zero = fullmarks.score("pope", GOLD, given, on_missing="zero").official
    assert (zero["TP"], zero["FP"], zero["TN"], zero["FN"], zero["Accuracy"]) == (1, 1, 0, 0, 1 / 3)
    assert zero["Yes ratio"] == 1.0
    with pytest.raises(fullmarks.MismatchError, match="repeated id: 1 "):
        fullmarks.score(
            "pope", GOLD, [{"question_id": 1, "text": "no"}, *({"question_id": 1 + n, "text": "yes"} for n in range(3))]
        )


def test_explanation_tells_what_was_looked_at() -> None:
    told = fullmarks.explain("pope", GOLD, {"1": "No. Yes.", "2": "", "3": ""}, id=1)
    assert told.facts["looked at"] == "No"
    assert (told.facts["read as"], told.facts["counts as"]) == ("no", "wrong no")
    assert told.scores["accuracy"] == 0.0


def test_a_column_to_slice_by_that_is_not_there_is_an_error() -> None:
    rows = [{"question_id": 1, "text": "yes"}, {"question_id": 2, "text": "no"}, {"question_id": 3, "text": "no"}]
    assert set(fullmarks.score("pope", GOLD, rows, by=("label",)).by("label")) == {"yes", "no"}
    with pytest.raises(fullmarks.InputError, match="gold: there is no column 'colour' to slice or cluster by"):
        fullmarks.score("pope", GOLD, rows, by=("colour",))


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"\\ud800"'])
def test_lines_in_a_file_called_json_whose_first_line_only_python_reads(tmp_path: Path, value: str) -> None:
    gold, answers = tmp_path / "coco_pope.json", tmp_path / "answers.json"
    gold.write_text("\n".join(map(json.dumps, GOLD)), encoding="utf-8")
    lines = [json.dumps({"question_id": row["question_id"], "answer": row["label"]}) for row in GOLD]
    answers.write_text("\n".join([f'{lines[0][:-1]}, "logprob": {value}}}', *lines[1:]]), encoding="utf-8")
    assert fullmarks.score("pope", gold, answers).official["F1 score"] == 1.0


@pytest.mark.parametrize("value", [["a"], {"a": 1}])
def test_lists_and_objects_where_rows_are_paired_are_errors(value: Any) -> None:
    questions = [{**row, "category": "random"} for row in GOLD]
    answers = [{"question_id": row["question_id"], "text": row["label"]} for row in GOLD]
    for field in ("question_id", "image", "text", "category"):
        odd = [{**questions[0], field: value}, *questions[1:]]
        with pytest.raises(fullmarks.InputError, match=rf"questions: record 1: '{field}' must be a text or a number"):
            fullmarks.score("pope", GOLD, answers, questions=odd)
    for field in ("question_id", "image"):
        with pytest.raises(fullmarks.InputError, match=rf"predictions: record 1: '{field}' must be"):
            fullmarks.score("pope", GOLD, [{**answers[0], field: value}, *answers[1:]])
    with pytest.raises(fullmarks.InputError, match="gold: question 1: 'image' must be"):
        fullmarks.score("pope", [{**GOLD[0], "image": value}, *GOLD[1:]], answers, questions=questions)


def test_categories_that_are_numbers_and_labels_without_an_image() -> None:
    questions = [{**row, "category": 5} for row in GOLD]
    answers = [{"question_id": row["question_id"], "text": row["label"]} for row in GOLD]
    assert fullmarks.score("pope", GOLD, answers, questions=questions).official["F1 score"] == 1.0
    bare = [{name: value for name, value in row.items() if name != "image"} for row in GOLD]
    with pytest.raises(fullmarks.MismatchError, match="no single category has exactly the 3 questions"):
        fullmarks.score("pope", bare, answers, questions=questions)


def test_a_question_file_beside_other_answers_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"1": "yes", "2": "no", "3": "no"}))
    with pytest.raises(fullmarks.InputError, match=r"answers\.json: these are not LLaVA's answers .* Leave the"):
        fullmarks.score("pope", GOLD, str(path), questions=GOLD)


def test_a_question_without_a_label_is_named() -> None:
    gold = [GOLD[0], {**GOLD[1], "label": []}, GOLD[2]]
    with pytest.raises(fullmarks.InputError, match=r"gold.*first ids: 2"):
        fullmarks.score("pope", gold, {"1": "yes", "2": "no", "3": "no"})
